//! `leveret stats`: how one arena does.
use crate::output::{self, CommandResult, Exit, FAINT, STRONG};
use crate::peer::Reach;
use crate::redis::RedisPeer;
use crate::tables;
use crate::target::TargetArgs;
use crate::units::{bytes, percent, span, thousands};
use crate::users;
use clap::Args;
use leveret_engine::{Arena, Stats as Counts};
use serde::Serialize;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Show items, memory, hits and evictions of an arena or a server
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct StatsArgs {
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  leveret stats
  leveret stats --arena apcu
  leveret stats --json | jq .hit_rate
  leveret stats localhost:11211             a server's statistics, in the format of 'memcached-tool stats'
  leveret stats redis://localhost           INFO of a server for clients of Redis, sorted by name
  leveret stats arena:default               the same of an arena, as if a server ran there

Each process reports its hits and misses from time to time, so they may be a request behind.";

/// What --json prints. Fields are added, never renamed.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    pub arena: String,
    /// Unix time since which hits, misses and sets are counted: of creation, or of the last apcu_clear_cache().
    pub since: i64,
    pub age_secs: i64,
    /// The arena's limit, the part of it that the file has claimed, and what can be stored before eviction begins.
    pub memory: u64,
    pub allocated: u64,
    pub free: u64,
    pub items: u64,
    /// Header, key and value of the living items.
    pub bytes: u64,
    pub hits: u64,
    pub misses: u64,
    /// 0 to 1; null before the first read.
    pub hit_rate: Option<f64>,
    pub sets: u64,
    pub deletes: u64,
    pub increments: u64,
    pub touches: u64,
    pub flushes: u64,
    pub evicted: u64,
    pub expired: u64,
    /// Writes that found no room.
    pub refused: u64,
    /// Of these, those for which other processes held, for the whole lock time-out, what could have been evicted.
    pub refused_busy: u64,
    /// Seconds since the last one; null: there was none.
    pub refused_secs_ago: Option<i64>,
    pub segments: u64,
    pub segments_free: u64,
    pub segment_bytes: u64,
    pub shards: u64,
    pub buckets: u64,
    /// Living processes that have written to the arena.
    pub attached: u32,
    pub lock_waits: u64,
    pub retries: u64,
    pub recoveries: u64,
    /// Expired, but not reclaimed yet.
    pub expired_bytes: u64,
    /// Bytes written for each byte stored: making room copies items. Null before the first store.
    pub write_amplification: Option<f64>,
    /// Damaged index slots that were cleared; always 0 unless the file was damaged.
    pub mended: u64,
    /// Version of the file's layout.
    pub layout: u32,
    /// Of `attached`, those of this PID namespace.
    pub attached_pids: Vec<u32>,
}

impl Summary {
    pub fn of(arena: &Arena) -> Summary {
        let counts: Counts = arena.stats();
        let reads = counts.hits + counts.misses;
        Summary {
            arena: arena.path().to_string_lossy().into_owned(),
            since: counts.created_unix,
            age_secs: (unix_now() - counts.created_unix).max(0),
            memory: counts.memory_limit,
            allocated: counts.memory_allocated,
            free: counts.memory_free,
            items: counts.items,
            bytes: counts.item_bytes,
            hits: counts.hits,
            misses: counts.misses,
            hit_rate: (reads > 0).then(|| counts.hits as f64 / reads as f64),
            sets: counts.sets,
            deletes: counts.deletes,
            increments: counts.increments,
            touches: counts.touches,
            flushes: counts.flushes,
            evicted: counts.evicted,
            expired: counts.expired,
            refused: counts.refused_no_memory + counts.refused_busy,
            refused_busy: counts.refused_busy,
            refused_secs_ago: (counts.refused_unix != 0).then(|| (unix_now() - counts.refused_unix).max(0)),
            segments: counts.segments,
            segments_free: counts.segments_free,
            segment_bytes: counts.segment_bytes,
            shards: counts.shards,
            buckets: counts.buckets,
            attached: counts.attached,
            lock_waits: counts.lock_waits,
            retries: counts.retries,
            recoveries: counts.recoveries,
            expired_bytes: counts.expired_bytes,
            write_amplification: (counts.written_bytes > 0).then(|| counts.write_amplification()),
            mended: counts.mended,
            layout: counts.layout,
            attached_pids: arena.attached_pids(),
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let reads = self.hits + self.misses;
        let amplification = self.write_amplification.map_or("-".to_owned(), |factor| format!("{factor:.2}"));
        let rows = [
            ("arena", self.arena.clone(), String::new()),
            ("age", span(self.age_secs.unsigned_abs()), "since it was created or flushed".to_owned()),
            ("items", thousands(self.items), format!("{} with keys and headers", bytes(self.bytes))),
            (
                "memory",
                bytes(self.memory),
                format!("{} allocated, {} free before items are evicted", bytes(self.allocated), bytes(self.free)),
            ),
            (
                "segments",
                thousands(self.segments),
                format!(
                    "of {}, {} free; {} shards, {} buckets",
                    bytes(self.segment_bytes),
                    thousands(self.segments_free),
                    self.shards,
                    thousands(self.buckets)
                ),
            ),
            (
                "hit rate",
                percent(self.hits, reads),
                format!("{} hits, {} misses", thousands(self.hits), thousands(self.misses)),
            ),
            (
                "stores",
                thousands(self.sets),
                format!(
                    "{} deletes, {} increments, {} touches, {} flushes",
                    thousands(self.deletes),
                    thousands(self.increments),
                    thousands(self.touches),
                    thousands(self.flushes)
                ),
            ),
            (
                "evicted",
                thousands(self.evicted),
                format!("alive, but the memory was needed; {amplification} bytes written for each byte stored"),
            ),
            (
                "expired",
                thousands(self.expired),
                format!("removed after their deadline; {} not removed yet", bytes(self.expired_bytes)),
            ),
            ("refused", thousands(self.refused), "writes without room".to_owned()),
            (
                "attached",
                thousands(self.attached.into()),
                users::programs(&self.attached_pids)
                    .map_or("processes that have written and are alive".to_owned(), |named| {
                        format!("have written: {named}")
                    }),
            ),
            ("lock waits", thousands(self.lock_waits), format!("{} reads given up", thousands(self.retries))),
            ("recoveries", thousands(self.recoveries), "locks taken over from killed processes".to_owned()),
        ];
        // The first row is a path: it may be longer than any number.
        let width = rows[1..].iter().map(|(_, value, _)| value.len()).max().unwrap_or(0);
        for (name, value, note) in rows {
            writeln!(
                out,
                "{}",
                format!("{STRONG}{name:<10}{STRONG:#}  {value:>width$}  {FAINT}{note}{FAINT:#}").trim_end()
            )?;
        }
        Ok(())
    }
}

pub fn unix_now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

impl StatsArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        if let Some(redis) = self.reach.target.as_deref().and_then(RedisPeer::of).transpose()? {
            return tables::print_info(redis.shown(), &redis.info(self.reach.patience.timeout)?, json);
        }
        if self.reach.target.is_some() {
            return tables::STATS.run(&self.reach, target, json);
        }
        let summary = Summary::of(&target.open()?);
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &summary)?;
            out.flush()?;
        } else {
            summary.print(&mut output::text())?;
        }
        Ok(Exit::Yes)
    }
}

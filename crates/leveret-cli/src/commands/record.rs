//! `leveret record`: a trace of a living arena's requests, for `leveret simulate`.
use crate::output::{self, CommandResult, Exit, Failure, LongWork};
use crate::target::{attach, resolve, TargetArgs};
use crate::units::{self, counted, span, thousands};
use clap::Args;
use leveret_engine::{reason, Announcement, Arena, Deadline, Sampled, Sampler, Seen, Stats, Time};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Record a trace of an arena's requests, without slowing it
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "leveret record [OPTIONS] [ARENA] FILE")]
pub struct RecordArgs {
    /// The arena: a name, arena:NAME, or a path that ends in .arena; without it the arena of --arena
    #[arg(value_name = "ARENA")]
    first: String,

    /// The recording; '-' is standard output; an existing file is overwritten
    #[arg(value_name = "FILE")]
    second: Option<String>,

    /// Stop after this time [default: at Ctrl-C]
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration)]
    seconds: Option<Duration>,

    /// The share of the keys to record, 0.001 to 1 [default: about 8,000 keys]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    sample: Option<f64>,

    /// Interval between two samples
    #[arg(long, value_name = "DURATION", value_parser = interval, default_value = "10ms")]
    interval: Duration,
}

const EXAMPLES: &str = "\
Examples:
  leveret record shop shop.csv                          until Ctrl-C
  leveret record apcu apcu.csv --seconds 10m
  leveret record shop - --seconds 1h --sample 0.01 | zstd > shop.csv.zst
  leveret simulate shop.csv                             what would more memory buy?

Readers and writers of the arena are not slowed: 'leveret record' samples some of the keys a hundred times a second, with at
most a tenth of a processor. A recording holds hashes of keys, sizes, lifetimes and times, no keys and no values. It does not
see gets of keys that are not stored after the miss, nor how often a key was read between two samples.

Exit codes: 0 done; 2 wrong usage; 3 cannot reach the arena, write the file, or another recording is under way.";

fn share(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is no share of the keys: write it as 0.001 to 1");
    text.parse().ok().filter(|share| (0.001..=1.0).contains(share)).ok_or_else(wrong)
}

fn interval(text: &str) -> Result<Duration, String> {
    let parsed = units::parse_duration(text)?;
    if !(Duration::from_millis(1)..=Duration::from_secs(1)).contains(&parsed) {
        return Err("look again after 1ms to 1s".to_owned());
    }
    Ok(parsed)
}

/// Keys of a sample: with some 5,000 the curves are off by half a point at most (docs/eviction.md).
const KEYS: f64 = 8192.0;
/// Default item size, for arenas with too few items to measure.
const USUAL_SIZE: f64 = 512.0;
/// A pass rests nine times as long as it took, at least.
const RESTS: u32 = 9;
/// How soon Ctrl-C is noticed.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often the file gets its lines, and the progress line its numbers.
const WRITTEN_EVERY: Duration = Duration::from_secs(1);
/// Misses that the arena's users may not have handed in yet: 63 each.
const LATE_MISSES: f64 = 100.0;
/// Fewer say nothing about how many were not seen.
const FEW_STORES: u64 = 1000;
/// Less than this share of the stores makes curves that promise too much.
const STORES_SEEN: f64 = 0.95;
/// Announcement for other recorders.
const SERVICE: &str = "record";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    file: &'a str,
    sample: f64,
    seconds: f64,
    requests: u64,
    keys: u64,
    gets: u64,
    passes: u64,
    /// Share of the time in which the recorder worked.
    busy: f64,
    /// Share of the sample's stores that it saw, an estimate: what came and went between two looks it did not.
    stores_seen: f64,
}

impl RecordArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let (path, file) = self.places(target)?;
        let arena = attach(&path, None)?;
        let _announcement = announce(&arena)?;
        let is_over = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register(signal, Arc::clone(&is_over))
                .map_err(|error| Failure::Unreachable(format!("cannot handle signals: {}", reason(&error))))?;
        }
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderLeft,
            _ => Failure::Unreachable(format!("cannot write {file}: {}", reason(&error))),
        };
        let out: Box<dyn Write> = match file {
            "-" => Box::new(io::stdout().lock()),
            name => Box::new(File::create(name).map_err(failed)?),
        };
        let sampler = arena.sample(self.sample.unwrap_or_else(|| usual_share(&arena)));
        let mut recording = Recording::begin(&arena, sampler, out);
        recording.run(self.interval, self.seconds, &is_over).map_err(|stop| match stop {
            Stop::Written(error) => failed(error),
            Stop::Arena(failure) => failure,
        })?;
        say(&recording.line(&path, file), json)
    }

    /// The arena's file, and the recording's.
    fn places<'a>(&'a self, target: &TargetArgs) -> Result<(std::path::PathBuf, &'a str), Failure> {
        match &self.second {
            Some(_) if target.arena.is_some() => {
                Err(Failure::Usage(format!("'{}' and --arena: give one of the two", self.first)))
            }
            Some(file) => Ok((resolve(&self.first, target.dir())?, file)),
            // A name that was meant for the arena would become a file, and the recording another arena's.
            None if target.arena.is_none() && resolve(&self.first, target.dir()).is_ok_and(|path| path.exists()) => {
                Err(Failure::Usage(format!("into which file? leveret record {0} {0}.csv", self.first)))
            }
            None => Ok((target.path()?, &self.first)),
        }
    }
}

/// Two recorders would take each other's marks for reads that were not made, and miss others.
fn announce(arena: &Arena) -> Result<Announcement, Failure> {
    if let Some(other) = arena.services().into_iter().find(|service| service.text == SERVICE) {
        return Err(Failure::Unreachable(format!(
            "process {} is recording this arena already: wait for it, or end it with Ctrl-C",
            other.pid
        )));
    }
    Ok(arena.announce(SERVICE)?)
}

/// So that about `KEYS` are sampled when the arena is full.
fn usual_share(arena: &Arena) -> f64 {
    let stats = arena.stats();
    let memory = stats.memory_limit as f64;
    let used = memory - stats.memory_free as f64;
    let is_telling = stats.items >= 1000 && used * 4.0 >= memory;
    let items = if is_telling { stats.items as f64 * memory / used } else { memory / USUAL_SIZE };
    KEYS / items.max(KEYS)
}

/// Why a recording cannot go on.
enum Stop {
    Written(io::Error),
    Arena(Failure),
}

struct Recording<'a> {
    arena: &'a Arena,
    sampler: Sampler,
    out: Box<dyn Write>,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    begun: Instant,
    /// The arena's counts when this began.
    before: Stats,
    keys: HashSet<u64>,
    requests: u64,
    /// Stores, and those that followed a miss.
    stores: u64,
    fills: u64,
    passes: u64,
    worked: Duration,
}

impl<'a> Recording<'a> {
    fn begin(arena: &'a Arena, sampler: Sampler, out: Box<dyn Write>) -> Recording<'a> {
        let mut lines = Vec::new();
        lines.extend_from_slice(format!("# sample={}\n", sampler.share()).as_bytes());
        lines.extend_from_slice(b"time,key,key_size,size,ttl,op\n");
        Recording {
            arena,
            sampler,
            out,
            lines,
            begun: Instant::now(),
            before: arena.stats(),
            keys: HashSet::new(),
            requests: 0,
            stores: 0,
            fills: 0,
            passes: 0,
            worked: Duration::ZERO,
        }
    }

    fn run(&mut self, interval: Duration, at_most: Option<Duration>, is_over: &AtomicBool) -> Result<(), Stop> {
        let progress = LongWork::of_recording(at_most);
        let mut written = self.begun;
        loop {
            let begun = Instant::now();
            self.pass().map_err(Stop::Arena)?;
            let took = begun.elapsed();
            self.worked += took;
            let is_last = is_over.load(Ordering::Relaxed) || at_most.is_some_and(|most| self.begun.elapsed() >= most);
            if is_last || written.elapsed() >= WRITTEN_EVERY {
                written = Instant::now();
                self.write(is_last).map_err(Stop::Written)?;
                progress.recorded(self.requests, self.keys.len() as u64);
            }
            if is_last {
                return Ok(());
            }
            let end = at_most.map(|most| self.begun + most);
            let next = begun + interval.max(took * (RESTS + 1));
            rest(end.map_or(next, |end| end.min(next)), is_over);
        }
    }

    fn pass(&mut self) -> Result<(), Failure> {
        let at = self.begun.elapsed().as_millis();
        let now = Time::now();
        // A new key was stored after a miss or without a get. They look alike, but the former are at most as many as
        // the misses.
        let misses = self.arena.stats().misses.saturating_sub(self.before.misses) as f64 * self.sampler.share();
        let Recording { sampler, lines, keys, requests, stores, fills, .. } = self;
        sampler.pass(now, &mut |seen| {
            keys.insert(seen.hash);
            let is_fill = seen.event == Sampled::Stored && (*fills as f64) < misses + LATE_MISSES;
            let (op, count) = match seen.event {
                Sampled::Stored if is_fill => ("get", 1),
                Sampled::There | Sampled::Stored | Sampled::Replaced => ("set", 1),
                Sampled::Read(reads) => ("get", reads),
                Sampled::Deleted => ("delete", 1),
                _ => return,
            };
            *fills += u64::from(is_fill);
            *stores += u64::from(matches!(seen.event, Sampled::Stored | Sampled::Replaced));
            *requests += u64::from(count);
            let ttl = lifetime(&seen, now);
            for _ in 0..count {
                let _ = writeln!(
                    lines,
                    "{}.{:03},{:016x},{},{},{ttl},{op}",
                    at / 1000,
                    at % 1000,
                    seen.hash,
                    seen.key_len,
                    seen.value_len
                );
            }
        })?;
        self.passes += 1;
        Ok(())
    }

    /// Gets of all keys: hits, and stores after a miss.
    fn gets(&self) -> u64 {
        let hits = self.arena.stats().hits.saturating_sub(self.before.hits);
        hits + (self.fills as f64 / self.sampler.share()) as u64
    }

    fn stores_seen(&self) -> f64 {
        let all = self.arena.stats().sets.saturating_sub(self.before.sets) as f64 * self.sampler.share();
        (self.stores as f64 / all.max(1.0)).min(1.0)
    }

    /// Whole lines, so that a killed recorder leaves a readable file.
    fn write(&mut self, is_last: bool) -> io::Result<()> {
        let gets = self.gets();
        if is_last || !self.lines.is_empty() {
            self.lines.extend_from_slice(format!("# gets={gets}\n").as_bytes());
        }
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()
    }

    fn line<'l>(&self, path: &'l Path, file: &'l str) -> Line<'l> {
        let seconds = self.begun.elapsed().as_secs_f64();
        Line {
            arena: path.to_str().unwrap_or_default(),
            file,
            sample: self.sampler.share(),
            seconds,
            requests: self.requests,
            keys: self.keys.len() as u64,
            gets: self.gets(),
            passes: self.passes,
            busy: self.worked.as_secs_f64() / seconds.max(0.001),
            stores_seen: if self.stores < FEW_STORES { 1.0 } else { self.stores_seen() },
        }
    }
}

/// Lifetime at the store in seconds; for items that existed before, the rest of it. 0: unlimited.
fn lifetime(seen: &Seen, now: Time) -> u32 {
    if seen.deadline == Deadline::NEVER {
        return 0;
    }
    let from = if seen.event == Sampled::There { now } else { seen.mtime };
    seen.deadline.second().saturating_sub(from.0).max(1)
}

/// Until a moment, or Ctrl-C.
fn rest(until: Instant, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(PATIENCE));
    }
}

fn say(line: &Line<'_>, json: bool) -> CommandResult {
    // A recording on standard output leaves room for nothing else there.
    let mut out: Box<dyn Write> =
        if line.file == "-" { Box::new(anstream::stderr().lock()) } else { Box::new(output::text()) };
    if json {
        output::json_line(&mut out, line)?;
    } else {
        writeln!(
            out,
            "{}: {} for {} in {}, 1 key in {:.0}; the arena answered {} gets",
            line.file,
            counted(line.requests, "request"),
            counted(line.keys, "key"),
            span(line.seconds as u64),
            1.0 / line.sample,
            thousands(line.gets)
        )?;
    }
    out.flush()?;
    if line.stores_seen < STORES_SEEN {
        let _ = writeln!(
            io::stderr(),
            "leveret: only {:.0} % of what was stored was still there at the next look, {:.0} ms later: the curves will promise too \
             much; record fewer keys, --sample {:.3}",
            100.0 * line.stores_seen,
            1000.0 * line.seconds / line.passes as f64,
            (line.sample / 4.0).max(0.001)
        );
    }
    Ok(Exit::Yes)
}

//! One look at a target, and the thread that looks again and again.
use super::hot;
use super::numbers::{gone, printable, SampledCounters, Shown, TargetNumbers};
use super::redis;
use super::top_peer::TopPeer;
use crate::commands::list;
use crate::conversation::Exchange;
use crate::output::Failure;
use crate::peer::Peer;
use crate::tables::{self, Rows};
use crate::target::attach;
use leveret_engine::{Arena, Error, Time};
use leveret_server::printable::steers;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// One sample.
pub struct Sample {
    /// The target's place on the board.
    pub target: usize,
    pub at: Instant,
    /// Or why there is nothing.
    pub seen: Result<TargetNumbers, String>,
}

/// What the screen needs besides the numbers.
#[derive(Default)]
pub struct Wanted {
    pub keys: AtomicBool,
    pub item: Mutex<Option<Vec<u8>>>,
    pub is_over: AtomicBool,
}

/// Starts a thread for each target: one that does not answer holds up no other.
pub struct Prober {
    sender: Sender<Sample>,
    interval: Duration,
    timeout: Duration,
    started: Mutex<usize>,
}

impl Prober {
    pub fn new(sender: Sender<Sample>, interval: Duration, timeout: Duration) -> Prober {
        Prober { sender, interval, timeout, started: Mutex::new(0) }
    }

    /// Looks at `peer` from now on. Targets are numbered in the order in which they are started.
    pub fn start(&self, peer: TopPeer) -> Arc<Wanted> {
        let wanted = Arc::new(Wanted::default());
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let target = *started;
        *started += 1;
        let mut probe = Probe { peer, timeout: self.timeout, state: State::Apart, wanted: wanted.clone() };
        let (sender, interval) = (self.sender.clone(), self.interval);
        thread::spawn(move || {
            let mut next = Instant::now();
            while !probe.wanted.is_over.load(Relaxed) {
                let seen = probe.look().map_err(|failure| failure.to_string());
                if seen.is_err() {
                    probe.state = State::Apart;
                }
                if sender.send(Sample { target, at: Instant::now(), seen }).is_err() {
                    return;
                }
                // What took too long is not made good.
                next = (next + interval).max(Instant::now());
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        });
        wanted
    }
}

enum State {
    Apart,
    Arena(Arena),
    Server(Exchange),
}

struct Probe {
    peer: TopPeer,
    timeout: Duration,
    state: State,
    wanted: Arc<Wanted>,
}

impl Probe {
    fn look(&mut self) -> Result<TargetNumbers, Failure> {
        if let State::Apart = self.state {
            self.state = match &self.peer {
                TopPeer::Plain(Peer::Arena { path, .. }) => State::Arena(attach(path, Some(self.timeout))?),
                TopPeer::Plain(peer) => State::Server(Exchange::begin(peer, self.timeout)?),
                TopPeer::Redis(peer) => State::Server(peer.connect(self.timeout)?),
            };
        }
        let wants_keys = self.wanted.keys.load(Relaxed);
        let wanted_item = self.wanted.item.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match &mut self.state {
            State::Arena(arena) => {
                arena.check()?;
                let mut seen = of_arena(arena);
                if wants_keys {
                    seen.hot = Some(hot::of_arena(arena)?);
                }
                seen.item = wanted_item.map(|key| item_of_arena(arena, key)).transpose()?;
                Ok(seen)
            }
            State::Server(conversation) => {
                let mut seen = match &self.peer {
                    TopPeer::Plain(_) => of_server(conversation)?,
                    TopPeer::Redis(peer) => redis::look(peer, conversation)?,
                };
                if wants_keys {
                    seen.hot = Some(hot::of_server(&self.peer, self.timeout));
                }
                let item = |key| match &self.peer {
                    TopPeer::Plain(_) => item_of_server(conversation, key),
                    TopPeer::Redis(peer) => redis::item(peer, conversation, key),
                };
                seen.item = wanted_item.map(item).transpose()?;
                Ok(seen)
            }
            State::Apart => unreachable!("attached above"),
        }
    }
}

fn of_arena(arena: &Arena) -> TargetNumbers {
    let stats = arena.stats();
    let places = list::places(arena);
    let used = stats.memory_limit.saturating_sub(stats.memory_free);
    let unclaimed = stats.memory_limit.saturating_sub(stats.memory_allocated);
    let free = stats.segments_free * stats.segment_bytes;
    let other = stats.memory_allocated.saturating_sub(free + stats.item_bytes + stats.expired_bytes);
    TargetNumbers {
        items: stats.items,
        bytes: used,
        limit: stats.memory_limit,
        connections: stats.attached.into(),
        counters: SampledCounters {
            hits: stats.hits,
            misses: stats.misses,
            sets: stats.sets,
            deletes: stats.deletes,
            evictions: stats.evicted,
            expired: stats.expired,
            refused: stats.refused_no_memory + stats.refused_busy,
        },
        latency: None,
        notes: vec![
            ("file", arena.path().display().to_string()),
            ("served at", if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") }),
            ("processes", stats.attached.to_string()),
            ("lock waits", stats.lock_waits.to_string()),
            ("recoveries", stats.recoveries.to_string()),
        ],
        memory: [
            ("items", stats.item_bytes),
            ("expired", stats.expired_bytes),
            ("index and room in segments", other),
            ("free segments", free),
            ("unclaimed", unclaimed),
        ]
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into(),
        hot: None,
        item: None,
    }
}

fn of_server(conversation: &mut Exchange) -> Result<TargetNumbers, Failure> {
    let asked = Instant::now();
    conversation.say(b"version\r\n")?;
    let version = conversation.line()?;
    let latency = asked.elapsed();
    conversation.check(&version)?;
    let rows = tables::ask(conversation, b"stats\r\n")?;
    let text = |name: &str| {
        let value = rows.get(name.as_bytes()).map(|value| value.trim_ascii_end()).unwrap_or_default();
        String::from_utf8_lossy(value).chars().filter(|letter| !steers(*letter)).collect::<String>()
    };
    let number = |name: &str| text(name).parse::<u64>().unwrap_or(0);
    Ok(TargetNumbers {
        items: number("curr_items"),
        bytes: number("bytes"),
        limit: number("limit_maxbytes"),
        connections: number("curr_connections"),
        counters: SampledCounters {
            hits: number("get_hits"),
            misses: number("get_misses"),
            sets: number("cmd_set"),
            deletes: number("delete_hits"),
            evictions: number("evictions"),
            expired: number("reclaimed"),
            refused: number("store_no_memory"),
        },
        latency: Some(latency),
        notes: vec![
            ("version", text("version")),
            ("process", text("pid")),
            ("uptime", crate::units::span(number("uptime"))),
            ("threads", text("threads")),
            ("connections", format!("{} of {}", text("curr_connections"), text("max_connections"))),
        ],
        memory: classes(conversation)?,
        hot: None,
        item: None,
    })
}

/// The memory of a server by size class.
fn classes(conversation: &mut Exchange) -> Result<Vec<(String, u64)>, Failure> {
    let rows: Rows = tables::ask(conversation, b"stats slabs\r\n")?;
    let number = |class: &str, name: &str| -> u64 {
        let value = rows.get(format!("{class}:{name}").as_bytes());
        value.and_then(|value| std::str::from_utf8(value.trim_ascii_end()).ok()?.parse().ok()).unwrap_or(0)
    };
    let mut names: Vec<(u64, String)> = rows
        .keys()
        .filter_map(|name| std::str::from_utf8(name).ok()?.strip_suffix(":chunk_size"))
        .filter_map(|class| Some((class.parse().ok()?, class.to_owned())))
        .collect();
    names.sort_unstable();
    let size = |class: &str| (number(class, "chunk_size"), number(class, "used_chunks"));
    Ok(names
        .iter()
        .map(|(_, class)| {
            let (chunk, used) = size(class);
            (format!("class {class}, chunks of {}", crate::units::bytes(chunk)), chunk.saturating_mul(used))
        })
        .filter(|(_, bytes)| *bytes > 0)
        .collect())
}

fn item_of_arena(arena: &Arena, key: Vec<u8>) -> Result<Shown, Failure> {
    let lines = match arena.get_with(&key, leveret_engine::ReadOptions::new(), Time::now()) {
        // The target is there all the same.
        Err(Error::Busy) => vec![("state", "busy, again next time".to_owned())],
        Err(error) => return Err(error.into()),
        Ok(None) => gone(),
        Ok(Some(item)) => {
            let number = usize::from(item.meta.encoding.number());
            vec![
                ("size", crate::units::bytes(item.value.len() as u64)),
                ("flags", item.meta.flags.to_string()),
                (
                    "encoding",
                    crate::commands::get::ENCODINGS.get(number).map_or(number.to_string(), |name| (*name).to_owned()),
                ),
                ("stored", ago(item.mtime.to_unix())),
                ("dies", item.deadline.time().map_or("never".to_owned(), |time| within(time.to_unix()))),
                ("value", printable(&item.value)),
            ]
        }
    };
    Ok(Shown { key, lines })
}

fn item_of_server(conversation: &mut Exchange, key: Vec<u8>) -> Result<Shown, Failure> {
    let lines = match conversation.get_all(&[&key])?.pop().flatten() {
        None => gone(),
        Some((flags, value)) => vec![
            ("size", crate::units::bytes(value.len() as u64)),
            ("flags", flags.to_string()),
            ("value", printable(&value)),
        ],
    };
    Ok(Shown { key, lines })
}

fn ago(unix: i64) -> String {
    format!("{} ago", crate::units::span((crate::commands::stats::unix_now() - unix).max(0).unsigned_abs()))
}

fn within(unix: i64) -> String {
    format!("in {}", crate::units::span((unix - crate::commands::stats::unix_now()).max(0).unsigned_abs()))
}

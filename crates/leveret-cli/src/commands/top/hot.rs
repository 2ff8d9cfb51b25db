//! The most frequently read keys: a sample, taken only while it is displayed. For an arena, a few thousand items and
//! the read counts in the index; for a server, its fetch events for a moment. Neither slows other processes: a sample
//! locks a shard only where continuous writers leave no moment to read without, and a server drops events for a slow
//! watcher.
use super::top_peer::TopPeer;
use crate::commands::watch::WatcherLine;
use crate::conversation::Exchange;
use crate::output::Failure;
use crate::peer::Peer;
use crate::units::counted;
use leveret_engine::{Arena, Cursor, Error, Time};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Items of an arena in one look.
const ITEMS: usize = 20_000;
/// And steps, which may hold none: an index that was made for many more is nearly empty.
const STEPS: usize = 200_000;
/// How long a server's readers are watched, and how many lines are taken in.
const WATCHED_FOR: Duration = Duration::from_millis(500);
const LINES: usize = 20_000;
/// Keys and prefixes that are shown at most.
const SHOWN: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Hot {
    /// Each key, and how often it was read.
    pub keys: Vec<(Vec<u8>, u64)>,
    /// Each prefix up to the first ':', '/', '.' or '_', and reads of its keys.
    pub prefixes: Vec<(Vec<u8>, u64)>,
    /// The sample's source.
    pub of: String,
}

pub fn of_arena(arena: &Arena) -> Result<Hot, Failure> {
    let mut reads = HashMap::new();
    // Elsewhere each time: in the shard that the clock names.
    let shards = arena.stats().shards.max(1);
    let nanos =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    let first = (u64::from(nanos) / 1000 % shards) as u32;
    let mut cursor = Cursor { shard: first, ..Cursor::default() };
    let mut has_wrapped = false;
    let mut is_busy = false;
    for _ in 0..STEPS {
        if reads.len() >= ITEMS || has_wrapped && cursor.shard >= first {
            break;
        }
        let step = arena.scan(&mut cursor, Time::now(), &mut |key, found| {
            reads.insert(key.to_vec(), u64::from(found.hits));
        });
        match step {
            Ok(true) => {}
            Ok(false) if has_wrapped => break,
            Ok(false) => (has_wrapped, cursor) = (true, Cursor::default()),
            Err(Error::Busy) => {
                is_busy = true;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let rest = if is_busy { "; the rest was busy, again next time" } else { "" };
    let of = format!("reads that the index remembers, 15 at most, of {}{rest}", counted(reads.len() as u64, "item"));
    Ok(Hot::of(reads, of))
}

pub fn of_server(peer: &TopPeer, timeout: Duration) -> Hot {
    let mut reads = HashMap::new();
    let of = match watch(peer, timeout, &mut reads) {
        Ok(lines) => format!("{lines} gets within {} ms", WATCHED_FOR.as_millis()),
        Err(failure) => format!("not known: {failure}"),
    };
    Hot::of(reads, of)
}

fn watch(peer: &TopPeer, timeout: Duration, reads: &mut HashMap<Vec<u8>, u64>) -> Result<usize, Failure> {
    // Of a Leveret server only its own clients: other processes would have to write their operations down.
    let mut conversation = match peer {
        TopPeer::Plain(peer) => begin(peer, timeout.min(WATCHED_FOR))?,
        TopPeer::Redis(peer) => peer.watch(&["fetchers", "clients"], timeout.min(WATCHED_FOR))?,
    };
    let until = Instant::now() + WATCHED_FOR;
    let (mut line, mut lines) = (Vec::new(), 0);
    while lines < LINES && Instant::now() < until {
        if conversation.listen(&mut line)? {
            if let Some(key) = WatcherLine::read(&line).and_then(|event| event.key) {
                *reads.entry(key).or_default() += 1;
                lines += 1;
            }
            line.clear();
        }
    }
    Ok(lines)
}

fn begin(peer: &Peer, timeout: Duration) -> Result<Exchange, Failure> {
    let mut conversation = Exchange::begin(peer, timeout)?;
    // memcached knows no clients.
    conversation.say(b"watch fetchers clients\r\n")?;
    if conversation.line()?.starts_with(b"ERROR") {
        conversation.say(b"watch fetchers\r\n")?;
        let answer = conversation.line()?;
        conversation.check(&answer)?;
    }
    Ok(conversation)
}

impl Hot {
    fn of(reads: HashMap<Vec<u8>, u64>, of: String) -> Hot {
        let mut prefixes = HashMap::<Vec<u8>, u64>::new();
        for (key, count) in &reads {
            let len = key.iter().position(|byte| b":/._".contains(byte)).map_or(key.len(), |at| at + 1);
            *prefixes.entry(key[..len].to_vec()).or_default() += count;
        }
        Hot { keys: most(reads), prefixes: most(prefixes), of }
    }
}

fn most(counts: HashMap<Vec<u8>, u64>) -> Vec<(Vec<u8>, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counts.truncate(SHOWN);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_add_up_and_the_most_come_first() {
        let reads = [("user:1", 3), ("user:2", 4), ("page", 5)].map(|(key, count)| (key.as_bytes().to_vec(), count));
        let hot = Hot::of(reads.into(), String::new());
        assert_eq!(hot.keys[0], (b"page".to_vec(), 5));
        assert_eq!(hot.prefixes, [(b"user:".to_vec(), 7), (b"page".to_vec(), 5)]);
    }
}

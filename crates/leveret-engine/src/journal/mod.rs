//! The journal: the operations of processes on an arena, for watchers.
//!
//! It is a ring in shared memory that all processes write and any process may read. If no watcher has asked for a topic
//! within the last seconds, that topic costs one load of a word that does not change. A watcher must ask again and
//! again: the request of a killed watcher expires.
//!
//! A writer draws a number, which is also its place in the ring, and writes there, whether or not the old entry was
//! read. No writer waits for a watcher, and a fast burst overwrites the oldest entries. An entry has a checksum over
//! its words and its number, and a reader accepts nothing without it: neither an entry half written by a killed process
//! nor a mix of two writers that were a whole ring apart. So the order of loads and stores does not matter here.
pub(crate) mod reader;

use crate::core::Core;
use crate::found::{Found, Missed};
use crate::map::layout::{JournalRing, ENTRY_WORDS, JOURNAL_ENTRIES, TOPICS};
use crate::pid::process_id;
use crate::program::Program;
use crate::sync::Ordering;
use crate::time::{self, Deadline, Time};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Words of an entry before its key.
const FRONT: usize = 5;
pub(crate) const ENTRY_BYTES: usize = ENTRY_WORDS * 8;
/// Of longer keys an entry has the beginning.
const KEY_MAX: usize = (ENTRY_WORDS - FRONT) * 8;

/// Topics that a watcher can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
#[non_exhaustive]
pub enum Topic {
    /// `Action::Read`
    Reads = 0,
    /// `Action::Store`
    Stores = 1,
    /// `Action::Deleted`
    Deletes = 2,
    /// `Action::Evicted`
    Evictions = 3,
}

const _: () = assert!(Topic::Evictions as usize + 1 == TOPICS);

/// Action of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// It has looked for an item, and found it, or why not.
    Read(Result<(), Missed>),
    /// It has tried to store.
    Store(ModeKind, StoreOutcome),
    /// It has removed an item.
    Deleted,
    /// Its store has let an item go, which was read before, or was not.
    Evicted(bool),
}

/// How it was to be stored: as a `Mode`, without its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeKind {
    /// Always.
    Set,
    /// When there is no item.
    Add,
    /// When there is one.
    Replace,
    /// Behind the value that is there.
    Append,
    /// Before it.
    Prepend,
    /// When it is a certain version: `Mode::Cas`, and each of the first three with `Terms::compare`.
    Cas,
}

/// How a store ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreOutcome {
    /// The value is there.
    Stored,
    /// There is an item, or another version.
    Exists,
    /// There is no item.
    Missing,
    /// The value is longer than the arena takes.
    TooLarge,
    /// There was no memory, or no lock.
    Failed,
}

/// An entry of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'k> {
    /// The action.
    pub action: Action,
    /// When, in microseconds of Unix time.
    pub micros: u64,
    /// With which item. Of keys of more than 272 bytes the beginning.
    pub key: &'k [u8],
    /// Bytes of the value; 0 where there is none.
    pub value_len: u64,
    /// When the item was stored.
    pub mtime: Time,
    /// From when on it is dead, to the second.
    pub deadline: Deadline,
    /// The process, by its number in its own namespace.
    pub pid: u32,
    /// What that process is.
    pub program: Program,
}

/// Whether a watcher has asked for a topic lately.
#[inline]
pub(crate) fn is_watched(core: &Core, topic: Topic) -> bool {
    core.control().watched[topic as usize].load(Ordering::Relaxed) != 0
}

/// Tells of a look for an item.
#[cold]
pub(crate) fn tell_read(core: &Core, key: &[u8], is_there: bool, found: &Found, now: Time) {
    let action = Action::Read(if is_there { Ok(()) } else { Err(found.missed()) });
    let item = if is_there { *found } else { Found::default() };
    tell(core, Topic::Reads, action, key, &item, now);
}

/// Records an action with an item, if a watcher still asks for the topic.
#[cold]
pub(crate) fn tell(core: &Core, topic: Topic, action: Action, key: &[u8], item: &Found, now: Time) {
    let until = &core.control().watched[topic as usize];
    let seen = until.load(Ordering::Relaxed);
    if seen <= now.0 {
        // Fails if a watcher asks at this moment.
        let _ = until.compare_exchange(seen, 0, Ordering::Relaxed, Ordering::Relaxed);
        return;
    }
    if core.is_unwatched.load(Ordering::Relaxed) {
        return;
    }
    let Some(ring) = core.journal() else { return };
    let (value_len, mtime, deadline) = (item.value_len, item.mtime, item.deadline);
    let (micros, pid, program) = (time::unix_micros(), process_id(), Program::of_this_process());
    put(ring, &Entry { action, micros, key, value_len, mtime, deadline, pid, program });
}

/// Puts an entry in the place of the oldest one.
pub(crate) fn put(ring: &JournalRing, entry: &Entry<'_>) {
    let number = ring.begun.fetch_add(1, Ordering::Relaxed);
    let mut bytes = [0; ENTRY_BYTES];
    let bytes = encode(entry, &mut bytes);
    let place = &ring.entries[(number % JOURNAL_ENTRIES as u64) as usize];
    place.checksum.store(xxh3_64_with_seed(bytes, number), Ordering::Relaxed);
    for (cell, word) in place.words.iter().zip(bytes.chunks_exact(8)) {
        cell.store(u64::from_ne_bytes(word.try_into().expect("eight bytes")), Ordering::Relaxed);
    }
}

fn encode<'b>(entry: &Entry<'_>, bytes: &'b mut [u8; ENTRY_BYTES]) -> &'b [u8] {
    let key = &entry.key[..entry.key.len().min(KEY_MAX)];
    let (what, detail) = numbers_of(entry.action);
    let front = [
        key.len() as u64 | u64::from(what) << 16 | u64::from(detail) << 24 | u64::from(entry.program as u32) << 32,
        entry.micros,
        entry.value_len,
        u64::from(entry.mtime.0) | u64::from(entry.deadline.second) << 32,
        u64::from(entry.pid),
    ];
    for (piece, word) in bytes.chunks_exact_mut(8).zip(front) {
        piece.copy_from_slice(&word.to_ne_bytes());
    }
    bytes[FRONT * 8..FRONT * 8 + key.len()].copy_from_slice(key);
    &bytes[..used(key.len())]
}

/// Bytes of an entry with a key of `key_len` bytes.
fn used(key_len: usize) -> usize {
    (FRONT + key_len.div_ceil(8)) * 8
}

/// The entry of this number, if it is whole.
pub(crate) fn get<'b>(ring: &JournalRing, number: u64, bytes: &'b mut [u8; ENTRY_BYTES]) -> Option<Entry<'b>> {
    let place = &ring.entries[(number % JOURNAL_ENTRIES as u64) as usize];
    let checksum = place.checksum.load(Ordering::Relaxed);
    let first = place.words[0].load(Ordering::Relaxed);
    let key_len = usize::from(first as u16);
    if key_len > KEY_MAX {
        return None;
    }
    let bytes = &mut bytes[..used(key_len)];
    bytes[..8].copy_from_slice(&first.to_ne_bytes());
    for (piece, cell) in bytes.chunks_exact_mut(8).zip(&place.words).skip(1) {
        piece.copy_from_slice(&cell.load(Ordering::Relaxed).to_ne_bytes());
    }
    if xxh3_64_with_seed(bytes, number) != checksum {
        return None;
    }
    let bytes = &*bytes;
    let word = |at: usize| u64::from_ne_bytes(bytes[at * 8..at * 8 + 8].try_into().expect("eight bytes"));
    Some(Entry {
        action: action_of((first >> 16) as u8, (first >> 24) as u8)?,
        micros: word(1),
        key: &bytes[FRONT * 8..FRONT * 8 + key_len],
        value_len: word(2),
        mtime: Time(word(3) as u32),
        deadline: Deadline::of_second((word(3) >> 32) as u32),
        pid: word(4) as u32,
        program: Program::of_number((first >> 32) as u32),
    })
}

const WAYS: [ModeKind; 6] =
    [ModeKind::Set, ModeKind::Add, ModeKind::Replace, ModeKind::Append, ModeKind::Prepend, ModeKind::Cas];
const ENDINGS: [StoreOutcome; 5] =
    [StoreOutcome::Stored, StoreOutcome::Exists, StoreOutcome::Missing, StoreOutcome::TooLarge, StoreOutcome::Failed];

/// An action in two bytes.
fn numbers_of(action: Action) -> (u8, u8) {
    match action {
        Action::Read(Ok(())) => (0, 0),
        Action::Read(Err(missed)) => (1, missed as u8),
        Action::Store(way, ending) => (2, way as u8 | (ending as u8) << 4),
        Action::Deleted => (3, 0),
        Action::Evicted(was_read) => (4, u8::from(was_read)),
    }
}

fn action_of(what: u8, detail: u8) -> Option<Action> {
    Some(match what {
        0 => Action::Read(Ok(())),
        1 => Action::Read(Err(match detail {
            1 => Missed::Expired,
            2 => Missed::Flushed,
            _ => Missed::Absent,
        })),
        2 => Action::Store(*WAYS.get(usize::from(detail & 15))?, *ENDINGS.get(usize::from(detail >> 4))?),
        3 => Action::Deleted,
        4 => Action::Evicted(detail != 0),
        _ => return None,
    })
}

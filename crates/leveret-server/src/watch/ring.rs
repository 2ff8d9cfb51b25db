//! A worker's events on their way to the sending thread: one thread puts events in, one takes them out, and neither
//! waits for the other. Events without room are counted and lost.
use super::{Event, EventKind};
use leveret_engine::Program;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Words of a ring: 512 KiB, some ten thousand events. A worker that shares its CPU with the thread that takes them out is
/// not always stopped at once where that has something to do.
pub const WORDS: usize = 64 << 10;

/// Words of an event before its key.
const FRONT: usize = 4;

/// Longest key in an event: what two bytes can say of its length. PHP's and Ruby's items have keys longer than memcached's.
const KEY_MAX: usize = u16::MAX as usize;

/// Bits of a size; those above tell the database.
const SIZE_BITS: u32 = 56;
const SIZE_MAX: u64 = (1 << SIZE_BITS) - 1;

/// Events of one thread.
pub struct EventRing {
    words: Box<[AtomicU64; WORDS]>,
    /// Words ever put in. The producer stores it with Release when an event is complete.
    written: Padded,
    /// Words ever taken out. The consumer stores it with Release after it has read them.
    read: Padded,
    /// Events that found no room.
    dropped: AtomicU64,
}

/// Two threads write next to each other without sharing a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

impl EventRing {
    pub fn new() -> EventRing {
        let words: Box<[AtomicU64]> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        EventRing {
            words: words.try_into().expect("there are as many"),
            written: Padded::default(),
            read: Padded::default(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Puts an event in. Called by one thread at a time. Returns whether the ring begins to be full.
    pub fn put(&self, micros: u64, event: &Event<'_>) -> bool {
        let written = self.written.0.load(Relaxed);
        let used = (written - self.read.0.load(Acquire)) as usize;
        let key = &event.key[..event.key.len().min(KEY_MAX)];
        let len = FRONT + key.len().div_ceil(8);
        if used + len > WORDS {
            self.dropped.fetch_add(1, Relaxed);
            return true;
        }
        let mut at = written;
        let mut push = |word: u64| {
            self.words[at as usize % WORDS].store(word, Relaxed);
            at += 1;
        };
        let by = event.by.map_or(0, |program| program as u64 + 1);
        let codes = u64::from(event.kind as u8) << 16
            | u64::from(event.status) << 20
            | u64::from(event.cmd & 15) << 24
            | (by & 15) << 28;
        push(key.len() as u64 | codes | u64::from(event.cfd as u32) << 32);
        push(micros);
        push((event.size & SIZE_MAX) | u64::from(event.database) << SIZE_BITS);
        push(u64::from(event.ttl) | u64::from(event.idle) << 32);
        let mut rest = key;
        while let Some((piece, after)) = rest.split_first_chunk() {
            push(u64::from_ne_bytes(*piece));
            rest = after;
        }
        if !rest.is_empty() {
            let mut piece = [0; 8];
            piece[..rest.len()].copy_from_slice(rest);
            push(u64::from_ne_bytes(piece));
        }
        self.written.0.store(at, Release);
        used > WORDS / 4
    }

    /// The waiting events. Called by one thread at a time.
    pub fn waiting(&self) -> Waiting<'_> {
        Waiting { ring: self, at: self.read.0.load(Relaxed), end: self.written.0.load(Acquire), last: 0 }
    }

    /// Drops the waiting events.
    pub fn clear(&self) {
        self.read.0.store(self.written.0.load(Acquire), Release);
    }

    /// Events lost so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }
}

/// Events of a ring, oldest first. Dropping this frees the room of the events taken.
pub struct Waiting<'r> {
    ring: &'r EventRing,
    at: u64,
    end: u64,
    last: u64,
}

impl Waiting<'_> {
    /// When the next one happened; never before the one before it, though the clock be set back.
    #[inline]
    pub fn micros(&self) -> Option<u64> {
        (self.at < self.end).then(|| self.word(1).max(self.last))
    }

    /// Takes the next one out; there must be one. Its key is put into `key`.
    #[inline]
    pub fn take<'k>(&mut self, key: &'k mut Vec<u8>) -> (u64, Event<'k>) {
        let (front, micros, size, times) = (self.word(0), self.word(1), self.word(2), self.word(3));
        let key_len = usize::from(front as u16);
        let words = key_len.div_ceil(8);
        key.clear();
        key.reserve(words * 8);
        for number in 0..words {
            key.extend_from_slice(&self.word(FRONT + number).to_ne_bytes());
        }
        self.at += (FRONT + words) as u64;
        self.last = micros.max(self.last);
        let event = Event {
            kind: EventKind::ALL[(front >> 16 & 15) as usize % EventKind::ALL.len()],
            key: &key[..key_len],
            status: (front >> 20 & 15) as u8,
            cmd: (front >> 24 & 15) as u8,
            size: size & SIZE_MAX,
            ttl: times as u32,
            idle: (times >> 32) as u32,
            cfd: (front >> 32) as i32,
            database: (size >> SIZE_BITS) as u8,
            by: ((front >> 28 & 15) as usize).checked_sub(1).and_then(|number| Program::ALL.get(number).copied()),
        };
        (self.last, event)
    }

    #[inline]
    fn word(&self, number: usize) -> u64 {
        self.ring.words[(self.at as usize + number) % WORDS].load(Relaxed)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.ring.read.0.store(self.at, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(key: &[u8], size: u64) -> Event<'_> {
        let by = (size % 2 == 0).then_some(Program::Ruby);
        Event {
            kind: EventKind::Get,
            key,
            status: 1,
            cmd: 3,
            size,
            ttl: u32::MAX,
            idle: 9,
            cfd: -7,
            database: (size % 32) as u8,
            by,
        }
    }

    fn take_all(ring: &EventRing, mut each: impl FnMut(u64, &Event<'_>)) {
        let (mut waiting, mut key) = (ring.waiting(), Vec::new());
        while waiting.micros().is_some() {
            let (micros, event) = waiting.take(&mut key);
            each(micros, &event);
        }
    }

    #[test]
    fn what_is_put_in_comes_out_in_order_and_whole() {
        let ring = EventRing::new();
        let mut next = 0u64;
        // Several times around, in batches of all lengths.
        for batch in 0..3000u64 {
            let first = next;
            for number in first..first + batch % 40 {
                let key = vec![number as u8; (number % 256) as usize];
                ring.put(number, &event(&key, number * 3));
            }
            take_all(&ring, |micros, event| {
                assert_eq!((micros, event.size), (next, next * 3));
                assert_eq!((event.kind, event.status, event.cmd), (EventKind::Get, 1, 3));
                assert_eq!((event.ttl, event.idle, event.cfd), (u32::MAX, 9, -7));
                assert_eq!(u64::from(event.database), next * 3 % 32);
                assert_eq!(event.by, (next * 3 % 2 == 0).then_some(Program::Ruby));
                assert_eq!(event.key, vec![next as u8; (next % 256) as usize]);
                next += 1;
            });
            assert_eq!(next, first + batch % 40);
        }
        assert_eq!(ring.dropped(), 0);
    }

    #[test]
    fn a_full_ring_loses_and_counts_what_comes() {
        let ring = EventRing::new();
        for number in 0..WORDS as u64 {
            ring.put(number, &event(b"12345678", 0));
        }
        let mut taken = 0;
        take_all(&ring, |micros, _| {
            assert_eq!(micros, taken);
            taken += 1;
        });
        assert_eq!(taken + ring.dropped(), WORDS as u64);
        assert!(taken > 1000);
    }

    #[test]
    fn two_threads_agree() {
        let ring = EventRing::new();
        const EVENTS: u64 = 200_000;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..EVENTS {
                    ring.put(number, &event(&number.to_ne_bytes(), 0));
                }
            });
            let mut last = None;
            let mut taken = 0;
            while taken + ring.dropped() < EVENTS {
                take_all(&ring, |micros, event| {
                    assert_eq!(event.key, micros.to_ne_bytes());
                    assert!(last < Some(micros));
                    last = Some(micros);
                    taken += 1;
                });
                std::thread::yield_now();
            }
        });
    }
}

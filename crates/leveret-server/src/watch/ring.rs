//! What a worker has to tell, on its way to the thread that tells it: one thread puts events in, one takes them out,
//! and neither waits for the other. What finds no room is counted and lost.
use super::Event;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Words of a ring: 256 KiB, some thousand events.
const WORDS: usize = 32 << 10;

/// Words of an event before its key.
const FRONT: usize = 5;

/// Events of one thread.
pub struct Ring {
    words: Box<[AtomicU64]>,
    /// Words that were ever put in. Stored with Release by the one who puts in, when an event is whole.
    written: Padded,
    /// Words that were ever taken out. Stored with Release by the one who takes out, after it has read them.
    read: Padded,
    /// Events that found no room.
    dropped: AtomicU64,
}

/// Two threads write next to each other without sharing a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

impl Ring {
    pub fn new() -> Ring {
        Ring {
            words: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            written: Padded::default(),
            read: Padded::default(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Puts an event in. Called by one thread at a time. Returns whether the ring begins to be full.
    pub fn put(&self, micros: u64, event: &Event<'_>) -> bool {
        let written = self.written.0.load(Relaxed);
        let used = (written - self.read.0.load(Acquire)) as usize;
        let len = FRONT + event.key.len().div_ceil(8);
        if used + len > WORDS {
            self.dropped.fetch_add(1, Relaxed);
            return true;
        }
        let mut at = written;
        let mut push = |word: u64| {
            self.words[at as usize % WORDS].store(word, Relaxed);
            at += 1;
        };
        let codes = [event.kind as u8, event.status, event.cmd, 0].map(u64::from);
        push(event.key.len() as u64 | codes[0] << 32 | codes[1] << 40 | codes[2] << 48);
        push(micros);
        push(event.size);
        push(event.ttl as u64);
        push(u64::from(event.cfd as u32) | u64::from(event.idle) << 32);
        for piece in event.key.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            push(u64::from_ne_bytes(bytes));
        }
        self.written.0.store(at, Release);
        used > WORDS / 4
    }

    /// Takes out what is there. Called by one thread at a time.
    pub fn take(&self, key: &mut Vec<u8>, mut each: impl FnMut(u64, &Event<'_>)) {
        let mut at = self.read.0.load(Relaxed);
        let written = self.written.0.load(Acquire);
        while at < written {
            let mut pop = || {
                at += 1;
                self.words[(at - 1) as usize % WORDS].load(Relaxed)
            };
            let (front, micros, size, ttl, rest) = (pop(), pop(), pop(), pop(), pop());
            let key_len = front as u32 as usize;
            key.clear();
            (0..key_len.div_ceil(8)).for_each(|_| key.extend_from_slice(&pop().to_ne_bytes()));
            key.truncate(key_len);
            let event = Event {
                kind: super::EventKind::ALL[(front >> 32) as u8 as usize % super::EventKind::ALL.len()],
                key,
                status: (front >> 40) as u8,
                cmd: (front >> 48) as u8,
                size,
                ttl: ttl as i64,
                idle: (rest >> 32) as u32,
                cfd: rest as u32 as i32,
            };
            each(micros, &event);
        }
        self.read.0.store(at, Release);
    }

    /// Events that have found no room so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::EventKind;
    use super::*;

    fn event(key: &[u8], size: u64) -> Event<'_> {
        Event { kind: EventKind::Get, key, status: 1, cmd: 3, size, ttl: -1, idle: 9, cfd: 7 }
    }

    #[test]
    fn what_is_put_in_comes_out_in_order_and_whole() {
        let ring = Ring::new();
        let mut next = 0u64;
        // Several times around, in batches of all lengths.
        for batch in 0..3000u64 {
            let first = next;
            for number in first..first + batch % 40 {
                let key = vec![number as u8; (number % 251) as usize];
                ring.put(number, &event(&key, number * 3));
            }
            ring.take(&mut Vec::new(), |micros, event| {
                assert_eq!((micros, event.size), (next, next * 3));
                assert_eq!((event.kind, event.status, event.cmd), (EventKind::Get, 1, 3));
                assert_eq!((event.ttl, event.idle, event.cfd), (-1, 9, 7));
                assert_eq!(event.key, vec![next as u8; (next % 251) as usize]);
                next += 1;
            });
            assert_eq!(next, first + batch % 40);
        }
        assert_eq!(ring.dropped(), 0);
    }

    #[test]
    fn a_full_ring_loses_and_counts_what_comes() {
        let ring = Ring::new();
        for number in 0..WORDS as u64 {
            ring.put(number, &event(b"12345678", 0));
        }
        let mut taken = 0;
        ring.take(&mut Vec::new(), |micros, _| {
            assert_eq!(micros, taken);
            taken += 1;
        });
        assert_eq!(taken + ring.dropped(), WORDS as u64);
        assert!(taken > 1000);
    }

    #[test]
    fn two_threads_agree() {
        let ring = Ring::new();
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
                ring.take(&mut Vec::new(), |micros, event| {
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

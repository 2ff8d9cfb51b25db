//! A torture worker's work on keys that everybody writes. Values describe themselves, so a torn or foreign one is seen;
//! numbers and cas chains only ever grow, so a lost update is seen; a lease has one holder.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use leveret_engine::{Arena, Counted, Deadline, Delta, Lease, Meta, Mode, ReadOptions, Stored, Time, Value};

use crate::oracle::Ledger;
use crate::own::Trouble;
use crate::rng::Rng;
use crate::values::{self, show};

const VALUES: u64 = 300;
const GROWING: u64 = 16;
const LARGE: u64 = 4;
const LEASES: u64 = 8;
const APPENDED_MAX: u64 = 10_000;

/// A position in the life of a growing key: which life, how far, and by which worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    life: u32,
    height: u32,
    by: u64,
}

/// This worker's view of the growing keys.
#[derive(Debug, Default)]
struct Seen {
    last: Option<Mark>,
    lives_before: HashSet<u32>,
}

/// The worker's memory of shared keys.
pub struct SharedKeys {
    /// A number of its own, also among the workers of its slot.
    me: u64,
    large_max: u64,
    rng: Rng,
    seen: HashMap<Vec<u8>, Seen>,
}

impl Seen {
    /// Judges a key's value. `grown`: it is this worker's own step, so it must be higher than all earlier ones.
    fn judge(&mut self, key: &[u8], mark: Mark, grown: bool) -> Result<(), Trouble> {
        if self.lives_before.contains(&mark.life) {
            return Err(Trouble::Lie(format!("{} has its earlier life {:x} again", show(key), mark.life)));
        }
        if let Some(last) = self.last.filter(|last| last.life == mark.life) {
            let fell = mark.height < last.height || (grown && mark.height == last.height);
            if fell || (mark.height == last.height && mark.by != last.by) {
                return Err(Trouble::Lie(format!(
                    "{} was at {last:?} and is at {mark:?}: an update was lost",
                    show(key)
                )));
            }
        }
        if let Some(last) = self.last.replace(mark).filter(|last| last.life != mark.life) {
            self.lives_before.insert(last.life);
        }
        Ok(())
    }
}

impl SharedKeys {
    /// A new worker.
    pub fn new(mut rng: Rng, memory: u64) -> SharedKeys {
        SharedKeys { me: rng.bits() >> 1, large_max: memory / 24, rng, seen: HashMap::new() }
    }

    /// One operation.
    pub fn step(&mut self, arena: &Arena, ledger: &Ledger) -> Result<(), Trouble> {
        match self.rng.below(20) {
            0..=2 => self.count(arena),
            3..=5 => self.chain(arena),
            6 => self.lease(arena, ledger),
            7 => self.large(arena),
            _ => self.value(arena),
        }
    }

    fn frame(&mut self, key: &[u8], len: u64) -> Vec<u8> {
        values::frame(key, self.me, self.rng.below(1000), len as usize)
    }

    fn value(&mut self, arena: &Arena) -> Result<(), Trouble> {
        let key = format!("shared:value:{}", self.rng.below(VALUES)).into_bytes();
        let now = Time::now();
        let len = if self.rng.one_in(20) { self.rng.below(APPENDED_MAX) } else { self.rng.below(400) };
        let deadline =
            if self.rng.one_in(4) { Deadline::after(now, self.rng.between(1, 3) as u32) } else { Deadline::NEVER };
        let mode = match self.rng.below(16) {
            0..=5 => return check(&key, arena.get(&key, now).map(|item| item.value)),
            6 => return check(&key, arena.get_and_touch(&key, deadline, now)?.map(|item| item.value)),
            7 => return Ok(arena.touch(&key, deadline, now).map(|_| ())?),
            8 => return Ok(arena.delete(&key, now).map(|_| ())?),
            9 => Mode::Add,
            10 => Mode::Replace,
            // An arena of appended values only would soon be nothing but large ones.
            mode @ (11 | 12) if arena.peek(&key, now).is_some_and(|found| found.value_len < APPENDED_MAX) => {
                if mode == 11 {
                    Mode::Append
                } else {
                    Mode::Prepend
                }
            }
            _ => Mode::Set,
        };
        let value = self.frame(&key, len);
        arena.store(&key, Value::Bytes(&value), Meta::default(), deadline, mode, now)?;
        Ok(())
    }

    fn large(&mut self, arena: &Arena) -> Result<(), Trouble> {
        let key = format!("shared:large:{}", self.rng.below(LARGE)).into_bytes();
        let now = Time::now();
        match self.rng.below(4) {
            0 => {
                let len = self.rng.between(30_000, self.large_max);
                let value = self.frame(&key, len);
                Ok(arena.set(&key, &value, Deadline::NEVER, now)?)
            }
            1 if self.rng.one_in(4) => Ok(arena.delete(&key, now).map(|_| ())?),
            _ => check(&key, arena.get(&key, now).map(|item| item.value)),
        }
    }

    fn count(&mut self, arena: &Arena) -> Result<(), Trouble> {
        let key = format!("shared:count:{}", self.rng.below(GROWING)).into_bytes();
        let now = Time::now();
        // A life of its own for an evicted counter: its restart must not look like the old one going backwards.
        let initial = (self.rng.below(1 << 31) << 32, Deadline::NEVER);
        let mark = |value: u64| Mark { life: (value >> 32) as u32, height: value as u32, by: 0 };
        let (value, grown) = if self.rng.one_in(3) {
            match arena.get(&key, now) {
                None => return Ok(()),
                Some(item) => (parse_count(&key, &item.value)?, false),
            }
        } else {
            match arena.count(&key, Delta::Increment(1), Some(initial), now)? {
                Counted::Value(value) => (value, true),
                other => return Err(Trouble::Lie(format!("counting {} answered {other:?}", show(&key)))),
            }
        };
        self.seen.entry(key.clone()).or_default().judge(&key, mark(value), grown)
    }

    /// Reads a value with its cas and writes its successor: only one of several writers may succeed.
    fn chain(&mut self, arena: &Arena) -> Result<(), Trouble> {
        let key = format!("shared:chain:{}", self.rng.below(GROWING)).into_bytes();
        let now = Time::now();
        let Some(item) = arena.get_with(&key, ReadOptions::new().with_cas(), now)? else {
            let life = self.rng.below(1 << 31);
            let value = values::frame(&key, self.me, life << 32, 20);
            arena.store(&key, Value::Bytes(&value), Meta::default(), Deadline::NEVER, Mode::Add, now)?;
            return Ok(());
        };
        let frames = values::frames_of(&key, &item.value)?;
        let (counter, by) = (frames[0].counter, frames[0].writer);
        let mark = Mark { life: (counter >> 32) as u32, height: counter as u32, by };
        self.seen.entry(key.clone()).or_default().judge(&key, mark, false)?;
        let len = self.rng.below(300) as usize;
        let next = values::frame(&key, self.me, counter + 1, len);
        let stored =
            arena.store(&key, Value::Bytes(&next), Meta::default(), Deadline::NEVER, Mode::Cas(item.cas), now)?;
        if matches!(stored, Stored::Stored { .. }) {
            let mark = Mark { height: mark.height + 1, by: self.me, ..mark };
            self.seen.entry(key.clone()).or_default().judge(&key, mark, true)?;
        }
        Ok(())
    }

    fn lease(&mut self, arena: &Arena, ledger: &Ledger) -> Result<(), Trouble> {
        let index = self.rng.below(LEASES);
        let Lease::Granted(ticket) = arena.lease(format!("lease:{index}").as_bytes(), Duration::ZERO) else {
            return Ok(());
        };
        ledger.hold_lease(index, self.me);
        std::thread::sleep(Duration::from_micros(self.rng.below(300)));
        let holder = ledger.lease_holder(index);
        arena.release(&ticket);
        if holder != self.me {
            return Err(Trouble::Lie(format!("lease {index} was given to {holder} while {} held it", self.me)));
        }
        Ok(())
    }
}

fn check(key: &[u8], value: Option<Vec<u8>>) -> Result<(), Trouble> {
    value.map_or(Ok(()), |value| Ok(values::frames_of(key, &value).map(|_| ())?))
}

fn parse_count(key: &[u8], value: &[u8]) -> Result<u64, Trouble> {
    let text = std::str::from_utf8(value).map(str::trim_end).unwrap_or("");
    text.parse().map_err(|_| Trouble::Lie(format!("counter {} holds {}", show(key), show(value))))
}

/// Whether a value that was met on a walk can stand under this shared key.
pub fn is_plausible(key: &[u8], value: &[u8]) -> Result<(), String> {
    if key.starts_with(b"shared:count:") {
        return match parse_count(key, value) {
            Err(Trouble::Lie(lie)) => Err(lie),
            _ => Ok(()),
        };
    }
    values::frames_of(key, value).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_follow_what() {
        let mark = |life, height, by| Mark { life, height, by };
        let mut seen = Seen::default();
        for (mark, grown, is_fine) in [
            (mark(1, 5, 9), false, true),
            (mark(1, 5, 9), false, true),
            (mark(1, 6, 8), true, true),
            (mark(1, 6, 7), false, false),
            (mark(1, 6, 8), true, false),
            (mark(1, 5, 9), false, false),
            (mark(2, 0, 9), false, true),
            (mark(1, 7, 9), false, false),
        ] {
            assert_eq!(seen.judge(b"key", mark, grown).is_ok(), is_fine, "{mark:?}");
        }
    }
}

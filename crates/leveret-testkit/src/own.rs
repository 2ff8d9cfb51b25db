//! A torture worker's work on the keys that only it writes, each step judged by what the oracle knows.

use std::time::{Duration, Instant};

use leveret_engine::{Deadline, Error, Time};

use crate::oracle::{ChangeKind, Counts, KeyRecord, KeyVersion, Ledger, BUCKETS, KEYS};
use crate::rng::Rng;
use crate::stores::KeyStore;
use crate::values::{self, show};

/// Use of a key; by its number, so that every worker of a slot agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Counted in place.
    Counter,
    /// Appended to.
    Appended,
    /// Holds values of several segments.
    Large,
    /// Holds small values, some with a lifetime.
    Small,
}

impl Use {
    fn of(key: u64) -> Use {
        match key {
            0..=9 => Use::Counter,
            10..=19 => Use::Appended,
            20..=23 => Use::Large,
            _ => Use::Small,
        }
    }
}

/// Longer appended values start again.
const APPENDED_MAX: usize = 6000;
/// Steps between two notes of counts and latencies; a slow step is noted at once.
const NOTE_EVERY: u64 = 32;
const SLOW: Duration = Duration::from_millis(2);

/// The worker of one slot, on a store.
pub struct Own<S> {
    /// The store itself, for work on other keys.
    pub store: S,
    ledger: Ledger,
    slot: u64,
    large_max: u64,
    rng: Rng,
    records: Vec<KeyRecord>,
    next: Vec<u64>,
    counts: Counts,
    latencies: [u64; BUCKETS],
}

/// The bytes of an own key.
pub fn own_key(slot: u64, key: u64) -> Vec<u8> {
    format!("own:{slot}:{key}").into_bytes()
}

/// The slot and number that an own key's bytes name.
pub fn parse_own_key(key: &[u8]) -> Option<(u64, u64)> {
    let (slot, number) = std::str::from_utf8(key).ok()?.strip_prefix("own:")?.split_once(':')?;
    Some((slot.parse().ok()?, number.parse().ok()?))
}

/// Which version an own key's value is. The error says how the value is damaged.
pub fn version_of(number: u64, key: &[u8], value: &[u8]) -> Result<u64, String> {
    if Use::of(number) == Use::Counter {
        let text = std::str::from_utf8(value).map(str::trim_end).unwrap_or("");
        return text.parse().map_err(|_| format!("counter {} holds {}", show(key), show(value)));
    }
    let frames = values::frames_of(key, value)?;
    if let Some(pair) = frames.windows(2).find(|pair| pair[1].counter != pair[0].counter + 1) {
        return Err(format!("{} has pieces {} and {} side by side", show(key), pair[0].counter, pair[1].counter));
    }
    Ok(frames[frames.len() - 1].counter)
}

impl<S: KeyStore> Own<S> {
    /// Takes over a slot.
    pub fn new(store: S, ledger: Ledger, slot: u64, memory: u64, rng: Rng) -> Own<S> {
        let records: Vec<_> = (0..KEYS).map(|key| ledger.record(slot, key)).collect();
        let next = records.iter().map(|record| record.intent.counter.max(record.acked.counter) + 1).collect();
        let (counts, latencies) = (ledger.counts(slot), ledger.latencies(slot));
        Own { store, ledger, slot, large_max: memory / 32, rng, records, next, counts, latencies }
    }

    /// The shared file.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// One operation, measured and judged.
    pub fn step(&mut self) -> Result<(), String> {
        let key = self.rng.below(KEYS);
        let begun = Instant::now();
        let answer = self.work(key);
        let took = begun.elapsed();
        self.latencies[(took.as_nanos().max(1) as u64).ilog2() as usize + 1] += 1;
        self.done(answer, took)
    }

    /// Counts an operation, also one on another key. Refusals are counted too, and are no failures.
    pub fn done(&mut self, answer: Result<(), Trouble>, took: Duration) -> Result<(), String> {
        self.counts.operations += 1;
        match answer {
            Ok(()) => {}
            Err(Trouble::Refused(Error::Busy)) => self.counts.busy += 1,
            Err(Trouble::Refused(Error::NoMemory)) => self.counts.no_memory += 1,
            Err(Trouble::Refused(error)) => return Err(format!("an operation failed: {error}")),
            Err(Trouble::Lie(lie)) => return Err(lie),
        }
        if self.counts.operations % NOTE_EVERY == 0 || took > SLOW {
            self.ledger.set_counts(self.slot, self.counts);
            self.ledger.set_latencies(self.slot, &self.latencies);
        }
        Ok(())
    }

    /// Reads every key once more.
    pub fn check_all(&mut self) -> Result<(), String> {
        (0..KEYS).try_for_each(|key| self.check(key))
    }

    fn work(&mut self, key: u64) -> Result<(), Trouble> {
        self.check(key)?;
        match (Use::of(key), self.rng.below(10)) {
            (_, 0..=3) => Ok(()),
            (_, 4) => self.delete(key),
            (Use::Counter, _) => self.count(key),
            (Use::Appended, 5..=8) => self.append(key),
            (_, 5) => self.touch(key),
            _ => self.set(key),
        }
    }

    /// Reads a key and judges the result. An operation that a kill left open is closed by it.
    fn check(&mut self, key: u64) -> Result<(), String> {
        let name = own_key(self.slot, key);
        let (flushed, now) = (self.store.flushes_done(&self.ledger), Time::now());
        let got = self.store.get(&name, now);
        let record = self.records[key as usize];
        let open = record.intent.counter > record.acked.counter;
        match got {
            Some(value) => {
                let counter = version_of(key, &name, &value)?;
                record.judge(counter, flushed, now).map_err(|why| format!("{}: {why}", show(&name)))?;
                if open {
                    let seen = if counter == record.intent.counter { record.intent } else { record.acked };
                    self.close(key, seen);
                }
            }
            // Deleted, or forgotten: either way none of the two may be seen again.
            None if open => {
                self.close(key, KeyVersion { counter: record.intent.counter, kind: ChangeKind::Gone, deadline: 0 })
            }
            None => {}
        }
        Ok(())
    }

    fn begin(&mut self, key: u64, kind: ChangeKind, counter: u64, deadline: u32) -> KeyVersion {
        let intent = KeyVersion { counter, kind, deadline };
        self.records[key as usize].intent = intent;
        self.next[key as usize] = self.next[key as usize].max(counter + 1);
        self.ledger.intend(self.slot, key, intent);
        intent
    }

    /// The operation was acknowledged, or is known not to have happened: from now on the key has this version.
    fn close(&mut self, key: u64, version: KeyVersion) {
        let record = &mut self.records[key as usize];
        if record.acked != version {
            // Read after the answer: only a flush that begins later must remove this version.
            *record = KeyRecord { acked: version, flushes: self.ledger.flushes_begun(), ..*record };
            self.ledger.acknowledge(self.slot, key, *record);
        }
        if record.intent != version {
            record.intent = version;
            self.ledger.intend(self.slot, key, version);
        }
    }

    /// A refused operation has changed nothing; only a set without room has removed the item that it was to replace.
    fn refuse<T>(&mut self, key: u64, answer: Result<T, Error>) -> Result<T, Trouble> {
        answer.map_err(|error| {
            self.close(key, self.records[key as usize].acked);
            Trouble::Refused(error)
        })
    }

    /// An answer that says there is an item is a lie when it is known that there is none.
    fn believe(&self, key: u64, what: &str, was_there: bool) -> Result<(), Trouble> {
        let acked = self.records[key as usize].acked;
        if was_there && acked.kind == ChangeKind::Gone {
            return Err(Trouble::Lie(format!(
                "{what} found {}, which is gone since operation {}",
                show(&own_key(self.slot, key)),
                acked.counter
            )));
        }
        Ok(())
    }

    fn set(&mut self, key: u64) -> Result<(), Trouble> {
        let (name, now) = (own_key(self.slot, key), Time::now());
        let len = match Use::of(key) {
            // Now and then the longest that the arena takes.
            Use::Large if self.rng.one_in(32) => 4 * self.large_max - 200,
            Use::Large => self.rng.between(10_000, self.large_max),
            // Up to what fills a segment: of those above a half or a third of it, one or two fit.
            _ if self.rng.one_in(10) => self.rng.below(33_000),
            _ => self.rng.below(700),
        };
        let deadline = if Use::of(key) == Use::Small && self.rng.one_in(5) {
            Deadline::after(now, self.rng.between(1, 3) as u32)
        } else {
            Deadline::NEVER
        };
        let version = self.begin(key, ChangeKind::There, self.next[key as usize], deadline.second());
        let value = values::frame(&name, self.slot, version.counter, len as usize);
        let answer = self.store.set(&name, &value, deadline, now);
        if answer == Err(Error::NoMemory) {
            self.close(key, KeyVersion { kind: ChangeKind::Gone, deadline: 0, ..version });
        }
        self.refuse(key, answer)?;
        self.close(key, version);
        Ok(())
    }

    fn delete(&mut self, key: u64) -> Result<(), Trouble> {
        let version = self.begin(key, ChangeKind::Gone, self.next[key as usize], 0);
        let answer = self.store.delete(&own_key(self.slot, key), Time::now());
        let was_there = self.refuse(key, answer)?;
        self.believe(key, "delete", was_there)?;
        self.close(key, version);
        Ok(())
    }

    fn append(&mut self, key: u64) -> Result<(), Trouble> {
        let name = own_key(self.slot, key);
        let is_full = self.store.get(&name, Time::now()).is_none_or(|value| value.len() > APPENDED_MAX);
        if is_full {
            return self.set(key);
        }
        // Pieces must follow each other, so the number after the one that is there.
        let version =
            self.begin(key, ChangeKind::There, self.records[key as usize].acked.counter + 1, Deadline::NEVER.second());
        let len = self.rng.below(300) as usize;
        let answer = self.store.append(&name, &values::frame(&name, self.slot, version.counter, len), Time::now());
        let was_there = self.refuse(key, answer)?;
        self.believe(key, "append", was_there)?;
        self.close(key, if was_there { version } else { KeyVersion { kind: ChangeKind::Gone, ..version } });
        Ok(())
    }

    fn touch(&mut self, key: u64) -> Result<(), Trouble> {
        let now = Time::now();
        let deadline = Deadline::after(now, self.rng.between(3, 6) as u32);
        let acked = self.records[key as usize].acked;
        if acked.kind == ChangeKind::There && acked.deadline < deadline.second() {
            // Noted before: killed in between, the later deadline is what may be seen.
            let record = KeyRecord {
                acked: KeyVersion { deadline: deadline.second(), ..acked },
                intent: KeyVersion { deadline: deadline.second(), ..acked },
                ..self.records[key as usize]
            };
            self.records[key as usize] = record;
            self.ledger.acknowledge(self.slot, key, record);
        } else if acked.kind == ChangeKind::There {
            return Ok(());
        }
        let was_there = self.store.touch(&own_key(self.slot, key), deadline, now).map_err(Trouble::Refused)?;
        self.believe(key, "touch", was_there)
    }

    fn count(&mut self, key: u64) -> Result<(), Trouble> {
        let name = own_key(self.slot, key);
        let acked = self.records[key as usize].acked;
        let target = if acked.kind == ChangeKind::There { acked.counter + 1 } else { self.next[key as usize] };
        let version = self.begin(key, ChangeKind::There, target, Deadline::NEVER.second());
        // Where the counter was forgotten it begins with the same number that counting would have given.
        let answer = self.store.count(&name, target, Time::now());
        let got = self.refuse(key, answer)?;
        if got != target {
            return Err(Trouble::Lie(format!("counting {} gave {got}, wanted {target}", show(&name))));
        }
        self.close(key, version);
        Ok(())
    }
}

/// Why an operation did not succeed.
#[derive(Debug)]
pub enum Trouble {
    /// The store said no. That may be.
    Refused(Error),
    /// The store said something that cannot be true.
    Lie(String),
}

impl From<String> for Trouble {
    fn from(lie: String) -> Trouble {
        Trouble::Lie(lie)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Refused(error)
    }
}

/// The oracle judges stores that lie, each in its own way: it must find every one of them, and nothing wrong with an
/// honest one.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch;
    use crate::stores::Private;
    use std::collections::HashMap;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Lie {
        None,
        /// Now and then the value before the present one.
        Older,
        /// A delete that answers success and deletes nothing.
        Undeleted,
        /// Half of one value, half of the one before.
        Torn,
        /// A deadline that is not kept.
        Immortal,
        /// A count that is lost.
        LostCount,
        /// The value of another key.
        Foreign,
        /// A set without room that left the old item.
        Kept,
    }

    struct Liar {
        honest: Private,
        before: HashMap<Vec<u8>, Vec<u8>>,
        lie: Lie,
        turn: u64,
    }

    impl Liar {
        fn lies(&mut self, lie: Lie) -> bool {
            self.turn += 1;
            self.lie == lie && self.turn % 7 == 0
        }
    }

    impl KeyStore for Liar {
        fn get(&mut self, key: &[u8], now: Time) -> Option<Vec<u8>> {
            let value = self.honest.get(key, now)?;
            let before = self.before.get(key).cloned().unwrap_or_default();
            if self.lies(Lie::Older) && !before.is_empty() {
                return Some(before);
            }
            if self.lies(Lie::Torn) && value.len() > 40 && before.len() > 40 {
                return Some([&value[..20], &before[20..]].concat());
            }
            if self.lies(Lie::Foreign) {
                return self.honest.get(&own_key(0, 50), now);
            }
            Some(value)
        }

        fn set(&mut self, key: &[u8], value: &[u8], deadline: Deadline, now: Time) -> Result<(), Error> {
            if self.lies(Lie::Kept) {
                return Err(Error::NoMemory);
            }
            if let Some(old) = self.honest.get(key, now) {
                self.before.insert(key.to_vec(), old);
            }
            let deadline = if self.lie == Lie::Immortal { Deadline::NEVER } else { deadline };
            self.honest.set(key, value, deadline, now)
        }

        fn append(&mut self, key: &[u8], more: &[u8], now: Time) -> Result<bool, Error> {
            self.honest.append(key, more, now)
        }

        fn delete(&mut self, key: &[u8], now: Time) -> Result<bool, Error> {
            if self.lies(Lie::Undeleted) {
                return Ok(self.honest.get(key, now).is_some());
            }
            self.honest.delete(key, now)
        }

        fn touch(&mut self, key: &[u8], deadline: Deadline, now: Time) -> Result<bool, Error> {
            self.honest.touch(key, deadline, now)
        }

        fn count(&mut self, key: &[u8], initial: u64, now: Time) -> Result<u64, Error> {
            let value = self.honest.count(key, initial, now)?;
            if self.lies(Lie::LostCount) {
                self.honest.set(key, (value - 1).to_string().as_bytes(), Deadline::NEVER, now)?;
            }
            Ok(value)
        }

        fn flushes_done(&self, _ledger: &Ledger) -> u64 {
            0
        }
    }

    fn work_with(lie: Lie) -> Result<(), String> {
        let folder = scratch::folder().unwrap();
        let ledger = Ledger::create(&folder.path().join("ledger"), 1).unwrap();
        let liar = Liar { honest: Private::default(), before: HashMap::new(), lie, turn: 0 };
        let mut own = Own::new(liar, ledger, 0, 1 << 20, Rng::new(3));
        let patience = Instant::now();
        // Only the broken deadline needs time to pass; everything else is found within the first steps.
        while own.counts.operations < 20_000 || (lie == Lie::Immortal && patience.elapsed() < Duration::from_secs(20)) {
            own.step()?;
        }
        Ok(())
    }

    #[test]
    fn every_kind_of_lie_is_found() {
        assert_eq!(work_with(Lie::None), Ok(()));
        for lie in [Lie::Older, Lie::Undeleted, Lie::Torn, Lie::Immortal, Lie::LostCount, Lie::Foreign, Lie::Kept] {
            assert!(work_with(lie).is_err(), "{lie:?} was believed");
        }
    }
}

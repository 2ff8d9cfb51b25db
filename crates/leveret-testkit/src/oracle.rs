//! What was acknowledged, kept where no kill reaches it: a file that the torture's processes share, apart from any
//! arena.
//!
//! Each worker slot has keys that only it writes. Before an operation on one of them it notes its intent, after the
//! answer the acknowledgement. Whoever takes the slot over after a kill knows from these two what a read may show:
//!
//! - the acknowledged version, or, while an intent is open, the intended one;
//! - nothing, always: a cache may forget;
//! - never anything else: not an older version, not a deleted, expired or flushed one.
//!
//! ```text
//! 0       flushes begun u64 | flushes done u64 | stop u64
//! 256     16 lease records of 8 bytes: who believes to hold the lease
//! 4096    slots of 16 KiB: operations u64 | busy u64 | no memory u64 | 0 | 64 latency buckets u64 | from 4096 on the key records
//! record  intent: counter u64, kind u32, deadline u32 | acknowledged: counter u64, kind u32, deadline u32, flushes u64 | 0
//! ```
//! The PHP worker reads and writes the same bytes. Records do not cross a page, so a kill never leaves half of one.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use leveret_engine::{Deadline, Time};

const LEASES: u64 = 256;
const SLOTS: u64 = 4096;
const SLOT_SIZE: u64 = 16 << 10;
const LATENCIES: u64 = 64;
const RECORDS: u64 = 4096;
const RECORD_SIZE: u64 = 64;

/// Keys of each slot.
pub const KEYS: u64 = 100;
/// Buckets of the latency histogram: powers of two of nanoseconds.
pub const BUCKETS: usize = 64;

/// The shared file.
#[derive(Debug)]
pub struct Ledger {
    file: File,
}

/// A slot's report to the supervisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations done.
    pub operations: u64,
    /// Operations refused because a lock's living owner did not go on.
    pub busy: u64,
    /// Operations refused for lack of memory.
    pub no_memory: u64,
}

/// Effect of an operation on a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChangeKind {
    /// There is no item.
    #[default]
    Gone,
    /// There is the value with this counter.
    There,
}

/// One version of a key, or its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KeyVersion {
    /// Counts the operations on the key.
    pub counter: u64,
    /// Whether there is an item.
    pub kind: ChangeKind,
    /// From when on the item is dead.
    pub deadline: u32,
}

/// Record of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KeyRecord {
    /// The last operation that was begun.
    pub intent: KeyVersion,
    /// The last one that was acknowledged.
    pub acked: KeyVersion,
    /// Flushes that had begun when it was acknowledged.
    pub flushes: u64,
}

impl KeyRecord {
    /// Whether a hit with this counter is allowed. `flushed`: flushes done before the read began; `now`: read before it
    /// too.
    pub fn judge(&self, counter: u64, flushed: u64, now: Time) -> Result<(), String> {
        let open = self.intent.counter > self.acked.counter;
        let allowed = |version: &KeyVersion| version.kind == ChangeKind::There && version.counter == counter;
        if open && allowed(&self.intent) {
            // Its writer may have been anywhere in it, so nothing is known of flushes and deadlines but its own.
            return if Deadline::of_second(self.intent.deadline).is_past(now) {
                Err(format!("version {counter} is past its deadline"))
            } else {
                Ok(())
            };
        }
        if !allowed(&self.acked) {
            return Err(format!(
                "version {counter} was read; acknowledged is {:?}, begun {:?}",
                self.acked, self.intent
            ));
        }
        if flushed > self.flushes {
            return Err(format!(
                "version {counter} survived a flush: {flushed} were done, {} had begun when it was written",
                self.flushes
            ));
        }
        if Deadline::of_second(self.acked.deadline).is_past(now) {
            return Err(format!("version {counter} is past its deadline {}, at {}", self.acked.deadline, now.0));
        }
        Ok(())
    }
}

impl Ledger {
    /// Creates the file for `slots` slots.
    pub fn create(path: &Path, slots: u64) -> io::Result<Ledger> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        file.set_len(SLOTS + slots * SLOT_SIZE)?;
        Ok(Ledger { file })
    }

    /// Opens it in another process.
    pub fn open(path: &Path) -> io::Result<Ledger> {
        Ok(Ledger { file: File::options().read(true).write(true).open(path)? })
    }

    fn u64_at(&self, offset: u64) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, offset).expect("the ledger is as long as it was made");
        u64::from_ne_bytes(bytes)
    }

    fn put(&self, offset: u64, words: &[u64]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.file.write_all_at(&bytes, offset).expect("the ledger can be written");
    }

    /// Flushes that have begun.
    pub fn flushes_begun(&self) -> u64 {
        self.u64_at(0)
    }

    /// Flushes that were acknowledged.
    pub fn flushes_done(&self) -> u64 {
        self.u64_at(8)
    }

    /// One slot only may flush.
    pub fn begin_flush(&self) -> u64 {
        let number = self.flushes_begun() + 1;
        self.put(0, &[number]);
        number
    }

    /// The flush was acknowledged, and so were those before it: the same slot has repeated one that a kill interrupted.
    pub fn end_flush(&self, number: u64) {
        self.put(8, &[number]);
    }

    /// Asks all workers to end.
    pub fn stop(&self) {
        self.put(16, &[1]);
    }

    /// Whether the workers shall end.
    pub fn is_stopped(&self) -> bool {
        self.u64_at(16) != 0
    }

    /// The process that takes itself for the holder of lease `index`.
    pub fn lease_holder(&self, index: u64) -> u64 {
        self.u64_at(LEASES + 8 * (index % 16))
    }

    /// Notes the holder of lease `index`.
    pub fn hold_lease(&self, index: u64, holder: u64) {
        self.put(LEASES + 8 * (index % 16), &[holder]);
    }

    fn slot(slot: u64) -> u64 {
        SLOTS + slot * SLOT_SIZE
    }

    /// The counts of a slot, over all its workers.
    pub fn counts(&self, slot: u64) -> Counts {
        let at = Self::slot(slot);
        Counts { operations: self.u64_at(at), busy: self.u64_at(at + 8), no_memory: self.u64_at(at + 16) }
    }

    /// Notes the counts of a slot.
    pub fn set_counts(&self, slot: u64, counts: Counts) {
        self.put(Self::slot(slot), &[counts.operations, counts.busy, counts.no_memory]);
    }

    /// The latencies of a slot: how many operations took less than 2^index nanoseconds, and not less than half of that.
    pub fn latencies(&self, slot: u64) -> [u64; BUCKETS] {
        std::array::from_fn(|index| self.u64_at(Self::slot(slot) + LATENCIES + 8 * index as u64))
    }

    /// Notes the latencies of a slot.
    pub fn set_latencies(&self, slot: u64, latencies: &[u64; BUCKETS]) {
        self.put(Self::slot(slot) + LATENCIES, latencies);
    }

    fn record_at(slot: u64, key: u64) -> u64 {
        Self::slot(slot) + RECORDS + RECORD_SIZE * key
    }

    /// The record of a key.
    pub fn record(&self, slot: u64, key: u64) -> KeyRecord {
        let at = Self::record_at(slot, key);
        let version = |at| {
            let word = self.u64_at(at + 8);
            let kind = if word as u32 == 1 { ChangeKind::There } else { ChangeKind::Gone };
            KeyVersion { counter: self.u64_at(at), kind, deadline: (word >> 32) as u32 }
        };
        KeyRecord { intent: version(at), acked: version(at + 16), flushes: self.u64_at(at + 32) }
    }

    /// Notes the next operation on a key.
    pub fn intend(&self, slot: u64, key: u64, intent: KeyVersion) {
        self.put(Self::record_at(slot, key), &words(intent));
    }

    /// Notes an acknowledged version, or one found by reading.
    pub fn acknowledge(&self, slot: u64, key: u64, record: KeyRecord) {
        let [first, second] = words(record.acked);
        self.put(Self::record_at(slot, key) + 16, &[first, second, record.flushes]);
    }
}

fn words(version: KeyVersion) -> [u64; 2] {
    let kind = match version.kind {
        ChangeKind::Gone => 0,
        ChangeKind::There => 1,
    };
    [version.counter, kind | u64::from(version.deadline) << 32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch;

    fn there(counter: u64, deadline: u32) -> KeyVersion {
        KeyVersion { counter, kind: ChangeKind::There, deadline }
    }

    #[test]
    fn what_a_read_may_show() {
        let never = u32::MAX;
        let gone = |counter| KeyVersion { counter, kind: ChangeKind::Gone, deadline: 0 };
        let closed = KeyRecord { intent: there(5, never), acked: there(5, never), flushes: 2 };
        let open = KeyRecord { intent: there(6, never), ..closed };
        let deleting = KeyRecord { intent: gone(6), ..closed };
        let deleted = KeyRecord { intent: gone(6), acked: gone(6), flushes: 2 };
        let dying = KeyRecord { intent: there(5, 100), acked: there(5, 100), flushes: 2 };
        let table = [
            ("the acknowledged version", closed, 5, 2, true),
            ("an older one", closed, 4, 2, false),
            ("one that nobody wrote yet", closed, 6, 2, false),
            ("the old one while the new is under way", open, 5, 2, true),
            ("the new one while it is under way", open, 6, 2, true),
            ("the old one while it is being deleted", deleting, 5, 2, true),
            ("a deleted one", deleted, 5, 2, false),
            ("a flushed one", closed, 5, 3, false),
            ("a living one", dying, 5, 2, true),
        ];
        for (what, record, counter, flushed, allowed) in table {
            assert_eq!(record.judge(counter, flushed, Time(99)).is_ok(), allowed, "{what}");
        }
        assert!(dying.judge(5, 2, Time(100)).is_err(), "a dead one");
    }

    #[test]
    fn the_file_keeps_what_was_noted() {
        let folder = scratch::folder().unwrap();
        let path = folder.path().join("ledger");
        let ledger = Ledger::create(&path, 3).unwrap();
        let record = KeyRecord { intent: there(8, 50), acked: there(7, u32::MAX), flushes: 4 };
        ledger.intend(2, KEYS - 1, record.intent);
        ledger.acknowledge(2, KEYS - 1, record);
        let counts = Counts { operations: 3, busy: 1, no_memory: 0 };
        ledger.set_counts(1, counts);
        let again = Ledger::open(&path).unwrap();
        assert_eq!(again.record(2, KEYS - 1), record);
        assert_eq!(again.record(1, KEYS - 1), KeyRecord::default());
        assert_eq!(again.counts(1), counts);
        const { assert!(RECORDS + KEYS * RECORD_SIZE <= SLOT_SIZE) };
    }
}

//! Append and prepend: a store whose value is joined to the one that is there.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::item::{Body, Kind, NewItem};
use crate::limits;
use crate::meta::{Encoding, Marks};
use crate::read::ReadOptions;
use crate::shard::put;
use crate::terms::{Mode, Stored, Terms, Value};
use crate::time::Time;
use crate::update::{self, Step};
use crate::write::admits;

/// How often an append that is made outside the lock may find that another writer was quicker, until it is told that
/// the key is busy.
const JOINS: usize = 1024;

impl Arena {
    /// Append and prepend. Flags, deadline and encoding of the old item stay.
    pub(crate) fn join(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Stored, Error> {
        for _ in 0..JOINS {
            if let Some(stored) = self.join_in_segment(key, bytes, terms, now)? {
                return Ok(stored);
            }
            match self.join_anew(key, bytes, terms, now)? {
                // Another writer was quicker.
                Stored::Exists if terms.compare.is_none() => {}
                done => return Ok(done),
            }
        }
        Err(Error::Busy)
    }

    /// None: the joined value is too long for a segment, or the present one is a number or large already.
    fn join_in_segment(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Option<Stored>, Error> {
        let core = &*self.core;
        update::update(core, key, now, |locked, located| {
            let Some(view) = located.live() else { return Ok(Step::Done(Some(Stored::Missing))) };
            match admits(locked, terms, located) {
                Ok(false) => {}
                // The bytes were meant for another version of the value.
                Ok(true) => return Ok(Step::Done(Some(Stored::Exists))),
                Err(refused) => return Ok(Step::Done(Some(refused))),
            }
            // The joined value is a new one: marks of the old value do not apply to it.
            let meta = core.items.meta_of(view).with_marks(Marks::NONE);
            let len = view.header.value_len() as usize + bytes.len();
            if view.kind != Kind::Bytes || !limits::fits_segment(core, key, len, meta) {
                return Ok(Step::Done(None));
            }
            if len > terms.value_max {
                return Err(Error::ValueTooLarge { len, max: terms.value_max });
            }
            let old = (view.value(), view.header.value_len());
            let (before, after): (&[u8], &[u8]) = if terms.mode == Mode::Append { (&[], bytes) } else { (bytes, &[]) };
            let body = Body::Joined { before, old, after };
            let item =
                NewItem { key, meta, mtime: now.0, deadline: core.items.deadline_of(view), cas: terms.cas, body };
            let Some(cas) = put::put(locked, located, &item, terms.want_cas, None) else { return Ok(Step::NoRoom) };
            locked.count(Counter::Sets, 1);
            Ok(Step::Done(Some(Stored::Stored { cas })))
        })
    }

    /// Reads the value, joins and stores it again, unless another process changes it in between.
    fn join_anew(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Stored, Error> {
        let Some(old) = self.get_with(key, ReadOptions::new().untraced().with_cas(), now)? else {
            return Ok(Stored::Missing);
        };
        if terms.compare.is_some_and(|token| token != old.cas) {
            return Ok(Stored::Exists);
        }
        let len = old.value.len() + bytes.len();
        if len > terms.value_max {
            return Err(Error::ValueTooLarge { len, max: terms.value_max });
        }
        let whole = if terms.mode == Mode::Append {
            [&old.value[..], bytes].concat()
        } else {
            [bytes, &old.value[..]].concat()
        };
        // A number that text is joined to is a string from now on.
        let meta = if old.number.is_some() { old.meta.with_encoding(Encoding::RAW) } else { old.meta };
        let meta = meta.with_marks(Marks::NONE);
        let terms = Terms::new(Mode::Cas(old.cas)).cas(terms.cas).want_cas(terms.want_cas);
        self.store_value(key, Value::Bytes(&whole), meta, old.deadline, &terms, now, &mut ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SlotWord;
    use crate::meta::Meta;
    use crate::sync::Ordering;
    use crate::time::Deadline;
    use crate::{hash, OpenOptions};

    /// In a damaged file a key has two slots, and the first one leads to a large value whose numbers contradict each
    /// other: readers pass it by, writers do not. An append compared the token of the one with that of the other for
    /// ever.
    #[test]
    fn an_append_comes_to_an_end_in_a_damaged_file() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("append.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        let hash = core.hasher.hash(b"key");
        let shard = core.hasher.shard_of(hash);
        let slots = &core.index.bucket(shard, hash::bucket(hash, core.index.buckets(shard))).slots;
        arena.set(b"key", &[1; 100_000], Deadline::NEVER, now).expect("room");
        let large = slots[0].swap(0, Ordering::Relaxed);
        arena.set(b"key", b"small", Deadline::NEVER, now).expect("room");
        slots[1].store(slots[0].swap(large, Ordering::Relaxed), Ordering::Relaxed);
        let at = SlotWord(large).at();
        let view = core.items.view(&core.segments, core.segments.containing(at).expect("inside"), at).expect("an item");
        core.items.data.long(view.payload()).store(7, Ordering::Relaxed);
        assert_eq!(arena.get(b"key", now).expect("the second").value, b"small");
        let appended = arena.store(b"key", Value::Bytes(b"more"), Meta::default(), Deadline::NEVER, Mode::Append, now);
        assert_eq!(appended, Err(Error::Busy));
    }
}

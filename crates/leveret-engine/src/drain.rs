//! Draining: a segment's items are moved or dropped, and then it is free. That is done in pieces of a few items, so
//! that nobody holds a shard's lock for long: the writes that follow go on where the last one stopped, whichever
//! process they are of.
//!
//! The state word says that a segment is being drained, and that is all that a crash needs: recovery forgets how far it
//! had come and drains what is left anew. An item whose slot points elsewhere by now is not this segment's any more, so
//! beginning again harms nothing. Every drain makes progress: an eighth of a segment is freed at least, and where there
//! is no room for what is worth keeping nothing is kept.
use crate::core::Core;
use crate::counters::Counter;
use crate::hash;
use crate::index::Spot;
use crate::item::{View, HEADER};
use crate::lock::Locked;
use crate::read::FREQUENCY_MAX;
use crate::segment::{Pool, SegmentId, State, StateWord};
use crate::sync::Ordering;
use crate::worth::{self, Worth};

/// Items whose buckets are asked for together.
const PIECE: usize = 8;
/// Bytes that a drain goes through for each byte that is written. Of main segments three quarters are kept, now and then
/// seven eighths, so this is what it takes to free a segment while another one is filled.
const BYTES_AHEAD: u64 = 6;
/// Items that one write deals with at most, whatever their sizes.
const ITEMS_AHEAD: usize = 32;

/// What a drain keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Keep {
    /// Whatever is alive. What finds no room stays where it is, and the segment with it: memory is short, yet not all
    /// in use.
    All = 0,
    /// Whatever is alive and finds room: the segment is mostly dead bytes.
    Alive = 1,
    /// What is worth its memory (`worth.rs`), up to three quarters of a small or seven eighths of a main segment.
    Worthy = 2,
    Nothing = 3,
}

/// What a piece of work at a drain has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drained {
    /// There is nothing to drain.
    Nothing,
    /// Some of the segment's items; there are more.
    Some,
    /// The segment is free.
    Freed,
    /// `Keep::All` found no room for everything, and what it could not move stays.
    Stays,
}

/// `Keep` in the low byte of `Shard::drain_terms`, and what has been seen so far.
#[derive(Clone, Copy)]
struct Terms(u32);

impl Terms {
    const STAYS: u32 = 1 << 8;

    fn keep(self) -> Keep {
        match self.0 as u8 {
            1 => Keep::Alive,
            2 => Keep::Worthy,
            3 => Keep::Nothing,
            _ => Keep::All,
        }
    }
}

/// In place of a drain's note: the segments are being looked over for the one to drain next, see `evict.rs`.
const LOOKING: u64 = u64::MAX;

/// Names a drain: its segment, and which use of it.
fn note(segment: SegmentId, word: StateWord) -> u64 {
    u64::from(segment.0 + 1) | word.generation() << 32
}

impl Core {
    /// Whether a segment is being drained in pieces: not what a kill has left, which nobody would come back to.
    pub fn is_under_way(&self, segment: SegmentId, word: StateWord) -> bool {
        word.kind() == Some(State::Draining)
            && word.shard() < self.shards.len()
            && self.shards.at(word.shard()).drain.load(Ordering::Relaxed) == note(segment, word)
    }
}

impl<'a> Locked<'a> {
    /// The segment whose drain is under way.
    pub fn under_way(&self) -> Option<SegmentId> {
        let segment = SegmentId((self.shard().drain.load(Ordering::Relaxed) as u32).checked_sub(1)?);
        let is_it = (segment.0 as usize) < self.core.states.len() && {
            let word = self.core.state(segment);
            word.shard() == self.index && self.core.is_under_way(segment, word)
        };
        is_it.then_some(segment)
    }

    /// Whether the segments are being looked over, piece by piece, for one to drain.
    pub fn is_looking(&self) -> bool {
        self.shard().drain.load(Ordering::Relaxed) == LOOKING
    }

    pub fn note_looking(&self) {
        self.shard().drain.store(LOOKING, Ordering::Relaxed);
    }

    pub fn note_nothing(&self) {
        self.shard().drain.store(0, Ordering::Relaxed);
    }

    /// At the end of a write of `written` bytes: goes on with the drain that is under way, or with the look for it, so
    /// far that it ends before its room is needed.
    #[inline]
    pub fn drain_ahead(&self, written: u64) {
        if self.shard().drain.load(Ordering::Relaxed) != 0 {
            self.drain_ahead_some(written);
        }
    }

    #[cold]
    fn drain_ahead_some(&self, written: u64) {
        if self.is_looking() {
            return self.look_ahead(written);
        }
        let before = self.shard().drain_at.load(Ordering::Relaxed);
        let passed = || u64::from(self.shard().drain_at.load(Ordering::Relaxed).wrapping_sub(before));
        for _ in 0..ITEMS_AHEAD / PIECE {
            match self.drain_on(PIECE) {
                Drained::Some if passed() < written * BYTES_AHEAD => {}
                // What was kept may have taken a free segment too: one drain for each segment that is opened would not
                // be enough.
                Drained::Freed => return self.begin_ahead(),
                _ => return,
            }
        }
    }

    /// Drains a segment to its end. False: what `Keep::All` could not move stays.
    pub fn drain(&self, segment: SegmentId, keep: Keep) -> bool {
        // One at a time has a note. This is what a kill has left, or memory is needed at once.
        if self.under_way().is_some_and(|other| other != segment) {
            self.drain_on(usize::MAX);
        }
        self.begin_drain(segment, keep);
        self.drain_on(usize::MAX) != Drained::Stays
    }

    /// The next pieces of work go to this segment. None is under way.
    pub fn begin_drain(&self, segment: SegmentId, keep: Keep) {
        let core = self.core;
        let word = core.state(segment);
        let size = core.map.geometry.segment_size();
        let budget = match (keep, word.pool()) {
            (Keep::Nothing, _) => 0,
            (Keep::All | Keep::Alive, _) => size,
            (Keep::Worthy, Pool::Small) => size / 4 * 3,
            (Keep::Worthy, Pool::Main) => size / 8 * 7,
        };
        core.set_state(segment, word.with(State::Draining));
        let head = self.shard();
        head.drain_at.store(0, Ordering::Relaxed);
        head.drain_budget.store(budget as u32, Ordering::Relaxed);
        head.drain_terms.store(keep as u32, Ordering::Relaxed);
        head.drain.store(note(segment, word), Ordering::Relaxed);
    }

    /// Deals with the next `items` items of the segment whose drain is under way.
    pub fn drain_on(&self, items: usize) -> Drained {
        let Some(segment) = self.under_way() else {
            if !self.is_looking() {
                self.note_nothing();
            }
            return Drained::Nothing;
        };
        let core = self.core;
        let head = self.shard();
        let (start, end) = (core.start(segment), core.written_end(segment));
        let mut at = start + u64::from(head.drain_at.load(Ordering::Relaxed)) / 8 * 8;
        let mut left = items;
        let mut is_whole = true;
        // Kills leave the count of the living too high, never too low: at 0 no slot points here.
        while is_whole && at + HEADER <= end && core.header(segment).live_items.load(Ordering::Relaxed) != 0 {
            if left == 0 {
                head.drain_at.store((at - start) as u32, Ordering::Relaxed);
                return Drained::Some;
            }
            let mut piece = [const { None }; PIECE];
            let mut count = 0;
            while count < PIECE.min(left) && at + HEADER <= end {
                let Some(view) = core.view(segment, at).filter(|view| at + view.size() <= end) else {
                    is_whole = false;
                    break;
                };
                at += view.size();
                let hash = core.hash_at(view.key(), view.header.key_len());
                core.index.ask_for(core.place_of(self.index, hash::bucket(hash, core.buckets(self.index))));
                piece[count] = Some((hash, view));
                count += 1;
            }
            left -= count;
            for (hash, view) in piece.into_iter().flatten().filter(|(hash, _)| core.shard_of(*hash) == self.index) {
                if let Some(spot) = self.spot_of(hash, view.at) {
                    self.drain_item(hash, &spot, &view);
                }
            }
        }
        self.end_drain(segment, is_whole)
    }

    fn drain_item(&self, hash: u64, spot: &Spot<'a>, view: &View) {
        let head = self.shard();
        let terms = Terms(head.drain_terms.load(Ordering::Relaxed));
        let keep = terms.keep();
        let pool = self.core.state(view.segment).pool();
        let budget = u64::from(head.drain_budget.load(Ordering::Relaxed));
        let frequency = spot.frequency() & FREQUENCY_MAX;
        if !self.is_alive(view) {
            self.remove(hash, spot, view);
            self.count(Counter::Expired, 1);
            return;
        }
        let (is_worthy, target) = match keep {
            Keep::Worthy => (self.judge(frequency, view, pool), Pool::Main),
            _ => (true, pool),
        };
        if is_worthy && view.size() <= budget && self.relocate(target, spot, view) {
            head.drain_budget.store((budget - view.size()) as u32, Ordering::Relaxed);
            if keep == Keep::Worthy {
                let cooled = if pool == Pool::Small { frequency / 2 } else { worth::aged(frequency) };
                spot.set_frequency(spot.frequency() & !FREQUENCY_MAX | cooled);
            }
        } else if keep == Keep::All {
            head.drain_terms.store(terms.0 | Terms::STAYS, Ordering::Relaxed);
        } else {
            self.remove(hash, spot, view);
            self.count(Counter::Evicted, 1);
            if pool == Pool::Small {
                self.remember(hash);
            }
        }
    }

    /// Whether an item is worth its memory. Each one that a drain meets teaches what that means.
    fn judge(&self, frequency: u8, view: &View, pool: Pool) -> bool {
        let elsewhere = view.pieces() as u64 * self.core.map.geometry.segment_size();
        let worth = Worth::of(frequency, view.size() + elsewhere);
        let is_worthy = self.is_worth_keeping(worth, pool);
        self.learn_worth(worth, view.size(), pool, frequency);
        is_worthy
    }

    fn end_drain(&self, segment: SegmentId, is_whole: bool) -> Drained {
        let head = self.shard();
        let word = self.core.state(segment);
        let terms = Terms(head.drain_terms.load(Ordering::Relaxed));
        if terms.0 & Terms::STAYS != 0 {
            self.core.set_state(segment, word.with(State::Sealed));
            self.note_nothing();
            return Drained::Stays;
        }
        if !is_whole {
            self.clear_slots_into(segment);
        }
        self.core.set_free(segment);
        self.note_nothing();
        Drained::Freed
    }

    /// Moves an item to fresh room of `pool`. False: there is none.
    fn relocate(&self, pool: Pool, spot: &Spot<'a>, view: &View) -> bool {
        let Some((place, size)) = self.copy_to(pool, view, view.header.deadline(), true) else { return false };
        self.publish(place, size, view.header.deadline);
        spot.cell().store(spot.word.moved_to(place.at).0, Ordering::Release);
        self.count(Counter::MovedBytes, size);
        true
    }

    /// Clears every slot of the shard that points into a segment. Only a damaged file needs it.
    #[cold]
    fn clear_slots_into(&self, segment: SegmentId) {
        for bucket in 0..self.core.buckets(self.index) {
            for spot in self.core.spots(self.index, bucket) {
                if self.core.segment_at(spot.word.at()) == Some(segment) {
                    spot.cell().store(0, Ordering::Release);
                    self.forget(spot.word);
                    self.count(Counter::Mended, 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Deadline, OpenOptions, Time};

    /// An arena that has begun to evict, and the number of the next key.
    fn full(dir: &tempfile::TempDir) -> (Arena, u32) {
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("drain.arena"), &options).expect("an arena");
        let mut number = 0;
        while arena.stats().evicted < 10_000 {
            (0..1000).for_each(|step| store(&arena, number + step));
            number += 1000;
        }
        (arena, number)
    }

    fn store(arena: &Arena, number: u32) {
        arena.set(&number.to_ne_bytes(), &[7; 100], Deadline::NEVER, Time::now()).expect("room");
    }

    /// A store that found no room emptied a whole segment under the lock, some 250 items here, before it could end.
    #[test]
    fn no_store_into_a_full_arena_empties_a_segment() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, first) = full(&dir);
        let mut most = 0;
        for number in first..first + 20_000 {
            let before = arena.stats().evicted;
            store(&arena, number);
            most = most.max(arena.stats().evicted - before);
        }
        assert!(most > 0 && most <= ITEMS_AHEAD as u64, "one store let {most} items go");
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }

    /// Whoever is killed holds a lock in the middle of a drain: what is left of the segment is kept, and its note is
    /// gone.
    #[test]
    fn recovery_keeps_what_a_drain_has_not_come_to() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, first) = full(&dir);
        let core = &*arena.core;
        let under_way = |shard| core.lock(shard, Time::now()).expect("free").under_way().is_some();
        let shard = (first..)
            .inspect(|number| store(&arena, *number))
            .find_map(|_| (0..core.shards.len()).find(|shard| under_way(*shard)));
        let items = |arena: &Arena| arena.stats().items;
        let (before, evicted) = (items(&arena), arena.stats().evicted);
        let locked = core.lock(shard.expect("one is begun with each segment"), Time::now()).expect("free");
        locked.recover();
        assert_eq!(locked.under_way(), None);
        drop(locked);
        assert_eq!((items(&arena), arena.stats().evicted), (before, evicted));
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }
}

//! Recovery: what the new owner of a lock does when the old one was killed. Every step may be repeated, since the
//! recoverer can be killed too. Nothing acknowledged is lost: acknowledgement follows the commit, and the commit is one
//! store.
use crate::counters::Counter;
use crate::index;
use crate::lock::Locked;
use crate::map::layout::OPEN_PER_SHARD;
use crate::segment::State;
use crate::sync::Ordering;

impl Locked<'_> {
    #[cold]
    pub fn recover(&self) {
        self.relist_segments();
        self.redo_split();
        self.recount();
        self.note_nothing();
        self.finish_drains();
        self.free_orphans();
        self.sweep_fills();
        self.count(Counter::Recoveries, 1);
    }

    /// Rebuilds the open list, the map of used segments and the generation counter from the state words.
    fn relist_segments(&self) {
        let mut entries = [0u32; OPEN_PER_SHARD];
        let mut generation = self.shard().generation.load(Ordering::Relaxed);
        for segment in self.core.segments() {
            let word = self.core.state(segment);
            // Other shards allocate and free meanwhile. A bit that says "free" wrongly costs a look; one that says
            // "used" wrongly would lose the segment, so that state is looked at again.
            self.core.set_used(segment, word.kind() != Some(State::Free));
            if self.core.state(segment).kind() == Some(State::Free) {
                self.core.set_used(segment, false);
            }
            if word.shard() != self.index {
                continue;
            }
            generation = generation.max(word.generation());
            if word.kind() == Some(State::Open) {
                match entries[Self::entries(word.pool())].iter_mut().find(|entry| **entry == 0) {
                    Some(entry) => *entry = segment.0 + 1,
                    None => self.seal(segment),
                }
            }
        }
        for (entry, segment) in self.shard().open.iter().zip(entries) {
            entry.store(segment, Ordering::Relaxed);
        }
        self.shard().generation.fetch_max(generation, Ordering::Relaxed);
        self.shard().next_expiry.store(0, Ordering::Relaxed);
    }

    /// The last split may have published its bucket without clearing the old one; the next may have begun to fill its
    /// own.
    fn redo_split(&self) {
        let buckets = self.core.buckets(self.index);
        if buckets > self.core.map.geometry.first_buckets() {
            let target = buckets - 1;
            self.clear_movers(target - (1 << target.ilog2()), target);
        }
        let allocated =
            u64::from(self.shard().chunks.load(Ordering::Acquire)) * u64::from(self.core.map.geometry.chunk_buckets);
        if u64::from(buckets) < allocated.min(u64::from(self.core.map.geometry.buckets_max)) {
            index::clear(self.core.bucket(self.index, buckets));
        }
        // A reader that missed between the two halves of the split looks again.
        self.shard().move_seq.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts slots and items anew and rebuilds the map of overflow buckets, which a kill may have left with a leak.
    fn recount(&self) {
        let core = self.core;
        self.clear_overflow_map();
        let (mut occupied, mut items) = (0, 0);
        for bucket in 0..core.buckets(self.index) {
            for link in core.chain(self.index, bucket).filter_map(|bucket| bucket.link(Ordering::Relaxed)) {
                self.set_overflow_used(link, true);
            }
            for spot in core.spots(self.index, bucket) {
                occupied += 1;
                let segment = core.segment_at(spot.word.at());
                items += u64::from(segment.is_some_and(|segment| core.epoch_of(segment) == self.epoch));
            }
        }
        self.shard().occupied.store(occupied, Ordering::Relaxed);
        self.shard().items.store(items, Ordering::Relaxed);
        self.shard().counted_epoch.store(self.epoch, Ordering::Relaxed);
    }
}

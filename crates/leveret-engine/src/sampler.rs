//! Samples reads and writes without help of the readers and writers: the source of traces.
//!
//! A sampler inspects a sample of the keys, those of some parts of all hashes, again and again. In each pass it marks
//! the frequency bytes of the sample's items. A read's hint writes that byte and thereby clears the mark: a cleared
//! mark is a read since the last pass. No read writes a saturated hint otherwise; a marked one is written once a pass.
//! Readers run no extra instruction for it.
//!
//! Writes show in the slots. A new word with the mark still set is a copy made by a drain; without the mark it is
//! another version, unless the old one's segment was drained and the item is unchanged. A key that vanished from a
//! segment that is not being drained was deleted.
//!
//! Several events of a key between two passes count as one, except reads, of which the hint counts up to 15. Races with
//! readers and writers may rarely hide or invent an event: samples are for statistics.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::fate::{self, Fate};
use crate::found::Found;
use crate::index::{SlotWord, Spot, FETCHED, FREQUENCY_MAX, WATCHED};
use crate::lookup;
use crate::segment::{State, StateWord};
use crate::sync::{fence, Ordering};
use crate::time::{Deadline, Time};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Equal parts of all hashes, of which a sample has some.
const PARTS: u32 = 4096;
/// Tries to read an item that changes meanwhile; what stays unread is looked at in the next pass.
const TRIES: usize = 8;
/// In place of an item's number: no item of the sample, or a dead one.
const OTHER: u32 = u32::MAX;

/// Event of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sampled {
    /// It had an item when the sampler began.
    There,
    /// It had none and was stored.
    Stored,
    /// It had one and was stored.
    Replaced,
    /// Number of reads: exact up to 15 reads of an item, then at least one.
    Read(u8),
    /// It was deleted, or flushed.
    Deleted,
}

/// An event, and the item's attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The event.
    pub event: Sampled,
    /// Hash of the key, which tells the arena's keys apart.
    pub hash: u64,
    /// Bytes of the key.
    pub key_len: usize,
    /// Bytes of the value.
    pub value_len: u64,
    /// When it was stored.
    pub mtime: Time,
    /// From when on it is dead.
    pub deadline: Deadline,
}

/// State of an item of the sample.
#[derive(Clone, Copy)]
struct Known {
    seen: Seen,
    word: SlotWord,
    /// Its segment's.
    state: StateWord,
    reads: u8,
    /// The last pass that has met it.
    pass: u64,
    /// Its mark is cleared, but it was not read: a writer is about to change its slot.
    is_about_to_change: bool,
}

/// The number of an item by its key's hash. Of a fixed hasher, so that a model meets the same order each time.
type ByHash = HashMap<u64, u32, BuildHasherDefault<DefaultHasher>>;

/// Inspects a sample of an arena's keys. Clears its marks when dropped; marks of a killed sampler stay until the next
/// reads, which is harmless. Two samplers at once each see a part of the reads.
pub struct Sampler {
    arena: Arena,
    parts: u32,
    pass: u64,
    epoch: u32,
    items: Vec<Known>,
    free: Vec<u32>,
    by_hash: ByHash,
    /// For each shard, for each of its buckets that are looked at: the words met in the last pass, and the numbers of
    /// their items.
    chains: Vec<Vec<Vec<(SlotWord, u32)>>>,
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler").field("share", &self.share()).finish_non_exhaustive()
    }
}

impl Arena {
    /// Samples a share of the keys, from 1/4096 to 1. Events are reported from the second pass on; the first one
    /// records the existing items.
    pub fn sample(&self, share: f64) -> Sampler {
        let parts = (share * f64::from(PARTS)).round().clamp(1.0, f64::from(PARTS)) as u32;
        let chains = (0..self.core.shards.len()).map(|_| Vec::new()).collect();
        let (items, free, by_hash) = (Vec::new(), Vec::new(), ByHash::default());
        Sampler { arena: self.clone(), parts, pass: 0, epoch: 0, items, free, by_hash, chains }
    }
}

impl Sampler {
    /// The share of the keys that is sampled.
    pub fn share(&self) -> f64 {
        f64::from(self.parts) / f64::from(PARTS)
    }

    /// Items of the sample that the last pass has met.
    pub fn items(&self) -> usize {
        self.by_hash.len()
    }

    /// Inspects the whole sample and reports events since the last pass. Events of different keys come in no particular
    /// order.
    pub fn pass(&mut self, now: Time, tell: &mut dyn FnMut(Seen)) -> Result<(), Error> {
        if self.arena.is_lost() {
            return Err(Error::Lost);
        }
        self.pass += 1;
        self.notice_flush(now, tell);
        let arena = self.arena.clone();
        let core = &*arena.core;
        let mut is_whole = true;
        let mut spots = Vec::new();
        for shard in 0..core.shards.len() {
            // In the order of their numbers: a split moves items to a higher one, so that none is missed.
            for (number, bucket) in buckets(core, shard, self.parts).enumerate() {
                if self.chains[shard].len() <= number {
                    self.chains[shard].push(Vec::new());
                }
                collect(core, shard, bucket, &mut spots);
                let before = std::mem::take(&mut self.chains[shard][number]);
                let mut met = Vec::with_capacity(spots.len());
                for spot in &spots {
                    let known = before.iter().find(|(word, _)| *word == spot.word).map(|(_, item)| *item);
                    match known {
                        Some(OTHER) => met.push((spot.word, OTHER)),
                        Some(item) if self.is_same(core, item, spot.word) => {
                            self.meet_again(core, item, spot, now, tell);
                            met.push((spot.word, item));
                        }
                        _ => match self.meet(core, shard, spot, now, tell) {
                            Some(entry) => met.push(entry),
                            None => is_whole = false,
                        },
                    }
                }
                self.chains[shard][number] = met;
            }
        }
        if is_whole {
            self.miss(core, now, tell);
        }
        Ok(())
    }

    fn notice_flush(&mut self, now: Time, tell: &mut dyn FnMut(Seen)) {
        let epoch = self.arena.core.epoch(now);
        if epoch == self.epoch {
            return;
        }
        self.epoch = epoch;
        for (_, item) in self.by_hash.drain() {
            let seen = self.items[item as usize].seen;
            if !seen.deadline.is_past(now) {
                tell(Seen { event: Sampled::Deleted, ..seen });
            }
        }
        self.items.clear();
        self.free.clear();
        self.chains.iter_mut().for_each(Vec::clear);
    }

    /// Whether a slot's word still is that of this very version.
    fn is_same(&self, core: &Core, item: u32, word: SlotWord) -> bool {
        let known = &self.items[item as usize];
        let segment = core.segments.containing(word.at());
        known.word == word && segment.is_some_and(|segment| known.state.is_same_use(core.segments.state(segment)))
    }

    /// An item that the last pass has met as well: was it read?
    fn meet_again(&mut self, core: &Core, item: u32, spot: &Spot<'_>, now: Time, tell: &mut dyn FnMut(Seen)) {
        let known = &mut self.items[item as usize];
        if known.pass == self.pass {
            // In the midst of a split it is in two buckets.
            return;
        }
        known.pass = self.pass;
        let frequency = spot.frequency();
        if frequency & WATCHED != 0 {
            return;
        }
        if frequency & FETCHED == 0 && !known.is_about_to_change {
            known.is_about_to_change = true;
            return;
        }
        known.is_about_to_change = false;
        let frequency = spot.mark();
        let reads = reads_since(known.reads, frequency);
        known.reads = frequency & FREQUENCY_MAX;
        if frequency & FETCHED != 0 {
            // A touch changes the deadline where it is.
            if let Some(view) = core.item_behind(known.state.shard(), spot.word) {
                known.seen.deadline = core.items.deadline_of(&view);
            }
            if !known.seen.deadline.is_past(now) {
                tell(Seen { event: Sampled::Read(reads), ..known.seen });
            }
        }
    }

    /// A word that was not there in the last pass, and the number of its item. None: it changes too fast to be read.
    fn meet(
        &mut self,
        core: &Core,
        shard: usize,
        spot: &Spot<'_>,
        now: Time,
        tell: &mut dyn FnMut(Seen),
    ) -> Option<(SlotWord, u32)> {
        let mut spot = *spot;
        let mut read = Err(Changed);
        for _ in 0..TRIES {
            read = self.read(core, shard, &spot, now);
            if read.is_ok() {
                break;
            }
            spot.word = SlotWord(spot.cell().load(Ordering::Relaxed));
            if !spot.word.is_item() {
                return None;
            }
        }
        let Some(mut next) = read.ok()? else { return Some((spot.word, OTHER)) };
        let Some(item) = self.by_hash.get(&next.seen.hash).copied() else {
            let frequency = spot.mark();
            next.reads = frequency & FREQUENCY_MAX;
            if self.pass == 1 {
                tell(Seen { event: Sampled::There, ..next.seen });
            } else {
                tell(Seen { event: Sampled::Stored, ..next.seen });
                tell_reads(&next.seen, frequency, next.reads, tell);
            }
            let item = self.free.pop().unwrap_or(self.items.len() as u32);
            if item as usize == self.items.len() {
                self.items.push(next);
            } else {
                self.items[item as usize] = next;
            }
            self.by_hash.insert(next.seen.hash, item);
            return Some((spot.word, item));
        };
        let last = self.items[item as usize];
        if last.word == next.word && last.state.is_same_use(next.state) {
            // A split has brought it here.
            self.meet_again(core, item, &spot, now, tell);
            return Some((spot.word, item));
        }
        let frequency = spot.mark();
        next.reads = frequency & FREQUENCY_MAX;
        self.items[item as usize] = next;
        let reads = reads_since(last.reads, frequency);
        let is_alike = last.seen.mtime == next.seen.mtime && last.seen.value_len == next.seen.value_len;
        if last.seen.deadline.is_past(now) {
            tell(Seen { event: Sampled::Stored, ..next.seen });
            tell_reads(&next.seen, frequency, next.reads, tell);
        } else if frequency & WATCHED != 0 {
            // A copy that was not read since.
        } else if frequency & FETCHED != 0 && is_alike && is_drained(core, &last) {
            tell_reads(&next.seen, frequency, reads, tell);
        } else {
            tell(Seen { event: Sampled::Replaced, ..next.seen });
            tell_reads(&next.seen, frequency, reads, tell);
        }
        Some((spot.word, item))
    }

    /// The item behind a slot; None if it is dead or not of the sample.
    fn read(&self, core: &Core, shard: usize, spot: &Spot<'_>, now: Time) -> Result<Option<Known>, Changed> {
        let Some(segment) = core.segments.containing(spot.word.at()) else { return Ok(None) };
        let of_segment = core.segments.at(segment);
        let state = of_segment.word();
        if spot.cell().load(Ordering::Acquire) != spot.word.0 || !state.holds_items_of(shard) {
            return Err(Changed);
        }
        let epoch = of_segment.epoch();
        let mut known = None;
        if let Some(view) = core.items.view(&core.segments, segment, spot.word.at()) {
            let hash = core.hash_of(&view);
            let is_of_sample = hash as u32 % PARTS < self.parts;
            let is_alive = || fate::of_item(core, &view, epoch, || self.epoch, now) == Fate::Alive;
            if is_of_sample && is_alive() {
                let mut found = Found::default();
                found.version.name(hash, spot.word.0, state.0, epoch);
                lookup::describe(core, &view, &mut found);
                let seen = Seen {
                    event: Sampled::There,
                    hash,
                    key_len: view.header.key_len(),
                    value_len: found.value_len,
                    mtime: found.mtime,
                    deadline: found.deadline,
                };
                let word = spot.word;
                known = Some(Known { seen, word, state, reads: 0, pass: self.pass, is_about_to_change: false });
            }
        }
        fence(Ordering::Acquire);
        if of_segment.is_still(state) {
            Ok(known)
        } else {
            Err(Changed)
        }
    }

    /// The items that this pass has not met.
    fn miss(&mut self, core: &Core, now: Time, tell: &mut dyn FnMut(Seen)) {
        let Sampler { items, free, by_hash, pass, .. } = self;
        by_hash.retain(|_, item| {
            let known = &items[*item as usize];
            let is_there = known.pass == *pass;
            if !is_there {
                if !known.seen.deadline.is_past(now) && !is_drained(core, known) {
                    tell(Seen { event: Sampled::Deleted, ..known.seen });
                }
                free.push(*item);
            }
            is_there
        });
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        let core = &*self.arena.core;
        if core.is_lost() {
            return;
        }
        let mut spots = Vec::new();
        for shard in 0..core.shards.len() {
            for bucket in buckets(core, shard, self.parts) {
                collect(core, shard, bucket, &mut spots);
                spots.iter().filter(|spot| spot.frequency() & WATCHED != 0).for_each(Spot::unmark);
            }
        }
    }
}

/// An item was written, or its segment reused, while it was read.
#[derive(Clone, Copy)]
struct Changed;

/// The buckets of a shard in which keys of the sample may be, in order.
fn buckets(core: &Core, shard: usize, parts: u32) -> impl Iterator<Item = u32> + '_ {
    // A bucket's number is the low bits of its hashes, so that the least hash of all in it is the number itself.
    let mut next = 0;
    std::iter::from_fn(move || {
        if next % PARTS >= parts {
            next = next / PARTS * PARTS + PARTS;
        }
        next += 1;
        // Splits go on meanwhile.
        (next <= core.index.buckets(shard)).then_some(next - 1)
    })
}

/// All items of a chain.
fn collect<'a>(core: &'a Core, shard: usize, bucket: u32, spots: &mut Vec<Spot<'a>>) {
    loop {
        let length = core.index.chain(shard, bucket).count();
        spots.clear();
        spots.extend(core.index.spots(shard, bucket));
        // An overflow bucket that came meanwhile took over an item that may have been missed for that.
        if core.index.chain(shard, bucket).count() == length {
            return;
        }
    }
}

/// Whether the segment of a version was drained since, or is being drained.
fn is_drained(core: &Core, known: &Known) -> bool {
    let Some(segment) = core.segments.containing(known.word.at()) else { return true };
    let state = core.segments.state(segment);
    !known.state.is_same_use(state) || !matches!(state.kind(), Some(State::Open | State::Sealed))
}

/// Reads of an item that was read, by its count of reads then and its frequency byte now.
fn reads_since(before: u8, frequency: u8) -> u8 {
    (frequency & FREQUENCY_MAX).saturating_sub(before).max(1)
}

fn tell_reads(seen: &Seen, frequency: u8, reads: u8, tell: &mut dyn FnMut(Seen)) {
    if frequency & FETCHED != 0 {
        tell(Seen { event: Sampled::Read(reads), ..*seen });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;

    fn arena(dir: &tempfile::TempDir) -> Arena {
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        Arena::open(&dir.path().join("sampler.arena"), &options).expect("an arena").0
    }

    /// A pass's reports, by key.
    fn pass(sampler: &mut Sampler, now: Time) -> HashMap<u64, Vec<Sampled>> {
        let mut told: HashMap<u64, Vec<Sampled>> = HashMap::new();
        sampler.pass(now, &mut |seen| told.entry(seen.hash).or_default().push(seen.event)).expect("there");
        told
    }

    #[test]
    fn a_pass_tells_what_has_happened_since_the_last() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = arena(&dir);
        let now = Time::now();
        let set = |key: &[u8], value: &[u8]| arena.set(key, value, Deadline::NEVER, now).expect("room");
        set(b"there", b"1");
        set(b"hot", b"1");
        (0..100).for_each(|_| assert!(arena.find(b"hot", now).is_some()));
        let mut sampler = arena.sample(1.0);
        let mut next = |expected: &[(&[u8], &[Sampled])]| {
            let expected: HashMap<u64, Vec<Sampled>> =
                expected.iter().map(|(key, events)| (arena.core.hasher.hash(key), events.to_vec())).collect();
            assert_eq!(pass(&mut sampler, now), expected);
        };
        next(&[(b"there", &[Sampled::There]), (b"hot", &[Sampled::There])]);
        next(&[]);
        // A read of an item whose hint says all that it can say is seen as well.
        assert!(arena.find(b"hot", now).is_some() && arena.find(b"there", now).is_some());
        assert!(arena.find(b"there", now).is_some() && arena.find(b"nowhere", now).is_none());
        next(&[(b"hot", &[Sampled::Read(1)]), (b"there", &[Sampled::Read(2)])]);
        next(&[]);
        set(b"there", b"2");
        set(b"new", b"1");
        assert!(arena.find(b"new", now).is_some() && arena.peek(b"hot", now).is_some());
        next(&[(b"there", &[Sampled::Replaced]), (b"new", &[Sampled::Stored, Sampled::Read(1)])]);
        set(b"there", b"33");
        assert!(arena.find(b"there", now).is_some());
        assert!(arena.delete(b"new", now).expect("free"));
        next(&[(b"there", &[Sampled::Replaced, Sampled::Read(1)]), (b"new", &[Sampled::Deleted])]);
        arena.flush().expect("there");
        set(b"hot", b"2");
        next(&[(b"there", &[Sampled::Deleted]), (b"hot", &[Sampled::Deleted, Sampled::Stored])]);
    }

    #[test]
    fn an_end_is_no_deletion_and_a_watch_leaves_no_marks() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = arena(&dir);
        let now = Time::now();
        let later = Time(now.0 + 10);
        arena.set(b"short", b"1", Deadline::after(now, 5), now).expect("room");
        let mut sampler = arena.sample(1.0);
        assert_eq!(pass(&mut sampler, now).len(), 1);
        arena.set(b"short", b"2", Deadline::NEVER, later).expect("room");
        let hash = arena.core.hasher.hash(b"short");
        assert_eq!(pass(&mut sampler, later), HashMap::from([(hash, vec![Sampled::Stored])]));
        drop(sampler);
        for shard in 0..arena.core.shards.len() {
            for bucket in 0..arena.core.index.buckets(shard) {
                assert!(arena.core.index.spots(shard, bucket).all(|spot| spot.frequency() & WATCHED == 0));
            }
        }
    }

    /// A cache that is always full, whose index grows and whose drains move and evict items: none of that is a request.
    /// Reports match the operations, key by key.
    #[test]
    fn drains_and_splits_are_no_events() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = arena(&dir);
        let now = Time::now();
        // These are read so often that most of their reads are not told: in some samples they are most of all.
        const HOT: u64 = 8;
        let hot: Vec<u64> = (0..HOT).map(|number| arena.core.hasher.hash(&number.to_ne_bytes())).collect();
        let is_hot = |hash: u64| hot.contains(&hash);
        for share in [1.0, 0.25] {
            let mut sampler = arena.sample(share);
            pass(&mut sampler, now);
            let mut told = [0u64; 3];
            let mut done = [0u64; 2];
            let mut random = 1u64;
            for step in 0..60_000u64 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Few keys are asked for often, many seldom.
                let number = (random >> 33) % (1 << ((random >> 28) % 18));
                let key = number.to_ne_bytes();
                let is_of_sample = u64::from(arena.core.hasher.hash(&key) as u32 % PARTS) < (share * 4096.0) as u64;
                if arena.find(&key, now).is_some() {
                    done[0] += u64::from(is_of_sample && number >= HOT);
                } else {
                    done[1] += u64::from(is_of_sample);
                    arena.set(&key, &[7; 600], Deadline::NEVER, now).expect("room");
                }
                if step % 200 == 0 {
                    sampler
                        .pass(now, &mut |seen| match seen.event {
                            Sampled::Read(reads) => told[0] += if is_hot(seen.hash) { 0 } else { u64::from(reads) },
                            Sampled::Stored => told[1] += 1,
                            _ => told[2] += 1,
                        })
                        .expect("there");
                }
            }
            println!("of a share of {share}: reads and stores {done:?}, told {told:?}");
            assert!(told[0] <= done[0] && told[0] * 2 >= done[0], "reads: {done:?} told {told:?}");
            // An item stored, evicted and stored again between two passes is reported as one store, or as a
            // replacement.
            assert!(told[1].abs_diff(done[1]) * 25 <= done[1], "stores: {done:?} told {told:?}");
            assert!(told[2] * 25 <= done[1], "replaced or deleted: {done:?} told {told:?}");
            assert!(arena.verify().is_clean(), "{:?}", arena.verify());
        }
        assert!(arena.stats().evicted > 0, "nothing was drained");
    }
}

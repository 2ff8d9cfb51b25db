//! Everything behind an `Arena`: the parts of its memory, the registered processes, and the state of this process. They
//! are put together here; the modules above use them.
use crate::epoch;
use crate::hash::Hasher;
use crate::index::{Index, SlotWord, Spot};
use crate::item::{Items, View};
use crate::map::file::OpenOptions;
use crate::map::geometry::RegionId;
use crate::map::layout::{Control, JournalRing, LeaseSlot, ServiceSlot, Shard, LEASES_PER_SHARD, PARENTS, SERVICES};
use crate::map::mapping::Table;
use crate::map::Map;
use crate::policy::EvictionPolicy;
use crate::presence::Presence;
use crate::process_local::{Met, Pause, Reads, Receiving, Sending, Touched};
use crate::segment::Segments;
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::time::Moment;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Called with each item that is evicted, and the hash of its key.
pub(crate) type TellEvicted = Box<dyn Fn(&Core, u64, &Spot<'_>, &View) + Send + Sync>;

pub(crate) struct Core {
    /// Which of all that this process has opened: an address may come back as another arena's.
    pub number: u64,
    pub lock_timeout: Duration,
    /// Whether this process drops living items, if the arena's policy lets it.
    pub evicts: bool,
    pub presence: Presence,
    pub reads: Reads,
    /// Per shard: its lock's owner would not go on.
    pub stuck: Vec<Pause>,
    /// The holder of the file lock would not go on.
    pub growth_stuck: Pause,
    /// Threads that do not wait met the file lock held.
    pub growth_held: Met,
    /// Fills of others would not go on.
    pub fills_stuck: Pause,
    /// Per shard: its index could not grow.
    pub index_full: Vec<Pause>,
    pub touched: Touched,
    pub sending: Sending,
    pub receiving: Receiving,
    /// The shard at which `Arena::tend` goes on.
    pub tended: AtomicUsize,
    /// Callback for evictions by this process.
    pub tell_evicted: OnceLock<TellEvicted>,
    /// This process does not write to the journal.
    pub is_unwatched: AtomicBool,
    control: Table<Control>,
    pub shards: Table<Shard>,
    pub hasher: Hasher,
    pub segments: Segments,
    pub index: Index,
    pub items: Items,
    pub ghosts: Table<AtomicU32>,
    pub leases: Table<LeaseSlot>,
    pub parents: Table<AtomicU64>,
    pub services: Table<ServiceSlot>,
    journal: Option<Table<JournalRing>>,
    // Last, so that the views above never outlive it.
    pub map: Map,
}

/// The number of the next arena that this process opens. No arena has 0.
static OPENED: AtomicU64 = AtomicU64::new(1);

impl Drop for Core {
    fn drop(&mut self) {
        // A process that ends normally publishes its counters.
        if !self.is_lost() {
            self.reads.publish();
        }
    }
}

impl Core {
    pub fn new(map: Map, options: &OpenOptions) -> io::Result<Core> {
        let geometry = &map.geometry;
        let shards = geometry.shards() as usize;
        let pauses = || (0..shards).map(|_| Pause::default()).collect();
        // SAFETY: each of these types consists of atomics only.
        let core = unsafe {
            let processes = map.table(RegionId::Processes, geometry.process_slots as usize);
            let (control, shards) = (map.table(RegionId::Control, 1), map.table(RegionId::Shards, shards));
            Core {
                number: OPENED.fetch_add(1, Ordering::Relaxed),
                lock_timeout: options.lock_timeout,
                evicts: options.evict,
                presence: Presence::new(processes, Arc::clone(&map.host), options.lock_timeout)?,
                reads: Reads::new(control, shards),
                stuck: pauses(),
                growth_stuck: Pause::default(),
                growth_held: Met::default(),
                fills_stuck: Pause::default(),
                index_full: pauses(),
                touched: Touched::new(geometry),
                sending: Sending::default(),
                receiving: Receiving::default(),
                tended: AtomicUsize::new(0),
                tell_evicted: OnceLock::new(),
                is_unwatched: AtomicBool::new(false),
                control,
                shards,
                hasher: Hasher::new(geometry),
                segments: Segments::new(&map),
                index: Index::new(&map),
                items: Items::new(map.data(), geometry),
                ghosts: map.table(RegionId::Ghosts, shards.len() * geometry.ghosts as usize),
                leases: map.table(RegionId::Leases, shards.len() * LEASES_PER_SHARD),
                parents: map.table(RegionId::Parents, PARENTS),
                services: map.table(RegionId::Services, SERVICES),
                journal: (geometry.region(RegionId::Journal).len != 0).then(|| map.table(RegionId::Journal, 1)),
                map,
            }
        };
        Ok(core)
    }

    #[inline]
    pub fn control(&self) -> &Control {
        self.control.at(0)
    }

    /// Which living items this process may drop.
    pub fn policy(&self) -> EvictionPolicy {
        if self.evicts {
            EvictionPolicy::of_word(self.control().resize.policy.load(Ordering::Relaxed))
        } else {
            EvictionPolicy::None
        }
    }

    /// None: the arena was made without one.
    pub fn journal(&self) -> Option<&JournalRing> {
        self.journal.as_ref().map(|table| table.at(0))
    }

    #[inline]
    pub fn is_lost(&self) -> bool {
        self.map.is_lost()
    }

    /// The flush epoch of this moment; carries out a delayed flush whose time has come.
    #[inline]
    pub fn epoch(&self, now: impl Moment) -> u32 {
        epoch::present(self.control(), now)
    }

    /// The item that a slot word of `shard` points at, if it can be one. Under the lock every word of a sound arena
    /// can.
    #[inline]
    pub fn item_behind(&self, shard: usize, word: SlotWord) -> Option<View> {
        let segment = self.segments.containing(word.at())?;
        let state = self.segments.state(segment);
        if !state.holds_items_of(shard) {
            return None;
        }
        self.items.view(&self.segments, segment, word.at())
    }

    /// An item's key.
    pub fn key_of(&self, view: &View) -> Vec<u8> {
        let mut key = Vec::new();
        self.items.data.append_to(view.key(), view.header.key_len(), &mut key);
        key
    }

    /// The hash of an item's key.
    pub fn hash_of(&self, view: &View) -> u64 {
        self.hasher.hash_at(&self.items.data, view.key(), view.header.key_len())
    }
}

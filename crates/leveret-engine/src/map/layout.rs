//! The fixed structs in an arena's regions. docs/memory-layout.md draws the same picture for people; the assertions
//! below keep both honest. Native endian: an arena never leaves its machine.
use crate::program::PROGRAMS;
use crate::sync::{AtomicU32, AtomicU64, AtomicU8};

/// Processes that may be registered at once.
pub(crate) const PROCESS_SLOTS: u32 = 1024;
/// Leases of one shard.
pub(crate) const LEASES_PER_SHARD: usize = 32;
/// Parents of workers that are remembered.
pub(crate) const PARENTS: usize = 64;

/// The arena's few global words. Guarded by nothing: each is one atomic word.
#[repr(C)]
pub(crate) struct Control {
    /// `{at: high 32, epoch: low 32}`: items of another epoch are flushed; `at` != 0 is a flush still to come.
    pub flush: AtomicU64,
    /// Segments `0..active` are allocated. Grows only, under the file lock.
    pub active_segments: AtomicU32,
    _spare: AtomicU32,
    /// Unix time at which hits, misses and stores were last counted from 0 again, 0 = when the arena was made.
    pub cleared_unix: AtomicU64,
    /// By `journal::Topic`: until when a watcher asks for it, 0 = none does. In the cache line of `flush`, which each
    /// read loads.
    pub watched: [AtomicU32; TOPICS],
    _line0: [AtomicU64; 3],
    /// Reads by `Program`, as processes hand them in.
    pub reads: [ReadsOfProgram; PROGRAMS],
    pub holds: Holds,
    pub refused: Refused,
    _line1: [AtomicU64; 40 - 8 * PROGRAMS],
    pub tags: Tags,
    pub resize: Resize,
    _reserved: [AtomicU64; 424],
}

/// Reserved by layout 2 and zero: how often a tag was forgotten, alone in its line.
#[repr(C)]
pub(crate) struct Tags {
    pub serial: AtomicU64,
    _reserved: [AtomicU64; 7],
}

/// Reserved by layout 2 and zero, except `policy`.
#[repr(C)]
pub(crate) struct Resize {
    /// The memory limit in bytes; 0 = that of the superblock.
    pub limit: AtomicU64,
    /// The process that closes the arena.
    pub closer: AtomicU64,
    /// The flush word from before.
    pub flush_before: AtomicU64,
    pub tags_ready: AtomicU32,
    /// Counts how often memory was given back.
    pub punched: AtomicU32,
    /// An `EvictionPolicy`.
    pub policy: AtomicU32,
    _spare: AtomicU32,
    _reserved: [AtomicU64; 3],
}

/// How long shards' locks were held, of those sections that were timed: `shard/hold_timer.rs`.
#[repr(C)]
pub(crate) struct Holds {
    pub ns: AtomicU64,
    /// By `hold_timer::BOUNDS_NS`, and one more.
    pub buckets: [AtomicU64; 8],
    _reserved: [AtomicU64; 7],
}

/// Writes that found no room: `make_room.rs`.
#[repr(C)]
pub(crate) struct Refused {
    /// Nothing could be freed.
    pub no_memory: AtomicU64,
    /// Others held what could be, for the whole lock timeout.
    pub busy: AtomicU64,
    /// Unix time of the last one, 0 = there was none.
    pub at: AtomicU64,
    _reserved: [AtomicU64; 5],
}

/// What the processes of one kind have read: a cache line.
#[repr(C)]
pub(crate) struct ReadsOfProgram {
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    /// Of `hits`, those of values that a process had decoded before.
    pub decoded: AtomicU64,
    _reserved: [AtomicU64; 5],
}

/// One registered process. Written by the process that holds the life lock of this slot.
#[repr(C)]
pub(crate) struct ProcessSlot {
    /// Counts the registrations of this slot; a lock word with another number has a dead owner.
    pub incarnation: AtomicU32,
    /// For people, and with what follows for the accelerator of `Presence::is_dead`; alone never a proof.
    pub pid: AtomicU32,
    pub start_time: AtomicU64,
    pub pid_namespace: AtomicU64,
    /// A `Program`.
    pub program: AtomicU32,
    /// Reserved by layout 2 and zero: features that this process knows, behind 24 bits of its incarnation.
    pub knows: AtomicU32,
    _reserved: [AtomicU64; 4],
}

/// Counters of a shard, written under its lock, except those of reads.
pub(crate) const COUNTERS: usize = 24;

/// One shard: a lock and the state that it guards. Fields are grouped into cache lines by writer and by subject.
#[repr(C)]
pub(crate) struct Shard {
    // Line 0: contended by writers, `shard/lock.rs`.
    pub lock: AtomicU64,
    _line0: [AtomicU64; 7],
    // Line 1: read by everyone; written by splits (`shard/edit.rs`) and growth.
    pub buckets: AtomicU32,
    pub chunks: AtomicU32,
    /// Changes when a split has published a new bucket: a reader that missed looks again.
    pub move_seq: AtomicU64,
    _line1: [AtomicU64; 6],
    // Lines 2 and 3: written under the lock.
    pub given: Given,
    /// Open segments + 1, a hint of `shard/allocate.rs` for the scan of the segment states.
    pub open: [AtomicU32; OPEN_PER_SHARD],
    pub tally: Tally,
    pub eviction: Eviction,
    pub drain: Drain,
    pub counters: [AtomicU64; COUNTERS],
    // The last line: written under the lock.
    pub survey: SurveyState,
}

/// The last numbers that were given out.
#[repr(C)]
pub(crate) struct Given {
    /// Of a use of a segment: `shard/allocate.rs`. Also advanced by large fills, which do not hold the lock.
    pub generation: AtomicU64,
    /// Of an explicit cas: `shard/token.rs`.
    pub cas: AtomicU64,
}

/// Counts of the shard's part of the index. `shard/edit.rs` updates them with each slot that it fills or empties;
/// `recover.rs` and `sweep.rs` count again.
#[repr(C)]
pub(crate) struct Tally {
    /// Slots in use, flushed items included: what the index grows by. A hint, as all here.
    pub occupied: AtomicU64,
    /// Live items of the flush epoch `epoch`; none of any other.
    pub items: AtomicU64,
    pub epoch: AtomicU32,
    /// Where the search for a free overflow bucket begins.
    pub overflow_hint: AtomicU32,
}

/// What tells `evict/` when there is something to look for.
#[repr(C)]
pub(crate) struct Eviction {
    /// No segment of this shard expires as a whole before this moment: `allocate.rs` draws it nearer.
    pub next_expiry: AtomicU32,
    /// Counts, so that every so often a write looks whether a segment has expired.
    pub writes: AtomicU32,
    /// Counts the ghosts that `evict/ghosts.rs` has written: which of its set's places the next one takes.
    pub ghost_turn: AtomicU32,
    /// Set when a write had to evict: until this moment segments are drained ahead of the writes that will need them.
    /// `NEVER` in an arena at its limit; soon where it could not grow just now.
    pub needed_until: AtomicU32,
    /// Bytes of items that died since the last survey of which segments they have left hollow.
    pub dead_bytes: AtomicU64,
}

/// The drain that is under way, or the survey for the next one: `evict/drain.rs`. Notes, not the truth: recovery throws
/// them away.
#[repr(C)]
pub(crate) struct Drain {
    /// Which use of which segment is drained; 0: none; u64::MAX: none yet, the segments are being surveyed.
    pub word: AtomicU64,
    /// Bytes of its segment that are behind it.
    pub at: AtomicU32,
    /// Bytes that it may still keep.
    pub budget: AtomicU32,
    /// Which items it keeps, and its counts so far.
    pub state: AtomicU32,
    /// From which worth on items are kept, for `evict/worth.rs`; 0: nothing was learnt yet. It stays from drain to drain.
    pub threshold: AtomicU32,
    /// Unused budget of earlier drains by worth, bytes: the next drain may keep this much more.
    pub carried: AtomicU32,
    _spare: AtomicU32,
}

/// Progress and findings of a survey of the segments. A segment is stored as its number + 1; 0 = none. Notes, as those
/// of a drain.
#[repr(C)]
pub(crate) struct SurveyState {
    /// The next segment, without the + 1.
    pub next: AtomicU32,
    pub dead: AtomicU32,
    pub hollowest: AtomicU32,
    pub oldest_small: AtomicU32,
    pub oldest_main: AtomicU32,
    pub next_expiry: AtomicU32,
    /// Numbers of segments: of the small pool, of the shard, of all shards.
    pub small: AtomicU32,
    pub all: AtomicU32,
    pub held: AtomicU32,
    /// How many times as fast as usual surveys and drains go on, for `evict/mod.rs`; 0: as usual.
    pub speed_up: AtomicU32,
    _spare: [AtomicU32; 6],
}

/// Four open segments for each of the two pools.
pub(crate) const OPEN_PER_SHARD: usize = 8;

/// Bytes of a segment's state and of its header; `segment/` defines their contents.
pub(crate) const SEGMENT_STATE: u64 = 16;
pub(crate) const SEGMENT_HEADER: u64 = 64;

/// Number of topics that a watcher can ask for.
pub(crate) const TOPICS: usize = 4;

/// Entries in the journal; new ones overwrite the oldest.
pub(crate) const JOURNAL_ENTRIES: usize = if cfg!(model) { 2 } else { 2048 };
/// Words of an entry after its checksum: 5 of description, then the key.
pub(crate) const ENTRY_WORDS: usize = 39;

/// The ring of operations for watchers: `journal/`.
#[repr(C)]
pub(crate) struct JournalRing {
    /// Number of entries ever begun.
    pub begun: AtomicU64,
    _line0: [AtomicU64; 7],
    pub entries: [JournalEntry; JOURNAL_ENTRIES],
}

/// One entry; complete if its checksum matches.
#[repr(C)]
pub(crate) struct JournalEntry {
    pub checksum: AtomicU64,
    pub words: [AtomicU64; ENTRY_WORDS],
}

/// Services of an arena that can be announced at once.
pub(crate) const SERVICES: usize = 64;
/// Bytes of a service's text.
pub(crate) const SERVICE_TEXT_MAX: usize = 232;

/// One announced service. Taken by a compare-exchange of the owner word, then written by its owner alone.
#[repr(C)]
pub(crate) struct ServiceSlot {
    /// 0 = free.
    pub owner: AtomicU64,
    /// The owner word again, once all that follows is written.
    pub sealed: AtomicU64,
    /// Counts the uses of the slot.
    pub uses: AtomicU32,
    pub len: AtomicU32,
    pub text: [AtomicU64; SERVICE_TEXT_MAX / 8],
}

/// One right to compute a missing value. Given under the shard lock; given back by a compare-exchange of the owner
/// word.
#[repr(C)]
pub(crate) struct LeaseSlot {
    pub key_hash: AtomicU64,
    /// 0 = free.
    pub owner: AtomicU64,
    pub serial: AtomicU32,
    pub futex: AtomicU32,
    /// Another process may take over from this moment on.
    pub until: AtomicU32,
    _reserved: AtomicU32,
}

/// Slots of a bucket.
pub(crate) const SLOTS: usize = 7;

/// One cache line of the index.
#[repr(C)]
pub(crate) struct Bucket {
    /// Per slot `freq:4 | fetched:1 | watched:1`; the only bytes that readers write. The eighth is reserved.
    pub frequency: [AtomicU8; SLOTS],
    _reserved: AtomicU8,
    pub slots: [AtomicU64; SLOTS],
}

pub(crate) const BUCKET_SIZE: u64 = 64;

const _: () = {
    assert!(size_of::<Control>() == 4096 && align_of::<Control>() == 8);
    assert!(core::mem::offset_of!(Resize, policy) == 32);
    assert!(core::mem::offset_of!(Control, tags) == 576 && core::mem::offset_of!(Control, resize) == 640);
    assert!(size_of::<ProcessSlot>() == 64 && core::mem::offset_of!(ProcessSlot, knows) == 28);
    assert!(size_of::<Shard>() == 512 && core::mem::offset_of!(Shard, counters) == 256);
    assert!(size_of::<SurveyState>() == 64);
    assert!(core::mem::offset_of!(Shard, buckets) == 64 && core::mem::offset_of!(Shard, given) == 128);
    assert!(core::mem::offset_of!(Shard, open) == 144 && core::mem::offset_of!(Shard, tally) == 176);
    assert!(core::mem::offset_of!(Shard, eviction) == 200 && core::mem::offset_of!(Shard, drain) == 224);
    assert!(size_of::<LeaseSlot>() == 32);
    assert!(size_of::<JournalEntry>() == 320 && core::mem::offset_of!(JournalRing, entries) == 64);
    assert!(size_of::<ServiceSlot>() == 256 && SERVICES * size_of::<ServiceSlot>() == 16 << 10);
    assert!(size_of::<Bucket>() == BUCKET_SIZE as usize);
    assert!(cfg!(target_pointer_width = "64"), "arenas are mapped whole: 64-bit machines only");
};

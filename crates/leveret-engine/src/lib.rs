//! One cache per host, in shared memory. Any process maps an arena's file and reads items without a lock or a system
//! call. Writers take the lock of a shard, whose owner's death can be proved. Data survives SIGKILL of any process at
//! any instruction.
//!
//! ```
//! use leveret_engine::{Arena, Deadline, OpenOptions, Time};
//!
//! // An arena of this process and its forks. `Arena::open` takes a path, for all processes that may open it.
//! let (arena, _) = Arena::of_this_process(&OpenOptions::new())?;
//! let now = Time::now();
//! arena.set(b"greeting", b"hello", Deadline::after(now, 60), now)?;
//! assert_eq!(arena.get(b"greeting", now).expect("just stored").value, b"hello");
//! assert!(arena.delete(b"greeting", now)?);
//! assert!(arena.get(b"greeting", now).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A miss is `None`, and a store whose terms do not hold is [`Stored::Exists`] or [`Stored::Missing`]: those are
//! results. An [`Error`] says why an operation failed.
//!
//! ```
//! use leveret_engine::{Arena, Deadline, Delta, Counted, Mode, Meta, OpenOptions, ReadOptions, Stored, Time, Value};
//! # let (arena, _) = Arena::of_this_process(&OpenOptions::new())?;
//! let (now, never) = (Time::now(), Deadline::NEVER);
//! let add = |value| arena.store(b"lock", Value::Bytes(value), Meta::default(), never, Mode::Add, now);
//! assert!(matches!(add(b"mine")?, Stored::Stored { .. }));
//! assert_eq!(add(b"yours")?, Stored::Exists);
//!
//! // A version is named by its cas.
//! let cas = arena.get_with(b"lock", ReadOptions::new().with_cas(), now)?.expect("it is there").cas;
//! arena.set(b"lock", b"another", never, now)?;
//! assert_eq!(arena.store(b"lock", Value::Bytes(b"late"), Meta::default(), never, Mode::Cas(cas), now)?, Stored::Exists);
//!
//! assert_eq!(arena.count(b"visits", Delta::Increment(1), Some((1, never)), now)?, Counted::Value(1));
//! assert_eq!(arena.count(b"visits", Delta::Increment(1), None, now)?, Counted::Value(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Besides its value an item has 32 bits of flags, an origin, an encoding and a codec: numbers below 16 on which programs
//! that share an arena agree.
//!
//! ```
//! # use leveret_engine::{Arena, Codec, Deadline, Encoding, Meta, Mode, OpenOptions, Time, Value};
//! # let (arena, _) = Arena::of_this_process(&OpenOptions::new())?;
//! # let now = Time::now();
//! const JSON: Encoding = Encoding::new(8);
//! const ZLIB: Codec = Codec::new(1);
//! let meta = Meta::native(JSON).with_codec(ZLIB).with_flags(7);
//! # let packed = b"";
//! arena.store(b"answer", Value::Bytes(packed), meta, Deadline::NEVER, Mode::Set, now)?;
//! assert_eq!(arena.get(b"answer", now).expect("just stored").meta, meta);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To read into memory of your own, find the item, make room, copy. A copy that fails met a writer: find it again.
//!
//! ```
//! # use leveret_engine::{Arena, Deadline, Now, OpenOptions, Time};
//! # let (arena, _) = Arena::of_this_process(&OpenOptions::new())?;
//! # arena.set(b"key", b"value", Deadline::NEVER, Time::now())?;
//! let mut room = [std::mem::MaybeUninit::uninit(); 64];
//! let value = loop {
//!     let found = arena.find(b"key", Now).expect("it is there");
//!     if let Some(value) = arena.copy_into(&found, &mut room) {
//!         break value;
//!     }
//! };
//! assert_eq!(value, b"value");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Threads, forks, signals
//! - An [`Arena`] is cheap to clone and used from any thread. A process has one mapping of a file, however often it is
//!   opened. No thread is started, and nothing runs but in a call.
//! - A child of `fork` uses the arenas that its parent has open; it registers as a process of its own at its first
//!   write. A ticket of a lease, an announcement, a value on its way from or to a socket stay those of the process that
//!   made them: a child must not use or drop its copies. It must not be forked in the middle of a write of its own
//!   thread, which takes a signal handler that forks.
//! - A signal handler may read. A write from a handler that has interrupted a write of its own thread is refused with
//!   [`Error::Busy`]. A handler may leave such a write by `longjmp`: the thread's next write that does not lie deeper in
//!   its stack repairs what was left.
//! - The process gets a handler of SIGBUS, for truncated arena files; faults elsewhere go to the handler that was
//!   installed before.
//! - Arenas of at most 64 files are open in one process at a time.
//!
//! # What it needs
//! Linux on 64 bits, and a file system that keeps locks of open file descriptions: tmpfs, ext4, xfs or btrfs.
//! x86-64 is tested completely; aarch64 under an emulator, which does not reorder memory accesses.
//!
//! # How it works
//! **The crash argument in one line:** the truth is in two kinds of 8-byte words, index slots and segment state words;
//! every operation commits with one store to one of them, and the next lock owner rebuilds everything else.
//!
//! The way of a get: `lookup`: `index` (slot) -> `segment` (generation) -> `item` (bytes) -> generation again. The way of
//! a set, in `shard`: `enter` (lock) -> `edit` (locate) -> `allocate` (reserve) -> `item` (write) -> one store to the slot.
//! Making room is `make_room` and `evict`; recovery after a kill is `shard::recover`. The file's bytes are `map`, the
//! registered processes `presence`. ARCHITECTURE.md draws the layers, docs/memory-layout.md the bytes.
// Features only remove entry points: data that others wrote with them is still understood.
#![cfg_attr(not(all(feature = "sockets", feature = "services", feature = "leases")), allow(dead_code))]

#[cfg(not(target_os = "linux"))]
compile_error!(
    "leveret-engine needs Linux: life signs are OFD locks held by mappings, and forks are told by MADV_WIPEONFORK"
);
#[cfg(not(target_pointer_width = "64"))]
compile_error!(
    "leveret-engine needs a 64-bit target: arenas of up to 1 TiB are mapped whole, and their words have 64 bits"
);

mod amend;
mod append;
mod arena;
mod core;
mod count;
mod counters;
mod crc;
mod delete;
mod epoch;
mod error;
mod evict;
mod evicted;
mod expired;
mod fate;
mod flush;
mod fork;
mod found;
mod growth;
mod hand_out;
mod hash;
mod huge_pages;
mod index;
mod item;
mod journal;
mod large;
#[cfg(feature = "leases")]
mod lease;
mod limits;
mod lineage;
mod lookup;
mod make_room;
mod map;
mod meta;
#[cfg(model)]
mod models;
mod open;
mod parent;
mod patience;
mod pid;
mod policy;
mod prefetch;
mod presence;
mod process_local;
mod program;
mod read;
#[cfg(feature = "sockets")]
mod receive;
mod sampler;
mod scan;
mod segment;
mod send;
#[cfg(feature = "services")]
mod service;
#[cfg(all(test, not(model)))]
mod shapes;
mod shard;
mod stats;
mod sync;
mod tend;
mod terms;
mod time;
mod update;
mod verify;
mod write;

pub use amend::{Amendment, NewCas};
pub use arena::{remove, renew, Arena, OpenOptions};
pub use count::{CountTerms, Counted, CountedItem, CountedSigned, Delta};
pub use crc::crc32;
pub use error::{reason, Error, OpenError, MEMORY_MAX, MEMORY_MIN};
pub use evicted::Evicted;
pub use expired::Swept;
pub use fork::prepare_for_forks;
pub use found::{Found, Item, Missed, Version};
pub use huge_pages::HugePages;
pub use journal::reader::Journal;
pub use journal::{Action, Entry, ModeKind, StoreOutcome, Topic};
#[cfg(feature = "leases")]
pub use lease::{Lease, Ticket, LEASE_TIMEOUT};
pub use map::folder::{check_folder, is_trusted_owner};
pub use map::geometry::FORMAT as LAYOUT_VERSION;
pub use meta::{Codec, Encoding, Marks, Meta, Origin};
pub use parent::parent_token;
pub use patience::never_wait;
pub use pid::process_id;
pub use policy::EvictionPolicy;
pub use prefetch::AHEAD;
pub use program::Program;
pub use read::ReadOptions;
#[cfg(feature = "sockets")]
pub use receive::Incoming;
pub use sampler::{Sampled, Sampler, Seen};
pub use scan::{Cursor, Iter, Scanned, WalkRecord};
#[cfg(feature = "sockets")]
pub use send::{Outgoing, SendError};
#[cfg(feature = "services")]
pub use service::{Announcement, Service};
pub use stats::Stats;
pub use tend::Tended;
pub use terms::{Mode, Stored, Terms, Value};
pub use time::{Deadline, Moment, Now, Time, EXPTIME_RELATIVE_MAX};
pub use verify::Report;

/// The page that a registry shows holds an example, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

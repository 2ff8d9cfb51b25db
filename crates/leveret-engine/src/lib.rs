//! One cache per host, in shared memory. Any process maps an arena's file and reads items without a lock or a system
//! call; writers take a shard's lock whose owner's death can be proved. A process killed at any instruction harms
//! nobody.
//!
//! **The crash argument in one line:** truth is only in two kinds of 8-byte words, index slots and segment state words;
//! every operation commits with one store to one of them, and all else is a hint that the next lock owner rebuilds.
//!
//! The way of a get: `read` -> `index` (slot) -> `segment` (generation) -> `item` (bytes) -> generation again. The way
//! of a set: `write` -> `lock` -> `index` (locate) -> `segment` (reserve) -> `item` (write) -> one store to the slot.
//! Making room is `evict`; what a kill left behind is `recover`. The bytes: `map`; who lives: `presence`. Their layout:
//! docs/memory-layout.md.
mod ahead;
mod amend;
mod arena;
mod core;
mod count;
mod counters;
mod drain;
mod epoch;
mod error;
mod evict;
mod flush;
mod found;
mod growth;
mod hash;
mod index;
mod item;
mod large;
mod lease;
mod lock;
mod map;
mod master;
mod meta;
#[cfg(model)]
mod models;
mod own;
mod pid;
pub mod place;
mod presence;
mod read;
mod receive;
mod recover;
mod scan;
mod segment;
mod send;
mod service;
mod stats;
mod sync;
mod time;
mod token;
mod verify;
mod write;

pub use ahead::AHEAD;
pub use amend::{Amendment, NewCas};
pub use arena::{remove, Arena, OpenOptions};
pub use count::{CountTerms, Counted, CountedItem, Delta};
pub use error::{reason, Error, OpenError, MEMORY_MAX, MEMORY_MIN};
pub use found::{Found, Item, Version};
pub use lease::{Lease, Ticket, LEASE_TIMEOUT};
pub use map::geometry::FORMAT as LAYOUT_VERSION;
pub use master::master_token;
pub use meta::{Encoding, Meta, Origin, STALE, WON};
pub use pid::process_id;
pub use receive::Incoming;
pub use scan::{Cursor, Iter};
pub use send::{Outgoing, SendError};
pub use service::{Announcement, Service};
pub use stats::Stats;
pub use time::{Deadline, Moment, Now, Time};
pub use verify::Report;
pub use write::{Mode, Stored, Terms, Value};

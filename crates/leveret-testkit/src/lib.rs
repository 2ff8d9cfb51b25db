//! Proofs of the engine that need whole processes: kills at every instruction, storms of SIGKILLs, generated traces
//! against an exact LRU, random operations against a model, damaged files. docs/testing.md says what each proof shows
//! and how to run it longer.
//!
//! Everything here is driven by a printed seed and by processes that are really forked and really killed. The binaries
//! are single-threaded on purpose: a fork of a process with one thread is an ordinary process.

pub mod arena_copy;
pub mod corrupt;
pub mod full;
pub mod holds;
pub mod kill;
pub mod layout;
pub mod model;
pub mod operation;
pub mod operations;
pub mod oracle;
pub mod own;
pub mod policy;
pub mod process;
mod redis_operations;
pub mod resp;
pub mod rng;
pub mod scratch;
pub mod seeded;
pub mod shared;
pub mod sizes;
pub mod soak;
pub mod stepper;
pub mod stores;
pub mod storm;
pub mod survivors;
pub mod traces;
pub mod values;
pub mod watcher;
pub mod worker;

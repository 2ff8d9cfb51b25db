//! Replays request traces on an arena, which is the engine itself, and on other caches of the same memory, which are
//! modelled here: how often does each miss? Behind `leveret simulate` and the tests of the eviction policy.
//!
//! `trace` reads requests, `policy` has the caches, `replay` brings both together.
#![forbid(unsafe_code)]

mod outcome;
pub mod policy;
pub mod replay;
pub mod trace;

pub use outcome::ReplayOutcome;
pub use policy::{CachedItem, Policy};
pub use replay::{replay, Scale};
pub use trace::{Trace, TraceOp, TraceRequest};

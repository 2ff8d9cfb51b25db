//! Models: the engine's own code, run in every way that the threads of a few processes can meet, with every value that a
//! processor may show them (`checker.rs`). docs/proof.md says what each one holds, and what is weakened to see that it
//! would be caught.
//!
//! Built with `RUSTFLAGS="--cfg model"`, which puts `memory.rs` and `sync.rs` in the place of the atomics, `copy.rs` in
//! that of the copies and `host.rs` in that of the kernel. Nothing else of the engine is changed. Each thread of a model
//! is a process with a `Core` of its own over one memory (`world.rs`).
//!
//! `./x model` runs their long forms, `./x test` the short ones.
#![cfg_attr(not(test), allow(dead_code))]
mod checker;
mod death;
pub(crate) mod memory;
pub(crate) mod sync;

#[cfg(test)]
mod before;
#[cfg(test)]
mod count;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod fill;
#[cfg(test)]
mod flush;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod lease;
#[cfg(test)]
mod litmus;
#[cfg(test)]
mod lock;
#[cfg(test)]
mod parent;
#[cfg(test)]
mod read;
#[cfg(test)]
mod service;
#[cfg(test)]
mod split;
#[cfg(test)]
mod watch;
#[cfg(test)]
mod world;

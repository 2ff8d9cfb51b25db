//! Eviction: which segment goes, emptying it bit by bit, and what is worth being kept. Each file uses only those above it
//! in this list.
pub(crate) mod ghosts;

pub(crate) mod worth;

pub(crate) mod drain;

pub(crate) mod survey;

//! What the owner of a shard's lock does. Each file uses only those above it in this list.
mod hold_timer;
mod locked;

pub(crate) mod allocate;
pub(crate) mod standstill;

pub(crate) mod lock;

pub(crate) mod pieces;

pub(crate) mod tell_evicted;

pub(crate) mod edit;
pub(crate) mod token;

pub(crate) mod relocate;

pub(crate) mod sweep;

pub(crate) mod put;
pub(crate) mod recover;

mod enter;

pub(crate) use enter::{lock, try_lock, under_lock};
pub(crate) use locked::Locked;

//! Arenas of this host in place of a server: one that was named, or one that a server of this host serves.
pub(crate) mod execute;
mod opened;
pub(crate) mod short_cut;

//! `flush_all`.
use crate::context::Context;
use leveret_engine::{Deadline, Error};

/// Why nothing was flushed.
pub(crate) enum Unflushed {
    /// By `-F`.
    Forbidden,
    /// By the arena.
    Failed(Error),
}

/// Removes items stored before that moment.
pub(crate) fn flush(cx: &Context<'_>, at: Deadline) -> Result<(), Unflushed> {
    if !cx.shared.live.flush() {
        return Err(Unflushed::Forbidden);
    }
    let flushed = match at.time() {
        Some(at) if at > cx.now => cx.arena.flush_at(at),
        _ => cx.arena.flush(),
    };
    flushed.map_err(Unflushed::Failed)
}

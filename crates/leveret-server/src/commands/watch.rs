//! `watch`: from now on the connection only reports the requests of others.
use crate::context::Context;
use crate::transport::Transport;
use crate::watch::{Kinds, WatchRefused, Watching};

/// Why a connection does not watch.
pub(crate) enum Unwatched {
    /// By `-W`, or over UDP.
    Forbidden,
    /// No kind of event has this name.
    Unknown,
    /// Too many watch already.
    TooMany,
    /// There is no thread for it.
    Impossible,
}

/// Begins to watch what the words name.
pub(crate) fn watch<'w>(
    cx: &Context<'_>,
    transport: Transport,
    words: impl Iterator<Item = &'w [u8]>,
) -> Result<Watching, Unwatched> {
    if transport == Transport::Udp || !cx.shared.live.watch() {
        return Err(Unwatched::Forbidden);
    }
    let kinds = Kinds::parse(words).ok_or(Unwatched::Unknown)?;
    cx.shared.watch.begin(kinds, cx.worker.index).map_err(|refused| match refused {
        WatchRefused::TooMany => Unwatched::TooMany,
        WatchRefused::Impossible => Unwatched::Impossible,
    })
}

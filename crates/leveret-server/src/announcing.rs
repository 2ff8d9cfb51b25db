//! Where a server listens, written into its arena: clients of this host and other servers find it there.
use crate::log::{self, Level};
use crate::Settings;
use leveret_engine::{Announcement, Arena};

/// Writes the endpoints into the arena, where PHP and tools on this machine find them, and what these must know to
/// answer as the server does. Without it the server works for all other clients.
pub(crate) fn announce(arena: &Arena, settings: &Settings, endpoints: &[String]) -> Vec<Announcement> {
    settings.particulars().iter().chain(endpoints).filter_map(|text| announce_text(arena, text)).collect()
}

/// Announces one text. None: there is no room for it, which the log tells.
pub(crate) fn announce_text(arena: &Arena, text: &str) -> Option<Announcement> {
    let failed = |error: &_| {
        log::tell(Level::Warning, format_args!("{text} cannot be announced in the arena: {error}"));
    };
    arena.announce(text).inspect_err(failed).ok()
}

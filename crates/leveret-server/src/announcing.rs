//! Where a server listens, written into its arena: clients of this host and other servers find it there.
use crate::log::{self, Level};
use crate::Settings;
use leveret_engine::{Announcement, Arena};

/// What stands before the place of a server that is not to be passed by.
pub const GUARDED: &str = "guarded ";

/// Writes the endpoints into the arena, where PHP and tools on this machine find them, and what these must know to
/// answer as the server does. Without it the server is as good for everybody else.
pub(crate) fn announce(arena: &Arena, settings: &Settings, endpoints: &[String]) -> Vec<Announcement> {
    let told = |text: &String| {
        arena
            .announce(text)
            .inspect_err(|error| {
                log::tell(Level::Warning, format_args!("{text} cannot be announced in the arena: {error}"));
            })
            .ok()
    };
    settings.particulars().iter().chain(endpoints).filter_map(told).collect()
}

//! `stats` and its subjects: the same lists for both protocols, and for an arena without a server.
mod cachedump;
mod general;
mod items;
mod settings;
mod sizes;
mod usage;

use crate::Shared;
pub(crate) use usage::ProcessorTime;

/// The answer to one `stats`.
pub struct StatsList {
    /// `STAT name value`.
    pub lines: Vec<(String, String)>,
    /// Whole lines of another form, in the text protocol only.
    pub text: String,
    /// The last line; empty: there is none.
    pub end: &'static str,
}

impl StatsList {
    fn list(lines: Vec<(String, String)>) -> StatsList {
        StatsList { lines, text: String::new(), end: "END" }
    }

    fn word(end: &'static str) -> StatsList {
        StatsList { lines: Vec::new(), text: String::new(), end }
    }
}

/// Answers `stats WORDS`. None: there is no such subject.
pub fn answer(shared: &Shared, words: &[&[u8]]) -> Option<StatsList> {
    Some(match words {
        [] => StatsList::list(general::list(shared)),
        [b"settings"] => StatsList::list(settings::list(shared)),
        [b"items"] => StatsList::list(items::items(shared)),
        [b"slabs"] => StatsList::list(items::slabs(shared)),
        [b"sizes", ..] => sizes::answer(shared),
        [b"sizes_enable", ..] => sizes::switch(shared, true),
        [b"sizes_disable", ..] => sizes::switch(shared, false),
        [b"conns", ..] => StatsList::list(general::connections(shared)),
        [b"reset", ..] => {
            shared.reset_stats();
            StatsList::word("RESET")
        }
        [b"detail", b"on", ..] => {
            shared.prefixes.switch(true);
            StatsList::word("OK")
        }
        [b"detail", b"off", ..] => {
            shared.prefixes.switch(false);
            StatsList::word("OK")
        }
        [b"detail", b"dump", ..] => StatsList { lines: Vec::new(), text: shared.prefixes.dump(), end: "END" },
        [b"cachedump", words @ ..] => cachedump::answer(shared, words),
        [b"detail", ..] => StatsList::word("CLIENT_ERROR usage: stats detail on|off|dump"),
        _ => return None,
    })
}

/// A list in the making.
struct List(Vec<(String, String)>);

impl List {
    fn new() -> List {
        List(Vec::new())
    }

    fn add(&mut self, name: impl Into<String>, value: impl ToString) -> &mut List {
        self.0.push((name.into(), value.to_string()));
        self
    }
}

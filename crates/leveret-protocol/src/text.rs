//! The text protocol: classic commands and meta commands, one line each, stores with a data block behind it.
use crate::{Limits, Parsed};

/// How a store treats what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Always.
    Set,
    /// Only when there is no item.
    Add,
    /// Only when there is one.
    Replace,
    /// Behind the value.
    Append,
    /// Before the value.
    Prepend,
    /// Only the version with this number.
    Cas(u64),
}

/// The keys of a line, in its order; each is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Keys<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let begin = self.0.iter().position(|byte| *byte != b' ')?;
        let rest = &self.0[begin..];
        let (key, rest) = rest.split_at(memchr::memchr(b' ', rest).unwrap_or(rest.len()));
        self.0 = rest;
        Some(key)
    }
}

/// A request of the text protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `get` and, with cas numbers in the answer, `gets`.
    Get {
        /// At least one.
        keys: Keys<'a>,
        /// `gets`.
        with_cas: bool,
    },
    /// `gat` and `gats`.
    GetAndTouch {
        /// The new exptime, as on the wire.
        exptime: i64,
        /// At least one.
        keys: Keys<'a>,
        /// `gats`.
        with_cas: bool,
    },
    /// `set`, `add`, `replace`, `append`, `prepend`, `cas`.
    Store {
        /// Which of them.
        verb: Verb,
        /// The key.
        key: &'a [u8],
        /// The client's flags.
        flags: u32,
        /// As on the wire: negative = dead already, up to 30 days = seconds from now, above = Unix time.
        exptime: i64,
        /// The data block, whole.
        value: &'a [u8],
        /// No answer is wanted.
        noreply: bool,
    },
    /// `delete`.
    Delete {
        /// The key.
        key: &'a [u8],
        /// No answer is wanted.
        noreply: bool,
    },
    /// `incr` and `decr`.
    Count {
        /// The key.
        key: &'a [u8],
        /// By how much.
        delta: u64,
        /// `decr`.
        is_decrement: bool,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `touch`.
    Touch {
        /// The key.
        key: &'a [u8],
        /// As on the wire.
        exptime: i64,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `flush_all`.
    FlushAll {
        /// Seconds from now, or a Unix time; None = at once.
        exptime: Option<i64>,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `version`.
    Version,
    /// `quit`: the connection is closed without an answer.
    Quit,
    // To come, by the owner of this crate: meta commands (MetaGet ...), verbosity, stats, shutdown, cache_memlimit, slabs, lru,
    // lru_crawler, watch.
}

/// Reads one request from the front of `input`.
pub fn parse<'a>(input: &'a [u8], limits: &Limits) -> Parsed<'a, Command<'a>> {
    let _ = limits;
    Parsed::More { total: input.len() + 1 }
}

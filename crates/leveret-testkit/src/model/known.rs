//! What the map knows of an item.

use leveret_engine::{Deadline, Marks};

use crate::values::show;

/// What the map knows of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Bytes(Vec<u8>),
    Number { bits: u64, signed: bool },
}

impl Known {
    /// The number that memcached's counting sees, and whether it is an integer with a sign. A negative one is none to
    /// memcached.
    pub fn countable(&self) -> Option<(u64, bool)> {
        match self {
            Known::Number { bits, signed: true } if (*bits as i64) < 0 => None,
            Known::Number { bits, signed } => Some((*bits, *signed)),
            Known::Bytes(bytes) => parse(bytes).map(|number| (number, false)),
        }
    }
}

/// What the map holds under a key.
#[derive(Clone, Debug)]
pub struct KnownEntry {
    pub value: Known,
    pub flags: u32,
    pub marks: Marks,
    pub deadline: Deadline,
    /// Changes whenever the cas token must change.
    pub version: u64,
    /// The version with which the key came to be: tokens grow while it lives.
    pub born: u64,
    /// The token, when it was asked for since.
    pub told: Option<u64>,
}

/// memcached's numbers: white space, digits up to 2^64 - 1, white space and anything. The engine takes texts up to 20
/// bytes.
fn parse(bytes: &[u8]) -> Option<u64> {
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    if bytes.len() > 20 {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(is_space);
    let digits = text.strip_prefix('+').unwrap_or(text).split(is_space).next()?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// For a message.
pub fn brief(entry: &KnownEntry) -> String {
    let value = match &entry.value {
        Known::Bytes(bytes) => show(bytes),
        Known::Number { bits, signed } => format!("number {bits} (signed: {signed})"),
    };
    format!("{value} with flags {}, marks {:?} until {:?}", entry.flags, entry.marks, entry.deadline)
}

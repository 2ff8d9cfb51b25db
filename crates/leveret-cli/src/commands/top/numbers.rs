//! What a look at a target tells.
use super::hot::Hot;
use std::time::Duration;

/// The numbers of a target. Counters begin wherever they like: what is shown is what they gain.
#[derive(Clone, Debug, Default)]
pub struct TargetNumbers {
    pub items: u64,
    /// Bytes in use, of `limit`.
    pub bytes: u64,
    pub limit: u64,
    pub connections: u64,
    pub counters: SampledCounters,
    /// How long a server took for the shortest question there is.
    pub latency: Option<Duration>,
    /// What else there is to say, a name and a text each.
    pub notes: Vec<(&'static str, String)>,
    /// Parts of the memory, in bytes.
    pub memory: Vec<(String, u64)>,
    /// Keys that are read most, if they are wanted.
    pub hot: Option<Hot>,
    /// The item that is wanted.
    pub item: Option<Shown>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SampledCounters {
    pub hits: u64,
    pub misses: u64,
    pub sets: u64,
    pub deletes: u64,
    pub evictions: u64,
    pub expired: u64,
    /// Writes that found no room.
    pub refused: u64,
}

/// An item, for people.
#[derive(Clone, Debug)]
pub struct Shown {
    pub key: Vec<u8>,
    /// A name and a text each; the value is the last.
    pub lines: Vec<(&'static str, String)>,
}

/// So much of a value is shown.
const VALUE_SHOWN: usize = 2000;

pub fn gone() -> Vec<(&'static str, String)> {
    vec![("state", "no such item now".to_owned())]
}

/// Bytes for eyes: what could steer a terminal is escaped.
pub fn printable(bytes: &[u8]) -> String {
    let (shown, rest) = bytes.split_at(bytes.len().min(VALUE_SHOWN));
    let text = crate::output::shown(shown);
    if rest.is_empty() {
        text
    } else {
        format!("{text} … and {} more", crate::units::counted(rest.len() as u64, "byte"))
    }
}

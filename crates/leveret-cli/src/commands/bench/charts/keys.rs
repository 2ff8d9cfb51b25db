//! One key a call: what a page does.
use super::{Chart, Language, ONE};

/// Who writes, who reads, and the clock.
pub const PASSES: &str = include_str!("passes.php");
const PEERS: &str = include_str!("keys.toml");
const WRITE_MEANS: &str =
    "How long one PHP process takes to store each key once over an older value. Then another process reads \
                           all of them, which is not timed.";
const FAIRNESS: &str =
    "Everybody has room for all items. APCu is told how many to expect; files lie in shared memory; Redis writes \
                        nothing to disk. Clients are as a page would use them: one call for one key.";

pub static READ: Chart = Chart {
    name: "read",
    title: "Read {keys} keys (short strings)",
    means: "How long one PHP process takes to fetch each key once, in an order that it has not seen before, after another process \
            has written all of them anew.",
    fairness: FAIRNESS,
    keys: 50_000,
    program: &[include_str!("keys.php"), PASSES],
    words: &["read", "16"],
    peers: PEERS,
    takes_added: true,
    variants: &ONE,
    language: Language::Php,
    published: &[],
};

pub static WRITE: Chart = Chart {
    name: "write",
    title: "Write {keys} keys (short strings)",
    means: WRITE_MEANS,
    words: &["write", "16"],
    ..READ
};

pub static WRITE_8K: Chart = Chart {
    name: "write-8k",
    title: "Write {keys} keys (8 KiB)",
    means: WRITE_MEANS,
    words: &["write", "8192"],
    ..READ
};

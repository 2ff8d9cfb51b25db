//! One key a call, as in a page.
use super::{Chart, ChartLanguage, Unit, ONE};

/// Roles of writer and reader, and the clock.
pub const PASSES: &str = include_str!("passes.php");
const PEERS: &str = include_str!("keys.toml");
const WRITE_MEANS: &str =
    "How long one PHP process takes to store each key once over an older value. Then another process reads \
                           all of them, which is not timed.";
const FAIRNESS: &str =
    "Everybody has room for all items. APCu is told how many to expect; files lie in shared memory; Redis writes \
                        nothing to disk. Clients are as a page would use them: one call for one key.";

/// One key a call, each once.
const EACH: &[&str] = &[include_str!("keys_write.php"), include_str!("keys_read.php"), PASSES];

pub static READ: Chart = Chart {
    name: "read",
    title: "Read {keys} keys (short strings)",
    means: "How long one PHP process takes to fetch each key once, in an order that it has not seen before, after another process \
            has written all of them anew.",
    fairness: FAIRNESS,
    keys: 10_000,
    program: EACH,
    words: &["read", "16"],
    peers: PEERS,
    takes_added: true,
    variants: &ONE,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Php,
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
    fairness: "As in write. The values repeat themselves, as pages do, and the classes Memcached compress such values from 2,000 bytes on, \
               the original and ours: they send some hundred bytes, all others 8 KiB. --fair-defaults shows what becomes of 80 MB in the \
               32 MiB that APCu has as it comes.",
    words: &["write", "8192"],
    ..READ
};

pub static GETS: Chart = Chart {
    name: "gets",
    title: "Get one key {keys} times over one connection (11 bytes)",
    means: "How long one PHP process takes to fetch the same key again and again, after another process has written it anew.",
    keys: 5_000,
    program: &[include_str!("keys_write.php"), include_str!("gets.php"), PASSES],
    words: &["read", "11"],
    published: &[
        ("files (published 2020, of 10,000)", 0.081),
        ("php-memcached, TCP (published 2020, of 10,000)", 0.263),
        ("phpredis, TCP (published 2020, of 10,000)", 0.305),
    ],
    ..READ
};

pub static CONNECT: Chart = Chart {
    name: "connect",
    title: "Connect, get and close {keys} times (11 bytes)",
    means: "How long one PHP process takes to make a client and a connection, fetch a key and close it again, for each key once, as \
            pages do. Another process has written all of them anew.",
    program: &[include_str!("keys_write.php"), include_str!("connect.php"), PASSES],
    published: &[
        ("files (published 2020, of 10,000)", 0.110),
        ("php-memcached, TCP (published 2020, of 10,000)", 1.127),
        ("phpredis, TCP (published 2020, of 10,000)", 1.258),
    ],
    ..GETS
};

//! One key a call, as in a page.
use super::{Chart, ChartLanguage, Unit, ONE};

/// Roles of writer and reader, and the clock.
pub const PASSES: &str = include_str!("passes.php");
const PEERS: &str = include_str!("keys.toml");
const WRITE_MEANS: &str =
    "Time for one PHP process to overwrite each key once. Then another process reads all of them, untimed.";
const FAIRNESS: &str =
    "All caches have room for all items. APCu knows their number. Files are in shared memory, their best case. Redis writes nothing to disk. Clients make one call for one key, as pages do.";

/// One key a call, each once.
const EACH: &[&str] = &[include_str!("keys_write.php"), include_str!("keys_read.php"), PASSES];

pub static READ: Chart = Chart {
    name: "read",
    title: "Read {keys} keys (short strings)",
    means: "Time for one PHP process to fetch each key once, in a new order, after another process has changed all \
            values.",
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
    fairness:
        "As in `write`. The values repeat themselves, as pages do. The classes Memcached compress them from 2,000 bytes on and \
    send some hundred bytes; others send 8 KiB.",
    words: &["write", "8192"],
    ..READ
};

pub static GETS: Chart = Chart {
    name: "gets",
    title: "Get one key {keys} times over one connection (11 bytes)",
    means: "Time for one PHP process to fetch the same key again and again, after another process has changed it.",
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
    means: "Time for one PHP process to create a client, connect, fetch a key and close, for each key once, as pages \
            do. Another process has changed all values.",
    program: &[include_str!("keys_write.php"), include_str!("connect.php"), PASSES],
    published: &[
        ("files (published 2020, of 10,000)", 0.110),
        ("php-memcached, TCP (published 2020, of 10,000)", 1.127),
        ("phpredis, TCP (published 2020, of 10,000)", 1.258),
    ],
    ..GETS
};

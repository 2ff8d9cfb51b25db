//! One host, many processes: whether readers wait for each other.
use super::{keys, Chart, ChartLanguage, Unit, Variant};

/// How many read, and how many write meanwhile.
const PROCESSES: [Variant; 6] = [
    Variant { name: "1", title: "1 reader", servers: 1, words: &["1", "0"] },
    Variant { name: "2", title: "2 readers", servers: 1, words: &["2", "0"] },
    Variant { name: "cpus", title: "{cpus} readers", servers: 1, words: &["{cpus}", "0"] },
    Variant { name: "1-writer", title: "1 reader, a writer", servers: 1, words: &["1", "1"] },
    Variant { name: "2-writer", title: "2 readers, a writer", servers: 1, words: &["2", "1"] },
    Variant { name: "cpus-writer", title: "{cpus} readers, a writer", servers: 1, words: &["{cpus}", "1"] },
];

pub static READERS: Chart = Chart {
    name: "readers",
    title: "Read {keys} keys by several processes",
    means: "How long it takes until 1, 2 and as many processes as there are CPUs (at least 4) have fetched all keys, each of them an equal \
            share: from the start of the first to the end of the last. With a writer, one more process overwrites all keys meanwhile, \
            as fast as it can, with one value and another in turn; a value that is neither is wrong.",
    fairness: "Everybody has room for all items. All processes share the CPUs of this machine: where there are more processes than CPUs, \
               they take turns. Nobody counts how much the writer gets done, so a cache that lets it wait has an advantage here. A key \
               that is there and is not found, or a store that is refused, fails the row: Yac, which promises to \
               keep nothing, does both now and then.",
    keys: 200_000,
    program: &[include_str!("readers.php"), include_str!("keys_write.php"), keys::PASSES],
    words: &["read", "16"],
    peers: include_str!("readers.toml"),
    takes_added: true,
    variants: &PROCESSES,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Php,
    published: &[],
};

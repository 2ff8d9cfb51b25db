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
    means: "Time until 1, 2 and as many processes as CPUs (at least 4) have fetched all keys, each an equal \
            share. With a writer, one more process overwrites all keys meanwhile, alternating between two \
            values; any other value is wrong.",
    fairness: "All processes share the CPUs. The writer's work is not counted, so a cache that makes it wait has \
               an advantage. A missing key or a refused store fails the row, as it now and then does with Yac.",
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

//! Use of memory: bytes of an item, and hit ratio at a size.
use super::{Chart, ChartLanguage, Unit, Variant, ONE};

pub static MEMORY: Chart = Chart {
    name: "memory",
    title: "Memory per item ({keys} items of 20 to 500 bytes)",
    means: "Memory of the host for an item of 278 bytes of key and value: the growth of RssAnon (servers), \
            resident shared pages (APCu, Yac), or the blocks of arenas (Leveret), divided by the items. \
            Another process has read every item.",
    fairness: "Each item is stored once, into an empty cache with room for twice as many. A server's memory \
               before the first item does not count; all shared memory and arenas count. With few items, fixed \
               costs dominate.",
    unit: Unit::Bytes,
    keys: 100_000,
    keys_if_quick_max: 5_000,
    memory_mib: |keys| 16 + keys / 2048,
    language: ChartLanguage::Php,
    program: &[include_str!("resp.php"), include_str!("memory.php")],
    words: &[],
    peers: include_str!("memory.toml"),
    takes_added: true,
    variants: &ONE,
    published: &[],
};

/// Streams of requests.
const STREAMS: [Variant; 3] = [
    Variant { name: "steady", title: "steady", servers: 1, words: &["steady"] },
    Variant { name: "scans", title: "with scans", servers: 1, words: &["scans"] },
    Variant { name: "shifting", title: "shifting", servers: 1, words: &["shifting"] },
];

pub static MISSES: Chart = Chart {
    name: "misses",
    title: "Gets that miss in a full cache ({keys} requests)",
    means: "Gets that miss, in percent, with room for a quarter of the values of 50 bytes to 8 KB. A missed \
            get is followed by a store; one request in fifty overwrites. The first half is not counted. \
            Steady: the same keys stay popular (Zipf 0.9). With scans: a quarter of the requests asks once for \
            keys that never return. Shifting: other keys become popular all the time.",
    fairness: "All get the same number of MiB by their own setting. Memory beyond that is not counted, such as \
               parts of the key tables of memcached and Redis. Redis evicts by allkeys-lru. Gets are counted, not \
               bytes, which favours caches that keep small items, as Leveret does.",
    unit: Unit::Percent,
    keys: 400_000,
    keys_if_quick_max: 20_000,
    memory_mib: |requests| (requests / 5000).max(8),
    language: ChartLanguage::Php,
    program: &[include_str!("resp.php"), include_str!("misses.php")],
    words: &[],
    peers: include_str!("memory.toml"),
    takes_added: true,
    variants: &STREAMS,
    published: &[],
};

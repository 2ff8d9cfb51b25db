//! Use of memory: bytes of an item, and hit ratio at a size.
use super::{Chart, ChartLanguage, Unit, Variant, ONE};

pub static MEMORY: Chart = Chart {
    name: "memory",
    title: "Memory per item ({keys} items of 20 to 500 bytes)",
    means: "What the host pays for an item, of which 278 bytes are key and value: by how much the server's own memory grew that is \
            resident (anonymous memory of memcached, Redis and leveret serve), the resident pages of the memory that PHP processes \
            share (APCu), and the blocks of arenas (Leveret), divided by the number of items. Another process has then read every item.",
    fairness: "Everybody stores each item once, into a cache that is empty, and has room for twice as much as they are. Of servers, what they had \
               taken before the first item does not count; of shared memory and arenas everything counts, also what was \
               prepared. What processes of PHP take for themselves does not count for anybody. APCu is told how many items to expect. Items \
               have no end, were never changed, and none was deleted: what that leaves behind is not seen here.",
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
    means: "How many of the gets find nothing, in percent, when everybody has the same memory and that is far too little. A get that misses is \
            followed by a store, as applications do it, and one request in fifty overwrites. Values have 50 bytes to 8 KB. The first half of the \
            requests fills the cache and is not counted. Steady: the same keys stay popular, by Zipf's law. With scans: a \
            quarter of all requests asks once each for keys that nobody asks for again. Shifting: other keys become popular all the time.",
    fairness: "Everybody is given the same number of MiB by the setting that its manual names, for a quarter of all values (half in a quick run). What \
               a cache takes beyond that is not counted: memcached's and Redis' tables of keys are partly outside of it, Leveret's and APCu's are in it. \
               Redis evicts by allkeys-lru, memcached as it comes, with its crawler and its segmented LRU. Values have \
               no end. The requests are the same for all, and are made here: they are not those of a real site, for which there is leveret record. \
               A store that is refused fails the row.",
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

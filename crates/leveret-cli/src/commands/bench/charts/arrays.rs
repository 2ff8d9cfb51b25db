//! Arrays as a database returns them: a page caches them to save a query.
use super::{keys, Chart, ChartLanguage, Unit, Variant};

const ROWS: [Variant; 4] = [
    Variant { name: "1", title: "1 row", servers: 1, words: &["1"] },
    Variant { name: "10", title: "10 rows", servers: 1, words: &["10"] },
    Variant { name: "100", title: "100 rows", servers: 1, words: &["100"] },
    Variant { name: "1000", title: "1000 rows", servers: 1, words: &["1000"] },
];

const ARRAYS: &str = include_str!("arrays.php");

pub static FIRST: Chart = Chart {
    name: "arrays-first",
    title: "Fetch {keys} arrays, each for the first time",
    means: "Time for a new PHP process to fetch arrays of 1, 10, 100 and 1000 database rows once each, and to \
            free them. Values are compared sixteen at a time while the clock stands.",
    fairness: "APCu has each of its serializers, Leveret PHP's and igbinary, phpredis igbinary and a Unix socket. \
               OPcache has compiled the files before, and checks for no changes.",
    keys: 500,
    program: &[ARRAYS, include_str!("keys_write.php"), include_str!("arrays_first.php"), keys::PASSES],
    words: &["first"],
    peers: include_str!("arrays.toml"),
    takes_added: true,
    variants: &ROWS,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Php,
    published: &[],
};

pub static REPEAT: Chart = Chart {
    name: "arrays-repeat",
    title: "Fetch one array {keys} times",
    means: "Time for one PHP process to fetch the same array again and again, and to free it. The first fetch \
            is not timed.",
    keys: 5_000,
    program: &[ARRAYS, include_str!("arrays_repeat.php"), keys::PASSES],
    words: &["read"],
    ..FIRST
};

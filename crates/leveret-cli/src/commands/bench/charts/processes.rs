//! Whole processes of PHP, as `time php store.php` has them: start, module, connection, all keys, end.
use super::{Chart, ChartLanguage, Unit, Variant, ONE};

const TYPES_OF_PHP: [Variant; 6] = [
    Variant { name: "string", title: "strings", servers: 1, words: &["string"] },
    Variant { name: "int", title: "integers", servers: 1, words: &["int"] },
    Variant { name: "float", title: "floats", servers: 1, words: &["float"] },
    Variant { name: "bool", title: "booleans", servers: 1, words: &["bool"] },
    Variant { name: "array", title: "arrays", servers: 1, words: &["array"] },
    Variant { name: "object", title: "objects", servers: 1, words: &["object"] },
];

pub static STORE: Chart = Chart {
    name: "store",
    title: "Store {keys} md5 keys, a whole process",
    means: "Time of a whole `php` process that stores a number under each key, over numbers of an earlier process. A \
            third process reads all of them, untimed.",
    fairness: "All classes have default options and one call for one key, by TCP on loopback, with memcached and \
               with our server, which have two threads and room for all. All times include starting PHP. The row \
               on an arena has no server.",
    keys: 20_000,
    program: &[include_str!("processes.php")],
    words: &["store", "int"],
    peers: include_str!("processes.toml"),
    takes_added: true,
    variants: &ONE,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Php,
    published: &[],
};

pub static LOAD: Chart = Chart {
    name: "load",
    title: "Load {keys} md5 keys, a whole process",
    means: "Time of a whole `php` process that fetches the number under each key and compares it. Another process has \
            stored them.",
    words: &["load", "int"],
    ..STORE
};

pub static TYPES: Chart = Chart {
    name: "types",
    title: "Load {keys} md5 keys, type by type, a whole process",
    means: "As `load`, with values of one type. Each must come back with its type.",
    words: &["load"],
    variants: &TYPES_OF_PHP,
    keys: 2_000,
    ..STORE
};

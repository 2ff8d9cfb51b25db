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
    means: "How long `php` takes from its start to its end to store a number under each key, over other numbers of an earlier process. \
            A third process then reads all of them, which is not timed.",
    fairness: "Both original modules and both of our classes have default options and one call for one key, by TCP on loopback, first \
               with memcached and then with our server, which have two threads and room for all. Starting PHP and loading the module \
               is in the time of everybody. The row on an arena has no server at all.",
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
    means: "How long `php` takes from its start to its end to fetch the number under each key and to compare it; another process has \
            stored them.",
    words: &["load", "int"],
    ..STORE
};

pub static TYPES: Chart = Chart {
    name: "types",
    title: "Load {keys} md5 keys, type by type, a whole process",
    means: "As `load`, but the values are of one type: strings, integers, floats, booleans, arrays or objects. Each has to come back \
            with its type.",
    words: &["load"],
    variants: &TYPES_OF_PHP,
    keys: 2_000,
    ..STORE
};

//! Fifty keys a call, of one server or of several.
use super::{keys, Chart, ChartLanguage, Unit, Variant};

const SERVERS: [Variant; 6] = [
    Variant { name: "1", title: "1 server", servers: 1, words: &[] },
    Variant { name: "2", title: "2 servers", servers: 2, words: &[] },
    Variant { name: "3", title: "3 servers", servers: 3, words: &[] },
    Variant { name: "4", title: "4 servers", servers: 4, words: &[] },
    Variant { name: "5", title: "5 servers", servers: 5, words: &[] },
    Variant { name: "6", title: "6 servers", servers: 6, words: &[] },
];

pub static GET: Chart = Chart {
    name: "multi-get",
    title: "Fetch {keys} keys, 50 at a time",
    means: "Time for one PHP process to fetch each key once from 1 to 6 servers, fifty in one call (pipelined) \
            or in fifty calls (blocking), after another process has changed all values. Beside it: CPU time of \
            the client and of all servers. With OPT_NO_BLOCK the clock stops when all servers have answered a \
            last question.",
    fairness: "All servers share this machine's CPUs with the client, so only the CPU time shows what more \
               machines would add. Keys are distributed by each client's defaults. A lost datagram is a wrong \
               value here.",
    keys: 5_000,
    program: &[include_str!("multi.php"), keys::PASSES],
    words: &["read", "16"],
    peers: include_str!("multi.toml"),
    takes_added: false,
    variants: &SERVERS,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Php,
    published: &[],
};

pub static SET: Chart = Chart {
    name: "multi-set",
    title: "Store {keys} keys, 50 at a time",
    means: "As `multi-get`, but each key is overwritten. Then another process reads all of them, untimed.",
    words: &["write", "16"],
    ..GET
};

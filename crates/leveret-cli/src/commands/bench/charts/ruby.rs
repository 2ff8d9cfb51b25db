//! Ruby's clients, as memcached 0.13 and memcache-client 1.7.4 were compared in 2009.
use super::{Chart, ChartLanguage, Unit, Variant};

const PLAIN: Variant = Variant { name: "plain", title: "plain", servers: 1, words: &["plain"] };
const SERIALIZED: Variant = Variant { name: "ruby", title: "serialized", servers: 1, words: &["ruby"] };

pub static SET: Chart = Chart {
    name: "ruby-set",
    title: "Ruby: store {keys} keys",
    means: "Time for one Ruby process to overwrite each key once, with plain strings and small Hashes. Then another \
            process reads all of them, untimed.",
    words: &["set"],
    variants: &[PLAIN, SERIALIZED],
    published: &[
        ("set:plain:noblock:memcached", 0.277929),
        ("set:plain:memcached", 1.251547),
        ("set:plain:memcache-client", 1.670718),
        ("set:ruby:noblock:memcached", 0.309201),
        ("set:ruby:memcached", 1.390354),
        ("set:ruby:memcache-client", 1.713558),
    ],
    fairness: "All clients have default options and one TCP connection to a memcached; the short cut has our \
               server on a Unix socket. For clients that do not wait for answers, the clock stops when the server \
               has answered a last question. Published figures are of another machine and an unknown number of \
               calls.",
    keys: 2_000,
    unit: Unit::Seconds,
    keys_if_quick_max: 500,
    memory_mib: |_| 1024,
    language: ChartLanguage::Ruby,
    program: &[include_str!("ruby.rb")],
    peers: include_str!("ruby.toml"),
    takes_added: false,
};

pub static GET: Chart = Chart {
    name: "ruby-get",
    title: "Ruby: fetch {keys} keys",
    means: "Time for one Ruby process to fetch each key once, after another process has changed all values.",
    words: &["get"],
    variants: &[PLAIN, SERIALIZED],
    published: &[
        ("get:plain:memcached", 1.169909),
        ("get:plain:memcache-client", 1.88527),
        ("get:ruby:memcached", 1.229705),
        ("get:ruby:memcache-client", 1.86166),
    ],
    ..SET
};

pub static MULTIGET: Chart = Chart {
    name: "ruby-multiget",
    title: "Ruby: fetch {keys} keys, 50 at a time",
    means: "As `ruby-get`, with fifty keys a call.",
    words: &["multiget"],
    variants: &[SERIALIZED],
    published: &[("multiget:ruby:memcached", 0.396264), ("multiget:ruby:memcache-client", 0.901016)],
    ..SET
};

pub static MISSING: Chart = Chart {
    name: "ruby-missing",
    title: "Ruby: fetch {keys} keys that are not there",
    means: "Time for one Ruby process to miss each key. Then it reads as many existing keys, untimed.",
    words: &["missing"],
    variants: &[SERIALIZED],
    published: &[
        ("missing:ruby:memcached", 1.2544),
        ("missing:ruby:memcached:inline", 1.235122),
        ("missing:ruby:memcache-client", 1.461293),
    ],
    ..SET
};

pub static MIXED: Chart = Chart {
    name: "ruby-mixed",
    title: "Ruby: store and fetch {keys} keys in turn",
    means: "Time for one Ruby process to store each key and fetch it at once. Then another process reads all of them, \
            untimed.",
    words: &["mixed"],
    variants: &[SERIALIZED],
    published: &[
        ("mixed:ruby:noblock:memcached", 2.4292),
        ("mixed:ruby:memcached", 2.610819),
        ("mixed:ruby:memcache-client", 3.632775),
    ],
    ..SET
};

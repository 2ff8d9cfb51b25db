//! Pages of a site: a cache's share of the time of nginx and php-fpm.
use super::{keys, Chart, Variant};

/// nginx and php-fpm.
pub const WEB: &str = include_str!("web.php");

const VISITORS: [Variant; 2] = [
    Variant { name: "1", title: "1 visitor", servers: 1, words: &["1"] },
    Variant { name: "50", title: "50 visitors", servers: 1, words: &["50"] },
];

pub static SITE: Chart = Chart {
    name: "site",
    title: "{keys} pages by nginx and php-fpm, each with one get",
    means: "Time for nginx and php-fpm to serve a page that creates a client and fetches one key, to one \
            visitor and to 50 at once. Each page asks for another key and is compared. The row without a cache \
            is the common cost.",
    fairness: "php-fpm has eight workers and OPcache, nginx one worker. All listen on Unix sockets. Visitors keep \
               their connections. They are one PHP process, which competes with the servers for the CPUs.",
    keys: 1_000,
    keys_if_quick_max: 100,
    program: &[WEB, include_str!("site.php")],
    words: &[],
    variants: &VISITORS,
    published: &[
        ("empty page, 1 visitor (published 2020, of 10,000)", 3.13),
        ("files, 1 visitor (published 2020, of 10,000)", 3.45),
        ("php-memcached, TCP, 1 visitor (published 2020, of 10,000)", 5.26),
        ("phpredis, TCP, 1 visitor (published 2020, of 10,000)", 5.56),
        ("empty page, 50 visitors (published 2020, of 10,000)", 4.55),
        ("files, 50 visitors (published 2020, of 10,000)", 4.76),
        ("php-memcached, TCP, 50 visitors (published 2020, of 10,000)", 7.14),
        ("phpredis, TCP, 50 visitors (published 2020, of 10,000)", 7.14),
    ],
    ..keys::READ
};

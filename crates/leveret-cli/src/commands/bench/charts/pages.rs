//! Pages of an application: a cache's share of the time of a MediaWiki page.
use super::{keys, site, Chart};

pub static PAGES: Chart = Chart {
    name: "pages",
    title: "{keys} views of articles of MediaWiki, 20 at most",
    means: "How long nginx, php-fpm and an unmodified MediaWiki on SQLite take to show articles to one visitor, one at a time, after every fourth has been \
            edited and each has been viewed three times. Each page is compared: it must have its article's text as it is now, and may not have been \
            parsed again. Without a cache MediaWiki keeps what it has parsed in the database. Processor time is that \
            of nginx and php-fpm, and beside it the cache server's.",
    fairness: "The cache is MediaWiki's main cache, and so those of parsed pages, messages and sessions, with MediaWiki's own settings for it; \
               beside a server APCu has what belongs to one host, and beside ours our apcu_*. Every turn asks before and after the clock \
               whether MediaWiki finds what a request before has stored there. php-fpm has eight workers and OPcache, nginx one; the database \
               lies in shared memory, its best case, which is the case without a cache. No connection to a cache is kept from page to page.",
    keys: 50,
    keys_if_quick_max: 2,
    program: &[site::WEB, include_str!("wiki.php"), include_str!("pages.php")],
    words: &[],
    peers: include_str!("pages.toml"),
    ..keys::READ
};

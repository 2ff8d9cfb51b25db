//! Pages of an application: a cache's share of the time of a MediaWiki page.
use super::{keys, site, Chart};

pub static PAGES: Chart = Chart {
    name: "pages",
    title: "{keys} views of articles of MediaWiki, 20 at most",
    means: "Time for nginx, php-fpm and an unmodified MediaWiki on SQLite to show articles in random order to \
            one visitor, after edits of every fourth. A page must have its current text and must not have been \
            parsed again. Without a cache MediaWiki keeps parsed pages in the database.",
    fairness: "MediaWiki's default settings except cache type and address, so no connection is kept between \
               pages. Data of one host are in APCu, or in our apcu_* for our rows. php-fpm has eight workers and \
               OPcache, nginx one. The database is in shared memory, its best case.",
    keys: 50,
    keys_if_quick_max: 2,
    program: &[site::WEB, include_str!("wiki.php"), include_str!("pages.php")],
    words: &[],
    peers: include_str!("pages.toml"),
    ..keys::READ
};

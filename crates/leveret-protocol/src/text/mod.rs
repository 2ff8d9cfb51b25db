//! The text protocol: classic commands and meta commands, one line each, stores with a data block behind it.
mod answer_read;
mod answer_write;
mod classic;
mod line;
mod meta;
mod request_read;
mod request_write;

pub use crate::key::TextKey;
use crate::{StoreMode, WireKey};
pub use answer_read::{parse_answer, parse_value_of, MetaAnswer, MetaCode, TextAnswer};
pub use answer_write::{write_meta, write_meta_value, write_number, write_stat, write_value_header, Facts, Ttl};
pub use line::{TextKeys, Words};
pub use meta::{MetaCount, MetaDelete, MetaGet, MetaStore, Return, Returns};
pub use request_read::{parse, parse_after, parse_line};
pub use request_write::{
    add_key, begin_keys, end_keys, write_count, write_delete, write_flush_all, write_stats, write_store, write_touch,
    write_verbosity, MetaRequest, StoreRequest,
};

/// A request of the text protocol. An exptime is as on the wire: negative = dead already, up to 30 days = seconds from
/// now, above = Unix time, 0 = never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextCommand<'a> {
    /// `get` and, with cas numbers in the answer, `gets`.
    Get {
        /// At least one.
        keys: TextKeys<'a>,
        /// `gets`.
        with_cas: bool,
    },
    /// `gat` and `gats`.
    GetAndTouch {
        /// The new exptime.
        exptime: i64,
        /// At least one.
        keys: TextKeys<'a>,
        /// `gats`.
        with_cas: bool,
    },
    /// `set`, `add`, `replace`, `append`, `prepend`, `cas`.
    Store {
        /// Which of them; Set for `cas`.
        verb: StoreMode,
        /// `cas`: only this version.
        compare: Option<u64>,
        /// The key.
        key: &'a [u8],
        /// The client's flags.
        flags: u32,
        /// When the item dies.
        exptime: i64,
        /// The data block, whole.
        value: &'a [u8],
        /// No answer is wanted.
        noreply: bool,
    },
    /// `delete`.
    Delete {
        /// The key.
        key: &'a [u8],
        /// No answer is wanted.
        noreply: bool,
    },
    /// `incr` and `decr`.
    Count {
        /// The key.
        key: &'a [u8],
        /// By how much.
        delta: u64,
        /// `decr`.
        is_decrement: bool,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `touch`.
    Touch {
        /// The key.
        key: &'a [u8],
        /// The new exptime.
        exptime: i64,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `flush_all`.
    FlushAll {
        /// Seconds from now, or a Unix time; None = at once.
        exptime: Option<i64>,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `mg`.
    MetaGet(MetaGet<'a>),
    /// `ms`.
    MetaStore(MetaStore<'a>),
    /// `md`.
    MetaDelete(MetaDelete<'a>),
    /// `ma`.
    MetaCount(MetaCount<'a>),
    /// `me`: one line about an item, for people.
    MetaDebug {
        /// The key.
        key: WireKey<'a>,
    },
    /// `mn`: marks a place among quiet commands.
    MetaNoop,
    /// `version`.
    Version,
    /// Certificates of TLS are read again.
    RefreshCerts,
    /// `quit`: the connection is closed without an answer.
    Quit,
    /// `shutdown`, `shutdown graceful`: the server ends, as by SIGTERM or SIGUSR1.
    Shutdown {
        /// As SIGUSR1: writes the state for a warm restart first.
        graceful: bool,
    },
    /// `verbosity`.
    Verbosity {
        /// The new level.
        level: u32,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `stats`.
    Stats {
        /// What follows the command: the subject and its arguments.
        words: Words<'a>,
    },
    /// `cache_memlimit`.
    CacheMemlimit {
        /// The new limit.
        megabytes: u64,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `slabs`.
    Slabs {
        /// What to do.
        change: Slabs,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `lru`.
    Lru {
        /// What to do.
        change: LruTuning,
        /// No answer is wanted.
        noreply: bool,
    },
    /// `lru_crawler`.
    LruCrawler(LruCrawler<'a>),
    /// `watch`.
    Watch {
        /// What to report.
        words: Words<'a>,
    },
}

/// What to do with memcached's slab classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slabs {
    /// `slabs reassign`.
    Reassign {
        /// Class that gives a page; -1 = any.
        from: i32,
        /// Class that gets it.
        to: i32,
    },
    /// `slabs automove`.
    Automove {
        /// 0 off, 1 on, 2 eager.
        level: u32,
    },
}

/// How memcached's LRU lists are tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LruTuning {
    /// `lru tune`.
    Tune {
        /// Percent of the memory for the hot list.
        hot_percent: u32,
        /// Percent of the memory for the warm list.
        warm_percent: u32,
        /// Age in the hot list, relative to the cold one.
        hot_factor: f64,
        /// Age in the warm list, relative to the cold one.
        warm_factor: f64,
    },
    /// `lru mode flat|segmented`.
    Mode {
        /// `segmented`.
        is_segmented: bool,
    },
    /// `lru temp_ttl`.
    TempTtl {
        /// Negative = off.
        secs: i64,
    },
}

// Factors are compared to see that they are the same text, never computed with; NaN is refused by the parser.
impl Eq for LruTuning {}

/// Walks over all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LruCrawler<'a> {
    /// `lru_crawler enable`.
    Enable,
    /// `lru_crawler disable`.
    Disable,
    /// `lru_crawler sleep`.
    Sleep {
        /// Between two items.
        micros: u32,
    },
    /// `lru_crawler tocrawl`.
    ToCrawl {
        /// Items in one run.
        items: u32,
    },
    /// `lru_crawler crawl`.
    Crawl {
        /// `all`, or numbers with commas between them.
        classes: &'a [u8],
    },
    /// `lru_crawler metadump`.
    Metadump {
        /// `all`, `hash`, or numbers with commas between them.
        classes: &'a [u8],
    },
    /// `lru_crawler mgdump`.
    Mgdump {
        /// `all`, `hash`, or numbers with commas between them.
        classes: &'a [u8],
    },
}

/// Reason of a refusal: statistics count these separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFault {
    /// Its line.
    Line,
    /// Its value is longer than `Limits::value_max`.
    TooLarge,
    /// Its data block does not end where the line said.
    BadBlock,
}

/// The answer to a line that cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRefusal<'a> {
    /// The line that memcached answers, without its end; empty = nothing is said.
    pub answer: &'static str,
    /// The request said `noreply`, so the line is not sent.
    pub is_silent: bool,
    /// Reason.
    pub fault: RequestFault,
    /// A store that was too large removes the item that it meant to replace.
    pub forget: Option<WireKey<'a>>,
    /// The connection cannot be understood any further and is closed after the answer.
    pub close: bool,
}

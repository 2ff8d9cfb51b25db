//! Events, and their lines.
use crate::memcached::ITEMS_CLASS;
use leveret_engine::Program;
use leveret_protocol::percent;
use std::ops::BitOr;

/// Kinds of events that a watcher asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(pub(super) u32);

impl Kinds {
    /// Look-ups of items, those of stores and deletes too.
    pub const FETCHERS: Kinds = Kinds(1);
    /// Stores.
    pub const MUTATIONS: Kinds = Kinds(2);
    /// Evicted items.
    pub const EVICTIONS: Kinds = Kinds(4);
    /// Opened and closed connections.
    pub const CONNEVENTS: Kinds = Kinds(8);
    /// Deleted items.
    pub const DELETIONS: Kinds = Kinds(16);

    /// The same kinds, of other processes on the arena.
    pub const fn elsewhere(self) -> Kinds {
        Kinds(self.0 << 8)
    }

    /// What the words of a `watch` ask for; without a kind look-ups. `clients`: only by clients of this server. None: a
    /// word that means nothing. Those that only a proxy has something to tell of are known, and nothing comes of them.
    pub fn parse<'w>(words: impl Iterator<Item = &'w [u8]>) -> Option<Kinds> {
        let mut kinds = None;
        let mut only_clients = false;
        for word in words {
            let kind = match word {
                b"clients" => {
                    only_clients = true;
                    continue;
                }
                b"fetchers" => Kinds::FETCHERS,
                b"mutations" => Kinds::MUTATIONS,
                b"evictions" => Kinds::EVICTIONS,
                b"connevents" => Kinds::CONNEVENTS,
                b"deletions" => Kinds::DELETIONS,
                b"proxyreqs" | b"proxyevents" | b"proxyuser" | b"rawcmds" | b"sysevents" => Kinds(0),
                _ => return None,
            };
            kinds = Some(kinds.unwrap_or_default() | kind);
        }
        let kinds = kinds.unwrap_or(Kinds::FETCHERS);
        Some(if only_clients { kinds } else { kinds | kinds.elsewhere() })
    }

    /// Whether there are none.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether they have something in common.
    #[inline]
    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// Subject of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An item was looked up.
    Get,
    /// A store was tried.
    Store,
    /// An item was deleted.
    Deleted,
    /// An item had to make room.
    Eviction,
    /// A connection was taken.
    Opened,
    /// A connection has ended.
    Closed,
}

impl EventKind {
    pub(super) const ALL: [EventKind; 6] = [
        EventKind::Get,
        EventKind::Store,
        EventKind::Deleted,
        EventKind::Eviction,
        EventKind::Opened,
        EventKind::Closed,
    ];

    fn kinds(self) -> Kinds {
        match self {
            EventKind::Get => Kinds::FETCHERS,
            EventKind::Store => Kinds::MUTATIONS,
            EventKind::Deleted => Kinds::DELETIONS,
            EventKind::Eviction => Kinds::EVICTIONS,
            EventKind::Opened | EventKind::Closed => Kinds::CONNEVENTS,
        }
    }
}

/// Something that happened, in the numbers that fit a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'k> {
    /// What.
    pub kind: EventKind,
    /// The item's key; of a connection the client's address.
    pub key: &'k [u8],
    /// A number of `status`; of a connection a transport; of an eviction whether the item was ever read.
    pub status: u8,
    /// A number of `cmd`; of a connection a reason.
    pub cmd: u8,
    /// Bytes of the value; of a connection the client's port.
    pub size: u64,
    /// Seconds that an item was given, or had left; or `DEAD`.
    pub ttl: u32,
    /// Seconds since it was last written.
    pub idle: u32,
    /// The connection; of an action of others the process.
    pub cfd: i32,
    /// The database of `--redis` that the key is of.
    pub database: u8,
    /// The program that acted, if it was not a client of this server.
    pub by: Option<Program>,
}

impl Event<'_> {
    /// The kinds that a watcher must ask for to get this event.
    pub(super) fn kinds(&self) -> Kinds {
        let kinds = self.kind.kinds();
        if self.by.is_some() {
            kinds.elsewhere()
        } else {
            kinds
        }
    }
}

/// The programs, in the words of metrics.
fn name_of(program: Program) -> &'static str {
    match program {
        Program::Php => "php",
        Program::Ruby => "ruby",
        Program::Server => "server",
        Program::Tool => "tool",
        _ => "other",
    }
}

/// The `ttl` of a store that was dead from the start, and of an eviction that would never have died: -1 in a line.
pub const DEAD: u32 = u32::MAX;

/// How a look-up or a store ended.
pub mod status {
    pub const NOT_FOUND: u8 = 0;
    pub const FOUND: u8 = 1;
    pub const NOT_STORED: u8 = 2;
    pub const STORED: u8 = 3;
    pub const EXISTS: u8 = 4;
    pub const TOO_LARGE: u8 = 5;
    pub const NO_MEMORY: u8 = 6;
    pub const FLUSHED: u8 = 7;
    pub const EXPIRED: u8 = 8;
    pub(super) const NAMES: [&str; 9] =
        ["not_found", "found", "not_stored", "stored", "exists", "too_large", "no_memory", "flushed", "expired"];
}

/// By what.
pub mod cmd {
    pub const ADD: u8 = 1;
    pub const SET: u8 = 2;
    pub const REPLACE: u8 = 3;
    pub const APPEND: u8 = 4;
    pub const PREPEND: u8 = 5;
    pub const CAS: u8 = 6;
    pub const DELETE: u8 = 7;
    pub const MD: u8 = 8;
    pub(super) const NAMES: [&str; 9] = ["na", "add", "set", "replace", "append", "prepend", "cas", "delete", "md"];
}

/// How a client came.
pub mod transport {
    pub const TCP: u8 = 0;
    pub const LOCAL: u8 = 1;
    pub(super) const NAMES: [&str; 2] = ["tcp", "local"];
}

/// Why a connection has ended.
pub mod reason {
    pub const NORMAL: u8 = 0;
    pub const ERROR: u8 = 1;
    pub const IDLE_TIMEOUT: u8 = 2;
    pub const SHUTDOWN: u8 = 3;
    pub(super) const NAMES: [&str; 4] = ["normal", "error", "idle_timeout", "shutdown"];
}

/// The line of an event.
pub(super) fn write_line(out: &mut Vec<u8>, micros: u64, gid: u64, event: &Event<'_>) {
    let Event { kind, key, status, cmd, size, ttl, idle, cfd: of, database, by } = *event;
    let cfd = if by.is_some() { -1 } else { of };
    let class = if kind == EventKind::Get && status != status::FOUND { 0 } else { ITEMS_CLASS };
    out.reserve(key.len() * 3 + REST_MAX);
    let mut line = EventLine { out, numbers: itoa::Buffer::new() };
    line.text("ts=").moment(micros).text(" gid=").number(gid);
    match kind {
        EventKind::Get => {
            line.text(" type=item_get key=").encoded(key).text(" status=").name(&status::NAMES, status);
            line.text(" clsid=").number(class).text(" cfd=").number(cfd).text(" size=").number(size);
        }
        EventKind::Store => {
            line.text(" type=item_store key=").encoded(key).text(" status=").name(&status::NAMES, status);
            line.text(" cmd=").name(&cmd::NAMES, cmd).text(" ttl=").ttl(ttl);
            line.text(" clsid=").number(class).text(" cfd=").number(cfd).text(" size=").number(size);
        }
        EventKind::Deleted => {
            line.text(" type=deleted key=").encoded(key).text(" cmd=").name(&cmd::NAMES, cmd);
            line.text(" clsid=").number(class).text(" size=").number(size);
        }
        EventKind::Eviction => {
            line.text(" type=eviction key=").encoded(key).text(" fetch=").name(&["no", "yes"], status);
            line.text(" ttl=").ttl(ttl).text(" la=").number(idle);
            line.text(" clsid=").number(class).text(" size=").number(size);
        }
        EventKind::Opened | EventKind::Closed => {
            line.text(if kind == EventKind::Opened { " type=conn_new rip=" } else { " type=conn_close rip=" });
            line.out.extend_from_slice(key);
            line.text(" rport=").number(size).text(" transport=").name(&transport::NAMES, status);
            if kind == EventKind::Closed {
                line.text(" reason=").name(&reason::NAMES, cmd);
            }
            line.text(" cfd=").number(cfd);
        }
    }
    if database > 0 {
        line.text(" db=").number(database);
    }
    if let Some(program) = by {
        line.text(" by=").text(name_of(program)).text(" pid=").number(of);
    }
    line.out.push(b'\n');
}

/// Longest line without its key, whose bytes may become three each.
const REST_MAX: usize = 256;

struct EventLine<'o> {
    out: &'o mut Vec<u8>,
    numbers: itoa::Buffer,
}

impl EventLine<'_> {
    #[inline]
    fn text(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    #[inline]
    fn number(&mut self, number: impl itoa::Integer) -> &mut Self {
        self.out.extend_from_slice(self.numbers.format(number).as_bytes());
        self
    }

    #[inline]
    fn ttl(&mut self, ttl: u32) -> &mut Self {
        match ttl {
            0 => self.text("0"),
            DEAD => self.text("-1"),
            ttl => self.number(ttl),
        }
    }

    #[inline]
    fn name(&mut self, names: &[&str], number: u8) -> &mut Self {
        self.text(names.get(usize::from(number)).unwrap_or(&"na"))
    }

    /// Seconds, with six digits behind the point.
    #[inline]
    fn moment(&mut self, micros: u64) -> &mut Self {
        // At least one second, at any clock.
        let text = self.numbers.format(micros.max(1_000_000)).as_bytes();
        let (seconds, rest) = text.split_at(text.len() - 6);
        self.out.extend_from_slice(seconds);
        self.out.push(b'.');
        self.out.extend_from_slice(rest);
        self
    }

    /// A key as in the answers of `metadump`.
    #[inline]
    fn encoded(&mut self, key: &[u8]) -> &mut Self {
        percent::encode(self.out, key);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_memcacheds() {
        let event = Event {
            kind: EventKind::Get,
            key: b"a%b\xc3\xa4+c&~._-!*'()",
            status: status::FOUND,
            cmd: cmd::CAS,
            size: 5,
            ttl: 100,
            idle: 3,
            cfd: 17,
            database: 0,
            by: None,
        };
        let connection = Event { key: b"127.0.0.1", size: 50154, status: transport::TCP, cmd: reason::ERROR, ..event };
        for (event, expected) in [
            (event, "type=item_get key=a%25b%C3%A4%2Bc%26~._-%21%2A%27%28%29 status=found clsid=1 cfd=17 size=5"),
            (
                Event { key: b"k", status: status::NOT_FOUND, size: 0, ..event },
                "type=item_get key=k status=not_found clsid=0 cfd=17 size=0",
            ),
            (
                Event { kind: EventKind::Store, key: b"k", status: status::EXISTS, ..event },
                "type=item_store key=k status=exists cmd=cas ttl=100 clsid=1 cfd=17 size=5",
            ),
            (
                Event { kind: EventKind::Deleted, key: b"k", cmd: cmd::MD, ..event },
                "type=deleted key=k cmd=md clsid=1 size=5",
            ),
            (
                Event { kind: EventKind::Eviction, key: b"k", ttl: DEAD, ..event },
                "type=eviction key=k fetch=yes ttl=-1 la=3 clsid=1 size=5",
            ),
            (
                Event { key: b"k", by: Some(Program::Php), ..event },
                "type=item_get key=k status=found clsid=1 cfd=-1 size=5 by=php pid=17",
            ),
            (Event { key: b"k", database: 3, ..event }, "type=item_get key=k status=found clsid=1 cfd=17 size=5 db=3"),
            (
                Event { kind: EventKind::Opened, ..connection },
                "type=conn_new rip=127.0.0.1 rport=50154 transport=tcp cfd=17",
            ),
            (
                Event { kind: EventKind::Closed, ..connection },
                "type=conn_close rip=127.0.0.1 rport=50154 transport=tcp reason=error cfd=17",
            ),
        ] {
            let mut line = Vec::new();
            write_line(&mut line, 1_795_418_171_003_745, 2, &event);
            assert_eq!(String::from_utf8_lossy(&line), format!("ts=1795418171.003745 gid=2 {expected}\n"));
        }
    }

    #[test]
    fn words_are_memcacheds() {
        let parse = |words: &str| Kinds::parse(words.split(' ').filter(|word| !word.is_empty()).map(str::as_bytes));
        let all = |kinds: Kinds| Some(kinds | kinds.elsewhere());
        assert_eq!(parse(""), all(Kinds::FETCHERS));
        assert_eq!(parse("mutations deletions"), all(Kinds::MUTATIONS | Kinds::DELETIONS));
        assert_eq!(parse("clients"), Some(Kinds::FETCHERS));
        assert_eq!(parse("evictions clients"), Some(Kinds::EVICTIONS));
        assert_eq!(parse("proxyreqs"), Some(Kinds(0)));
        assert_eq!(parse("fetchers foo"), None);
    }
}

//! The short cut: a server of this host may be a `leveret serve`, which writes into its arena where it listens. Then
//! the arena is read and written in its place. A server of Redis' clients has an arena for each of its databases.
//!
//! It must be that very server: its process provably lives (the engine asks the kernel), it announced the address to
//! which we would connect, in our network namespace, or it is the process at the other end of the Unix socket. Asked
//! again every `BELIEVED_FOR`, by whichever pool of the process comes then; what happens to the server within that time
//! looks as if it had happened a moment later.
use crate::code::Code;
use crate::link::endpoint::{ServerEndpoint, ServerKind};
use crate::link::fault::{Address, Fault};
use crate::try_lock::unless_held;
use leveret_engine::{Arena, OpenOptions, Service, Time};
use leveret_place::RespListener;
use rustix::net::{sockopt, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::time::ClockId;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Nanoseconds since some moment of the past: asked for at every read, where a `Duration` would be twice the work.
type Moment = u64;

const BELIEVED_FOR: Moment = 10_000_000;

// Looking for it opens every arena of the folder: in vain at most this often, for all pools of the process.
const SEARCHED_EVERY: Moment = 2_000_000_000;

// Shorter: only files with the database's number are opened, and the first write to a database creates its arena.
const DATABASE_SEARCHED_EVERY: Moment = 50_000_000;

// memcached's own limit without -I, of which the header of the shortest item is taken; a server with another one says
// so.
const VALUE_MAX: usize = (1 << 20) - 60;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Sought {
    /// The arena of memcached's clients.
    #[default]
    Memcached,
    /// A database of Redis' clients.
    Database(u32),
}

/// The folder of arenas, the name and the port of a server, and which of its arenas.
type Place = (Option<PathBuf>, String, u16, Sought);

static IN_VAIN: Mutex<Option<HashMap<Place, Moment>>> = Mutex::new(None);

/// Arenas left by closed pools for the next ones of this process, the oldest first. An application that creates its
/// client for each page would otherwise map the arena, and fault its pages in, for each page.
static KEPT: Mutex<Vec<FoundArena>> = Mutex::new(Vec::new());

/// Arenas that are remembered so: those of a site, and of some others.
const KEPT_MAX: usize = 16;

/// The way to the arena of one server.
#[derive(Default)]
pub(crate) struct ShortCut {
    sought: Sought,
    found: Option<FoundArena>,
    /// When it is to be looked for again.
    next_search: Option<Moment>,
}

pub(crate) struct FoundArena {
    pub arena: Arena,
    /// The longest value that the server takes.
    pub value_max: usize,
    /// The server's announcement, if it is for Redis' clients.
    pub listener: Option<RespListener>,
    announced: String,
    pid: u32,
    checked: Moment,
    place: Place,
    /// The Unix socket at whose other end the process was seen.
    socket: Option<SocketFile>,
}

/// The listener of a socket file cannot change while the file is the same: another server would have to bind a new
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SocketFile {
    device: u64,
    inode: u64,
    changed: (i64, u64),
}

impl SocketFile {
    /// To be asked for before the process is: then that process has this file, or is not asked for by it again.
    fn of(endpoint: &ServerEndpoint) -> Option<SocketFile> {
        if endpoint.kind != ServerKind::Unix {
            return None;
        }
        let stat = rustix::fs::stat(endpoint.path()).ok()?;
        Some(SocketFile {
            device: stat.st_dev,
            inode: stat.st_ino,
            changed: (stat.st_ctime, stat.st_ctime_nsec as u64),
        })
    }
}

impl Drop for ShortCut {
    fn drop(&mut self) {
        if let Some(found) = self.found.take() {
            keep(found);
        }
    }
}

impl ShortCut {
    /// The way to a database of Redis' clients.
    pub fn to_database(number: u32) -> ShortCut {
        ShortCut { sought: Sought::Database(number), found: None, next_search: None }
    }

    /// The arena that the server at `endpoint` serves, if it is one of this host that does.
    #[inline]
    pub fn find(&mut self, endpoint: &mut ServerEndpoint) -> Option<&FoundArena> {
        let now = now();
        let is_believed = self.found.as_ref().is_some_and(|found| now.saturating_sub(found.checked) < BELIEVED_FOR);
        if !is_believed && self.next_search.is_none_or(|next| now >= next) {
            self.find_anew(endpoint, now);
        }
        self.found.as_ref()
    }

    #[cold]
    fn find_anew(&mut self, endpoint: &mut ServerEndpoint, now: Moment) {
        let alive = self.found.take().filter(FoundArena::is_alive);
        self.found = alive.map(|found| FoundArena { checked: now, ..found }).or_else(|| self.search(endpoint, now));
    }

    fn search(&mut self, endpoint: &mut ServerEndpoint, now: Moment) -> Option<FoundArena> {
        let place = (endpoint.dir.clone(), endpoint.host.clone(), endpoint.port, self.sought);
        if let Some(found) = take_kept(endpoint, &place, now) {
            return Some(found);
        }
        let searched = unless_held(&IN_VAIN)
            .and_then(|mut in_vain| in_vain.get_or_insert_default().get(&place).copied())
            .filter(|searched| now.saturating_sub(*searched) < self.sought.searched_every());
        let found = if searched.is_none() { look(endpoint, &place, now) } else { None };
        if found.is_none() {
            let searched = searched.unwrap_or(now);
            if let Some(mut in_vain) = unless_held(&IN_VAIN) {
                in_vain.get_or_insert_default().insert(place, searched);
            }
            self.next_search = Some(searched + self.sought.searched_every());
        }
        found
    }

    /// What the last look has found.
    pub fn found(&self) -> Option<&FoundArena> {
        self.found.as_ref()
    }

    /// It has been found, or `find` would look for it now.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.found.is_some() || self.next_search.is_none_or(|next| now() >= next)
    }

    /// It has been found, or not been looked for yet.
    pub fn is_worth_a_look(&self) -> bool {
        self.found.is_some() || self.next_search.is_none()
    }
}

impl Sought {
    fn searched_every(self) -> Moment {
        match self {
            Sought::Database(1..) => DATABASE_SEARCHED_EVERY,
            Sought::Memcached | Sought::Database(0) => SEARCHED_EVERY,
        }
    }

    /// Whether an arena with this file name may be the one sought. Only databases from 1 on have fixed names.
    fn may_be(self, path: &Path) -> bool {
        match self {
            Sought::Database(number @ 1..) => {
                path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&format!(".db{number}.arena")))
            }
            Sought::Memcached | Sought::Database(0) => true,
        }
    }

    /// The announcement of the server that `seeker` looks for.
    fn announcement<'a>(self, seeker: &Seeker, services: &'a [Service]) -> Option<(&'a Service, Option<RespListener>)> {
        let Sought::Database(number) = self else {
            return Some((services.iter().find(|service| seeker.is_it(&service.text, service.pid))?, None));
        };
        services.iter().find_map(|service| {
            let listener = RespListener::parse(&service.text)?;
            let is_it = listener.database == number && seeker.is_it(&listener.endpoint, service.pid);
            is_it.then_some((service, Some(listener)))
        })
    }
}

impl FoundArena {
    pub fn validity(&self) -> Validity {
        Validity::Moment(self.checked + BELIEVED_FOR)
    }

    fn is_alive(&self) -> bool {
        let is_it = |service: Service| service.pid == self.pid && service.text == self.announced;
        !self.arena.is_lost() && self.arena.services().into_iter().any(is_it)
    }
}

/// How long what `Pool::arena` has found may be used without asking it again.
#[derive(Clone, Copy, Debug)]
pub enum Validity {
    /// In this second of the caller's clock.
    Second(Time),
    /// Before this moment of the system's clock, in nanoseconds.
    Moment(u64),
}

impl Validity {
    /// It may still be used. A caller whose clock stands still, or goes back, is in the same second.
    #[inline]
    pub fn holds(self, now: Time) -> bool {
        match self {
            Validity::Second(second) => now <= second,
            Validity::Moment(end) => self::now() < end,
        }
    }
}

/// To a few milliseconds.
fn now() -> Moment {
    let now = rustix::time::clock_gettime(ClockId::MonotonicCoarse);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// One for each place, unless its file is gone: a mapping keeps its memory. The same check publishes this process's
/// counters.
fn keep(found: FoundArena) {
    let Some(mut kept) = unless_held(&KEPT) else { return };
    kept.retain(|other| other.place != found.place);
    kept.push(found);
    kept.retain(|found| found.arena.check().is_ok());
    if kept.len() > KEPT_MAX {
        kept.remove(0);
    }
}

/// A kept arena is trusted as long as if its pool still existed. Then it is verified as if just found: another server
/// may listen there by now.
fn take_kept(endpoint: &mut ServerEndpoint, place: &Place, now: Moment) -> Option<FoundArena> {
    let mut kept = unless_held(&KEPT)?;
    let index = kept.iter().position(|found| found.place == *place)?;
    let found = kept.remove(index);
    drop(kept);
    // Another thread may have asked a moment after `now`.
    if now.saturating_sub(found.checked) < BELIEVED_FOR {
        return Some(found);
    }
    let socket = SocketFile::of(endpoint);
    // To connect to a Unix socket wakes its server, and takes longer than all the rest.
    let is_same_socket = socket.is_some() && socket == found.socket;
    let announced = found.listener.as_ref().map_or(&found.announced, |listener| &listener.endpoint);
    let is_it = found.is_alive()
        && (is_same_socket || Seeker::new(endpoint).is_ok_and(|seeker| seeker.is_it(announced, found.pid)));
    is_it.then_some(FoundArena { checked: now, socket, ..found })
}

fn look(endpoint: &mut ServerEndpoint, place: &Place, now: Moment) -> Option<FoundArena> {
    let arenas = leveret_place::list(endpoint.dir.as_deref()).ok().filter(|arenas| !arenas.is_empty())?;
    let socket = SocketFile::of(endpoint);
    let seeker = Seeker::new(endpoint).ok()?;
    arenas.into_iter().filter(|path| place.3.may_be(path)).find_map(|path| {
        let arena = Arena::open(&path, &OpenOptions::new().create(false)).ok()?.0;
        let services = arena.services();
        let (Service { text, pid, .. }, listener) = place.3.announcement(&seeker, &services)?;
        let of_server = services.iter().filter(|service| service.pid == *pid).map(|service| service.text.as_str());
        // Redis' clients may store what the arena takes.
        let value_max = if listener.is_some() { arena.value_max() } else { value_max(of_server)? };
        let (announced, pid) = (text.clone(), *pid);
        Some(FoundArena { arena, value_max, listener, announced, pid, checked: now, place: place.clone(), socket })
    })
}

/// The longest value that a server takes which has announced this of itself. None: it answers otherwise than its arena
/// would.
fn value_max<'a>(mut announced: impl Iterator<Item = &'a str>) -> Option<usize> {
    announced.try_fold(VALUE_MAX, |known, text| match text.strip_prefix("limit ") {
        Some(limit) => limit.parse().ok(),
        None => (text != "without cas").then_some(known),
    })
}

/// To what we would connect.
enum Seeker {
    Internet { address: SocketAddr, network: String },
    Unix { path: String, peer: u32 },
}

impl Seeker {
    fn new(endpoint: &mut ServerEndpoint) -> Result<Seeker, Fault> {
        let unknown = || Fault::new(Code::NotSupported);
        match endpoint.address()? {
            Address::Internet(address) => {
                let network = std::fs::read_link("/proc/self/ns/net").map_err(|_| unknown())?;
                Ok(Seeker::Internet { address, network: network.to_string_lossy().into_owned() })
            }
            Address::Unix(address) => {
                let path = endpoint.path().to_string();
                let peer = peer(&address).ok_or_else(unknown)?;
                Ok(Seeker::Unix { path, peer })
            }
        }
    }

    fn is_it(&self, announced: &str, pid: u32) -> bool {
        let mut words = announced.splitn(3, ' ');
        match (self, words.next(), words.next(), words.next()) {
            (Seeker::Internet { address, network }, Some("tcp"), Some(listening), Some(its_network)) => {
                let Ok(listening) = listening.parse::<SocketAddr>() else { return false };
                let is_everywhere = listening.ip().is_unspecified() && address.ip().is_loopback();
                let is_there = listening.ip() == address.ip() || is_everywhere;
                is_there && listening.port() == address.port() && its_network == network
            }
            // The text says where it was bound, the kernel which process listens there now.
            (Seeker::Unix { path, peer }, Some("unix"), _, _) => {
                let listening = announced.strip_prefix("unix ").unwrap_or_default();
                pid == *peer && (listening == path || is_same_file(listening.as_ref(), path.as_ref()))
            }
            _ => false,
        }
    }
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

/// The process that listens at a Unix socket, which the kernel tells to clients.
fn peer(address: &SocketAddrUnix) -> Option<u32> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    rustix::net::connect(&socket, address).ok()?;
    let pid = sockopt::socket_peercred(&socket).ok()?.pid;
    u32::try_from(pid.as_raw_nonzero().get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeks(address: &str) -> Seeker {
        Seeker::Internet { address: address.parse().unwrap(), network: "net:[1]".to_string() }
    }

    #[test]
    fn only_the_announced_address_in_the_same_network_is_it() {
        for (address, announced, want) in [
            ("127.0.0.1:11211", "tcp 127.0.0.1:11211 net:[1]", true),
            ("127.0.0.1:11211", "tcp 0.0.0.0:11211 net:[1]", true),
            ("[::1]:11211", "tcp [::]:11211 net:[1]", true),
            ("10.0.0.1:11211", "tcp 10.0.0.1:11211 net:[1]", true),
            ("127.0.0.1:11211", "tcp 127.0.0.1:11211 net:[2]", false),
            ("127.0.0.1:11211", "tcp 127.0.0.1:11211", false),
            ("127.0.0.1:11212", "tcp 127.0.0.1:11211 net:[1]", false),
            ("127.0.0.2:11211", "tcp 127.0.0.1:11211 net:[1]", false),
            // Another host may have this address.
            ("10.0.0.1:11211", "tcp 0.0.0.0:11211 net:[1]", false),
            ("127.0.0.1:11211", "udp 127.0.0.1:11211 net:[1]", false),
            ("127.0.0.1:11211", "unix /run/leveret.sock", false),
            // A server that asks for a password.
            ("127.0.0.1:11211", "guarded tcp 127.0.0.1:11211 net:[1]", false),
            ("127.0.0.1:11211", "", false),
        ] {
            assert_eq!(seeks(address).is_it(announced, 1), want, "{address} {announced}");
        }
        let unix = Seeker::Unix { path: "/run/a b.sock".to_string(), peer: 7 };
        assert!(unix.is_it("unix /run/a b.sock", 7));
        assert!(!unix.is_it("unix /run/a b.sock", 8), "another process listens there now");
        assert!(!unix.is_it("unix /run/other.sock", 7));
    }

    #[test]
    fn a_server_says_where_it_differs_from_its_arena() {
        let told = |texts: &[&'static str]| value_max(texts.iter().copied());
        assert_eq!(told(&["tcp 127.0.0.1:11211 net:[1]"]), Some(VALUE_MAX));
        assert_eq!(told(&["limit 960", "tcp 127.0.0.1:11211 net:[1]"]), Some(960));
        assert_eq!(told(&["limit of something else"]), None);
        assert_eq!(told(&["tcp 127.0.0.1:11211 net:[1]", "without cas"]), None);
    }
}

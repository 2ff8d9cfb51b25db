//! Detects a server's protocol when the caller does not name it. Text comes first, because all servers know it except
//! those configured for binary only, which answer no text, close the connection after 24 bytes of it, and wait for more
//! on less.
//!
//! So a server that answers speaks text, and is not probed. A server that is silent or hangs up at its first request is
//! probed once, with bytes harmless to a text server, until it has shown itself as binary. The result is remembered by
//! the process, and for other processes in an arena of its own.
use super::endpoint::ServerEndpoint;
use super::fault::{Address, Moved};
use super::{Link, READABLE, WRITABLE};
use crate::pool::options::{Options, Protocol};
use crate::try_lock::unless_held;
use leveret_engine::{Arena, Deadline, Meta, Mode, OpenOptions, Time, Value, MEMORY_MIN};
use leveret_protocol::binary::{BinaryCommand, BinaryRequest};
use rustix::event::{PollFd, PollFlags};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a server may be silent before it is probed. A slower server is not harmed.
const SILENCE: Duration = Duration::from_millis(200);

/// Time-out of each step of the probe. The request's own time-out runs on.
const PATIENCE: Duration = Duration::from_secs(2);

// More than a binary header has bytes: on less, a server without text waits for the rest.
const TEXT: &[u8] = b"version\r\nversion\r\nversion\r\n";
const BINARY_ANSWER: u8 = 0x81;

const ARENA: &str = "arena:protocols";
const REMEMBERED_SECS: u32 = 24 * 60 * 60;

/// The folder of arenas and the name of a server.
type Place = (Option<PathBuf>, String);

/// Known protocols of this process. An inner `None`: looked up, and unknown.
static KNOWN: Mutex<Option<HashMap<Place, Option<Protocol>>>> = Mutex::new(None);

pub(crate) fn silence(io_timeout: Duration) -> Duration {
    SILENCE.min(io_timeout / 4)
}

/// The known protocol of a server, before the first request to it.
pub(crate) fn recall(endpoint: &ServerEndpoint) -> Option<Protocol> {
    let place = place(endpoint);
    let Some(mut known) = unless_held(&KNOWN) else { return remembered(&place) };
    *known.get_or_insert_default().entry(place).or_insert_with_key(remembered)
}

/// Whether a server that has never answered speaks the binary protocol only.
pub(crate) fn is_binary(endpoint: &mut ServerEndpoint, io_timeout: Duration, options: &Options) -> bool {
    let Ok(address) = endpoint.address() else { return false };
    let mut binary = Vec::new();
    let is_written = BinaryRequest::new(BinaryCommand::Version, false, 0).write(&mut binary);
    let patience = PATIENCE.min(io_timeout / 4);
    let hear = |said: &[u8]| hear(&address, said, patience, options);
    let is_binary = is_written
        && hear(TEXT).is_some_and(|heard| heard.is_empty())
        && hear(&binary).is_some_and(|heard| heard.first() == Some(&BINARY_ANSWER));
    if is_binary {
        note(endpoint, Some(Protocol::Binary));
    }
    is_binary
}

/// The server has changed: detect again.
pub(crate) fn forget(endpoint: &ServerEndpoint) {
    note(endpoint, None);
}

fn note(endpoint: &ServerEndpoint, protocol: Option<Protocol>) {
    let place = place(endpoint);
    // For other processes. Where it cannot be kept each of them asks for itself.
    if let Some(arena) = arena(&place, protocol.is_some()) {
        let (key, now) = (key(&place), Time::now());
        let _ = match protocol {
            Some(_) => {
                let deadline = Deadline::after(now, REMEMBERED_SECS);
                arena.store(&key, Value::Bytes(b"binary"), Meta::default(), deadline, Mode::Set, now).map(|_| ())
            }
            None => arena.delete(&key, now).map(|_| ()),
        };
    }
    if let Some(mut known) = unless_held(&KNOWN) {
        known.get_or_insert_default().insert(place, protocol);
    }
}

fn remembered(place: &Place) -> Option<Protocol> {
    let item = arena(place, false)?.get(&key(place), Time::now())?;
    (item.value == b"binary").then_some(Protocol::Binary)
}

fn arena((dir, _): &Place, create: bool) -> Option<Arena> {
    let path = leveret_place::resolve(ARENA, dir.as_deref()).ok()?;
    Some(Arena::open(&path, &OpenOptions::new().create(create).memory(MEMORY_MIN)).ok()?.0)
}

fn place(endpoint: &ServerEndpoint) -> Place {
    (endpoint.dir.clone(), format!("{}:{}", endpoint.host, endpoint.port))
}

/// An address means something only in its own network.
fn key((_, name): &Place) -> Vec<u8> {
    let network = std::fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{name} {}", network.display()).into_bytes()
}

/// The first that a server answers on a connection of its own: nothing, if it hangs up. None: it keeps silent, or is
/// not there.
fn hear(address: &Address, said: &[u8], patience: Duration, options: &Options) -> Option<Vec<u8>> {
    let until = Instant::now() + patience;
    let mut link = Link::connect(address, options, true, None, None).ok()?;
    if !link.is_connected {
        await_link(&link, WRITABLE, until)?;
        link.finish_connect().ok()?;
    }
    link.send(said).ok()?;
    await_link(&link, READABLE, until)?;
    let mut room = [0; 64];
    match link.recv(&mut room).ok()? {
        Moved::Bytes(len) => Some(room[..len].to_vec()),
        Moved::Closed => Some(Vec::new()),
        Moved::Blocked | Moved::Interrupted => None,
    }
}

/// Waits also on behind signals, which end a wait and say nothing. None: the time is over.
fn await_link(link: &Link, events: PollFlags, until: Instant) -> Option<()> {
    loop {
        let mut polled = [PollFd::new(link, events)];
        if !super::wait(&mut polled, until.saturating_duration_since(Instant::now())) {
            return None;
        }
        if !polled[0].revents().is_empty() {
            return Some(());
        }
    }
}

//! Resolves a server's name to its addresses. That may ask a name server, which our time-outs do not bound, so a slow
//! answer is not requested again soon by any pool of this process: with a slow or dead name server, a process spends at
//! most a tenth of its time on a name, instead of all of it after each back-off.
use super::fault::{Address, Fault};
use crate::code::Code;
use crate::try_lock::unless_held;
use rustix::net::SocketAddrUnix;
use std::collections::HashMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Mutex;
use std::time::Instant;

// An answer, also a negative one, is valid for this many times its duration.
const HOLDS: u32 = 10;

/// With what the name of a server begins that is spoken with through TLS.
pub(crate) const TLS: &str = "tls://";

/// Paths may be written as pecl/memcache has them, `unix:///path`.
pub(crate) fn path_of(host: &str) -> &str {
    host.strip_prefix("unix://").unwrap_or(host)
}

struct Heard {
    addresses: Option<Vec<SocketAddr>>,
    until: Instant,
}

static HEARD: Mutex<Option<HashMap<String, Heard>>> = Mutex::new(None);

/// The addresses of a server; at least one.
pub(crate) fn resolve(host: &str, port: u16) -> Result<Vec<Address>, Fault> {
    let path = path_of(host);
    if path.starts_with('/') {
        let address = SocketAddrUnix::new(path).map_err(|errno| Fault::system(Code::Errno, errno))?;
        return Ok(vec![Address::Unix(address)]);
    }
    let (host, port) = match host.strip_prefix(TLS) {
        Some(host) => secured_host_and_port(host, port),
        None => host_and_port(host.strip_prefix("tcp://").unwrap_or(host), port),
    };
    let addresses = match host.parse() {
        Ok(address) => vec![SocketAddr::new(address, port)],
        Err(_) => look_up(host).ok_or(Fault::new(Code::HostLookupFailure))?,
    };
    let with_port = |mut address: SocketAddr| {
        address.set_port(port);
        Address::Internet(address)
    };
    Ok(addresses.into_iter().map(with_port).collect())
}

/// The port is a placeholder.
fn look_up(name: &str) -> Option<Vec<SocketAddr>> {
    let begun = Instant::now();
    if let Some(mut all) = unless_held(&HEARD) {
        if let Some(heard) = all.get_or_insert_default().get(name).filter(|heard| begun < heard.until) {
            return heard.addresses.clone();
        }
    }
    let addresses = (name, 0).to_socket_addrs().ok().map(Vec::from_iter).filter(|found| !found.is_empty());
    let now = Instant::now();
    let heard = Heard { addresses: addresses.clone(), until: now + (now - begun) * HOLDS };
    if let Some(mut all) = unless_held(&HEARD) {
        let all = all.get_or_insert_default();
        all.retain(|_, heard| now < heard.until);
        all.insert(name.to_string(), heard);
    }
    addresses
}

/// The host of `tls://host`, for which its certificate must be issued.
pub(crate) fn secured_host(host: &str) -> Option<&str> {
    host.strip_prefix(TLS).map(|host| secured_host_and_port(host, 0).0)
}

/// `host`, `host:port`, `[v6]` or `[v6]:port`, with nothing but perhaps a `/` behind it.
fn secured_host_and_port(name: &str, port: u16) -> (&str, u16) {
    let name = name.strip_suffix('/').unwrap_or(name);
    match name.strip_prefix('[').and_then(|name| name.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').and_then(|digits| digits.parse().ok()).unwrap_or(port)),
        None => host_and_port(name, port),
    }
}

/// A port in the name of the host counts more than the one beside it, as pecl/memcache has it. An IPv6 address has more
/// colons.
fn host_and_port(name: &str, port: u16) -> (&str, u16) {
    match name.split_once(':').map(|(host, digits)| (host, digits.parse())) {
        Some((host, Ok(port))) => (host, port),
        _ => (name, port),
    }
}

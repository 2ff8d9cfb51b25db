//! The sockets that clients come to: bound before there is a thread, so that root's rights can be dropped behind it.
use crate::entrance::{Entrance, RESP_ENDPOINT};
use crate::redis::settings::{RedisPlace, RedisSettings};
use crate::serve_error::ServeError;
use crate::settings::{Listen, Security, Settings};
use crate::tls::NO_AUTHORITY;
use crate::transport::Transport;
use leveret_engine::reason;
use rustix::fs::Mode;
use rustix::process::umask;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A socket that accepts connections.
#[derive(Debug)]
pub struct Listener {
    /// Non-blocking.
    pub socket: OwnedFd,
    /// TCP or Unix.
    pub transport: Transport,
    /// As announced: `tcp 127.0.0.1:11211`, `tls 127.0.0.1:11212`, `unix /path`.
    pub endpoint: Arc<str>,
    /// TCP's own address.
    pub address: Option<SocketAddr>,
    /// Whether its clients speak TLS.
    pub security: Security,
    /// Whose clients come here.
    pub entrance: Entrance,
}

impl Listener {
    /// Of a socket that listens already.
    pub fn tcp(socket: OwnedFd, address: SocketAddr, security: Security) -> Listener {
        // Another word: clients without TLS must not be sent to a TLS listener.
        let endpoint = format!("{} {address}", if security == Security::Plain { "tcp" } else { "tls" }).into();
        Listener {
            socket,
            transport: Transport::Tcp,
            endpoint,
            address: Some(address),
            security,
            entrance: Entrance::default(),
        }
    }

    /// For clients of Redis: `resp 0 tcp 127.0.0.1:6379`, with the database that the arena is.
    fn for_redis(self) -> Listener {
        Listener { endpoint: format!("{RESP_ENDPOINT}{}", self.endpoint).into(), entrance: Entrance::Redis, ..self }
    }
}

/// The Unix socket's file, removed with this value, unless another server has replaced it.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Binds the TCP addresses.
pub fn tcp(settings: &Settings) -> Result<Vec<Listener>, ServeError> {
    let mut listeners = Vec::new();
    for (address, wanted) in addresses(&settings.listen, settings.tcp_port)? {
        let security = security(settings, wanted, &address)?;
        match tcp_listener(address, settings.backlog, security) {
            Ok(listener) => listeners.push(listener),
            // A name like localhost often has an IPv6 address on machines without IPv6.
            Err(error) if is_missing_family(&error) && (address.is_ipv6() || !listeners.is_empty()) => {}
            Err(source) => return Err(ServeError::Bind { address: address.to_string(), source }),
        }
    }
    Ok(listeners)
}

/// What clients of an address speak that is to have the security `wanted`. Without `-Z` that is no TLS, unless the address
/// itself asks for it: then the server must not start.
pub fn security(settings: &Settings, wanted: Security, address: &SocketAddr) -> Result<Security, ServeError> {
    let refuse = |why| Err(ServeError::Insecure { address: address.to_string(), why });
    match (wanted, &settings.tls) {
        (Security::Plain | Security::Standard, None) => Ok(Security::Plain),
        (Security::Basic | Security::Mutual, None) => refuse("btls and mtls need TLS (-Z)"),
        (Security::Mutual, Some(tls)) if tls.ca_cert.is_none() => refuse(NO_AUTHORITY),
        (wanted, Some(_)) => Ok(wanted),
    }
}

/// Binds the Unix socket.
pub fn unix(path: &Path, mode: u32, backlog: u32) -> Result<(Listener, SocketFile), ServeError> {
    remove_stale(path)?;
    // By umask, as the file must not be open to more users for even a moment. There is no other thread yet that would
    // notice.
    let before = umask(Mode::from_bits_truncate(!mode & 0o777));
    let bound = unix_listener(path, backlog);
    umask(before);
    let failed = |error: io::Error| unusable(path, &error);
    let socket = bound.map_err(failed)?;
    let absolute = std::path::absolute(path).map_err(failed)?;
    let file = SocketFile { identity: identity(&absolute).map_err(failed)?, path: absolute };
    let endpoint = format!("unix {}", file.path.display()).into();
    let (security, entrance) = (Security::Plain, Entrance::default());
    Ok((Listener { socket, transport: Transport::Unix, endpoint, address: None, security, entrance }, file))
}

/// Binds where clients of Redis come to.
pub fn redis(settings: &Settings, redis: &RedisSettings) -> Result<(Vec<Listener>, Option<SocketFile>), ServeError> {
    let (port, is_tls) = match &redis.place {
        RedisPlace::Unix(path) => {
            let (listener, file) = unix(path, settings.unix_mode, settings.backlog)?;
            return Ok((vec![listener.for_redis()], Some(file)));
        }
        RedisPlace::Tcp { port, is_tls } => (*port, *is_tls),
    };
    // The ports of -l are those of memcached's clients.
    let hosts = settings.listen.iter().map(|listen| Listen { port: None, security: Security::Plain, ..listen.clone() });
    let mut listeners = Vec::new();
    for (address, _) in addresses(&hosts.collect::<Vec<_>>(), port)? {
        let wanted = if is_tls { Security::Standard } else { Security::Plain };
        match tcp_listener(address, settings.backlog, wanted) {
            Ok(listener) => listeners.push(listener.for_redis()),
            Err(error) if is_missing_family(&error) && (address.is_ipv6() || !listeners.is_empty()) => {}
            Err(source) => return Err(ServeError::Bind { address: format!("{address} (--redis)"), source }),
        }
    }
    Ok((listeners, None))
}

/// The addresses of UDP. Loopback only, unless the settings name others: a server that answers spoofed requests with
/// large values is a weapon against third parties, and memcached has been one.
pub fn udp_addresses(settings: &Settings) -> Result<Vec<SocketAddr>, ServeError> {
    let Some(port) = port_of(settings.udp_port) else { return Ok(Vec::new()) };
    if !settings.udp_addresses.is_empty() {
        return Ok(settings.udp_addresses.iter().map(|&address| SocketAddr::new(address, port)).collect());
    }
    let mut loopback: Vec<SocketAddr> = addresses(&settings.listen, settings.udp_port)?
        .into_keys()
        .filter(|address| address.ip().is_loopback())
        .collect();
    if loopback.is_empty() {
        loopback.push(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    Ok(loopback)
}

/// Which network this process is in: an address means something only together with it.
pub fn network_namespace() -> String {
    std::fs::read_link("/proc/self/ns/net")
        .map_or_else(|_| "net:unknown".to_owned(), |link| link.to_string_lossy().into_owned())
}

/// 0 = off, None = any free port.
fn port_of(setting: Option<u16>) -> Option<u16> {
    match setting {
        Some(0) => None,
        Some(port) => Some(port),
        None => Some(0),
    }
}

/// Each address, and the security that it is to have.
fn addresses(listen: &[Listen], port: Option<u16>) -> Result<BTreeMap<SocketAddr, Security>, ServeError> {
    let default = port_of(port);
    if listen.is_empty() {
        let loopback =
            default.map(|port| (SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port), Security::default()));
        return Ok(loopback.into_iter().collect());
    }
    let mut found = BTreeMap::new();
    for Listen { host, port, security } in listen {
        let Some(port) = port.or(default) else { continue };
        // As memcached understands it: all addresses of all interfaces.
        let host = if host == "*" { "0.0.0.0" } else { host };
        let resolved =
            (host, port).to_socket_addrs().map_err(|source| ServeError::Resolve { host: host.to_owned(), source })?;
        for address in resolved {
            // Of an address that is named twice the stricter word counts.
            let wanted = found.entry(address).or_insert(*security);
            *wanted = (*wanted).max(*security);
        }
    }
    Ok(found)
}

/// One TCP address.
pub fn tcp_listener(address: SocketAddr, backlog: u32, security: Security) -> io::Result<Listener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
    // A restart must not wait for the old connections' TIME_WAIT.
    socket.set_reuse_address(true)?;
    // Connections inherit these two, which spares each of them two system calls.
    socket.set_keepalive(true)?;
    socket.set_tcp_nodelay(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
    let bound = socket.local_addr()?.as_socket().unwrap_or(address);
    Ok(Listener::tcp(socket.into(), bound, security))
}

fn unix_listener(path: &Path, backlog: u32) -> io::Result<OwnedFd> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM.nonblocking(), None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
    Ok(socket.into())
}

/// A killed server leaves its socket's file. It is removed only if no server listens there.
fn remove_stale(path: &Path) -> Result<(), ServeError> {
    let occupied = |by: &str| Err(ServeError::Occupied { path: path.to_owned(), by: by.to_owned() });
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if !metadata.file_type().is_socket() => return occupied("there is a file that is no socket"),
        _ => {}
    }
    let connected = SockAddr::unix(path)
        .and_then(|address| Socket::new(Domain::UNIX, Type::STREAM.nonblocking(), None)?.connect(&address));
    match connected {
        Ok(()) => occupied("another server listens there"),
        // It accepts no connection at the moment.
        Err(error) if error.kind() == ErrorKind::WouldBlock => occupied("another server listens there, and is stuck"),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => std::fs::remove_file(path)
            .map_err(|source| ServeError::File { doing: "remove", path: path.to_owned(), source }),
        Err(error) => Err(unusable(path, &error)),
    }
}

fn unusable(path: &Path, error: &io::Error) -> ServeError {
    let is_long = error.kind() == ErrorKind::InvalidInput;
    let by = if is_long { "the path is longer than 107 bytes".to_owned() } else { reason(error) };
    ServeError::Occupied { path: path.to_owned(), by }
}

fn is_missing_family(error: &io::Error) -> bool {
    error.kind() == ErrorKind::AddrNotAvailable
        || error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

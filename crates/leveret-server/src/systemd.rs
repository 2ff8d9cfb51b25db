//! What systemd and a service tell each other: sockets that it has opened, that the service is ready, and that it lives.
use crate::execute::Transport;
use crate::listen::{self, Listener, ServeError};
use crate::settings::Security;
use crate::worker::Inbox;
use crate::Settings;
use listenfd::ListenFd;
use rustix::fd::OwnedFd;
use socket2::SockRef;
use std::env;
use std::ffi::OsStr;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram, UnixListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tells systemd, where it started us with Type=notify. Nothing depends on it being heard.
pub fn notify(state: &str) {
    let Some(address) = env::var_os("NOTIFY_SOCKET").and_then(|name| notify_address(&name)) else { return };
    if let Ok(socket) = UnixDatagram::unbound() {
        let _ = socket.send_to_addr(state.as_bytes(), &address);
    }
}

/// A path, or after an `@` a name without a file.
fn notify_address(name: &OsStr) -> Option<UnixAddr> {
    match name.as_bytes() {
        [b'@', name @ ..] => UnixAddr::from_abstract_name(name).ok(),
        [b'/', ..] => UnixAddr::from_pathname(name).ok(),
        _ => None,
    }
}

/// `WatchdogSec=`: systemd hears that we live only as long as each worker answers.
pub(crate) struct Watchdog {
    patience: Option<Duration>,
    told: Instant,
}

impl Watchdog {
    pub fn of_environment() -> Watchdog {
        let is_ours = env::var("WATCHDOG_PID").map_or(true, |pid| pid == std::process::id().to_string());
        let micros = env::var("WATCHDOG_USEC").ok().and_then(|micros| micros.parse().ok());
        Watchdog { patience: micros.filter(|_| is_ours).map(Duration::from_micros), told: Instant::now() }
    }

    /// Once a second: three times before patience ends all workers are asked, and if all have answered, systemd is told.
    pub fn tick(&mut self, workers: &[Arc<Inbox>]) {
        let Some(patience) = self.patience else { return };
        if self.told.elapsed() < patience / 3 || !workers.iter().all(|worker| worker.has_answered()) {
            return;
        }
        notify("WATCHDOG=1");
        self.told = Instant::now();
        workers.iter().for_each(|worker| worker.ask());
    }
}

/// Sockets that were handed over (`LISTEN_FDS`), in place of those of `-p`, `-l`, `-U` and `-s`. A TCP socket named `notls`,
/// `btls` or `mtls` is what these mean before an address of `-l`, and one named `metrics` is in place of `--metrics`.
#[derive(Default)]
pub(crate) struct Passed {
    pub listeners: Vec<Listener>,
    pub udp: Vec<(OwnedFd, SocketAddr)>,
    pub metrics: Option<Listener>,
}

impl Passed {
    pub fn take(settings: &Settings) -> Result<Passed, ServeError> {
        let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':');
        let mut fds = ListenFd::from_env();
        let mut passed = Passed::default();
        for index in 0..fds.len() {
            let name = names.next().unwrap_or_default();
            let failed = |source| ServeError::System { doing: "use a socket of LISTEN_FDS", source };
            let listener = match socket(&mut fds, index).map_err(failed)? {
                Socket::Tcp(socket) => {
                    let address = socket.local_addr().map_err(failed)?;
                    tcp(socket, address, listen::security(settings, security(name), &address)?)
                }
                Socket::Unix(socket) => unix(socket),
                Socket::Udp(socket) => {
                    socket.set_nonblocking(true).map_err(failed)?;
                    let address = socket.local_addr().map_err(failed)?;
                    passed.udp.push((socket.into(), address));
                    continue;
                }
            };
            let listener = listener.map_err(failed)?;
            if name == "metrics" {
                passed.metrics = Some(listener);
            } else {
                passed.listeners.push(listener);
            }
        }
        Ok(passed)
    }
}

enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
    Udp(UdpSocket),
}

/// The socket at `index`, of whichever kind it is.
fn socket(fds: &mut ListenFd, index: usize) -> io::Result<Socket> {
    if let Ok(Some(socket)) = fds.take_tcp_listener(index) {
        return Ok(Socket::Tcp(socket));
    }
    if let Ok(Some(socket)) = fds.take_unix_listener(index) {
        return Ok(Socket::Unix(socket));
    }
    match fds.take_udp_socket(index)? {
        Some(socket) => Ok(Socket::Udp(socket)),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Of a TCP socket with this name.
fn security(name: &str) -> Security {
    if name == "metrics" {
        return Security::Plain;
    }
    let named = Security::PREFIXES.iter().find(|(prefix, _)| prefix.strip_suffix(':') == Some(name));
    named.map_or(Security::Standard, |(_, security)| *security)
}

fn tcp(socket: TcpListener, address: SocketAddr, security: Security) -> io::Result<Listener> {
    // Connections inherit these.
    let options = SockRef::from(&socket);
    options.set_keepalive(true)?;
    options.set_tcp_nodelay(true)?;
    socket.set_nonblocking(true)?;
    Ok(Listener::tcp(socket.into(), address, security))
}

fn unix(socket: UnixListener) -> io::Result<Listener> {
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    let path = address.as_pathname().map_or_else(|| "@".to_owned(), |path| path.display().to_string());
    let endpoint = format!("unix {path}").into();
    Ok(Listener {
        socket: socket.into(),
        transport: Transport::Unix,
        endpoint,
        address: None,
        security: Security::Plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_socket() {
        assert!(notify_address(OsStr::new("/run/systemd/notify")).is_some());
        assert!(notify_address(OsStr::new("@abstract")).is_some_and(|address| address.as_abstract_name().is_some()));
        assert!(notify_address(OsStr::new("vsock:2:1")).is_none());
    }
}

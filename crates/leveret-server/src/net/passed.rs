//! Sockets that systemd has opened for the server.
use super::listen::{self, Listener};
use crate::entrance::Entrance;
use crate::serve_error::ServeError;
use crate::settings::Security;
use crate::transport::Transport;
use crate::Settings;
use listenfd::ListenFd;
use rustix::fd::OwnedFd;
use socket2::SockRef;
use std::env;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;

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
        entrance: Entrance::default(),
    })
}

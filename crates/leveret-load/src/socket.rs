//! The kinds of connection, and where a server listens.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;

use leveret_client::pool::TlsOptions;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// TCP.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
    /// Datagrams.
    Udp(SocketAddr),
    /// TLS over TCP.
    Tls(SocketAddr),
}

impl Endpoint {
    /// A connection that never blocks.
    pub fn connect(&self) -> io::Result<Socket> {
        let socket = match self {
            Endpoint::Tcp(address) => {
                let stream = connect_tcp(address)?;
                stream.set_nonblocking(true)?;
                Socket::Tcp(stream)
            }
            Endpoint::Tls(address) => {
                let stream = connect_tcp(address)?;
                // Verification is not measured.
                let options = TlsOptions { verify: false, ..TlsOptions::default() };
                let mut secured = options.over("localhost", stream.try_clone()?).map_err(io::Error::other)?;
                // The handshake.
                secured.flush()?;
                stream.set_nonblocking(true)?;
                Socket::Tls(stream, RefCell::new(Box::new(secured)))
            }
            Endpoint::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Socket::Unix(stream)
            }
            Endpoint::Udp(address) => {
                let socket = UdpSocket::bind(if address.is_ipv4() { "127.0.0.1:0" } else { "[::1]:0" })?;
                socket.connect(address)?;
                socket.set_nonblocking(true)?;
                Socket::Udp(socket)
            }
        };
        Ok(socket)
    }
}

fn connect_tcp(address: &SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    // Closing resets: 10,000 connections that linger would use up the ports of the next server's clients.
    rustix::net::sockopt::set_socket_linger(&stream, Some(std::time::Duration::ZERO))?;
    Ok(stream)
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Endpoint, String> {
        let address = |text: &str| text.parse().map_err(|_| format!("'{text}' is not an address like 127.0.0.1:11211"));
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Endpoint::Unix(path.into())),
            Some(("udp", text)) => Ok(Endpoint::Udp(address(text)?)),
            Some(("tcp", text)) => Ok(Endpoint::Tcp(address(text)?)),
            Some(("tls", text)) => Ok(Endpoint::Tls(address(text)?)),
            _ => Err(format!("'{text}' is none of tcp:ADDRESS:PORT, unix:PATH, udp:ADDRESS:PORT, tls:ADDRESS:PORT")),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp(address) => write!(f, "tcp:{address}"),
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
            Endpoint::Udp(address) => write!(f, "udp:{address}"),
            Endpoint::Tls(address) => write!(f, "tls:{address}"),
        }
    }
}

/// A connection.
pub enum Socket {
    /// TCP.
    Tcp(TcpStream),
    /// A socket in the file system.
    Unix(UnixStream),
    /// Datagrams.
    Udp(UdpSocket),
    /// TLS over TCP.
    Tls(TcpStream, RefCell<Box<dyn SecuredStream>>),
}

/// TLS on a connection.
pub trait SecuredStream: Read + Write {}

impl<S: Read + Write> SecuredStream for S {}

impl Socket {
    /// A datagram is sent whole, or not at all.
    pub fn is_datagram(&self) -> bool {
        matches!(self, Socket::Udp(_))
    }

    /// A read that did not fill its room has taken all that there was.
    pub fn tells_all(&self) -> bool {
        !matches!(self, Socket::Tls(..))
    }

    /// Reads available bytes.
    pub fn receive(&self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).read(into),
            Socket::Unix(stream) => (&mut &*stream).read(into),
            Socket::Udp(socket) => socket.recv(into),
            Socket::Tls(_, secured) => secured.borrow_mut().read(into),
        }
    }

    /// Sends as many bytes as the socket accepts now.
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).write(bytes),
            Socket::Unix(stream) => (&mut &*stream).write(bytes),
            Socket::Udp(socket) => socket.send(bytes),
            Socket::Tls(_, secured) => secured.borrow_mut().write(bytes),
        }
    }

    /// Sends bytes that were accepted before, as far as the socket accepts them now.
    pub fn flush(&self) -> io::Result<()> {
        match self {
            Socket::Tls(_, secured) => match secured.borrow_mut().flush() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
                flushed => flushed,
            },
            _ => Ok(()),
        }
    }

    /// For streams: a datagram is sent whole.
    pub fn send_slices(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).write_vectored(slices),
            Socket::Unix(stream) => (&mut &*stream).write_vectored(slices),
            Socket::Udp(_) => Err(io::ErrorKind::Unsupported.into()),
            Socket::Tls(_, secured) => secured.borrow_mut().write_vectored(slices),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Udp(socket) => socket.as_fd(),
            Socket::Tls(stream, _) => stream.as_fd(),
        }
    }
}

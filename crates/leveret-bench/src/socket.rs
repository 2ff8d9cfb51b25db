//! The three kinds of connection, and where a server listens.

use std::fmt;
use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Tcp(SocketAddr),
    Unix(PathBuf),
    Udp(SocketAddr),
}

impl Endpoint {
    pub fn connect(&self) -> io::Result<Socket> {
        let socket = match self {
            Endpoint::Tcp(address) => {
                let stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                // Closing resets: 10,000 connections that linger would use up the ports of the next server's clients.
                rustix::net::sockopt::set_socket_linger(&stream, Some(std::time::Duration::ZERO))?;
                Socket::Tcp(stream)
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

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Endpoint, String> {
        let address = |text: &str| text.parse().map_err(|_| format!("'{text}' is not an address like 127.0.0.1:11211"));
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Endpoint::Unix(path.into())),
            Some(("udp", text)) => Ok(Endpoint::Udp(address(text)?)),
            Some(("tcp", text)) => Ok(Endpoint::Tcp(address(text)?)),
            _ => Err(format!("'{text}' is none of tcp:ADDRESS:PORT, unix:PATH, udp:ADDRESS:PORT")),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp(address) => write!(f, "tcp:{address}"),
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
            Endpoint::Udp(address) => write!(f, "udp:{address}"),
        }
    }
}

pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
    Udp(UdpSocket),
}

impl Socket {
    pub fn is_datagram(&self) -> bool {
        matches!(self, Socket::Udp(_))
    }

    pub fn receive(&self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).read(into),
            Socket::Unix(stream) => (&mut &*stream).read(into),
            Socket::Udp(socket) => socket.recv(into),
        }
    }

    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).write(bytes),
            Socket::Unix(stream) => (&mut &*stream).write(bytes),
            Socket::Udp(socket) => socket.send(bytes),
        }
    }

    /// For streams: a datagram is sent whole.
    pub fn send_slices(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => (&mut &*stream).write_vectored(slices),
            Socket::Unix(stream) => (&mut &*stream).write_vectored(slices),
            Socket::Udp(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Udp(socket) => socket.as_fd(),
        }
    }
}

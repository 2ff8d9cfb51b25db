//! A server's address, the result of a call on its connection, and failures.
use crate::code::Code;
use rustix::io::Errno;
use rustix::net::SocketAddrUnix;
use std::net::SocketAddr;

/// Where a server listens.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Internet(SocketAddr),
    Unix(SocketAddrUnix),
}

/// What went wrong, and the errno behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub code: Code,
    pub errno: i32,
}

impl Fault {
    pub fn new(code: Code) -> Fault {
        Fault { code, errno: 0 }
    }

    pub fn system(code: Code, errno: Errno) -> Fault {
        Fault { code, errno: errno.raw_os_error() }
    }
}

/// Result of a system call on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    Bytes(usize),
    /// Nothing can be moved now.
    Blocked,
    /// A signal has ended the wait.
    Interrupted,
    /// The peer has closed the connection, or has never known of it.
    Closed,
}

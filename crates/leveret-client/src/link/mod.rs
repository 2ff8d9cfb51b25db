//! A connection to one server: nothing here waits but `recv_alone`.
pub(crate) mod detect;
pub(crate) mod endpoint;
pub(crate) mod fault;
pub(crate) mod names;
pub(crate) mod sign_in;
pub(crate) mod stream;
pub(crate) mod tls;

use crate::code::Code;
use crate::pool::options::Options;
use fault::{Address, Fault, Moved};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{ipproto, AddressFamily, RecvFlags, Shutdown, SocketFlags, SocketType};
use sign_in::SignIn;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;
use stream::{Secured, Wire};

#[derive(Debug)]
pub(crate) struct Link {
    wire: Wire,
    is_unix: bool,
    /// Requests may be sent.
    pub is_connected: bool,
    /// Connected to a peer, which may require a sign-in.
    is_open: bool,
    /// All traffic is secret.
    is_secret: bool,
    sign_in: Option<SignIn>,
    has_sent: bool,
    /// TCP_NODELAY is set.
    is_prompt: bool,
    /// The socket itself may block, for the time in `SO_RCVTIMEO`; set when a link of TCP is used for a second batch.
    waits: Option<Duration>,
}

impl Link {
    /// Begins to connect; `will_send` = at once something is sent. With `sign_in` it counts as connected when the server
    /// has let us in.
    pub fn connect(
        address: &Address,
        options: &Options,
        will_send: bool,
        tls: Option<Secured>,
        sign_in: Option<SignIn>,
    ) -> Result<Link, Fault> {
        let family = match address {
            Address::Internet(SocketAddr::V4(_)) => AddressFamily::INET,
            Address::Internet(SocketAddr::V6(_)) => AddressFamily::INET6,
            Address::Unix(_) => AddressFamily::UNIX,
        };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let is_unix = family == AddressFamily::UNIX;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, (!is_unix).then_some(ipproto::TCP))
            .map_err(|errno| Fault::system(Code::Errno, errno))?;
        // Without one of these a connection is slower, not wrong.
        if !is_unix && will_send {
            // The third packet of the handshake need not go alone: the first request acknowledges as well.
            let _ = sockopt::set_tcp_quickack(&socket, false);
        }
        if !is_unix && options.keep_alive {
            let _ = sockopt::set_socket_keepalive(&socket, true);
        }
        if options.send_size > 0 {
            let _ = sockopt::set_socket_send_buffer_size(&socket, options.send_size);
        }
        if options.recv_size > 0 {
            let _ = sockopt::set_socket_recv_buffer_size(&socket, options.recv_size);
        }
        let result = match address {
            Address::Internet(address) => rustix::net::connect(&socket, address),
            Address::Unix(address) => rustix::net::connect(&socket, address),
        };
        let is_open = match result {
            Ok(()) => true,
            Err(Errno::INPROGRESS) => false,
            Err(errno) => return Err(refused(is_unix, errno)),
        };
        let is_connected = is_open && tls.is_none() && sign_in.is_none();
        let is_secret = tls.is_none();
        let wire = Wire { socket, tls: tls.map(Box::new) };
        Ok(Link {
            wire,
            is_unix,
            is_connected,
            is_open,
            is_secret,
            sign_in,
            has_sent: false,
            is_prompt: false,
            waits: None,
        })
    }

    /// Is it connected by now?
    pub fn finish_connect(&mut self) -> Result<(), Fault> {
        if !self.is_open {
            self.finish_open()?;
        }
        if let Some(tls) = self.wire.tls.as_mut().filter(|_| self.is_open && !self.is_secret) {
            let shaken = tls.shake_hands(&self.wire.socket);
            self.is_secret = shaken.map_err(|errno| Fault::system(Code::ConnectionFailure, errno))?;
            self.has_sent = true;
        }
        self.is_connected = match &mut self.sign_in {
            Some(sign_in) if self.is_secret && self.is_open => sign_in.advance(&mut self.wire)?,
            _ => self.is_open && self.is_secret,
        };
        if self.is_connected {
            (self.sign_in, self.has_sent) = (None, self.has_sent || self.sign_in.is_some());
        }
        Ok(())
    }

    /// Whether a wait is for sending, given unsent bytes once it is connected.
    pub fn wants_to_send(&self, has_unsent: bool) -> bool {
        match &self.sign_in {
            _ if self.is_open && !self.is_secret => self.holds_back(),
            Some(sign_in) if self.is_open => sign_in.has_unsent() || self.holds_back(),
            _ => !self.is_connected || has_unsent,
        }
    }

    /// Early data would go before the sign-in.
    pub fn may_send_early(&self) -> bool {
        !self.is_connected && self.sign_in.is_none() && self.wire.tls.is_none()
    }

    /// Something was taken that the socket has not.
    #[inline]
    pub fn holds_back(&self) -> bool {
        self.wire.tls.as_ref().is_some_and(|tls| tls.holds_back())
    }

    /// Something has come of which no poll knows any more.
    #[inline]
    pub fn has_more(&mut self) -> bool {
        self.wire.tls.as_mut().is_some_and(|tls| tls.has_more())
    }

    /// Why it is over, where errors of the system have no words for that.
    pub fn trouble(&self) -> Option<&str> {
        let tls = self.wire.tls.as_ref()?;
        let is_unfinished = self.is_open && !self.is_secret;
        tls.trouble().or_else(|| is_unfinished.then_some("the TLS handshake was not finished"))
    }

    fn finish_open(&mut self) -> Result<(), Fault> {
        match sockopt::socket_error(&self.wire.socket) {
            // A socket that is still on its way has no error either.
            Ok(Ok(())) => {
                self.is_open = rustix::net::getpeername(&self.wire.socket).is_ok();
                Ok(())
            }
            Ok(Err(errno)) | Err(errno) => Err(refused(self.is_unix, errno)),
        }
    }

    /// Sends before the kernel has said that the connection stands: with a peer on this host it mostly does, and a wait
    /// is spared.
    pub fn send_early(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        match self.wire.send(bytes) {
            Ok(len) => {
                (self.is_connected, self.is_open, self.has_sent) = (true, true, true);
                Ok(len)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(errno) => Err(refused(self.is_unix, errno)),
        }
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<Moved, Fault> {
        // A batch is one write, which need not wait for another. The first packet is never held back, and most
        // connections send no second one.
        if !self.is_unix && self.has_sent && !self.is_prompt {
            let _ = sockopt::set_tcp_nodelay(&self.wire.socket, true);
            self.is_prompt = true;
        }
        self.has_sent = true;
        loop {
            return match self.wire.send(bytes) {
                Ok(len) => Ok(Moved::Bytes(len)),
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Ok(Moved::Blocked),
                Err(Errno::PIPE | Errno::CONNRESET) => Ok(Moved::Closed),
                Err(errno) => Err(Fault::system(Code::WriteFailure, errno)),
            };
        }
    }

    /// Ends the output: the peer reads the sent bytes, and then the end.
    pub fn end_of_output(&mut self) -> rustix::io::Result<()> {
        if let Some(tls) = &mut self.wire.tls {
            tls.finish(&self.wire.socket)?;
        }
        rustix::net::shutdown(&self.wire.socket, Shutdown::Write)
    }

    /// Nothing has come, not even an end.
    pub fn is_quiet(&mut self) -> bool {
        let mut room = [0; 1];
        // What TLS says to itself is read on the way, and is nothing.
        matches!(self.wire.recv(&mut room, RecvFlags::PEEK | RecvFlags::DONTWAIT), Err(Errno::AGAIN))
    }

    pub fn recv(&mut self, room: &mut [u8]) -> Result<Moved, Fault> {
        recv(&mut self.wire, room, RecvFlags::DONTWAIT)
    }

    /// As `recv`, but waits, by TCP in the same system call: for the only server from which something is awaited.
    /// `Blocked` = in vain.
    pub fn recv_alone(&mut self, room: &mut [u8], patience: Duration) -> Result<Moved, Fault> {
        if self.is_unix && self.wire.tls.is_none() {
            return self.poll_and_recv(room, patience);
        }
        if self.waits != Some(patience) {
            let settled = sockopt::set_socket_timeout(&self.wire.socket, Timeout::Recv, Some(patience))
                .and_then(|()| rustix::io::ioctl_fionbio(&self.wire.socket, false));
            settled.map_err(|errno| Fault::system(Code::Errno, errno))?;
            self.waits = Some(patience);
        }
        recv(&mut self.wire, room, RecvFlags::empty())
    }

    /// The peer of a Unix socket wakes a process in `recv` also when it has read the request, and nothing has come. `poll`
    /// sleeps on: with one system call more this takes less of the processor.
    fn poll_and_recv(&mut self, room: &mut [u8], patience: Duration) -> Result<Moved, Fault> {
        match poll(&mut [PollFd::new(&self.wire.socket, READABLE)], Some(&timespec(patience))) {
            Ok(0) => return Ok(Moved::Blocked),
            Err(_) => return Ok(Moved::Interrupted),
            Ok(_) => {}
        }
        match recv(&mut self.wire, room, RecvFlags::DONTWAIT)? {
            // In vain, and the time is not over.
            Moved::Blocked => Ok(Moved::Interrupted),
            moved => Ok(moved),
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

fn recv(wire: &mut Wire, room: &mut [u8], flags: RecvFlags) -> Result<Moved, Fault> {
    match wire.recv(room, flags) {
        Ok(0) | Err(Errno::CONNRESET) => Ok(Moved::Closed),
        Ok(len) => Ok(Moved::Bytes(len)),
        // No retry here: the kernel would restart the time-out, for ever if signals come often enough.
        Err(Errno::INTR) => Ok(Moved::Interrupted),
        Err(Errno::AGAIN) => Ok(Moved::Blocked),
        Err(errno) => Err(Fault::system(Code::UnknownReadFailure, errno)),
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wire.socket.as_fd()
    }
}

fn refused(is_unix: bool, errno: Errno) -> Fault {
    // libmemcached reports the system's own error for Unix sockets, except for one without a listener.
    let is_plain = !is_unix || errno == Errno::CONNREFUSED;
    Fault::system(if is_plain { Code::ConnectionFailure } else { Code::Errno }, errno)
}

/// Waits until one of `polled` can go on. False = the time is over.
pub(crate) fn wait(polled: &mut [PollFd<'_>], timeout: Duration) -> bool {
    let timeout = timespec(timeout);
    // An interrupted wait is none: the caller looks at its clock and comes again.
    !matches!(poll(polled, Some(&timeout)), Ok(0))
}

pub(crate) const READABLE: PollFlags = PollFlags::IN;
pub(crate) const WRITABLE: PollFlags = PollFlags::OUT;

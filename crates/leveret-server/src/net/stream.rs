//! The bytes of a connection: as they are on the socket, or through TLS.
//!
//! The requests see no difference. What differs: values of plain connections go between the arena and the socket without
//! a copy by us; under TLS they pass through rustls, in pieces, so that a slow client holds one piece encrypted and the
//! rest once, as it is.
use crate::settings::Security;
use crate::tls::Tls;
use rustix::io::Errno;
use rustix::net::{recv, send, sendmsg, RecvFlags, SendAncillaryBuffer, SendFlags};
use rustls::{HandshakeKind, ServerConnection};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// Bytes encrypted before the next write to the socket.
const PIECE: usize = 64 << 10;

/// Bytes that a TLS socket receives at once. The buffer belongs to the worker.
pub const RECEIVED_LEN: usize = 64 << 10;

/// What TLS adds to the bytes of some records.
const RECORD_OVERHEAD: usize = 1 << 10;

/// The first byte of a record of a handshake.
const HANDSHAKE: u8 = 22;

/// A connection's socket, and its TLS if it has any.
pub struct Stream {
    socket: OwnedFd,
    tls: Option<Box<Secured>>,
}

struct Secured {
    shared: Arc<Tls>,
    connection: ServerConnection,
    /// Received, and not yet decrypted: there was no room for more.
    rest: Vec<u8>,
    has_begun: bool,
    is_handshaking: bool,
    is_over: bool,
}

/// Result of a receive.
pub struct ReceivedBytes {
    /// Number of bytes; 0: end of the stream.
    pub len: usize,
    /// There is no more until the socket says so.
    pub is_drained: bool,
}

impl Stream {
    /// A socket that was just accepted.
    pub fn new(socket: OwnedFd, tls: Option<(Arc<Tls>, Security)>) -> Result<Stream, rustls::Error> {
        let secured = |(shared, security): (Arc<Tls>, Security)| {
            let connection = shared.accept(security)?;
            Ok::<_, rustls::Error>(Box::new(Secured {
                shared,
                connection,
                rest: Vec::new(),
                has_begun: false,
                is_handshaking: true,
                is_over: false,
            }))
        };
        Ok(Stream { socket, tls: tls.map(secured).transpose()? })
    }

    /// The socket.
    #[inline]
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether bytes on the socket are those of requests and answers.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.tls.is_none()
    }

    /// Whether the client may not ask anything yet.
    pub fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_handshaking)
    }

    /// The handshake has taken too long.
    pub fn give_up(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.fail(&"it was not finished in time");
        }
    }

    /// Memory of received bytes that are not decrypted yet.
    pub fn kept_bytes(&self) -> usize {
        self.tls.as_ref().map_or(0, |tls| tls.rest.capacity())
    }

    /// Whether something is encrypted that the socket has not taken.
    #[inline]
    pub fn holds_back(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.connection.wants_write())
    }

    /// Receives without blocking. `encrypted`: buffer for TLS records from the socket.
    #[inline]
    pub fn receive(&mut self, room: &mut [u8], encrypted: &mut Vec<u8>) -> Result<ReceivedBytes, Errno> {
        match &mut self.tls {
            None => {
                let (len, _) = recv(&self.socket, &mut *room, RecvFlags::empty())?;
                Ok(ReceivedBytes { len, is_drained: len < room.len() })
            }
            Some(tls) => tls.receive(&self.socket, room, encrypted),
        }
    }

    /// Sends without waiting, and says how much of it is out of the caller's hands.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        match &mut self.tls {
            None => send(&self.socket, bytes, SendFlags::NOSIGNAL),
            Some(tls) => tls.send(&self.socket, bytes),
        }
    }

    /// Sends the bytes held back.
    pub fn flush(&mut self) -> Result<(), Errno> {
        self.tls.as_mut().map_or(Ok(()), |tls| tls.flush(&self.socket))
    }
}

impl Drop for Stream {
    /// Tells the other side that it is the end and no cut, if the socket takes that at once.
    fn drop(&mut self) {
        if let Some(tls) = self.tls.as_mut().filter(|tls| !tls.is_handshaking && !tls.is_over) {
            tls.connection.send_close_notify();
            let _ = tls.flush(&self.socket);
        }
    }
}

impl Secured {
    fn receive(&mut self, socket: &OwnedFd, room: &mut [u8], encrypted: &mut Vec<u8>) -> Result<ReceivedBytes, Errno> {
        let mut received = ReceivedBytes { len: 0, is_drained: false };
        loop {
            if !self.rest.is_empty() {
                let rest = std::mem::take(&mut self.rest);
                self.decrypt(socket, &rest, room, &mut received.len)?;
            } else if self.read(room, &mut received.len)? {
                return Ok(received);
            }
            if received.len > 0 {
                return Ok(received);
            }
            // Little more than there is room for: what cannot be decrypted is kept, for each of maybe thousands of
            // connections.
            let most = RECEIVED_LEN.min(room.len() + RECORD_OVERHEAD);
            encrypted.resize(RECEIVED_LEN, 0);
            let len = match recv(socket, &mut encrypted[..most], RecvFlags::empty()) {
                Ok((0, _)) => return Ok(received),
                Ok((len, _)) => len,
                Err(Errno::AGAIN) if self.connection.wants_write() => return Err(Errno::INPROGRESS),
                Err(error) => return Err(error),
            };
            if !self.has_begun && encrypted[0] != HANDSHAKE {
                self.fail(&"the client speaks without TLS; a port for that is opened by -l notls:ADDRESS");
                return Err(Errno::CONNABORTED);
            }
            self.has_begun = true;
            let is_all = self.decrypt(socket, &encrypted[..len], room, &mut received.len)?;
            if received.len > 0 {
                received.is_drained = is_all && len < most;
                return Ok(received);
            }
        }
    }

    /// Decrypts received bytes into the room, and keeps those for which there is none. Returns whether nothing is left.
    fn decrypt(
        &mut self,
        socket: &OwnedFd,
        mut encrypted: &[u8],
        room: &mut [u8],
        len: &mut usize,
    ) -> Result<bool, Errno> {
        let mut is_over = false;
        while !encrypted.is_empty() && *len < room.len() && !is_over {
            if self.connection.read_tls(&mut encrypted).is_err() {
                // The buffer is full: its records are processed first. If none can be, the record never ends.
                let before = *len;
                is_over = self.read(room, len)?;
                if *len == before {
                    return Err(Errno::CONNABORTED);
                }
                continue;
            }
            if let Err(error) = self.connection.process_new_packets() {
                self.fail(&error);
                let _ = self.flush(socket);
                return Err(Errno::CONNABORTED);
            }
            is_over = self.read(room, len)?;
        }
        if self.is_handshaking && !self.connection.is_handshaking() {
            self.is_handshaking = false;
            if self.shared.keeps_sessions() && self.connection.handshake_kind() != Some(HandshakeKind::Resumed) {
                self.shared.new_sessions.fetch_add(1, Relaxed);
            }
        }
        if !is_over {
            self.rest.extend_from_slice(encrypted);
        }
        match self.flush(socket) {
            Ok(()) | Err(Errno::AGAIN) => Ok(self.rest.is_empty() && *len < room.len() && !is_over),
            Err(error) => Err(error),
        }
    }

    /// Moves decrypted bytes into the buffer. Returns whether the client has ended its stream.
    fn read(&mut self, room: &mut [u8], len: &mut usize) -> Result<bool, Errno> {
        while *len < room.len() {
            match self.connection.reader().read(&mut room[*len..]) {
                Ok(0) => return Ok(true),
                Ok(more) => *len += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(_) => return Err(Errno::CONNABORTED),
            }
        }
        Ok(false)
    }

    fn send(&mut self, socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        self.flush(socket)?;
        let mut sent = 0;
        for piece in bytes.chunks(PIECE) {
            let taken = self.connection.writer().write(piece).map_err(|_| Errno::CONNABORTED)?;
            sent += taken;
            match self.flush(socket) {
                Ok(()) if taken == piece.len() => {}
                Ok(()) | Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }

    fn flush(&mut self, socket: &OwnedFd) -> Result<(), Errno> {
        leveret_tls::flush(&mut self.connection, &mut Socket(socket))
    }

    fn fail(&mut self, why: &dyn std::fmt::Display) {
        self.is_over = true;
        if self.is_handshaking {
            self.shared.failed(why);
        }
    }
}

struct Socket<'s>(&'s OwnedFd);

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(self.0, bytes, SendFlags::NOSIGNAL)?)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(sendmsg(self.0, parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

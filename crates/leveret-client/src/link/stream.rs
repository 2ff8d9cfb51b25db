//! The bytes of one connection: a socket, or rustls on one. Nothing here waits unless its caller lets it.
use super::tls::is_authority;
use crate::pool::options::TlsOptions;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::{CertificateError, ClientConnection};
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;

/// Bytes encrypted before the next write to the socket.
const PIECE: usize = 64 << 10;

/// The last byte of longer output goes in a record by itself. memcached 1.6.18 forgets bytes that OpenSSL has decrypted
/// and it has not read, until more arrives on the socket: a batch that ends within such a record would never be
/// answered.
const ALONE: usize = 2 << 10;

/// Read from the socket at once.
const RECEIVED_LEN: usize = 16 << 10;

/// A socket, or TLS on one.
#[derive(Debug)]
pub(crate) struct Wire {
    pub socket: OwnedFd,
    pub tls: Option<Box<Secured>>,
}

impl Wire {
    /// Without waiting.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        match &mut self.tls {
            None => rustix::net::send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT),
            Some(tls) => tls.send(&self.socket, bytes),
        }
    }

    /// 0 = the peer has ended.
    #[inline]
    pub fn recv(&mut self, room: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
        match &mut self.tls {
            None => rustix::net::recv(&self.socket, room, flags).map(|(len, _)| len),
            Some(tls) => tls.recv(&self.socket, room, flags),
        }
    }
}

/// TLS of one connection.
pub(crate) struct Secured {
    connection: ClientConnection,
    /// Received, and not yet decrypted: there was no room for more.
    rest: Vec<u8>,
    has_heard: bool,
    /// The socket accepted only a part of the bytes being sent.
    is_cut: bool,
    trouble: Option<String>,
}

impl fmt::Debug for Secured {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Secured")
    }
}

impl Secured {
    /// For a connection to `host`; Err = why there cannot be one.
    pub fn new(options: &TlsOptions, host: &str) -> Result<Secured, String> {
        let mut connection = options.connection(host)?;
        connection.set_buffer_limit(Some(2 * PIECE));
        Ok(Secured { connection, rest: Vec::new(), has_heard: false, is_cut: false, trouble: None })
    }

    /// Why it ended, if that was no system error.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Something is encrypted that the socket has not taken.
    pub fn holds_back(&self) -> bool {
        self.connection.wants_write()
    }

    /// Something was received that `recv` has had no room for.
    pub fn has_more(&mut self) -> bool {
        !self.rest.is_empty() || self.has_plain()
    }

    fn has_plain(&mut self) -> bool {
        use std::io::BufRead;
        self.connection.reader().fill_buf().is_ok_and(|plain| !plain.is_empty())
    }

    /// Goes on with the handshake without waiting. True = it is done.
    pub fn shake_hands(&mut self, socket: &OwnedFd) -> Result<bool, Errno> {
        loop {
            match self.flush(socket) {
                Err(Errno::AGAIN) => return Ok(false),
                flushed => flushed?,
            }
            if !self.connection.is_handshaking() {
                return Ok(true);
            }
            let mut received = [0; RECEIVED_LEN];
            match rustix::net::recv(socket, &mut received, RecvFlags::DONTWAIT) {
                Ok((0, _)) | Err(Errno::CONNRESET) => {
                    return Err(self.end(
                        "it hung up during the TLS handshake: perhaps it speaks no TLS there, or asks \
                                         for a certificate of ours",
                    ));
                }
                Ok((len, _)) => self.rest.extend_from_slice(&received[..len]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(errno) => return Err(errno),
            }
            // Data behind the handshake stays in rustls.
            self.decrypt(socket, &mut [])?;
        }
    }

    /// As `recv` of a socket. INTR: something has come, but nothing whole.
    pub fn recv(&mut self, socket: &OwnedFd, room: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
        match self.recv_some(socket, room, flags) {
            Err(Errno::SHUTDOWN) => Ok(0),
            received => received,
        }
    }

    fn recv_some(&mut self, socket: &OwnedFd, room: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
        loop {
            let len = self.decrypt(socket, room)?;
            if len > 0 {
                return Ok(len);
            }
            let mut received = [0; RECEIVED_LEN];
            match rustix::net::recv(socket, &mut received, flags & RecvFlags::DONTWAIT)? {
                (0, _) => return Ok(0),
                (len, _) => self.rest.extend_from_slice(&received[..len]),
            }
            let len = self.decrypt(socket, room)?;
            if len > 0 {
                return Ok(len);
            }
            if !flags.contains(RecvFlags::DONTWAIT) {
                return Err(Errno::INTR);
            }
        }
    }

    /// Decrypts received bytes into the buffer.
    fn decrypt(&mut self, socket: &OwnedFd, room: &mut [u8]) -> Result<usize, Errno> {
        let mut len = self.read(room)?;
        let rest = std::mem::take(&mut self.rest);
        let mut encrypted = rest.as_slice();
        let is_for_handshake = room.is_empty();
        while !encrypted.is_empty() && (len < room.len() || is_for_handshake) {
            if self.connection.read_tls(&mut encrypted).is_err() {
                // The buffer is full: its records are processed first. If none can be, the record never ends.
                let more = self.read(&mut room[len..])?;
                if more == 0 {
                    return Err(self.end("it sent a TLS record that never ends"));
                }
                len += more;
                continue;
            }
            if let Err(error) = self.connection.process_new_packets() {
                let why = self.words(&error);
                // It is told why, if it listens.
                let _ = self.flush(socket);
                return Err(self.end(&why));
            }
            self.has_heard = true;
            match self.read(&mut room[len..]) {
                Ok(more) => len += more,
                // What came before the end is read first.
                Err(Errno::SHUTDOWN) if len > 0 => break,
                Err(error) => return Err(error),
            }
        }
        self.rest.extend_from_slice(encrypted);
        match self.flush(socket) {
            Ok(()) | Err(Errno::AGAIN) => Ok(len),
            Err(error) => Err(error),
        }
    }

    fn read(&mut self, room: &mut [u8]) -> Result<usize, Errno> {
        let mut len = 0;
        while len < room.len() {
            match self.connection.reader().read(&mut room[len..]) {
                Ok(0) if len == 0 => return Err(Errno::SHUTDOWN),
                Ok(0) => break,
                Ok(more) => len += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) if len == 0 => return Err(Errno::CONNRESET),
                Err(_) => break,
            }
        }
        Ok(len)
    }

    /// As `send` of a socket: the returned number of bytes was accepted, though `holds_back` may say that they are not
    /// sent yet.
    pub fn send(&mut self, socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        self.flush(socket)?;
        let is_long = self.is_cut || bytes.len() > ALONE;
        let (head, tail) = bytes.split_at(bytes.len() - usize::from(is_long && !bytes.is_empty()));
        let mut sent = 0;
        for piece in head.chunks(PIECE).chain([tail]) {
            sent += self.connection.writer().write(piece).map_err(|_| Errno::PROTO)?;
            match self.flush(socket) {
                Ok(()) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        self.is_cut = sent < bytes.len();
        Ok(sent)
    }

    fn flush(&mut self, socket: &OwnedFd) -> Result<(), Errno> {
        leveret_tls::flush(&mut self.connection, &mut Socket(socket))
    }

    /// Says that nothing more comes.
    pub fn finish(&mut self, socket: &OwnedFd) -> Result<(), Errno> {
        self.connection.send_close_notify();
        self.flush(socket)
    }

    fn end(&mut self, why: &str) -> Errno {
        self.trouble = Some(why.to_owned());
        Errno::PROTO
    }

    fn words(&self, error: &rustls::Error) -> String {
        use rustls::Error::{InvalidCertificate, InvalidMessage};
        match error {
            InvalidMessage(_) if !self.has_heard => "it speaks without TLS there".to_owned(),
            InvalidCertificate(CertificateError::UnknownIssuer) => {
                "its certificate is not from an authority of the CA file".to_owned()
            }
            InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
                "its certificate has expired".to_owned()
            }
            InvalidCertificate(CertificateError::NotValidForNameContext { presented, .. }) if presented.is_empty() => {
                "its certificate names no host: it takes a subjectAltName".to_owned()
            }
            InvalidCertificate(CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }) => {
                "its certificate is for another name".to_owned()
            }
            // A certificate in the CA file itself is trusted.
            error if is_authority(error) => "its certificate is not from an authority of the CA file".to_owned(),
            InvalidCertificate(why) => format!("its certificate is not trusted: {why}"),
            error => format!("TLS: {error}"),
        }
    }
}

struct Socket<'s>(&'s OwnedFd);

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(rustix::net::send(self.0, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

//! Servers named `tls://host:port`: whom to believe, who we are, and the bytes of one connection through rustls.
use crate::pool::options::TlsOptions;
use crate::try_lock::unless_held;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_name, WebPkiServerVerifier};
use rustls::crypto::{ring, verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
    StreamOwned,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Debian's bundle of authorities, and that of most other systems.
const SYSTEM_CA_FILE: &str = "/etc/ssl/certs/ca-certificates.crt";

/// A longer file is none of certificates; systems' bundles have a quarter of a megabyte.
const FILE_MAX: u64 = 4 << 20;

/// So much is encrypted before the socket is asked whether it takes it.
const PIECE: usize = 64 << 10;

/// The last byte of more than this goes in a record by itself. memcached 1.6.18 forgets what OpenSSL has decrypted and
/// it has not read, until the socket has something new: a batch that ends within such a record is answered never.
const ALONE: usize = 2 << 10;

/// Read from the socket at once.
const RECEIVED_LEN: usize = 16 << 10;

/// What was read of the files, as long as they stay the same. One for each choice of options: a process has few.
struct Loaded {
    options: TlsOptions,
    files: Vec<Stamp>,
    config: Arc<ClientConfig>,
}

type Stamp = Option<(SystemTime, u64)>;

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

// Options beyond these are read anew each time.
const LOADED_MAX: usize = 16;

impl TlsOptions {
    fn ca_path(&self) -> &Path {
        self.ca_file.as_deref().unwrap_or(Path::new(SYSTEM_CA_FILE))
    }

    fn stamps(&self) -> Vec<Stamp> {
        let stamp = |path: &Path| {
            let found = std::fs::metadata(path).ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        let ca = self.verify.then(|| self.ca_path());
        [ca, self.certificate.as_deref(), self.key.as_deref()].into_iter().flatten().map(stamp).collect()
    }

    /// All of a process's pools share what one has read, and the sessions that may be resumed.
    fn config(&self) -> Result<Arc<ClientConfig>, String> {
        let files = self.stamps();
        let Some(mut all) = unless_held(&LOADED) else { return Ok(Arc::new(self.read()?)) };
        if let Some(loaded) = all.iter().find(|loaded| loaded.options == *self && loaded.files == files) {
            return Ok(loaded.config.clone());
        }
        let config = Arc::new(self.read()?);
        all.retain(|loaded| loaded.options != *self);
        if all.len() == LOADED_MAX {
            all.remove(0);
        }
        all.push(Loaded { options: self.clone(), files, config: config.clone() });
        Ok(config)
    }

    fn read(&self) -> Result<ClientConfig, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let builder = if self.verify {
            let path = self.ca_path();
            let mut roots = RootCertStore::empty();
            // In a system's bundle one that is not understood must not take the others along.
            let known = certificates(path)?;
            let (added, _) = roots.add_parsable_certificates(known.iter().cloned());
            if added == 0 {
                return Err(format!("{}: no authority's certificate in it", path.display()));
            }
            let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
            let chains = chains.map_err(|error| format!("{}: {error}", path.display()))?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Believed { chains, known }))
        } else {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        };
        let Some(certificate) = &self.certificate else { return Ok(builder.with_no_client_auth()) };
        let chain = certificates(certificate)?;
        let key_path = self.key.as_ref().unwrap_or(certificate);
        let key = PrivateKeyDer::from_pem_slice(&contents(key_path)?).map_err(|_| {
            format!("{}: no private key in it (PEM, without a passphrase: BEGIN PRIVATE KEY)", key_path.display())
        })?;
        builder.with_client_auth_cert(chain, key).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                format!("{}: this key does not belong to the certificate {}", key_path.display(), certificate.display())
            }
            error => format!("{}: {error}", key_path.display()),
        })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&contents(path)?).collect();
    let found = found.map_err(|error| format!("{}: not PEM: {error}", path.display()))?;
    if found.is_empty() {
        return Err(format!("{}: no certificate in it (PEM: BEGIN CERTIFICATE)", path.display()));
    }
    Ok(found)
}

fn contents(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("{}: {}", path.display(), leveret_engine::reason(&error));
    // A pipe would have the caller wait.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{}: not a file", path.display()));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(failed)?.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(format!("{}: longer than {FILE_MAX} bytes", path.display()));
    }
    Ok(bytes)
}

/// As OpenSSL: who is vouched for by a chain, and who is in the list of authorities with the very certificate that is shown. The
/// certificates that people make for one server are mostly such, signed by themselves and allowed to sign.
#[derive(Debug)]
struct Believed {
    chains: Arc<WebPkiServerVerifier>,
    known: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Believed {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.chains.verify_server_cert(certificate, between, name, ocsp, now);
        match verified {
            // Its times have been looked at before that is said.
            Err(error) if is_authority(&error) && self.known.contains(certificate) => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// The server has shown a certificate that may sign others.
fn is_authority(error: &rustls::Error) -> bool {
    match error {
        rustls::Error::InvalidCertificate(CertificateError::Other(other)) => {
            other.0.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity)
        }
        _ => false,
    }
}

/// `verify` is off: any certificate does, but the server must have its key.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl TlsOptions {
    /// TLS to `host` over a connection that waits, for those who have one conversation and no pool. The handshake comes with
    /// the first bytes. Err = why there cannot be one.
    pub fn over<S: Read + Write>(&self, host: &str, stream: S) -> Result<StreamOwned<ClientConnection, S>, String> {
        self.connection(host).map(|connection| StreamOwned::new(connection, stream))
    }

    fn connection(&self, host: &str) -> Result<ClientConnection, String> {
        let name = self.peer_name.as_deref().unwrap_or(host);
        let server_name = ServerName::try_from(name.to_owned())
            .map_err(|_| format!("no certificate can be for the name {name:?}: say another peer name"))?;
        ClientConnection::new(self.config()?, server_name).map_err(|error| error.to_string())
    }
}

/// TLS of one connection.
pub(crate) struct Secured {
    connection: ClientConnection,
    /// Received, and not yet decrypted: there was no room for more.
    rest: Vec<u8>,
    has_heard: bool,
    /// The socket did not take all of what is being sent.
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

    /// What has ended it, if that was no error of the system.
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
            // What comes behind the handshake stays in rustls.
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

    /// Decrypts what was received into the room.
    fn decrypt(&mut self, socket: &OwnedFd, room: &mut [u8]) -> Result<usize, Errno> {
        let mut len = self.read(room)?;
        let rest = std::mem::take(&mut self.rest);
        let mut encrypted = rest.as_slice();
        let is_for_handshake = room.is_empty();
        while !encrypted.is_empty() && (len < room.len() || is_for_handshake) {
            if self.connection.read_tls(&mut encrypted).is_err() {
                // Its room is full: what is in it goes first. None goes: a record that never ends.
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

    /// As `send` of a socket: so many bytes are out of the caller's hands, though `holds_back` may say that they have
    /// not gone.
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
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Socket(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        }
        Ok(())
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
            // Where it is in the CA file itself, it is believed.
            error if is_authority(error) => "its certificate is not from an authority of the CA file".to_owned(),
            InvalidCertificate(why) => format!("its certificate is not believed: {why}"),
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

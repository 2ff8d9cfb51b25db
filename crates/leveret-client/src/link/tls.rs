//! Servers named `tls://host:port`: trusted authorities, and the client's certificate.
use crate::pool::options::TlsOptions;
use crate::try_lock::unless_held;
use leveret_tls::{certificates, why_refused};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_name, WebPkiServerVerifier};
use rustls::crypto::{ring, verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
    StreamOwned,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Debian's bundle of authorities, and that of most other systems.
const SYSTEM_CA_FILE: &str = "/etc/ssl/certs/ca-certificates.crt";

/// A longer file is none of certificates; systems' bundles have a quarter of a megabyte.
const FILE_MAX: u64 = 4 << 20;

/// Contents of the files, valid while these do not change. One for each set of options: a process has few.
struct Loaded {
    options: TlsOptions,
    files: Vec<Stamp>,
    config: Arc<ClientConfig>,
}

type Stamp = Option<(SystemTime, u64)>;

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

// Further sets of options are loaded each time.
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

    /// All pools of a process share loaded files, and the sessions that may be resumed.
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
            let known = certificates(path, FILE_MAX)?;
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
        let chain = certificates(certificate, FILE_MAX)?;
        let key_path = self.key.as_ref().unwrap_or(certificate);
        let key = leveret_tls::key(key_path, FILE_MAX)?;
        let taken = builder.with_client_auth_cert(chain, key);
        taken.map_err(|error| why_refused(&error, key_path, certificate))
    }
}

/// As OpenSSL: trusts a certificate with a chain, and a certificate that is itself in the list of authorities.
/// Certificates made for one server are mostly of the second kind, self-signed and allowed to sign.
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
pub(super) fn is_authority(error: &rustls::Error) -> bool {
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
    /// TLS to `host` over a blocking connection, for callers with one conversation and no pool. The handshake happens
    /// with the first bytes. `Err`: why TLS is impossible.
    pub fn over<S: Read + Write>(&self, host: &str, stream: S) -> Result<StreamOwned<ClientConnection, S>, String> {
        self.connection(host).map(|connection| StreamOwned::new(connection, stream))
    }

    pub(super) fn connection(&self, host: &str) -> Result<ClientConnection, String> {
        let name = self.peer_name.as_deref().unwrap_or(host);
        let server_name = ServerName::try_from(name.to_owned())
            .map_err(|_| format!("no certificate can be for the name {name:?}: say another peer name"))?;
        ClientConnection::new(self.config()?, server_name).map_err(|error| error.to_string())
    }
}

//! `-Z`: state shared by all TLS connections of a server: certificates and key, admission, counters.
mod validity;

use crate::log::{self, Level};
use crate::settings::{Security, TlsSettings};
use leveret_tls::{certificates, why_refused};
use rustls::crypto::ring::{self, sign::any_supported_type};
use rustls::crypto::CryptoProvider;
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedCipherSuite};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use validity::untimely;

/// Missing for a listener of `mtls`.
pub const NO_AUTHORITY: &str =
    "mtls asks each client for a certificate; name the file of those that may sign them: -o ssl_ca_cert=FILE (PEM)";

/// A longer file holds no certificates that a handshake could carry.
const FILE_MAX: u64 = 1 << 20;

/// Sessions that clients may resume (`-o ssl_session_cache`); OpenSSL keeps as many.
const SESSIONS_MAX: usize = 20 * 1024;

/// Of its output rustls holds no more than one piece of ours, encrypted: this is above it.
const OUTPUT_MAX: usize = 256 << 10;

/// The cipher suites there are: OpenSSL's name, and the standard's.
const SUITES: [(&str, &str, SupportedCipherSuite); 9] = [
    ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", ring::cipher_suite::TLS13_AES_256_GCM_SHA384),
    ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", ring::cipher_suite::TLS13_AES_128_GCM_SHA256),
    (
        "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_CHACHA20_POLY1305_SHA256",
        ring::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    ),
    (
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
    (
        "ECDHE-RSA-AES256-GCM-SHA384",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        ring::cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-RSA-AES128-GCM-SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        ring::cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-RSA-CHACHA20-POLY1305",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        ring::cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
];

/// Why there is no TLS: one line that names the file or the option, and the reason.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl From<String> for TlsError {
    fn from(why: String) -> TlsError {
        TlsError(why)
    }
}

impl TlsError {
    fn of(path: &Path, why: impl fmt::Display) -> TlsError {
        TlsError(format!("{}: {why}", path.display()))
    }
}

/// TLS of a server.
pub struct Tls {
    loaded: RwLock<Loaded>,
    /// Handshakes that failed or took too long.
    pub handshake_errors: AtomicU64,
    /// Handshakes that resumed no session, if sessions can be resumed at all.
    pub new_sessions: AtomicU64,
    /// A listener asks each client for a certificate: the settings must name authorities as long as the server runs.
    needs_authorities: AtomicBool,
    /// When a failed handshake was last told of.
    told: RwLock<Option<Instant>>,
}

struct Loaded {
    settings: TlsSettings,
    configs: Configs,
    since: Instant,
}

impl Tls {
    /// Reads all files.
    pub fn load(settings: &TlsSettings) -> Result<Tls, TlsError> {
        Ok(Tls {
            loaded: RwLock::new(Loaded::read(settings.clone())?),
            handshake_errors: AtomicU64::new(0),
            new_sessions: AtomicU64::new(0),
            needs_authorities: AtomicBool::new(false),
            told: RwLock::default(),
        })
    }

    /// `refresh_certs` and SIGHUP: reads the files again, or others, for the handshakes from now on. Should one not do, all
    /// stays as it was.
    pub fn refresh(&self, others: Option<&TlsSettings>) -> Result<(), TlsError> {
        let loaded = Loaded::read(others.cloned().unwrap_or_else(|| self.settings()))?;
        if self.needs_authorities.load(Relaxed) && loaded.configs.mutual.is_none() {
            return Err(TlsError(NO_AUTHORITY.to_owned()));
        }
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// From now on the settings must name authorities, for clients of a listener that asks each for a certificate.
    pub fn keep_authorities(&self) {
        self.needs_authorities.store(true, Relaxed);
    }

    /// As they are now.
    pub fn settings(&self) -> TlsSettings {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).settings.clone()
    }

    /// For how long the certificates have been in use.
    pub fn secs_since_refresh(&self) -> u64 {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).since.elapsed().as_secs()
    }

    /// A connection that was just accepted by a listener of this security.
    pub fn accept(&self, security: Security) -> Result<ServerConnection, rustls::Error> {
        let config = self.loaded.read().unwrap_or_else(PoisonError::into_inner).configs.of(security)?;
        let mut connection = ServerConnection::new(config)?;
        connection.set_buffer_limit(Some(OUTPUT_MAX));
        Ok(connection)
    }

    /// Whether sessions can be resumed.
    pub fn keeps_sessions(&self) -> bool {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).settings.session_cache
    }

    /// A handshake has failed. One line a second gives the reason: a port scan must not fill the log.
    pub fn failed(&self, why: &dyn fmt::Display) {
        self.handshake_errors.fetch_add(1, Relaxed);
        let mut told = self.told.write().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed().as_secs() >= 1) {
            *told = Some(Instant::now());
            log::tell(Level::Warning, format_args!("a TLS handshake failed: {why}"));
        }
    }
}

impl Loaded {
    fn read(settings: TlsSettings) -> Result<Loaded, TlsError> {
        Ok(Loaded { configs: Configs::read(&settings)?, since: Instant::now(), settings })
    }
}

/// What listeners of each security offer. Each has its own sessions: one that began without a certificate must not be
/// resumed where a certificate is needed.
struct Configs {
    standard: Arc<ServerConfig>,
    basic: Arc<ServerConfig>,
    /// Only if the settings name authorities.
    mutual: Option<Arc<ServerConfig>>,
}

impl Configs {
    fn read(settings: &TlsSettings) -> Result<Configs, TlsError> {
        let material = Material::read(settings)?;
        let mutual = settings.ca_cert.is_some().then(|| material.config(settings, Clients::Prove)).transpose()?;
        let clients = match (&settings.ca_cert, settings.verify_mode) {
            (None, _) | (_, 0) => Clients::Anonymous,
            (Some(_), 1) => Clients::MayProve,
            (Some(_), _) => Clients::Prove,
        };
        Ok(Configs {
            standard: material.config(settings, clients)?,
            basic: material.config(settings, Clients::Anonymous)?,
            mutual,
        })
    }

    fn of(&self, security: Security) -> Result<Arc<ServerConfig>, rustls::Error> {
        match security {
            Security::Basic => Ok(self.basic.clone()),
            Security::Mutual => self.mutual.clone().ok_or_else(|| rustls::Error::General(NO_AUTHORITY.to_owned())),
            Security::Plain | Security::Standard => Ok(self.standard.clone()),
        }
    }
}

/// Whether clients show a certificate.
#[derive(Clone, Copy)]
enum Clients {
    /// They are not asked.
    Anonymous,
    /// They may, and a wrong one ends the handshake.
    MayProve,
    /// They must.
    Prove,
}

/// Contents of the files of the settings.
struct Material {
    provider: Arc<CryptoProvider>,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    authorities: Arc<RootCertStore>,
}

impl Material {
    fn read(settings: &TlsSettings) -> Result<Material, TlsError> {
        let suites = settings.ciphers.as_deref().map_or_else(|| Ok(ring::default_provider().cipher_suites), suites)?;
        let provider = Arc::new(CryptoProvider { cipher_suites: suites, ..ring::default_provider() });
        let mut authorities = RootCertStore::empty();
        if let Some(path) = &settings.ca_cert {
            for certificate in certificates(path, FILE_MAX)? {
                authorities.add(certificate).map_err(|error| TlsError::of(path, error))?;
            }
        }
        let chain = certificates(&settings.chain_cert, FILE_MAX)?;
        let key = as_it_is(leveret_tls::key(key_path(settings), FILE_MAX)?);
        if let Some(why) = untimely(&chain[0]) {
            return Err(TlsError::of(&settings.chain_cert, why));
        }
        Ok(Material { provider, chain, key, authorities: authorities.into() })
    }

    fn config(&self, settings: &TlsSettings, clients: Clients) -> Result<Arc<ServerConfig>, TlsError> {
        let versions: &[_] = if settings.is_min_tls13 {
            &[&rustls::version::TLS13]
        } else {
            &[&rustls::version::TLS13, &rustls::version::TLS12]
        };
        let builder = ServerConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(versions)
            .map_err(|error| TlsError(format!("-o ssl_ciphers, ssl_min_version: {error}")))?;
        let verifier = || WebPkiClientVerifier::builder_with_provider(self.authorities.clone(), self.provider.clone());
        let verifier = match clients {
            Clients::Anonymous => None,
            Clients::MayProve => Some(verifier().allow_unauthenticated()),
            Clients::Prove => Some(verifier()),
        };
        let builder = match verifier.map(|verifier| verifier.build()).transpose() {
            Ok(None) => builder.with_no_client_auth(),
            Ok(Some(verifier)) => builder.with_client_cert_verifier(verifier),
            Err(error) => return Err(TlsError(format!("-o ssl_ca_cert: {error}"))),
        };
        let mut config = builder
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .map_err(|error| why_refused(&error, key_path(settings), &settings.chain_cert))?;
        if settings.session_cache {
            config.session_storage = ServerSessionMemoryCache::new(SESSIONS_MAX);
        } else {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(Arc::new(config))
    }
}

fn key_path(settings: &TlsSettings) -> &Path {
    settings.key.as_ref().unwrap_or(&settings.chain_cert)
}

/// The cipher suites of a list with colons. As in OpenSSL such a list selects among those of TLS 1.2; those of 1.3
/// stay, unless it names one.
fn suites(list: &str) -> Result<Vec<SupportedCipherSuite>, TlsError> {
    let mut chosen = Vec::new();
    for name in list.split(':').filter(|name| !name.is_empty()) {
        let suite = SUITES.iter().find(|(openssl, standard, _)| name == *openssl || name == *standard);
        let Some((.., suite)) = suite else {
            let names: Vec<&str> = SUITES.iter().map(|(openssl, ..)| *openssl).collect();
            return Err(TlsError(format!("-o ssl_ciphers: there is no '{name}'; allowed are {}", names.join(", "))));
        };
        chosen.push(*suite);
    }
    if chosen.is_empty() {
        return Err(TlsError("-o ssl_ciphers: it names none".to_owned()));
    }
    if chosen.iter().all(|suite| suite.tls13().is_none()) {
        chosen.extend(SUITES.iter().map(|(.., suite)| *suite).filter(|suite| suite.tls13().is_some()));
    }
    Ok(chosen)
}

/// Detects the key's real type, as OpenSSL does, independent of its first line.
fn as_it_is(key: PrivateKeyDer<'static>) -> PrivateKeyDer<'static> {
    let bytes = || key.secret_der().to_vec();
    let forms = [
        PrivateKeyDer::Pkcs8(bytes().into()),
        PrivateKeyDer::Pkcs1(bytes().into()),
        PrivateKeyDer::Sec1(bytes().into()),
    ];
    forms.into_iter().find(|form| any_supported_type(form).is_ok()).unwrap_or(key)
}

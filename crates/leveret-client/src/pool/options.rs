//! How a pool behaves.
use super::request::Request;
use crate::code::Code;
use crate::ring::{Distribution, KeyHash, Preset};
use leveret_engine::OpenOptions;
use leveret_protocol::text::TextKey;
use leveret_protocol::{WireKey, KEY_MAX};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

/// What is spoken with the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The classic commands.
    Text,
    /// The binary protocol.
    Binary,
    /// The meta commands.
    Meta,
}

/// A pool's settings; the defaults are php-memcached's.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is spoken.
    pub protocol: Protocol,
    /// The text protocol is no choice of the caller: binary is spoken with servers that know nothing else.
    pub detects: bool,
    /// Which server a key lives on.
    pub preset: Preset,
    /// What stands before every key and, as libmemcached has it, does not say where the key lives.
    pub prefix: Vec<u8>,
    /// It does: keys are hashed with their prefix, and a group with it before it.
    pub hash_with_prefix: bool,
    /// For a connection to be made. Names are resolved before.
    pub connect_timeout: Duration,
    /// For a server that owes an answer, or does not take what is sent.
    pub io_timeout: Duration,
    /// A server that failed is not tried for so long.
    pub retry_timeout: Duration,
    /// A server that was ejected is tried again after so long; zero = never.
    pub dead_timeout: Duration,
    /// So many failures in a row eject a server, if `auto_eject` is set. Zero = never.
    pub failure_limit: u32,
    /// The ring closes over a server that failed too often.
    pub auto_eject: bool,
    /// So many time-outs in a row are a failure; zero = they never are.
    pub timeout_limit: u32,
    /// Servers are kept in the order of their names, so that clients with another order in their configuration agree.
    pub sort_hosts: bool,
    /// pecl/memcache's fail-over: this many other places are tried for a key whose server does not answer.
    pub failover_attempts: u32,
    /// The kernel looks whether an idle peer still lives.
    pub keep_alive: bool,
    /// Size of the socket's buffers; zero = the system's.
    pub send_size: usize,
    /// Size of the socket's buffers; zero = the system's.
    pub recv_size: usize,
    /// No answer is wanted to any write, except a touch, as libmemcached has it.
    pub no_reply: bool,
    /// Writes wait until there are many of them, or until something is read.
    pub buffer_writes: bool,
    /// Requests that fit a datagram, answers included, go by UDP.
    pub udp: bool,
    /// libmemcached's further copies of each item, on the servers that follow in the list.
    pub replicas: u32,
    /// Any copy is as good to read from as the first.
    pub random_replica: bool,
    /// pecl/memcache's copies of each item, the first counted.
    pub redundancy: u32,
    /// As pecl/memcache's sessions have it: not where the key itself would lie, but at the first of its other places.
    pub elsewhere: bool,
    /// A server that is this host's `leveret serve` is used through its arena.
    pub short_cut: bool,
    /// How an arena that is named as a server is opened, or made.
    pub arena: OpenOptions,
    /// Bytes above 127 are refused in keys.
    pub verify_key: bool,
    /// Longest value that is accepted from a server.
    pub value_max: usize,
    /// For servers named `tls://host:port`.
    pub tls: TlsOptions,
}

/// How servers named `tls://` are spoken with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// Trusted authorities (PEM); None = the system's.
    pub ca_file: Option<PathBuf>,
    /// The name in a server's certificate, where it is not the server's own.
    pub peer_name: Option<String>,
    /// Client certificates (PEM), ours first.
    pub certificate: Option<PathBuf>,
    /// Its key (PEM, without a passphrase); None = it is in the same file.
    pub key: Option<PathBuf>,
    /// Verify the server's certificate. Without that, a man in the middle can read and write.
    pub verify: bool,
}

impl Default for TlsOptions {
    fn default() -> TlsOptions {
        TlsOptions { ca_file: None, peer_name: None, certificate: None, key: None, verify: true }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            protocol: Protocol::Text,
            detects: false,
            preset: Preset::Libmemcached { distribution: Distribution::Modula, hash: KeyHash::OneAtATime },
            prefix: Vec::new(),
            hash_with_prefix: false,
            connect_timeout: Duration::from_millis(4000),
            io_timeout: Duration::from_millis(5000),
            retry_timeout: Duration::from_secs(2),
            dead_timeout: Duration::ZERO,
            failure_limit: 5,
            auto_eject: false,
            timeout_limit: 0,
            sort_hosts: false,
            failover_attempts: 0,
            keep_alive: false,
            send_size: 0,
            recv_size: 0,
            no_reply: false,
            buffer_writes: false,
            udp: false,
            replicas: 0,
            random_replica: false,
            redundancy: 1,
            elsewhere: false,
            short_cut: true,
            arena: OpenOptions::new(),
            verify_key: false,
            value_max: 1 << 30,
            tls: TlsOptions::default(),
        }
    }
}

impl Options {
    /// What is hashed to find the server of `request`.
    pub(crate) fn place<'a>(&self, request: &Request<'a>) -> Cow<'a, [u8]> {
        match request.group {
            Some(group) => self.place_of_group(group),
            None if self.hash_with_prefix => Cow::Borrowed(request.key),
            None => Cow::Borrowed(request.key.strip_prefix(self.prefix.as_slice()).unwrap_or(request.key)),
        }
    }

    /// What is hashed to find the server of a group, or of a key that has no prefix yet.
    pub(crate) fn place_of_group<'a>(&self, group: &'a [u8]) -> Cow<'a, [u8]> {
        if self.hash_with_prefix && !self.prefix.is_empty() {
            Cow::Owned([self.prefix.as_slice(), group].concat())
        } else {
            Cow::Borrowed(group)
        }
    }

    /// Whether the key of `request` can be sent at all. In text it is looked at when it is written; gets are written
    /// later.
    pub(crate) fn check_key(&self, request: &Request<'_>) -> Result<(), Code> {
        let key = request.key;
        let is_valid = match self.protocol {
            _ if key.is_empty() || key.len() > KEY_MAX => false,
            Protocol::Text => !request.operation.is_get() || TextKey::new(key).is_some(),
            // In binary a key has a length.
            Protocol::Binary => true,
            Protocol::Meta => WireKey::for_meta(key, &mut [0; KEY_MAX]).is_some(),
        };
        if is_valid && (!self.verify_key || key.is_ascii()) {
            Ok(())
        } else {
            Err(Code::BadKey)
        }
    }
}

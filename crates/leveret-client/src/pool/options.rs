//! How a pool behaves.
use super::batch::Request;
use crate::code::Code;
use crate::ring::{Distribution, KeyHash, Preset};
use leveret_engine::OpenOptions;
use leveret_protocol::text::TextKey;
use leveret_protocol::{WireKey, KEY_MAX};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

/// Protocol of the servers.
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
    /// Protocol.
    pub protocol: Protocol,
    /// The text protocol is no choice of the caller: binary is spoken with servers that know nothing else.
    pub detects: bool,
    /// Which server a key lives on.
    pub preset: Preset,
    /// Prefix of every key. As in libmemcached, it does not influence the choice of the server.
    pub prefix: Vec<u8>,
    /// It does: keys are hashed with their prefix, and a group with it before it.
    pub hash_with_prefix: bool,
    /// For a connection to be made. Names are resolved before.
    pub connect_timeout: Duration,
    /// For a server that owes an answer, or does not accept output.
    pub io_timeout: Duration,
    /// Back-off after a failure.
    pub retry_timeout: Duration,
    /// An ejected server is tried again after this time; zero = never.
    pub dead_timeout: Duration,
    /// Consecutive failures that eject a server, if `auto_eject` is set. Zero = never.
    pub failure_limit: u32,
    /// The ring closes over a server that failed too often.
    pub auto_eject: bool,
    /// Consecutive time-outs that count as a failure; zero = never.
    pub timeout_limit: u32,
    /// Servers are sorted by name, so that clients agree independent of the order in their configurations.
    pub sort_hosts: bool,
    /// pecl/memcache's failover: number of other places tried for a key whose server does not answer.
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
    /// Trusted authorities (PEM); `None`: the system's.
    pub ca_file: Option<PathBuf>,
    /// The name in a server's certificate, where it is not the server's own.
    pub peer_name: Option<String>,
    /// The client's certificates (PEM), its own first, for servers that require one.
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
    /// The bytes hashed to find the server of `request`.
    pub(crate) fn place<'a>(&self, request: &Request<'a>) -> Cow<'a, [u8]> {
        match request.group {
            Some(group) => self.place_of_group(group),
            None if self.hash_with_prefix => Cow::Borrowed(request.key),
            None => Cow::Borrowed(request.key.strip_prefix(self.prefix.as_slice()).unwrap_or(request.key)),
        }
    }

    /// The bytes hashed to find the server of a group, or of a key without its prefix.
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

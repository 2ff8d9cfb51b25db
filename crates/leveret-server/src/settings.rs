//! Settings of a server at its start. The options of `leveret serve` set them; `stats settings` prints them.
use crate::redis::settings::RedisSettings;
use leveret_engine::{OpenOptions, MEMORY_MIN};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

/// Which protocol the connections may speak (memcached's `-B`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowedProtocol {
    /// Each connection's first byte tells.
    #[default]
    Auto,
    /// Text only.
    Ascii,
    /// Binary only.
    Binary,
}

/// An address of `-l`; its port, if it has one, replaces that of `-p` and `-U`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// A name or an address.
    pub host: String,
    /// `host:port`; 0 = a free one.
    pub port: Option<u16>,
    /// `notls:host`, `btls:host`, `mtls:host`.
    pub security: Security,
}

/// What the clients of a TCP address speak. The later, the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Security {
    /// `notls:`: no TLS, even with `-Z`.
    Plain,
    /// `btls:`: TLS without client certificates, at any `ssl_verify_mode`.
    Basic,
    /// As `-Z` and `ssl_verify_mode` say.
    #[default]
    Standard,
    /// `mtls:`: TLS with a required client certificate, at any `ssl_verify_mode`.
    Mutual,
}

impl Security {
    /// Prefix of an address in `-l`.
    pub const PREFIXES: [(&str, Security); 3] =
        [("notls:", Security::Plain), ("btls:", Security::Basic), ("mtls:", Security::Mutual)];
}

impl fmt::Display for Listen {
    /// As `-l` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = Security::PREFIXES.iter().find(|(_, security)| *security == self.security);
        f.write_str(prefix.map_or("", |(prefix, _)| prefix))?;
        match self.port {
            None => f.write_str(&self.host),
            Some(port) if self.host.contains(':') => write!(f, "[{}]:{}", self.host, port_text(port)),
            Some(port) => write!(f, "{}:{}", self.host, port_text(port)),
        }
    }
}

/// A free port is 0 here and in the kernel, and -1 in memcached's options.
fn port_text(port: u16) -> String {
    if port == 0 {
        "-1".to_owned()
    } else {
        port.to_string()
    }
}

/// `-Z` and `-o ssl_...`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// `ssl_chain_cert`: the server's certificate, and those between it and the one that clients know.
    pub chain_cert: PathBuf,
    /// `ssl_key`; None: it is in the same file.
    pub key: Option<PathBuf>,
    /// `ssl_ca_cert`: authorities that sign the certificates of clients.
    pub ca_cert: Option<PathBuf>,
    /// `ssl_verify_mode`: 0 = no client certificate, 1 = a client certificate must be valid if there is one, 2 and 3 =
    /// a valid one is required.
    pub verify_mode: u8,
    /// `ssl_ciphers`, with colons between.
    pub ciphers: Option<String>,
    /// `ssl_session_cache`: clients may resume sessions.
    pub session_cache: bool,
    /// `ssl_min_version=3`: TLS 1.3 only; else 1.2 and 1.3.
    pub is_min_tls13: bool,
    /// `ssl_wbuf_size`, in KiB: told, and of no effect.
    pub wbuf_kib: u32,
}

/// All settings of a server. Defaults are memcached's, except that it listens to loopback only.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `-p`: 0 = no TCP, None = a free port.
    pub tcp_port: Option<u16>,
    /// `-U`: 0 = no UDP, None = a free port.
    pub udp_port: Option<u16>,
    /// `-l`; empty = loopback of IPv4.
    pub listen: Vec<Listen>,
    /// `-s`: a Unix socket instead of TCP and UDP.
    pub unix_path: Option<PathBuf>,
    /// `-a`: mode of the Unix socket.
    pub unix_mode: u32,
    /// `-b`
    pub backlog: u32,
    /// `-t`
    pub threads: usize,
    /// `-c`
    pub conn_limit: usize,
    /// `-o no_maxconns_fast` clears it: connections above the limit wait until others have gone, instead of being told
    /// and closed.
    pub maxconns_fast: bool,
    /// `-R`: requests of one connection before it is another's turn.
    pub requests_per_turn: usize,
    /// `-I`
    pub item_size_max: usize,
    /// `-m`: memory of an arena that has to be made, in bytes.
    pub memory: Option<u64>,
    /// `-k`: what the arena holds stays in memory.
    pub lock_memory: bool,
    /// `-M` clears it: with a full arena a store is an error instead of an eviction.
    pub evictions: bool,
    /// `-C` clears it: cas numbers are 0.
    pub cas: bool,
    /// `-F` clears it.
    pub flush: bool,
    /// `-X` clears it: `lru_crawler metadump` and `mgdump`.
    pub dump: bool,
    /// `-W` clears it: `watch`.
    pub watch: bool,
    /// `-A` sets it: `shutdown`.
    pub shutdown: bool,
    /// `-B`
    pub protocol: AllowedProtocol,
    /// `-v`, counted.
    pub verbosity: u8,
    /// `-Y`: a file of `user:password` lines.
    pub auth_file: Option<PathBuf>,
    /// `-S`: the file of `user:password` lines that MEMCACHED_SASL_PWDB names. The protocol is binary then.
    pub sasl_pwdb: Option<PathBuf>,
    /// Announce places in the arena for the short cut though clients are asked for passwords.
    pub announce: bool,
    /// `-D`: where a key's prefix ends, for `stats detail`; giving it also begins the collection.
    pub prefix_delimiter: u8,
    /// Whether `stats detail` collects from the start.
    pub detail: bool,
    /// `-o track_sizes`: `stats sizes` answers from the start.
    pub track_sizes: bool,
    /// `-o idle_timeout=SECONDS`; 0 = never.
    pub idle_timeout_secs: u32,
    /// `-e`: on SIGUSR1 `FILE.meta` is written and the server ends.
    pub memory_file: Option<PathBuf>,
    /// `-P`
    pub pid_file: Option<PathBuf>,
    /// `-Z`
    pub tls: Option<TlsSettings>,
    /// `--metrics`: where they are handed out, over HTTP.
    pub metrics: Option<MetricsAddress>,
    /// `--redis`: the entrance for clients of Redis.
    pub redis: Option<RedisSettings>,
    /// Loopback addresses only for UDP, unless told otherwise.
    pub udp_addresses: Vec<IpAddr>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tcp_port: Some(11211),
            udp_port: Some(0),
            listen: Vec::new(),
            unix_path: None,
            unix_mode: 0o700,
            backlog: 1024,
            threads: 4,
            conn_limit: 1024,
            maxconns_fast: true,
            requests_per_turn: 20,
            item_size_max: 1 << 20,
            memory: None,
            lock_memory: false,
            evictions: true,
            cas: true,
            flush: true,
            dump: true,
            watch: true,
            shutdown: false,
            protocol: AllowedProtocol::Auto,
            verbosity: 0,
            auth_file: None,
            sasl_pwdb: None,
            announce: false,
            prefix_delimiter: b':',
            detail: false,
            track_sizes: false,
            idle_timeout_secs: 0,
            memory_file: None,
            pid_file: None,
            tls: None,
            metrics: None,
            redis: None,
            udp_addresses: Vec::new(),
        }
    }
}

/// Default memory of a new arena, in bytes.
pub const MEMORY: u64 = 64 << 20;

/// memcached subtracts this much from `-I` for its header, the shortest key, and the line end.
const ITEM_HEADER: usize = 60;

impl Settings {
    /// The largest value that a client may store, if the arena takes it.
    pub(crate) fn value_max(&self) -> usize {
        self.item_size_max.saturating_sub(ITEM_HEADER)
    }

    /// Whether a client of an address with this security must show a certificate.
    pub(crate) fn asks_for_certificates(&self, security: Security) -> bool {
        match security {
            Security::Plain | Security::Basic => false,
            Security::Standard => self.tls.as_ref().is_some_and(|tls| tls.verify_mode > 1),
            Security::Mutual => true,
        }
    }

    /// Whether clients must give a password.
    pub fn asks_for_passwords(&self) -> bool {
        self.auth_file.is_some() || self.sasl_pwdb.is_some()
    }

    /// Where the server answers otherwise than its arena would by itself.
    pub(crate) fn particulars(&self) -> Vec<String> {
        let mut particulars = Vec::new();
        if self.value_max() != Settings::default().value_max() {
            particulars.push(format!("limit {}", self.value_max()));
        }
        if !self.cas {
            particulars.push("without cas".to_owned());
        }
        particulars
    }

    /// How the arena is opened. `otherwise` is the memory of one that has to be made if these settings do not say it.
    pub fn open_options(&self, otherwise: u64) -> OpenOptions {
        OpenOptions::new().memory(self.memory.unwrap_or(otherwise).max(MEMORY_MIN)).evict(self.evictions)
    }
}

/// Where a server hands out its metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAddress {
    /// A loopback address: no password is required.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// `127.0.0.1:9150`, `[::1]:9150`, `localhost:9150`, `9150`, or the path of a Unix socket, which has a slash.
impl std::str::FromStr for MetricsAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricsAddress, String> {
        if text.contains('/') {
            return Ok(MetricsAddress::Unix(text.strip_prefix("unix:").unwrap_or(text).into()));
        }
        let forms = "write PORT, 127.0.0.1:PORT, [::1]:PORT, or the path of a Unix socket, with a slash in it";
        let port = text.strip_prefix("localhost:").unwrap_or(text).parse::<u16>();
        let address = match port {
            Ok(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
            Err(_) => text.parse().map_err(|_| format!("'{text}' is no address: {forms}"))?,
        };
        if address.ip() != IpAddr::V6(Ipv6Addr::LOCALHOST) && !address.ip().is_loopback() {
            return Err(format!("{address} can be reached from other machines, and no password is required: {forms}"));
        }
        Ok(MetricsAddress::Tcp(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_alone() {
        for (text, want) in [
            ("9150", "127.0.0.1:9150"),
            ("localhost:9150", "127.0.0.1:9150"),
            ("127.0.0.2:1", "127.0.0.2:1"),
            ("[::1]:9150", "[::1]:9150"),
        ] {
            assert_eq!(text.parse(), Ok(MetricsAddress::Tcp(want.parse().expect("an address"))), "{text}");
        }
        for (text, want) in [("/run/a", "/run/a"), ("unix:/run/a", "/run/a"), ("./a", "./a")] {
            assert_eq!(text.parse(), Ok(MetricsAddress::Unix(want.into())));
        }
        for (text, part) in [
            ("0.0.0.0:9150", "other machines"),
            ("[::]:9150", "other machines"),
            ("192.0.2.1:1", "other machines"),
            ("70000", "no address"),
            ("", "no address"),
            ("example.org:9150", "no address"),
        ] {
            let error = text.parse::<MetricsAddress>().expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}

//! The options of `leveret serve`: memcached's letters and long names, and ours.
use super::values::{self, OwnDatabase, Port};
use clap::{ArgAction, Args, ValueEnum};
use leveret_server::redis::settings::RedisPlace;
use leveret_server::settings::{AllowedProtocol, Listen, MetricsAddress};
use std::ffi::OsString;
use std::path::PathBuf;

const NETWORK: &str = "Network";
const CACHE: &str = "Cache";
const LIMITS: &str = "Threads and limits";
const ACCESS: &str = "What clients may do";
const PROCESS: &str = "Process";
const SOURCES: &str = "Options from elsewhere";
const OTHERS: &str = "Accepted without effect, or for later";

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

/// What may be given on the command line, as LEVERET_NAME in the environment, and in the two kinds of configuration
/// files.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true, disable_version_flag = true)]
pub struct ServeOptions {
    /// TCP port; 0 = off, -1 = any free port [default: 11211]
    #[arg(short, long, value_name = "NUM", allow_negative_numbers = true, value_parser = values::port, help_heading = NETWORK)]
    pub port: Option<Port>,

    /// UDP port; without -p also the TCP port [default: 0, off]
    #[arg(short = 'U', long, value_name = "NUM", allow_negative_numbers = true, value_parser = values::port, help_heading = NETWORK)]
    pub udp_port: Option<Port>,

    /// Addresses to listen on, with commas between or several times; HOST:PORT is possible, '*' is all [default:
    /// 127.0.0.1]
    #[arg(short, long, value_name = "ADDR", value_parser = values::listen, action = ArgAction::Append, help_heading = NETWORK)]
    pub listen: Vec<Vec<Listen>>,

    /// Unix socket to listen on, instead of TCP and UDP
    #[arg(short = 's', long, value_name = "FILE", help_heading = NETWORK)]
    pub unix_socket: Option<PathBuf>,

    /// Mode of the Unix socket, in octal [default: 700]
    #[arg(short = 'a', long, value_name = "MASK", value_parser = values::octal_mode, help_heading = NETWORK)]
    pub unix_mask: Option<u32>,

    /// Connections that may wait to be accepted [default: 1024]
    #[arg(short = 'b', long, value_name = "NUM", allow_negative_numbers = true, value_parser = values::backlog, help_heading = NETWORK)]
    pub listen_backlog: Option<u32>,

    /// Protocol: auto, ascii or binary [default: auto]
    #[arg(short = 'B', long, value_name = "NAME", value_parser = values::protocol, help_heading = NETWORK)]
    pub protocol: Option<AllowedProtocol>,

    /// TLS on all TCP addresses except -l notls:ADDR; certificate and key by -o ssl_chain_cert=FILE,ssl_key=FILE.
    /// Clients of -l mtls:ADDR need a certificate (-o ssl_ca_cert=FILE), clients of -l btls:ADDR do not
    #[arg(short = 'Z', long, help_heading = NETWORK)]
    pub enable_ssl: bool,

    /// Serve clients of Redis: on this port of the addresses of -l (tls:PORT with the certificate of -Z), or on a Unix socket
    /// at a path; without -p, -U and -s there is no memcached port [default: 6379]
    #[arg(long, value_name = "PORT|PATH", num_args = 0..=1, default_missing_value = "6379", allow_negative_numbers = true, help_heading = NETWORK)]
    pub redis: Option<RedisPlace>,

    /// Databases of --redis, 1 to 32; each is an arena of its own, NAME.dbN, created by its first write [default: 16]
    #[arg(long, value_name = "NUM", value_parser = values::databases, help_heading = NETWORK)]
    pub redis_databases: Option<u32>,

    /// What a database of --redis has of its own: 2,memory=256m,policy=noeviction,arena=sessions; several times. memory as -m for
    /// an arena that has to be made; policy allkeys-lfu, volatile-lfu or noeviction; arena a name or a path
    #[arg(long, value_name = "N,K=V,...", value_parser = values::database, action = ArgAction::Append, help_heading = NETWORK)]
    pub redis_database: Vec<OwnDatabase>,

    /// Serve metrics for Prometheus over HTTP: a port of this machine, 127.0.0.1:PORT, or a Unix socket's path
    #[arg(long, value_name = "ADDR", help_heading = NETWORK)]
    pub metrics: Option<MetricsAddress>,

    /// The arena: a name, arena:NAME, or a path that ends in .arena [default: 'default' on port 11211, else port-NUM,
    /// or a name from the Unix socket's path]
    #[arg(long, value_name = "NAME|PATH", help_heading = CACHE)]
    pub arena: Option<String>,

    /// Serve an arena that another server serves too: one cache on several addresses
    #[arg(long, help_heading = CACHE)]
    pub share: bool,

    /// Begin with an empty arena, and remove it at the end, as memcached does; the default with -p -1 and no --arena
    #[arg(long, help_heading = CACHE)]
    pub fresh: bool,

    /// The folder of named arenas [default: /dev/shm/leveret if usable, else /dev/shm/leveret-UID]
    #[arg(long, value_name = "DIR", help_heading = CACHE)]
    pub dir: Option<PathBuf>,

    /// Memory of a new arena, in megabytes or as 512m, 4g; an existing arena keeps its size [default: 64]
    #[arg(short = 'm', long, alias = "memory", value_name = "NUM", value_parser = values::memory, help_heading = CACHE)]
    pub memory_limit: Option<u64>,

    /// Return an error when memory is full, instead of evicting items
    #[arg(short = 'M', long, help_heading = CACHE)]
    pub disable_evictions: bool,

    /// Largest item: bytes, or as 512k, 2m [default: 1m]
    #[arg(short = 'I', long, value_name = "SIZE", value_parser = values::item_size, help_heading = CACHE)]
    pub max_item_size: Option<u64>,

    /// Disable cas
    #[arg(short = 'C', long, help_heading = CACHE)]
    pub disable_cas: bool,

    /// On SIGUSR1 write FILE.meta and exit; the cache survives every exit, also without this option
    #[arg(short = 'e', long, value_name = "FILE", help_heading = CACHE)]
    pub memory_file: Option<PathBuf>,

    /// Lock the cache's pages in memory once they are used
    #[arg(short = 'k', long, help_heading = CACHE)]
    pub lock_memory: bool,

    /// Worker threads [default: 4]
    #[arg(short, long, value_name = "NUM", value_parser = values::positive, help_heading = LIMITS)]
    pub threads: Option<u32>,

    /// Connections at the same time [default: 1024]
    #[arg(short, long, value_name = "NUM", value_parser = values::positive, help_heading = LIMITS)]
    pub conn_limit: Option<u32>,

    /// Requests of one connection before the next connection's turn [default: 20]
    #[arg(short = 'R', long, value_name = "NUM", value_parser = values::positive, help_heading = LIMITS)]
    pub max_reqs_per_event: Option<u32>,

    /// Require a password: FILE has lines user:password; a client's first command is a set with the value 'user password'
    #[arg(short = 'Y', long, value_name = "FILE", help_heading = ACCESS)]
    pub auth_file: Option<PathBuf>,

    /// Require a password by SASL PLAIN, over the binary protocol only; users are in the file named by
    /// MEMCACHED_SASL_PWDB or --sasl-pwdb, or in the sasldb of /etc/sasl2/memcached.conf
    #[arg(short = 'S', long, help_heading = ACCESS)]
    pub enable_sasl: bool,

    /// The file of -S: lines user:password, or a sasldb, read at each sign-in [default: $MEMCACHED_SASL_PWDB]
    #[arg(long, value_name = "FILE", help_heading = ACCESS)]
    pub sasl_pwdb: Option<PathBuf>,

    /// Password of Redis clients; in a file or as LEVERET_REQUIREPASS it is not visible in the process list
    #[arg(long, value_name = "PASSWORD", hide_env_values = true, help_heading = ACCESS)]
    pub requirepass: Option<String>,

    /// With -Y, -S or client certificates: let clients of this host use the arena directly, without a password
    #[arg(long, help_heading = ACCESS)]
    pub announce: bool,

    /// Allow the command shutdown
    #[arg(short = 'A', long, help_heading = ACCESS)]
    pub enable_shutdown: bool,

    /// Forbid flush_all
    #[arg(short = 'F', long, help_heading = ACCESS)]
    pub disable_flush_all: bool,

    /// Forbid lru_crawler metadump and mgdump
    #[arg(short = 'X', long, help_heading = ACCESS)]
    pub disable_dumping: bool,

    /// Forbid watch
    #[arg(short = 'W', long, help_heading = ACCESS)]
    pub disable_watch: bool,

    /// Character that ends a key's prefix; enables 'stats detail' [default: ':']
    #[arg(short = 'D', value_name = "CHAR", value_parser = values::delimiter, help_heading = ACCESS)]
    pub delimiter: Option<u8>,

    /// Run as this user; required when started by root
    #[arg(short, long, value_name = "NAME", help_heading = PROCESS)]
    pub user: Option<String>,

    /// Run in the background; the command returns when the server listens
    #[arg(short, long, help_heading = PROCESS)]
    pub daemon: bool,

    /// Write the process id into FILE
    #[arg(short = 'P', long, value_name = "FILE", help_heading = PROCESS)]
    pub pidfile: Option<PathBuf>,

    /// Allow core files of any size
    #[arg(short = 'r', long, help_heading = PROCESS)]
    pub enable_coredumps: bool,

    /// Log more: -v errors and warnings, -vv also requests and answers
    #[arg(short, long, action = ArgAction::Count, help_heading = PROCESS)]
    pub verbose: u8,

    /// Format of the log on standard error: text, or json, one object a line [default: text]
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = PROCESS)]
    pub log_format: Option<LogFormat>,

    /// Print the version
    #[arg(short = 'V', long, help_heading = PROCESS)]
    pub version: bool,

    /// Print the licence
    #[arg(short = 'i', long, help_heading = PROCESS)]
    pub license: bool,

    /// TOML: long names as keys, 'extended' as a table
    #[arg(long, value_name = "FILE", help_heading = SOURCES)]
    pub config: Option<PathBuf>,

    /// Debian's /etc/memcached.conf: memcached's options, one on a line; its -d is ignored, as by Debian's scripts
    #[arg(long, value_name = "FILE", conflicts_with = "config", help_heading = SOURCES)]
    pub memcached_conf: Option<PathBuf>,

    /// memcached's further options, such as idle_timeout=60; most have no effect here, which is logged
    #[arg(short = 'o', long, value_name = "K=V,...", action = ArgAction::Append, help_heading = OTHERS)]
    pub extended: Vec<String>,

    /// Growth of slab classes: an arena has none
    #[arg(short = 'f', long, value_name = "NUM", value_parser = values::factor, help_heading = OTHERS)]
    pub slab_growth_factor: Option<f64>,

    /// Smallest slab chunk: an arena has none
    #[arg(short = 'n', long, value_name = "BYTES", value_parser = values::positive, help_heading = OTHERS)]
    pub slab_min_size: Option<u32>,

    /// Large pages: the mount options of the arena's file system decide
    #[arg(short = 'L', long, help_heading = OTHERS)]
    pub enable_largepages: bool,

    /// NAPI ids
    #[arg(short = 'N', long, value_name = "NUM", value_parser = values::positive, help_heading = OTHERS)]
    pub napi_ids: Option<u32>,

    /// memcached ignores further words, and so do we
    #[arg(hide = true)]
    pub further: Vec<OsString>,
}

//! Settings of a pool: values as libmemcached's behaviours take them.
use super::{leveret_code, leveret_pool, millis};
use crate::leveret_bytes;
use crate::types::slice;
use leveret_client::pool::{Options, Protocol, TlsOptions};
use leveret_client::ring::{Distribution, KeyHash, PeclHash, Preset, Strategy};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Settings of a pool; values as libmemcached's behaviours take them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_pool_option {
    /// A leveret_protocol.
    LEVERET_POOL_PROTOCOL,
    /// A leveret_ring.
    LEVERET_POOL_RING,
    /// libmemcached's number of the hash; for pecl/memcache's rings 0 = crc32, 1 = fnv.
    LEVERET_POOL_HASH,
    /// Milliseconds for a connection to be made.
    LEVERET_POOL_CONNECT_TIMEOUT_MS,
    /// Milliseconds to wait for an answer; negative = no limit.
    LEVERET_POOL_POLL_TIMEOUT_MS,
    /// Seconds for which a failed server is not tried.
    LEVERET_POOL_RETRY_TIMEOUT_S,
    /// Seconds after which an ejected server is tried again; 0 = never.
    LEVERET_POOL_DEAD_TIMEOUT_S,
    /// Failures that eject a server.
    LEVERET_POOL_FAILURE_LIMIT,
    /// Time-outs in a row that count as a failure; 0 = never.
    LEVERET_POOL_TIMEOUT_LIMIT,
    /// The ring closes over servers that failed too often.
    LEVERET_POOL_AUTO_EJECT,
    /// As AUTO_EJECT, by its newer name.
    LEVERET_POOL_REMOVE_FAILED,
    /// 1: the prefix of leveret_pool_set_prefix is hashed as well.
    LEVERET_POOL_HASH_WITH_PREFIX,
    /// 1: gets go by UDP, to the servers' UDP ports (or the same number as TCP's). Writes never do.
    LEVERET_POOL_UDP,
    /// libmemcached's further copies of each item, on the servers that follow; they are read when the first is dead.
    LEVERET_POOL_REPLICAS,
    /// 1: a replica is as good to read from as the first.
    LEVERET_POOL_RANDOM_REPLICA,
    /// pecl/memcache's copies of each item, the first one counted.
    LEVERET_POOL_REDUNDANCY,
    /// 1: a server that is this host's `leveret serve` is used through its arena.
    LEVERET_POOL_SHORT_CUT,
    /// SO_KEEPALIVE.
    LEVERET_POOL_KEEPALIVE,
    /// SO_SNDBUF; 0 = the system's.
    LEVERET_POOL_SEND_SIZE,
    /// SO_RCVBUF; 0 = the system's.
    LEVERET_POOL_RECV_SIZE,
    /// No answer to any write is wanted, except to a touch.
    LEVERET_POOL_NOREPLY,
    /// Sets and deletes wait until there are many, or until something else is asked.
    LEVERET_POOL_BUFFER_WRITES,
    /// Bytes above 127 are refused in keys.
    LEVERET_POOL_VERIFY_KEY,
    /// Servers are kept in the order of their names.
    LEVERET_POOL_SORT_HOSTS,
    /// Other places that are tried for a key whose server does not answer (pecl/memcache, Dalli).
    LEVERET_POOL_FAILOVER_ATTEMPTS,
    /// 1: a key lies at the first of its other places, where pecl/memcache's session handler looks for it.
    LEVERET_POOL_ELSEWHERE,
    /// Bytes of an arena that is made because a server of this name is used; for servers that are added from now on.
    LEVERET_POOL_ARENA_MEMORY,
    /// Milliseconds until a write to such an arena gives up a lock; for servers that are added from now on.
    LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS,
}

/// Protocol.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_protocol {
    /// Classic commands.
    LEVERET_PROTOCOL_TEXT = 0,
    /// The binary protocol.
    LEVERET_PROTOCOL_BINARY = 1,
    /// Meta commands.
    LEVERET_PROTOCOL_META = 2,
    /// Text, but binary with servers that speak nothing else: the default.
    LEVERET_PROTOCOL_ANY = 3,
}

/// Whose rule says which server a key lives on.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_ring {
    /// libmemcached's default.
    LEVERET_RING_MODULA = 0,
    /// OPT_DISTRIBUTION = DISTRIBUTION_CONSISTENT.
    LEVERET_RING_CONSISTENT = 1,
    /// OPT_LIBKETAMA_COMPATIBLE.
    LEVERET_RING_KETAMA = 2,
    /// pecl/memcache's memcache.hash_strategy=consistent.
    LEVERET_RING_PECL_CONSISTENT = 3,
    /// pecl/memcache's memcache.hash_strategy=standard.
    LEVERET_RING_PECL_STANDARD = 4,
    /// Dalli's.
    LEVERET_RING_DALLI = 5,
    /// OPT_DISTRIBUTION = DISTRIBUTION_VIRTUAL_BUCKET: see leveret_pool_set_buckets, without which each server is a
    /// bucket.
    LEVERET_RING_VIRTUAL_BUCKET = 6,
}

/// Changes a setting, a leveret_pool_option: SUCCESS, or INVALID_ARGUMENTS where there is no such setting or value.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_option(pool: *mut leveret_pool, option: u32, value: i64) -> i32 {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    match leveret_pool_option::of_number(option).and_then(|option| pool.set(option, value)) {
        Some(()) => leveret_code::LEVERET_CODE_SUCCESS as i32,
        None => leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32,
    }
}

/// Says with what each key begins that does not tell where it lives, unless LEVERET_POOL_HASH_WITH_PREFIX is set.
/// Requests still name whole keys.
///
/// # Safety
/// `pool` is live; `prefix` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_prefix(pool: *mut leveret_pool, prefix: leveret_bytes) {
    // SAFETY: by contract.
    let (pool, prefix) = unsafe { (&mut (*pool).pool, prefix.as_slice()) };
    pool.set_options(Options { prefix: prefix.to_vec(), ..pool.options().clone() });
}

/// TLS settings of servers named "tls://host", for connections from now on. Files are PEM and read when they are first
/// needed; errors in them are reported as the value of an answer, and by leveret_pool_arena_trouble. Empty: `ca_file` =
/// the system's authorities; `peer_name` = the certificate must name the host; `certificate` = no client certificate;
/// `key` = it is in the file of the certificate. `verify` 0 = certificates are not verified: insecure. SUCCESS or
/// INVALID_ARGUMENTS.
///
/// # Safety
/// `pool` is live; the others can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_tls(
    pool: *mut leveret_pool,
    ca_file: leveret_bytes,
    peer_name: leveret_bytes,
    certificate: leveret_bytes,
    key: leveret_bytes,
    verify: u32,
) -> i32 {
    // SAFETY: by contract.
    let (pool, peer_name) = unsafe { (&mut (*pool).pool, peer_name.as_slice()) };
    let path = |bytes: leveret_bytes| {
        // SAFETY: by contract.
        let bytes = unsafe { bytes.as_slice() };
        (!bytes.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(bytes)))
    };
    let Ok(peer_name) = std::str::from_utf8(peer_name) else {
        return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32;
    };
    let tls = TlsOptions {
        ca_file: path(ca_file),
        peer_name: (!peer_name.is_empty()).then(|| peer_name.to_owned()),
        certificate: path(certificate),
        key: path(key),
        verify: verify != 0,
    };
    pool.set_options(Options { tls, ..pool.options().clone() });
    leveret_code::LEVERET_CODE_SUCCESS as i32
}

/// Gives the servers of LEVERET_RING_VIRTUAL_BUCKET, an index for each bucket, and chooses that ring. `count` 0: each
/// server is a bucket, and `servers` may be NULL.
///
/// # Safety
/// `pool` is live; `servers` has `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_buckets(pool: *mut leveret_pool, servers: *const u32, count: usize) {
    // SAFETY: by contract.
    let (pool, servers) = unsafe { (&mut *pool, slice(servers, count)) };
    pool.buckets = servers.into();
    // The hash has been accepted before.
    let _ = pool.set(leveret_pool_option::LEVERET_POOL_RING, leveret_ring::LEVERET_RING_VIRTUAL_BUCKET as i64);
}

impl leveret_pool {
    fn set(&mut self, option: leveret_pool_option, value: i64) -> Option<()> {
        use leveret_pool_option::*;
        let mut options = self.pool.options().clone();
        let is_on = value != 0;
        let count = u32::try_from(value).ok();
        match option {
            LEVERET_POOL_PROTOCOL => {
                (options.protocol, options.detects) = match value {
                    0 => (Protocol::Text, false),
                    1 => (Protocol::Binary, false),
                    2 => (Protocol::Meta, false),
                    3 => (Protocol::Text, true),
                    _ => return None,
                }
            }
            LEVERET_POOL_RING => {
                let ring = leveret_ring::of_number(u32::try_from(value).ok()?)?;
                options.preset = preset(ring, self.hash, &self.buckets)?;
                self.ring = ring;
            }
            LEVERET_POOL_HASH => {
                let hash = count?;
                options.preset = match (options.preset, preset(self.ring, hash, &self.buckets)?) {
                    // The points stay where the hash of their time has put them.
                    (Preset::Libmemcached { distribution, .. }, Preset::Libmemcached { hash, .. }) => {
                        Preset::Libmemcached { distribution, hash }
                    }
                    (_, chosen) => chosen,
                };
                self.hash = hash;
            }
            LEVERET_POOL_CONNECT_TIMEOUT_MS => options.connect_timeout = millis(value),
            LEVERET_POOL_POLL_TIMEOUT_MS => options.io_timeout = millis(value),
            LEVERET_POOL_RETRY_TIMEOUT_S => options.retry_timeout = Duration::from_secs(u64::from(count?)),
            LEVERET_POOL_DEAD_TIMEOUT_S => options.dead_timeout = Duration::from_secs(u64::from(count?)),
            LEVERET_POOL_FAILURE_LIMIT => options.failure_limit = count?,
            LEVERET_POOL_TIMEOUT_LIMIT => options.timeout_limit = count?,
            LEVERET_POOL_AUTO_EJECT => self.ejects[0] = is_on,
            LEVERET_POOL_REMOVE_FAILED => self.ejects[1] = is_on,
            LEVERET_POOL_HASH_WITH_PREFIX => options.hash_with_prefix = is_on,
            LEVERET_POOL_UDP => options.udp = is_on,
            LEVERET_POOL_REPLICAS => options.replicas = count?,
            LEVERET_POOL_RANDOM_REPLICA => options.random_replica = is_on,
            LEVERET_POOL_REDUNDANCY => options.redundancy = count?,
            LEVERET_POOL_SHORT_CUT => options.short_cut = is_on,
            LEVERET_POOL_KEEPALIVE => options.keep_alive = is_on,
            LEVERET_POOL_SEND_SIZE => options.send_size = count? as usize,
            LEVERET_POOL_RECV_SIZE => options.recv_size = count? as usize,
            LEVERET_POOL_NOREPLY => options.no_reply = is_on,
            LEVERET_POOL_BUFFER_WRITES => options.buffer_writes = is_on,
            LEVERET_POOL_VERIFY_KEY => options.verify_key = is_on,
            LEVERET_POOL_SORT_HOSTS => options.sort_hosts = is_on,
            LEVERET_POOL_FAILOVER_ATTEMPTS => options.failover_attempts = count?,
            LEVERET_POOL_ELSEWHERE => options.elsewhere = is_on,
            LEVERET_POOL_ARENA_MEMORY => options.arena = options.arena.memory(u64::try_from(value).ok()?),
            LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS => options.arena = options.arena.lock_timeout(millis(value)),
        }
        options.auto_eject = self.ejects.contains(&true);
        self.pool.set_options(options);
        self.validity = None;
        Some(())
    }
}

fn preset(ring: leveret_ring, hash: u32, buckets: &Arc<[u32]>) -> Option<Preset> {
    use leveret_ring::*;
    let libmemcached =
        |distribution| KeyHash::from_number(hash).map(|hash| Preset::Libmemcached { distribution, hash });
    let pecl = |strategy| {
        let hash = if hash == 1 { PeclHash::Fnv } else { PeclHash::Crc32 };
        Some(Preset::PeclMemcache { strategy, hash })
    };
    match ring {
        LEVERET_RING_MODULA => libmemcached(Distribution::Modula),
        LEVERET_RING_CONSISTENT => libmemcached(Distribution::consistent(KeyHash::from_number(hash)?)),
        LEVERET_RING_KETAMA => libmemcached(Distribution::Ketama),
        LEVERET_RING_PECL_CONSISTENT => pecl(Strategy::Consistent),
        LEVERET_RING_PECL_STANDARD => pecl(Strategy::Standard),
        LEVERET_RING_DALLI => Some(Preset::Dalli),
        LEVERET_RING_VIRTUAL_BUCKET => libmemcached(Distribution::VirtualBucket(Arc::clone(buckets))),
    }
}

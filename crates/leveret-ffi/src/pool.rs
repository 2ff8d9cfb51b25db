//! A pool of servers, as a host language's client classes need it.
//!
//! One pool is used by one thread at a time. Nothing is held across calls but what leveret_pool_free frees.
use crate::{leveret_arena, leveret_bytes};
use leveret_client::pool::{Answer, Operation, Options, Pool, Protocol, Request, ServerKind, Tuning};
use leveret_client::ring::{Distribution, KeyHash, PeclHash, Preset, Strategy};
use leveret_engine::Meta;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Servers behind a ring, and one batch of requests; opaque.
pub struct leveret_pool {
    pool: Pool,
    ring: leveret_ring,
    hash: u32,
    /// For LEVERET_RING_VIRTUAL_BUCKET, also while another ring is chosen.
    buckets: Arc<[u32]>,
    limits: Limits,
    ejects: [bool; 2],
    /// What leveret_pool_arena gives.
    arena: Option<leveret_arena>,
}

/// Settings that come to one value together.
#[derive(Default)]
struct Limits {
    poll: Duration,
    send: Duration,
    recv: Duration,
}

/// Codes are libmemcached's numbers, which PHP shows as Memcached::RES_*.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_code {
    /// Done, or found.
    LEVERET_CODE_SUCCESS = 0,
    /// It failed, and nothing says why.
    LEVERET_CODE_FAILURE = 1,
    /// The host's name has no address.
    LEVERET_CODE_HOST_LOOKUP_FAILURE = 2,
    /// The server cannot be reached.
    LEVERET_CODE_CONNECTION_FAILURE = 3,
    /// Sending failed.
    LEVERET_CODE_WRITE_FAILURE = 5,
    /// The connection ended before the answer.
    LEVERET_CODE_UNKNOWN_READ_FAILURE = 7,
    /// The server does not know the command, or cannot be understood.
    LEVERET_CODE_PROTOCOL_ERROR = 8,
    /// The server refused the request.
    LEVERET_CODE_CLIENT_ERROR = 9,
    /// The server could not do it.
    LEVERET_CODE_SERVER_ERROR = 10,
    /// Another version is there.
    LEVERET_CODE_DATA_EXISTS = 12,
    /// Add found something; replace, append and prepend found nothing.
    LEVERET_CODE_NOTSTORED = 14,
    /// There is no such item.
    LEVERET_CODE_NOTFOUND = 16,
    /// Some requests of the batch failed.
    LEVERET_CODE_SOME_ERRORS = 19,
    /// The pool has no server.
    LEVERET_CODE_NO_SERVERS = 20,
    /// The end of a server's statistics or keys.
    LEVERET_CODE_END = 21,
    /// One line of a server's statistics, or one of its keys.
    LEVERET_CODE_STAT = 24,
    /// A system call failed; `number` is the errno.
    LEVERET_CODE_ERRNO = 26,
    /// The protocol cannot do that.
    LEVERET_CODE_NOT_SUPPORTED = 28,
    /// The server did not answer in time.
    LEVERET_CODE_TIMEOUT = 31,
    /// The write waits in a buffer.
    LEVERET_CODE_BUFFERED = 32,
    /// The key cannot be sent.
    LEVERET_CODE_BAD_KEY_PROVIDED = 33,
    /// The server failed too often and is out of the ring.
    LEVERET_CODE_SERVER_MARKED_DEAD = 35,
    /// The item is too large for the server.
    LEVERET_CODE_E2BIG = 37,
    /// A setting has a value that it cannot have.
    LEVERET_CODE_INVALID_ARGUMENTS = 38,
    /// The server failed a moment ago and rests.
    LEVERET_CODE_SERVER_TEMPORARILY_DISABLED = 47,
    /// The server has no memory left for the item.
    LEVERET_CODE_SERVER_MEMORY_ALLOCATION_FAILURE = 48,
}

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
    /// Milliseconds for a server that owes an answer; negative = for ever.
    LEVERET_POOL_POLL_TIMEOUT_MS,
    /// Microseconds; bounds the poll time-out further. 0 = does not.
    LEVERET_POOL_SEND_TIMEOUT_US,
    /// Microseconds; bounds the poll time-out further. 0 = does not.
    LEVERET_POOL_RECV_TIMEOUT_US,
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
    /// Taken and not needed: libmemcached's hash of the points has no effect on php-memcached's rings either.
    LEVERET_POOL_KETAMA_HASH,
    /// 1: the prefix of leveret_pool_set_prefix is hashed as well.
    LEVERET_POOL_HASH_WITH_PREFIX,
    /// Taken and not needed: nothing here ever blocks on one server while another could go on.
    LEVERET_POOL_NO_BLOCK,
    /// Taken and not needed: TCP_NODELAY is set in any case, because a batch is one write.
    LEVERET_POOL_NODELAY,
    /// 1: gets and writes that fit a datagram go by UDP, to the servers' UDP ports (or the same number as TCP's).
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
    /// No answer to any write is wanted.
    LEVERET_POOL_NOREPLY,
    /// Writes wait until there are many, or something is read.
    LEVERET_POOL_BUFFER_WRITES,
    /// Bytes above 127 are refused in keys.
    LEVERET_POOL_VERIFY_KEY,
    /// Servers are kept in the order of their names.
    LEVERET_POOL_SORT_HOSTS,
    /// Other places that are tried for a key whose server does not answer (pecl/memcache, Dalli).
    LEVERET_POOL_FAILOVER_ATTEMPTS,
}

/// What is spoken.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_protocol {
    /// Classic commands.
    LEVERET_PROTOCOL_TEXT = 0,
    /// The binary protocol.
    LEVERET_PROTOCOL_BINARY = 1,
    /// Meta commands.
    LEVERET_PROTOCOL_META = 2,
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
    /// OPT_DISTRIBUTION = DISTRIBUTION_VIRTUAL_BUCKET: see leveret_pool_set_buckets, without which each server is a bucket.
    LEVERET_RING_VIRTUAL_BUCKET = 6,
}

/// How a server is reached.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_server_kind {
    /// TCP.
    LEVERET_SERVER_TCP = 0,
    /// A socket in the file system.
    LEVERET_SERVER_UNIX = 1,
    /// Shared memory of this host.
    LEVERET_SERVER_ARENA = 2,
}

/// A server of a pool.
#[repr(C)]
pub struct leveret_server {
    /// As it was added; lives as long as the server list is not changed.
    pub host: leveret_bytes,
    /// 0 for Unix sockets and arenas.
    pub port: u16,
    /// 0 = none.
    pub udp_port: u16,
    /// Its share of the keys.
    pub weight: u32,
    /// A leveret_server_kind.
    pub kind: u32,
    /// It failed, and is not asked for now.
    pub is_down: u32,
}

/// What to do.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_operation {
    /// Read.
    LEVERET_OP_GET,
    /// Store.
    LEVERET_OP_SET,
    /// Store if there is nothing.
    LEVERET_OP_ADD,
    /// Store if there is something.
    LEVERET_OP_REPLACE,
    /// Put behind what is there.
    LEVERET_OP_APPEND,
    /// Put before what is there.
    LEVERET_OP_PREPEND,
    /// Store if `number` is still the version.
    LEVERET_OP_CAS,
    /// Delete.
    LEVERET_OP_DELETE,
    /// Add `number`.
    LEVERET_OP_INCREMENT,
    /// Take `number` away.
    LEVERET_OP_DECREMENT,
    /// Give a new exptime.
    LEVERET_OP_TOUCH,
    /// Read, and give a new exptime.
    LEVERET_OP_GET_AND_TOUCH,
    /// Forget everything.
    LEVERET_OP_FLUSH,
    /// The server's version.
    LEVERET_OP_VERSION,
    /// The server's statistics; `key` is their subject. Code STAT for each line, END after the last.
    LEVERET_OP_STATS,
    /// Every key: code STAT for each, END after the last.
    LEVERET_OP_KEYS,
}

/// One request of a batch.
#[repr(C)]
pub struct leveret_request {
    /// What to do.
    pub operation: leveret_operation,
    /// As it is sent.
    pub key: leveret_bytes,
    /// Hashed instead of the key to find the server; data NULL = the key.
    pub group: leveret_bytes,
    /// For stores.
    pub value: leveret_bytes,
    /// For stores: flags on the wire.
    pub meta: Meta,
    /// As on the wire.
    pub exptime: i64,
    /// The version for cas; the difference for counters.
    pub number: u64,
    /// What a missing counter begins with.
    pub initial: u64,
    /// 1: a missing counter is created. Not in the text protocol: 28.
    pub create: u32,
    /// 1: a get tells the version.
    pub with_cas: u32,
    /// 1: no answer is wanted.
    pub quiet: u32,
    /// Flush, version, stats, keys: index of the server; -1 = every one.
    pub server: i32,
}

/// One answer of a batch.
#[repr(C)]
pub struct leveret_answer {
    /// Number of the request since leveret_pool_begin, counted from 0.
    pub request: u32,
    /// A leveret_code.
    pub code: i32,
    /// Index of the server that answered or failed.
    pub server: u32,
    /// Of the request; for statistics their name.
    pub key: leveret_bytes,
    /// The value; for errors what the server said.
    pub value: leveret_bytes,
    /// Flags.
    pub meta: Meta,
    /// The version, if it was asked for.
    pub cas: u64,
    /// Counters: the new value. Code ERRNO: the errno.
    pub number: u64,
}

/// A server that failed.
#[repr(C)]
pub struct leveret_failure {
    /// Its index.
    pub server: u32,
    /// A leveret_code.
    pub code: i32,
    /// The system's own word for it; 0 = none.
    pub system_error: i32,
}

/// A pool without servers, with php-memcached's defaults.
#[no_mangle]
pub extern "C" fn leveret_pool_new() -> *mut leveret_pool {
    let options = Options::default();
    let limits = Limits { poll: options.io_timeout, ..Limits::default() };
    let pool = Pool::new(options);
    Box::into_raw(Box::new(leveret_pool {
        pool,
        ring: leveret_ring::LEVERET_RING_MODULA,
        hash: 0,
        buckets: Arc::default(),
        limits,
        ejects: [false; 2],
        arena: None,
    }))
}

/// Closes all connections and frees the pool.
///
/// # Safety
/// `pool` came from leveret_pool_new and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_free(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    drop(unsafe { Box::from_raw(pool) });
}

/// Changes a setting: SUCCESS or INVALID_ARGUMENTS.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_option(pool: *mut leveret_pool, option: leveret_pool_option, value: i64) -> i32 {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    match pool.set(option, value) {
        Some(()) => leveret_code::LEVERET_CODE_SUCCESS as i32,
        None => leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32,
    }
}

/// Says with what each key begins that does not tell where it lives, unless LEVERET_POOL_HASH_WITH_PREFIX is set. Requests still name
/// whole keys.
///
/// # Safety
/// `pool` is live; `prefix` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_prefix(pool: *mut leveret_pool, prefix: leveret_bytes) {
    // SAFETY: by contract.
    let (pool, prefix) = unsafe { (&mut (*pool).pool, prefix.as_slice()) };
    pool.set_options(Options { prefix: prefix.to_vec(), ..pool.options().clone() });
}

/// Gives the servers of LEVERET_RING_VIRTUAL_BUCKET, an index for each bucket, and chooses that ring. `count` is not 0.
///
/// # Safety
/// `pool` is live; `servers` has `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_buckets(pool: *mut leveret_pool, servers: *const u32, count: usize) {
    // SAFETY: by contract.
    let (pool, servers) = unsafe { (&mut *pool, std::slice::from_raw_parts(servers, count)) };
    pool.buckets = servers.into();
    // The hash has been accepted before.
    let _ = pool.set(leveret_pool_option::LEVERET_POOL_RING, leveret_ring::LEVERET_RING_VIRTUAL_BUCKET as i64);
}

/// Adds a server: a name, an address, the path of a Unix socket, or "arena:NAME", the latter two with port 0. `dir` is the folder
/// of named arenas, as in leveret_open_options. Names are resolved, and arenas opened, when they are first needed.
///
/// # Safety
/// `pool` is live; `host` and `dir` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_add_server(
    pool: *mut leveret_pool,
    host: leveret_bytes,
    port: u16,
    udp_port: u16,
    weight: u32,
    dir: leveret_bytes,
) -> i32 {
    // SAFETY: by contract.
    let (pool, host, dir) = unsafe { (&mut *pool, host.as_slice(), dir.as_slice()) };
    pool.arena = None;
    let Ok(host) = std::str::from_utf8(host) else { return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32 };
    pool.pool.add_server_in(Path::new(OsStr::from_bytes(dir)), host, port, udp_port, weight);
    leveret_code::LEVERET_CODE_SUCCESS as i32
}

/// Forgets all servers and closes their connections.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_clear_servers(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    pool.arena = None;
    pool.pool.clear_servers();
}

/// Number of servers.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_servers(pool: *const leveret_pool) -> u32 {
    // SAFETY: by contract.
    unsafe { &(*pool).pool }.len() as u32
}

/// Describes a server: SUCCESS, or INVALID_ARGUMENTS when there is none of this index.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_server(pool: *const leveret_pool, index: u32, server: *mut leveret_server) -> i32 {
    // SAFETY: by contract.
    let Some(found) = unsafe { &(*pool).pool }.server(index as usize) else {
        return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32;
    };
    let kind = match found.kind {
        ServerKind::Tcp => leveret_server_kind::LEVERET_SERVER_TCP,
        ServerKind::Unix => leveret_server_kind::LEVERET_SERVER_UNIX,
        ServerKind::Arena => leveret_server_kind::LEVERET_SERVER_ARENA,
    };
    let told = leveret_server {
        host: bytes(found.host.as_bytes()),
        port: found.port,
        udp_port: found.udp_port,
        weight: found.weight,
        kind: kind as u32,
        is_down: u32::from(found.is_down),
    };
    // SAFETY: by contract.
    unsafe { server.write(told) };
    leveret_code::LEVERET_CODE_SUCCESS as i32
}

/// Gives one server settings of its own: milliseconds to connect and to answer (0 = the pool's), and seconds for which it is not
/// tried after a failure (negative = never again).
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_tune_server(pool: *mut leveret_pool, index: u32, timeout_ms: u32, retry_timeout_s: i64) {
    let timeout = (timeout_ms > 0).then(|| millis(i64::from(timeout_ms)));
    let retry_timeout = Some(millis(retry_timeout_s.saturating_mul(1000)));
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.tune(index as usize, Tuning { timeout, retry_timeout });
}

/// Says that a server is good, or with `is_up` 0 that it failed: it is tried again after so many seconds, negative = never.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_mark_server(pool: *mut leveret_pool, index: u32, is_up: u32, rest_s: i64) {
    let rest = (is_up == 0).then(|| millis(rest_s.saturating_mul(1000)));
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.mark(index as usize, rest);
}

/// Connects to one server now, if it is not connected: SUCCESS, or why it failed (leveret_pool_failure says more). Ends the batch.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_connect(pool: *mut leveret_pool, index: u32) -> i32 {
    // SAFETY: by contract.
    let pool = unsafe { &mut (*pool).pool };
    let code = if (index as usize) < pool.len() { pool.connect(index as usize) } else { leveret_client::pool::Code::InvalidArguments };
    code as i32
}

/// 1: *failure is the server that failed as the `number`th since the batch began, counted from 0. 0: so many did not fail. Requests
/// that another server took over show no failure in their answers.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_failure(pool: *const leveret_pool, number: u32, failure: *mut leveret_failure) -> i32 {
    // SAFETY: by contract.
    let Some(found) = unsafe { &(*pool).pool }.failures().get(number as usize) else { return 0 };
    // SAFETY: by contract.
    unsafe { failure.write(leveret_failure { server: found.server as u32, code: found.code as i32, system_error: found.errno }) };
    1
}

/// Index of the server on which a key lives, dead or not; -1 = there is no server.
///
/// # Safety
/// `pool` is live; `key` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_locate(pool: *mut leveret_pool, key: leveret_bytes) -> i64 {
    // SAFETY: by contract.
    let (pool, key) = unsafe { (&mut (*pool).pool, key.as_slice()) };
    pool.locate(key).map_or(-1, |server| server as i64)
}

/// Index of the server that a get of this key would go to now, which may have taken a dead one's place; -1 = there is no server.
///
/// # Safety
/// `pool` is live; `key` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_route(pool: *mut leveret_pool, key: leveret_bytes) -> i64 {
    // SAFETY: by contract.
    let (pool, key) = unsafe { (&mut (*pool).pool, key.as_slice()) };
    pool.route_now(key).map_or(-1, |server| server as i64)
}

/// The arena behind the pool, if the pool is that one server, or if its only server is this host's `leveret serve`
/// (LEVERET_POOL_SHORT_CUT): then items may be read and written without the pool. Else NULL, also if it cannot be opened; requests
/// then say why. Cheap. Valid until the next call of this function, or until the server list changes. Not to be closed.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_arena(pool: *mut leveret_pool) -> *mut leveret_arena {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    let current = pool.pool.arena();
    // Handles of one arena share its path, so one look tells whether it is still the same.
    let is_same = match (&pool.arena, current) {
        (Some(given), Some(current)) => std::ptr::eq(given.0.path(), current.path()),
        (None, None) => true,
        _ => false,
    };
    if !is_same {
        pool.arena = current.map(|arena| leveret_arena(arena.clone()));
    }
    pool.arena.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut)
}

/// The longest value that may be stored without the pool in what leveret_pool_arena has just given: what is longer, the server whose
/// arena it is refuses.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_value_max(pool: *const leveret_pool) -> usize {
    // SAFETY: by contract.
    unsafe { &(*pool).pool }.value_max()
}

/// Begins a batch. What earlier answers point at is gone, and what was not fetched is not waited for.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_begin(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.begin();
}

/// Adds a request; everything it points at is copied. SUCCESS, or why it is not in the batch: BAD_KEY_PROVIDED, NO_SERVERS,
/// NOT_SUPPORTED, INVALID_ARGUMENTS.
///
/// # Safety
/// Pointers are live, and what they point at can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_add(pool: *mut leveret_pool, request: *const leveret_request) -> i32 {
    // SAFETY: by contract.
    let (pool, request) = unsafe { (&mut (*pool).pool, &*request) };
    // SAFETY: by contract.
    let (key, group, value) = unsafe { (request.key.as_slice(), request.group.as_slice(), request.value.as_slice()) };
    let request = Request {
        operation: operation(request.operation),
        key,
        group: (!request.group.data.is_null()).then_some(group),
        value,
        meta: request.meta,
        exptime: request.exptime,
        number: request.number,
        initial: (request.create != 0).then_some(request.initial),
        with_cas: request.with_cas != 0,
        quiet: request.quiet != 0,
        server: usize::try_from(request.server).ok(),
    };
    match pool.add(&request) {
        Ok(()) => leveret_code::LEVERET_CODE_SUCCESS as i32,
        Err(code) => code as i32,
    }
}

/// Sends the batch to all its servers and gathers all answers, within the time-outs: SUCCESS, SOME_ERRORS, BUFFERED, NO_SERVERS.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_run(pool: *mut leveret_pool) -> i32 {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.run() as i32
}

/// Sends the batch and does not wait: leveret_pool_next does.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_start(pool: *mut leveret_pool) -> i32 {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.start().map_or(0, |code| code as i32)
}

/// 1: *answer is the next one, in order of arrival; what it points at lives until the next batch begins, or after
/// leveret_pool_start until the next call. 0: there are no more. Misses of gets are not answered, except the only request of a
/// batch.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_next(pool: *mut leveret_pool, answer: *mut leveret_answer) -> i32 {
    // SAFETY: by contract.
    let Some(next) = unsafe { &mut (*pool).pool }.next_answer() else { return 0 };
    let Answer { request, code, server, key, value, meta, cas, number } = next;
    let told = leveret_answer {
        request: request as u32,
        code: code as i32,
        server: server as u32,
        key: bytes(key),
        value: bytes(value),
        meta,
        cas,
        number,
    };
    // SAFETY: by contract.
    unsafe { answer.write(told) };
    1
}

/// Sends writes that wait in buffers: SUCCESS or SOME_ERRORS.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_flush_buffers(pool: *mut leveret_pool) -> i32 {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.flush_buffers() as i32
}

/// Closes all connections; they are made again when they are needed.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_quit(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.quit();
}

fn bytes(slice: &[u8]) -> leveret_bytes {
    leveret_bytes { data: slice.as_ptr(), len: slice.len() }
}

fn operation(operation: leveret_operation) -> Operation {
    use leveret_operation::*;
    match operation {
        LEVERET_OP_GET => Operation::Get,
        LEVERET_OP_SET => Operation::Set,
        LEVERET_OP_ADD => Operation::Add,
        LEVERET_OP_REPLACE => Operation::Replace,
        LEVERET_OP_APPEND => Operation::Append,
        LEVERET_OP_PREPEND => Operation::Prepend,
        LEVERET_OP_CAS => Operation::Cas,
        LEVERET_OP_DELETE => Operation::Delete,
        LEVERET_OP_INCREMENT => Operation::Increment,
        LEVERET_OP_DECREMENT => Operation::Decrement,
        LEVERET_OP_TOUCH => Operation::Touch,
        LEVERET_OP_GET_AND_TOUCH => Operation::GetAndTouch,
        LEVERET_OP_FLUSH => Operation::Flush,
        LEVERET_OP_VERSION => Operation::Version,
        LEVERET_OP_STATS => Operation::Stats,
        LEVERET_OP_KEYS => Operation::Keys,
    }
}

impl leveret_pool {
    fn set(&mut self, option: leveret_pool_option, value: i64) -> Option<()> {
        use leveret_pool_option::*;
        let mut options = self.pool.options().clone();
        let is_on = value != 0;
        let count = u32::try_from(value).ok();
        match option {
            LEVERET_POOL_PROTOCOL => {
                options.protocol = match value {
                    0 => Protocol::Text,
                    1 => Protocol::Binary,
                    2 => Protocol::Meta,
                    _ => return None,
                }
            }
            LEVERET_POOL_RING => {
                let ring = ring(value)?;
                options.preset = preset(ring, self.hash, &self.buckets)?;
                self.ring = ring;
            }
            LEVERET_POOL_HASH => {
                let hash = count?;
                options.preset = preset(self.ring, hash, &self.buckets)?;
                self.hash = hash;
            }
            LEVERET_POOL_CONNECT_TIMEOUT_MS => options.connect_timeout = millis(value),
            LEVERET_POOL_POLL_TIMEOUT_MS => self.limits.poll = millis(value),
            LEVERET_POOL_SEND_TIMEOUT_US => self.limits.send = Duration::from_micros(u64::try_from(value).ok()?),
            LEVERET_POOL_RECV_TIMEOUT_US => self.limits.recv = Duration::from_micros(u64::try_from(value).ok()?),
            LEVERET_POOL_RETRY_TIMEOUT_S => options.retry_timeout = Duration::from_secs(u64::from(count?)),
            LEVERET_POOL_DEAD_TIMEOUT_S => options.dead_timeout = Duration::from_secs(u64::from(count?)),
            LEVERET_POOL_FAILURE_LIMIT => options.failure_limit = count?,
            LEVERET_POOL_TIMEOUT_LIMIT => options.timeout_limit = count?,
            LEVERET_POOL_AUTO_EJECT => self.ejects[0] = is_on,
            LEVERET_POOL_REMOVE_FAILED => self.ejects[1] = is_on,
            LEVERET_POOL_HASH_WITH_PREFIX => options.hash_with_prefix = is_on,
            LEVERET_POOL_KETAMA_HASH | LEVERET_POOL_NO_BLOCK | LEVERET_POOL_NODELAY => {}
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
        }
        options.auto_eject = self.ejects.contains(&true);
        let bounds = [self.limits.send, self.limits.recv].into_iter().filter(|bound| !bound.is_zero());
        options.io_timeout = bounds.fold(self.limits.poll, Duration::min);
        self.pool.set_options(options);
        Some(())
    }
}

/// Negative = as good as for ever.
fn millis(value: i64) -> Duration {
    const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);
    u64::try_from(value).map_or(FOR_EVER, |millis| Duration::from_millis(millis).min(FOR_EVER))
}

fn ring(value: i64) -> Option<leveret_ring> {
    use leveret_ring::*;
    let all = [
        LEVERET_RING_MODULA,
        LEVERET_RING_CONSISTENT,
        LEVERET_RING_KETAMA,
        LEVERET_RING_PECL_CONSISTENT,
        LEVERET_RING_PECL_STANDARD,
        LEVERET_RING_DALLI,
        LEVERET_RING_VIRTUAL_BUCKET,
    ];
    all.get(usize::try_from(value).ok()?).copied()
}

fn preset(ring: leveret_ring, hash: u32, buckets: &Arc<[u32]>) -> Option<Preset> {
    use leveret_ring::*;
    let libmemcached = |distribution| KeyHash::from_number(hash).map(|hash| Preset::Libmemcached { distribution, hash });
    let pecl = |strategy| {
        let hash = if hash == 1 { PeclHash::Fnv } else { PeclHash::Crc32 };
        Some(Preset::PeclMemcache { strategy, hash })
    };
    match ring {
        LEVERET_RING_MODULA => libmemcached(Distribution::Modula),
        LEVERET_RING_CONSISTENT => libmemcached(Distribution::Consistent),
        LEVERET_RING_KETAMA => libmemcached(Distribution::Ketama),
        LEVERET_RING_PECL_CONSISTENT => pecl(Strategy::Consistent),
        LEVERET_RING_PECL_STANDARD => pecl(Strategy::Standard),
        LEVERET_RING_DALLI => Some(Preset::Dalli),
        LEVERET_RING_VIRTUAL_BUCKET => libmemcached(Distribution::VirtualBucket(Arc::clone(buckets))),
    }
}

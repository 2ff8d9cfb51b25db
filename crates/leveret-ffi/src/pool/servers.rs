//! The servers of a pool.
use super::{bytes, leveret_code, leveret_pool, millis};
use crate::leveret_bytes;
use leveret_client::pool::{Credentials, ServerKind, Tuning};
use std::ffi::{c_char, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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
    /// As it was added, also of a Unix socket, which has none.
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

/// Adds a server: a name, an address, the path of a Unix socket, or an arena: "arena:NAME", or a path that ends in
/// .arena, with or without "unix://". Sockets and arenas have no port, but to libmemcached's rings 0 (of a socket in a
/// list) and 11211 (of one that was added by itself) are different servers. `dir` is the folder of named arenas, as in
/// leveret_open_options. Names are resolved, and arenas opened, when they are first needed.
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

/// 1: the last arena that this process named as a server and could not open; `message`, NUL-terminated and cut to
/// `message_len`, says why and how to fix it, as result codes cannot. 0: none, or it was reported before.
///
/// # Safety
/// `message` has room for `message_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_arena_trouble(message: *mut c_char, message_len: usize) -> u32 {
    let trouble = leveret_client::pool::arena_trouble();
    if let Some(trouble) = &trouble {
        // SAFETY: by contract.
        unsafe { crate::arena::write_text(trouble.as_bytes(), message, message_len) };
    }
    u32::from(trouble.is_some())
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
pub unsafe extern "C" fn leveret_pool_server(
    pool: *const leveret_pool,
    index: u32,
    server: *mut leveret_server,
) -> i32 {
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

/// Gives one server settings of its own: milliseconds to connect and to answer (0 = the pool's), and seconds for which
/// it is not tried after a failure (negative = never again).
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_tune_server(
    pool: *mut leveret_pool,
    index: u32,
    timeout_ms: u32,
    retry_timeout_s: i64,
) {
    let timeout = (timeout_ms > 0).then(|| millis(i64::from(timeout_ms)));
    let retry_timeout = Some(millis(retry_timeout_s.saturating_mul(1000)));
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.tune(index as usize, Tuning { timeout, retry_timeout });
}

/// Marks a server as good, or with `is_up` 0 as failed: it is tried again after this many seconds, negative = never.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_mark_server(pool: *mut leveret_pool, index: u32, is_up: u32, rest_s: i64) {
    let rest = (is_up == 0).then(|| millis(rest_s.saturating_mul(1000)));
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    pool.pool.mark(index as usize, rest);
    pool.validity = None;
}

/// Sets the credentials (SASL PLAIN) of one server, or of all present and future ones (`index` -1); user.data NULL =
/// none. Each new connection begins with the sign-in, in the binary protocol, whatever the pool speaks. `lenient` 1: a
/// server without passwords is used without one; otherwise its requests end with AUTH_PROBLEM. A changed user or
/// password closes connections and ends the batch. INVALID_ARGUMENTS: there is no such server, or user or password has
/// a zero byte or more than 4096 bytes.
///
/// # Safety
/// `pool` is live; `user` and `password` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_set_credentials(
    pool: *mut leveret_pool,
    index: i32,
    user: leveret_bytes,
    password: leveret_bytes,
    lenient: u32,
) -> i32 {
    // SAFETY: by contract.
    let (pool, name, password) = unsafe { (&mut *pool, user.as_slice(), password.as_slice()) };
    let credentials = match Credentials::new(name, password, lenient != 0) {
        _ if user.data.is_null() => None,
        Some(credentials) => Some(credentials),
        None => return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32,
    };
    let server = usize::try_from(index).ok();
    if server.is_some_and(|server| server >= pool.pool.len()) {
        return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32;
    }
    pool.pool.set_credentials(server, credentials);
    (pool.arena, pool.validity) = (None, None);
    leveret_code::LEVERET_CODE_SUCCESS as i32
}

/// Connects to one server now, if it is not connected: SUCCESS, or why it failed (leveret_pool_failure says more). Ends
/// the batch.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_connect(pool: *mut leveret_pool, index: u32) -> i32 {
    // SAFETY: by contract.
    let pool = unsafe { &mut (*pool).pool };
    let code = if (index as usize) < pool.len() {
        pool.connect(index as usize)
    } else {
        leveret_client::pool::Code::InvalidArguments
    };
    code as i32
}

/// 1: *failure is the server that failed as the `number`th since the batch began, counted from 0. 0: fewer failed.
/// Requests that another server took over show no failure in their answers.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_failure(
    pool: *const leveret_pool,
    number: u32,
    failure: *mut leveret_failure,
) -> i32 {
    // SAFETY: by contract.
    let Some(found) = unsafe { &(*pool).pool }.failures().get(number as usize) else { return 0 };
    // SAFETY: by contract.
    unsafe {
        failure.write(leveret_failure {
            server: found.server as u32,
            code: found.code as i32,
            system_error: found.errno,
        })
    };
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

/// Index of the server that a get of this key would go to now, which may have taken a dead one's place; -1 = there is
/// no server.
///
/// # Safety
/// `pool` is live; `key` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_route(pool: *mut leveret_pool, key: leveret_bytes) -> i64 {
    // SAFETY: by contract.
    let (pool, key) = unsafe { (&mut (*pool).pool, key.as_slice()) };
    pool.route_now(key).map_or(-1, |server| server as i64)
}

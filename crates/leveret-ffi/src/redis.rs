//! The link to a Redis server, for a class of the host language: requests are queued and flushed, replies are read
//! token by token, and the host makes its values in between.
//!
//! One handle is used by one thread at a time. Returned memory is valid until the next call with the handle.
use crate::types::slice;
use crate::{leveret_arena, leveret_bytes};
use leveret_client::pool::TlsOptions;
use leveret_client::redis::{
    ArenaValidity, BackoffRule, RedisBackoff, RedisCode, RedisCredentials, RedisFailure, RedisLink, RedisServer,
    RedisState, RedisTuning,
};
use leveret_redis_code::*;
use std::ffi::{c_void, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::null;
use std::time::Duration;

/// A link to one Redis server; opaque.
pub struct leveret_redis {
    /// What leveret_redis_arena gives until `validity` is over, or the link has been used otherwise.
    pub(crate) arena: Option<leveret_arena>,
    pub(crate) validity: Option<ArenaValidity>,
    pub(crate) link: RedisLink,
    /// Why the last call was not OK.
    error: Vec<u8>,
}

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum leveret_redis_code {
    /// Done.
    LEVERET_REDIS_OK = 0,
    /// No server was named.
    LEVERET_REDIS_NO_SERVER,
    /// The server cannot be reached.
    LEVERET_REDIS_CONNECT,
    /// It refuses this user and password.
    LEVERET_REDIS_AUTH,
    /// It has no such database.
    LEVERET_REDIS_SELECT,
    /// The connection has ended.
    LEVERET_REDIS_LOST,
    /// A reply did not come in time, or not whole.
    LEVERET_REDIS_READ,
    /// What came is no reply.
    LEVERET_REDIS_PROTOCOL,
    /// A request, or a name, is longer than may be sent.
    LEVERET_REDIS_TOO_LARGE,
    /// These replies are over, or belong to another request by now.
    LEVERET_REDIS_TURN,
}

/// How long is waited before a lost connection is made again; the numbers of phpredis' constants.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_redis_backoff {
    /// A random part of the base at first, then the base.
    LEVERET_REDIS_BACKOFF_DEFAULT = 0,
    /// A random time between the base and three times the last wait.
    LEVERET_REDIS_BACKOFF_DECORRELATED_JITTER,
    /// A random part of what doubles each time.
    LEVERET_REDIS_BACKOFF_FULL_JITTER,
    /// Half of what doubles each time, and a random part of the other half.
    LEVERET_REDIS_BACKOFF_EQUAL_JITTER,
    /// What doubles each time.
    LEVERET_REDIS_BACKOFF_EXPONENTIAL,
    /// A random part of the base.
    LEVERET_REDIS_BACKOFF_UNIFORM,
    /// The base.
    LEVERET_REDIS_BACKOFF_CONSTANT,
}

/// Kind of a token.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum leveret_redis_kind {
    /// A status: text.
    LEVERET_REDIS_STATUS = 0,
    /// An error: text.
    LEVERET_REDIS_ERROR,
    /// number.
    LEVERET_REDIS_INT,
    /// A string of text.len bytes. text.data NULL: leveret_redis_copy hands it out.
    LEVERET_REDIS_BULK,
    /// Nothing.
    LEVERET_REDIS_NIL,
    /// No array.
    LEVERET_REDIS_NIL_ARRAY,
    /// number replies follow. It comes from the server: make room as they come.
    LEVERET_REDIS_ARRAY,
    /// The same, keys and values.
    LEVERET_REDIS_MAP,
    /// The same, of a set.
    LEVERET_REDIS_SET,
    /// The same, of a message; only where leveret_redis_expect was called.
    LEVERET_REDIS_PUSH,
    /// A float: text.
    LEVERET_REDIS_DOUBLE,
    /// number is 0 or 1.
    LEVERET_REDIS_BOOL,
    /// Digits: text.
    LEVERET_REDIS_BIG_NUMBER,
    /// As LEVERET_REDIS_BULK, without its format.
    LEVERET_REDIS_VERBATIM,
}

/// Where a server is. All bytes are copied.
#[repr(C)]
pub struct leveret_redis_server {
    /// A name, an address or a path, with tcp://, tls://, ssl:// or unix:// before it or without; empty = none yet.
    pub host: leveret_bytes,
    /// Of TCP.
    pub port: u32,
    /// 1: the connection is kept for the next links of this process.
    pub is_persistent: u32,
    /// Keeps connections of one purpose from others.
    pub persistent_id: leveret_bytes,
    /// For AUTH. data NULL = the default user.
    pub user: leveret_bytes,
    /// For AUTH. data NULL = there is no AUTH.
    pub password: leveret_bytes,
    /// Selected before the first request.
    pub database: u32,
    /// 1: if it is this host's `leveret serve --redis`, its arenas are used in its place.
    pub short_cut: u32,
    /// Connections that are kept for one place; 0 = any number.
    pub pool_limit: u32,
    /// Folder of named arenas, as in leveret_open_options.
    pub dir: leveret_bytes,
    /// tls://: the server must prove that it is the one named.
    pub tls_verify: u32,
    /// tls://: the name in the certificate, where it is another; data NULL = not said, as in all that follow.
    pub tls_peer_name: leveret_bytes,
    /// File of authorities.
    pub tls_ca_file: leveret_bytes,
    /// File of our own certificate.
    pub tls_certificate: leveret_bytes,
    /// File of its key.
    pub tls_key: leveret_bytes,
}

/// How patient a link is.
#[repr(C)]
pub struct leveret_redis_tuning {
    /// Microseconds to connect; 0 or less = for ever.
    pub connect_timeout_us: i64,
    /// Microseconds for each piece of a reply; 0 or less = for ever.
    pub read_timeout_us: i64,
    /// The base of LEVERET_REDIS_BACKOFF_DEFAULT where backoff_base_ms is 0.
    pub retry_interval_ms: u32,
    /// Most reconnects after a lost connection.
    pub max_retries: u32,
    /// A leveret_redis_backoff; any other number counts as the default.
    pub backoff: u32,
    /// What waits are made of.
    pub backoff_base_ms: u32,
    /// No wait is longer; 0 = the base.
    pub backoff_cap_ms: u32,
    /// 1: the kernel looks whether an idle server still lives.
    pub keepalive: u32,
}

/// A token of a reply.
#[repr(C)]
pub struct leveret_redis_token {
    /// A leveret_redis_kind.
    pub kind: u32,
    /// Collections in which it is; 0: it begins a reply. At most 32.
    pub depth: u32,
    /// As the kind says.
    pub number: i64,
    /// As the kind says.
    pub text: leveret_bytes,
}

/// State of a link.
#[repr(C)]
pub struct leveret_redis_state {
    /// There is a socket, or the server's arena is used without one.
    pub is_connected: u32,
    /// The database that is selected, or will be once there is a connection.
    pub database: u32,
    /// The server has agreed to MULTI.
    pub in_multi: u32,
    /// Keys are watched.
    pub is_watching: u32,
    /// What the connection is, is not known.
    pub is_opaque: u32,
    /// 0.
    pub unused: u32,
    /// Requests that were not flushed.
    pub queued: u64,
    /// Replies that were not read to their end.
    pub owed: u64,
    /// Bytes sent over sockets.
    pub sent: u64,
    /// Bytes received over sockets.
    pub received: u64,
}

impl leveret_redis {
    /// The link, of which anything may be changed.
    pub(crate) fn link(&mut self) -> &mut RedisLink {
        self.validity = None;
        &mut self.link
    }

    fn answer<T>(&mut self, result: Result<T, RedisFailure>) -> leveret_redis_code {
        match result {
            Ok(_) => LEVERET_REDIS_OK,
            Err(failure) => self.refuse(failure),
        }
    }

    #[cold]
    fn refuse(&mut self, failure: RedisFailure) -> leveret_redis_code {
        self.error = failure.text;
        match failure.code {
            RedisCode::NoServer => LEVERET_REDIS_NO_SERVER,
            RedisCode::Connect => LEVERET_REDIS_CONNECT,
            RedisCode::Auth => LEVERET_REDIS_AUTH,
            RedisCode::Select => LEVERET_REDIS_SELECT,
            RedisCode::Lost => LEVERET_REDIS_LOST,
            RedisCode::Read => LEVERET_REDIS_READ,
            RedisCode::Protocol => LEVERET_REDIS_PROTOCOL,
            RedisCode::TooLarge => LEVERET_REDIS_TOO_LARGE,
            RedisCode::Turn => LEVERET_REDIS_TURN,
        }
    }
}

/// A link without a server.
#[no_mangle]
pub extern "C" fn leveret_redis_new() -> *mut leveret_redis {
    let (link, error) = (RedisLink::default(), Vec::new());
    Box::into_raw(Box::new(leveret_redis { arena: None, validity: None, link, error }))
}

/// Ends a link: drops queued requests, and waits for nothing. NULL is allowed.
///
/// # Safety
/// `redis` came from leveret_redis_new and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_free(redis: *mut leveret_redis) {
    if !redis.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(redis) });
    }
}

/// Sets the server. Closes an open connection, and does not connect yet. OK, or TOO_LARGE: the host is invalid.
///
/// # Safety
/// Pointers are live, and the bytes that they point at can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_set_server(
    redis: *mut leveret_redis,
    server: *const leveret_redis_server,
) -> leveret_redis_code {
    // SAFETY: by contract.
    let (redis, server) = unsafe { (&mut *redis, &*server) };
    let given = |bytes: leveret_bytes| {
        // SAFETY: by contract.
        (!bytes.data.is_null()).then(|| unsafe { bytes.as_slice() })
    };
    let text = |bytes: leveret_bytes| given(bytes).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let path = |bytes: leveret_bytes| given(bytes).map(|bytes| PathBuf::from(OsStr::from_bytes(bytes)));
    let host = text(server.host).unwrap_or_default();
    let (Ok(port), false) = (u16::try_from(server.port), host.contains('\0')) else {
        return redis.refuse(RedisFailure { code: RedisCode::TooLarge, text: b"Invalid host or port".to_vec() });
    };
    let host = match host.strip_prefix("ssl://") {
        Some(host) => format!("tls://{host}"),
        None => host,
    };
    let tls = TlsOptions {
        ca_file: path(server.tls_ca_file),
        peer_name: text(server.tls_peer_name),
        certificate: path(server.tls_certificate),
        key: path(server.tls_key),
        verify: server.tls_verify != 0,
    };
    let named = RedisServer {
        host,
        port,
        is_persistent: server.is_persistent != 0,
        persistent_id: given(server.persistent_id).unwrap_or_default().to_vec(),
        tls,
        kept_max: server.pool_limit as usize,
        has_short_cut: server.short_cut != 0,
        dir: path(server.dir).filter(|dir| !dir.as_os_str().is_empty()),
    };
    let user = given(server.user).map(<[u8]>::to_vec);
    let password = given(server.password).map(<[u8]>::to_vec);
    let credentials = password.map(|password| RedisCredentials { user, password });
    redis.link().set_server(named, credentials, server.database);
    LEVERET_REDIS_OK
}

/// Says how patient the link is, from now on.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_set_tuning(redis: *mut leveret_redis, tuning: *const leveret_redis_tuning) {
    // SAFETY: by contract.
    let (redis, tuning) = unsafe { (&mut *redis, &*tuning) };
    let time =
        |us: i64| u64::try_from(us).ok().filter(|us| *us > 0).map(Duration::from_micros).map(|time| time.min(DAYS));
    let rule = match tuning.backoff {
        1 => BackoffRule::DecorrelatedJitter,
        2 => BackoffRule::FullJitter,
        3 => BackoffRule::EqualJitter,
        4 => BackoffRule::Exponential,
        5 => BackoffRule::Uniform,
        6 => BackoffRule::Constant,
        _ => BackoffRule::Default,
    };
    let base = match (tuning.backoff_base_ms, rule) {
        (0, BackoffRule::Default) => tuning.retry_interval_ms,
        (base, _) => base,
    };
    let millis = |ms: u32| Duration::from_millis(u64::from(ms));
    redis.link.set_tuning(RedisTuning {
        connect_timeout: time(tuning.connect_timeout_us),
        read_timeout: time(tuning.read_timeout_us),
        retries_max: tuning.max_retries,
        backoff: RedisBackoff { rule, base: millis(base), cap: millis(tuning.backoff_cap_ms) },
        keep_alive: tuning.keepalive != 0,
    });
}

const DAYS: Duration = Duration::from_secs(10_000 * 86_400);

/// Connects now, if that is not so. OK also where the server's arena is used: then a connection is made when it is needed.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_connect(redis: *mut leveret_redis) -> leveret_redis_code {
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    let connected = redis.link().connect();
    redis.answer(connected)
}

/// Drops queued requests and ends the connection, or keeps it for the next link. The next request connects again.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_close(redis: *mut leveret_redis) {
    // SAFETY: by contract.
    unsafe { &mut *redis }.link().close();
}

/// Queues a command of `count` words, its name first; nothing is sent. `raw` 1: an application has written it as it is. Replies
/// of an earlier flush that were not read end their connection; in a transaction that is LOST.
///
/// # Safety
/// `redis` is live; `words` points at `count` of them, which can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_request(
    redis: *mut leveret_redis,
    words: *const leveret_bytes,
    count: usize,
    raw: u32,
) -> leveret_redis_code {
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    // SAFETY: by contract.
    let words = unsafe { slice(words, count) };
    // SAFETY: by contract.
    let word = |index: usize| words.get(index).map_or(&[][..], |word| unsafe { word.as_slice() });
    let queued = redis.link().request(&word, count, raw != 0);
    redis.answer(queued)
}

/// Drops queued requests.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_drop(redis: *mut leveret_redis) {
    // SAFETY: by contract.
    unsafe { &mut *redis }.link().drop_queue();
}

/// Queues AUTH; user.data NULL = the default one. Once the server has agreed, later connections begin with it. A kept
/// connection that is signed in so may take the place of this one.
///
/// # Safety
/// `redis` is live; `user` and `password` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_auth(
    redis: *mut leveret_redis,
    user: leveret_bytes,
    password: leveret_bytes,
) -> leveret_redis_code {
    // SAFETY: by contract.
    let (redis, name, password) = unsafe { (&mut *redis, user.as_slice(), password.as_slice()) };
    let user = (!user.data.is_null()).then(|| name.to_vec());
    let queued = redis.link().sign_in(RedisCredentials { user, password: password.to_vec() });
    redis.answer(queued)
}

/// Sends queued requests, over a new connection if there is none. *turn names the replies for leveret_redis_next.
/// Nothing is queued afterwards, whatever the result.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_flush(redis: *mut leveret_redis, turn: *mut u64) -> leveret_redis_code {
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    match redis.link().flush() {
        // SAFETY: by contract.
        Ok(number) => unsafe {
            turn.write(number);
            LEVERET_REDIS_OK
        },
        Err(failure) => redis.refuse(failure),
    }
}

/// Announces further replies beyond those to requests: messages.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_expect(redis: *mut leveret_redis, replies: u32) {
    // SAFETY: by contract.
    unsafe { &mut *redis }.link().expect(replies);
}

/// The next token of these replies; waits for it. A string that was not copied is skipped. Every result except OK and
/// TURN has ended the connection.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_next(
    redis: *mut leveret_redis,
    turn: u64,
    token: *mut leveret_redis_token,
) -> leveret_redis_code {
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    let failure = match redis.link.next(turn) {
        Ok(next) => {
            let text = leveret_bytes { data: next.text.map_or(null(), <[u8]>::as_ptr), len: next.len };
            let told = leveret_redis_token { kind: next.kind as u32, depth: next.depth, number: next.number, text };
            // SAFETY: by contract.
            unsafe { token.write(told) };
            return LEVERET_REDIS_OK;
        }
        Err(failure) => failure,
    };
    redis.refuse(failure)
}

/// Copies the string of the last token; waits for it. TURN: it is another one by now, or `len` is not its length.
///
/// # Safety
/// `redis` is live; `dst` has room for `len` bytes, and they are the caller's own.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_copy(
    redis: *mut leveret_redis,
    turn: u64,
    dst: *mut c_void,
    len: usize,
) -> leveret_redis_code {
    const PIECE: usize = 64 << 10;
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    if redis.link.string_len() != Some(len) {
        return redis.refuse(RedisFailure { code: RedisCode::Turn, text: b"Connection lost".to_vec() });
    }
    let mut done = 0;
    loop {
        let piece = PIECE.min(len - done);
        let room = match piece {
            0 => &mut [],
            // SAFETY: by contract, since `done + piece` is at most `len`. Zeroed first, because a reference to bytes that
            // were never written is not allowed.
            _ => unsafe {
                let begin = dst.cast::<u8>().add(done);
                std::ptr::write_bytes(begin, 0, piece);
                std::slice::from_raw_parts_mut(begin, piece)
            },
        };
        if let Err(failure) = redis.link.copy(turn, room) {
            return redis.refuse(failure);
        }
        done += piece;
        if done == len {
            return LEVERET_REDIS_OK;
        }
    }
}

/// 1: the reply whose tokens are read is not whole yet.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_is_within(redis: *const leveret_redis) -> u32 {
    // SAFETY: by contract.
    u32::from(unsafe { &(*redis).link }.state().is_within)
}

/// Why the last call that was not OK was not.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_error(redis: *const leveret_redis) -> leveret_bytes {
    // SAFETY: by contract.
    let error = unsafe { &(*redis).error };
    leveret_bytes { data: error.as_ptr(), len: error.len() }
}

/// State of the link.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_get_state(redis: *const leveret_redis, state: *mut leveret_redis_state) {
    // SAFETY: by contract.
    let known: RedisState = unsafe { &(*redis).link }.state();
    let told = leveret_redis_state {
        is_connected: u32::from(known.is_connected),
        database: known.database,
        in_multi: u32::from(known.in_multi),
        is_watching: u32::from(known.is_watching),
        is_opaque: u32::from(known.is_opaque),
        unused: 0,
        queued: known.queued,
        owed: known.owed,
        sent: known.sent,
        received: known.received,
    };
    // SAFETY: by contract.
    unsafe { state.write(told) };
}

/// Counts sent and received bytes from 0 again.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_clear_transferred(redis: *mut leveret_redis) {
    // SAFETY: by contract.
    unsafe { &mut (*redis).link }.clear_transferred();
}

/// 1: the other end is there. Nothing is sent.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_is_alive(redis: *mut leveret_redis) -> u32 {
    // SAFETY: by contract.
    u32::from(unsafe { &mut (*redis).link }.is_alive())
}

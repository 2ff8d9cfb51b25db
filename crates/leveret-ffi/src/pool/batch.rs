//! One batch of requests, and its answers.
use super::{bytes, leveret_code, leveret_pool};
use crate::leveret_bytes;
use leveret_client::pool::{Answer, Operation, Request};
use leveret_engine::Meta;
use std::ffi::c_void;

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
    /// Append to the existing value.
    LEVERET_OP_APPEND,
    /// Prepend to the existing value.
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
    /// What to do: a leveret_operation.
    pub operation: u32,
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
    /// The version for cas, and for a delete that is to have one (not in the text protocol, which does not look at it);
    /// the difference for counters.
    pub number: u64,
    /// Initial value of a missing counter.
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

/// Begins a batch. Memory of earlier answers is released, and unread answers are not waited for.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_begin(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    pool.pool.begin();
    // The batch may find another arena; requests without a batch must then not go to the old one.
    pool.validity = None;
}

/// Adds a request; everything it points at is copied. SUCCESS, or why it is not in the batch: BAD_KEY_PROVIDED,
/// NO_SERVERS, NOT_SUPPORTED, INVALID_ARGUMENTS.
///
/// # Safety
/// Pointers are live, and the bytes that they point at can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_add(pool: *mut leveret_pool, request: *const leveret_request) -> i32 {
    // SAFETY: by contract.
    let (pool, request) = unsafe { (&mut (*pool).pool, &*request) };
    // SAFETY: by contract.
    let (key, group, value) = unsafe { (request.key.as_slice(), request.group.as_slice(), request.value.as_slice()) };
    let Some(operation) = leveret_operation::of_number(request.operation).map(operation) else {
        return leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32;
    };
    let request = Request {
        operation,
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

/// Sends the batch to all its servers and gathers all answers, within the time-outs: SUCCESS, SOME_ERRORS, BUFFERED,
/// NO_SERVERS.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_run(pool: *mut leveret_pool) -> i32 {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.run() as i32
}

/// As leveret_pool_run, for a host language that must be able to stop a wait: calls `is_interrupted` at each turn of
/// it, and so after each signal; not 0 ends the wait. -1: it was ended; the next call of this function continues, and
/// the next batch drops it. `is_interrupted` must not use the pool.
///
/// # Safety
/// `pool` is live; `is_interrupted` may be called with `context`, in this thread.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_run_until_interrupted(
    pool: *mut leveret_pool,
    is_interrupted: extern "C" fn(context: *mut c_void) -> u32,
    context: *mut c_void,
) -> i32 {
    // SAFETY: by contract.
    let pool = unsafe { &mut (*pool).pool };
    pool.set_interrupt(Some(Box::new(move || is_interrupted(context) != 0)));
    let code = pool.run_until_interrupted();
    pool.set_interrupt(None);
    code.map_or(-1, |code| code as i32)
}

/// Sends the batch and waits for nothing but connections: leveret_pool_next waits for the answers. SOME_ERRORS: no
/// server could be reached.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_start(pool: *mut leveret_pool) -> i32 {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.start().map_or(0, |code| code as i32)
}

/// 1: *answer is the next one, in order of arrival; its memory is valid until the next batch begins, or after
/// leveret_pool_start until the next call. 0: there are no more. Misses of gets are not answered, except for the only
/// request of a batch.
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

/// Closes all connections, once the servers have the writes that wait for them; they are made again when they are
/// needed. Servers that failed are tried again at once, except those that were ejected for good.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_quit(pool: *mut leveret_pool) {
    // SAFETY: by contract.
    unsafe { &mut (*pool).pool }.quit();
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

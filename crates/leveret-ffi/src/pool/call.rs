//! Without a batch: the arena behind a pool that is one arena, and one request and its answer.
use super::{
    leveret_answer, leveret_code, leveret_operation, leveret_pool, leveret_pool_add, leveret_pool_begin,
    leveret_pool_next, leveret_pool_run, leveret_request,
};
use crate::types::moment;
use crate::{leveret_arena, leveret_bytes};
use leveret_client::pool::{code_of, TextKey};
use leveret_code::*;
use leveret_engine::{Arena, Deadline, Encoding, Meta, Mode, Stored, Terms, Time, Value};
use std::ptr::null;

/// The arena behind the pool, if the pool is that one server, or if its only server is this host's `leveret serve`
/// (LEVERET_POOL_SHORT_CUT): then items may be read and written without the pool. Else NULL, also if it cannot be
/// opened; requests then say why. Cheap. Valid until the next call of this function, or until the server list changes.
/// Not to be closed. Each new second of `now` begins with a look whether the arena's file was removed: a caller may
/// read its clock less often than it asks. 0 = the present.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_arena(pool: *mut leveret_pool, now: u32) -> *mut leveret_arena {
    // SAFETY: by contract.
    let pool = unsafe { &mut *pool };
    if now == 0 || !pool.is_looked_up(Time(now)) {
        look(pool, moment(now));
    }
    pool.arena.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut)
}

/// The longest value that may be stored directly into the arena that leveret_pool_arena has just returned: its server
/// refuses longer ones.
///
/// # Safety
/// `pool` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_value_max(pool: *const leveret_pool) -> usize {
    // SAFETY: by contract.
    unsafe { &(*pool).pool }.value_max()
}

/// answer->request of a request that has no answer.
pub const LEVERET_UNANSWERED: u32 = u32::MAX;

/// One request and its answer, with the results of leveret_pool_begin, leveret_pool_add, leveret_pool_run and
/// leveret_pool_next. If the pool is one arena, as leveret_pool_arena returns it, a store is executed directly and
/// leaves the batch alone. Returns the code, which is also answer->code. A request without an answer is
/// LEVERET_UNANSWERED: a quiet one, or one that is refused before it is sent. Memory of *answer is valid until the next
/// batch begins.
///
/// # Safety
/// Pointers are live, and the bytes that they point at can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_call(
    pool: *mut leveret_pool,
    request: *const leveret_request,
    answer: *mut leveret_answer,
) -> i32 {
    // SAFETY: by contract.
    if let Some((code, cas)) = unsafe { store_in_memory(&mut *pool, &*request) } {
        // SAFETY: by contract.
        unsafe { answer.write(leveret_answer { code, cas, ..empty() }) };
        return code;
    }
    // SAFETY: by contract.
    unsafe { call_by_batch(pool, request, answer) }
}

/// # Safety
/// As leveret_pool_call.
#[inline(never)]
unsafe fn call_by_batch(pool: *mut leveret_pool, request: *const leveret_request, answer: *mut leveret_answer) -> i32 {
    // SAFETY: by contract.
    let code = unsafe {
        leveret_pool_begin(pool);
        match leveret_pool_add(pool, request) {
            added if added != LEVERET_CODE_SUCCESS as i32 => added,
            _ => {
                let ran = leveret_pool_run(pool);
                if leveret_pool_next(pool, answer) != 0 {
                    return (*answer).code;
                }
                ran
            }
        }
    };
    // SAFETY: by contract.
    unsafe { answer.write(leveret_answer { request: LEVERET_UNANSWERED, code, ..empty() }) };
    code
}

fn empty() -> leveret_answer {
    let nothing = leveret_bytes { data: null(), len: 0 };
    leveret_answer {
        request: 0,
        code: 0,
        server: 0,
        key: nothing,
        value: nothing,
        meta: Meta::default(),
        cas: 0,
        number: 0,
    }
}

/// The code and the new version's token. None: a batch is to do it, or to say why it cannot be done.
///
/// # Safety
/// What `request` points at can be read.
unsafe fn store_in_memory(pool: &mut leveret_pool, request: &leveret_request) -> Option<(i32, u64)> {
    const SET: u32 = leveret_operation::LEVERET_OP_SET as u32;
    const ADD: u32 = leveret_operation::LEVERET_OP_ADD as u32;
    const REPLACE: u32 = leveret_operation::LEVERET_OP_REPLACE as u32;
    const CAS: u32 = leveret_operation::LEVERET_OP_CAS as u32;
    let mode = match request.operation {
        SET => Mode::Set,
        ADD => Mode::Add,
        REPLACE => Mode::Replace,
        // No version is one that there is not, but in the binary protocol any.
        CAS if request.number != 0 => Mode::Cas(request.number),
        _ => return None,
    };
    // Others mean something else in each protocol.
    let exptime = u32::try_from(request.exptime).ok()?;
    // SAFETY: by contract.
    let (key, bytes) = unsafe { (request.key.as_slice(), request.value.as_slice()) };
    let now = Time::now();
    let (arena, len_max) = pool.memory(now)?;
    // A key of any protocol. Each has others of its own.
    if bytes.len() > len_max || TextKey::new(key).is_none() {
        return None;
    }
    // A number that is kept as one counts in place.
    let is_integer = request.meta.encoding == Encoding::INTEGER;
    let number = is_integer.then(|| std::str::from_utf8(bytes).ok()?.parse().ok()).flatten();
    let value = number.map_or(Value::Bytes(bytes), Value::Integer);
    let terms = Terms::new(mode).want_cas(request.with_cas != 0);
    let deadline = Deadline::of_exptime(i64::from(exptime), now);
    let code = match arena.store_if(key, value, request.meta, deadline, &terms, now) {
        Ok(Stored::Stored { cas }) => return Some((LEVERET_CODE_SUCCESS as i32, cas)),
        Ok(Stored::Exists) if request.operation == CAS => LEVERET_CODE_DATA_EXISTS,
        Ok(Stored::Missing) if request.operation == CAS => LEVERET_CODE_NOTFOUND,
        Ok(Stored::Exists | Stored::Missing) => LEVERET_CODE_NOTSTORED,
        // A batch opens the arena again, asks its server, or tells that it failed.
        Err(error) => return code_of(&error).ok().map(|code| (code as i32, 0)),
    };
    Some((code as i32, 0))
}

impl leveret_pool {
    /// Whether a look-up would find `arena`.
    #[inline]
    fn is_looked_up(&self, now: Time) -> bool {
        match (&self.arena, self.validity) {
            (Some(given), Some(validity)) => validity.holds(now) && !given.0.is_lost(),
            _ => false,
        }
    }

    /// The arena into which values of up to this length are stored without a batch.
    #[inline]
    fn memory(&mut self, now: Time) -> Option<(&Arena, usize)> {
        if !self.is_looked_up(now) {
            look(self, now);
        }
        Some((&self.arena.as_ref()?.0, self.stores?))
    }
}

// Apart, so that the way without it saves no registers.
#[inline(never)]
fn look(pool: &mut leveret_pool, now: Time) {
    let current = pool.pool.arena(now);
    // Handles of one arena share its path, so one look tells whether it is still the same.
    let is_same = match (&pool.arena, current) {
        (Some(given), Some(current)) => std::ptr::eq(given.0.path(), current.path()),
        (None, None) => true,
        _ => false,
    };
    if !is_same {
        pool.arena = current.map(|arena| leveret_arena(arena.clone()));
    }
    // A batch knows the result of a server that was marked as failed, and which keys are refused.
    let is_up = pool.pool.server(0).is_some_and(|server| !server.is_down);
    pool.stores = (is_up && !pool.pool.options().verify_key).then(|| pool.pool.value_max());
    pool.validity = Some(pool.pool.arena_validity(now));
}

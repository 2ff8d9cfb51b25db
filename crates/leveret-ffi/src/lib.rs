//! The C ABI: find, allocate, copy. The host language makes the string, between two calls that hold nothing; no callback, no
//! borrowed pointer, no Rust value that lives across a call into the host. `include/leveret.h` is generated from this file.
#![allow(non_camel_case_types)]

mod codec;
mod open;
mod pool;
mod scan;

use leveret_engine::{Arena, Counted, Deadline, Error, Found, Lease, Meta, Mode, Now, Stats, Stored, Ticket, Time, Value, Version};
use std::time::Duration;

pub use codec::*;
pub use open::*;
pub use pool::*;
pub use scan::*;

/// One arena; opaque.
pub struct leveret_arena(pub(crate) Arena);

/// Bytes of the caller. `data` may be NULL when `len` is 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct leveret_bytes {
    /// First byte.
    pub data: *const u8,
    /// How many.
    pub len: usize,
}

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum leveret_status {
    /// Done: hit, stored, deleted, granted.
    LEVERET_OK = 0,
    /// There is no live item.
    LEVERET_MISS,
    /// Add: there is one already. Cas: another version or value is there.
    LEVERET_EXISTS,
    /// The item is not a number that this operation may count.
    LEVERET_NOT_NUMBER,
    /// Copy: the version was recycled meanwhile; find again.
    LEVERET_RETRY,
    /// The shard's lock was not to be had within the lock timeout.
    LEVERET_BUSY,
    /// The value is above leveret_value_max(); a plain set has removed the old item.
    LEVERET_TOO_LARGE,
    /// The key is above leveret_key_max().
    LEVERET_KEY_TOO_LONG,
    /// No room could be made; for leveret_scan: the buffer is too small.
    LEVERET_NO_MEMORY,
    /// The arena's file was truncated, replaced or unlinked: close it and open it again.
    LEVERET_LOST,
    /// Open: the message says why and how to mend it. Else: this process cannot write to the arena (process table full, no life sign).
    LEVERET_FAILED,
    /// Lease: another process computes; up to 20 ms have passed. Look for the value, then ask again.
    LEVERET_WAIT,
    /// Lease: compute without one.
    LEVERET_NO_LEASE,
}

use leveret_status::*;

/// What an item's bytes are.
#[repr(C)]
pub enum leveret_encoding {
    /// A string, as it is.
    LEVERET_RAW = 0,
    /// A signed 64-bit integer, kept as a number.
    LEVERET_INTEGER = 1,
    /// The text of a float, in the shortest form that reads back equal.
    LEVERET_DOUBLE = 2,
    /// "1" or nothing.
    LEVERET_BOOL = 3,
    /// Nothing.
    LEVERET_NULL = 4,
    /// PHP's serialize().
    LEVERET_PHP = 5,
    /// igbinary.
    LEVERET_IGBINARY = 6,
    /// msgpack.
    LEVERET_MSGPACK = 7,
    /// JSON.
    LEVERET_JSON = 8,
    /// Ruby's Marshal.
    LEVERET_MARSHAL = 9,
}

/// Which family of entrances wrote an item.
#[repr(C)]
pub enum leveret_origin {
    /// It came over a socket.
    LEVERET_WIRE = 0,
    /// The classes of pecl/memcached.
    LEVERET_PECL_MEMCACHED = 1,
    /// The classes of pecl/memcache.
    LEVERET_PECL_MEMCACHE = 2,
    /// Leveret\Cache, apcu_*, the command. They compress nothing, and rely on it when they read.
    LEVERET_NATIVE = 3,
    /// The Ruby gems.
    LEVERET_RUBY = 4,
    /// Nobody knows: it is a server's answer. No item of an arena has it.
    LEVERET_REMOTE = 15,
}

/// When a value is stored.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum leveret_mode {
    /// Always.
    LEVERET_SET = 0,
    /// When there is no item.
    LEVERET_ADD,
    /// When there is one.
    LEVERET_REPLACE,
    /// Behind the value that is there.
    LEVERET_APPEND,
    /// Before it.
    LEVERET_PREPEND,
    /// When the item has the token given.
    LEVERET_CAS,
}

/// A deadline that never comes.
pub const LEVERET_NEVER: u32 = u32::MAX;

impl leveret_bytes {
    /// # Safety
    /// `data..data+len` is readable for as long as the slice is used.
    unsafe fn as_slice<'a>(self) -> &'a [u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: by contract.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }
}

fn moment(now: u32) -> Time {
    if now == 0 {
        Time::now()
    } else {
        Time(now)
    }
}

fn failure(error: &Error) -> leveret_status {
    match error {
        Error::ValueTooLarge { .. } => LEVERET_TOO_LARGE,
        Error::KeyTooLong { .. } => LEVERET_KEY_TOO_LONG,
        Error::NoMemory => LEVERET_NO_MEMORY,
        Error::Busy => LEVERET_BUSY,
        Error::Lost => LEVERET_LOST,
        _ => LEVERET_FAILED,
    }
}

fn answer(result: Result<bool, Error>) -> leveret_status {
    match result {
        Ok(true) => LEVERET_OK,
        Ok(false) => LEVERET_MISS,
        Err(error) => failure(&error),
    }
}

fn outcome(result: Result<Stored, Error>) -> leveret_status {
    match result {
        Ok(Stored::Stored { .. }) => LEVERET_OK,
        Ok(Stored::Exists) => LEVERET_EXISTS,
        Ok(Stored::Missing) => LEVERET_MISS,
        Err(error) => failure(&error),
    }
}

/// The arena's clock: seconds since boot, suspend included.
#[no_mangle]
pub extern "C" fn leveret_now() -> u32 {
    Time::now().0
}

/// A moment of the arena's clock as Unix time.
#[no_mangle]
pub extern "C" fn leveret_unix_time(arena_time: u32) -> i64 {
    Time(arena_time).to_unix()
}

/// A Unix time as a moment of the arena's clock; before boot becomes 0.
#[no_mangle]
pub extern "C" fn leveret_from_unix(unix_time: i64) -> u32 {
    Time::from_unix(unix_time).0
}

/// Version of the layout of arenas that this library reads and writes.
#[no_mangle]
pub extern "C" fn leveret_layout_version() -> u32 {
    leveret_engine::LAYOUT_VERSION
}

/// Looks an item up. OK, MISS or LOST; counts a hit or a miss.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_find(arena: *const leveret_arena, key: leveret_bytes, now: u32, found: *mut Found) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key, found) = unsafe { (&(*arena).0, key.as_slice(), &mut *found) };
    let is_there = if now == 0 { arena.find_into(key, Now, found) } else { arena.find_into(key, Time(now), found) };
    if is_there {
        LEVERET_OK
    } else {
        absent(arena)
    }
}

#[cold]
fn absent(arena: &Arena) -> leveret_status {
    if arena.is_lost() {
        LEVERET_LOST
    } else {
        LEVERET_MISS
    }
}

/// As leveret_find, with found->cas. The first time it may take the shard's lock: BUSY.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_find_cas(arena: *const leveret_arena, key: leveret_bytes, now: u32, found: *mut Found) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    match arena.find_cas(key, moment(now)) {
        // SAFETY: by contract.
        Ok(Some(item)) => unsafe {
            found.write(item);
            LEVERET_OK
        },
        Ok(None) => absent(arena),
        Err(error) => failure(&error),
    }
}

/// As leveret_find, but leaves no trace: counts nothing, and the item does not look read.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_peek(arena: *const leveret_arena, key: leveret_bytes, now: u32, found: *mut Found) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key, found) = unsafe { (&(*arena).0, key.as_slice(), &mut *found) };
    let is_there = if now == 0 { arena.peek_into(key, Now, found) } else { arena.peek_into(key, Time(now), found) };
    if is_there {
        LEVERET_OK
    } else {
        absent(arena)
    }
}

/// Copies the value of a found item: OK, and dst[0..value_len] is that very version, or RETRY: find again.
///
/// # Safety
/// `found` was filled by this arena; `dst` has room for `found->value_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_copy(arena: *const leveret_arena, found: *const Found, dst: *mut u8) -> leveret_status {
    // SAFETY: by contract.
    if unsafe { (*arena).0.copy(&*found, dst) } {
        LEVERET_OK
    } else {
        LEVERET_RETRY
    }
}

/// Whether the arena still holds this very version, alive: OK or MISS. One index look-up; the item is not touched. Counts a hit.
///
/// # Safety
/// Pointers are live; `version` was filled by this arena.
#[no_mangle]
pub unsafe extern "C" fn leveret_is_current(arena: *const leveret_arena, version: *const Version, now: u32) -> leveret_status {
    // SAFETY: by contract.
    let (arena, version) = unsafe { (&(*arena).0, &*version) };
    let is_current = if now == 0 { arena.is_current(version, Now) } else { arena.is_current(version, Time(now)) };
    if is_current {
        LEVERET_OK
    } else {
        LEVERET_MISS
    }
}

/// Stores a value. With meta->encoding INTEGER, `value` is an int64_t of 8 bytes. `cas` is for mode CAS; `new_cas` may be NULL.
/// OK; EXISTS (add, cas); MISS (replace, append, prepend, cas); TOO_LARGE, KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn leveret_store(
    arena: *const leveret_arena,
    key: leveret_bytes,
    value: leveret_bytes,
    meta: *const Meta,
    deadline: u32,
    mode: leveret_mode,
    cas: u64,
    now: u32,
    new_cas: *mut u64,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key, bytes, meta) = unsafe { (&(*arena).0, key.as_slice(), value.as_slice(), *meta) };
    let mode = match mode {
        leveret_mode::LEVERET_SET => Mode::Set,
        leveret_mode::LEVERET_ADD => Mode::Add,
        leveret_mode::LEVERET_REPLACE => Mode::Replace,
        leveret_mode::LEVERET_APPEND => Mode::Append,
        leveret_mode::LEVERET_PREPEND => Mode::Prepend,
        leveret_mode::LEVERET_CAS => Mode::Cas(cas),
    };
    let value = match <[u8; 8]>::try_from(bytes) {
        Ok(number) if meta.encoding == leveret_encoding::LEVERET_INTEGER as u8 => Value::Integer(i64::from_ne_bytes(number)),
        _ => Value::Bytes(bytes),
    };
    if new_cas.is_null() {
        return outcome(arena.store(key, value, meta, Deadline(deadline), mode, moment(now)));
    }
    let stored = arena.store_with_cas(key, value, meta, Deadline(deadline), mode, moment(now));
    if let Ok(Stored::Stored { cas }) = stored {
        // SAFETY: by contract, since it is not NULL.
        unsafe { new_cas.write(cas) };
    }
    outcome(stored)
}

/// Removes an item: OK, MISS, BUSY, LOST.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_delete(arena: *const leveret_arena, key: leveret_bytes, now: u32) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    answer(arena.delete(key, moment(now)))
}

/// Gives an item another deadline: OK, MISS, BUSY, NO_MEMORY, LOST.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_touch(arena: *const leveret_arena, key: leveret_bytes, deadline: u32, now: u32) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    answer(arena.touch(key, Deadline(deadline), moment(now)))
}

/// Adds to an INTEGER item; wraps. A missing one is created with the value `step` and this deadline if `create` is not 0.
/// OK: *result is the new value; MISS; NOT_NUMBER; BUSY, NO_MEMORY, KEY_TOO_LONG, LOST, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_add_integer(
    arena: *const leveret_arena,
    key: leveret_bytes,
    step: i64,
    create: u32,
    deadline: u32,
    now: u32,
    result: *mut i64,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    let create = (create != 0).then_some(Deadline(deadline));
    let added = if now == 0 { arena.add_integer(key, step, create, Now) } else { arena.add_integer(key, step, create, Time(now)) };
    match added {
        // SAFETY: by contract.
        Ok(Counted::Value(value)) => unsafe {
            result.write(value as i64);
            LEVERET_OK
        },
        Ok(Counted::Missing) => LEVERET_MISS,
        Ok(Counted::NotNumber) => LEVERET_NOT_NUMBER,
        Err(error) => failure(&error),
    }
}

/// Replaces an INTEGER item that has the value `old_value`: OK; EXISTS: another value, or no integer; MISS; BUSY, LOST.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_cas_integer(
    arena: *const leveret_arena,
    key: leveret_bytes,
    old_value: i64,
    new_value: i64,
    now: u32,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    outcome(arena.cas_integer(key, old_value, new_value, moment(now)))
}

/// Forgets every item at once, in constant time: OK or LOST.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_flush(arena: *const leveret_arena) -> leveret_status {
    // SAFETY: by contract.
    answer(unsafe { &(*arena).0 }.flush().map(|()| true))
}

/// Asks for the right to compute a key's value. OK: compute, store, release. WAIT: look for the value, then ask again with
/// the time waited so far. NO_LEASE: compute without one.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_acquire(
    arena: *const leveret_arena,
    key: leveret_bytes,
    waited_ms: u32,
    ticket: *mut Ticket,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    let lease = arena.lease(key, Duration::from_millis(u64::from(waited_ms)));
    // SAFETY: by contract.
    unsafe { answer_lease(lease, ticket) }
}

/// Asks for a key's lease as a lock. OK: it lasts until its release or the death of this process; leveret_lease_release_all leaves
/// it alone. WAIT: somebody else has it, up to 20 ms have passed; ask again. NO_LEASE: there are none left.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_hold(arena: *const leveret_arena, key: leveret_bytes, ticket: *mut Ticket) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    // SAFETY: by contract.
    unsafe { answer_lease(arena.hold(key), ticket) }
}

/// # Safety
/// `ticket` is live.
unsafe fn answer_lease(lease: Lease, ticket: *mut Ticket) -> leveret_status {
    match lease {
        // SAFETY: by contract.
        Lease::Granted(granted) => unsafe {
            ticket.write(granted);
            LEVERET_OK
        },
        Lease::Wait => LEVERET_WAIT,
        Lease::NoLease => LEVERET_NO_LEASE,
    }
}

/// Gives a lease back and wakes who waits.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_release(arena: *const leveret_arena, ticket: *const Ticket) {
    // SAFETY: by contract.
    unsafe { (*arena).0.release(&*ticket) };
}

/// Gives back what this thread still holds: for the end of a request, since an exit or a fatal error skips the release.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_release_all(arena: *const leveret_arena) {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.release_all();
}

/// Counts and sizes; takes no lock.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_get_stats(arena: *const leveret_arena, stats: *mut Stats) -> leveret_status {
    // SAFETY: by contract.
    unsafe { stats.write((*arena).0.stats()) };
    LEVERET_OK
}

/// Names the calling process as a web-server master: call it before it forks.
#[no_mangle]
pub extern "C" fn leveret_master_token() -> u64 {
    leveret_engine::master_token()
}

/// A worker of that master comes. OK: the arena was emptied, since this is the first worker of a new master and no other
/// listed master lives. MISS: nothing was to be done. BUSY, LOST.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_master_enter(arena: *const leveret_arena, token: u64) -> leveret_status {
    // SAFETY: by contract.
    answer(unsafe { &(*arena).0 }.enter_master(token))
}

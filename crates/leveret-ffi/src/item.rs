//! One item at a time: find, copy, store, remove.
use crate::types::{answer, failure, moment, outcome, slice};
use crate::{leveret_arena, leveret_bytes, leveret_mode, leveret_status};
use leveret_engine::{Arena, Deadline, Encoding, Found, Meta, Now, ReadOptions, Stored, Terms, Time, Value, Version};
use leveret_status::*;
use std::ffi::c_void;

/// Looks an item up. OK, MISS or LOST; counts a hit or a miss. After a miss *found means nothing.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_find(
    arena: *const leveret_arena,
    key: leveret_bytes,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract. A `Found` is made of integers, and is written before it is read.
    let (arena, key, found) = unsafe { (&(*arena).0, key.as_slice(), &mut *found) };
    find(arena, key, ReadOptions::new(), now, found)
}

#[inline(always)]
pub(crate) fn find(arena: &Arena, key: &[u8], options: ReadOptions, now: u32, found: &mut Found) -> leveret_status {
    let is_there = if now == 0 {
        arena.find_into(key, options, Now, found)
    } else {
        arena.find_into(key, options, Time(now), found)
    };
    match is_there {
        Ok(true) => LEVERET_OK,
        Ok(false) => absent(arena),
        Err(error) => failure(&error),
    }
}

/// How many keys leveret_ask_for can ask for at once.
pub const LEVERET_AHEAD: usize = 32;
const _: () = assert!(LEVERET_AHEAD == leveret_engine::AHEAD);

/// Asks for the memory that finding these keys will read, so that the processor waits for all of it at once, and writes
/// their hashes for leveret_find_hashed. A hint: it answers nothing.
///
/// # Safety
/// `arena` is live; `keys` are `count` live keys, at most LEVERET_AHEAD, and `hashes` has room for as many.
#[no_mangle]
pub unsafe extern "C" fn leveret_ask_for(
    arena: *const leveret_arena,
    keys: *const leveret_bytes,
    count: usize,
    hashes: *mut u64,
) {
    // SAFETY: by contract; any 64 bits are a hash.
    let (arena, keys) = unsafe { (&(*arena).0, slice(keys, count)) };
    if count == 0 {
        return;
    }
    // SAFETY: by contract.
    let hashes = unsafe { std::slice::from_raw_parts_mut(hashes, count) };
    // SAFETY: by contract.
    arena.ask_for(keys.iter().map(|key| unsafe { key.as_slice() }), hashes);
}

/// As leveret_find, for a key whose hash leveret_ask_for of this arena has told.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_find_hashed(
    arena: *const leveret_arena,
    key: leveret_bytes,
    hash: u64,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract. A `Found` is made of integers, and is written before it is read.
    let (arena, key, found) = unsafe { (&(*arena).0, key.as_slice(), &mut *found) };
    find(arena, key, ReadOptions::new().hashed(hash), now, found)
}

#[cold]
fn absent(arena: &Arena) -> leveret_status {
    if arena.is_lost() {
        LEVERET_LOST
    } else {
        LEVERET_MISS
    }
}

/// As leveret_find, with found->cas. The first time it may take the shard's lock: BUSY, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_find_cas(
    arena: *const leveret_arena,
    key: leveret_bytes,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract.
    unsafe { find_cas(arena, key, ReadOptions::new(), now, found) }
}

/// As leveret_find_cas, but counts nothing, and the item does not look read.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_peek_cas(
    arena: *const leveret_arena,
    key: leveret_bytes,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract.
    unsafe { find_cas(arena, key, ReadOptions::new().untraced(), now, found) }
}

/// # Safety
/// Pointers are live.
unsafe fn find_cas(
    arena: *const leveret_arena,
    key: leveret_bytes,
    options: ReadOptions,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    match arena.find_with(key, options.with_cas(), moment(now)) {
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
pub unsafe extern "C" fn leveret_peek(
    arena: *const leveret_arena,
    key: leveret_bytes,
    now: u32,
    found: *mut Found,
) -> leveret_status {
    // SAFETY: by contract. A `Found` is made of integers, and is written before it is read.
    let (arena, key, found) = unsafe { (&(*arena).0, key.as_slice(), &mut *found) };
    find(arena, key, ReadOptions::new().untraced(), now, found)
}

/// Bytes that an item takes up in the arena, its key of `key_len` bytes and padding included; of a large value as if it
/// lay in one piece.
///
/// # Safety
/// `found` was filled by an arena.
#[no_mangle]
pub unsafe extern "C" fn leveret_item_size(found: *const Found, key_len: usize) -> u64 {
    // SAFETY: by contract.
    unsafe { &*found }.size(key_len)
}

/// Copies the value of a found item: OK, and dst[0..value_len] is that very version, or RETRY: find again.
///
/// # Safety
/// `found` was filled by this arena; `dst` has room for `found->value_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_copy(
    arena: *const leveret_arena,
    found: *const Found,
    dst: *mut c_void,
) -> leveret_status {
    // SAFETY: by contract.
    if unsafe { (*arena).0.copy(&*found, dst.cast()) } {
        LEVERET_OK
    } else {
        LEVERET_RETRY
    }
}

/// Whether the arena still holds this very version, alive: OK or MISS. One index look-up; the item is not touched.
/// Counts a hit.
///
/// # Safety
/// Pointers are live; `version` was filled by this arena.
#[no_mangle]
pub unsafe extern "C" fn leveret_is_current(
    arena: *const leveret_arena,
    version: *const Version,
    now: u32,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, version) = unsafe { (&(*arena).0, &*version) };
    let is_current = if now == 0 { arena.is_current(version, Now) } else { arena.is_current(version, Time(now)) };
    if is_current {
        LEVERET_OK
    } else {
        LEVERET_MISS
    }
}

/// Stores a value; `mode` is a leveret_mode. With meta->encoding INTEGER, `value` is an int64_t of 8 bytes. `cas` is for mode CAS; `new_cas` may
/// be NULL. OK; EXISTS (add, cas); MISS (replace, append, prepend, cas); TOO_LARGE, KEY_TOO_LONG, NO_MEMORY, BUSY,
/// LOST, FAILED (also where `mode` is another number).
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
    mode: u32,
    cas: u64,
    now: u32,
    new_cas: *mut u64,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key, bytes, meta) = unsafe { (&(*arena).0, key.as_slice(), value.as_slice(), *meta) };
    let Some(mode) = leveret_mode::of_number(mode, cas) else { return LEVERET_FAILED };
    let value = match <[u8; 8]>::try_from(bytes) {
        Ok(number) if meta.encoding == Encoding::INTEGER => Value::Integer(i64::from_ne_bytes(number)),
        _ => Value::Bytes(bytes),
    };
    let terms = Terms::new(mode).want_cas(!new_cas.is_null());
    let stored = arena.store_if(key, value, meta, Deadline::of_second(deadline), &terms, moment(now));
    if let (true, Ok(Stored::Stored { cas })) = (terms.want_cas, &stored) {
        // SAFETY: by contract, since it is not NULL.
        unsafe { new_cas.write(*cas) };
    }
    outcome(stored)
}

/// Removes an item: OK, MISS, KEY_TOO_LONG, BUSY, LOST, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_delete(arena: *const leveret_arena, key: leveret_bytes, now: u32) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    answer(arena.delete(key, moment(now)))
}

/// Gives an item another deadline: OK, MISS, KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_touch(
    arena: *const leveret_arena,
    key: leveret_bytes,
    deadline: u32,
    now: u32,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    answer(arena.touch(key, Deadline::of_second(deadline), moment(now)))
}

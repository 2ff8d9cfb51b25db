//! Reading one item: found, room made by the host, copied; and that again where it was recycled in between.
use crate::item::find;
use crate::{leveret_arena, leveret_bytes, leveret_status};
use leveret_engine::{Arena, Found, ReadOptions};
use leveret_status::*;
use std::ffi::c_void;

/// How an item is read, or'd: the key's hash is known.
pub const LEVERET_READ_HASHED: u32 = 1;
/// Tells found.cas. The first time it may take the shard's lock.
pub const LEVERET_READ_CAS: u32 = 2;
/// Counts nothing, and the item does not look read.
pub const LEVERET_READ_UNTRACED: u32 = 4;

const ALL: u32 = LEVERET_READ_HASHED | LEVERET_READ_CAS | LEVERET_READ_UNTRACED;

/// A copy that fails means that a writer recycled the segment between two steps of this reader. Nothing but a hostile
/// arena does that so often in a row; a miss is then the right answer.
const TRIES_MAX: u32 = 64;

/// A read under way. leveret_read_begin fills it; or the caller does, with `found` from a walk: then the rest is 0 or
/// as for leveret_read_begin.
#[repr(C)]
pub struct leveret_reading {
    /// The item.
    pub found: Found,
    /// LEVERET_READ_HASHED and its kin, or'd.
    pub how: u32,
    /// The moment of the caller; 0 = the present.
    pub now: u32,
    /// How often the item was recycled so far.
    pub tries: u32,
    /// 0.
    pub unused: u32,
}

/// Looks an item up as `how` says. OK: reading->found; MISS, LOST; with LEVERET_READ_CAS also BUSY and FAILED. FAILED also
/// where `how` has other bits. `hash`: with LEVERET_READ_HASHED what leveret_ask_for of this arena has told of the key.
/// Counts a hit or a miss.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_read_begin(
    arena: *const leveret_arena,
    key: leveret_bytes,
    how: u32,
    hash: u64,
    now: u32,
    reading: *mut leveret_reading,
) -> leveret_status {
    // SAFETY: by contract. The struct is made of integers, and is written before it is read.
    let (arena, key, reading) = unsafe { (&(*arena).0, key.as_slice(), &mut *reading) };
    (reading.how, reading.now, reading.tries) = (how, now, 0);
    match how {
        0 => find(arena, key, ReadOptions::new(), now, &mut reading.found),
        LEVERET_READ_HASHED => find(arena, key, ReadOptions::new().hashed(hash), now, &mut reading.found),
        _ => look(arena, key, how, hash, now, &mut reading.found),
    }
}

/// Copies the value of reading->found: OK, and dst[0..value_len] is that very version. RETRY: it was recycled, and
/// reading->found is another version: make room again. MISS: the key has no item any more. LOST, BUSY, FAILED: as
/// leveret_read_begin.
///
/// # Safety
/// Pointers are live; reading->found was filled by this arena; `dst` has room for its `value_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_read_copy(
    arena: *const leveret_arena,
    key: leveret_bytes,
    reading: *mut leveret_reading,
    dst: *mut c_void,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, reading) = unsafe { (&(*arena).0, &mut *reading) };
    // SAFETY: by contract.
    unsafe {
        if arena.copy(&reading.found, dst.cast()) {
            return LEVERET_OK;
        }
        again(arena, key, reading)
    }
}

/// # Safety
/// `key` can be read.
#[cold]
unsafe fn again(arena: &Arena, key: leveret_bytes, reading: &mut leveret_reading) -> leveret_status {
    if reading.tries >= TRIES_MAX {
        return LEVERET_MISS;
    }
    reading.tries += 1;
    // The first try was counted already.
    let how = reading.how & LEVERET_READ_CAS | LEVERET_READ_UNTRACED;
    // SAFETY: by contract.
    match look(arena, unsafe { key.as_slice() }, how, 0, reading.now, &mut reading.found) {
        LEVERET_OK => LEVERET_RETRY,
        status => status,
    }
}

#[inline(never)]
fn look(arena: &Arena, key: &[u8], how: u32, hash: u64, now: u32, found: &mut Found) -> leveret_status {
    if how & !ALL != 0 {
        return LEVERET_FAILED;
    }
    let mut options = ReadOptions::new();
    if how & LEVERET_READ_HASHED != 0 {
        options = options.hashed(hash);
    }
    if how & LEVERET_READ_CAS != 0 {
        options = options.with_cas();
    }
    if how & LEVERET_READ_UNTRACED != 0 {
        options = options.untraced();
    }
    find(arena, key, options, now, found)
}

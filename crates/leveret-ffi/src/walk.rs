//! Walking over all items. The records lie in a buffer of the caller, so that nothing of ours is left behind when the
//! host jumps away.
use crate::leveret_arena;
use crate::leveret_status::{self, LEVERET_MISS, LEVERET_NO_MEMORY, LEVERET_OK};
use crate::types::{failure, moment};
use leveret_engine::{Arena, Cursor, Error, Scanned, WalkRecord};
use std::mem::MaybeUninit;

/// A walk: all zero begins one, with `now` unless the clock's is meant. The caller owns the memory and frees `buffer`.
#[repr(C)]
pub struct leveret_walk {
    /// Where it stands.
    pub cursor: Cursor,
    /// The records of the last step, aligned to 8; NULL before the first call.
    pub buffer: *mut u8,
    /// Bytes that `buffer` has room for.
    pub len: usize,
    /// After NO_MEMORY: bytes that `buffer` must have room for.
    pub needed: usize,
    /// Bytes of records in `buffer`.
    pub used: usize,
    /// Where the next record begins.
    pub at: usize,
    /// The moment at which items must be alive; 0 = that of each step.
    pub now: u32,
    /// 1: there is nothing left in the arena. The caller may set it, too.
    pub is_over: u32,
    /// Not 0: only keys are told, in less time; a record's `found` is zero.
    pub keys_only: u32,
    /// 0.
    pub unused: u32,
}

/// A thousand small items at a time. One step of the engine must fit, and asks for more where this is too little.
const BUFFER_LEN: usize = 64 * 1024;

const HEAD: usize = size_of::<WalkRecord>();

/// The next item: OK, and *record is valid until the next call. Each key that exists throughout the walk is visited
/// exactly once. MISS: the walk is complete. NO_MEMORY: give `buffer` room for `needed` bytes, `len` that number, and
/// call again; the first call returns this. BUSY: worth another call. LOST, FAILED: the rest cannot be read.
///
/// # Safety
/// Pointers are live; `walk->buffer` is aligned to 8 and has room for `walk->len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_walk_next(
    arena: *const leveret_arena,
    walk: *mut leveret_walk,
    record: *mut *const WalkRecord,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, walk) = unsafe { (&(*arena).0, &mut *walk) };
    // SAFETY: by contract.
    let mut next = unsafe { walk.next_record() };
    if next.is_none() {
        if walk.is_over != 0 {
            return LEVERET_MISS;
        }
        // SAFETY: by contract.
        let status = unsafe { walk.fill(arena) };
        if status != LEVERET_OK {
            return status;
        }
        // SAFETY: by contract.
        next = unsafe { walk.next_record() };
    }
    match next {
        // SAFETY: by contract.
        Some(found) => unsafe {
            record.write(found);
            LEVERET_OK
        },
        None => LEVERET_MISS,
    }
}

impl leveret_walk {
    /// The record at `at`. None: there is none, or C has changed what says where it is.
    ///
    /// # Safety
    /// As `leveret_walk_next`.
    unsafe fn next_record(&mut self) -> Option<*const WalkRecord> {
        let used = self.used.min(self.len);
        if self.at % 8 != 0 || self.at >= used || used - self.at < HEAD {
            return None;
        }
        // SAFETY: inside the buffer, and aligned as it is.
        let record = unsafe { self.buffer.add(self.at) }.cast::<WalkRecord>();
        // SAFETY: a record was written there.
        self.at += (unsafe { (*record).record_len } as usize).max(HEAD);
        Some(record)
    }

    /// The next records. OK also where there are none left.
    ///
    /// # Safety
    /// As `leveret_walk_next`.
    unsafe fn fill(&mut self, arena: &Arena) -> leveret_status {
        (self.at, self.used) = (0, 0);
        if self.len == 0 {
            self.needed = BUFFER_LEN;
            return LEVERET_NO_MEMORY;
        }
        // SAFETY: by contract.
        match unsafe { scan(arena, &mut self.cursor, self.now, self.keys_only != 0, self.buffer, self.len) } {
            Ok(Scanned { needed: 0, used, is_over }) => {
                (self.used, self.is_over) = (used, u32::from(is_over));
                LEVERET_OK
            }
            Ok(Scanned { needed, .. }) => {
                self.needed = needed;
                LEVERET_NO_MEMORY
            }
            Err(error) => failure(&error),
        }
    }
}

/// Appends records to `buffer` until it is full or the walk is over: what leveret_walk_next is made of. OK: *used bytes
/// are valid, call again. MISS: *used bytes are valid and the walk is over. NO_MEMORY: not even one step fits, *used is
/// the size needed. BUSY, LOST.
///
/// # Safety
/// Pointers are live; `buffer` is aligned to 8 and has room for `len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_scan(
    arena: *const leveret_arena,
    cursor: *mut Cursor,
    now: u32,
    buffer: *mut u8,
    len: usize,
    used: *mut usize,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, cursor, used) = unsafe { (&(*arena).0, &mut *cursor, &mut *used) };
    // SAFETY: by contract.
    match unsafe { scan(arena, cursor, now, false, buffer, len) } {
        Ok(scanned) if scanned.needed != 0 => {
            *used = scanned.needed;
            LEVERET_NO_MEMORY
        }
        Ok(scanned) => {
            *used = scanned.used;
            if scanned.is_over {
                LEVERET_MISS
            } else {
                LEVERET_OK
            }
        }
        Err(error) => {
            *used = 0;
            failure(&error)
        }
    }
}

/// # Safety
/// `buffer` is aligned to 8 and has room for `len` bytes; with 0 it may be NULL.
unsafe fn scan(
    arena: &Arena,
    cursor: &mut Cursor,
    now: u32,
    keys_only: bool,
    buffer: *mut u8,
    len: usize,
) -> Result<Scanned, Error> {
    let room = if len < 8 {
        &mut []
    } else {
        // SAFETY: by contract. Any bytes will do, since none is read before it is written.
        unsafe { std::slice::from_raw_parts_mut(buffer.cast::<MaybeUninit<u64>>(), len / 8) }
    };
    if keys_only {
        arena.scan_keys_into(cursor, moment(now), room)
    } else {
        arena.scan_into(cursor, moment(now), room)
    }
}

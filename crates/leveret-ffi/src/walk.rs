//! Walking over all items. The records lie in a buffer of the caller, so that nothing of ours is left behind when the
//! host jumps away.
use crate::leveret_arena;
use crate::leveret_status::{self, LEVERET_MISS, LEVERET_NO_MEMORY, LEVERET_OK};
use crate::types::{failure, moment};
use leveret_engine::{Arena, Cursor, Error, Found};

/// One item in a buffer. The key's bytes follow, then padding; the next record is `record_len` bytes on.
#[repr(C)]
pub struct leveret_record {
    /// The item.
    pub found: Found,
    /// Bytes of the key.
    pub key_len: u32,
    /// Bytes up to the next record, a multiple of 8.
    pub record_len: u32,
}

/// A walk: all zero begins one, with `now` where that is not the clock's. The memory is the caller's, who frees `buffer`.
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
}

/// A thousand small items at a time. One step of the engine must fit, and asks for more where this is too little.
const BUFFER_LEN: usize = 64 * 1024;

const HEAD: usize = size_of::<leveret_record>();

/// The next item: OK, and *record is good until the next call. Each key that lives through the walk is met exactly once.
/// MISS: the walk is over. NO_MEMORY: give `buffer` room for `needed` bytes, `len` that number, and call again; the
/// first call answers so. BUSY: worth another call. LOST, FAILED: what is left cannot be read.
///
/// # Safety
/// Pointers are live; `walk->buffer` is aligned to 8 and has room for `walk->len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_walk_next(
    arena: *const leveret_arena,
    walk: *mut leveret_walk,
    record: *mut *const leveret_record,
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
    unsafe fn next_record(&mut self) -> Option<*const leveret_record> {
        let used = self.used.min(self.len);
        if self.at % 8 != 0 || self.at >= used || used - self.at < HEAD {
            return None;
        }
        // SAFETY: inside the buffer, and aligned as it is.
        let record = unsafe { self.buffer.add(self.at) }.cast::<leveret_record>();
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
        match unsafe { scan(arena, &mut self.cursor, self.now, self.buffer, self.len) } {
            Ok(Filled { used, is_over }) => {
                (self.used, self.is_over) = (used, u32::from(is_over));
                LEVERET_OK
            }
            Err(Unfilled::TooSmall { needed }) => {
                self.needed = needed;
                LEVERET_NO_MEMORY
            }
            Err(Unfilled::Failed(error)) => failure(&error),
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
    match unsafe { scan(arena, cursor, now, buffer, len) } {
        Ok(filled) => {
            *used = filled.used;
            if filled.is_over {
                LEVERET_MISS
            } else {
                LEVERET_OK
            }
        }
        Err(Unfilled::TooSmall { needed }) => {
            *used = needed;
            LEVERET_NO_MEMORY
        }
        Err(Unfilled::Failed(error)) => {
            *used = 0;
            failure(&error)
        }
    }
}

struct Filled {
    used: usize,
    is_over: bool,
}

enum Unfilled {
    /// Not even one step fits.
    TooSmall { needed: usize },
    /// Before the first record.
    Failed(Error),
}

/// # Safety
/// `buffer` is aligned to 8 and has room for `len` bytes.
unsafe fn scan(arena: &Arena, cursor: &mut Cursor, now: u32, buffer: *mut u8, len: usize) -> Result<Filled, Unfilled> {
    let now = moment(now);
    let mut used = 0;
    loop {
        let before = *cursor;
        let mut end = used;
        let scanned = arena.scan(cursor, now, &mut |key, found| {
            let record_len = (HEAD + key.len()).next_multiple_of(8);
            if end + record_len <= len {
                let record = leveret_record { found: *found, key_len: key.len() as u32, record_len: record_len as u32 };
                // SAFETY: `record_len` bytes from `end` on are inside the buffer, and all lengths are multiples of 8.
                unsafe {
                    buffer.add(end).cast::<leveret_record>().write(record);
                    std::ptr::copy_nonoverlapping(key.as_ptr(), buffer.add(end + HEAD), key.len());
                }
            }
            end += record_len;
        });
        let is_filled = match scanned {
            Ok(more) if end <= len => {
                used = end;
                !more
            }
            // This step did not fit, or failed: it is made again in the next call, after what came before it was told.
            _ if used > 0 => {
                *cursor = before;
                return Ok(Filled { used, is_over: false });
            }
            Ok(_) => {
                *cursor = before;
                return Err(Unfilled::TooSmall { needed: end });
            }
            Err(error) => {
                *cursor = before;
                return Err(Unfilled::Failed(error));
            }
        };
        if is_filled {
            return Ok(Filled { used, is_over: true });
        }
    }
}

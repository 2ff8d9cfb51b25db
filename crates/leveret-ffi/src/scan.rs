//! Walking over all items into a buffer of the caller, so that nothing of ours is left behind when the host jumps away.
use crate::leveret_status::{self, LEVERET_MISS, LEVERET_NO_MEMORY, LEVERET_OK};
use crate::types::failure;
use crate::{leveret_arena, moment};
use leveret_engine::{Cursor, Found};

/// One item in the buffer of leveret_scan. The key's bytes follow, then padding; the next record is `record_len` bytes
/// on.
#[repr(C)]
pub struct leveret_record {
    /// The item.
    pub found: Found,
    /// Bytes of the key.
    pub key_len: u32,
    /// Bytes up to the next record, a multiple of 8.
    pub record_len: u32,
}

/// Appends records to `buffer` until it is full or the walk is over. Each key that lives through the walk is met
/// exactly once. OK: *used bytes are valid, call again. MISS: *used bytes are valid and the walk is over. NO_MEMORY:
/// not even one step fits, *used is the size needed. BUSY, LOST.
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
    let now = moment(now);
    *used = 0;
    loop {
        let before = *cursor;
        let begin = *used;
        let mut end = begin;
        let scanned = arena.scan(cursor, now, &mut |key, found| {
            let head = size_of::<leveret_record>();
            let record_len = (head + key.len()).next_multiple_of(8);
            if end + record_len <= len {
                let record = leveret_record { found: *found, key_len: key.len() as u32, record_len: record_len as u32 };
                // SAFETY: `record_len` bytes from `end` on are inside the buffer, and all lengths are multiples of 8.
                unsafe {
                    buffer.add(end).cast::<leveret_record>().write(record);
                    std::ptr::copy_nonoverlapping(key.as_ptr(), buffer.add(end + head), key.len());
                }
            }
            end += record_len;
        });
        match scanned {
            Err(error) => {
                *cursor = before;
                // What came before it is told first; the next call meets the error again, unless it has passed.
                return if begin > 0 { LEVERET_OK } else { failure(&error) };
            }
            // This step did not fit: it is made again in the next call.
            Ok(_) if end > len => {
                *cursor = before;
                if begin == 0 {
                    *used = end;
                    return LEVERET_NO_MEMORY;
                }
                return LEVERET_OK;
            }
            Ok(more) => {
                *used = end;
                if !more {
                    return LEVERET_MISS;
                }
            }
        }
    }
}

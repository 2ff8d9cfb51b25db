//! Replaces `copy.rs` in a model: the arena's bytes are read and written as relaxed atomics, so that a reader sees any
//! mixture of old and new bytes that a processor could show.
use crate::models::memory::{read_bytes, write_bytes};

/// # Safety
/// As that of the real one.
pub(crate) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    let mut bytes = vec![0; len];
    // SAFETY: by contract.
    unsafe {
        read_bytes(src, &mut bytes);
        write_bytes(dst, &bytes);
    }
}

/// # Safety
/// As that of the real one.
pub(crate) unsafe fn equals(shared: *const u8, key: &[u8]) -> bool {
    let mut bytes = vec![0; key.len()];
    // SAFETY: by contract.
    unsafe { read_bytes(shared, &mut bytes) };
    bytes == key
}

//! Compression of values as PHP's clients have it on the wire.
use crate::leveret_bytes;
use leveret_client::codec::{self, Compression, Economy, Savings};
use std::ffi::c_void;

/// How a value is compressed; the number is also a meta's codec.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_codec {
    /// Not at all.
    LEVERET_CODEC_NONE = 0,
    /// FastLZ behind the original's length, as pecl/memcached writes it.
    LEVERET_CODEC_FASTLZ = 1,
    /// zlib behind the original's length, as pecl/memcached writes it.
    LEVERET_CODEC_ZLIB = 2,
    /// zlib alone, as pecl/memcache writes it.
    LEVERET_CODEC_PLAIN_ZLIB = 3,
    /// zstd behind the original's length. Refused: this library is built without it.
    LEVERET_CODEC_ZSTD = 4,
}

use leveret_codec::*;

const DAMAGED: i32 = -1001;

/// Compresses a value. 0: dst[0..*dst_len] is it. 1: it does not fit into the *dst_len bytes that were there, or the codec is
/// not known: send the value as it is. `level` is zlib's, 1 to 9.
///
/// # Safety
/// `value` can be read; `dst` has room for *dst_len bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_compress(codec: u32, value: leveret_bytes, level: u32, dst: *mut c_void, dst_len: *mut usize) -> i32 {
    // SAFETY: by contract.
    let (value, room) = unsafe { (value.as_slice(), *dst_len) };
    let economy = Economy { threshold: 0, factor: 0.0, level: level.min(9) as u8 };
    let packed = match from_number(codec) {
        Some(LEVERET_CODEC_FASTLZ) => codec::compress(value, Compression::Fastlz, &economy),
        Some(LEVERET_CODEC_ZLIB) => codec::compress(value, Compression::Zlib, &economy),
        Some(LEVERET_CODEC_PLAIN_ZLIB) => codec::compress_bare(value, true, &Savings { threshold: 0, at_least: f64::MIN }),
        _ => None,
    };
    match packed.filter(|packed| packed.len() <= room) {
        // SAFETY: it fits, as was just asked.
        Some(packed) => unsafe {
            std::ptr::copy_nonoverlapping(packed.as_ptr(), dst.cast::<u8>(), packed.len());
            *dst_len = packed.len();
            0
        },
        None => 1,
    }
}

/// How long a stored value becomes. 0: *len. -1001: damaged, above `len_max`, or the codec is not known.
///
/// # Safety
/// `stored` can be read; `len` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_decompressed_len(codec: u32, stored: leveret_bytes, len_max: usize, len: *mut usize) -> i32 {
    // SAFETY: by contract.
    let stored = unsafe { stored.as_slice() };
    let found = match from_number(codec) {
        Some(LEVERET_CODEC_NONE) if stored.len() <= len_max => Ok(stored.len()),
        Some(LEVERET_CODEC_FASTLZ | LEVERET_CODEC_ZLIB) => codec::promised_len(stored, len_max).map(|(len, _)| len),
        // It does not say, so it is read twice.
        Some(LEVERET_CODEC_PLAIN_ZLIB) => codec::decompress_bare(stored, len_max).map(|value| value.len()),
        _ => Err(codec::Damaged),
    };
    match found {
        // SAFETY: by contract.
        Ok(found) => unsafe {
            len.write(found);
            0
        },
        Err(codec::Damaged) => DAMAGED,
    }
}

/// Decompresses a value into the bytes that leveret_decompressed_len told. 0, or -1001: damaged.
///
/// # Safety
/// `stored` can be read; `dst` has room for `dst_len` bytes, and they are the caller's own.
#[no_mangle]
pub unsafe extern "C" fn leveret_decompress(codec: u32, stored: leveret_bytes, dst: *mut c_void, dst_len: usize) -> i32 {
    // SAFETY: by contract. Zeroed first, because a reference to bytes that were never written is not allowed.
    let (stored, dst) = unsafe {
        std::ptr::write_bytes(dst.cast::<u8>(), 0, dst_len);
        (stored.as_slice(), if dst_len == 0 { &mut [] } else { std::slice::from_raw_parts_mut(dst.cast::<u8>(), dst_len) })
    };
    let filled = match from_number(codec) {
        Some(LEVERET_CODEC_NONE) if stored.len() == dst.len() => {
            dst.copy_from_slice(stored);
            Ok(dst.len())
        }
        Some(LEVERET_CODEC_FASTLZ) => codec::promised_len(stored, dst_len).and_then(|(_, body)| codec::fastlz::decompress_into(body, dst)),
        Some(LEVERET_CODEC_ZLIB) => codec::promised_len(stored, dst_len).and_then(|(_, body)| codec::zlib::decompress_into(body, dst)),
        Some(LEVERET_CODEC_PLAIN_ZLIB) => codec::zlib::decompress_into(stored, dst),
        _ => Err(codec::Damaged),
    };
    if filled == Ok(dst_len) {
        0
    } else {
        DAMAGED
    }
}

fn from_number(codec: u32) -> Option<leveret_codec> {
    [LEVERET_CODEC_NONE, LEVERET_CODEC_FASTLZ, LEVERET_CODEC_ZLIB, LEVERET_CODEC_PLAIN_ZLIB, LEVERET_CODEC_ZSTD]
        .get(usize::try_from(codec).ok()?)
        .copied()
}

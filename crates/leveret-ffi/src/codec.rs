//! The bytes of values as PHP's clients have them on the wire: what their flags say, and compression.
use crate::{leveret_bytes, leveret_origin};
use leveret_client::codec::{self, Compression, Economy, Form, Reader, Savings};
use leveret_engine::Meta;
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
    /// zstd behind the original's length. Only where leveret_has_codec says so.
    LEVERET_CODEC_ZSTD = 4,
}

use leveret_codec::*;

const DAMAGED: i32 = -1001;

/// 1: values so compressed can be read and written.
#[no_mangle]
pub extern "C" fn leveret_has_codec(codec: u32) -> i32 {
    i32::from(compression(codec).is_ok_and(codec::is_built))
}

/// Compresses a value. 0: dst[0..*dst_len] is it. 1: it does not fit into the *dst_len bytes that were there, or the
/// codec is not known: send the value as it is. `level` is that of zlib, 1 to 9, or of zstd.
///
/// # Safety
/// `value` can be read; `dst` has room for *dst_len bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_compress(
    codec: u32,
    value: leveret_bytes,
    level: i32,
    dst: *mut c_void,
    dst_len: *mut usize,
) -> i32 {
    // SAFETY: by contract.
    let (value, room) = unsafe { (value.as_slice(), *dst_len) };
    let economy = Economy { threshold: 0, factor: 0.0, level };
    let packed = match compression(codec) {
        Ok(Compression::BareZlib) => codec::compress_bare(value, true, &Savings { threshold: 0, at_least: f64::MIN }),
        Ok(by) => codec::compress(value, by, &economy),
        Err(codec::Damaged) => None,
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
pub unsafe extern "C" fn leveret_decompressed_len(
    codec: u32,
    stored: leveret_bytes,
    len_max: usize,
    len: *mut usize,
) -> i32 {
    // SAFETY: by contract.
    let stored = unsafe { stored.as_slice() };
    match compression(codec).and_then(|by| codec::decompressed_len(stored, by, len_max)) {
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
pub unsafe extern "C" fn leveret_decompress(
    codec: u32,
    stored: leveret_bytes,
    dst: *mut c_void,
    dst_len: usize,
) -> i32 {
    // SAFETY: by contract. Zeroed first, because a reference to bytes that were never written is not allowed.
    let (stored, dst) = unsafe {
        std::ptr::write_bytes(dst.cast::<u8>(), 0, dst_len);
        (
            stored.as_slice(),
            if dst_len == 0 { &mut [] } else { std::slice::from_raw_parts_mut(dst.cast::<u8>(), dst_len) },
        )
    };
    match compression(codec).and_then(|by| codec::decompress_into(stored, by, dst)) {
        Ok(()) => 0,
        Err(codec::Damaged) => DAMAGED,
    }
}

/// How the bytes of a value are to be read: a leveret_encoding and a leveret_codec.
#[repr(C)]
pub struct leveret_form {
    /// Their type after decompression. Numbers are decimal text.
    pub encoding: u8,
    /// How they are compressed.
    pub codec: u8,
}

/// How to read an item. A native item says it itself, an item of the classes by the flags of its family, a server's
/// answer by those of `reader`. An item that came over a socket into an arena is read by the family that its flags and
/// bytes match, otherwise by the flags of `reader`, a leveret_origin; with any other number by those of all. 0: *form.
/// 1: flags that no PHP client writes.
///
/// # Safety
/// `value` can be read; the other pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_translate(
    meta: *const Meta,
    reader: u32,
    value: leveret_bytes,
    form: *mut leveret_form,
) -> i32 {
    // SAFETY: by contract.
    let (meta, value, form) = unsafe { (&*meta, value.as_slice(), &mut *form) };
    match Form::of(meta, reader_of(reader), value) {
        Some(read) => *form = leveret_form { encoding: read.encoding.number(), codec: number(read.compression) },
        None if says_itself(meta.origin.number()) => {
            *form = leveret_form { encoding: meta.encoding.number(), codec: meta.codec.number() }
        }
        None => return 1,
    }
    0
}

/// The reading client, by the number of a leveret_origin.
pub(crate) fn reader_of(origin: u32) -> Reader {
    const MEMCACHED: u32 = leveret_origin::LEVERET_PECL_MEMCACHED as u32;
    const MEMCACHE: u32 = leveret_origin::LEVERET_PECL_MEMCACHE as u32;
    const RUBY: u32 = leveret_origin::LEVERET_RUBY as u32;
    match origin {
        MEMCACHED => Reader::PeclMemcached,
        MEMCACHE => Reader::PeclMemcache,
        RUBY => Reader::Ruby,
        _ => Reader::Any,
    }
}

/// Whether items of this origin tell their encoding: a later version's are taken at their word.
fn says_itself(origin: u8) -> bool {
    (leveret_origin::LEVERET_NATIVE as u8..leveret_origin::LEVERET_REMOTE as u8).contains(&origin)
}

fn number(by: Compression) -> u8 {
    let codec = match by {
        Compression::None => LEVERET_CODEC_NONE,
        Compression::Fastlz => LEVERET_CODEC_FASTLZ,
        Compression::Zlib => LEVERET_CODEC_ZLIB,
        Compression::BareZlib => LEVERET_CODEC_PLAIN_ZLIB,
        Compression::Zstd => LEVERET_CODEC_ZSTD,
    };
    codec as u8
}

/// The compression that a codec's number names.
fn compression(codec: u32) -> Result<Compression, codec::Damaged> {
    const ALL: [Compression; 5] =
        [Compression::None, Compression::Fastlz, Compression::Zlib, Compression::BareZlib, Compression::Zstd];
    ALL.into_iter().find(|by| u32::from(number(*by)) == codec).ok_or(codec::Damaged)
}

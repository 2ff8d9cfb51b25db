//! zlib streams, bounded on the way out.
use super::Damaged;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::{decompress_slice_iter_to_slice, decompress_to_vec_zlib_with_limit};

/// zlib's own default level.
pub const LEVEL_DEFAULT: u8 = 6;

/// Appends the stream of `value` to `out`.
pub fn compress(value: &[u8], level: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&compress_to_vec_zlib(value, level.min(9)));
}

/// Reads a stream into `out` and returns how much of it was filled.
pub fn decompress_into(stream: &[u8], out: &mut [u8]) -> Result<usize, Damaged> {
    decompress_slice_iter_to_slice(out, std::iter::once(stream), true, false).map_err(|_| Damaged)
}

/// Reads a stream that does not say how long its value is.
pub fn decompress(stream: &[u8], len_max: usize) -> Result<Vec<u8>, Damaged> {
    decompress_to_vec_zlib_with_limit(stream, len_max).map_err(|_| Damaged)
}

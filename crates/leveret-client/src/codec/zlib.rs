//! zlib streams, bounded on the way out.
use super::Damaged;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER;
use miniz_oxide::inflate::core::{decompress, DecompressorOxide};
use miniz_oxide::inflate::{decompress_slice_iter_to_slice, TINFLStatus};

/// zlib's own default level.
pub const LEVEL_DEFAULT: i32 = 6;

/// How far back a stream may point.
const WINDOW: usize = 32 * 1024;

/// Appends the stream of `value` to `out`.
pub fn compress(value: &[u8], level: i32, out: &mut Vec<u8>) {
    // zlib takes -1 for its default.
    let level = if level < 0 { LEVEL_DEFAULT } else { level.min(9) };
    out.extend_from_slice(&compress_to_vec_zlib(value, level as u8));
}

/// Reads a stream into `out` and returns how much of it was filled.
pub fn decompress_into(stream: &[u8], out: &mut [u8]) -> Result<usize, Damaged> {
    decompress_slice_iter_to_slice(out, std::iter::once(stream), true, false).map_err(|_| Damaged)
}

/// How long the value of a stream is that does not say so. Reads it through a window, so that what claims to be long takes no memory.
pub fn decompressed_len(stream: &[u8], len_max: usize) -> Result<usize, Damaged> {
    let mut state = Box::new(DecompressorOxide::new());
    let mut window = vec![0; WINDOW];
    let (mut input, mut len) = (stream, 0);
    loop {
        let at = len % WINDOW;
        let (status, read, written) = decompress(&mut state, input, &mut window, at, TINFL_FLAG_PARSE_ZLIB_HEADER);
        input = &input[read..];
        len += written;
        match status {
            _ if len > len_max => return Err(Damaged),
            TINFLStatus::Done => return Ok(len),
            TINFLStatus::HasMoreOutput => {}
            _ => return Err(Damaged),
        }
    }
}

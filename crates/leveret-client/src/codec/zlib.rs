//! zlib streams, bounded on the way out.
use super::Damaged;
use miniz_oxide::deflate::core::{
    compress as deflate, create_comp_flags_from_zip_params, CompressionStrategy, CompressorOxide,
};
use miniz_oxide::deflate::core::{TDEFLFlush, TDEFLStatus};
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER;
use miniz_oxide::inflate::core::{decompress, DecompressorOxide};
use miniz_oxide::inflate::{decompress_slice_iter_to_slice, TINFLStatus};

/// zlib's own default level.
pub const LEVEL_DEFAULT: i32 = 6;

/// How far back a stream may point.
const WINDOW: usize = 32 * 1024;

/// Values up to this length are also tried with zlib's fixed code: a code of their own may take more room than it
/// saves.
const SHORT: usize = 1024;

/// Appends the stream of `value` to `out`.
pub fn compress(value: &[u8], level: i32, out: &mut Vec<u8>) {
    // zlib takes -1 for its default.
    let level = if level < 0 { LEVEL_DEFAULT } else { level.min(9) };
    let stream = stream(value, level, CompressionStrategy::Default);
    let short = (value.len() <= SHORT).then(|| self::stream(value, level, CompressionStrategy::Fixed));
    out.extend_from_slice(&short.filter(|short| short.len() < stream.len()).unwrap_or(stream));
}

fn stream(value: &[u8], level: i32, strategy: CompressionStrategy) -> Vec<u8> {
    // A positive number of bits asks for zlib's header; how many there are is fixed.
    let mut state = CompressorOxide::new(create_comp_flags_from_zip_params(level, 1, strategy as i32));
    let (mut input, mut out, mut filled) = (value, vec![0; (value.len() / 2).max(64)], 0);
    loop {
        let (status, read, written) = deflate(&mut state, input, &mut out[filled..], TDEFLFlush::Finish);
        (input, filled) = (&input[read..], filled + written);
        if status != TDEFLStatus::Okay {
            break;
        }
        out.resize(out.len() * 2, 0);
    }
    out.truncate(filled);
    out
}

/// Reads a stream into `out` and returns how much of it was filled.
pub fn decompress_into(stream: &[u8], out: &mut [u8]) -> Result<usize, Damaged> {
    decompress_slice_iter_to_slice(out, std::iter::once(stream), true, false).map_err(|_| Damaged)
}

/// How long the value of a stream is that does not say so. Reads it through a window, so that what claims to be long
/// takes no memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred times the same byte took 22 bytes where zlib itself takes 12, so that short values did not save enough
    /// to be compressed.
    #[test]
    fn short_values_take_as_little_room_as_with_zlib() {
        for (value, most) in [(vec![b'a'; 100], 12), (b"hello hello hello hello".to_vec(), 16), (Vec::new(), 8)] {
            let (mut out, mut read) = (Vec::new(), vec![0; value.len()]);
            compress(&value, LEVEL_DEFAULT, &mut out);
            assert!(out.len() <= most, "{} bytes became {}", value.len(), out.len());
            assert_eq!((decompress_into(&out, &mut read), &read), (Ok(value.len()), &value));
        }
    }
}

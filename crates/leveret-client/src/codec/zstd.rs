//! zstd frames, bounded on the way out. Only with the feature `zstd`: the library is C, and few clients write it.
use super::Damaged;

/// Appends the frame of `value` to `out`. The library takes any level for the nearest that it has.
pub fn compress(value: &[u8], level: i32, out: &mut Vec<u8>) {
    // Fails only without memory; then nothing is appended, and the value is sent uncompressed.
    if let Ok(frame) = zstd::bulk::compress(value, level) {
        out.extend_from_slice(&frame);
    }
}

/// Reads frames into `out` and returns how much of it was filled.
pub fn decompress_into(frames: &[u8], out: &mut [u8]) -> Result<usize, Damaged> {
    zstd::bulk::decompress_to_buffer(frames, out).map_err(|_| Damaged)
}

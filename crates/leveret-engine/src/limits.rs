//! Limits of an arena: key lengths, and the largest value that fits in one segment.
use crate::core::Core;
use crate::error::Error;
use crate::item::layout::{Layout, Shape};
use crate::meta::Meta;

#[inline(always)]
pub(crate) fn check_key(core: &Core, key: &[u8]) -> Result<(), Error> {
    if key.len() > core.map.geometry.key_max() {
        return Err(Error::KeyTooLong { len: key.len(), max: core.map.geometry.key_max() });
    }
    Ok(())
}

/// Whether an item with this value can lie in one segment, with room for a cas and an extension that it may be given later.
#[inline(always)]
pub(crate) fn fits_segment(core: &Core, key: &[u8], value_len: usize, meta: Meta) -> bool {
    let shape = Shape::PLAIN_BYTES.with_cas(true).with_flags(meta.flags != 0).with_extension(true);
    Layout::new(shape, 0, key.len() as u64, 0).size + value_len as u64 + 8 <= core.segments.size()
}

/// How many bytes of a large value lie in whole segments: all but the rest behind the last full one, which goes
/// into the item that lists them, unless it would fill a segment alone.
pub(crate) fn in_segments(core: &Core, key: &[u8], len: usize, meta: Meta) -> usize {
    let tail = len % core.segments.size() as usize;
    let listed = 8 * (len >> core.map.geometry.segment_shift) + 16;
    if fits_segment(core, key, tail + listed, meta) {
        len - tail
    } else {
        len
    }
}

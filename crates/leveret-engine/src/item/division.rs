//! How a large value is divided: bytes in whole segments, and a tail in the item that lists them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    pub pieces: usize,
    segment_size: u64,
    /// Bytes in the pieces together.
    pub piece_bytes: u64,
    pub tail: u64,
}

impl Division {
    /// The division that an item claims, unless its numbers contradict each other.
    pub fn new(total: u64, pieces: usize, tail: u64, segment_size: u64) -> Option<Division> {
        let piece_bytes = total.checked_sub(tail)?;
        let fits = pieces > 0 && piece_bytes.div_ceil(segment_size) == pieces as u64;
        fits.then_some(Division { pieces, segment_size, piece_bytes, tail })
    }

    /// Bytes of the whole value.
    pub fn total(&self) -> u64 {
        self.piece_bytes + self.tail
    }

    /// Where piece `index` begins in the value, and how long it is.
    pub fn piece(&self, index: usize) -> (u64, u64) {
        let begin = index as u64 * self.segment_size;
        (begin, self.segment_size.min(self.piece_bytes - begin))
    }
}

//! What a server has answered, as it came.
use std::ops::Range;

/// Not the number of a request: the end of a row of gets, which the server marks too (`END`, `MN`, the noop's answer).
pub(crate) const ROW_END: u32 = u32::MAX;

// Large enough for most batches; larger ones make it grow, and then it stays.
const INPUT_LEN: usize = 16 << 10;
const ROOM_MIN: usize = 4 << 10;

// What a server has announced is believed step by step, as it really comes.
const GROWTH_MAX: usize = 4 << 20;

/// An output or input above this is given back to the system after its batch.
pub(crate) const BUFFER_KEPT: usize = 1 << 20;

/// What has come. Answers of the batch stay where they are until the next one begins: nobody copies them but the
/// reader.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// Filled with zeros when it grows, not for each read.
    pub bytes: Vec<u8>,
    pub filled: usize,
    pub parsed: usize,
    /// The next answer is whole when so many bytes are there.
    pub wanted: usize,
    /// Gets of the row that is being answered, behind which others were answered.
    pub passed: Vec<u32>,
    /// Bytes of answers for which nobody waits, since this was cleared.
    pub idle: usize,
}

impl Input {
    pub fn clear(&mut self) {
        (self.filled, self.parsed, self.wanted, self.idle) = (0, 0, 0, 0);
        self.passed.clear();
        if self.bytes.capacity() > BUFFER_KEPT {
            self.bytes = Vec::new();
        }
    }

    /// Keeps bytes that did not come from outside.
    pub fn push(&mut self, bytes: &[u8]) -> Range<usize> {
        self.append(|kept| kept.extend_from_slice(bytes)).0
    }

    /// Keeps what `write` appends, and gives its answer.
    pub fn append<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> (Range<usize>, T) {
        let begin = self.filled;
        self.bytes.truncate(begin);
        let answer = write(&mut self.bytes);
        (self.filled, self.parsed) = (self.bytes.len(), self.bytes.len());
        (begin..self.filled, answer)
    }

    /// Gives up what was not understood; answers before it stay.
    pub fn cut(&mut self) {
        (self.filled, self.wanted) = (self.parsed, 0);
    }

    /// Room for at least `ROOM_MIN` bytes, or for the answer that has been announced.
    pub fn room(&mut self) -> &mut [u8] {
        let believed = self.wanted.min(self.filled * 2 + GROWTH_MAX);
        let least = believed.max(self.filled + ROOM_MIN);
        if least > self.bytes.len() {
            self.bytes.resize(least.max(self.bytes.len() * 2).max(INPUT_LEN), 0);
        }
        &mut self.bytes[self.filled..]
    }
}

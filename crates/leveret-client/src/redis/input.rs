//! Received bytes from a server that were not used yet.

/// Bytes received at once. Strings that fit are returned in place.
pub(super) const ROOM: usize = 16 << 10;

/// Bytes in one piece. Those before `begin` are used, and stay where they are until more comes.
#[derive(Debug, Default)]
pub(super) struct ReplyInput {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
}

impl ReplyInput {
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.begin..self.end]
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    /// Where the unread bytes begin, for `span`.
    #[inline]
    pub fn begin(&self) -> usize {
        self.begin
    }

    /// Bytes that were unread before nothing more came.
    #[inline]
    pub fn span(&self, begin: usize, len: usize) -> &[u8] {
        self.bytes.get(begin..begin + len).unwrap_or_default()
    }

    #[inline]
    pub fn consume(&mut self, len: usize) {
        self.begin += len.min(self.end - self.begin);
    }

    pub fn clear(&mut self) {
        (self.begin, self.end) = (0, 0);
    }

    /// Room for `len` more bytes at least.
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        if self.begin == self.end {
            self.clear();
            // Memory of a long pipeline is released.
            if self.bytes.len() > 16 * ROOM {
                self.bytes = Vec::new();
            }
        }
        if self.bytes.len() - self.end < len {
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if self.bytes.len() - self.end < len {
            let more = len.max(self.bytes.len()).max(ROOM);
            self.bytes.resize(self.end + more, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// `len` bytes of the buffer were filled.
    pub fn came(&mut self, len: usize) {
        self.end += len;
    }

    /// Replaces everything by what `write` puts there.
    pub fn replace(&mut self, write: &mut dyn FnMut(&mut Vec<u8>)) {
        self.bytes.clear();
        write(&mut self.bytes);
        (self.begin, self.end) = (0, self.bytes.len());
    }
}

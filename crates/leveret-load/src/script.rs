//! Bytes that are to be sent, or that must come: short ones copied, long ones as places in the pad, so that a value of
//! a mebibyte costs this process neither a copy nor an allocation.

use std::collections::VecDeque;
use std::io::IoSlice;

/// From this length on a run of the pad is referred to instead of copied.
const REFER_MIN: usize = 4096;

/// Longest run of system-call slices for one send.
const SLICES_MAX: usize = 16;

/// Random bytes, line ends and zeros among them: values are slices of it.
pub struct Pad(Vec<u8>);

impl Pad {
    /// `len` bytes, the same each time.
    pub fn new(len: usize) -> Pad {
        let mut random = crate::random::Random::new(1);
        Pad((0..len).map(|_| random.next() as u8).collect())
    }

    /// A run of them.
    pub fn bytes(&self, start: usize, len: usize) -> &[u8] {
        &self.0[start..start + len]
    }
}

enum Piece {
    Copied { len: usize },
    Pad { start: usize, len: usize },
}

/// A queue of bytes: filled at the end, sent or compared from the front.
#[derive(Default)]
pub struct Script {
    copied: Vec<u8>,
    /// First byte of `copied` that is still in the queue.
    front: usize,
    pieces: VecDeque<Piece>,
}

impl Script {
    /// Nothing is left.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes that are left.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(Piece::len).sum()
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.copied.extend_from_slice(bytes);
        match self.pieces.back_mut() {
            Some(Piece::Copied { len }) => *len += bytes.len(),
            _ => self.pieces.push_back(Piece::Copied { len: bytes.len() }),
        }
    }

    /// Appends a run of the pad.
    pub fn push_pad(&mut self, pad: &Pad, start: usize, len: usize) {
        if len < REFER_MIN {
            self.push(pad.bytes(start, len));
        } else {
            self.pieces.push_back(Piece::Pad { start, len });
        }
    }

    /// What may be given to one vectored send.
    pub fn slices<'a>(&'a self, pad: &'a Pad) -> Vec<IoSlice<'a>> {
        let mut front = self.front;
        self.pieces
            .iter()
            .take(SLICES_MAX)
            .map(|piece| IoSlice::new(piece.bytes(&self.copied, &mut front, pad)))
            .collect()
    }

    /// The queue as one slice, where nothing in it refers to the pad.
    pub fn as_slice(&self) -> Option<&[u8]> {
        match (self.pieces.len(), self.pieces.front()) {
            (1, Some(Piece::Copied { len })) => Some(&self.copied[self.front..self.front + len]),
            _ => None,
        }
    }

    /// A copy of the rest.
    pub fn to_vec(&self, pad: &Pad) -> Vec<u8> {
        let mut front = self.front;
        self.pieces.iter().flat_map(|piece| piece.bytes(&self.copied, &mut front, pad)).copied().collect()
    }

    /// Takes bytes off the front: they were sent.
    pub fn advance(&mut self, mut count: usize) {
        while count > 0 {
            let Some(piece) = self.pieces.front_mut() else { panic!("{count} more bytes than there were") };
            let step = count.min(piece.len());
            match piece {
                Piece::Copied { len } => {
                    *len -= step;
                    self.front += step;
                }
                Piece::Pad { start, len } => {
                    *start += step;
                    *len -= step;
                }
            }
            if piece.len() == 0 {
                self.pieces.pop_front();
            }
            count -= step;
        }
        self.forget_the_sent();
    }

    /// Takes `came` off the front if it is what the script says, else tells the place of the first wrong byte.
    pub fn accept(&mut self, pad: &Pad, came: &[u8]) -> Result<(), Mismatch> {
        let mut rest = came;
        while !rest.is_empty() {
            let mut front = self.front;
            let expected = match self.pieces.front() {
                Some(piece) => piece.bytes(&self.copied, &mut front, pad),
                None => return Err(Mismatch::new(&[], rest)),
            };
            let step = expected.len().min(rest.len());
            if expected[..step] != rest[..step] {
                return Err(Mismatch::new(expected, rest));
            }
            rest = &rest[step..];
            self.advance(step);
        }
        Ok(())
    }

    fn forget_the_sent(&mut self) {
        if self.pieces.is_empty() {
            self.copied.clear();
            self.front = 0;
        } else if self.front > 1 << 16 {
            self.copied.drain(..self.front);
            self.front = 0;
        }
    }
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Copied { len } | Piece::Pad { len, .. } => *len,
        }
    }

    /// `front` is where this piece begins in `copied`, and afterwards where the next one does.
    fn bytes<'a>(&self, copied: &'a [u8], front: &mut usize, pad: &'a Pad) -> &'a [u8] {
        match *self {
            Piece::Copied { len } => {
                *front += len;
                &copied[*front - len..*front]
            }
            Piece::Pad { start, len } => pad.bytes(start, len),
        }
    }
}

/// Where an answer parts from the right one; printable.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch(pub String);

impl Mismatch {
    fn new(expected: &[u8], came: &[u8]) -> Mismatch {
        let wrong = expected.iter().zip(came).position(|(a, b)| a != b).unwrap_or(0);
        let begin = wrong.saturating_sub(24);
        let show = |bytes: &[u8]| bytes[begin.min(bytes.len())..bytes.len().min(wrong + 40)].escape_ascii().to_string();
        Mismatch(format!("expected \"{}\", got \"{}\"", show(expected), show(came)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(pad: &Pad) -> Script {
        let mut script = Script::default();
        script.push(b"VALUE a 0 5000\r\n");
        script.push_pad(pad, 10, 5000);
        script.push(b"\r\nEND\r\n");
        script
    }

    #[test]
    fn accepts_the_right_bytes_in_pieces_of_any_length() {
        let pad = Pad::new(8192);
        let whole = script(&pad).to_vec(&pad);
        for step in [1, 7, 4096, whole.len()] {
            let mut script = script(&pad);
            for part in whole.chunks(step) {
                assert_eq!(Ok(()), script.accept(&pad, part));
            }
            assert!(script.is_empty());
        }
    }

    #[test]
    fn refuses_each_single_wrong_byte_and_any_byte_too_many() {
        let pad = Pad::new(8192);
        let whole = script(&pad).to_vec(&pad);
        for place in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[place] ^= 1;
            assert!(script(&pad).accept(&pad, &wrong).is_err(), "byte {place}");
        }
        let longer = [&whole[..], b"x"].concat();
        assert!(script(&pad).accept(&pad, &longer).is_err());
    }

    #[test]
    fn sends_all_of_it_however_little_each_send_takes() {
        let pad = Pad::new(8192);
        let whole = script(&pad).to_vec(&pad);
        let (mut script, mut sent) = (script(&pad), Vec::new());
        while !script.is_empty() {
            let step = script.slices(&pad)[0].len().min(100);
            sent.extend_from_slice(&script.slices(&pad)[0][..step]);
            script.advance(step);
        }
        assert_eq!(whole, sent);
    }
}

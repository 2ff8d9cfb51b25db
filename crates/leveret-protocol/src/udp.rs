//! UDP frames: eight bytes before the text or binary protocol, in both directions, each number with its high byte first.
//!
//! | bytes | |
//! |---|---|
//! | 0, 1 | request id |
//! | 2, 3 | sequence, from 0 |
//! | 4, 5 | number of datagrams |
//! | 6, 7 | reserved, 0 |
//!
//! An answer that does not fit one datagram comes in several with the same request id. A request is always one datagram.
use std::collections::BTreeMap;

/// Length of the header.
pub const HEADER_LEN: usize = 8;

/// Longest datagram, header included: memcached's number, small enough for every Ethernet path.
pub const DATAGRAM_MAX: usize = 1400;

/// The header of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The client's number, repeated by each datagram of the answer.
    pub request_id: u16,
    /// Place of this datagram, from 0.
    pub sequence: u16,
    /// How many datagrams there are.
    pub total: u16,
}

impl Frame {
    /// The header and the bytes after it; `None` if the datagram is too short for a header.
    pub fn parse(datagram: &[u8]) -> Option<(Frame, &[u8])> {
        let (&[i0, i1, s0, s1, t0, t1, _, _], payload) = datagram.split_first_chunk::<HEADER_LEN>()?;
        let frame = Frame {
            request_id: u16::from_be_bytes([i0, i1]),
            sequence: u16::from_be_bytes([s0, s1]),
            total: u16::from_be_bytes([t0, t1]),
        };
        Some((frame, payload))
    }

    /// The header of a request.
    pub fn request(request_id: u16) -> Frame {
        Frame { request_id, sequence: 0, total: 1 }
    }

    /// It stands before a whole request. Requests in several datagrams are refused, by memcached and by us.
    pub fn is_whole_request(&self) -> bool {
        self.sequence == 0 && self.total == 1
    }

    /// As on the wire.
    pub fn bytes(&self) -> [u8; HEADER_LEN] {
        let ([i0, i1], [s0, s1], [t0, t1]) =
            (self.request_id.to_be_bytes(), self.sequence.to_be_bytes(), self.total.to_be_bytes());
        [i0, i1, s0, s1, t0, t1, 0, 0]
    }
}

/// The datagrams of one answer: header and payload of each, to be sent without being copied together. None if they are
/// more than can be counted. An empty answer is no datagram.
pub fn split(request_id: u16, answer: &[u8]) -> Option<impl ExactSizeIterator<Item = ([u8; HEADER_LEN], &[u8])>> {
    let payloads = answer.chunks(DATAGRAM_MAX - HEADER_LEN);
    let total = u16::try_from(payloads.len()).ok()?;
    Some(
        payloads
            .enumerate()
            .map(move |(sequence, payload)| (Frame { request_id, sequence: sequence as u16, total }.bytes(), payload)),
    )
}

/// An answer that comes in datagrams of any order.
#[derive(Debug)]
pub struct Reassembly {
    request_id: u16,
    bytes_max: usize,
    /// As they came.
    bytes: Vec<u8>,
    /// Where each sequence number that has come lies in `bytes`.
    parts: BTreeMap<u16, (usize, usize)>,
    /// The number of datagrams, once one has told it.
    total: Option<u16>,
}

/// Effect of a datagram on a `Reassembly`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// It is not part of this answer: another request's, late, twice, or damaged. It is as if it had not come.
    Foreign,
    /// It is, and more must come.
    Part,
    /// It was the last one that was missing.
    Whole,
    /// The answer is larger than the bound and is given up.
    TooLarge,
}

impl Reassembly {
    /// Waits for the answer to the request of this number, of `bytes_max` bytes at most.
    pub fn new(request_id: u16, bytes_max: usize) -> Reassembly {
        Reassembly { request_id, bytes_max, bytes: Vec::new(), parts: BTreeMap::new(), total: None }
    }

    /// Takes one datagram.
    pub fn accept(&mut self, datagram: &[u8]) -> Assembled {
        let Some((frame, payload)) = Frame::parse(datagram) else { return Assembled::Foreign };
        if frame.request_id != self.request_id || frame.sequence >= frame.total {
            return Assembled::Foreign;
        }
        if *self.total.get_or_insert(frame.total) != frame.total || self.parts.contains_key(&frame.sequence) {
            return Assembled::Foreign;
        }
        if self.bytes.len() + payload.len() > self.bytes_max {
            return Assembled::TooLarge;
        }
        self.parts.insert(frame.sequence, (self.bytes.len(), payload.len()));
        self.bytes.extend_from_slice(payload);
        if self.is_whole() {
            Assembled::Whole
        } else {
            Assembled::Part
        }
    }

    fn is_whole(&self) -> bool {
        self.total.is_some_and(|total| self.parts.len() == usize::from(total))
    }

    /// The answer, once it is whole.
    pub fn finish(self) -> Option<Vec<u8>> {
        if !self.is_whole() {
            return None;
        }
        let is_in_order = self.parts.values().is_sorted();
        if is_in_order {
            return Some(self.bytes);
        }
        let mut answer = Vec::with_capacity(self.bytes.len());
        for (begin, len) in self.parts.into_values() {
            answer.extend_from_slice(&self.bytes[begin..begin + len]);
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagrams(request_id: u16, answer: &[u8]) -> Vec<Vec<u8>> {
        split(request_id, answer).unwrap().map(|(header, payload)| [&header, payload].concat()).collect()
    }

    #[test]
    fn an_answer_is_split_and_comes_together_in_any_order() {
        let answer: Vec<u8> = (0..3 * DATAGRAM_MAX).map(|at| at as u8).collect();
        let mut parts = datagrams(0x1234, &answer);
        assert_eq!(parts.len(), 4);
        assert!(parts.iter().all(|part| part.len() <= DATAGRAM_MAX));
        assert_eq!(parts[1][..HEADER_LEN], [0x12, 0x34, 0, 1, 0, 4, 0, 0]);
        for _ in 0..parts.len() {
            parts.rotate_left(1);
            let mut whole = Reassembly::new(0x1234, answer.len());
            let accepted: Vec<_> = parts.iter().map(|part| whole.accept(part)).collect();
            assert_eq!(accepted, [Assembled::Part, Assembled::Part, Assembled::Part, Assembled::Whole]);
            assert_eq!(whole.finish(), Some(answer.clone()));
        }
    }

    #[test]
    fn foreign_datagrams_change_nothing() {
        let parts = datagrams(7, &[b'x'; 2000]);
        let mut whole = Reassembly::new(7, 4000);
        assert_eq!(whole.accept(&parts[1]), Assembled::Part);
        let other_total = [0, 7, 0, 0, 0, 3, 0, 0, b'y'];
        let no_datagrams = [0, 7, 0, 0, 0, 0, 0, 0, b'y'];
        for foreign in [parts[1].as_slice(), &datagrams(8, b"y")[0], &other_total, &no_datagrams, b"short", b""] {
            assert_eq!(whole.accept(foreign), Assembled::Foreign, "{foreign:?}");
        }
        assert_eq!(whole.accept(&parts[0]), Assembled::Whole);
        assert_eq!(whole.finish(), Some(vec![b'x'; 2000]));
    }

    #[test]
    fn answers_are_bounded() {
        let parts = datagrams(7, &[b'x'; 2000]);
        let mut whole = Reassembly::new(7, 1500);
        assert_eq!(whole.accept(&parts[0]), Assembled::Part);
        assert_eq!(whole.accept(&parts[1]), Assembled::TooLarge);
        assert_eq!(whole.finish(), None);
        assert!(split(7, &vec![0; (DATAGRAM_MAX - HEADER_LEN) * usize::from(u16::MAX)]).is_some());
        assert!(split(7, &vec![0; (DATAGRAM_MAX - HEADER_LEN) * usize::from(u16::MAX) + 1]).is_none());
    }

    #[test]
    fn requests_are_one_datagram() {
        let (frame, payload) = Frame::parse(b"\0\x01\0\0\0\x01\0\0get a\r\n").unwrap();
        assert_eq!((frame, payload), (Frame::request(1), b"get a\r\n".as_slice()));
        assert!(frame.is_whole_request());
        assert!(!Frame::parse(b"\0\x01\0\0\0\x02\0\0get a\r\n").unwrap().0.is_whole_request());
    }
}

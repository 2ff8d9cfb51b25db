//! Answers, as a client reads them.
use super::{Status, ANSWER, HEADER_LEN};
use crate::{Broken, Limits, Received, KEY_MAX};

/// Keys of `stat` answers are names, which may be longer than keys; extras are short.
const NAME_AND_EXTRAS_MAX: usize = 4 * KEY_MAX;

/// An answer of the binary protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryAnswer<'a> {
    /// Of the request.
    pub opcode: u8,
    /// Of the request.
    pub opaque: u32,
    /// As on the wire.
    pub status: u16,
    /// Version of the item.
    pub cas: u64,
    /// What the opcode adds: flags for gets.
    pub extras: &'a [u8],
    /// For the opcodes that repeat it, and the name in `stat`.
    pub key: &'a [u8],
    /// The value, or the text of the status.
    pub value: &'a [u8],
}

impl BinaryAnswer<'_> {
    /// The status, if it is one that we know.
    pub fn status(&self) -> Option<Status> {
        Status::from_wire(self.status)
    }

    /// The client's flags, in answers to gets.
    pub fn flags(&self) -> Option<u32> {
        self.extras.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }

    /// The new value, in answers to counts.
    pub fn number(&self) -> Option<u64> {
        self.value.try_into().ok().map(u64::from_be_bytes)
    }
}

/// Reads one answer from the front of `input`.
pub fn parse_answer<'a>(input: &'a [u8], limits: &Limits) -> Received<BinaryAnswer<'a>> {
    if input.first().is_some_and(|magic| *magic != ANSWER) {
        return Received::Broken(Broken::BadLine);
    }
    let Some((header, body)) = input.split_first_chunk::<HEADER_LEN>() else {
        return Received::More { total: HEADER_LEN };
    };
    let [_, opcode, k0, k1, extras_len, _, s0, s1, b0, b1, b2, b3, o0, o1, o2, o3, cas @ ..] = *header;
    let (key_len, extras_len) = (usize::from(u16::from_be_bytes([k0, k1])), usize::from(extras_len));
    let body_len = u32::from_be_bytes([b0, b1, b2, b3]) as usize;
    let Some(value_len) =
        body_len.checked_sub(key_len + extras_len).filter(|_| key_len + extras_len <= NAME_AND_EXTRAS_MAX)
    else {
        return Received::Broken(Broken::BadLine);
    };
    if value_len > limits.value_max {
        return Received::Broken(Broken::LargeValue { len: value_len as u64 });
    }
    let Some(body) = body.get(..body_len) else {
        return Received::More { total: HEADER_LEN + body_len };
    };
    let (extras, rest) = body.split_at(extras_len);
    let (key, value) = rest.split_at(key_len);
    let answer = BinaryAnswer {
        opcode,
        opaque: u32::from_be_bytes([o0, o1, o2, o3]),
        status: u16::from_be_bytes([s0, s1]),
        cas: u64::from_be_bytes(cas),
        extras,
        key,
        value,
    };
    Received::Answer { answer, consumed: HEADER_LEN + body_len }
}

#[cfg(test)]
mod tests {
    use super::super::{write_status, AnswerHeader};
    use super::*;

    const LIMITS: Limits = Limits { value_max: 16 };

    #[test]
    fn what_a_server_writes_is_read_back() {
        let mut input = Vec::new();
        let header = AnswerHeader {
            opcode: 0x0c,
            opaque: 9,
            status: Status::Success,
            cas: 5,
            extras_len: 4,
            key_len: 3,
            value_len: 8,
        };
        header.write(&mut input);
        input.extend(b"\0\0\0\x07keyABCDEFGH");
        let Received::Answer { answer, consumed } = parse_answer(&input, &LIMITS) else { panic!() };
        assert_eq!((consumed, answer.opcode, answer.opaque, answer.cas), (input.len(), 0x0c, 9, 5));
        assert_eq!((answer.flags(), answer.key, answer.value), (Some(7), b"key".as_slice(), b"ABCDEFGH".as_slice()));
        assert_eq!((answer.status(), answer.number()), (Some(Status::Success), Some(0x4142_4344_4546_4748)));
        for len in 0..input.len() {
            let total = if len < HEADER_LEN { HEADER_LEN } else { input.len() };
            assert_eq!(parse_answer(&input[..len], &LIMITS), Received::More { total });
        }
        for number in 0..=0xffff {
            let Some(status) = Status::from_wire(number) else { continue };
            assert_eq!(status as u16, number);
            let mut input = Vec::new();
            write_status(&mut input, 1, 2, status);
            let Received::Answer { answer, .. } = parse_answer(&input, &Limits { value_max: 64 }) else { panic!() };
            assert_eq!((answer.status(), answer.value), (Some(status), status.text().as_bytes()));
        }
    }

    #[test]
    fn hostile_answers_are_no_answers() {
        let with = |at: usize, byte: u8| {
            let mut input = Vec::new();
            write_status(&mut input, 0, 0, Status::KeyNotFound);
            input[at] = byte;
            input
        };
        for (input, want) in [
            (with(0, 0x80), Broken::BadLine),
            (with(4, 10), Broken::BadLine),
            (with(2, 0xff), Broken::BadLine),
            (with(8, 0xff), Broken::LargeValue { len: 0xff00_0009 }),
        ] {
            assert_eq!(parse_answer(&input, &LIMITS), Received::Broken(want), "{input:?}");
        }
    }
}

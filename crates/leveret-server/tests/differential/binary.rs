//! Binary frames, sound and broken ones. Of the cas of items only whether there is one is compared.
use crate::random::Random;
use crate::{Beside, Language};

const HEADER: usize = 24;
const CAS: std::ops::Range<usize> = 16..24;
const NOOP: u8 = 0x0a;

fn frame(opcode: u8, extras: &[u8], key: &[u8], value: &[u8], cas: u64, opaque: u32) -> Vec<u8> {
    let mut frame = vec![0x80, opcode];
    frame.extend_from_slice(&(key.len() as u16).to_be_bytes());
    frame.extend_from_slice(&[extras.len() as u8, 0, 0, 0]);
    frame.extend_from_slice(&((extras.len() + key.len() + value.len()) as u32).to_be_bytes());
    frame.extend_from_slice(&opaque.to_be_bytes());
    frame.extend_from_slice(&cas.to_be_bytes());
    [&frame, extras, key, value].concat()
}

pub struct Binary {
    random: Random,
    has_cas: bool,
}

impl Language for Binary {
    type Comparable = Vec<String>;

    fn new(random: Random, has_cas: bool, _: Beside) -> Binary {
        Binary { random, has_cas }
    }

    fn say(&mut self) -> Vec<u8> {
        self.request()
    }

    fn mark() -> (Vec<u8>, Vec<u8>) {
        let mark = frame(NOOP, b"", b"", b"", 0, 0xdead_beef);
        let mut end = mark.clone();
        end[0] = 0x81;
        (mark, end)
    }

    /// The frames of an answer, readable, and with nothing of the cas but whether there is one.
    fn comparable(answer: &[u8]) -> Vec<String> {
        let (mut rest, mut frames) = (answer, Vec::new());
        while rest.len() >= HEADER {
            let body = u32::from_be_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
            let (frame, later) = rest.split_at((HEADER + body).min(rest.len()));
            let has_cas = frame[CAS].iter().any(|byte| *byte != 0);
            frames.push(format!(
                "{:02x?} cas {has_cas} {:?}",
                &frame[..CAS.start],
                String::from_utf8_lossy(&frame[HEADER..])
            ));
            rest = later;
        }
        if !rest.is_empty() {
            frames.push(format!("{:?}", String::from_utf8_lossy(rest)));
        }
        frames
    }
}

impl Binary {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn of<T: Copy>(&mut self, choice: &[T]) -> T {
        self.random.of(choice)
    }

    fn value(&mut self) -> Vec<u8> {
        match self.below(8) {
            0 => Vec::new(),
            1 | 2 => self.below(200).to_string().into_bytes(),
            3 => b"4294967295".to_vec(),
            4 => vec![b'x'; self.below(3000) as usize],
            _ => self.of(&[b"a".as_slice(), b"b\r\nc", b"-5", b"9", b"10", b"99"]).to_vec(),
        }
    }

    fn exptime(&mut self) -> u32 {
        self.of(&[0, 0, 0, 1000, 100_000, 2_592_001, u32::MAX])
    }

    fn request(&mut self) -> Vec<u8> {
        let key = format!("k{}", self.below(5)).into_bytes();
        let opaque = self.below(1 << 32) as u32;
        let cas = self.of(&[0, 0, 0, 0, 77_777_777_777]);
        match self.below(20) {
            // Get, with its key, and both quietly.
            0..=5 => frame(self.of(&[0x00, 0x09, 0x0c, 0x0d]), b"", &key, b"", 0, opaque),
            // Set, add and replace.
            6..=9 => {
                let extras = [self.of(&[0u32, 7, u32::MAX]).to_be_bytes(), self.exptime().to_be_bytes()].concat();
                frame(self.of(&[0x01, 0x01, 0x02, 0x03, 0x11, 0x12, 0x13]), &extras, &key, &self.value(), cas, opaque)
            }
            // Append and prepend, to what is never counted: texts above 20 bytes are no numbers here, padded ones in
            // memcached are.
            10 => frame(self.of(&[0x0e, 0x0f, 0x19, 0x1a]), b"", self.of(&[b"k0", b"k1"]), &self.value(), cas, opaque),
            11 => frame(self.of(&[0x04, 0x14]), b"", &key, b"", cas, opaque),
            12 | 13 => {
                let (delta, initial) = (self.of(&[1u64, 5, 100, 4_000_000_000]), self.of(&[0u64, 13]));
                let exptime = self.of(&[0u32, 0, 1000, u32::MAX, u32::MAX]);
                let extras = [delta.to_be_bytes().as_slice(), &initial.to_be_bytes(), &exptime.to_be_bytes()].concat();
                frame(self.of(&[0x05, 0x06, 0x15, 0x16]), &extras, self.of(&[b"k2", b"k3", b"k4"]), b"", cas, opaque)
            }
            // Touch, get and touch.
            14 | 15 => {
                frame(self.of(&[0x1c, 0x1d, 0x1e, 0x23, 0x24]), &self.exptime().to_be_bytes(), &key, b"", 0, opaque)
            }
            16 => match self.below(6) {
                0 if self.has_cas => frame(0x08, b"", b"", b"", 0, opaque),
                1 if self.has_cas => frame(0x18, &0u32.to_be_bytes(), b"", b"", 0, opaque),
                2 => frame(0x0b, b"", b"", b"version", 0, opaque),
                3 => frame(
                    0x10,
                    b"",
                    self.of(&[b"detail on".as_slice(), b"detail off", b"nonsense", b"sizes"]),
                    b"",
                    0,
                    opaque,
                ),
                4 => frame(self.of(&[0x07, 0x17]), b"", b"", b"", 0, opaque),
                _ => frame(NOOP, b"", b"", b"", 0, opaque),
            },
            17 => frame(self.of(&[0x1f, 0x25, 0x30, 0x40, 0x5a, 0xff]), b"", b"", b"", 0, opaque),
            18 => {
                // More or less of something than the command has.
                let extras = vec![0; self.of(&[0, 1, 4, 8, 12, 20, 21])];
                let value = self.of(&[b"".as_slice(), b"value"]);
                let key = self.of(&[b"".as_slice(), b"k0"]);
                let mut opcode = self.below(0x1b) as u8;
                // What version and statistics say is no part of it. (Of the commands behind these memcached checks
                // less.)
                if matches!(opcode, 0x0b | 0x10) || !self.has_cas && matches!(opcode, 0x08 | 0x18) {
                    opcode = NOOP;
                }
                frame(opcode, &extras, key, value, 0, opaque)
            }
            _ => frame(0x00, b"", &vec![b'k'; self.of(&[250, 251])], b"", 0, opaque),
        }
    }
}

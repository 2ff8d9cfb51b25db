//! As `differential`, in the binary protocol: random frames, sound and broken ones, to Debian's memcached and to an arena.
mod common;
use common::{Memcached, Ours};
use leveret_server::Settings;

/// Without the threads that look after its items: see `differential`. And with the cas 0 for all, or with one for each: then only
/// whether there is one is compared.
const ALONE: &[&str] = &["-m", "64", "-o", "no_lru_maintainer,no_lru_crawler"];

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

/// xorshift64*: the same conversation for the same seed.
struct Random {
    state: u64,
    /// Without cas memcached tells items from those that were flushed by their seconds only.
    may_flush: bool,
}

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }

    fn of<T: Copy>(&mut self, choice: &[T]) -> T {
        choice[self.below(choice.len() as u64) as usize]
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
            // Append and prepend, to what is never counted: texts above 20 bytes are no numbers here, padded ones in memcached are.
            10 => frame(self.of(&[0x0e, 0x0f, 0x19, 0x1a]), b"", self.of(&[b"k0", b"k1"]), &self.value(), cas, opaque),
            11 => frame(self.of(&[0x04, 0x14]), b"", &key, b"", cas, opaque),
            12 | 13 => {
                let (delta, initial) = (self.of(&[1u64, 5, 100, 4_000_000_000]), self.of(&[0u64, 13]));
                let exptime = self.of(&[0u32, 0, 1000, u32::MAX, u32::MAX]);
                let extras = [delta.to_be_bytes().as_slice(), &initial.to_be_bytes(), &exptime.to_be_bytes()].concat();
                frame(self.of(&[0x05, 0x06, 0x15, 0x16]), &extras, self.of(&[b"k2", b"k3", b"k4"]), b"", cas, opaque)
            }
            // Touch, get and touch.
            14 | 15 => frame(self.of(&[0x1c, 0x1d, 0x1e, 0x23, 0x24]), &self.exptime().to_be_bytes(), &key, b"", 0, opaque),
            16 => match self.below(6) {
                0 if self.may_flush => frame(0x08, b"", b"", b"", 0, opaque),
                1 if self.may_flush => frame(0x18, &0u32.to_be_bytes(), b"", b"", 0, opaque),
                2 => frame(0x0b, b"", b"", b"version", 0, opaque),
                3 => frame(0x10, b"", self.of(&[b"detail on".as_slice(), b"detail off", b"nonsense", b"sizes"]), b"", 0, opaque),
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
                // What version and statistics say is no part of it. (Of the commands behind these memcached checks less.)
                if matches!(opcode, 0x0b | 0x10) || !self.may_flush && matches!(opcode, 0x08 | 0x18) {
                    opcode = NOOP;
                }
                frame(opcode, &extras, key, value, 0, opaque)
            }
            _ => frame(0x00, b"", &vec![b'k'; self.of(&[250, 251])], b"", 0, opaque),
        }
    }
}

/// The frames of an answer, readable, and with nothing of the cas but whether there is one.
fn comparable(answer: &[u8]) -> Vec<String> {
    let (mut rest, mut frames) = (answer, Vec::new());
    while rest.len() >= HEADER {
        let body = u32::from_be_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
        let (frame, later) = rest.split_at((HEADER + body).min(rest.len()));
        let has_cas = frame[CAS].iter().any(|byte| *byte != 0);
        frames.push(format!("{:02x?} cas {has_cas} {:?}", &frame[..CAS.start], String::from_utf8_lossy(&frame[HEADER..])));
        rest = later;
    }
    if !rest.is_empty() {
        frames.push(format!("{:?}", String::from_utf8_lossy(rest)));
    }
    frames
}

fn converse(seed: u64, steps: u32, cas: bool) {
    let options = if cas { ALONE } else { &[ALONE, &["-C"]].concat() };
    let mut theirs = Memcached::start(options);
    let mut ours = Ours::new(Settings { cas, ..Settings::default() });
    let mut random = Random { state: seed | 1, may_flush: cas };
    let mark = frame(NOOP, b"", b"", b"", 0, 0xdead_beef);
    let mut end = mark.clone();
    end[0] = 0x81;
    let mut history = Vec::new();
    for step in 0..steps {
        // One by one: what memcached has not sent yet it still holds, and then a number that becomes shorter is not padded.
        let said = random.request();
        history.push(comparable(&said));
        let (want, is_open) = theirs.talk(&said, &mark, &end);
        let mut got = ours.talk(&said);
        let tail = history.iter().rev().take(6).rev().collect::<Vec<_>>();
        if is_open {
            got.extend(ours.talk(&mark));
            assert!(got.ends_with(&end), "seed {seed}, step {step}: {:?} was answered {:?}", comparable(&said), comparable(&got));
            got.truncate(got.len() - end.len());
        } else {
            assert!(ours.over, "seed {seed}, step {step}: memcached hung up after {tail:#?}");
            // Whoever hangs up need not have sent all that came before.
            got.truncate(want.len());
            theirs.reconnect();
            ours.reconnect();
        }
        assert_eq!(comparable(&got), comparable(&want), "seed {seed}, step {step}: left ours, right memcached's, after {tail:#?}");
    }
}

#[test]
fn memcached_and_an_arena_answer_alike() {
    let seed = std::env::var("LEVERET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20261121);
    println!("LEVERET_SEED={seed}");
    for turn in 0..4 {
        converse(seed + turn, 1000, turn % 2 == 0);
    }
}

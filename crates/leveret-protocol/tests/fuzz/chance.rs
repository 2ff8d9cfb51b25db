//! The one source of chance, and inputs made of a corpus by it.

/// SplitMix64: a counter behind a mixing function.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number in `0..end`; 0 if that is empty.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        (self.bits() % end as u64) as usize
    }

    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Small ones, powers of two and their neighbours are where mistakes are.
    pub fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(4) as u64,
            1 => (1_u64 << self.below(64)).wrapping_add(self.below(3) as u64).wrapping_sub(1),
            2 => self.below(1_000_000) as u64,
            _ => self.bits(),
        }
    }

    pub fn bytes(&mut self, len_max: usize) -> Vec<u8> {
        let len = if self.one_in(8) { len_max } else { self.below(len_max + 1) };
        (0..len).map(|_| self.bits() as u8).collect()
    }
}

/// Inputs, one a line, with Rust's escapes.
pub struct Corpus(Vec<Vec<u8>>);

impl Corpus {
    pub fn read(text: &str) -> Corpus {
        Corpus(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(unescape).collect())
    }

    /// A few inputs in a row, most of the time damaged.
    pub fn mutant(&self, chance: &mut Chance) -> Vec<u8> {
        let mut input = Vec::new();
        for _ in 0..=chance.below(4) {
            input.extend_from_slice(&self.0[chance.below(self.0.len())]);
        }
        for _ in 0..chance.below(5) {
            damage(&mut input, chance);
        }
        input
    }
}

fn damage(input: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(input.len() + 1);
    let end = at + chance.below((input.len() - at).min(40) + 1);
    match chance.below(7) {
        0 if at < input.len() => input[at] = chance.bits() as u8,
        1 if at < input.len() => input[at] ^= 1 << chance.below(8),
        2 => drop(input.drain(at..end)),
        3 => {
            let copy = input[at..end].to_vec();
            input.splice(at..at, copy);
        }
        4 => input.truncate(at),
        5 => {
            let number = match chance.one_in(4) {
                true => (chance.number() as i64).to_string(),
                false => chance.number().to_string(),
            };
            input.splice(at..at, number.into_bytes());
        }
        _ if chance.one_in(8) => {
            let filler = chance.pick(&[" ", "k", "key "]).repeat(2040 + chance.below(20));
            input.splice(at..at, filler.into_bytes());
        }
        _ => {
            let long = "k".repeat(245 + chance.below(10));
            let choices = [
                " ",
                "\r\n",
                "\n",
                "\r",
                "\0",
                "\t",
                " noreply",
                "get ",
                "set a 0 0 ",
                "mg a v",
                " b",
                " q",
                "-1",
                "VALUE ",
                "VA ",
                &long,
            ];
            input.splice(at..at, chance.pick(&choices).bytes());
        }
    }
}

/// Binary requests and answers have the same header but for the first byte.
pub fn as_answers(mut requests: Vec<u8>) -> Vec<u8> {
    for byte in &mut requests {
        *byte = if *byte == 0x80 { 0x81 } else { *byte };
    }
    requests
}

fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'r') => bytes.push(b'\r'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'0') => bytes.push(0),
            Some(b'\\') => bytes.push(b'\\'),
            Some(b'x') => {
                let digits = [rest.next(), rest.next()]
                    .map(|digit| char::from(digit.expect("two hex digits")).to_digit(16).expect("a hex digit"));
                bytes.push((digits[0] * 16 + digits[1]) as u8);
            }
            other => panic!("no such escape in the corpus: {other:?} in {line}"),
        }
    }
    bytes
}

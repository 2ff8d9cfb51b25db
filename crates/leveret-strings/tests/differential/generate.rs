//! Requests: for each command arguments that it might be given, and some that it should not.
use crate::random::Random;
use leveret_protocol::resp::write_arguments;

/// Commands that are said here.
pub const COMPARED: &[&str] = &[
    "append",
    "bitcount",
    "bitfield",
    "bitfield_ro",
    "bitop",
    "bitpos",
    "copy",
    "dbsize",
    "decr",
    "decrby",
    "del",
    "echo",
    "exists",
    "expire",
    "expireat",
    "expiretime",
    "flushall",
    "flushdb",
    "get",
    "getbit",
    "getdel",
    "getex",
    "getrange",
    "getset",
    "incr",
    "incrby",
    "incrbyfloat",
    "lcs",
    "mget",
    "move",
    "mset",
    "msetnx",
    "persist",
    "pexpire",
    "pexpireat",
    "pexpiretime",
    "ping",
    "psetex",
    "pttl",
    "rename",
    "renamenx",
    "set",
    "setbit",
    "setex",
    "setnx",
    "setrange",
    "strlen",
    "substr",
    "touch",
    "ttl",
    "type",
    "unlink",
];

/// Said beside them.
const OTHERS: &[&str] = &["select", "nosuch", "object", ""];

const KEYS: &[&[u8]] =
    &[b"a", b"b", b"key:1", b"key:2", b"", b"\x00\xff\r\n", b"{tag}long-key-with-more-than-a-few-bytes"];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "10",
    "-10",
    "100",
    "255",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "9223372036854775",
    "-9223372036854776",
    "01",
    "-0",
    "+1",
    " 1",
    "1 ",
    "1.5",
    "",
    "x",
    "2147483647",
    "2147483648",
    "-2147483649",
];

const FLOATS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.1",
    "0.25",
    "-0.5",
    "3.0e3",
    "1e-5",
    "10.5",
    "5.",
    ".5",
    "+2",
    "abc",
    "",
    "1 ",
    " 1",
    "inf",
    "-inf",
    "nan",
    "1e17",
    "1e400",
    "1e5000",
    "99999999999999999",
    "-1.5e-3",
];

const VALUES: &[&[u8]] = &[
    b"",
    b"x",
    b"hello",
    b"hello world",
    b"0",
    b"1",
    b"-1",
    b"10",
    b"99",
    b"9223372036854775806",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"9223372036854775808",
    b"01",
    b" 1",
    b"1.5",
    b"3.14",
    b"-0",
    b"1e3",
    b"\x00",
    b"\xff\xf0\x00",
    b"\x7f\xff\xff",
    b"\r\n",
    b"foobar",
    b"ohmytext",
    b"mynewtext",
];

/// A request.
pub struct Said {
    pub name: String,
    pub arguments: Vec<Vec<u8>>,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<String> = self.arguments.iter().map(|word| shown(word)).collect();
        write!(f, "{}{}", if self.bytes.first() == Some(&b'*') { "" } else { "(inline) " }, words.join(" "))
    }
}

fn shown(word: &[u8]) -> String {
    match word.len() {
        0..=80 => format!("'{}'", word.escape_ascii()),
        len => format!("({len} bytes)"),
    }
}

pub fn request(arguments: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_arguments(&mut bytes, arguments);
    bytes
}

pub struct Generator<'r> {
    pub random: &'r mut Random,
    /// So that no two relative times are the same: who is later would be chance.
    times: i64,
    /// A few commands said often make for longer stories than all of them said once.
    favourites: Vec<&'static str>,
}

impl<'r> Generator<'r> {
    pub fn new(random: &'r mut Random) -> Generator<'r> {
        let favourites = (0..4).map(|_| *random.pick(COMPARED)).collect();
        Generator { random, times: 0, favourites }
    }

    /// Some requests that are said at once. One that may have to be mended is the last.
    pub fn batch(&mut self) -> Vec<Said> {
        let mut batch = Vec::new();
        for _ in 0..1 + self.random.below(12) {
            batch.push(self.said());
            if batch.last().is_some_and(|said| said.name == "incrbyfloat") {
                break;
            }
        }
        batch
    }

    fn said(&mut self) -> Said {
        let name = match self.random.below(20) {
            0 => self.random.pick(OTHERS).to_string(),
            1..=8 => self.random.pick(&self.favourites).to_string(),
            9..=12 => self.random.pick(&["set", "get", "append", "setrange", "expire", "ttl"]).to_string(),
            _ => self.random.pick(COMPARED).to_string(),
        };
        let mut arguments = self.arguments(&name);
        // What expires is counted until somebody meets it, or not.
        if name == "dbsize" {
            arguments = vec![b"exists".to_vec()];
            arguments.extend(KEYS.iter().map(|key| key.to_vec()));
        }
        if self.random.one_in(20) {
            self.spoil(&mut arguments);
        }
        let name = String::from_utf8_lossy(&arguments[0]).to_lowercase();
        if self.random.one_in(3) {
            arguments[0] = arguments[0].to_ascii_uppercase();
        }
        let words: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        // An empty line would have no answer.
        let bytes = if self.random.one_in(10) { self.inline(&words) } else { request(&words) };
        Said { name, arguments, bytes }
    }

    /// Leaves an argument out, says one twice, or says something else.
    fn spoil(&mut self, arguments: &mut Vec<Vec<u8>>) {
        let at = self.random.below(arguments.len());
        match self.random.below(4) {
            0 if arguments.len() > 1 => drop(arguments.remove(at.max(1))),
            1 => {
                let copy = arguments[at].clone();
                arguments.push(copy);
            }
            2 => arguments.push(self.value()),
            _ if at > 0 => arguments[at] = self.value(),
            _ => {}
        }
    }

    /// As a person types it.
    fn inline(&mut self, words: &[&[u8]]) -> Vec<u8> {
        let mut line = Vec::new();
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                line.extend_from_slice(if self.random.one_in(4) { b" \t " } else { b" " });
            }
            let is_plain =
                !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || b":.-".contains(byte));
            if is_plain && !self.random.one_in(5) {
                line.extend_from_slice(word);
            } else {
                line.push(b'"');
                word.iter().for_each(|byte| match byte {
                    b'"' | b'\\' => line.extend_from_slice(&[b'\\', *byte]),
                    b' '..=b'~' => line.push(*byte),
                    other => line.extend_from_slice(format!("\\x{other:02x}").as_bytes()),
                });
                line.push(b'"');
            }
        }
        line.extend_from_slice(if self.random.one_in(2) { b"\r\n" } else { b"\n" });
        line
    }

    fn arguments(&mut self, name: &str) -> Vec<Vec<u8>> {
        let mut words = vec![name.as_bytes().to_vec()];
        crate::inputs::of(self, name, &mut words);
        words
    }

    pub fn key(&mut self) -> Vec<u8> {
        self.random.pick(KEYS).to_vec()
    }

    pub fn keys(&mut self) -> Vec<Vec<u8>> {
        (0..1 + self.random.below(4)).map(|_| self.key()).collect()
    }

    pub fn value(&mut self) -> Vec<u8> {
        match self.random.below(12) {
            0 => (0..self.random.below(60)).map(|_| self.random.bits() as u8).collect(),
            1 => vec![b'v'; self.random.below(6000)],
            2 => self.random.bits().to_string().into_bytes(),
            _ => self.random.pick(VALUES).to_vec(),
        }
    }

    pub fn number(&mut self) -> Vec<u8> {
        match self.random.below(3) {
            0 => self.random.pick(NUMBERS).as_bytes().to_vec(),
            1 => (self.random.below(40) as i64 - 20).to_string().into_bytes(),
            _ => self.random.below(300).to_string().into_bytes(),
        }
    }

    pub fn float(&mut self) -> Vec<u8> {
        self.random.pick(FLOATS).as_bytes().to_vec()
    }

    /// A length of time that is not over before the conversation, or is over already, or is none. `unit` in a second.
    pub fn time(&mut self, unit: i64) -> Vec<u8> {
        self.times += 3;
        match self.random.below(8) {
            0 => self.random.pick(&["0", "-1", "-100", "x", "", "1.5"]).as_bytes().to_vec(),
            // Those that would be beyond the engine's 136 years are left out.
            1 if unit == 1 => self.random.pick(&["9223372036854775807", "9223372036854775"]).as_bytes().to_vec(),
            1 => self
                .random
                .pick(&["9223372036854775807", "-9223372036854775808", "9223372036854775808"])
                .as_bytes()
                .to_vec(),
            _ => ((100 + 100 * self.random.below(50) as i64 + self.times) * unit).to_string().into_bytes(),
        }
    }

    /// The same as a Unix time.
    pub fn unix_time(&mut self, unit: i64) -> Vec<u8> {
        match self.random.below(8) {
            0 => self.random.pick(&["0", "-1", "1", "x", "", "1000000000", "-9223372036854775808"]).as_bytes().to_vec(),
            1 if unit == 1 => b"9223372036854775807".to_vec(),
            // A round second far from now, so that both servers keep it alike.
            _ => ((3_000_000_000 + 1000 * self.random.below(9) as i64) * unit).to_string().into_bytes(),
        }
    }

    pub fn word(&mut self, words: &[&str]) -> Vec<u8> {
        let word = self.random.pick(words).as_bytes();
        if self.random.one_in(2) {
            word.to_ascii_lowercase()
        } else {
            word.to_vec()
        }
    }
}

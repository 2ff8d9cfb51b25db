//! `-S`: the same conversations with Debian's memcached, whose users are in a sasldb, and with an arena, whose users are
//! in the file of MEMCACHED_SASL_PWDB: every byte of every answer must be the same. And no bytes at all stop it.
mod common;
#[path = "differential/random.rs"]
mod random;

use common::{Memcached, Ours};
use leveret_server::settings::AllowedProtocol;
use leveret_server::Settings;
use random::Random;
use std::path::Path;
use std::process::{Command, Stdio};

const VERSION: u8 = 0x0b;
const LIST: u8 = 0x20;
const AUTH: u8 = 0x21;
const STEP: u8 = 0x22;

fn frame(opcode: u8, extras: &[u8], key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80, opcode];
    frame.extend_from_slice(&(key.len() as u16).to_be_bytes());
    frame.extend_from_slice(&[extras.len() as u8, 0, 0, 0]);
    frame.extend_from_slice(&((extras.len() + key.len() + value.len()) as u32).to_be_bytes());
    frame.extend_from_slice(&[0; 12]);
    [&frame, extras, key, value].concat()
}

/// The end of what is answered to a question for the version, which is not the same of both.
fn version(text: &[u8]) -> Vec<u8> {
    let mut answer = frame(VERSION, b"", b"", text);
    answer[0] = 0x81;
    answer
}

/// A conversation with each.
struct Both {
    theirs: Memcached,
    ours: Ours,
    mark: Vec<u8>,
    their_end: Vec<u8>,
    our_end: Vec<u8>,
    _dir: tempfile::TempDir,
}

impl Both {
    fn start() -> Both {
        let dir = tempfile::tempdir().expect("a folder");
        let (theirs, ours) = (memcached(dir.path()), ours(dir.path()));
        let mut both = Both {
            theirs,
            ours,
            mark: frame(VERSION, b"", b"", b""),
            their_end: Vec::new(),
            our_end: version(leveret_server::VERSION.as_bytes()),
            _dir: dir,
        };
        let told = Command::new("memcached").arg("-V").output().expect("memcached is installed").stdout;
        let told = String::from_utf8_lossy(&told).trim().replace("memcached ", "");
        both.their_end = version(told.as_bytes());
        both
    }

    /// Says it to both, which must answer it alike.
    fn say(&mut self, said: &[u8], context: &str) {
        let (want, is_open) = self.theirs.talk(said, &self.mark, &self.their_end);
        let mut got = self.ours.talk(said);
        if is_open {
            got.extend(self.ours.talk(&self.mark));
            assert!(got.ends_with(&self.our_end), "{context}: the mark was not answered: {}", text(&got));
            got.truncate(got.len() - self.our_end.len());
        } else {
            assert!(self.ours.over, "{context}: memcached hung up, after {}; ours said {}", text(&want), text(&got));
            // Whoever hangs up need not have sent all that came before.
            got.truncate(want.len());
            self.reconnect();
        }
        let want = text(&want).replace(&text(&self.their_end), &text(&self.our_end));
        assert_eq!(text(&got), want, "{context}: left ours, right memcached's");
    }

    fn reconnect(&mut self) {
        self.theirs.reconnect();
        self.ours.reconnect();
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn memcached(dir: &Path) -> Memcached {
    let (database, configuration) = (dir.join("sasldb"), dir.join("memcached.conf"));
    let mut setter = Command::new("saslpasswd2")
        .args(["-p", "-f"])
        .arg(&database)
        .args(["-c", "-a", "memcached", "tester"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("saslpasswd2 is installed: ./x test installs it");
    std::io::Write::write_all(&mut setter.stdin.take().expect("a pipe"), b"secret\n").expect("it reads");
    assert!(setter.wait().expect("it ends").success());
    let sasldb = database.display();
    let lines = format!("mech_list: plain\npwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: {sasldb}\n");
    std::fs::write(&configuration, lines).expect("written");
    Memcached::start_in(&["-S", "-m", "64"], &[("SASL_CONF_PATH", dir)])
}

fn ours(dir: &Path) -> Ours {
    let file = dir.join("passwords");
    std::fs::write(&file, "tester:secret\n").expect("written");
    Ours::new(Settings { sasl_pwdb: Some(file), protocol: AllowedProtocol::Binary, ..Settings::default() })
}

const GOOD: &[u8] = b"\0tester\0secret";

#[test]
fn memcached_and_an_arena_let_the_same_clients_in() {
    let mut both = Both::start();
    let auth = |message: &[u8]| frame(AUTH, b"", b"PLAIN", message);
    let step = |message: &[u8]| frame(STEP, b"", b"PLAIN", message);
    let by = |mechanism: &[u8]| frame(AUTH, b"", mechanism, GOOD);
    let get = || frame(0x00, b"", b"key", b"");
    let list = || frame(LIST, b"", b"", b"");
    let long = |len: usize| auth(&[b"\0tester\0", vec![b'x'; len].as_slice()].concat());
    let mut short_body = get();
    short_body[11] = 1;
    let mut endless_body = get();
    endless_body[8..12].fill(0xff);
    for (name, said) in [
        ("nothing", vec![get()]),
        ("the version", vec![frame(VERSION, b"", b"", b""), get()]),
        ("the list", vec![list(), list(), get()]),
        ("a password", vec![auth(GOOD), get(), get()]),
        ("a wrong one", vec![auth(b"\0tester\0wrong"), get()]),
        ("a wrong one first", vec![auth(b"\0tester\0wrong"), auth(GOOD), get()]),
        ("a wrong one afterwards", vec![auth(GOOD), auth(b"\0tester\0wrong"), get()]),
        ("twice", vec![auth(GOOD), auth(GOOD), auth(GOOD), get()]),
        ("the list afterwards", vec![auth(GOOD), list(), get()]),
        ("with a step", vec![auth(b""), step(GOOD), get()]),
        ("with a wrong step", vec![auth(b""), step(b"\0tester\0wrong"), step(b""), step(GOOD), get()]),
        ("a step first", vec![step(GOOD), get()]),
        ("a step too many", vec![auth(GOOD), step(GOOD), auth(GOOD), auth(GOOD), get()]),
        ("a step after the refusal", vec![auth(b"\0tester\0wrong"), step(GOOD), get()]),
        ("a beginning after the end", vec![auth(GOOD), auth(b""), step(GOOD), get()]),
        ("two beginnings", vec![auth(b""), auth(b""), step(GOOD), get()]),
        ("the list between", vec![auth(b""), list(), step(GOOD), get()]),
        ("a refusal between", vec![auth(b""), by(b"LOGIN"), step(GOOD), get()]),
        ("no end", vec![auth(b""), get()]),
        ("another mechanism afterwards", vec![auth(GOOD), by(b"LOGIN"), auth(GOOD), get()]),
        ("a mechanism of 33 bytes afterwards", vec![auth(GOOD), by(&[b'P'; 33]), get()]),
        ("mechanisms", [b"plain".as_slice(), b"LOGIN", b"CRAM-MD5", b"PLAI", b"PLAINX", b" PLAIN"].map(by).into()),
        ("a mechanism with a zero", vec![by(b"PLAIN\0x"), get()]),
        ("mechanisms of 32 and 33 bytes", vec![by(&[b'P'; 32]), by(&[b'P'; 33]), auth(GOOD), get()]),
        ("a mechanism of 250 bytes", vec![by(&[b'P'; 250]), auth(GOOD), get()]),
        ("a mechanism of 251 bytes", vec![by(&[b'P'; 251])]),
        ("no mechanism", vec![by(b"")]),
        ("extras", vec![frame(AUTH, b"four", b"PLAIN", GOOD)]),
        ("a list with a body", vec![frame(LIST, b"", b"PLAIN", b"")]),
        ("for himself", vec![auth(b"tester\0tester\0secret"), get()]),
        ("for another", vec![auth(b"other\0tester\0secret"), get()]),
        ("space around the name", vec![auth(b" tester\0tester \0secret"), get()]),
        ("space behind the password", vec![auth(b"\0tester\0secret "), get()]),
        ("a zero behind the password", vec![auth(b"\0tester\0secret\0"), get()]),
        ("another case", vec![auth(b"\0TESTER\0secret"), get()]),
        ("no user", vec![auth(b"\0\0secret"), get()]),
        ("no password", vec![auth(b"\0tester\0"), get()]),
        ("too few parts", vec![auth(b"\0tester"), auth(b"tester"), auth(b"\0"), get()]),
        ("long messages", vec![long(300), long(1017), long(1018), long(4000), long(200_000), auth(GOOD), get()]),
        ("an unknown command", vec![frame(0x55, b"", b"key", b"")]),
        ("a store", vec![frame(0x01, &[0; 8], b"key", &[b'x'; 2000])]),
        ("a key of 251 bytes", vec![frame(0x00, b"", &[b'k'; 251], b"")]),
        ("a body that is too short", vec![short_body]),
        ("a body without an end", vec![endless_body]),
        ("the end, and quietly", vec![frame(0x07, b"", b"", b"")]),
        ("the end, quietly", vec![frame(0x17, b"", b"", b"")]),
        ("in one piece", vec![[auth(GOOD), get(), auth(b""), get()].concat()]),
        ("text", vec![b"get key\r\nget key\r\nget key\r\n".to_vec()]),
        ("text afterwards", vec![auth(GOOD), b"get key\r\nget key\r\nget key\r\n".to_vec()]),
    ] {
        both.reconnect();
        for (number, said) in said.iter().enumerate() {
            both.say(said, &format!("{name}, {number}"));
        }
    }
}

/// What memcached and we count of it, and that it is switched on.
#[test]
fn statistics_tell_of_it_as_memcacheds() {
    let mut both = Both::start();
    let wrong = frame(AUTH, b"", b"PLAIN", b"\0tester\0wrong");
    let said = [frame(AUTH, b"", b"PLAIN", b""), wrong.clone(), frame(STEP, b"", b"PLAIN", GOOD), wrong];
    for said in said.iter().chain([&frame(AUTH, b"", b"PLAIN", GOOD)]) {
        both.say(said, "counted");
    }
    for (subject, name) in
        [("", "auth_cmds"), ("", "auth_errors"), ("settings", "auth_enabled_sasl"), ("settings", "binding_protocol")]
    {
        let request = frame(0x10, b"", subject.as_bytes(), b"");
        let end = frame(0x0a, b"", b"", b"");
        let mut answer = end.clone();
        answer[0] = 0x81;
        let (theirs, is_open) = both.theirs.talk(&request, &end, &answer);
        assert!(is_open);
        let [want, got] = [theirs, both.ours.talk(&request)].map(|answer| {
            let at = answer.windows(name.len()).position(|window| window == name.as_bytes()).expect(name) + name.len();
            let len = answer[at..].iter().position(|byte| *byte == 0x81).expect("another statistic");
            text(&answer[at..at + len])
        });
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn memcached_and_an_arena_answer_random_sign_ins_alike() {
    let seed = std::env::var("LEVERET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20261123);
    println!("LEVERET_SEED={seed}");
    let mut random = Random::new(seed);
    let mut both = Both::start();
    let mut history = Vec::new();
    for _ in 0..1500 {
        if random.below(12) == 0 {
            both.reconnect();
            history.clear();
        }
        let message = random.of(&[
            GOOD,
            GOOD,
            b"",
            b"",
            b"\0tester\0wrong",
            b"\0nobody\0secret",
            b"tester\0tester\0secret",
            b"other\0tester\0secret",
            b"\0tester",
            b"\0",
        ]);
        let mechanism = random.of(&[b"PLAIN".as_slice(), b"PLAIN", b"PLAIN", b"plain", b"LOGIN", &[b'm'; 33]]);
        let said = match random.below(16) {
            0..=5 => frame(AUTH, b"", mechanism, message),
            6..=8 => frame(STEP, b"", mechanism, message),
            9 => frame(LIST, b"", b"", b""),
            10 => frame(VERSION, b"", b"", b""),
            11 => frame(0x04, b"", b"none", b""),
            // Without a body, of which memcached would swallow more than there is.
            12 => frame(random.below(256) as u8 | 0x40, b"", b"", b""),
            13 => frame(random.of(&[0x0a, 0x17, 0x07]), b"", b"", b""),
            _ => frame(0x00, b"", b"none", b""),
        };
        history.push(text(&said[..said.len().min(60)]));
        both.say(&said, &format!("seed {seed}, after {:#?}", &history[history.len().saturating_sub(8)..]));
    }
}

/// Sound packets with bytes changed, cut short and glued together, in pieces of any length: each piece is dealt with,
/// and nobody gets in by it.
#[test]
fn no_bytes_stop_it_or_let_anybody_in() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut ours = ours(dir.path());
    let mut random = Random::new(20261123);
    for _ in 0..3000 {
        ours.reconnect();
        let mut bytes = Vec::new();
        for _ in 0..=random.below(3) {
            let opcode = random.of(&[AUTH, AUTH, STEP, LIST, 0x00, 0x01]);
            let mut packet = frame(opcode, b"", b"PLAIN", random.of(&[b"\0tester\0wrong".as_slice(), b"", b"\0\0\0"]));
            for _ in 0..random.below(4) {
                let at = random.below(packet.len() as u64) as usize;
                packet[at] = random.below(256) as u8;
            }
            packet.truncate(packet.len() - random.of(&[0, 0, 0, 1, 7]));
            bytes.extend(packet);
        }
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.len().min(1 + random.below(40) as usize));
            let answer = ours.talk(piece);
            assert!(!answer.windows(13).any(|window| window == b"Authenticated"), "{}", text(&bytes));
            rest = later;
        }
    }
    ours.reconnect();
    let answer = ours.talk(&frame(AUTH, b"", b"PLAIN", GOOD));
    assert!(answer.ends_with(b"Authenticated"), "{}", text(&answer));
}

//! Any request, with any arguments: one well-formed reply, in either version, and no panic. So do damaged scripts.
use leveret_engine::{Arena, OpenOptions};
use leveret_protocol::resp::{parse_reply, ArgumentsBuf, ReplyBounds, ReplyWriter, RespVersion};
use leveret_protocol::Received;
use leveret_strings::{find, rows, run, Call, CommandRow, OneDatabase, Ran};

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

const WORDS: &[&[u8]] = &[
    b"k",
    b"l",
    b"",
    b"0",
    b"1",
    b"-1",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"1e300",
    b"-1e-300",
    b"inf",
    b"nan",
    b"1.",
    b"#5",
    b"u8",
    b"i64",
    b"EX",
    b"PX",
    b"EXAT",
    b"PXAT",
    b"NX",
    b"XX",
    b"GT",
    b"LT",
    b"GET",
    b"SET",
    b"INCRBY",
    b"OVERFLOW",
    b"SAT",
    b"FAIL",
    b"KEEPTTL",
    b"PERSIST",
    b"MATCH",
    b"COUNT",
    b"TYPE",
    b"DB",
    b"REPLACE",
    b"IDX",
    b"LEN",
    b"MINMATCHLEN",
    b"WITHMATCHLEN",
    b"BIT",
    b"BYTE",
    b"AND",
    b"NOT",
    b"XOR",
    b"*",
    b"[",
    b"[^",
    b"\\",
    b"\r\n",
    b"\0",
    b"SAMPLES",
    b"FILTERBY",
    b"ACLCAT",
    b"PATTERN",
    b"help",
    b"return 1",
    b"return redis.call('get', KEYS[1])",
];

fn word(chance: &mut Chance) -> Vec<u8> {
    match chance.below(12) {
        0 => (0..chance.below(40)).map(|_| chance.bits() as u8).collect(),
        1 => vec![b'x'; chance.below(3000)],
        2 => (chance.bits() as i64).to_string().into_bytes(),
        _ => chance.pick(WORDS).to_vec(),
    }
}

/// Runs a request, and looks at its reply. The output begins with what was there before.
fn check(host: &OneDatabase, request: &ArgumentsBuf, version: RespVersion) {
    let request = request.arguments();
    let mut output = b"before".to_vec();
    let mut call = Call::new(host, 0, ReplyWriter::new(&mut output, version));
    let ran = match find(&request) {
        Ok(row) => run(row, &mut call, &request),
        Err(problem) => {
            problem.write(&mut call.reply);
            Ran::Busy
        }
    };
    match (output.strip_prefix(b"before"), ran) {
        (Some([]), Ran::Server(_) | Ran::LongAnswer) => {}
        (Some(reply), _) => match parse_reply(reply, &ReplyBounds::default()) {
            Received::Answer { consumed, .. } if consumed == reply.len() => {}
            other => panic!("{request:?}: {other:?} is {}", reply[..reply.len().min(200)].escape_ascii()),
        },
        (None, _) => panic!("{request:?} has taken back what was there before"),
    }
}

#[test]
fn any_request_has_one_reply() {
    let (arena, _) = Arena::of_this_process(&OpenOptions::new().memory(16 << 20)).expect("an arena");
    let host = OneDatabase(arena);
    let all: Vec<&CommandRow> = rows().flat_map(|row| std::iter::once(row).chain(row.subcommands())).collect();
    let mut chance = Chance(20261127);
    for round in 0..15_000 {
        let row = *chance.pick(&all);
        let mut words: Vec<Vec<u8>> = row.name.split('|').map(|part| part.as_bytes().to_vec()).collect();
        let least = row.arity.unsigned_abs() as usize;
        while words.len() < least || chance.below(3) == 0 {
            words.push(word(&mut chance));
        }
        let request: ArgumentsBuf = words.iter().collect();
        check(&host, &request, if round % 2 == 0 { RespVersion::Two } else { RespVersion::Three });
    }
    assert!(host.0.verify().is_clean());
}

const SCRIPTS: &[&str] = &[
    "local v = redis.call('get', KEYS[1]) if v == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    "if redis.call('exists',KEYS[1])<1 and #ARGV>=2 then return {redis.call('setex',KEYS[1],ARGV[2],ARGV[1]), 2.5, not nil} end",
    "local a, b = tonumber(ARGV[1]), [[x]] --[=[ c ]=] \n return a and (a + 1) * -2 % 3 .. b or redis.error_reply('NO no')",
    "return redis.pcall(\"incr\", KEYS[1]).err or {ok='\\65\\n'}",
    "local cur = 0 local i = 0 local tmp repeat tmp = redis.call('SCAN', cur, 'MATCH', 'a*') cur = tonumber(tmp[1]) if tmp[2] then \
        for _, v in pairs(tmp[2]) do redis.call('del', v) i = i + 1 end end until 0 == cur return i",
];

#[test]
fn damaged_scripts_harm_nobody() {
    let (arena, _) = Arena::of_this_process(&OpenOptions::new().memory(16 << 20)).expect("an arena");
    let host = OneDatabase(arena);
    let mut chance = Chance(7);
    for _ in 0..20_000 {
        let mut text = chance.pick(SCRIPTS).as_bytes().to_vec();
        for _ in 0..chance.below(4) {
            if text.is_empty() {
                break;
            }
            let at = chance.below(text.len());
            let end = at + chance.below((text.len() - at).min(20) + 1);
            match chance.below(5) {
                0 => text[at] = chance.bits() as u8,
                1 => drop(text.drain(at..end)),
                2 => {
                    let copy = text[at..end].to_vec();
                    text.splice(at..at, copy);
                }
                3 => {
                    let inserted = *chance.pick(&[
                        "(", ")", "{", "}", "[", "]", "'", "\"", "..", "end ", "nil ", "1e309 ", "- ", "not ", "[[",
                    ]);
                    text.splice(at..at, inserted.bytes());
                }
                _ => text.truncate(at.max(1)),
            }
        }
        let request: ArgumentsBuf = [&b"EVAL"[..], &text, b"1", b"k", b"10", b"20"].iter().collect();
        check(&host, &request, RespVersion::Two);
    }
}

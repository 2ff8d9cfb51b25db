//! KEYS, SCAN and RANDOMKEY: what they find, in whatever order.
use crate::ours::Ours;
use crate::random::Random;
use crate::redis::Redis;
use crate::{generate, variable, DATABASES};
use leveret_protocol::resp::{parse_reply, ReplyBounds, ReplyValue, RespVersion};
use leveret_protocol::Received;
use std::collections::BTreeSet;

const PATTERNS: &[&[u8]] = &[
    b"*",
    b"**",
    b"key:*",
    b"key:?",
    b"key:1?",
    b"*1*",
    b"k[a-f]*",
    b"k[^a-f]*",
    b"[kK]ey*",
    b"\\*",
    b"\\k*",
    b"[",
    b"[a",
    b"[a-",
    b"[^",
    b"",
    b"?",
    b"*\\",
    b"[\\]]",
    b"key:[0-9][0-9]",
    b"*:*:*",
    b"[z-a]*",
    b"*[0-9]",
];

fn elements(reply: &[u8]) -> Vec<ReplyValue> {
    match parse_reply(reply, &ReplyBounds::default()) {
        Received::Answer { answer: ReplyValue::Array(elements), .. } => elements,
        other => panic!("{other:?}"),
    }
}

fn keys_of(elements: &[ReplyValue]) -> Vec<Vec<u8>> {
    elements.iter().map(|key| key.text().expect("a key").to_vec()).collect()
}

/// All keys that a whole walk meets.
fn walk(talk: &mut dyn FnMut(&[u8]) -> Vec<u8>, options: &[&[u8]]) -> Vec<Vec<u8>> {
    let (mut cursor, mut found) = (b"0".to_vec(), Vec::new());
    for _ in 0..100_000 {
        let words = [&[b"SCAN".as_slice(), &cursor], options].concat();
        let [place, keys] = <[ReplyValue; 2]>::try_from(elements(&talk(&generate::request(&words)))).expect("two");
        let ReplyValue::Array(keys) = keys else { panic!("{keys:?}") };
        found.extend(keys_of(&keys));
        cursor = place.text().expect("a cursor").to_vec();
        assert!(std::str::from_utf8(&cursor).expect("digits").parse::<u64>().expect("a number") < 1 << 53);
        if cursor == b"0" {
            return found;
        }
    }
    panic!("a walk without an end");
}

#[test]
fn walks_find_the_same_keys() {
    let seed = variable("LEVERET_SEED", 20261127);
    let mut ours = Ours::new(DATABASES);
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    let mut random = Random::new(seed);
    for round in 0..8 {
        redis.begin(RespVersion::Two);
        ours.begin(RespVersion::Two);
        let mut said = Vec::new();
        let count = [0, 1, 5, 40, 400, 3000, 100, 20][round];
        for number in 0..count {
            let key = match random.below(4) {
                0 => format!("key:{number}").into_bytes(),
                1 => vec![*random.pick(b"aKkz*[]\\\x00\xff"); 1 + random.below(3)],
                2 => (0..random.below(4)).map(|_| random.bits() as u8).collect(),
                _ => format!("k{}:{number}:x", random.below(9)).into_bytes(),
            };
            said.push(generate::request(&[b"SET", &key, b"v"]));
        }
        let bytes = said.concat();
        redis.talk(&bytes, said.len());
        ours.talk(&bytes, &mut Random::new(1));
        let mut ask_ours = |said: &[u8]| ours.talk(said, &mut Random::new(2)).concat();
        for pattern in PATTERNS {
            let keys = generate::request(&[b"KEYS", pattern]);
            let want: BTreeSet<_> = keys_of(&elements(&redis.talk(&keys, 1)[0])).into_iter().collect();
            let got = keys_of(&elements(&ask_ours(&keys)));
            assert_eq!(got.len(), want.len(), "KEYS {}", pattern.escape_ascii());
            assert_eq!(got.into_iter().collect::<BTreeSet<_>>(), want, "KEYS {}", pattern.escape_ascii());
            let options: [&[&[u8]]; 3] = [
                &[b"MATCH", pattern],
                &[b"count", b"100", b"match", pattern],
                &[b"TYPE", b"String", b"MATCH", pattern],
            ];
            for options in options {
                let want: BTreeSet<_> = walk(&mut |said| redis.talk(said, 1).concat(), options).into_iter().collect();
                let got = walk(&mut ask_ours, options);
                assert_eq!(got.len(), want.len(), "each key is met once");
                assert_eq!(got.into_iter().collect::<BTreeSet<_>>(), want, "SCAN {}", pattern.escape_ascii());
            }
        }
        assert_eq!(walk(&mut ask_ours, &[b"TYPE", b"hash"]), [[0; 0]; 0]);
        let all: BTreeSet<_> = walk(&mut ask_ours, &[]).into_iter().collect();
        for _ in 0..50 {
            let reply = ask_ours(b"RANDOMKEY\r\n");
            match parse_reply(&reply, &ReplyBounds::default()) {
                Received::Answer { answer: ReplyValue::Nil, .. } => assert!(all.is_empty()),
                Received::Answer { answer: ReplyValue::Bulk(key), .. } => assert!(all.contains(&key)),
                other => panic!("{other:?}"),
            }
        }
        let size = b"DBSIZE\r\n";
        assert_eq!(ask_ours(size), redis.talk(size, 1)[0]);
        // Errors, and cursors from nowhere.
        for words in [
            &[b"SCAN".as_slice(), b"x"][..],
            &[b"SCAN", b"18446744073709551616"],
            &[b"SCAN", b"0", b"COUNT", b"0"],
            &[b"SCAN", b"0", b"COUNT", b"x"],
            &[b"SCAN", b"0", b"MATCH"],
            &[b"SCAN", b"0", b"NOSUCH", b"x"],
            &[b"SCAN", b"0", b"COUNT", b"-1"],
            &[b"KEYS"],
        ] {
            let said = generate::request(words);
            assert_eq!(ask_ours(&said), redis.talk(&said, 1)[0], "{words:?}");
        }
        for _ in 0..20 {
            let cursor = random.bits().to_string();
            ask_ours(&generate::request(&[b"SCAN", cursor.as_bytes()]));
        }
    }
}

//! Exact bytes in and out.
mod common;
use common::Ours;
use leveret_engine::{Deadline, Encoding, Meta, Mode, Time, Value};
use leveret_server::Settings;
use std::collections::HashSet;

/// A conversation as a list of what is said and what is answered.
fn play(ours: &mut Ours, lines: &[(&str, &str)]) {
    for (said, want) in lines {
        assert_eq!(without_haste(ours.say(said)), *want, "{said:?}");
    }
}

/// Time passes while we talk: where 30 seconds were left (`t30`) it may be a few less by now.
fn without_haste(mut said: String) -> String {
    for left in 20..30 {
        said = said.replace(&format!("t{left}"), "t30");
    }
    said
}

#[test]
fn classic_commands() {
    let mut ours = Ours::new(Settings::default());
    play(
        &mut ours,
        &[
            ("get a\r\n", "END\r\n"),
            ("set a 5 0 3\r\nabc\r\n", "STORED\r\n"),
            ("get a b a\r\n", "VALUE a 5 3\r\nabc\r\nVALUE a 5 3\r\nabc\r\nEND\r\n"),
            ("add a 0 0 1\r\nx\r\n", "NOT_STORED\r\n"),
            ("add b 0 0 1\r\nx\r\n", "STORED\r\n"),
            ("replace c 0 0 1\r\nx\r\n", "NOT_STORED\r\n"),
            ("append a 9 9 2\r\nde\r\nprepend a 0 0 1\r\n-\r\n", "STORED\r\nSTORED\r\n"),
            ("get a\r\n", "VALUE a 5 6\r\n-abcde\r\nEND\r\n"),
            ("append c 0 0 1\r\nx\r\n", "NOT_STORED\r\n"),
            ("cas c 0 0 1 5\r\nx\r\n", "NOT_FOUND\r\n"),
            ("cas a 0 0 1 5\r\nx\r\n", "EXISTS\r\n"),
            ("set n 0 0 2\r\n10\r\n", "STORED\r\n"),
            ("decr n 1\r\n", "9\r\n"),
            ("get n\r\n", "VALUE n 0 2\r\n9 \r\nEND\r\n"),
            ("incr n 18446744073709551615\r\n", "8\r\n"),
            ("decr n 100\r\n", "0\r\n"),
            ("incr a 1\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n"),
            ("incr no 1\r\n", "NOT_FOUND\r\n"),
            ("touch a 100\r\n", "TOUCHED\r\n"),
            ("touch no 100\r\n", "NOT_FOUND\r\n"),
            ("gat 100 a no\r\n", "VALUE a 5 6\r\n-abcde\r\nEND\r\n"),
            ("gat -1 a\r\n", "VALUE a 5 6\r\n-abcde\r\nEND\r\n"),
            ("get a\r\n", "END\r\n"),
            ("delete b\r\ndelete b\r\n", "DELETED\r\nNOT_FOUND\r\n"),
            ("set q 0 0 1 noreply\r\nx\r\nget q\r\n", "VALUE q 0 1\r\nx\r\nEND\r\n"),
            ("set d 0 -1 1\r\nx\r\nget d\r\n", "STORED\r\nEND\r\n"),
            // 31 days in seconds are a moment in 1970.
            ("set d 0 2678400 1\r\nx\r\nget d\r\n", "STORED\r\nEND\r\n"),
            ("flush_all\r\nget q\r\n", "OK\r\nEND\r\n"),
            ("set q 0 0 1\r\ny\r\nget q\r\n", "STORED\r\nVALUE q 0 1\r\ny\r\nEND\r\n"),
            ("flush_all 1000\r\nget q\r\n", "OK\r\nVALUE q 0 1\r\ny\r\nEND\r\n"),
            ("flush_all word\r\n", "CLIENT_ERROR invalid exptime argument\r\n"),
            ("version\r\n", "VERSION 1.6.45\r\n"),
            ("verbosity 1\r\n", "OK\r\n"),
            ("shutdown\r\n", "SERVER_ERROR: shutdown not enabled\r\n"),
            ("nonsense\r\n", "ERROR\r\n"),
            ("stats nonsense\r\n", "ERROR\r\n"),
            ("stats reset\r\n", "RESET\r\n"),
            ("quit\r\n", ""),
        ],
    );
    assert!(ours.over);
}

#[test]
fn meta_commands() {
    let mut ours = Ours::new(Settings::default());
    play(
        &mut ours,
        &[
            ("mn\r\n", "MN\r\n"),
            ("mg a\r\nmg a v\r\nmg a v q\r\nmn\r\n", "EN\r\nEN\r\nMN\r\n"),
            ("ms a 3 F5 T0\r\nabc\r\n", "HD\r\n"),
            ("mg a\r\n", "HD\r\n"),
            ("mg a s v f t k O9\r\n", "VA 3 s3 f5 t-1 ka O9\r\nabc\r\n"),
            ("mg YQ== b k v\r\n", "VA 3 kYQ== b\r\nabc\r\n"),
            ("ms a 1 q\r\nx\r\nmn\r\n", "MN\r\n"),
            ("ms a 1 ME\r\ny\r\n", "NS\r\n"),
            ("ms a 1 MA\r\ny\r\nmg a v\r\n", "HD\r\nVA 2\r\nxy\r\n"),
            ("ms a 1 C1\r\ny\r\nms no 1 C1\r\ny\r\n", "EX\r\nNF\r\n"),
            ("ms v 2 MA N0\r\nhi\r\nmg v v\r\n", "HD\r\nVA 2\r\nhi\r\n"),
            ("ms v 3 MA s\r\n123\r\nms v 1 MP O7 s k\r\n0\r\nms v 1 s\r\nx\r\n", "HD s5\r\nHD O7 s6 kv\r\nHD s1\r\n"),
            ("ms none 3 MA s\r\n123\r\nms made 3 MA N0 s\r\n123\r\n", "NS s3\r\nHD s3\r\n"),
            ("ms e 1 E77\r\nx\r\nmg e c\r\n", "HD\r\nHD c77\r\n"),
            ("md a\r\nmd a\r\nmn\r\n", "HD\r\nNF\r\nMN\r\n"),
            (
                "ma n\r\nma n N0 J13 v\r\nma n v D7\r\nma n MD D100 v t\r\n",
                "NF\r\nVA 2\r\n13\r\nVA 2\r\n20\r\nVA 1 t-1\r\n0\r\n",
            ),
            // A miss is vivified by one, who wins; the next ones are told that somebody has won.
            ("mg w N30 t v\r\nmg w N30 t v\r\n", "VA 0 t30 W\r\n\r\nVA 0 t30 Z\r\n\r\n"),
            // Marked stale: the first reader wins, the next ones get the old value.
            ("ms s 3 T100\r\nold\r\nmd s I T30\r\n", "HD\r\nHD\r\n"),
            ("mg s v t\r\nmg s v\r\n", "VA 3 t30 X W\r\nold\r\nVA 3 Z X\r\nold\r\n"),
            ("ms s 3\r\nnew\r\nmg s v\r\n", "HD\r\nVA 3\r\nnew\r\n"),
            // Recache: who reads it with less than 30 seconds left wins.
            ("ms r 1 T20\r\nx\r\nmg r R30 v\r\nmg r R30 v\r\n", "HD\r\nVA 1 W\r\nx\r\nVA 1 Z\r\nx\r\n"),
            // Touched to death, it is given for the last time.
            ("ms d 1 F3\r\nx\r\nmg d v f T-1\r\nmg d v\r\n", "HD\r\nVA 1 f3\r\nx\r\nEN\r\n"),
            ("ms d 1\r\nx\r\nmd d I T-1\r\nmg d v\r\n", "HD\r\nHD\r\nEN\r\n"),
            ("mg s v Q\r\n", "CLIENT_ERROR invalid flag\r\n"),
        ],
    );
    // An older token than the item's stores all the same with I, and what it stores is stale. It lives no longer than
    // what was there, and who has won to make that anew has won: once it began a life of its own, and the next reader
    // won as well.
    assert_eq!(ours.say("ms i 1 T100\r\na\r\n"), "HD\r\n");
    let cas: u64 = ours.say("mg i c\r\n").trim_end().trim_start_matches("HD c").parse().expect("a number");
    assert_eq!(ours.say(&format!("ms i 1 I C{} T500\r\nb\r\n", cas - 1)), "HD\r\n");
    assert_eq!(ours.say("mg i v t\r\n"), "VA 1 t100 X W\r\nb\r\n");
    assert_eq!(ours.say(&format!("ms i 1 I C{}\r\nc\r\n", cas - 1)), "HD\r\n");
    assert_eq!(ours.say("mg i v t\r\n"), "VA 1 t100 Z X\r\nc\r\n");
    // A number that was counted has had no cas since. It was taken for one that is newer than any.
    play(
        &mut ours,
        &[
            ("ms number 1 T100\r\n5\r\nma number v\r\nms number 1 I C1\r\n7\r\n", "HD\r\nVA 1\r\n6\r\nHD\r\n"),
            ("mg number v t\r\nma number v\r\n", "VA 1 t100 X W\r\n7\r\nVA 1\r\n8\r\n"),
            ("ms number 1 I C9999999999999999999\r\n9\r\nms number 1 C1\r\n9\r\n", "EX\r\nEX\r\n"),
        ],
    );
    // An add asks for no cas, and nothing is joined to a value that it was not meant for.
    play(
        &mut ours,
        &[
            ("ms n1 1 ME C5\r\nx\r\nms n1 1 ME C5\r\ny\r\n", "HD\r\nNS\r\n"),
            (
                "ms n2 1 MA C5\r\nx\r\nms i 1 MA C0\r\nd\r\nms i 1 MA I C5\r\ne\r\nmg i v\r\n",
                "NS\r\nHD\r\nEX\r\nVA 2\r\ncd\r\n",
            ),
            ("ms i 1 I C0\r\nx\r\n", "EX\r\n"),
        ],
    );
    let debug = ours.say("me e\r\n");
    assert!(debug.starts_with("ME e exp=-1 la=") && debug.contains(" cas=77 fetch=yes cls=1 size="), "{debug:?}");
}

/// Flags that change a deadline, tell it or ask about it are done one after the other, as in memcached. Ours told the new
/// one wherever `t` stood, and asked `R` about the old one.
#[test]
fn meta_flags_about_a_deadline_are_done_in_their_order() {
    let mut ours = Ours::new(Settings::default());
    play(
        &mut ours,
        &[
            ("ms a 1 T100\r\n5\r\nmg a t T500\r\nmg a T400 t\r\n", "HD\r\nHD t100\r\nHD t400\r\n"),
            ("ma a t T500\r\nma a T100 t\r\nmg a t v\r\n", "HD t400\r\nHD t100\r\nVA 1 t100\r\n7\r\n"),
            ("mg a T500 R300 t\r\nmg a T100 R300 t\r\n", "HD t500\r\nHD t100 W\r\n"),
            ("mg n1 N100 T500 t\r\nmg n1 t\r\n", "HD t500 W\r\nHD t500 Z\r\n"),
            ("mg n2 T500 t N100\r\nmg n2 t\r\n", "HD t500 W\r\nHD t100 Z\r\n"),
            ("mg n3 t N100\r\nmg n3 t\r\n", "HD t-1 W\r\nHD t100 Z\r\n"),
            ("ma n4 t N100 T500\r\nmg n4 t\r\n", "HD t-1\r\nHD t500\r\n"),
            ("ma n5 T500 N100 t\r\nmg n5 t\r\n", "HD t100\r\nHD t100\r\n"),
        ],
    );
}

/// Quiet hides what was to be expected: hits of `md` and `ma`, and misses of `mg` alone. Ours hid the misses of the
/// first two as well, so that Dalli, which counts the answers of its `delete_multi`, counted keys that were not there.
#[test]
fn quiet_hides_what_memcached_hides() {
    let mut ours = Ours::new(Settings::default());
    play(
        &mut ours,
        &[
            ("md no q\r\nma no q\r\nmg no v q\r\nmn\r\n", "NF\r\nNF\r\nMN\r\n"),
            ("md no q k O1\r\nma no q k O2\r\nmg no q k O3\r\n", "NF kno O1\r\nNF kno O2\r\n"),
            ("ma n q N0 J5\r\nma n q\r\nma n q v t\r\nmg n v\r\n", "VA 1\r\n7\r\n"),
            ("ma n q C1\r\nmd n q C1\r\nmd n q\r\nmg n\r\n", "EX\r\nEX\r\nEN\r\n"),
            (
                "ms a 1 q\r\nx\r\nms a 1 q ME\r\nx\r\nma a q\r\n",
                "NS\r\nCLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
            ),
            ("md no q I\r\nmd no q x\r\nmd a q I\r\nmd a q x\r\n", "NF\r\nNF\r\n"),
        ],
    );
}

/// As memcached 1.6.45 answers. Ours kept the item's deadline, so that an empty item went as the full one would have
/// gone.
#[test]
fn a_dropped_value_takes_all_with_it_but_the_cas() {
    let mut ours = Ours::new(Settings::default());
    play(
        &mut ours,
        &[
            ("ms x 3 F9 T100 E50\r\nabc\r\nmd x x\r\nmg x v f t c\r\n", "HD\r\nHD\r\nVA 0 f0 t-1 c50\r\n\r\n"),
            ("ms x 3 F9 T100\r\nabc\r\nmd x x T500 E51\r\nmg x v f t c\r\n", "HD\r\nHD\r\nVA 0 f0 t500 c51\r\n\r\n"),
            // A number is none any more.
            (
                "ms x 1 T100\r\n1\r\nma x\r\nmd x x\r\nma x\r\n",
                "HD\r\nHD\r\nHD\r\nCLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
            ),
            // Together with I it is stale besides, and its first reader wins; dropped once more, it is no longer.
            (
                "ms x 3 T100\r\nabc\r\nmd x x I\r\nmg x v t\r\nmg x v t\r\n",
                "HD\r\nHD\r\nVA 0 t-1 X W\r\n\r\nVA 0 t-1 Z X\r\n\r\n",
            ),
            ("md x x I T30\r\nmg x t\r\nmd x x\r\nmg x v t\r\n", "HD\r\nHD t30 X W\r\nHD\r\nVA 0 t-1\r\n\r\n"),
            ("md x x T-1\r\nmg x v\r\nmd x x\r\n", "HD\r\nEN\r\nNF\r\n"),
            ("ms x 3\r\nabc\r\nmd x T50\r\nmg x\r\n", "HD\r\nHD\r\nEN\r\n"),
        ],
    );
}

/// Each shard counted by itself, so tokens repeated, and a cas with the token of another key stored.
#[test]
fn the_token_of_another_key_is_no_token() {
    let mut ours = Ours::new(Settings::default());
    let cas_of = |said: String| -> u64 { said.trim_end().trim_start_matches("HD c").parse().expect("a number") };
    for round in 0..2 {
        let tokens: Vec<u64> = (0..64)
            .map(|key| {
                assert_eq!(ours.say(&format!("set {key} 0 0 1\r\n{round}\r\n")), "STORED\r\n");
                cas_of(ours.say(&format!("mg {key} c\r\n")))
            })
            .collect();
        for key in 1..64 {
            let other = tokens[key - 1];
            assert_eq!(
                ours.say(&format!("cas {key} 0 0 1 {other}\r\nx\r\n")),
                "EXISTS\r\n",
                "{key}, round {round}: {tokens:x?}"
            );
        }
        let distinct: HashSet<u64> = tokens.iter().copied().collect();
        assert_eq!(distinct.len(), tokens.len(), "round {round}: {tokens:x?}");
    }
}

#[test]
fn what_php_stored_has_flags_that_every_client_reads() {
    let mut ours = Ours::new(Settings::default());
    let now = Time::now();
    let arena = &ours.worker.shared.arena();
    let store = |key: &[u8], value: Value<'_>, encoding| {
        arena.store(key, value, Meta::native(encoding), Deadline::NEVER, Mode::Set, now).expect("room");
    };
    store(b"text", Value::Bytes(b"abc"), Encoding::RAW);
    store(b"number", Value::Integer(-42), Encoding::INTEGER);
    store(b"array", Value::Bytes(b"a:0:{}"), Encoding::new(5));
    play(
        &mut ours,
        &[
            (
                "get text number array\r\n",
                "VALUE text 0 3\r\nabc\r\nVALUE number 0 3\r\n-42\r\nVALUE array 4 6\r\na:0:{}\r\nEND\r\n",
            ),
            ("incr number 1\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n"),
        ],
    );
}

#[test]
fn users_are_asked_for_their_names() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("users");
    std::fs::write(&path, "ann:secret").expect("written");
    let mut ours = Ours::new(Settings { auth_file: Some(path), ..Settings::default() });
    play(
        &mut ours,
        &[
            ("get a\r\n", "CLIENT_ERROR unauthenticated\r\n"),
            ("set x 0 0 9\r\nann wrong\r\n", "CLIENT_ERROR authentication failure\r\n"),
            ("set x 0 0 10\r\nann secret\r\n", "STORED\r\n"),
            ("get a\r\n", "END\r\n"),
            ("set kept 0 0 1\r\na\r\n", "STORED\r\n"),
        ],
    );
    // A store that is too large takes the old item with it, but not when a stranger sends it.
    let too_large = "x".repeat(2 << 20);
    let stores = [
        format!("set kept 0 0 {}\r\n{too_large}\r\n", too_large.len()),
        format!("ms kept {}\r\n{too_large}\r\n", too_large.len()),
    ];
    for store in &stores {
        ours.reconnect();
        ours.say(store);
    }
    ours.reconnect();
    play(
        &mut ours,
        &[("set x 0 0 10\r\nann secret\r\n", "STORED\r\n"), ("get kept\r\n", "VALUE kept 0 1\r\na\r\nEND\r\n")],
    );
    ours.reconnect();
    assert_eq!(ours.talk(&[0x80; 24]), b"");
    assert!(ours.over, "the binary protocol has no users here");
    // Nothing is collected for a stranger beyond what a name and a password need.
    for begun in ["set x 0 0 16384\r\n".to_owned(), format!("get{}", " key".repeat(5000))] {
        ours.reconnect();
        assert_eq!(ours.say(&begun), "");
        assert!(ours.over, "{}", &begun[..16]);
    }
}

#[test]
fn without_cas_each_item_shows_zero_and_is_never_the_one_that_is_meant() {
    let mut ours = Ours::new(Settings { cas: false, ..Settings::default() });
    play(
        &mut ours,
        &[
            ("set a 0 0 1\r\nx\r\n", "STORED\r\n"),
            ("gets a\r\n", "VALUE a 0 1 0\r\nx\r\nEND\r\n"),
            ("gats 0 a\r\n", "VALUE a 0 1 0\r\nx\r\nEND\r\n"),
            ("mg a c v\r\n", "VA 1 c0\r\nx\r\n"),
            ("mg a c T30 t\r\n", "HD c0 t30\r\n"),
            ("cas a 0 0 1 0\r\ny\r\n", "EXISTS\r\n"),
            ("cas a 0 0 1 5\r\ny\r\n", "EXISTS\r\n"),
            ("cas no 0 0 1 5\r\ny\r\n", "NOT_FOUND\r\n"),
            ("ms a 1 c\r\nq\r\n", "HD c0\r\n"),
            ("ms a 1 C5\r\nw\r\n", "EX\r\n"),
            ("ms a 1 E9 c\r\nw\r\n", "HD c0\r\n"),
            ("set n 0 0 1\r\n5\r\n", "STORED\r\n"),
            ("ma n c v\r\n", "VA 1 c0\r\n6\r\n"),
            ("ma n C5 v\r\n", "EX\r\n"),
            ("md n C7\r\n", "EX\r\n"),
            ("md n C0\r\n", "HD\r\n"),
            ("mg b N100 c v\r\n", "VA 0 c0 W\r\n\r\n"),
            ("mg b c\r\n", "HD c0 Z\r\n"),
        ],
    );
    assert!(ours.say("lru_crawler metadump all\r\n").lines().all(|line| line.contains(" cas=0 ") || line == "END"));
}

#[test]
fn limits_of_the_server() {
    let mut ours =
        Ours::new(Settings { item_size_max: 2048, flush: false, dump: false, shutdown: true, ..Settings::default() });
    let big = "x".repeat(2048);
    play(
        &mut ours,
        &[
            ("set k 0 0 1\r\na\r\n", "STORED\r\n"),
            (&format!("set k 0 0 2048\r\n{big}\r\nget k\r\n"), "SERVER_ERROR object too large for cache\r\nEND\r\n"),
            ("set k 0 0 1500\r\n", ""),
        ],
    );
    play(
        &mut ours,
        &[
            (&format!("{}\r\n", &big[..1500]), "STORED\r\n"),
            (&format!("append k 0 0 1000\r\n{}\r\n", &big[..1000]), "NOT_STORED\r\n"),
            ("flush_all\r\n", "CLIENT_ERROR flush_all not allowed\r\n"),
            ("lru_crawler metadump all\r\n", "ERROR metadump not allowed\r\n"),
            ("shutdown\r\n", ""),
        ],
    );
    assert!(ours.over);
}

#[test]
fn a_full_cache_that_may_not_evict_says_so() {
    let mut ours = Ours::new(Settings { evictions: false, ..Settings::default() });
    let value = "x".repeat(100_000);
    let full = (0..1000).find_map(|number| {
        let answer = ours.say(&format!("set k{number} 0 0 100000\r\n{value}\r\n"));
        (answer != "STORED\r\n").then_some(answer)
    });
    assert_eq!(full.as_deref(), Some("SERVER_ERROR out of memory storing object\r\n"));
    assert!(ours.say("get k0\r\n").starts_with("VALUE k0"));
    assert!(ours.say("stats\r\n").contains("STAT store_no_memory 1\r\n"));
}

#[test]
fn large_answers_come_in_pieces_and_dumps_name_every_key() {
    let mut ours = Ours::new(Settings::default());
    let value = "v".repeat(500_000);
    let mut keys = String::new();
    let mut want = String::new();
    for number in 0..20 {
        assert_eq!(ours.say(&format!("set k{number} 0 0 500000\r\n{value}\r\n")), "STORED\r\n");
        keys += &format!(" k{number}");
        want += &format!("VALUE k{number} 0 500000\r\n{value}\r\n");
    }
    assert!(ours.say(&format!("get{keys}\r\n")) == want + "END\r\n");
    assert_eq!(ours.say("set a%20b 3 0 1\r\nx\r\n"), "STORED\r\n");
    let dump = ours.say("lru_crawler metadump all\r\n");
    assert_eq!(dump.lines().count(), 22);
    assert!(dump.contains("key=a%2520b exp=-1 la=") && dump.ends_with("END\r\n"));
    let listed = ours.say("stats cachedump 1 0\r\n");
    assert!(
        listed.lines().count() == 22 && listed.contains("ITEM k7 [500000 b; 0 s]\r\n") && listed.ends_with("END\r\n")
    );
    assert_eq!(ours.say("stats cachedump 1 3\r\n").lines().count(), 4);
    assert_eq!(ours.say("stats cachedump 2 0\r\nstats cachedump 1\r\n"), "END\r\nCLIENT_ERROR bad command line\r\n");
    let dump = ours.say("lru_crawler mgdump hash\r\n");
    assert!(dump.contains("mg a%20b\r\n") && dump.ends_with("EN\r\n"));
}

/// One small datagram with a forged sender must not have the whole arena walked, nor its answer sent to somebody else.
#[test]
fn a_datagram_gets_no_answer_as_long_as_the_arena_is_full() {
    let mut ours = Ours::new(Settings::default());
    assert_eq!(ours.say("stats sizes_enable\r\nset a 0 0 1\r\nx\r\n").lines().last(), Some("STORED"));
    for asked in ["stats sizes", "stats sizes_enable", "stats sizes_disable", "stats cachedump 1 0"] {
        assert_eq!(ours.datagram(format!("{asked}\r\n").as_bytes()), b"ERROR\r\n", "{asked}");
    }
    assert_eq!(ours.datagram(b"lru_crawler metadump all\r\n"), b"CLIENT_ERROR no dumps over UDP\r\n");
    assert_eq!(ours.say("stats sizes\r\n").lines().count(), 2, "still on");
    let stat = |subject: &[u8]| {
        [&[0x80, 0x10, 0, subject.len() as u8, 0, 0, 0, 0, 0, 0, 0, subject.len() as u8][..], &[0; 12], subject]
            .concat()
    };
    assert_eq!(ours.datagram(&stat(b"sizes"))[6..8], [0, 1], "not found");
    assert!(ours.datagram(&stat(b"settings")).len() > 500);
}

/// Keys of one line are asked for some at a time: as many as that, one more, and several times as many.
#[test]
fn a_line_may_have_any_number_of_keys() {
    let mut ours = Ours::new(Settings::default());
    for number in (0..200).filter(|number| number % 3 != 0) {
        ours.say(&format!("set key{number} 0 0 3\r\n{number:3}\r\n"));
    }
    for count in [1, 2, 10, 31, 32, 33, 64, 65, 200] {
        let keys: String = (0..count).map(|number| format!(" key{number}")).collect();
        let items = (0..count).filter(|number| number % 3 != 0);
        let want: String = items.map(|number| format!("VALUE key{number} 0 3\r\n{number:3}\r\n")).collect();
        assert_eq!(ours.say(&format!("get{keys}\r\n")), format!("{want}END\r\n"), "{count} keys");
        assert_eq!(ours.say(&format!("gat 0{keys}\r\n")), format!("{want}END\r\n"), "{count} keys");
    }
}

/// The memory of those behind the first is asked for ahead of time. That answers nothing: what stands between them
/// still counts.
#[test]
fn gets_that_come_together_are_answered_one_after_the_other() {
    use leveret_protocol::binary::{BinaryCommand, BinaryRequest};
    let mut ours = Ours::new(Settings { requests_per_turn: 20, ..Settings::default() });
    for number in (0..100).filter(|number| number % 3 != 0) {
        ours.say(&format!("set key{number} 0 0 3\r\n{number:3}\r\n"));
    }
    for change in [0, 1, 2, 30, 99] {
        let (mut said, mut want) = (String::new(), String::new());
        for number in 0..100 {
            if number == change {
                said += &format!("delete key{change}\r\nset key{change} 0 0 3\r\nnew\r\n");
                want += if change % 3 == 0 { "NOT_FOUND\r\nSTORED\r\n" } else { "DELETED\r\nSTORED\r\n" };
            }
            let value = if number == change { "new".to_string() } else { format!("{number:3}") };
            match (number % 2, number % 3 != 0 || number == change) {
                (0, is_there) => {
                    said += &format!("mg key{number} v\r\n");
                    want += &if is_there { format!("VA 3\r\n{value}\r\n") } else { "EN\r\n".to_string() };
                }
                (_, is_there) => {
                    said += &format!("get key{number} key{number}\r\n");
                    let line = format!("VALUE key{number} 0 3\r\n{value}\r\n");
                    want += &format!("{0}{0}END\r\n", if is_there { line.as_str() } else { "" });
                }
            }
        }
        assert_eq!(ours.say(&said), want, "{change}");
        // As it was.
        let back = if change % 3 == 0 {
            format!("delete key{change}\r\n")
        } else {
            format!("set key{change} 0 0 3\r\n{change:3}\r\n")
        };
        ours.say(&back);
    }

    ours.reconnect();
    let (mut said, mut want) = (Vec::new(), Vec::new());
    for number in 0..100u32 {
        let key = format!("key{number}");
        assert!(BinaryRequest::new(
            BinaryCommand::Get { key: key.as_bytes(), with_key: true, touch: None },
            true,
            number
        )
        .write(&mut said));
        if number % 3 != 0 {
            want.push((number, format!("\0\0\0\0{key}{number:3}").into_bytes()));
        }
    }
    let (mut answer, mut told) = (&*ours.talk(&said), Vec::new());
    while let Some((header, rest)) = answer.split_first_chunk::<24>() {
        let (body, rest) = rest.split_at(u32::from_be_bytes([header[8], header[9], header[10], header[11]]) as usize);
        told.push((u32::from_be_bytes([header[12], header[13], header[14], header[15]]), body.to_vec()));
        answer = rest;
    }
    assert_eq!(told, want);
}

#[test]
fn binary_requests() {
    let mut ours = Ours::new(Settings::default());
    let frame = |opcode: u8, opaque: u32, cas: u64, extras: &[u8], key: &[u8], value: &[u8]| {
        let mut bytes = vec![0x80, opcode, 0, key.len() as u8, extras.len() as u8, 0, 0, 0];
        bytes.extend(((extras.len() + key.len() + value.len()) as u32).to_be_bytes());
        bytes.extend(opaque.to_be_bytes());
        bytes.extend(cas.to_be_bytes());
        [&bytes[..], extras, key, value].concat()
    };
    let status = |answer: &[u8]| u16::from_be_bytes([answer[6], answer[7]]);
    let body = |answer: &[u8]| answer[24..].to_vec();
    let (get, set, add, delete, increment, quit, noop, getq) = (0, 1, 2, 4, 5, 7, 10, 9);
    assert_eq!(status(&ours.talk(&frame(get, 1, 0, b"", b"k", b""))), 1);
    let stored = ours.talk(&frame(set, 2, 0, &[0, 0, 0, 5, 0, 0, 0, 0], b"k", b"abc"));
    assert_eq!((status(&stored), &stored[12..16]), (0, &[0, 0, 0, 2][..]));
    let cas = u64::from_be_bytes(stored[16..24].try_into().expect("eight bytes"));
    assert!(cas > 0);
    let got = ours.talk(&frame(get, 3, 0, b"", b"k", b""));
    assert_eq!((status(&got), body(&got), &got[16..24]), (0, b"\0\0\0\x05abc".to_vec(), &stored[16..24]));
    assert_eq!(status(&ours.talk(&frame(add, 4, 0, &[0; 8], b"k", b"x"))), 2);
    assert_eq!(status(&ours.talk(&frame(set, 5, cas + 1, &[0; 8], b"k", b"x"))), 2);
    assert_eq!(status(&ours.talk(&frame(set, 6, cas, &[0; 8], b"k", b"x"))), 0);
    assert_eq!(ours.talk(&frame(getq, 7, 0, b"", b"none", b"")), b"");
    assert_eq!(ours.talk(&frame(noop, 8, 0, b"", b"", b"")).len(), 24);
    let count =
        |initial: u64, exptime: u32| [&1u64.to_be_bytes()[..], &initial.to_be_bytes(), &exptime.to_be_bytes()].concat();
    assert_eq!(status(&ours.talk(&frame(increment, 9, 0, &count(10, u32::MAX), b"n", b""))), 1);
    assert_eq!(body(&ours.talk(&frame(increment, 9, 0, &count(10, 0), b"n", b""))), 10u64.to_be_bytes());
    assert_eq!(body(&ours.talk(&frame(increment, 9, 0, &count(10, 0), b"n", b""))), 11u64.to_be_bytes());
    assert_eq!(status(&ours.talk(&frame(delete, 10, 1, b"", b"n", b""))), 2);
    assert_eq!(status(&ours.talk(&frame(delete, 10, 0, b"", b"n", b""))), 0);
    let stat = ours.talk(&frame(0x10, 11, 0, b"", b"", b""));
    assert!(stat.windows(7).any(|window| window == b"version") && stat.ends_with(&[0; 8]));
    assert_eq!(ours.talk(&frame(quit, 12, 0, b"", b"", b"")).len(), 24);
    assert!(ours.over);
}

/// An item that was read more often than is counted kept its count when it was stored anew, and no later read was
/// noted.
#[test]
fn what_was_read_since_it_was_stored_says_so_however_hot_it_is() {
    let mut ours = Ours::new(Settings::default());
    play(&mut ours, &[("set k 0 0 1\r\nx\r\nmg k h\r\n", "STORED\r\nHD h0\r\n")]);
    for _ in 0..20 {
        assert_eq!(ours.say("mg k h\r\n"), "HD h1\r\n");
    }
    assert_eq!(ours.say("set k 0 0 1\r\nx\r\n"), "STORED\r\n");
    // Who looks for faults is no reader.
    for _ in 0..2 {
        assert!(ours.say("me k\r\n").contains(" fetch=no "));
    }
    // Nor is who says so, also where he asks for the version.
    for _ in 0..2 {
        assert!(ours.say("mg k u c h\r\n").ends_with(" h0\r\n"));
    }
    play(&mut ours, &[("mg k h\r\nmg k h\r\n", "HD h0\r\nHD h1\r\n")]);
    assert!(ours.say("me k\r\n").contains(" fetch=yes "));
}

/// What is joined to an array of PHP or Ruby is joined to the text that clients read.
#[test]
fn what_is_joined_to_an_array_is_joined_to_its_text() {
    let mut ours = Ours::new(Settings::default());
    // docs/array-format.md: no elements. Flags as pecl/memcached gives them to arrays are made from the encoding.
    let store = |ours: &Ours, value: &[u8]| {
        let meta = Meta::native(Encoding::new(5));
        let deadline = Deadline::after(leveret_engine::Time::now(), 1000);
        ours.worker.arena().store(b"a", Value::Bytes(value), meta, deadline, Mode::Set, Time::now()).expect("room");
    };
    for (said, after) in [
        ("append a 0 0 3\r\nxyz\r\n", "a:0:{}xyz"),
        ("prepend a 0 0 3\r\nxyz\r\n", "xyza:0:{}"),
        ("append a 0 0 0\r\n\r\n", "a:0:{}"),
    ] {
        store(&ours, &[0xCA, 1, 11]);
        let before = ours.say("gets a\r\n");
        assert_eq!(ours.say(said), "STORED\r\n", "{said:?}");
        let got = ours.say("get a\r\n");
        let flags = before.split(' ').nth(2).expect("flags");
        assert_eq!(got, format!("VALUE a {flags} {}\r\n{after}\r\nEND\r\n", after.len()), "{said:?}");
        let ttl: u32 = ours.say("mg a t\r\n").trim().trim_start_matches("HD t").parse().expect("a time");
        assert!((900..=1000).contains(&ttl), "the deadline stays: {ttl}");
    }
    store(&ours, &[0xCA, 1, 11]);
    let cas = ours
        .say("gets a\r\n")
        .lines()
        .next()
        .and_then(|line| line.rsplit(' ').next().map(str::to_owned))
        .expect("a cas");
    assert_eq!(ours.say(&format!("ms a 1 MA C{}\r\nx\r\n", cas.parse::<u64>().expect("a number") + 1)), "EX\r\n");
    assert_eq!(ours.say(&format!("ms a 1 MA C{cas}\r\nx\r\n")), "HD\r\n");
    assert!(ours.say("get a\r\n").contains("\r\na:0:{}x\r\n"));
    // Damaged bytes are a miss, and no item to join to.
    store(&ours, &[0xCA, 1, 99]);
    assert_eq!(ours.say("get a\r\nappend a 0 0 1\r\nx\r\n"), "END\r\nNOT_STORED\r\n");
}

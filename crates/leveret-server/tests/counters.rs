//! What `stats` counts of each request, beside the memcached that the server follows: every command, on a key in every
//! state, in text and binary. Dashboards and exporters compute rates and differences of these numbers. Behind that the
//! other lists: exact bytes, and what is counted for requests that no server has seen.
mod common;
use common::{followed, Memcached, Ours};
use leveret_engine::{Counted, Delta, Time};
use leveret_server::Settings;
use std::collections::BTreeMap;

/// What is compared. Numbers of memory and of threads are no counts of requests.
const COUNTED: &[&str] = &[
    "cmd_get",
    "cmd_set",
    "cmd_flush",
    "cmd_touch",
    "cmd_meta",
    "get_hits",
    "get_misses",
    "get_expired",
    "get_flushed",
    "delete_hits",
    "delete_misses",
    "incr_hits",
    "incr_misses",
    "decr_hits",
    "decr_misses",
    "cas_hits",
    "cas_misses",
    "cas_badval",
    "touch_hits",
    "touch_misses",
    "store_too_large",
    "store_no_memory",
    "total_items",
];

/// How a key comes into its state: `K` is the key.
const STATES: &[(&str, &str)] = &[
    ("absent", ""),
    ("a number", "set K 0 0 1\r\n5\r\n"),
    ("a text", "set K 0 0 4\r\ntext\r\n"),
    ("a large one", "set K 0 0 100000\r\nBLOCK\r\n"),
    ("expired", "set K 0 -1 1\r\n5\r\n"),
    ("stale", "set K 0 0 1\r\n5\r\nmd K I\r\n"),
    ("won", "mg K N30 v\r\n"),
    ("emptied", "set K 0 0 1\r\n5\r\nmd K x\r\n"),
];

/// `CAS` is the cas that the key has, else 1; `BLOCK` are 100,000 bytes, `ALMOST` 130,900, `HUGE` 200,000.
const REQUESTS: &[&str] = &[
    "get K\r\n",
    "gets K\r\n",
    "get absent K absent\r\n",
    "get K K\r\n",
    "gat 0 K\r\n",
    "gat 30 K\r\n",
    "gat -1 K\r\n",
    "gats 30 K absent K\r\n",
    "touch K 30\r\n",
    "touch K -1\r\n",
    "touch K 0 noreply\r\n",
    "set K 0 0 1\r\nx\r\n",
    "set K 0 0 1 noreply\r\nx\r\n",
    "set K 0 -1 1\r\nx\r\n",
    "set K 0 0 100000\r\nBLOCK\r\n",
    "set K 0 0 200000\r\nHUGE\r\n",
    "set K 0 0 1\r\nxyz\r\n",
    "set K 0 0 -1\r\n",
    "add K 0 0 1\r\nx\r\n",
    "add K 0 0 1 noreply\r\nx\r\n",
    "add K 0 0 200000\r\nHUGE\r\n",
    "replace K 0 0 1\r\nx\r\n",
    "replace K 0 0 200000\r\nHUGE\r\n",
    "append K 0 0 1\r\nx\r\n",
    "append K 0 0 200000\r\nHUGE\r\n",
    "append K 0 0 130900\r\nALMOST\r\n",
    "prepend K 0 0 1\r\nx\r\n",
    "cas K 0 0 1 CAS\r\nx\r\n",
    "cas K 0 0 1 18446744073709551614\r\nx\r\n",
    "cas K 0 0 200000 CAS\r\nHUGE\r\n",
    "delete K\r\n",
    "delete K noreply\r\n",
    "incr K 1\r\n",
    "incr K 1 noreply\r\n",
    "decr K 1\r\n",
    "decr K x\r\n",
    "flush_all 1000\r\n",
    "mg K\r\n",
    "mg K v\r\n",
    "mg K q v\r\n",
    "mg K k O1 t f s c h l\r\n",
    "mg K u v\r\n",
    "mg K u T30 v\r\n",
    "mg K T30\r\n",
    "mg K T30 v\r\n",
    "mg K T-1 v\r\n",
    "mg K N30 v\r\n",
    "mg K N30 T30 v\r\n",
    "mg K R30 v\r\n",
    "mg K E77 N30 v\r\n",
    "mg K CCAS v\r\n",
    "mn\r\n",
    "me K\r\n",
    "ms K 1\r\nx\r\n",
    "ms K 1 q\r\nx\r\n",
    "ms K 1 T30 c\r\nx\r\n",
    "ms K 1 MA\r\nx\r\n",
    "ms K 1 MP\r\nx\r\n",
    "ms K 1 MA N30\r\nx\r\n",
    "ms K 1 MP N30 q\r\nx\r\n",
    "ms K 1 ME\r\nx\r\n",
    "ms K 1 MR\r\nx\r\n",
    "ms K 1 CCAS\r\nx\r\n",
    "ms K 1 C18446744073709551614\r\nx\r\n",
    "ms K 1 C5 I\r\nx\r\n",
    "ms K 1 C18446744073709551614 I\r\nx\r\n",
    "ms K 1 C18446744073709551614 MA\r\nx\r\n",
    "ms K 1 CCAS MA\r\nx\r\n",
    "ms K 1 CCAS MR\r\nx\r\n",
    "ms K 200000\r\nHUGE\r\n",
    "ms K 200000 ME\r\nHUGE\r\n",
    "ms K 130900 MA\r\nALMOST\r\n",
    "ms K 1 !\r\nx\r\n",
    "md K\r\n",
    "md K q\r\n",
    "md K I\r\n",
    "md K I T30\r\n",
    "md K x\r\n",
    "md K x I\r\n",
    "md K CCAS\r\n",
    "md K C18446744073709551614\r\n",
    "md K C18446744073709551614 x\r\n",
    "ma K\r\n",
    "ma K N30\r\n",
    "ma K N30 J7 v\r\n",
    "ma K MD\r\n",
    "ma K MD N30 q\r\n",
    "ma K T30 v t\r\n",
    "ma K CCAS\r\n",
    "ma K C18446744073709551614\r\n",
    "verbosity 1\r\n",
    "version\r\n",
    "nonsense\r\n",
];

const MARK: (&[u8], &[u8]) = (b"stats detail mark\r\n", b"CLIENT_ERROR usage: stats detail on|off|dump\r\n");
const NOOP: u8 = 0x0a;

/// One of the two servers.
trait Side {
    fn text(&mut self, input: &[u8]) -> Vec<u8>;
    fn binary(&mut self, frames: &[u8]) -> Vec<u8>;

    fn counts(&mut self) -> BTreeMap<String, u64> {
        let answer = String::from_utf8(self.text(b"stats\r\n")).expect("text");
        let stats: BTreeMap<&str, &str> = answer
            .lines()
            .filter_map(|line| line.strip_prefix("STAT ").and_then(|line| line.split_once(' ')))
            .collect();
        COUNTED
            .iter()
            .map(|name| {
                (
                    name.to_string(),
                    stats.get(name).and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{name}: {answer}")),
                )
            })
            .collect()
    }

    /// Asks in a way that counts nothing that is compared here, which a dead item would.
    fn cas_of(&mut self, key: &str, setup: &str) -> u64 {
        if setup.contains(" -1 ") {
            return 1;
        }
        let answer = String::from_utf8_lossy(&self.text(format!("me {key}\r\n").as_bytes())).into_owned();
        answer.split_once("cas=").and_then(|(_, cas)| cas.split(' ').next()?.parse().ok()).unwrap_or(1)
    }

    /// What changed while `request` was answered.
    fn changes(&mut self, request: &dyn Fn(&mut Self)) -> BTreeMap<String, i64> {
        let before = self.counts();
        request(self);
        let after = self.counts();
        let change = |(name, count): (String, u64)| {
            (count != before[&name]).then(|| (name.clone(), count as i64 - before[&name] as i64))
        };
        after.into_iter().filter_map(change).collect()
    }
}

impl Side for Memcached {
    fn text(&mut self, input: &[u8]) -> Vec<u8> {
        let (answer, is_open) = self.talk(input, MARK.0, MARK.1);
        if !is_open {
            self.reconnect();
        }
        answer
    }

    fn binary(&mut self, frames: &[u8]) -> Vec<u8> {
        self.reconnect();
        let (answer, _) = self.talk(frames, &frame(NOOP, b"", b"", b"", 0), &answer_to_noop());
        self.reconnect();
        answer
    }
}

impl Side for Ours {
    fn text(&mut self, input: &[u8]) -> Vec<u8> {
        let answer = self.talk(input);
        if self.over {
            self.reconnect();
        }
        answer
    }

    fn binary(&mut self, frames: &[u8]) -> Vec<u8> {
        self.reconnect();
        let answer = self.talk(frames);
        self.reconnect();
        answer
    }
}

fn frame(opcode: u8, extras: &[u8], key: &[u8], value: &[u8], cas: u64) -> Vec<u8> {
    let lengths = [&(key.len() as u16).to_be_bytes()[..], &[extras.len() as u8, 0, 0, 0]].concat();
    let body = ((extras.len() + key.len() + value.len()) as u32).to_be_bytes();
    [&[0x80, opcode][..], &lengths, &body, &[0; 4], &cas.to_be_bytes(), extras, key, value].concat()
}

fn answer_to_noop() -> Vec<u8> {
    let mut answer = frame(NOOP, b"", b"", b"", 0);
    answer[0] = 0x81;
    answer
}

fn spelled(text: &str, key: &str, cas: u64) -> Vec<u8> {
    text.replace("BLOCK", &"b".repeat(100_000))
        .replace('K', key)
        .replace("CAS", &cas.to_string())
        .replace("ALMOST", &"a".repeat(130_900))
        .replace("HUGE", &"h".repeat(200_000))
        .into_bytes()
}

/// Requests of the binary protocol, on a key that has this cas.
fn frames(key: &str, cas: u64) -> Vec<(String, Vec<u8>)> {
    let key = key.as_bytes();
    let (store, at) = ([0; 8], 30u32.to_be_bytes());
    let count =
        |initial_exptime: u32| [&1u64.to_be_bytes()[..], &7u64.to_be_bytes(), &initial_exptime.to_be_bytes()].concat();
    let mut all = Vec::new();
    for opcode in [0x00, 0x09, 0x0c, 0x0d] {
        all.push((format!("get {opcode:#x}"), frame(opcode, b"", key, b"", 0)));
    }
    for opcode in [0x1c, 0x1d, 0x1e, 0x23, 0x24] {
        all.push((format!("touch, gat {opcode:#x}"), frame(opcode, &at, key, b"", 0)));
    }
    for opcode in [0x01, 0x02, 0x03, 0x11, 0x12, 0x13] {
        for cas in [0, cas, u64::MAX - 1] {
            all.push((format!("store {opcode:#x} cas {cas}"), frame(opcode, &store, key, b"x", cas)));
        }
        all.push((format!("store {opcode:#x} too large"), frame(opcode, &store, key, &[b'h'; 200_000], 0)));
    }
    for opcode in [0x0e, 0x0f, 0x19] {
        for cas in [0, cas, u64::MAX - 1] {
            all.push((format!("join {opcode:#x} cas {cas}"), frame(opcode, b"", key, b"x", cas)));
        }
    }
    for opcode in [0x04, 0x14] {
        for cas in [0, cas, u64::MAX - 1] {
            all.push((format!("delete {opcode:#x} cas {cas}"), frame(opcode, b"", key, b"", cas)));
        }
    }
    for opcode in [0x05, 0x06, 0x15] {
        for at in [0, u32::MAX] {
            all.push((format!("count {opcode:#x} initial {at}"), frame(opcode, &count(at), key, b"", 0)));
        }
        all.push((format!("count {opcode:#x} cas"), frame(opcode, &count(0), key, b"", u64::MAX - 1)));
    }
    all
}

#[test]
fn every_request_counts_as_in_memcached() {
    let Some(program) = followed() else { return };
    let mut theirs = Memcached::start_as(
        &program,
        &["-m", "64", "-I", "128k", "-o", "no_lru_maintainer,no_lru_crawler,slab_chunk_max=64"],
        &[],
    );
    let mut ours = Ours::new(Settings { item_size_max: 128 << 10, ..Settings::default() });
    let (mut number, mut wrong) = (0, Vec::new());
    let mut compare = |what: String, mut theirs: BTreeMap<String, i64>, ours: BTreeMap<String, i64>| {
        // Listed in docs/reference/protocol.md: here a store does not look at what it replaces.
        let is_store =
            ["cmd_set", "total_items", "store_too_large", "cmd_meta"].iter().any(|name| theirs.contains_key(*name));
        if !ours.contains_key("get_expired") && (is_store || what.ends_with("too large")) {
            theirs.remove("get_expired");
        }
        if theirs != ours {
            wrong.push(format!("{what}: memcached {theirs:?}, here {ours:?}"));
        }
    };
    for (state, setup) in STATES {
        for request in REQUESTS {
            number += 1;
            let key = format!("key{number}");
            fn run(side: &mut impl Side, setup: &str, request: &str, key: &str) -> BTreeMap<String, i64> {
                side.text(&spelled(setup, key, 0));
                let cas = side.cas_of(key, setup);
                side.changes(&|side| {
                    side.text(&spelled(request, key, cas));
                })
            }
            let (want, got) = (run(&mut theirs, setup, request, &key), run(&mut ours, setup, request, &key));
            compare(format!("{state}, {request:?}"), want, got);
        }
        for index in 0..frames("K", 1).len() {
            number += 1;
            let key = format!("key{number}");
            fn run(side: &mut impl Side, setup: &str, index: usize, key: &str) -> BTreeMap<String, i64> {
                side.text(&spelled(setup, key, 0));
                let cas = side.cas_of(key, setup);
                side.changes(&|side| {
                    side.binary(&frames(key, cas)[index].1);
                })
            }
            let (want, got) = (run(&mut theirs, setup, index, &key), run(&mut ours, setup, index, &key));
            compare(format!("{state}, binary {}", frames("K", 1)[index].0), want, got);
        }
    }
    assert!(wrong.is_empty(), "{} of {number} requests count otherwise:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_binary_protocol_tells_the_prefixes_as_one_statistic() {
    let stat = |subject: &str| {
        let mut frame = vec![0x80, 0x10, 0, subject.len() as u8, 0, 0, 0, 0, 0, 0, 0, subject.len() as u8];
        frame.resize(24, 0);
        [&frame, subject.as_bytes()].concat()
    };
    let mut ours = Ours::new(Settings { detail: true, ..Settings::default() });
    assert_eq!(ours.say("get a:b\r\n"), "END\r\n");
    ours.reconnect();
    let answer = ours.talk(&stat("detail dump"));
    let (first, last) = answer.split_at(answer.len() - 24);
    assert_eq!(&first[24..], b"detailedPREFIX a get 1 hit 0 set 0 del 0\r\nEND\r\n");
    assert_eq!((first[3], first[7], last[3], last[7]), (8, 0, 0, 0));
    for unknown in ["detail", "detail else", "cachedump 1 0"] {
        assert_eq!(ours.talk(&stat(unknown))[7], 1, "{unknown}");
    }
}

#[test]
fn statistics_count_what_php_does_without_the_server() {
    let mut ours = Ours::new(Settings::default());
    let now = Time::now();
    ours.say("set k 0 0 1\r\nx\r\nget k no\r\ndelete no\r\nstats detail on\r\nget a:b\r\n");
    assert!(ours.worker.shared.arena().find(b"k", now).is_some());
    let stats = ours.say("stats\r\n");
    for line in
        ["cmd_get 4", "get_hits 2", "get_misses 2", "cmd_set 1", "curr_items 1", "delete_misses 1", "version 1.6.45"]
    {
        assert!(stats.contains(&format!("STAT {line}\r\n")), "{line} in {stats}");
    }
    assert_eq!(ours.say("stats detail dump\r\n"), "PREFIX a get 1 hit 0 set 0 del 0\r\nEND\r\n");
    assert!(ours.say("stats settings\r\n").contains("STAT item_size_max 1048576\r\n"));
    assert!(ours.say("stats items\r\n").contains("STAT items:1:number 1\r\n"));
    assert!(ours.say("stats slabs\r\n").contains("STAT active_slabs 1\r\n"));
    ours.say("stats reset\r\n");
    assert!(ours.say("stats\r\n").contains("STAT get_hits 0\r\n"));
}

/// memcached counts a flush when it is ordered, be it for later, and what others at the arena count down counts as that
/// here.
#[test]
fn counts_and_flushes_are_told_apart_as_memcached_does() {
    let mut ours = Ours::new(Settings::default());
    ours.say("set n 0 0 1\r\n5\r\nincr n 1\r\nincr n 100\r\ndecr n 1\r\nincr no 1\r\ndecr no 1\r\nma new N0\r\n");
    let count = ours.worker.arena().count(b"n", Delta::Decrement(1), None, Time::now());
    assert_eq!(count, Ok(Counted::Value(104)));
    for subject in ["", " slabs"] {
        let stats = ours.say(&format!("stats{subject}\r\n"));
        for line in ["incr_hits 2", "decr_hits 2"] {
            assert!(stats.contains(&format!("{line}\r\n")), "{line} in {stats}");
        }
    }
    ours.say("flush_all 100\r\nflush_all\r\nflush_all 0\r\n");
    let stats = ours.say("stats\r\n");
    for line in ["incr_misses 1", "decr_misses 1", "cmd_flush 3"] {
        assert!(stats.contains(&format!("STAT {line}\r\n")), "{line} in {stats}");
    }
}

/// Held beside memcached 1.6.45: whatever meets an expired item takes it out, so it is told once.
#[test]
fn dead_items_that_are_met_are_counted_once() {
    let mut ours = Ours::new(Settings::default());
    let asked = [
        "get K",
        "gets K",
        "gat 0 K",
        "mg K v",
        "mg K v q",
        "mg K t",
        "mg K s",
        "incr K 1",
        "decr K 1",
        "touch K 9",
        "delete K",
        "md K",
        "ma K",
    ];
    for (at, _) in asked.iter().enumerate() {
        ours.say(&format!("set e{at} 0 -1 1\r\n1\r\nset f{at} 0 0 1\r\n1\r\n"));
    }
    let counts = |ours: &mut Ours| {
        let stats = ours.say("stats\r\n");
        ["get_expired ", "get_flushed "].map(|name| {
            let rest = stats.split(name).nth(1).expect(name);
            rest.lines().next().and_then(|number| number.parse::<usize>().ok()).expect("a number")
        })
    };
    for (at, words) in asked.iter().enumerate() {
        for _ in 0..2 {
            ours.say(&format!("{}\r\n", words.replace('K', &format!("e{at}"))));
            assert_eq!(counts(&mut ours), [at + 1, 0], "{words}");
        }
    }
    ours.say("flush_all\r\nget f0\r\n");
    assert_eq!(counts(&mut ours), [asked.len(), 1]);
}

#[test]
fn sizes_are_told_once_that_is_switched_on() {
    let mut ours = Ours::new(Settings::default());
    ours.say("set a 0 0 1\r\nx\r\nset b 0 0 2\r\nxy\r\nset c 7 0 40\r\n0123456789012345678901234567890123456789\r\n");
    assert_eq!(ours.say("stats sizes\r\n"), "STAT sizes_status disabled\r\nEND\r\n");
    assert!(ours.say("stats settings\r\n").contains("STAT track_sizes no\r\n"));
    // No END behind it, in memcached either.
    assert_eq!(ours.say("stats sizes_enable\r\nmn\r\n"), "STAT sizes_status enabled\r\nMN\r\n");
    assert_eq!(ours.say("stats sizes\r\n"), "STAT 32 2\r\nSTAT 64 1\r\nEND\r\n");
    assert!(ours.say("stats settings\r\n").contains("STAT track_sizes yes\r\n"));
    assert_eq!(ours.say("stats sizes_disable\r\n"), "STAT sizes_status disabled\r\n");
    let mut tracking = Ours::new(Settings { track_sizes: true, ..Settings::default() });
    assert_eq!(tracking.say("stats sizes\r\n"), "END\r\n");
}

/// As in memcached. Misses of `gat` were once left out.
#[test]
fn a_gat_counts_as_a_touch_whether_it_finds_something_or_not() {
    let mut ours = Ours::new(Settings::default());
    assert_eq!(
        ours.say("set k 0 0 1\r\nx\r\ngat 0 k no none\r\ntouch no 1\r\n"),
        "STORED\r\nVALUE k 0 1\r\nx\r\nEND\r\nNOT_FOUND\r\n"
    );
    let stats = ours.say("stats\r\n");
    for line in ["cmd_touch 4", "touch_hits 1", "touch_misses 3"] {
        assert!(stats.contains(&format!("STAT {line}\r\n")), "{line}: {stats}");
    }
}

//! What a transaction's first command does beside processes that use the arenas directly: a watched key that is not as WATCH saw
//! it ends the transaction, and nothing of the command is left.
use leveret_engine::{Arena, CountedSigned, Deadline, Mode, OpenOptions, Time, Value};
use leveret_protocol::resp::{ArgumentsBuf, ReplyWriter, RespVersion};
use leveret_strings::{
    find, rows, run, Call, CommandFlags, Databases, Handler, KeyPlaces, Problem, Ran, WatchGuard, WatchedState,
};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

type Hook = Box<dyn FnOnce(&[Arena])>;

/// Two databases. The hook runs when a command asks for one to write to: MOVE and COPY have read their source by then.
struct Host {
    arenas: Vec<Arena>,
    hook: RefCell<Option<Hook>>,
    _folder: tempfile::TempDir,
}

impl Databases for Host {
    fn arena(&self, database: u32) -> Option<&Arena> {
        self.arenas.get(database as usize)
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        if let Some(hook) = self.hook.take() {
            hook(&self.arenas);
        }
        self.arena(database).ok_or(Problem::NO_DATABASE)
    }

    fn count(&self) -> u32 {
        2
    }

    fn value_max(&self) -> usize {
        1 << 20
    }
}

fn host() -> Host {
    let folder = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let open = |number: u32| {
        let path = folder.path().join(format!("{number}.arena"));
        Arena::open(&path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0
    };
    Host { arenas: vec![open(0), open(1)], hook: RefCell::default(), _folder: folder }
}

/// A watched key and its database.
type Place<'k> = (u32, &'k str);

fn state(host: &Host, (database, key): Place<'_>) -> WatchedState {
    WatchedState::of(host.arena(database), key.as_bytes(), Time::now()).expect("free")
}

fn ran(host: &Host, words: &[&str], guards: &[(Place<'_>, WatchedState)]) -> (Ran, String) {
    let request: ArgumentsBuf = words.iter().collect();
    let guard = |((database, key), state): &(Place<'_>, WatchedState)| (*database, key.as_bytes().to_vec(), *state);
    let guards: Vec<_> = guards.iter().map(guard).collect();
    let guards: Vec<WatchGuard<'_>> =
        guards.iter().map(|(database, key, state)| WatchGuard { database: *database, key, state: *state }).collect();
    let mut output = Vec::new();
    let mut call = Call::new(host, 0, ReplyWriter::new(&mut output, RespVersion::Two));
    call.guards = &guards;
    let ran = run(find(&request.arguments()).expect("it is served"), &mut call, &request.arguments());
    (ran, String::from_utf8_lossy(&output).replace("\r\n", "~"))
}

/// All that is in the databases, but for the cas.
fn contents(host: &Host) -> Vec<String> {
    let of = |(number, arena): (usize, &Arena)| {
        let items = arena.iter(Time::now()).map(|item| item.expect("free"));
        items
            .map(|item| format!("{number} {:?} {:?} {:?} {:?}", item.key, item.value, item.meta, item.deadline))
            .collect()
    };
    let mut all: Vec<String> =
        host.arenas.iter().enumerate().flat_map(|database| -> Vec<String> { of(database) }).collect();
    all.sort();
    all
}

/// A request for each command that works on keys.
const REQUESTS: [&[&str]; 66] = [
    &["append", "a", "x"],
    &["bitcount", "a"],
    &["bitfield", "a", "set", "u8", "0", "7"],
    &["bitfield_ro", "a", "get", "u8", "0"],
    &["bitop", "and", "a", "b", "c"],
    &["bitop", "not", "a", "b"],
    &["bitpos", "a", "1"],
    &["copy", "a", "b"],
    &["copy", "a", "b", "replace"],
    &["copy", "a", "b", "db", "1", "replace"],
    &["decr", "a"],
    &["decrby", "a", "3"],
    &["del", "a", "b"],
    &["exists", "a", "b"],
    &["expire", "a", "500"],
    &["expire", "a", "-1"],
    &["expireat", "a", "4000000000", "nx"],
    &["expiretime", "a"],
    &["get", "a"],
    &["getbit", "a", "1"],
    &["getdel", "a"],
    &["getex", "a", "ex", "500"],
    &["getex", "a", "persist"],
    &["getex", "a"],
    &["getrange", "a", "0", "-1"],
    &["getset", "a", "x"],
    &["incr", "a"],
    &["incrby", "a", "3"],
    &["incrbyfloat", "a", "0.5"],
    &["lcs", "a", "b"],
    &["mget", "a", "b"],
    &["move", "a", "1"],
    &["mset", "a", "x", "b", "y"],
    &["msetnx", "a", "x", "b", "y"],
    &["persist", "a"],
    &["pexpire", "a", "500000"],
    &["pexpireat", "a", "4000000000000"],
    &["pexpiretime", "a"],
    &["psetex", "a", "500000", "x"],
    &["pttl", "a"],
    &["rename", "a", "b"],
    &["renamenx", "a", "b"],
    &["set", "a", "x"],
    &["set", "a", "x", "nx"],
    &["set", "a", "x", "xx"],
    &["set", "a", "x", "get"],
    &["set", "a", "x", "nx", "get"],
    &["set", "a", "x", "xx", "get"],
    &["set", "a", "x", "keepttl"],
    &["set", "a", "x", "ex", "500"],
    &["setbit", "a", "1", "1"],
    &["setex", "a", "500", "x"],
    &["setnx", "a", "x"],
    &["setrange", "a", "1", "x"],
    &["strlen", "a"],
    &["substr", "a", "0", "-1"],
    &["touch", "a"],
    &["ttl", "a"],
    &["type", "a"],
    &["unlink", "a"],
    &["memory|usage", "a"],
    &["object|encoding", "a"],
    &["object|freq", "a"],
    &["object|idletime", "a"],
    &["object|refcount", "a"],
    &["eval", "return redis.call('set', KEYS[1], 'x')", "1", "a"],
];

fn words<'w>(request: &[&'w str]) -> Vec<&'w str> {
    let (name, rest) = request.split_first().expect("a name");
    name.split('|').chain(rest.iter().copied()).collect()
}

#[test]
fn each_command_on_keys_is_among_the_requests() {
    let with_subcommands = rows().flat_map(|row| std::iter::once(row).chain(row.subcommands()));
    for row in with_subcommands.filter(|row| matches!(row.handler, Handler::Here(_)) && row.keys != KeyPlaces::NONE) {
        assert!(REQUESTS.iter().any(|request| request[0] == row.name), "{}", row.name);
    }
}

/// What is under a key before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Absent,
    Text,
    Number,
    Mortal,
}

fn prepare(host: &Host, before: [Before; 4]) {
    let now = Time::now();
    host.arenas.iter().for_each(|arena| arena.flush().expect("free"));
    // Nothing that moves between two runs: a deadline that does not depend on the clock.
    let deadline = Deadline::at_unix_millis(4_100_000_000_000);
    let places = [(0, "a"), (0, "b"), (0, "c"), (1, "b")];
    for ((database, key), before) in places.into_iter().zip(before) {
        let (arena, key) = (&host.arenas[database], key.as_bytes());
        match before {
            Before::Absent => {}
            Before::Text => arena.set(key, b"5", Deadline::NEVER, now).expect("room"),
            Before::Number => {
                arena.count_signed(key, 5, now).expect("free");
            }
            Before::Mortal => arena.set(key, b"5", deadline, now).expect("room"),
        }
    }
}

/// What a direct writer does to a key. False: nothing.
fn change(arena: &Arena, key: &[u8], way: usize) -> bool {
    let now = Time::now();
    match way {
        0 => arena.set(key, b"7", Deadline::NEVER, now).is_ok(),
        1 => arena.delete(key, now).expect("free"),
        2 => matches!(arena.count_signed(key, 1, now), Ok(CountedSigned::Value(_))),
        // The same bytes once more.
        3 => arena.store(key, Value::Bytes(b"5"), Default::default(), Deadline::NEVER, Mode::Set, now).is_ok(),
        _ => {
            let mut is_changed = false;
            let mut decide = |_: &_| {
                is_changed = true;
                Some(Deadline::at_unix_millis(4_200_000_000_000))
            };
            arena.retime(key, now, &mut decide).expect("free");
            is_changed
        }
    }
}

const BEFORE: [Before; 4] = [Before::Absent, Before::Text, Before::Number, Before::Mortal];

#[test]
fn a_key_that_has_changed_ends_the_transaction_and_nothing_is_done() {
    let (host, mut lost) = (host(), 0);
    for request in REQUESTS {
        let words = words(request);
        for (number, watched) in [(0, "a"), (0, "b"), (0, "c"), (1, "b"), (1, "a")].into_iter().enumerate() {
            for (index, way) in (0..BEFORE.len()).flat_map(|index| (0..5).map(move |way| (index, way))) {
                let mut before = [BEFORE[(index + 1) % 4], BEFORE[(index + 2) % 4], BEFORE[3], BEFORE[0]];
                if number < 4 {
                    before[number] = BEFORE[index];
                }
                prepare(&host, before);
                let seen = state(&host, watched);
                if !change(&host.arenas[watched.0 as usize], watched.1.as_bytes(), way) {
                    continue;
                }
                let there = contents(&host);
                let done = ran(&host, &words, &[(watched, seen)]);
                assert_eq!(done, (Ran::Lost, String::new()), "{request:?} {watched:?} {before:?} {way}");
                assert_eq!(contents(&host), there, "{request:?} {watched:?} {before:?} {way}");
                lost += 1;
            }
        }
    }
    assert!(lost > 3000, "{lost}");
}

#[test]
fn keys_that_are_as_they_were_change_nothing_about_a_command() {
    let host = host();
    for request in REQUESTS {
        let words = words(request);
        for index in 0..64 {
            let before = [BEFORE[index % 4], BEFORE[index / 4 % 4], BEFORE[index / 16], BEFORE[index * 7 % 4]];
            prepare(&host, before);
            let want = (ran(&host, &words, &[]), contents(&host));
            prepare(&host, before);
            let watched = [(0, "a"), (0, "b"), (0, "c"), (1, "b"), (1, "a")].map(|place| (place, state(&host, place)));
            let got = (ran(&host, &words, &watched), contents(&host));
            // Seconds that remain.
            let is_time = matches!(request[0], "ttl" | "pttl" | "object|idletime");
            // The clock of EXPIRE is read anew.
            let is_clock = request.iter().any(|word| matches!(*word, "500" | "500000"));
            if is_time || is_clock {
                assert_eq!(want.0 .0, got.0 .0, "{request:?} {before:?}");
            } else {
                assert_eq!(want, got, "{request:?} {before:?}");
            }
        }
    }
}

/// A direct writer comes when the source was read: the copy is taken back.
#[test]
fn what_changes_in_the_middle_of_a_command_ends_it_too() {
    for (words, written, is_undone) in [
        (&["move", "a", "1"][..], (0, "a"), true),
        (&["move", "a", "1"], (1, "a"), false),
        (&["copy", "a", "b", "db", "1", "replace"], (1, "b"), false),
        (&["copy", "a", "b", "replace"], (0, "b"), false),
    ] {
        for is_there in [false, true] {
            let host = host();
            prepare(
                &host,
                [Before::Text, if is_there { Before::Mortal } else { Before::Absent }, Before::Absent, Before::Absent],
            );
            let watched = [(0, "a"), (0, "b"), (1, "a"), (1, "b")].map(|place| (place, state(&host, place)));
            let (database, key) = (written.0 as usize, written.1.as_bytes());
            host.hook.replace(Some(Box::new(move |arenas: &[Arena]| {
                arenas[database].set(key, b"direct", Deadline::NEVER, Time::now()).expect("room");
            })));
            assert_eq!(ran(&host, words, &watched), (Ran::Lost, String::new()), "{words:?} {written:?}");
            let get = |database: usize, key: &str| {
                host.arenas[database].get(key.as_bytes(), Time::now()).map(|item| item.value)
            };
            assert_eq!(get(database, written.1), Some(b"direct".to_vec()));
            if is_undone {
                assert_eq!(get(1, "a"), None, "the copy");
            }
            if written != (0, "a") {
                assert_eq!(get(0, "a"), Some(b"5".to_vec()));
            }
        }
    }
}

/// Counts that a direct writer makes go where a transaction takes them to, each once: with RENAME, RENAMENX, MOVE and GETDEL.
#[test]
fn no_count_is_lost_or_told_twice_beside_a_direct_writer() {
    const COUNTS: i64 = 60_000;
    for (words, at) in [
        (&["rename", "a", "b"][..], Some((0, "b"))),
        (&["renamenx", "a", "b"], Some((0, "b"))),
        (&["move", "a", "1"], Some((1, "a"))),
        (&["getdel", "a"], None),
    ] {
        let host = host();
        let (arena, is_over) = (host.arenas[0].clone(), AtomicBool::new(false));
        let (mut sum, mut lost) = (0, 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..COUNTS {
                    assert!(matches!(arena.count_signed(b"a", 1, Time::now()), Ok(CountedSigned::Value(_))));
                }
                is_over.store(true, Relaxed);
            });
            let mut is_last = false;
            while !is_last {
                is_last = is_over.load(Relaxed);
                let watched: Vec<_> =
                    [Some((0, "a")), at].into_iter().flatten().map(|place| (place, state(&host, place))).collect();
                let (done, answer) = ran(&host, words, &watched);
                lost += u32::from(done == Ran::Lost);
                if !matches!(done, Ran::Done(_)) {
                    continue;
                }
                let taken = match at {
                    None => answer.split('~').nth(1).and_then(|number| number.parse::<i64>().ok()),
                    Some((database, key)) => {
                        let item = host.arenas[database as usize].take(key.as_bytes(), Time::now()).expect("free");
                        item.and_then(|item| item.number)
                    }
                };
                sum += taken.unwrap_or(0);
            }
        });
        let rest = host.arenas[0].get(b"a", Time::now()).and_then(|item| item.number).unwrap_or(0);
        assert_eq!(sum + rest, COUNTS, "{words:?}, {lost} times lost");
    }
}

/// The flags of a row tell what a server may do with it.
#[test]
fn commands_that_write_two_keys_are_alone() {
    for request in REQUESTS
        .iter()
        .filter(|request| matches!(request[0], "rename" | "renamenx" | "copy" | "move" | "mset" | "msetnx"))
    {
        let words: ArgumentsBuf = words(request).iter().collect();
        assert!(find(&words.arguments()).expect("served").flags.has(CommandFlags::GATE), "{request:?}");
    }
}

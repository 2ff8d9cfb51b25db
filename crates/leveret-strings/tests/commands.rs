//! What cannot be compared with redis-server: answers that are ours, refusals, and what a server makes of a call.
use leveret_engine::{Arena, Deadline, Delta, Encoding, EvictionPolicy, Meta, Mode, OpenOptions, Time, Value};
use leveret_protocol::resp::{ArgumentsBuf, ReplyWriter, RequestBounds, RequestRead, RequestReader, RespVersion};
use leveret_strings::{
    find, keys, lookup, rows, run, written_keys, Call, CommandFlags, Databases, Impact, Problem, Ran, Scripts,
    ServerCommand, WatchGuard, WatchedState,
};
use std::sync::OnceLock;

struct Host {
    arena: OnceLock<Arena>,
    folder: tempfile::TempDir,
    policy: EvictionPolicy,
    may_flush: bool,
    answer_max: usize,
    scripts: Scripts,
}

impl Databases for Host {
    fn arena(&self, database: u32) -> Option<&Arena> {
        self.arena.get().filter(|_| database == 0)
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        if database > 0 {
            return Err(Problem::Text("OOM command not allowed when used memory > 'maxmemory'."));
        }
        let path = self.folder.path().join("one.arena");
        Ok(self.arena.get_or_init(|| Arena::open(&path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0))
    }

    fn count(&self) -> u32 {
        2
    }

    fn policy(&self, _database: u32) -> EvictionPolicy {
        self.policy
    }

    fn value_max(&self) -> usize {
        1 << 20
    }

    fn answer_max(&self) -> usize {
        self.answer_max
    }

    fn may_flush(&self) -> bool {
        self.may_flush
    }

    fn scripts(&self) -> Option<&Scripts> {
        Some(&self.scripts)
    }
}

fn host() -> Host {
    let folder = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let policy = EvictionPolicy::All;
    Host { arena: OnceLock::new(), folder, policy, may_flush: true, answer_max: 1 << 20, scripts: Scripts::new() }
}

fn ran(host: &Host, words: &[&str], guards: &[WatchGuard<'_>]) -> (Option<Ran>, String) {
    let request: ArgumentsBuf = words.iter().collect();
    let mut output = Vec::new();
    let mut call = Call::new(host, 0, ReplyWriter::new(&mut output, RespVersion::Two));
    call.guards = guards;
    let ran = match find(&request.arguments()) {
        Ok(row) => Some(run(row, &mut call, &request.arguments())),
        Err(problem) => {
            problem.write(&mut call.reply);
            None
        }
    };
    (ran, String::from_utf8_lossy(&output).replace("\r\n", "~"))
}

fn said(host: &Host, line: &str) -> String {
    ran(host, &line.split(' ').collect::<Vec<_>>(), &[]).1
}

#[test]
fn answers_of_our_own() {
    let host = host();
    // Nothing has been written: there is no arena, and reading makes none.
    for (line, want) in [
        ("GET a", "$-1~"),
        ("MGET a b", "*2~$-1~$-1~"),
        ("STRLEN a", ":0~"),
        ("TTL a", ":-2~"),
        ("DEL a", ":0~"),
        ("EXPIRE a 10", ":0~"),
        ("PERSIST a", ":0~"),
        ("GETDEL a", "$-1~"),
        ("GETEX a EX 10", "$-1~"),
        ("RENAME a b", "-ERR no such key~"),
        ("COPY a b", ":0~"),
        ("MOVE a 1", ":0~"),
        ("KEYS *", "*0~"),
        ("SCAN 0", "*2~$1~0~*0~"),
        ("RANDOMKEY", "$-1~"),
        ("DBSIZE", ":0~"),
        ("FLUSHALL", "+OK~"),
        ("LCS a b", "$0~~"),
        ("BITCOUNT a", ":0~"),
        ("OBJECT ENCODING a", "$-1~"),
        ("MEMORY USAGE a", "$-1~"),
        ("EVAL return{redis.call('get',KEYS[1])} 1 a", "*1~$-1~"),
    ] {
        assert_eq!(said(&host, line), want, "{line}");
    }
    assert!(host.arena.get().is_none());
    for (line, want) in [
        ("SET number 10", "+OK~"),
        ("OBJECT ENCODING number", "$3~int~"),
        ("SETRANGE number 0 2", ":2~"),
        ("OBJECT ENCODING number", "$3~raw~"),
        ("INCR number", ":21~"),
        ("OBJECT ENCODING number", "$3~int~"),
        ("SET short abc", "+OK~"),
        ("OBJECT ENCODING short", "$6~embstr~"),
        ("OBJECT REFCOUNT short", ":1~"),
        ("OBJECT FREQ short", ":0~"),
        ("OBJECT NOSUCH short", "-ERR unknown subcommand 'NOSUCH'. Try OBJECT HELP.~"),
        ("OBJECT ENCODING", "-ERR wrong number of arguments for 'object|encoding' command~"),
        ("OBJECT", "-ERR wrong number of arguments for 'object' command~"),
        ("MEMORY USAGE short", ":24~"),
        ("MEMORY USAGE short SAMPLES -1", "-ERR syntax error~"),
        ("MOVE short 1", "-OOM command not allowed when used memory > 'maxmemory'.~"),
        ("MOVE short 0", "-ERR source and destination objects are the same~"),
        ("MOVE short 2", "-ERR DB index is out of range~"),
        ("WAIT 1 0", ":0~"),
        ("WAIT 1 -1", "-ERR timeout is negative~"),
        ("ROLE", "*3~$6~master~:0~*0~"),
        ("SLOWLOG GET", "*0~"),
        ("SLOWLOG LEN", ":0~"),
        ("LATENCY LATEST", "*0~"),
        ("MODULE LIST", "*0~"),
        ("FUNCTION FLUSH", "+OK~"),
        ("FUNCTION LIST", "*0~"),
        ("LPUSH a b", "-UNSUPPORTED LPUSH: leveret serve keeps no queues, a cache that evicts would lose jobs; see docs/redis.md~"),
        ("hset a b c", "-UNSUPPORTED HSET: leveret serve keeps strings; see docs/redis.md~"),
        ("ACL SETUSER x", "-UNSUPPORTED ACL SETUSER: users are set where the server is started; see docs/redis.md~"),
        ("EXEC a", "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command~"),
        ("nosuch a", "-ERR unknown command 'nosuch', with args beginning with: 'a' ~"),
        ("EVAL for_i=1 0", "-UNSUPPORTED this script: leveret serve evaluates scripts on one string key; see docs/redis.md~"),
        ("EVALSHA 0000000000000000000000000000000000000000 0", "-NOSCRIPT No matching script. Please use EVAL.~"),
        ("SCRIPT EXISTS b70c2384248f88e6b75b9f89241a180f856ad852 0", "*2~:1~:0~"),
        ("EVALSHA b70c2384248f88e6b75b9f89241a180f856ad852 1 short abc", ":1~"),
        ("EXISTS short", ":0~"),
    ] {
        assert_eq!(said(&host, line), want, "{line}");
    }
    // What EVAL has had is known by its SHA1, until it is forgotten.
    let digest = String::from_utf8_lossy(&leveret_strings::script_digest(b"return 1")).into_owned();
    let by_digest = format!("EVALSHA {digest} 0");
    assert!(said(&host, &by_digest).starts_with("-NOSCRIPT"));
    assert_eq!(ran(&host, &["EVAL", "return 1", "0"], &[]).1, ":1~");
    assert_eq!(said(&host, &by_digest), ":1~");
    assert_eq!(said(&host, "SCRIPT FLUSH"), "+OK~");
    assert!(said(&host, &by_digest).starts_with("-NOSCRIPT"));
    // A script on another key than the first is refused, whole.
    assert!(ran(
        &host,
        &["EVAL", "redis.call('set', KEYS[1], 1) return redis.call('get', KEYS[2])", "2", "x", "y"],
        &[]
    )
    .1
    .starts_with("-UNSUPPORTED"));
    assert_eq!(said(&host, "EXISTS x"), ":0~");
    // A short text does not ask for any memory.
    let doubled = format!("local a = ARGV[1] {} return #a", "a = a .. a ".repeat(40));
    assert!(ran(&host, &["EVAL", &doubled, "1", "x", "0123456789"], &[]).1.starts_with("-ERR not enough memory"));
    let nested = format!("return {}1{}", "(".repeat(1000), ")".repeat(1000));
    assert!(ran(&host, &["EVAL", &nested, "0"], &[]).1.starts_with("-UNSUPPORTED"));
}

#[test]
fn redis_cache_flushes_by_pattern() {
    let host = host();
    for key in ["wp_:posts:1", "wp_:posts:2", "wp_:users:1", "other:posts:1"] {
        said(&host, &format!("SET {key} v"));
    }
    let script = "local cur = 0 local i = 0 local d, tmp repeat tmp = redis.call('SCAN', cur, 'MATCH', 'wp_*') cur = tonumber(tmp[1]) \
        if tmp[2] then for _, v in pairs(tmp[2]) do d = true for _, s in pairs(KEYS) do d = d and not v:find(s, 3) \
        if not d then break end end if d then redis.call('del', v) i = i + 1 end end end until 0 == cur return i";
    assert_eq!(ran(&host, &["EVAL", script, "1", ":users:"], &[]).1, ":2~");
    assert_eq!(said(&host, "EXISTS wp_:posts:1 wp_:users:1 other:posts:1"), ":2~");
}

#[test]
fn policies_rights_and_bounds() {
    let mut host = host();
    let begun = std::time::Instant::now();
    said(&host, "SET a 1");
    assert!(said(&host, "OBJECT IDLETIME a").starts_with("-ERR An LFU maxmemory policy is selected, idle time"));
    host.policy = EvictionPolicy::None;
    let idle = said(&host, "OBJECT IDLETIME a");
    let idle: u64 = idle.strip_prefix(':').and_then(|idle| idle.strip_suffix('~')?.parse().ok()).expect("seconds");
    // The clock may have come to its next second between the two commands.
    assert!(idle <= begun.elapsed().as_secs() + 1, "{idle}");
    assert!(said(&host, "OBJECT FREQ a").starts_with("-ERR An LFU maxmemory policy is not selected"));
    host.may_flush = false;
    assert_eq!(said(&host, "FLUSHDB"), "-NOPERM this user has no permissions to run the 'flushdb' command~");
    assert_eq!(said(&host, "EXISTS a"), ":1~");
    host.answer_max = 1000;
    said(&host, &format!("SET {} {}", "k".repeat(600), "v".repeat(600)));
    said(&host, &format!("SET {} {}", "l".repeat(600), "v".repeat(600)));
    assert_eq!(ran(&host, &["KEYS", "*"], &[]), (Some(Ran::LongAnswer), String::new()));
    let key = "k".repeat(600);
    assert_eq!(ran(&host, &["MGET", &key, &key], &[]), (Some(Ran::LongAnswer), String::new()));
    let long = "k".repeat(host.arena(0).expect("made").key_max() + 1);
    assert!(said(&host, &format!("SET {long} v")).starts_with("-ERR a key of "));
    assert_eq!(said(&host, &format!("EXISTS {long}")), ":0~");
    for line in ["DEL", "GETDEL", "PERSIST", "UNLINK"] {
        assert!(!said(&host, &format!("{line} {long}")).starts_with('-'), "{line}");
    }
}

/// A value that is longer than the database takes is not kept: the old one goes where a set would have taken its place.
#[test]
fn values_that_are_too_long() {
    let host = host();
    for (line, goes) in [
        (&["SET", "k", "V"][..], true),
        (&["SETEX", "k", "10", "V"], true),
        (&["GETSET", "k", "V"], true),
        (&["SET", "k", "V", "NX"], false),
        (&["SETNX", "k", "V"], false),
        (&["APPEND", "k", "V"], false),
        (&["GET", "V"], false),
    ] {
        said(&host, "SET k old");
        let mut bytes = Vec::new();
        let large = vec![b'v'; 100];
        let words: Vec<&[u8]> = line.iter().map(|word| if *word == "V" { &large } else { word.as_bytes() }).collect();
        leveret_protocol::resp::write_arguments(&mut bytes, &words);
        let (mut reader, bounds, mut output) = (RequestReader::new(), RequestBounds::new(50), Vec::new());
        let RequestRead::Swallow { consumed, swallow: 0 } = reader.read(&bytes, &bounds) else { panic!("{line:?}") };
        match reader.read(&bytes[consumed..], &bounds) {
            RequestRead::Request { request, .. } => {
                let mut call = Call::new(&host, 0, ReplyWriter::new(&mut output, RespVersion::Two));
                let ran = run(find(&request).expect("served"), &mut call, &request);
                assert!(matches!(ran, Ran::Done(_)));
            }
            other => panic!("{line:?}: {other:?}"),
        }
        assert_eq!(output, b"-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n", "{line:?}");
        assert_eq!(said(&host, "EXISTS k"), if goes { ":0~" } else { ":1~" }, "{line:?}");
    }
}

/// A direct writer comes between EXEC's look at a watched key and the transaction's first write.
#[test]
fn a_transaction_does_not_write_over_what_it_has_not_seen() {
    let host = host();
    said(&host, "SET made 1");
    let arena = host.arena(0).expect("made");
    let now = Time::now();
    let writes: &[&[&str]] = &[
        &["SET", "k", "v"],
        &["SET", "k", "v", "EX", "100"],
        &["SET", "k", "v", "GET"],
        &["SETEX", "k", "100", "v"],
        &["GETSET", "k", "v"],
        &["MSET", "k", "v", "other", "v"],
        &["APPEND", "k", "v"],
        &["SETRANGE", "k", "0", "v"],
        &["SETBIT", "k", "0", "1"],
        &["INCR", "k"],
        &["INCRBYFLOAT", "k", "1"],
        &["DEL", "k"],
        &["EXPIRE", "k", "100"],
        &["EXPIRE", "k", "-1"],
        &["EVAL", "return redis.call('set', KEYS[1], 'v')", "1", "k"],
    ];
    for write in writes {
        for was_there in [true, false] {
            if !was_there && matches!(write[0], "DEL" | "EXPIRE") {
                continue;
            }
            arena.delete(b"k", now).expect("free");
            if was_there {
                arena.set(b"k", b"5", Deadline::NEVER, now).expect("room");
            }
            let state = WatchedState::of(Some(arena), b"k", now).expect("free");
            let guards = [WatchGuard { database: 0, key: b"k", state }];
            // Unchanged: it goes through.
            let (done, answer) = ran(&host, write, &guards);
            assert!(matches!(done, Some(Ran::Done(_))) && !answer.starts_with('-'), "{write:?}: {done:?} {answer}");
            arena.set(b"k", b"7", Deadline::NEVER, now).expect("room");
            let (done, answer) = ran(&host, write, &guards);
            assert_eq!((done, answer.as_str()), (Some(Ran::Lost), ""), "{write:?}");
            assert_eq!(said(&host, "GET k"), "$1~7~", "{write:?}");
            assert_eq!(said(&host, "TTL k"), ":-1~", "{write:?}");
        }
    }
}

/// What NX and XX refuse is refused, and not lost.
#[test]
fn conditions_in_a_transaction() {
    let host = host();
    said(&host, "SET made 1");
    let (arena, now) = (host.arena(0).expect("made"), Time::now());
    let answer = |line: &str| {
        let state = WatchedState::of(Some(arena), b"k", now).expect("free");
        ran(&host, &line.split(' ').collect::<Vec<_>>(), &[WatchGuard { database: 0, key: b"k", state }])
    };
    for (line, before, want) in [
        ("SETNX k x", Some("1"), ":0~"),
        ("SET k x NX", Some("1"), "$-1~"),
        ("SET k x NX GET", Some("1"), "$1~1~"),
        ("SET k x XX", Some("1"), "+OK~"),
        ("SET k x XX", None, "$-1~"),
        ("SET k x XX GET", None, "$-1~"),
        ("SETNX k x", None, ":1~"),
        ("SET k x NX GET", None, "$-1~"),
        ("UNLINK k k", Some("1"), ":1~"),
        ("MSET k 1 k 2", Some("1"), "+OK~"),
    ] {
        arena.delete(b"k", now).expect("free");
        if let Some(value) = before {
            said(&host, &format!("SET k {value}"));
        }
        let (done, text) = answer(line);
        assert!(matches!(done, Some(Ran::Done(_))), "{line}: {done:?}");
        assert_eq!(text, want, "{line} {before:?}");
    }
}

#[test]
fn what_a_command_tells_of_its_impact() {
    let host = host();
    for (line, want) in [
        ("SET a 1", Impact::Changed),
        ("GET a", Impact::None),
        ("SET a 1 NX", Impact::None),
        ("SET b 1 EXAT 1", Impact::Changed),
        ("EXPIRE a 100", Impact::Changed),
        ("EXPIRE nosuch 100", Impact::None),
        ("EXPIRE a -1", Impact::Removed),
        ("DEL a", Impact::None),
        ("APPEND a x", Impact::Changed),
        ("DEL a", Impact::Removed),
        ("SETBIT a 7 1", Impact::Changed),
        ("SETBIT a 7 1", Impact::None),
        ("GETDEL a", Impact::Removed),
        ("FLUSHDB", Impact::Emptied),
        ("FLUSHALL", Impact::AllEmptied),
    ] {
        assert_eq!(ran(&host, &line.split(' ').collect::<Vec<_>>(), &[]).0, Some(Ran::Done(want)), "{line}");
    }
    assert_eq!(ran(&host, &["client", "ID"], &[]).0, Some(Ran::Server(ServerCommand::ClientId)));
}

#[test]
fn the_table_describes_itself() {
    let host = host();
    let count = rows().filter(|row| row.is_served()).count();
    assert_eq!(said(&host, "COMMAND COUNT"), format!(":{count}~"));
    assert!(said(&host, "COMMAND").starts_with(&format!("*{count}~*10~")));
    assert!(said(&host, "COMMAND LIST").starts_with(&format!("*{count}~")));
    assert!(said(&host, "COMMAND DOCS GET").starts_with("*2~$3~get~*6~$7~summary~"));
    assert!(
        said(&host, "COMMAND INFO get nosuch lpush object|freq").contains("*10~$3~get~:2~*2~+readonly~+fast~:1~:1~:1~")
    );
    assert_eq!(said(&host, "COMMAND LIST FILTERBY PATTERN ex[ie]*ts"), "*1~$6~exists~");
    for (line, want) in [
        ("COMMAND GETKEYS GET a", "*1~$1~a~"),
        ("COMMAND GETKEYS mset a 1 b 2", "*2~$1~a~$1~b~"),
        ("COMMAND GETKEYS BITOP and d a b", "*3~$1~d~$1~a~$1~b~"),
        ("COMMAND GETKEYS OBJECT ENCODING a", "*1~$1~a~"),
        ("COMMAND GETKEYS EVAL x 2 a b c", "*2~$1~a~$1~b~"),
        ("COMMAND GETKEYS EVAL x 9 a b c", "-ERR Invalid arguments specified for command~"),
        ("COMMAND GETKEYS PING a", "-ERR The command has no key arguments~"),
        ("COMMAND GETKEYS nosuch a", "-ERR Invalid command specified~"),
        ("COMMAND GETKEYS GET", "-ERR wrong number of arguments for 'command|getkeys' command~"),
        ("COMMAND GETKEYS SET a", "-ERR Invalid number of arguments specified for command~"),
        ("ACL CAT nosuch", "-ERR Unknown category 'nosuch'~"),
    ] {
        assert_eq!(said(&host, line), want, "{line}");
    }
    assert!(said(&host, "ACL CAT string").contains("$6~getset~"));
    for (line, want) in
        [("BITOP AND d a b", "d"), ("COPY a b", "b"), ("MSET a 1 b 2", "a b"), ("GET a", "a"), ("PING", "")]
    {
        let request: ArgumentsBuf = line.split(' ').collect();
        let row = find(&request.arguments()).expect("served");
        let written: Vec<_> = written_keys(row, &request.arguments()).map(String::from_utf8_lossy).collect();
        assert_eq!(written.join(" "), want, "{line}");
    }
    let request: ArgumentsBuf = ["RENAME", "a", "b"].iter().collect();
    let row = lookup(b"rename").expect("served");
    assert_eq!(keys(row, &request.arguments()).collect::<Vec<_>>(), [b"a", b"b"]);
    assert!(
        row.flags.has(CommandFlags::GATE) && lookup(b"save").is_some_and(|row| row.flags.has(CommandFlags::NO_MULTI))
    );
}

/// Memcached's clients count without a sign, and pad what becomes shorter.
#[test]
fn numbers_of_others() {
    let host = host();
    said(&host, "SET made 1");
    let (arena, now) = (host.arena(0).expect("made"), Time::now());
    let count = |by| arena.count(b"n", by, Some((u64::MAX, Deadline::NEVER)), now).expect("free");
    count(Delta::Increment(1));
    for (line, want) in [
        ("GET n", "$20~18446744073709551615~"),
        ("INCR n", "-ERR value is not an integer or out of range~"),
        ("EVAL return{redis.pcall('incr',KEYS[1]).err} 1 n", "*1~$43~ERR value is not an integer or out of range~"),
        ("RENAME n m", "+OK~"),
        ("GET m", "$20~18446744073709551615~"),
        ("COPY m n", ":1~"),
    ] {
        assert_eq!(said(&host, line), want, "{line}");
    }
    arena.delete(b"n", now).expect("free");
    arena.count(b"n", Delta::Increment(1), Some((100, Deadline::NEVER)), now).expect("free");
    arena.count(b"n", Delta::Decrement(1), None, now).expect("free");
    for (line, want) in [
        ("GET n", "$3~99 ~"),
        ("STRLEN n", ":3~"),
        ("EVAL return{redis.call('incr',KEYS[1])} 1 n", "*1~:100~"),
        ("GET n", "$3~100~"),
        ("DECRBY n 91", ":9~"),
        ("GET n", "$1~9~"),
        ("APPEND n x", ":2~"),
        ("INCR n", "-ERR value is not an integer or out of range~"),
    ] {
        assert_eq!(said(&host, line), want, "{line}");
    }
}

/// The number of an answer.
/// An array in the compact form is to each command the text that clients read.
#[test]
fn arrays_of_php_are_the_text_that_clients_read() {
    let host = host();
    said(&host, "SET made 1");
    let arena = host.arena(0).expect("made");
    // docs/array-format.md: no elements.
    let compact = |key: &[u8]| {
        let meta = Meta::native(Encoding::new(5));
        arena.store(key, Value::Bytes(&[0xCA, 1, 11]), meta, Deadline::NEVER, Mode::Set, Time::now()).expect("room")
    };
    for (line, want, after) in [
        ("GET k", "$6~a:0:{}~", "a:0:{}"),
        ("STRLEN k", ":6~", "a:0:{}"),
        ("GETRANGE k 0 1", "$2~a:~", "a:0:{}"),
        ("APPEND k xyz", ":9~", "a:0:{}xyz"),
        ("SETRANGE k 2 7", ":6~", "a:7:{}"),
        ("SETRANGE k 0 ", ":6~", "a:0:{}"),
        ("SETBIT k 6 1", ":0~", "c:0:{}"),
        ("BITCOUNT k", ":25~", "a:0:{}"),
        ("BITFIELD k GET u8 0", "*1~:97~", "a:0:{}"),
        ("INCR k", "-ERR value is not an integer or out of range~", "a:0:{}"),
        ("INCRBYFLOAT k 1", "-ERR value is not a valid float~", "a:0:{}"),
        ("LCS k k", "$6~a:0:{}~", "a:0:{}"),
        ("BITOP OR k k k", ":6~", "a:0:{}"),
        ("GETSET k v", "$6~a:0:{}~", "v"),
        ("SET k v GET", "$6~a:0:{}~", "v"),
        ("SET k v NX GET", "$6~a:0:{}~", "a:0:{}"),
        ("EVAL return{redis.call('strlen',KEYS[1])} 1 k", "*1~:6~", "a:0:{}"),
    ] {
        compact(b"k");
        assert_eq!(said(&host, line), want, "{line}");
        assert_eq!(said(&host, "GET k"), format!("${}~{after}~", after.len()), "{line}");
    }
    for line in ["COPY k other", "RENAME k other"] {
        compact(b"k");
        said(&host, "DEL other");
        said(&host, line);
        assert_eq!(said(&host, "GET other"), "$6~a:0:{}~", "{line}");
        assert_eq!(arena.get(b"other", Time::now()).expect("copied").value, [0xCA, 1, 11], "{line}");
    }
}

fn number(answer: &str) -> i64 {
    answer.trim_matches([':', '~']).parse().expect("a number")
}

/// Times are kept in milliseconds: a second that has begun is no second less.
#[test]
fn times_in_milliseconds() {
    let host = host();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as i64;
    said(&host, "SET a v EX 10");
    assert_eq!(said(&host, "TTL a"), ":10~");
    assert!((9_000..=10_000).contains(&number(&said(&host, "PTTL a"))));
    let unix = now + 123_456;
    for set in [
        format!("SET a v PXAT {unix}"),
        format!("PEXPIREAT a {unix}"),
        format!("GETEX a PXAT {unix}"),
        format!("EVAL return{{redis.call('pexpireat',KEYS[1],{unix})}} 1 a"),
    ] {
        said(&host, "SET a v");
        said(&host, &set);
        assert_eq!(said(&host, "PEXPIRETIME a"), format!(":{unix}~"), "{set}");
    }
    // One millisecond decides.
    for (condition, by, want) in [("GT", 0, 0), ("GT", 1, 1), ("LT", 1, 0), ("LT", 0, 1), ("XX", 5, 1), ("NX", 5, 0)] {
        assert_eq!(said(&host, &format!("PEXPIREAT a {} {condition}", unix + by)), format!(":{want}~"), "{condition}");
    }
    said(&host, "SET b v PX 250");
    assert_eq!(said(&host, "TTL b"), ":0~");
    let left = number(&said(&host, "PTTL b"));
    assert!((1..=250).contains(&left), "{left}");
    // The copy and what keeps the deadline die with it.
    for line in ["COPY b c", "SET b w KEEPTTL", "APPEND b x", "SETRANGE b 0 y", "RENAME b d", "COPY d b"] {
        said(&host, line);
    }
    assert_eq!(said(&host, "EXISTS b c d"), ":3~");
    std::thread::sleep(std::time::Duration::from_millis(260));
    assert_eq!(said(&host, "EXISTS b c d"), ":0~");
    said(&host, "SET b v PX 1");
    std::thread::sleep(std::time::Duration::from_millis(10));
    assert_eq!(said(&host, "GET b"), "$-1~");
    // Beyond the engine's clock.
    assert_eq!(said(&host, "SET a v PX 9223372036854775807"), "-ERR invalid expire time in 'set' command~");
    assert_eq!(said(&host, "PEXPIREAT a 9223372036854775807"), ":1~");
    assert!(number(&said(&host, "TTL a")) > 4_000_000_000);
}

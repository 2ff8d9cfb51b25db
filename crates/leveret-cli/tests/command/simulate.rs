//! `leveret simulate` on small traces.
use crate::common::Host;
use std::fmt::Write as _;

/// So many keys of 1 KiB each, one after the other, round and round: 12 MiB in all.
fn write_rounds(host: &Host) {
    let mut trace = String::from("time,key,size,op\n");
    for request in 0..36_000 {
        writeln!(trace, "{},key-{},1000,get", request / 100, request % 12_000).expect("text");
    }
    std::fs::write(host.file("rounds.csv"), trace).expect("a file");
}

#[test]
fn more_memory_misses_less_and_nobody_beats_the_bound() {
    let host = Host::new();
    write_rounds(&host);
    let said =
        host.run(["simulate", "rounds.csv", "--memory", "8M,32M", "--svg", "curves.svg", "--json"]).ends(0).json();
    assert_eq!((said["requests"].as_u64(), said["keys"].as_u64()), (Some(36_000), Some(12_000)));
    let misses = |policy: &str, memory: u64| {
        let runs = said["runs"].as_array().expect("runs");
        let run = runs.iter().find(|run| run["policy"] == policy && run["memory"] == memory).expect("a run");
        run["misses"].as_u64().expect("a number")
    };
    let bound = (misses("bound", 8 << 20), misses("bound", 32 << 20));
    assert_eq!(bound.1, 12_000, "everything fits: each key is missed once");
    for policy in ["arena", "lru", "memcached", "s3fifo", "gdsf"] {
        assert_eq!(misses(policy, 32 << 20), 12_000, "{policy}");
        assert!((bound.0..=36_000).contains(&misses(policy, 8 << 20)), "{policy}");
    }
    assert_eq!(misses("lru", 8 << 20), 36_000, "a loop that does not fit is what an LRU is worst at");
    assert!(misses("arena", 8 << 20) < 36_000);
    assert!(std::fs::read_to_string(host.file("curves.svg")).expect("a file").contains("</svg>"));
}

#[test]
fn people_read_a_table_and_what_more_memory_buys() {
    let host = Host::new();
    write_rounds(&host);
    let said = host.run(["simulate", "rounds.csv", "-m", "8M,32M", "--policy", "arena,lru"]).ends(0);
    for part in ["36,000 requests for 12,000 keys", "gets missed", "100.00 %", "32.0 MiB instead of 8.0 MiB: "] {
        assert!(said.text().contains(part), "{part} in {}", said.text());
    }
}

#[test]
fn what_is_wrong_with_a_trace_is_said_with_its_place() {
    let host = Host::new();
    std::fs::write(host.file("bad.csv"), "1,a,10\n2,b,many\n").expect("a file");
    host.run(["simulate", "bad.csv"]).complains(2, "bad.csv: line 2: the size 'many' is no whole number");
    host.run(["simulate", "nowhere.csv"]).complains(3, "cannot read nowhere.csv: there is no such file or folder");
    host.run(["simulate", "bad.csv", "--columns", "time,key"]).complains(2, "no column is called 'size'");
    assert!(host.run(["simulate", "bad.csv", "--memory", "1M"]).ends(2).error.contains("an arena has 8.0 MiB to"));
}

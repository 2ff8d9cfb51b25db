//! `leveret record` beside an arena that is in use.
use crate::common::Host;
use leveret_engine::{Arena, Deadline, Time};
use rustix::process::{kill_process, Pid, Signal};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Asks for the keys in turn, and stores what it misses.
fn ask(arena: &Arena, keys: u32) {
    for number in 0..keys {
        let key = format!("key-{number}");
        if arena.find(key.as_bytes(), Time::now()).is_none() {
            arena.set(key.as_bytes(), &[7; 100], Deadline::NEVER, Time::now()).expect("room");
        }
    }
}

/// Reads a recording that is being written until a line says so.
fn await_line(recorder: &mut Child, seen: impl Fn(&str) -> bool) -> String {
    let mut lines = BufReader::new(recorder.stdout.as_mut().expect("a pipe")).lines();
    lines.by_ref().map(|line| line.expect("text")).find(|line| seen(line)).expect("it goes on")
}

#[test]
fn a_recording_is_replayed() {
    let host = Host::new();
    let arena = host.arena("shop");
    ask(&arena, 100);
    let end = Instant::now() + Duration::from_millis(1500);
    let said = thread::scope(|scope| {
        let recorder = scope.spawn(|| {
            host.run(["record", "shop", "shop.csv", "--seconds", "1s", "--sample", "1", "--interval", "5ms", "--json"])
        });
        while Instant::now() < end {
            ask(&arena, 500);
            thread::sleep(Duration::from_millis(20));
        }
        recorder.join().expect("an end")
    });
    let said = said.ends(0).json();
    assert_eq!((said["sample"].as_f64(), said["keys"].as_u64()), (Some(1.0), Some(500)), "{said}");
    let recording = std::fs::read_to_string(host.file("shop.csv")).expect("a file");
    let count = |op: &str| recording.lines().filter(|line| line.ends_with(op)).count();
    // What was there, and then each key again and again.
    assert!((100..=500).contains(&count(",set")) && count(",delete") == 0, "{recording}");
    assert!(count(",get") > 2000, "{}", count(",get"));
    assert!(!recording.contains("key-"), "keys are their owners' business");
    let replayed = host.run(["simulate", "shop.csv", "--memory", "8M", "--policy", "arena,lru", "--json"]).ends(0);
    let replayed = replayed.json();
    for run in replayed["runs"].as_array().expect("runs") {
        // Each key that was not there is missed once.
        assert_eq!(run["misses"].as_u64(), Some(500 - count(",set") as u64), "{run}");
    }
    assert!(arena.verify().is_clean());
}

#[test]
fn ctrl_c_ends_it_and_two_at_a_time_are_refused() {
    let host = Host::new();
    let arena = host.arena("shop");
    ask(&arena, 10);
    let mut command = host.command(["record", "shop", "-", "--sample", "1"]);
    let mut recorder = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
    await_line(&mut recorder, |line| line.ends_with(",set"));
    host.run(["record", "second.csv", "--arena", "shop"]).complains(3, "is recording this arena already");
    let pid = Pid::from_child(&recorder);
    kill_process(pid, Signal::INT).expect("it is ours");
    let end = recorder.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&end.stderr);
    assert!(end.status.success() && said.starts_with("-: 10 requests for 10 keys"), "{end:?}");
    assert!(String::from_utf8_lossy(&end.stdout).trim_end().lines().last().is_some_and(|line| line.contains("gets=")));
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let host = Host::new();
    drop(host.arena("shop"));
    host.run(["record", "nowhere", "x.csv"]).complains(3, "nowhere.arena");
    host.run(["record", "shop", "no/where.csv", "--seconds", "1"]).complains(3, "cannot write no/where.csv");
    host.run(["record", "shop", "x.csv", "--arena", "shop"]).complains(2, "give one of the two");
    for wrong in [["--sample", "0"], ["--sample", "some"], ["--interval", "1m"], ["--seconds", "soon"]] {
        assert!(!host.run(["record", "shop", "x.csv", wrong[0], wrong[1]]).ends(2).error.is_empty());
    }
}

use super::{bytes, open, Opened};
use leveret_engine::{Encoding, Meta, Ticket};
use leveret_ffi::leveret_step::*;
use leveret_ffi::*;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

const KEY: &[u8] = b"computed";

fn begin() -> leveret_compute {
    leveret_compute { ticket: Ticket::default(), began_us: 0, state: 0, unused: 0 }
}

fn next(arena: *const leveret_arena, key: &[u8], compute: &mut leveret_compute) -> leveret_step {
    // SAFETY: all pointers are live.
    unsafe { leveret_compute_next(arena, bytes(key), 0, compute) }
}

fn end(arena: *const leveret_arena, compute: &mut leveret_compute) {
    // SAFETY: all pointers are live.
    unsafe { leveret_compute_end(arena, compute) };
}

#[test]
fn one_alone_computes_and_the_next_one_finds() {
    let opened = Opened::new();
    let mut compute = begin();
    assert_eq!([0; 3].map(|_| next(opened.arena(), KEY, &mut compute)), [LEVERET_STEP_COMPUTE; 3]);
    opened.store(KEY, b"value", Meta::native(Encoding::RAW));
    end(opened.arena(), &mut compute);
    // The same struct, and a new one: there is an item, and after it was refused no one to wait for.
    for mut compute in [compute, begin()] {
        let steps = [0; 3].map(|_| next(opened.arena(), KEY, &mut compute));
        assert_eq!(steps, [LEVERET_STEP_LOOK, LEVERET_STEP_COMPUTE, LEVERET_STEP_COMPUTE]);
        end(opened.arena(), &mut compute);
        end(opened.arena(), &mut compute);
    }
}

#[test]
fn an_end_without_a_beginning_does_no_harm() {
    let opened = Opened::new();
    let (mut holder, mut other) = (begin(), begin());
    assert_eq!(next(opened.arena(), KEY, &mut holder), LEVERET_STEP_COMPUTE);
    end(opened.arena(), &mut other);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| next(opened.arena(), KEY, &mut begin()));
        assert_eq!(waits.join().expect("no panic"), LEVERET_STEP_AGAIN, "the lease is still held");
    });
    end(opened.arena(), &mut holder);
}

#[test]
fn of_two_one_computes_and_the_other_waits() {
    let (opened, turn) = (Opened::new(), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut compute = begin();
            turn.wait();
            let began = Instant::now();
            assert_eq!([0; 2].map(|_| next(opened.arena(), KEY, &mut compute)), [LEVERET_STEP_AGAIN; 2]);
            assert!(began.elapsed() < Duration::from_secs(5), "20 ms each");
            turn.wait();
            turn.wait();
            // The other one has stored and still holds the lease: a refused item is looked at again.
            assert_eq!([0; 2].map(|_| next(opened.arena(), KEY, &mut compute)), [LEVERET_STEP_LOOK; 2]);
            turn.wait();
            turn.wait();
            // Now the lease is this one's, so after one more look it computes.
            let steps = [0; 3].map(|_| next(opened.arena(), KEY, &mut compute));
            assert_eq!(steps, [LEVERET_STEP_LOOK, LEVERET_STEP_COMPUTE, LEVERET_STEP_COMPUTE]);
            end(opened.arena(), &mut compute);
        });
        let mut compute = begin();
        assert_eq!(next(opened.arena(), KEY, &mut compute), LEVERET_STEP_COMPUTE);
        turn.wait();
        turn.wait();
        opened.store(KEY, b"value", Meta::native(Encoding::RAW));
        turn.wait();
        turn.wait();
        end(opened.arena(), &mut compute);
        turn.wait();
    });
}

#[test]
fn a_holder_that_ends_without_a_value_makes_room_for_the_next() {
    let (opened, turn) = (Opened::new(), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut compute = begin();
            turn.wait();
            assert_eq!(next(opened.arena(), KEY, &mut compute), LEVERET_STEP_AGAIN);
            turn.wait();
            turn.wait();
            assert_eq!(next(opened.arena(), KEY, &mut compute), LEVERET_STEP_COMPUTE);
            end(opened.arena(), &mut compute);
        });
        let mut compute = begin();
        assert_eq!(next(opened.arena(), KEY, &mut compute), LEVERET_STEP_COMPUTE);
        turn.wait();
        turn.wait();
        // As a request ends that an exit has cut off.
        // SAFETY: the arena is live.
        unsafe { leveret_lease_release_all(opened.arena()) };
        turn.wait();
        end(opened.arena(), &mut compute);
    });
}

/// Two computations that hold one key each and need the other's would wait for each other.
#[test]
fn a_holder_waits_for_no_other_key() {
    let (opened, turn) = (&Opened::new(), &Barrier::new(2));
    std::thread::scope(|scope| {
        let hold_and_want = move |held: &'static [u8], wanted: &'static [u8]| {
            let (mut outer, mut inner) = (begin(), begin());
            assert_eq!(next(opened.arena(), held, &mut outer), LEVERET_STEP_COMPUTE);
            turn.wait();
            assert_eq!([0; 2].map(|_| next(opened.arena(), wanted, &mut inner)), [LEVERET_STEP_COMPUTE; 2]);
            turn.wait();
            end(opened.arena(), &mut inner);
            end(opened.arena(), &mut outer);
        };
        scope.spawn(move || hold_and_want(b"one", b"two"));
        hold_and_want(b"two", b"one");
    });
}

#[test]
fn an_item_is_looked_for_at_the_callers_moment() {
    let opened = Opened::new();
    let now = leveret_now();
    opened.store_until(KEY, b"value", Meta::native(Encoding::RAW), now + 100);
    for (at, want) in [(now + 99, LEVERET_STEP_LOOK), (now + 100, LEVERET_STEP_COMPUTE)] {
        let mut compute = begin();
        // SAFETY: all pointers are live.
        assert_eq!(unsafe { leveret_compute_next(opened.arena(), bytes(KEY), at, &mut compute) }, want, "{at}");
        end(opened.arena(), &mut compute);
    }
}

const HOLDER: &str = "LEVERET_VERBS_HOLDER";

/// No test: what the next one runs as a process of its own.
#[test]
fn holder() {
    let Some(path) = std::env::var_os(HOLDER) else { return };
    let arena = open(Path::new(&path));
    assert_eq!(next(arena, KEY, &mut begin()), LEVERET_STEP_COMPUTE);
    println!("holds");
    std::thread::sleep(Duration::from_secs(600));
}

#[test]
fn the_lease_of_a_killed_process_goes_to_one_that_waits() {
    let opened = Opened::new();
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "compute::holder", "--nocapture"])
        .env(HOLDER, &opened.path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let said = BufReader::new(child.stdout.take().expect("piped"));
    assert!(said.lines().map_while(Result::ok).any(|line| line.contains("holds")), "the child holds the lease");
    let mut compute = begin();
    assert_eq!([0; 3].map(|_| next(opened.arena(), KEY, &mut compute)), [LEVERET_STEP_AGAIN; 3]);
    child.kill().expect("killed");
    child.wait().expect("gone");
    let began = Instant::now();
    while next(opened.arena(), KEY, &mut compute) == LEVERET_STEP_AGAIN {
        assert!(began.elapsed() < Duration::from_secs(5), "the holder is dead");
    }
    assert_eq!(next(opened.arena(), KEY, &mut compute), LEVERET_STEP_COMPUTE);
    end(opened.arena(), &mut compute);
}

//! The short forms of the proofs that fork and kill: each is a single-threaded program, run here as anybody would run
//! it. What it printed is shown when it fails, the seed first.

use std::process::Command;

use leveret_testkit::rng;

fn prove(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{program} {args:?}: {}\n{words}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    // Seen with --nocapture: the tables.
    println!("{words}");
}

/// As many operations as a short while allows, each looked at after a sample of its instructions; other ones in each
/// run.
#[test]
fn nobody_is_harmed_by_a_kill_in_the_middle_of_an_operation() {
    prove(
        env!("CARGO_BIN_EXE_leveret-kill"),
        &["--seconds", "30", "--every", "1009", "--kills", "1", "--recoveries", "1"],
    );
}

/// Arenas of other sizes, filled with other values, in each run.
#[test]
fn no_value_of_an_allowed_size_is_refused() {
    prove(env!("CARGO_BIN_EXE_leveret-full"), &["15"]);
}

#[test]
fn a_storm_of_kills_leaves_no_wrong_answer() {
    let processes = ["1", "2", "8", "13", "20"][rng::fresh_seed() as usize % 5];
    prove(env!("CARGO_BIN_EXE_leveret-torture"), &["10", "--processes", processes]);
}

#[test]
fn a_storm_among_clients_of_redis_leaves_no_wrong_answer() {
    let processes = ["2", "5", "12"][rng::fresh_seed() as usize % 3];
    prove(env!("CARGO_BIN_EXE_leveret-torture"), &["8", "--redis", "--processes", processes]);
}

#[test]
fn clients_of_a_server_that_is_killed_all_the_time_read_nothing_wrong() {
    prove(env!("CARGO_BIN_EXE_leveret-soak"), &["10"]);
}

#[test]
fn a_damaged_arena_crashes_nobody() {
    prove(env!("CARGO_BIN_EXE_leveret-fuzz"), &["corrupt", "600", "--rounds", "150"]);
}

#[test]
fn no_store_into_full_memory_holds_a_lock_for_long() {
    prove(env!("CARGO_BIN_EXE_leveret-holds"), &["--short"]);
}

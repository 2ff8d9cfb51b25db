//! Random and damaged input for every parser. Each round draws from a seed that a failure names; `LEVERET_FUZZ_SECONDS`
//! makes the run longer than the blink of an eye that `cargo test` gives it, `LEVERET_FUZZ_SEED` repeats one round. The
//! corpus is where mutation begins: lines in `tests/corpus`, to which every input that once broke something is added.
//!
//! Always true: no parser panics, takes more than there is, or asks for nothing more; the same bytes are the same
//! requests however they are cut; what our writers write, our parsers read.

mod chance;
mod cuts;
mod mirror;
mod reassembly;
mod resp;

use chance::{Chance, Corpus};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant, SystemTime};

/// Runs `round` with fresh seeds for the time that is given.
fn fuzz(name: &str, round: impl Fn(&mut Chance)) {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let only = variable("LEVERET_FUZZ_SEED");
    let first = only.unwrap_or_else(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64)
    });
    let (rounds_min, seconds) = match (only, variable("LEVERET_FUZZ_SECONDS")) {
        (Some(_), _) => (1, 0),
        (None, None) => (2_000, 0),
        (None, Some(seconds)) => (1, seconds),
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut rounds = 0;
    while rounds < rounds_min || Instant::now() < end {
        let seed = first.wrapping_add(rounds);
        if catch_unwind(AssertUnwindSafe(|| round(&mut Chance::new(seed)))).is_err() {
            panic!("{name}: repeat with LEVERET_FUZZ_SEED={seed}");
        }
        rounds += 1;
    }
    println!("{name}: {rounds} rounds from seed {first} on");
}

#[test]
fn text_requests_do_not_depend_on_cuts() {
    let corpus = Corpus::read(include_str!("../corpus/text"));
    fuzz("text requests", |chance| cuts::text_requests(&corpus.mutant(chance), chance));
}

#[test]
fn binary_requests_do_not_depend_on_cuts() {
    let corpus = Corpus::read(include_str!("../corpus/binary"));
    fuzz("binary requests", |chance| cuts::binary_requests(&corpus.mutant(chance), chance));
}

#[test]
fn text_answers_do_not_depend_on_cuts() {
    let corpus = Corpus::read(include_str!("../corpus/answers"));
    fuzz("text answers", |chance| cuts::text_answers(&corpus.mutant(chance), chance));
}

#[test]
fn binary_answers_do_not_depend_on_cuts() {
    let corpus = Corpus::read(include_str!("../corpus/binary"));
    fuzz("binary answers", |chance| cuts::binary_answers(&chance::as_answers(corpus.mutant(chance)), chance));
}

#[test]
fn requests_that_are_written_are_read_back() {
    fuzz("written requests", mirror::requests);
}

#[test]
fn answers_that_are_written_are_read_back() {
    fuzz("written answers", mirror::answers);
}

#[test]
fn datagrams_come_together() {
    fuzz("datagrams", reassembly::round);
}

#[test]
fn resp_requests_do_not_depend_on_cuts() {
    let corpus = Corpus::read(include_str!("../corpus/resp"));
    fuzz("RESP requests", |chance| resp::requests(&corpus.mutant(chance), chance));
}

#[test]
fn resp_lines_have_an_end() {
    fuzz("RESP lines", resp::long_lines);
}

#[test]
fn resp_replies_are_bounded() {
    let corpus = Corpus::read(include_str!("../corpus/resp_replies"));
    fuzz("RESP replies", |chance| resp::replies(&corpus.mutant(chance), chance));
}

#[test]
fn resp_that_is_written_is_read_back() {
    fuzz("written RESP", resp::mirror);
}

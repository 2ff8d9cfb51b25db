//! Random conversations with redis-server and with the commands here: each reply must have the same bytes. What differs is
//! named in `exceptions.rs`.
//!
//! `LEVERET_SEED` repeats a run, `LEVERET_CONVERSATIONS` makes it longer.
mod exceptions;
mod generate;
mod inputs;
mod ours;
mod random;
mod redis;
mod scripts;
mod walks;
mod wire;

use exceptions::Verdict;
use generate::{Generator, Said};
use leveret_protocol::resp::RespVersion;
use ours::Ours;
use random::Random;
use redis::Redis;
use std::time::{Duration, Instant};

const DATABASES: u32 = 4;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_conversations() {
    let seed = variable("LEVERET_SEED", 20261127);
    println!("LEVERET_SEED={seed}");
    let mut ours = Ours::new(DATABASES);
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    let (mut commands, mut excepted) = (0, 0);
    let conversations = variable("LEVERET_CONVERSATIONS", 400);
    for number in 0..conversations {
        let mut random = Random::new(seed.wrapping_add(number));
        let version = if random.one_in(2) { RespVersion::Two } else { RespVersion::Three };
        redis.begin(version);
        ours.begin(version);
        let mut generator = Generator::new(&mut random);
        let mut history = Vec::new();
        let mut slowest = Duration::ZERO;
        for _ in 0..4 + generator.random.below(6) {
            let batch: Vec<Said> = generator.batch();
            let bytes: Vec<u8> = batch.iter().flat_map(|said| said.bytes.clone()).collect();
            let begin = Instant::now();
            let want = redis.talk(&bytes, batch.len());
            let got = ours.talk(&bytes, generator.random);
            slowest = slowest.max(begin.elapsed());
            assert_eq!(got.len(), batch.len(), "seed {seed}, conversation {number}: of {batch:#?} to {got:#?}");
            for ((said, got), want) in batch.iter().zip(&got).zip(&want) {
                history.push(format!("{said:?}"));
                commands += 1;
                match exceptions::compare(said, got, want, slowest) {
                    Verdict::Same => {}
                    Verdict::Excepted => excepted += 1,
                    Verdict::Mended(key) => {
                        excepted += 1;
                        let mend = generate::request(&[b"SET", &key, b"7", b"KEEPTTL"]);
                        redis.talk(&mend, 1);
                        ours.talk(&mend, generator.random);
                    }
                    Verdict::Different => {
                        let tail: Vec<_> = history.iter().rev().take(25).rev().collect();
                        panic!(
                            "LEVERET_SEED={} LEVERET_CONVERSATIONS=1 {version:?}\n{tail:#?}\nours:  {:?}\nredis: {:?}",
                            seed.wrapping_add(number),
                            got[..got.len().min(300)].escape_ascii().to_string(),
                            want[..want.len().min(300)].escape_ascii().to_string(),
                        );
                    }
                }
            }
        }
    }
    println!("{conversations} conversations, {commands} commands, {excepted} of them named exceptions");
}

/// Each command that is run here is said by the generator, or named as one that is not.
#[test]
fn every_command_is_compared_or_named() {
    let missing: Vec<_> = leveret_strings::rows()
        .filter(|row| matches!(row.handler, leveret_strings::Handler::Here(_)))
        .map(|row| row.name)
        .filter(|name| !generate::COMPARED.contains(name) && !exceptions::NOT_COMPARED.contains(name))
        .collect();
    assert_eq!(missing, [""; 0]);
}

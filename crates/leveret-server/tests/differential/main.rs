//! The same random conversations with memcached and with an arena: every byte of every answer must be the same, but for
//! numbers that no two servers share (see `comparable` of each language). Both memcacheds are asked: Debian 12's, and the
//! newer one that the server follows, which alone hears where the two differ. What the languages leave out, they say.
#[path = "../common/mod.rs"]
mod common;
#[path = "../serving/mod.rs"]
mod serving;

mod binary;
mod random;
mod text;
mod watch;

use common::{followed, Memcached, Ours};
use leveret_server::Settings;
use random::Random;
use std::fmt::Debug;
use std::path::Path;

/// Without the threads that look after its items: while one of them holds an item, a number that becomes shorter is not
/// padded as it is otherwise, and an item that counts loses its marks. With them one answer in ten thousand is another.
const ALONE: &[&str] = &["-m", "64", "-o", "no_lru_maintainer,no_lru_crawler"];

/// Which memcached is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// Debian 12's, 1.6.18.
    Debian12,
    /// The one that the server follows.
    Followed,
}

/// What is said in one of memcached's protocols, and how answers are compared.
trait Language {
    type Comparable: PartialEq + Debug;

    /// `has_cas`: as without memcached's `-C`. With it the cas of all items is 0, and what is told of it can be
    /// compared. (But then memcached tells items from those that were flushed by their seconds only, so there is no
    /// flush.) `beside`: what the other server is.
    fn new(random: Random, has_cas: bool, beside: Beside) -> Self;

    /// The next thing to say.
    fn say(&mut self) -> Vec<u8>;

    /// A request that ends what was said before, and its answer.
    fn mark() -> (Vec<u8>, Vec<u8>);

    /// An answer, readable, and without what may differ.
    fn comparable(answer: &[u8]) -> Self::Comparable;
}

fn converse<L: Language>(beside: Beside, program: &Path, seed: u64, steps: u32, has_cas: bool) {
    let options = if has_cas { ALONE } else { &[ALONE, &["-C"]].concat() };
    let mut theirs = Memcached::start_as(program, options, &[]);
    let mut ours = Ours::new(Settings { cas: has_cas, ..Settings::default() });
    let mut language = L::new(Random::new(seed), has_cas, beside);
    let (mark, end) = L::mark();
    let mut history = Vec::new();
    for step in 0..steps {
        // One by one: what memcached has not sent yet it still holds, and then a number that becomes shorter is not
        // padded.
        let said = language.say();
        history.push(format!("{:?}", L::comparable(&said)).chars().take(200).collect::<String>());
        let tail = history.iter().rev().take(12).rev().collect::<Vec<_>>();
        let (want, is_open) = theirs.talk(&said, &mark, &end);
        let mut got = ours.talk(&said);
        if is_open {
            got.extend(ours.talk(&mark));
            assert!(
                got.ends_with(&end),
                "{beside:?}, seed {seed}, step {step}: the mark was not answered in {:?} after {tail:#?}",
                L::comparable(&got)
            );
            got.truncate(got.len() - end.len());
        } else {
            assert!(ours.over, "{beside:?}, seed {seed}, step {step}: memcached hung up after {tail:#?}");
            // Whoever hangs up need not have sent all that came before.
            got.truncate(want.len());
            theirs.reconnect();
            ours.reconnect();
        }
        assert_eq!(
            L::comparable(&got),
            L::comparable(&want),
            "{beside:?}, seed {seed}, step {step}: left ours, right memcached's, after {tail:#?}"
        );
    }
}

fn converse_with_and_without_cas<L: Language>(steps: u32) {
    let seed = std::env::var("LEVERET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20261121);
    println!("LEVERET_SEED={seed}");
    let followed = followed();
    for turn in 0..4 {
        // A turn each without and with cas beside either.
        let (beside, program) = match (turn < 2, &followed) {
            (true, Some(program)) => (Beside::Followed, program.as_path()),
            _ => (Beside::Debian12, Path::new("memcached")),
        };
        converse::<L>(beside, program, seed + turn, steps, turn % 2 == 0);
    }
}

/// Dashboards look for names: none that the memcached which is followed has is missing here.
#[test]
fn statistics_have_all_the_names() {
    let Some(program) = followed() else { return println!("without the memcached that is followed") };
    let mut theirs = Memcached::start_as(&program, &["-m", "64"], &[]);
    let mut ours = Ours::new(Settings::default());
    for list in ["stats\r\n", "stats settings\r\n"] {
        let (mark, end) = text::Text::mark();
        let (want, _) = theirs.talk(list.as_bytes(), &mark, &end);
        let (want, got) = (String::from_utf8(want).expect("text"), ours.say(list));
        let names =
            |text: &str| text.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect::<Vec<_>>();
        let got = names(&got);
        let missing: Vec<_> = names(&want).into_iter().filter(|name| !got.contains(name)).collect();
        assert!(missing.is_empty(), "{list:?}: {missing:?}");
    }
}

#[test]
fn memcached_and_an_arena_answer_text_alike() {
    converse_with_and_without_cas::<text::Text>(1500);
}

#[test]
fn memcached_and_an_arena_answer_binary_frames_alike() {
    converse_with_and_without_cas::<binary::Binary>(1000);
}

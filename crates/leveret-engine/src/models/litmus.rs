//! The checker itself: small programs whose outcomes everybody knows, each with all of them and no other.
use super::checker::{explore, Bounds};
use super::memory::{self, fence, AtomicU32, Laid, Ordering};
use std::collections::BTreeSet;
use std::sync::Mutex;
use Ordering::{AcqRel, Acquire, Relaxed, Release};

const ALL: Bounds = Bounds { stops: 9, old: 9 };

type Words = [AtomicU32; 3];
type Thread = fn(&Words) -> u32;

/// What the threads answer, over all the ways that they can meet.
fn outcomes<const N: usize>(threads: [Thread; N]) -> BTreeSet<[u32; N]> {
    let outcomes = Mutex::new(BTreeSet::new());
    let explored = explore(
        ALL,
        None,
        || true,
        |checker| {
            let words = Words::default();
            let laid = Laid { base: words.as_ptr() as usize, len: size_of::<Words>(), data: (0, 0), grain: 4 };
            let answers = [const { Mutex::new(0) }; N];
            let work = |number: usize| -> Box<dyn FnOnce() + Send + '_> {
                let (words, answers, thread) = (&words, &answers, threads[number]);
                Box::new(move || {
                    memory::work_in(laid);
                    *answers[number].lock().expect("no panic") = thread(words);
                })
            };
            checker.run((0..N).map(work).collect(), |_, _| {});
            outcomes.lock().expect("no panic").insert(answers.map(|answer| answer.into_inner().expect("no panic")));
        },
    );
    assert!(explored.is_complete);
    outcomes.into_inner().expect("no panic")
}

fn message(threads: [Thread; 2]) -> BTreeSet<u32> {
    outcomes(threads).into_iter().map(|[_, read]| read).collect()
}

/// Reads the flag and then the message: flag * 10 + message.
fn read(words: &Words, flag: Ordering) -> u32 {
    let flag = words[1].load(flag);
    flag * 10 + words[0].load(Relaxed)
}

#[test]
fn a_message_is_passed_by_release_and_acquire_only() {
    let released: Thread = |words| {
        words[0].store(1, Relaxed);
        words[1].store(1, Release);
        0
    };
    let relaxed: Thread = |words| {
        words[0].store(1, Relaxed);
        words[1].store(1, Relaxed);
        0
    };
    let fenced: Thread = |words| {
        words[0].store(1, Relaxed);
        fence(Release);
        words[1].store(1, Relaxed);
        0
    };
    let by_fence: Thread = |words| {
        let flag = words[1].load(Relaxed);
        fence(Acquire);
        flag * 10 + words[0].load(Relaxed)
    };
    let (good, any) = (BTreeSet::from([0, 1, 11]), BTreeSet::from([0, 1, 10, 11]));
    assert_eq!(message([released, |words| read(words, Acquire)]), good);
    assert_eq!(message([fenced, by_fence]), good);
    assert_eq!(message([released, by_fence]), good);
    assert_eq!(message([fenced, |words| read(words, Acquire)]), good);
    assert_eq!(message([relaxed, |words| read(words, Acquire)]), any);
    assert_eq!(message([released, |words| read(words, Relaxed)]), any);
}

/// A read-modify-write in between passes on the view that it took; a plain store does not.
#[test]
fn a_release_goes_on_through_changes_only() {
    let released: Thread = |words| {
        words[0].store(1, Relaxed);
        words[1].store(1, Release);
        0
    };
    let reads: Thread = |words| {
        let flag = words[1].load(Acquire);
        flag * 10 + words[0].load(Relaxed)
    };
    let changes: Thread = |words| words[1].compare_exchange(1, 2, Relaxed, Relaxed).unwrap_or(0);
    let stores: Thread = |words| {
        if words[1].load(Relaxed) == 1 {
            words[1].store(2, Relaxed);
        }
        0
    };
    let third = |threads| outcomes(threads).into_iter().map(|[_, _, read]| read).collect::<BTreeSet<u32>>();
    assert!(!third([released, changes, reads]).contains(&20));
    assert!(third([released, stores, reads]).contains(&20));
}

#[test]
fn both_may_miss_the_others_store() {
    let one: Thread = |words| {
        words[0].store(1, Release);
        words[1].load(Acquire)
    };
    let other: Thread = |words| {
        words[1].store(1, Release);
        words[0].load(Acquire)
    };
    assert_eq!(outcomes([one, other]), BTreeSet::from([[0, 0], [0, 1], [1, 0], [1, 1]]));
}

#[test]
fn one_word_never_goes_back() {
    let twice: Thread = |words| {
        words[0].store(1, Relaxed);
        words[0].store(2, Relaxed);
        0
    };
    let reads: Thread = |words| words[0].load(Relaxed) * 10 + words[0].load(Relaxed);
    assert_eq!(message([twice, reads]), BTreeSet::from([0, 1, 2, 11, 12, 22]));
}

#[test]
fn changes_lose_nothing_and_loads_with_stores_do() {
    let adds: Thread = |words| words[0].fetch_add(1, AcqRel);
    assert_eq!(outcomes([adds, adds]), BTreeSet::from([[0, 1], [1, 0]]));
    let stores: Thread = |words| {
        let value = words[0].load(Acquire);
        words[0].store(value + 1, Release);
        value
    };
    assert!(outcomes([stores, stores]).contains(&[0, 0]));
}

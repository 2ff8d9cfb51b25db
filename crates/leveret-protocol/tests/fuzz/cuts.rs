//! The same bytes at once and in pieces: what is read must be the same.
use crate::chance::Chance;
use leveret_protocol::{binary, text, Limits, Parsed, Received};
use std::fmt::Debug;

const LIMITS: Limits = Limits { value_max: 64 };

/// What one call to a parser found.
enum Step {
    More {
        total: usize,
        scanned: usize,
    },
    /// In words; how many bytes it takes, some of which may not have come yet; whether it is the last.
    Found {
        what: String,
        len: usize,
        is_last: bool,
    },
}

pub fn text_requests(input: &[u8], chance: &mut Chance) {
    compare(input, chance, |input, scanned| match text::parse_after(input, scanned, &LIMITS) {
        Parsed::Refused { refusal, consumed, swallow } => {
            refused(&refusal, refusal.close, consumed, swallow, input.len())
        }
        parsed => request(parsed, input.len()),
    });
}

pub fn binary_requests(input: &[u8], chance: &mut Chance) {
    compare(input, chance, |input, _| match binary::parse(input, &LIMITS) {
        Parsed::Refused { refusal, consumed, swallow } => {
            refused(&refusal, refusal.close, consumed, swallow, input.len())
        }
        parsed => request(parsed, input.len()),
    });
}

pub fn text_answers(input: &[u8], chance: &mut Chance) {
    compare(input, chance, |input, _| answer(text::parse_answer(input, &LIMITS), input.len()));
}

pub fn binary_answers(input: &[u8], chance: &mut Chance) {
    compare(input, chance, |input, _| answer(binary::parse_answer(input, &LIMITS), input.len()));
}

fn request<R: Debug, F>(parsed: Parsed<R, F>, available: usize) -> Step {
    match parsed {
        Parsed::More { total, scanned } => more(total, scanned, available),
        Parsed::Request { request, consumed } => {
            assert!(0 < consumed && consumed <= available);
            Step::Found { what: format!("{request:?}"), len: consumed, is_last: false }
        }
        Parsed::Refused { .. } => unreachable!("seen before"),
    }
}

fn refused<F: Debug>(refusal: &F, close: bool, consumed: usize, swallow: usize, available: usize) -> Step {
    assert!(0 < consumed && consumed <= available);
    assert!(swallow == 0 || consumed == available, "what is there is not left to be swallowed");
    Step::Found { what: format!("{refusal:?}"), len: consumed + swallow, is_last: close }
}

fn answer<A: Debug>(received: Received<A>, available: usize) -> Step {
    match received {
        Received::More { total } => more(total, 0, available),
        Received::Answer { answer, consumed } => {
            assert!(0 < consumed && consumed <= available);
            Step::Found { what: format!("{answer:?}"), len: consumed, is_last: false }
        }
        Received::Broken(why) => Step::Found { what: format!("{why:?}"), len: 0, is_last: true },
    }
}

fn more(total: usize, scanned: usize, available: usize) -> Step {
    assert!(total > available && scanned <= available);
    Step::More { total, scanned }
}

fn compare(input: &[u8], chance: &mut Chance, parse: impl Fn(&[u8], usize) -> Step) {
    let at_once = read(input, input.len(), || input.len(), &parse);
    assert_eq!(at_once, read(input, 0, || 1, &parse), "byte by byte: {:?}", input.escape_ascii().to_string());
    let step = 1 + chance.below(100);
    assert_eq!(
        at_once,
        read(input, 0, || 1 + chance.below(step), &parse),
        "in pieces: {:?}",
        input.escape_ascii().to_string()
    );
}

/// Reads `input`, of which `here` bytes are there at first, and `piece` more each time that the parser wants more.
fn read(
    input: &[u8],
    mut here: usize,
    mut piece: impl FnMut() -> usize,
    parse: &impl Fn(&[u8], usize) -> Step,
) -> Vec<String> {
    let mut found = Vec::new();
    let (mut begin, mut scanned_before) = (0, 0);
    loop {
        if begin >= input.len() {
            return found;
        }
        match parse(&input[begin..here.max(begin)], scanned_before) {
            Step::Found { what, len, is_last } => {
                found.push(what);
                if is_last {
                    return found;
                }
                begin += len;
                scanned_before = 0;
            }
            Step::More { total, scanned } => {
                if here == input.len() {
                    return found;
                }
                // A server that believes `total` waits for so much before it parses again, or for the end.
                while here < input.len().min(begin + total) {
                    here = input.len().min(here.max(begin) + piece());
                }
                scanned_before = scanned;
            }
        }
    }
}

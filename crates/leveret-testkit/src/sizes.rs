//! Operations on values of any size that are killed in their middle: values in one segment, in many, and with a tail;
//! alone, and in an arena full of them.

use leveret_engine::Mode;

use crate::operation::{subject, KilledOperation, SeenItem, Trigger};
use crate::rng::Rng;

/// Of the harness's arenas.
const SEGMENT: u64 = 32 << 10;
const VALUE_MAX: u64 = 1 << 20;
/// The most that a frame needs beside its filler.
const FRAME: u64 = 100;

/// The filler of a value that lies around a border, or anywhere between two.
fn filler_len(rng: &mut Rng, max: u64) -> usize {
    let around = |rng: &mut Rng, at: u64| at - 200 + rng.below(200);
    let len = match rng.below(7) {
        0 => rng.below(SEGMENT / 4),
        1 => SEGMENT / rng.between(2, 3) - 200 + rng.below(1000),
        2 => around(rng, SEGMENT),
        3 => SEGMENT * rng.between(1, 6),
        4 => {
            let whole = rng.between(2, 6) * SEGMENT;
            around(rng, whole)
        }
        5 => SEGMENT * rng.between(1, 6) + rng.below(SEGMENT),
        _ => max,
    };
    len.min(max - FRAME) as usize
}

/// One of each, with sizes of chance.
pub fn of(rng: &mut Rng) -> Vec<KilledOperation> {
    let any = |rng: &mut Rng, counter| SeenItem::new(subject(counter, filler_len(rng, VALUE_MAX)));
    let large = KilledOperation::storing("set-any-size", None, any(rng, 1), Mode::Set);
    let other = KilledOperation::storing("overwrite-any-size", Some(any(rng, 1)), any(rng, 2), Mode::Set);
    let half = |rng: &mut Rng| filler_len(rng, VALUE_MAX / 2);
    let (append, prepend) = (
        KilledOperation::joining("append-any-size", Mode::Append, half(rng), half(rng)),
        KilledOperation::joining("prepend-any-size", Mode::Prepend, half(rng), half(rng)),
    );
    let filler_len = filler_len(rng, VALUE_MAX / 4).max(8_000);
    let evicts = Trigger { number: |stats| stats.evicted, filler_len, when: |_| true };
    // A copy of many segments is the same few steps time and again.
    vec![
        large.stride(7),
        other.stride(7),
        append.stride(7),
        prepend.stride(7),
        KilledOperation::triggering("set-evicts-any-size", evicts).pressure().stride(29),
    ]
}

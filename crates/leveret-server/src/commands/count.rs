//! Increments and decrements.
use super::{get, told};
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{CountTerms, CountedItem, Deadline, Delta, Error};

/// Counts. A missing number is made of `initial`, with its deadline.
pub(crate) fn count(
    cx: &Context<'_>,
    key: &[u8],
    change: Delta,
    initial: Option<(u64, Deadline)>,
    terms: &CountTerms,
) -> Result<CountedItem, Error> {
    told::look(cx, key);
    let counted = cx.arena.count_if(key, change, initial, terms, cx.now);
    if let (Ok(CountedItem::Value { is_new: true, .. }), Some((_, deadline))) = (&counted, initial) {
        cx.count(Count::ItemsMade);
        told::counted_first(cx, key, deadline);
    }
    if matches!(counted, Ok(CountedItem::Missing)) {
        cx.count(match change {
            Delta::Decrement(_) => Count::DecrMisses,
            Delta::Increment(_) => Count::IncrMisses,
        });
        get::note_dead(cx, key);
    }
    counted
}

/// By how much a number is to change.
pub(crate) fn delta_of(delta: u64, is_decrement: bool) -> Delta {
    if is_decrement {
        Delta::Decrement(delta)
    } else {
        Delta::Increment(delta)
    }
}

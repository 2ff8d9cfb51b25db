//! The operations that are killed in their middle. Everything the engine can change is here once.

use std::sync::OnceLock;
use std::time::Duration;

use leveret_engine::{
    Amendment, Arena, CountTerms, Counted, CountedItem, Deadline, Delta, Error, Lease, Marks, Meta, Mode, NewCas,
    ReadOptions, Stored, Terms, Time, Value,
};

use crate::operation::{now, store, stored, subject, text, want, Effect, KilledOperation, SeenItem, Trigger, SUBJECT};
use crate::redis_operations;
use crate::rng::Rng;
use crate::sizes;
use crate::values;

fn counting(name: &'static str, before: &str, delta: Delta, after: u64) -> KilledOperation {
    let run = move |arena: &Arena, _| want(arena.count(SUBJECT, delta, None, now()), Counted::Value(after));
    KilledOperation::new(name, Some(SeenItem::new(before)), Some(SeenItem::new(after.to_string())), run)
}

/// Makes the subject a number that counts in place, by memcached's rules.
fn made_number(before: u64) -> impl Fn(&Arena) -> Result<u64, String> {
    move |arena| {
        let start = (before, Deadline::NEVER);
        want(arena.count(SUBJECT, Delta::Increment(0), Some(start), now()), Counted::Value(before)).map(|()| 0)
    }
}

/// Makes the subject an integer, by APCu's rules, and asks for its cas so that counting has one to renew.
fn made_integer(before: i64) -> impl Fn(&Arena) -> Result<u64, String> {
    move |arena| {
        text(arena.store(SUBJECT, Value::Integer(before), Meta::default(), Deadline::NEVER, Mode::Set, now()))?;
        cas_of_subject(arena)
    }
}

fn cas_of_subject(arena: &Arena) -> Result<u64, String> {
    text(arena.get_with(SUBJECT, ReadOptions::new().with_cas(), now()))?
        .map(|item| item.cas)
        .ok_or_else(|| "the subject is not there".to_owned())
}

fn touching(name: &'static str, before: Option<u32>, after: Option<u32>) -> KilledOperation {
    let with = |secs: Option<u32>| match secs {
        Some(secs) => SeenItem::new(subject(1, 30)).ttl(secs),
        None => SeenItem::new(subject(1, 30)),
    };
    let deadline = with(after).deadline;
    KilledOperation::new(name, Some(with(before)), Some(with(after)), move |arena, _| {
        want(arena.touch(SUBJECT, deadline, now()), true)
    })
}

fn amending(name: &'static str, before: SeenItem, after: SeenItem, cas: NewCas, drop_value: bool) -> KilledOperation {
    let amendment = Amendment::new(after.deadline, after.marks, cas).drop_value(drop_value);
    KilledOperation::new(name, Some(before), Some(after), move |arena, _| {
        let amended = text(arena.amend(SUBJECT, now(), &mut |_| Some(amendment)))?;
        amended.map(|_| ()).ok_or_else(|| "the subject is not there".to_owned())
    })
}

fn granted(arena: &Arena) -> Result<leveret_engine::Ticket, String> {
    match arena.lease(SUBJECT, Duration::ZERO) {
        Lease::Granted(ticket) => Ok(ticket),
        other => Err(format!("the lease was answered {other:?}")),
    }
}

fn large(counter: u64) -> SeenItem {
    // Two whole segments of 32 KiB and a tail.
    SeenItem::new(subject(counter, 70_000))
}

/// Made once, before the operation: a million zeros are a million steps.
fn too_large(arena: &Arena) -> &'static [u8] {
    static VALUE: OnceLock<Vec<u8>> = OnceLock::new();
    VALUE.get_or_init(|| vec![0; arena.value_max() + 1])
}

const BURST: u64 = 40;

/// All of them. The seed selects the sizes of those for any size.
pub fn all(seed: u64) -> Vec<KilledOperation> {
    [fixed(), redis_operations::all(), sizes::of(&mut Rng::new(seed))].into_iter().flatten().collect()
}

fn fixed() -> Vec<KilledOperation> {
    let small = || SeenItem::new(subject(1, 30));
    let other = || SeenItem::new(subject(2, 300)).flags(9).ttl(500);
    vec![
        KilledOperation::storing("set-new", None, small().ttl(100), Mode::Set),
        KilledOperation::storing("set-overwrite", Some(small().flags(3)), other(), Mode::Set),
        KilledOperation::storing("set-whole-segment", Some(small()), SeenItem::new(subject(2, 31_000)), Mode::Set),
        KilledOperation::storing("add", None, other(), Mode::Add),
        KilledOperation::new("add-exists", Some(small()), Some(small()), move |arena, _| {
            want(store(arena, SUBJECT, &SeenItem::new("x"), Mode::Add), Stored::Exists)
        }),
        KilledOperation::storing("replace", Some(small()), other(), Mode::Replace),
        KilledOperation::joining("append", Mode::Append, 30, 40),
        KilledOperation::joining("prepend", Mode::Prepend, 30, 40),
        KilledOperation::joining("append-grows-large", Mode::Append, 20_000, 20_000),
        KilledOperation::joining("append-to-large", Mode::Append, 50_000, 100),
        KilledOperation::joining("prepend-to-large", Mode::Prepend, 50_000, 100),
        KilledOperation::new("cas", Some(small()), Some(other()), |arena, token| {
            let value = SeenItem::new(subject(2, 300)).flags(9).ttl(500);
            text(store(arena, SUBJECT, &value, Mode::Cas(token))).and_then(stored)
        })
        .warm(cas_of_subject),
        KilledOperation::new("gets-first", Some(small()), Some(small()), |arena, _| cas_of_subject(arena).map(|_| ())),
        KilledOperation::new("gets-number", Some(small()), Some(SeenItem::new("5")), |arena, _| {
            cas_of_subject(arena).map(|_| ())
        })
        .warm(|arena| text(arena.delete(SUBJECT, now())).and_then(|_| made_number(5)(arena)))
        .effect(Effect::Key { before: Some(SeenItem::new("5")), after: Some(SeenItem::new("5")) }),
        KilledOperation::new("delete", Some(small()), None, |arena, _| want(arena.delete(SUBJECT, now()), true)),
        KilledOperation::new("delete-version", Some(small()), None, |arena, token| {
            text(arena.delete_version(SUBJECT, token, now())).and_then(stored)
        })
        .warm(cas_of_subject),
        counting("incr-text", "99", Delta::Increment(1), 100),
        KilledOperation::new("incr", None, Some(SeenItem::new("1000")), |arena, _| {
            want(arena.count(SUBJECT, Delta::Increment(1), None, now()), Counted::Value(1000))
        })
        .warm(made_number(999))
        .effect(Effect::Key { before: Some(SeenItem::new("999")), after: Some(SeenItem::new("1000")) }),
        KilledOperation::new("decr", None, Some(SeenItem::new("0")), |arena, _| {
            want(arena.count(SUBJECT, Delta::Decrement(7), None, now()), Counted::Value(0))
        })
        .warm(made_number(5))
        .effect(Effect::Key { before: Some(SeenItem::new("5")), after: Some(SeenItem::new("0")) }),
        KilledOperation::new("incr-creates", None, Some(SeenItem::new("41").ttl(90)), |arena, _| {
            let initial = (41, Deadline::after(now(), 90));
            want(arena.count(SUBJECT, Delta::Increment(1), Some(initial), now()), Counted::Value(41))
        }),
        KilledOperation::new("add-integer", None, Some(SeenItem::new("-3")), |arena, _| {
            want(arena.add_integer(SUBJECT, -5, None, now()), Counted::Value(-3i64 as u64))
        })
        .warm(made_integer(2))
        .effect(Effect::Key { before: Some(SeenItem::new("2")), after: Some(SeenItem::new("-3")) }),
        KilledOperation::new("add-integer-creates", None, Some(SeenItem::new("-5")), |arena, _| {
            want(arena.add_integer(SUBJECT, -5, Some(Deadline::NEVER), now()), Counted::Value(-5i64 as u64))
        }),
        KilledOperation::new("cas-integer", None, Some(SeenItem::new("11")), |arena, _| {
            text(arena.cas_integer(SUBJECT, 10, 11, now())).and_then(stored)
        })
        .warm(made_integer(10))
        .effect(Effect::Key { before: Some(SeenItem::new("10")), after: Some(SeenItem::new("11")) }),
        touching("touch-longer", Some(100), Some(200)),
        touching("touch-shorter", Some(200), Some(100)),
        touching("touch-never", Some(100), None),
        KilledOperation::new("get-and-touch", Some(small().ttl(50)), Some(small().ttl(500)), |arena, _| {
            let item = text(arena.get_and_touch(SUBJECT, Deadline::after(now(), 500), now()))?;
            item.map(|_| ()).ok_or_else(|| "the subject is not there".to_owned())
        }),
        amending(
            "amend-marks",
            small().flags(3),
            small().flags(3).marks(Marks::STALE.with(Marks::WON)),
            NewCas::Next,
            false,
        ),
        amending("amend-deadline", small().ttl(50), small().ttl(500), NewCas::Keep, false),
        amending("amend-large", large(1), large(1).marks(Marks::WON).ttl(10), NewCas::Is(5), false),
        amending("amend-drops-value", large(1), SeenItem::new("").marks(Marks::STALE), NewCas::Next, true),
        // The existing deadline stays.
        KilledOperation::new(
            "store-stale",
            Some(small().ttl(50)),
            Some(SeenItem::new(subject(2, 300)).flags(9).ttl(50).marks(Marks::STALE)),
            |arena, token| {
                let value = SeenItem::new(subject(2, 300)).flags(9).ttl(500);
                let terms = Terms::new(Mode::Set).compare(Some(token - 1)).older_is_stale(true).cas(Some(7));
                let meta = Meta::default().with_flags(value.flags);
                text(arena.store_if(SUBJECT, Value::Bytes(&value.value), meta, value.deadline, &terms, now()))
                    .and_then(stored)
            },
        )
        .warm(cas_of_subject),
        KilledOperation::new(
            "count-dates",
            Some(SeenItem::new("99")),
            Some(SeenItem::new("100").ttl(60)),
            |arena, token| {
                let deadline = Deadline::after(now(), 60);
                let terms = CountTerms::new().compare(Some(token)).cas(Some(7)).deadline(Some(deadline)).want_cas(true);
                let counted = arena.count_if(SUBJECT, Delta::Increment(1), None, &terms, now());
                want(counted, CountedItem::Value { value: 100, cas: 7, deadline, is_new: false })
            },
        )
        .warm(cas_of_subject),
        KilledOperation::new("announce", Some(small()), Some(small()), |arena, _| {
            // Left standing: the process is killed before it could withdraw it.
            arena.announce("unix /run/leveret.sock").map(std::mem::forget).map_err(|error| error.to_string())
        }),
        KilledOperation::new("flush", None, None, |arena, _| text(arena.flush())).effect(Effect::Flush),
        KilledOperation::new("flush-later", Some(small()), Some(small()), |arena, _| {
            text(arena.flush_at(Time(Time::now().0 + 100_000)))
        }),
        KilledOperation::new("lease", None, None, |arena, _| granted(arena).map(|_| ())),
        KilledOperation::new("lease-release", None, None, |arena, _| {
            arena.release_all();
            Ok(())
        })
        .warm(|arena| granted(arena).map(|_| 0)),
        KilledOperation::storing("set-large", None, large(1), Mode::Set),
        KilledOperation::storing("overwrite-large", Some(large(1)), large(2), Mode::Set),
        KilledOperation::storing("large-becomes-small", Some(large(1)), small(), Mode::Set),
        KilledOperation::storing("small-becomes-large", Some(small()), large(2), Mode::Set),
        KilledOperation::new("touch-large", Some(large(1).ttl(100)), Some(large(1).ttl(10)), |arena, _| {
            want(arena.touch(SUBJECT, Deadline::after(now(), 10), now()), true)
        }),
        KilledOperation::new("delete-large", Some(large(1)), None, |arena, _| want(arena.delete(SUBJECT, now()), true)),
        KilledOperation::new("set-too-large", Some(small()), None, |arena, _| {
            match arena.set(SUBJECT, too_large(arena), Deadline::NEVER, now()) {
                Err(Error::ValueTooLarge { .. }) => Ok(()),
                other => Err(format!("a value above the limit was answered {other:?}")),
            }
        })
        .warm(|arena| Ok(too_large(arena).len() as u64)),
        KilledOperation::new("reclaim-expired", Some(small()), Some(small()), |arena, _| {
            arena.tend(Time(now().0 + 100), usize::MAX);
            Ok(())
        })
        .warm(|arena| {
            let mortal = |index| {
                text(arena.set(format!("mortal:{index}").as_bytes(), &[b'm'; 900], Deadline::after(now(), 50), now()))
            };
            (0..60).try_for_each(mortal).map(|()| 0)
        }),
        KilledOperation::new("burst", None, None, |arena, _| {
            burst().iter().try_for_each(|(key, value)| text(arena.set(key, value, Deadline::NEVER, now())))
        })
        .warm(|_| Ok(burst().len() as u64))
        .effect(Effect::Burst)
        .stride(3),
        KilledOperation::triggering(
            "set-splits-index",
            Trigger { number: |stats| stats.buckets, filler_len: 10, when: |stats| stats.items > 2000 },
        ),
        KilledOperation::triggering(
            "set-grows-arena",
            Trigger { number: |stats| stats.memory_allocated, filler_len: 500, when: |_| true },
        ),
        KilledOperation::triggering(
            "set-evicts",
            Trigger { number: |stats| stats.evicted, filler_len: 1500, when: |_| true },
        )
        .pressure()
        .stride(29),
        KilledOperation::triggering(
            "set-moves-items",
            Trigger { number: |stats| stats.moved_bytes, filler_len: 400, when: |_| true },
        )
        .pressure()
        .stride(29),
    ]
}

/// The sets of a burst, made before it begins: only the engine's instructions are of interest.
fn burst() -> &'static [(Vec<u8>, Vec<u8>)] {
    static SETS: OnceLock<Vec<(Vec<u8>, Vec<u8>)>> = OnceLock::new();
    SETS.get_or_init(|| (0..BURST).map(|index| (burst_key(index), burst_value(index))).collect())
}

/// Key of the `index`th set of the burst.
pub fn burst_key(index: u64) -> Vec<u8> {
    format!("burst:{index}").into_bytes()
}

/// Value of the `index`th set of the burst.
pub fn burst_value(index: u64) -> Vec<u8> {
    values::frame(&burst_key(index), 0, index, (index as usize * 97) % 600)
}

/// How far a burst has come: the number of its keys that are there. An error when a later one is there without an
/// earlier.
pub fn burst_progress(arena: &Arena) -> Result<u64, String> {
    let mut there = 0;
    for index in 0..BURST {
        match SeenItem::at(arena, &burst_key(index)) {
            None => {}
            Some(seen) if seen.value != burst_value(index) => {
                return Err(format!("burst key {index} holds {}", values::show(&seen.value)))
            }
            Some(_) if there < index => return Err(format!("burst key {index} is there, key {there} is not")),
            Some(_) => there += 1,
        }
    }
    Ok(there)
}

//! Operations of Redis' commands that are killed in their middle: values that are handed out, deadlines in milliseconds,
//! counting with a sign, sweeping, typed items.

use leveret_engine::{Arena, CountedSigned, Cursor, Deadline, Meta, Mode, Terms, Time, Value};

use crate::operation::{now, subject, text, want, Effect, KilledOperation, SeenItem, SUBJECT};

/// A deadline between two seconds.
fn millis(seen: SeenItem, millis: u64) -> SeenItem {
    SeenItem { deadline: Deadline::at_millis(u64::from(now().0) * 1000 + millis), ..seen }
}

fn retiming(name: &'static str, before: SeenItem, after: Option<SeenItem>) -> KilledOperation {
    let deadline = after.as_ref().map_or(Deadline::at(now()), |after| after.deadline);
    KilledOperation::new(name, Some(before), after, move |arena, _| {
        let told = text(arena.retime(SUBJECT, now(), &mut |_| Some(deadline)))?;
        told.map(|_| ()).ok_or_else(|| "the subject is not there".to_owned())
    })
}

/// A store that returns the replaced item.
fn swapping(name: &'static str, before: SeenItem, after: SeenItem) -> KilledOperation {
    let (old, new) = (before.clone(), after.clone());
    KilledOperation::new(name, Some(before), Some(after), move |arena, _| {
        let meta = Meta::default().with_flags(new.flags);
        let terms = Terms::new(Mode::Set).keep_deadline(true);
        let swapped = arena.swap(SUBJECT, Value::Bytes(&new.value), meta, Deadline::NEVER, &terms, now());
        match text(swapped)?.1 {
            Some(item) if item.value == old.value => Ok(()),
            other => Err(format!("handed out {:?}", other.map(|item| item.value.len()))),
        }
    })
}

fn taking(name: &'static str, before: SeenItem) -> KilledOperation {
    let old = before.clone();
    KilledOperation::new(name, Some(before), None, move |arena, _| match text(arena.take(SUBJECT, now()))? {
        Some(item) if item.value == old.value => Ok(()),
        other => Err(format!("handed out {:?}", other.map(|item| item.value.len()))),
    })
}

fn store_typed(arena: &Arena) -> Result<(), String> {
    let terms = Terms::new(Mode::Set);
    text(arena.store_typed(SUBJECT, b"typed", Meta::default(), Deadline::NEVER, &terms, now())).map(|_| ())
}

pub(crate) fn all() -> Vec<KilledOperation> {
    let small = || SeenItem::new(subject(1, 30));
    let other = || SeenItem::new(subject(2, 300)).flags(9);
    let large = |counter| SeenItem::new(subject(counter, 70_000));
    let counted = |name, before: &str, after: i64, delta: i64| {
        KilledOperation::new(
            name,
            Some(SeenItem::new(before).ttl(90)),
            Some(SeenItem::new(after.to_string()).ttl(90)),
            move |arena, _| want(arena.count_signed(SUBJECT, delta, now()), CountedSigned::Value(after)),
        )
    };
    vec![
        taking("take", small()),
        taking("take-large", large(1)),
        swapping("swap", millis(small(), 100_500), millis(other(), 100_500)),
        swapping("swap-large", large(1), large(2)),
        KilledOperation::storing("set-millis", Some(small()), millis(other(), 100_250), Mode::Set),
        KilledOperation::storing("set-drops-millis", Some(millis(other(), 100_250)), small().ttl(100), Mode::Set),
        // In place. The fraction stays: killed before it is stored, an item dies in the right second.
        retiming("retime-later", millis(small(), 100_500), Some(millis(small(), 200_500))),
        retiming("retime-never", small().ttl(100), Some(small())),
        // Elsewhere.
        retiming("retime-earlier", millis(other(), 200_250), Some(millis(other(), 100_750))),
        retiming("retime-gains-millis", other().ttl(100), Some(millis(other(), 200_750))),
        retiming("retime-drops-millis", millis(large(1), 200_250), Some(large(1).ttl(100))),
        retiming("retime-past", small(), None),
        counted("count-signed-text", "-7", -2, 5),
        KilledOperation::new("count-signed", None, None, |arena, _| {
            want(arena.count_signed(SUBJECT, -10, now()), CountedSigned::Value(-3))
        })
        .warm(|arena| want(arena.count_signed(SUBJECT, 7, now()), CountedSigned::Value(7)).map(|()| 0))
        .effect(Effect::Key { before: Some(SeenItem::new("7")), after: Some(SeenItem::new("-3")) }),
        KilledOperation::new("count-signed-creates", None, Some(SeenItem::new("-5")), |arena, _| {
            want(arena.count_signed(SUBJECT, -5, now()), CountedSigned::Value(-5))
        }),
        KilledOperation::new("sweep", Some(small()), Some(small()), |arena, _| {
            let later = Time(now().0 + 100);
            text(arena.sweep(&mut Cursor::default(), later, usize::MAX)).map(|_| ())
        })
        .warm(|arena| {
            let mortal = |index: u32| {
                let deadline = Deadline::after(now(), if index % 3 == 0 { 500 } else { 50 });
                text(arena.set(format!("mortal:{index}").as_bytes(), &[b'm'; 90], deadline, now()))
            };
            (0..30).try_for_each(mortal).map(|()| 0)
        }),
        // To readers that do not ask a typed item is none.
        KilledOperation::new("set-typed", Some(small()), None, |arena, _| store_typed(arena)),
        KilledOperation::storing("overwrite-typed", None, small(), Mode::Set)
            .warm(|arena| store_typed(arena).map(|()| 0)),
        KilledOperation::new("delete-typed", None, None, |arena, _| want(arena.delete(SUBJECT, now()), true))
            .warm(|arena| store_typed(arena).map(|()| 0)),
    ]
}

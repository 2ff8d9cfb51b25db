//! What `mg` does besides reading: it creates a missing item, elects one client to refresh an old one, changes a deadline.
use super::{get, told, touch};
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{
    Amendment, Deadline, Error, Found, Marks, Meta, Mode, NewCas, ReadOptions, Stored, Terms, Time, Value,
};

/// Which client refreshes an item.
#[derive(Clone, Copy, Default)]
pub(crate) struct Race {
    /// This client has won and refreshes the value.
    pub won: bool,
    /// Another client has won before.
    pub lost: bool,
    /// The value is stale.
    pub stale: bool,
}

/// Options of a recaching get.
pub(crate) struct Recache {
    /// A miss creates an empty item, and its client has won.
    pub vivifies: bool,
    /// A reader who finds fewer seconds left wins.
    pub below_secs: Option<i64>,
    /// The item gets another deadline.
    pub touches: bool,
    /// The cas of an item that is made or changed.
    pub cas: Option<u64>,
    /// Reading leaves no trace in the item.
    pub is_untraced: bool,
    /// The answer tells the cas.
    pub tells_cas: bool,
}

/// What becomes of a deadline where flags change it and tell it, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    /// In the end.
    pub last: Deadline,
    /// When it is told.
    pub told: Deadline,
    /// When it decides whether the item is refreshed.
    pub recached: Deadline,
}

/// An item that was found or made.
pub(crate) struct MetItem {
    pub found: Found,
    pub race: Race,
    /// The deadline to tell, if it is not the item's.
    pub told: Option<Deadline>,
}

/// The item under `key`, made or changed as asked. `course` says what becomes of the deadline of one that was there
/// (Some) or is made (None).
pub(crate) fn find(
    cx: &Context<'_>,
    key: &[u8],
    ask: &Recache,
    course: impl Fn(Option<Deadline>) -> Course,
) -> Result<Option<MetItem>, Error> {
    // Whether this is a get, a touch or the making of an item depends on whether there is one. A get is counted by
    // the arena, and with it a miss.
    let is_counted_by_arena = !ask.is_untraced && !ask.vivifies && !ask.touches;
    let options = if is_counted_by_arena { cx.read_options() } else { ReadOptions::new().untraced() };
    let options = if ask.tells_cas { cx.with_cas(options) } else { options };
    told::look(cx, key);
    let mut found = Found::default();
    if !get::find_into(cx, key, options, &mut found)? {
        if ask.vivifies {
            return vivify(cx, key, ask, course(None));
        }
        if !is_counted_by_arena {
            count_get(cx, key, ask.is_untraced)?;
        }
        return Ok(None);
    }
    if ask.touches {
        cx.count(Count::CmdTouch);
    }
    let met = if !found.meta.marks.is_empty() || ask.below_secs.is_some() {
        run_for(cx, key, ask, &found, course)?
    } else if ask.touches {
        let course = course(Some(found.deadline));
        touch_as_read(cx, key, course.last)?;
        Some(MetItem { found, race: Race::default(), told: Some(course.told) })
    } else {
        Some(MetItem { found, race: Race::default(), told: None })
    };
    // Nothing can make it try again from here on.
    if !ask.touches && !is_counted_by_arena {
        count_get(cx, key, ask.is_untraced)?;
    }
    cx.note_prefix_hit(key);
    Ok(met)
}

/// An item that is marked, or may be too old: in one step with its new deadline.
#[cold]
fn run_for(
    cx: &Context<'_>,
    key: &[u8],
    ask: &Recache,
    found: &Found,
    course: impl Fn(Option<Deadline>) -> Course,
) -> Result<Option<MetItem>, Error> {
    let chosen = cx.chosen_cas(ask.cas);
    let (mut race, mut told, mut last) = (Race::default(), None, Deadline::NEVER);
    let amended = get::read(cx.arena.amend(key, cx.now, &mut |item| {
        let course = course(Some(item.deadline));
        (told, last) = (Some(course.told), course.last);
        race = run(item, course.recached, ask.below_secs, cx.now);
        let marks = item.meta.marks.with(if race.won { Marks::WON } else { Marks::NONE });
        let cas = if race.won { chosen.map_or(NewCas::Keep, NewCas::Is) } else { NewCas::Keep };
        let changes = race.won || ask.touches;
        changes.then_some(Amendment::new(course.last, marks, cas))
    }))?;
    if amended.is_some() && ask.touches {
        // The deadline is set and the race is decided: a retry would lose it against itself.
        let _ = touch_as_read(cx, key, last);
    }
    Ok(amended.map(|amended| MetItem { found: amended.with_reads_of(found), race, told }))
}

/// Counts a hit or miss of a look-up that was not traced. Without a trace the item must not be taken for read.
fn count_get(cx: &Context<'_>, key: &[u8], is_untraced: bool) -> Result<(), Error> {
    if is_untraced {
        let is_there = cx.arena.contains(key, cx.now);
        cx.count(if is_there { Count::GetHits } else { Count::GetMisses });
    } else {
        get::find(cx, key, ReadOptions::new())?;
    }
    Ok(())
}

/// Gives an item that was found its deadline, which counts as a touch and marks it as read. One that ends at once
/// counts too.
fn touch_as_read(cx: &Context<'_>, key: &[u8], deadline: Deadline) -> Result<(), Error> {
    if !touch::to_read(cx, key, deadline)? {
        cx.count(Count::TouchHits);
    }
    Ok(())
}

/// A miss: creates an empty item, and the client that created it has won.
fn vivify(cx: &Context<'_>, key: &[u8], ask: &Recache, course: Course) -> Result<Option<MetItem>, Error> {
    let terms = Terms::new(Mode::Add).cas(cx.chosen_cas(ask.cas)).want_cas(true);
    let meta = Meta::default().with_marks(Marks::WON);
    match cx.arena.store_if(key, Value::Bytes(b""), meta, course.last, &terms, cx.now) {
        Ok(Stored::Stored { cas }) => {
            cx.count(Count::SetsByGet);
            if ask.touches {
                cx.count(Count::CmdTouch);
                cx.count(Count::TouchHits);
            } else {
                cx.count(Count::GetHits);
            }
            let race = Race { won: true, ..Race::default() };
            let made = cx.arena.peek(key, cx.now);
            Ok(made.map(|mut found| {
                found.cas = cas;
                MetItem { found, race, told: Some(course.told) }
            }))
        }
        // Another was faster, in between: it has won.
        Ok(_) => {
            let found = get::find(cx, key, cx.with_cas(ReadOptions::new()))?;
            Ok(found.map(|found| {
                let race = run(&found, found.deadline, None, cx.now);
                MetItem { found, race: Race { won: false, lost: true, ..race }, told: None }
            }))
        }
        // No item, and none can be made: a miss without a winner.
        Err(Error::NoMemory | Error::Lost) => {
            cx.count(Count::GetMisses);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether the reader of an item wins, has lost, or meets a stale one.
fn run(item: &Found, deadline: Deadline, below_secs: Option<i64>, now: Time) -> Race {
    let stale = item.meta.marks.contains(Marks::STALE);
    if item.meta.marks.contains(Marks::WON) {
        return Race { won: false, lost: true, stale };
    }
    let left = deadline.time().map(|at| i64::from(at.0.saturating_sub(now.0)));
    let soon = below_secs.zip(left).is_some_and(|(below, left)| left < below);
    Race { won: stale || soon, lost: false, stale }
}

//! Writes of one key. In a transaction the first one is a compare with what WATCH saw of the key.
//!
//! The larger of these compares are reached through `Call::guard`: a program that has no transactions is linked without them.
use crate::call::{Call, ComparedCalls, Decide, StoreByHost};
use crate::problem::Problem;
use crate::watch::{WatchGuard, WatchedState, EXACT};
use leveret_engine::{Amendment, Arena, CountedSigned, Deadline, Item, Meta, Mode, NewCas, Stored, Terms, Value};
use leveret_protocol::resp::parse_integer;

static COMPARED: ComparedCalls = ComparedCalls { count: count_compared, retime: retime_compared };

impl<'c> Call<'c> {
    /// Marks the call as part of a transaction before its first write, with the keys that it watches in this database.
    pub fn guard(&mut self, guards: &'c [WatchGuard<'c>]) {
        (self.guards, self.compared) = (guards, Some(&COMPARED));
    }
}

/// `Call::guard` sets both.
const UNGUARDED: Problem = Problem::ForOthers;

/// Stores a value.
#[inline]
pub fn store(
    call: &mut Call<'_>,
    key: &[u8],
    value: &[u8],
    deadline: Deadline,
    terms: &Terms,
) -> Result<Stored, Problem> {
    match call.guard_of(key) {
        None => put(call, key, value, deadline, terms),
        Some(state) => {
            let terms = compared(terms, state);
            let stored = put(call, key, value, deadline, &terms)?;
            check(stored, &terms, state)
        }
    }
}

#[inline]
fn put(call: &mut Call<'_>, key: &[u8], value: &[u8], deadline: Deadline, terms: &Terms) -> Result<Stored, Problem> {
    let arena = call.writable()?;
    let received = StoreByHost { key, deadline, terms, now: call.now, tells_old: false };
    if let Some(stored) = call.host.store_received(&received) {
        return Ok(stored?.0);
    }
    Ok(arena.store_if(key, Value::Bytes(value), Meta::default(), deadline, terms, call.now)?)
}

/// Stores a value, and hands out the one that was there.
pub fn swap(
    call: &mut Call<'_>,
    key: &[u8],
    value: &[u8],
    deadline: Deadline,
    terms: &Terms,
) -> Result<(Stored, Option<Item>), Problem> {
    let arena = call.writable()?;
    let guard = call.guard_of(key);
    let terms = guard.map_or(*terms, |state| compared(terms, state));
    let received = StoreByHost { key, deadline, terms: &terms, now: call.now, tells_old: true };
    let (stored, old) = match call.host.store_received(&received) {
        Some(stored) => stored?,
        None => arena.swap(key, Value::Bytes(value), Meta::default(), deadline, &terms, call.now)?,
    };
    let stored = match guard {
        Some(state) => check(stored, &terms, state)?,
        None => stored,
    };
    Ok((stored, old))
}

fn compared(terms: &Terms, state: WatchedState) -> Terms {
    match (state, terms.mode) {
        (WatchedState::Present { cas, .. }, Mode::Set | Mode::Replace) => terms.compare(Some(cas)),
        (WatchedState::Absent, Mode::Set) => terms.mode(Mode::Add),
        _ => *terms,
    }
}

/// A store that compares is done, or lost. NX on a key that was there, and XX on one that was not, refuse as they should.
fn check(stored: Stored, terms: &Terms, state: WatchedState) -> Result<Stored, Problem> {
    match stored {
        Stored::Exists if terms.mode == Mode::Add && state == WatchedState::Absent => Err(Problem::Lost),
        Stored::Exists | Stored::Missing if terms.compare.is_some() => Err(Problem::Lost),
        stored => Ok(stored),
    }
}

/// Deletes a key. False: there is none.
#[inline]
pub fn delete(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<bool, Problem> {
    match call.guard_of(key) {
        Some(WatchedState::Present { cas, .. }) => match arena.delete_version(key, cas, call.now)? {
            Stored::Stored { .. } => Ok(true),
            Stored::Exists | Stored::Missing => Err(Problem::Lost),
        },
        _ => Ok(arena.delete(key, call.now)?),
    }
}

/// Adds to a number.
#[inline]
pub fn count(call: &mut Call<'_>, key: &[u8], by: i64) -> Result<CountedSigned, Problem> {
    let arena = call.writable()?;
    match call.guard_of(key) {
        None => Ok(arena.count_signed(key, by, call.now)?),
        Some(state) => (call.compared.ok_or(UNGUARDED)?.count)(call, arena, key, by, state),
    }
}

#[cold]
fn count_compared(
    call: &Call<'_>,
    arena: &Arena,
    key: &[u8],
    by: i64,
    state: WatchedState,
) -> Result<CountedSigned, Problem> {
    let mut text = Vec::new();
    let found = arena.read_into(key, EXACT, call.now, &mut text)?;
    if WatchedState::found(found.as_ref()) != state {
        return Err(Problem::Lost);
    }
    let old = match &found {
        // A count of memcached's is padded.
        Some(found) if found.number().is_some() => parse_integer(text.trim_ascii_end()),
        Some(_) => parse_integer(&text),
        None => Some(0),
    };
    let Some(old) = old else { return Ok(CountedSigned::NotNumber) };
    let Some(sum) = old.checked_add(by) else { return Ok(CountedSigned::Overflow) };
    let (mode, meta, deadline) = match &found {
        Some(found) => (Mode::Cas(found.cas), found.meta, found.deadline),
        None => (Mode::Add, Meta::default(), Deadline::NEVER),
    };
    match arena.store(key, Value::Integer(sum), meta, deadline, mode, call.now)? {
        Stored::Stored { .. } => Ok(CountedSigned::Value(sum)),
        Stored::Exists | Stored::Missing => Err(Problem::Lost),
    }
}

/// Gives a key the deadline that `decide` answers.
pub fn retime(call: &Call<'_>, arena: &Arena, key: &[u8], decide: Decide<'_>) -> Result<(), Problem> {
    match call.guard_of(key) {
        None => arena.retime(key, call.now, decide).map(|_| ()).map_err(Problem::from),
        Some(state) => (call.compared.ok_or(UNGUARDED)?.retime)(call, arena, key, decide, state),
    }
}

fn retime_compared(
    call: &Call<'_>,
    arena: &Arena,
    key: &[u8],
    decide: Decide<'_>,
    state: WatchedState,
) -> Result<(), Problem> {
    let WatchedState::Present { cas, .. } = state else {
        arena.retime(key, call.now, decide)?;
        return Ok(());
    };
    let mut is_same = false;
    arena.amend(key, call.now, &mut |found| {
        is_same = found.cas == cas;
        let deadline = if is_same { decide(found) } else { None }?;
        Some(Amendment::new(deadline, found.meta.marks, NewCas::Keep))
    })?;
    if !is_same {
        return Err(Problem::Lost);
    }
    arena.remove_dead(key, call.now)?;
    Ok(())
}

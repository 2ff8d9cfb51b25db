//! Writes of one key. In a transaction the first one is a compare with what WATCH saw of the key.
use crate::call::{Call, StoreByHost};
use crate::problem::Problem;
use crate::watch::{WatchedState, EXACT};
use leveret_engine::{
    Amendment, Arena, CountedSigned, Deadline, Error, Found, Item, Meta, Mode, NewCas, ReadOptions, Stored, Terms,
    Value,
};
use leveret_protocol::resp::parse_integer;

/// Before a command of a transaction that has written nothing yet: each watched key must be as WATCH saw it.
#[cold]
pub fn expect_all(call: &Call<'_>) -> Result<(), Problem> {
    for guard in call.guards {
        if !guard.state.is_unchanged(call.host.arena(guard.database), guard.key, call.now)? {
            return Err(Problem::Lost);
        }
    }
    Ok(())
}

/// Ends the transaction if this key is watched and not as WATCH saw it.
fn expect(call: &Call<'_>, arena: Option<&Arena>, key: &[u8]) -> Result<(), Problem> {
    match call.guard_of(key) {
        Some(state) if !state.is_unchanged(arena, key, call.now)? => Err(Problem::Lost),
        _ => Ok(()),
    }
}

/// Reads an item's bytes as they are, with its cas. A watched key is compared.
pub fn read(call: &Call<'_>, arena: &Arena, key: &[u8], value: &mut Vec<u8>) -> Result<Option<Found>, Problem> {
    let found = arena.read_into(key, EXACT, call.now, value)?;
    match call.guard_of(key) {
        Some(state) if state != WatchedState::found(found.as_ref()) => Err(Problem::Lost),
        _ => Ok(found),
    }
}

/// Stores a value.
#[inline]
pub fn store(
    call: &mut Call<'_>,
    key: &[u8],
    value: &[u8],
    deadline: Deadline,
    terms: &Terms,
) -> Result<Stored, Problem> {
    Ok(put(call, key, value, deadline, terms, false)?.0)
}

/// Stores a value, and hands out the one that was there.
pub fn swap(
    call: &mut Call<'_>,
    key: &[u8],
    value: &[u8],
    deadline: Deadline,
    terms: &Terms,
) -> Result<(Stored, Option<Item>), Problem> {
    put(call, key, value, deadline, terms, true)
}

#[inline(always)]
fn put(
    call: &mut Call<'_>,
    key: &[u8],
    value: &[u8],
    deadline: Deadline,
    terms: &Terms,
    tells_old: bool,
) -> Result<(Stored, Option<Item>), Problem> {
    let arena = call.writable()?;
    if call.guards.is_empty() {
        let received = StoreByHost { key, deadline, terms, now: call.now, tells_old };
        if let Some(stored) = call.host.store_received(&received) {
            return Ok(stored?);
        }
        let (value, meta) = (Value::Bytes(value), Meta::default());
        return Ok(match tells_old {
            true => arena.swap(key, value, meta, deadline, terms, call.now)?,
            false => (arena.store_if(key, value, meta, deadline, terms, call.now)?, None),
        });
    }
    let item = StoredItem { value: Value::Bytes(value), meta: Meta::default(), deadline };
    put_compared(call, (call.database, arena), key, &item, terms, tells_old)
}

/// What is stored.
#[derive(Clone, Copy)]
pub struct StoredItem<'v> {
    /// Its value.
    pub value: Value<'v>,
    /// What it says of itself.
    pub meta: Meta,
    /// From when on it is dead.
    pub deadline: Deadline,
}

/// Stores in a database whatever WATCH has noted of its key: over the version that it saw, or not at all.
#[cold]
fn put_compared(
    call: &Call<'_>,
    (database, arena): (u32, &Arena),
    key: &[u8],
    item: &StoredItem<'_>,
    terms: &Terms,
    tells_old: bool,
) -> Result<(Stored, Option<Item>), Problem> {
    let guard = call.guard_in(database, key);
    let mut compared = *terms;
    match (guard, terms.mode) {
        (Some(WatchedState::Present { cas, .. }), Mode::Set | Mode::Replace) => compared = terms.compare(Some(cas)),
        (Some(WatchedState::Absent), Mode::Set) => compared = terms.mode(Mode::Add),
        // Refused whatever happens, if the key is as it was.
        (Some(state @ WatchedState::Present { .. }), Mode::Add)
        | (Some(state @ WatchedState::Absent), Mode::Replace) => {
            let old = arena.get_with(key, EXACT, call.now)?;
            if WatchedState::of_item(old.as_ref()) != state {
                return Err(Problem::Lost);
            }
            let refused = if old.is_some() { Stored::Exists } else { Stored::Missing };
            return Ok((refused, old.filter(|_| tells_old)));
        }
        _ => {}
    }
    // A deadline changes without the cas.
    if guard.is_some_and(|state| !state.is_unchanged(Some(arena), key, call.now).unwrap_or(true)) {
        return Err(Problem::Lost);
    }
    let StoredItem { value, meta, deadline } = *item;
    let done = match tells_old {
        true => arena.swap(key, value, meta, deadline, &compared, call.now)?,
        false => (arena.store_if(key, value, meta, deadline, &compared, call.now)?, None),
    };
    match done.0 {
        Stored::Exists | Stored::Missing if guard.is_some() => Err(Problem::Lost),
        _ => Ok(done),
    }
}

/// What undoes a store: the version that it has made, and what was there before.
pub struct Undo {
    cas: u64,
    old: Option<Item>,
}

impl Undo {
    /// Puts back what was there, if nobody has written since.
    pub fn undo(self, arena: &Arena, key: &[u8], call: &Call<'_>) -> Result<(), Error> {
        match self.old {
            Some(Item { value, number, meta, deadline, .. }) => {
                let value = number.map_or(Value::Bytes(&value), Value::Integer);
                arena.store(key, value, meta, deadline, Mode::Cas(self.cas), call.now)?;
            }
            None => {
                arena.delete_version(key, self.cas, call.now)?;
            }
        }
        Ok(())
    }
}

/// Stores an item in any database. None: there was one, and `mode` stores over none. What is told of the old one is only
/// what a transaction that watches needs to undo it.
pub fn put_item(
    call: &Call<'_>,
    (database, arena): (u32, &Arena),
    key: &[u8],
    item: &StoredItem<'_>,
    mode: Mode,
) -> Result<Option<Undo>, Problem> {
    let terms = Terms::new(mode).want_cas(true);
    let (stored, old) = match call.guards.is_empty() {
        true => (arena.store_if(key, item.value, item.meta, item.deadline, &terms, call.now)?, None),
        false => put_compared(call, (database, arena), key, item, &terms, mode == Mode::Set)?,
    };
    Ok(match stored {
        Stored::Stored { cas } => Some(Undo { cas, old }),
        Stored::Exists | Stored::Missing => None,
    })
}

/// Deletes a key. False: there is none.
#[inline]
pub fn delete(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<bool, Problem> {
    if call.guards.is_empty() {
        return Ok(arena.delete(key, call.now)?);
    }
    expect(call, Some(arena), key)?;
    match call.guard_of(key) {
        Some(WatchedState::Present { cas, .. }) => delete_version(call, arena, key, cas).map(|()| true),
        Some(WatchedState::Absent) => Ok(false),
        None => Ok(arena.delete(key, call.now)?),
    }
}

fn delete_version(call: &Call<'_>, arena: &Arena, key: &[u8], cas: u64) -> Result<(), Problem> {
    match arena.delete_version(key, cas, call.now)? {
        Stored::Stored { .. } => Ok(()),
        Stored::Exists | Stored::Missing => Err(Problem::Lost),
    }
}

/// Deletes a key, and hands out its item.
pub fn take(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<Option<Item>, Problem> {
    if call.guard_of(key).is_none() {
        return Ok(arena.take(key, call.now)?);
    }
    let item = get(call, arena, key)?;
    if let Some(item) = &item {
        delete_version(call, arena, key, item.cas)?;
    }
    Ok(item)
}

/// A watched item with its cas. It counts as a read.
fn get(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<Option<Item>, Problem> {
    let item = arena.get_with(key, ReadOptions::new().with_cas(), call.now)?;
    match call.guard_of(key) {
        Some(state) if state != WatchedState::of_item(item.as_ref()) => Err(Problem::Lost),
        _ => Ok(item),
    }
}

/// Hands out an item, and gives it the deadline that `decide` answers.
pub fn get_and_retime(
    call: &Call<'_>,
    arena: &Arena,
    key: &[u8],
    decide: &mut dyn FnMut(&Found) -> Option<Deadline>,
) -> Result<Option<Item>, Problem> {
    if call.guard_of(key).is_none() {
        return Ok(arena.get_and_retime(key, call.now, decide)?);
    }
    let item = get(call, arena, key)?;
    retime(call, arena, key, decide)?;
    Ok(item)
}

/// Adds to a number.
#[inline]
pub fn count(call: &mut Call<'_>, key: &[u8], by: i64) -> Result<CountedSigned, Problem> {
    let arena = call.writable()?;
    match call.guard_of(key) {
        None => Ok(arena.count_signed(key, by, call.now)?),
        Some(_) => count_compared(call, arena, key, by),
    }
}

#[cold]
fn count_compared(call: &Call<'_>, arena: &Arena, key: &[u8], by: i64) -> Result<CountedSigned, Problem> {
    let mut text = Vec::new();
    let found = read(call, arena, key, &mut text)?;
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
pub fn retime(
    call: &Call<'_>,
    arena: &Arena,
    key: &[u8],
    decide: &mut dyn FnMut(&Found) -> Option<Deadline>,
) -> Result<(), Problem> {
    let cas = match call.guard_of(key) {
        None => {
            arena.retime(key, call.now, decide)?;
            return Ok(());
        }
        Some(WatchedState::Absent) => return expect(call, Some(arena), key),
        Some(WatchedState::Present { cas, .. }) => cas,
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

//! What the commands ask the engine for that is more than one of its calls. The loops here end where another writer was
//! quicker for `TRIES` times.
use leveret_engine::{
    Amendment, Arena, Deadline, Encoding, Error, Found, Marks, Meta, Mode, NewCas, ReadOptions, Stored, Time, Value,
};
use leveret_protocol::resp::parse_integer;

/// How often another writer may come in between.
pub const TRIES: usize = 1024;

/// Leaves no trace, and tells the cas.
pub const EXACT: ReadOptions = ReadOptions::new().untraced().with_cas();

/// What an old value is replaced by.
#[derive(Clone, Copy, Debug)]
pub struct NewValue<'v> {
    /// Its bytes.
    pub bytes: &'v [u8],
    /// None: that of the old value.
    pub deadline: Option<Deadline>,
    /// Set, Add or Replace.
    pub mode: Mode,
}

/// How a count ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedCount {
    /// The new number.
    Value(i64),
    /// What is there is no number.
    NotInteger,
    /// The new number would have more than 64 bits.
    Overflow,
}

/// Removes an item, whose value is appended to `out`.
pub fn take(arena: &Arena, key: &[u8], now: Time, out: &mut Vec<u8>) -> Result<bool, Error> {
    let begin = out.len();
    for _ in 0..TRIES {
        let Some(found) = arena.read_into(key, ReadOptions::new().with_cas(), now, out)? else { return Ok(false) };
        if matches!(arena.delete_version(key, found.cas, now)?, Stored::Stored { .. }) {
            return Ok(true);
        }
        out.truncate(begin);
    }
    Err(Error::Busy)
}

/// Stores a value, whose old one is appended to `old`; also says whether there was one. The deadline may stay that of the
/// old value.
pub fn exchange(
    arena: &Arena,
    key: &[u8],
    new: &NewValue<'_>,
    now: Time,
    mut old: Option<&mut Vec<u8>>,
) -> Result<(Stored, bool), Error> {
    let begin = old.as_ref().map_or(0, |old| old.len());
    for _ in 0..TRIES {
        let found = match &mut old {
            Some(old) => arena.read_into(key, ReadOptions::new().with_cas(), now, old)?,
            None => arena.find_with(key, EXACT, now)?,
        };
        let mode = match (&found, new.mode) {
            (Some(_), Mode::Add) => return Ok((Stored::Exists, true)),
            (None, Mode::Replace) => return Ok((Stored::Missing, false)),
            (Some(found), _) => Mode::Cas(found.cas),
            (None, _) => Mode::Add,
        };
        let kept = found.map_or(Deadline::NEVER, |found| found.deadline);
        let deadline = new.deadline.unwrap_or(kept);
        match arena.store(key, Value::Bytes(new.bytes), Meta::default(), deadline, mode, now) {
            Ok(stored @ Stored::Stored { .. }) => return Ok((stored, found.is_some())),
            Ok(_) => {}
            Err(error) => {
                // As a plain set that is refused, it takes the old value with it.
                if matches!(error, Error::ValueTooLarge { .. } | Error::NoMemory) && new.mode == Mode::Set {
                    arena.delete(key, now)?;
                }
                return Err(error);
            }
        }
        if let Some(old) = &mut old {
            old.truncate(begin);
        }
    }
    Err(Error::Busy)
}

/// Gives an item another deadline, if `change` says which, and returns it as it was found. None: there is none.
pub fn retime(
    arena: &Arena,
    key: &[u8],
    now: Time,
    change: &mut dyn FnMut(&Found) -> Option<Deadline>,
) -> Result<bool, Error> {
    let found = arena.amend(key, now, &mut |found| {
        change(found).map(|deadline| Amendment::new(deadline, found.meta.marks, NewCas::Keep))
    })?;
    Ok(found.is_some())
}

/// Appends a value to `out`, and gives its item another deadline. False: there is none.
pub fn read_and_retime(
    arena: &Arena,
    key: &[u8],
    deadline: Deadline,
    now: Time,
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    let Some(item) = arena.get_and_touch(key, deadline, now)? else { return Ok(false) };
    out.extend_from_slice(&item.value);
    Ok(true)
}

/// Adds to a number with its sign, which may lie there as text. A missing one counts from 0. The deadline stays.
pub fn count_signed(arena: &Arena, key: &[u8], by: i64, now: Time) -> Result<SignedCount, Error> {
    let mut text = Vec::new();
    for _ in 0..TRIES {
        text.clear();
        let found = arena.read_into(key, EXACT, now, &mut text)?;
        let old = match &found {
            Some(found) => match number_of(found, &text) {
                Some(old) => old,
                None => return Ok(SignedCount::NotInteger),
            },
            None => 0,
        };
        let Some(value) = old.checked_add(by) else { return Ok(SignedCount::Overflow) };
        let (mode, meta, deadline) = match found {
            Some(found) => (Mode::Cas(found.cas), found.meta, found.deadline),
            None => (Mode::Add, Meta::default(), Deadline::NEVER),
        };
        if let Stored::Stored { .. } = arena.store(key, Value::Integer(value), meta, deadline, mode, now)? {
            return Ok(SignedCount::Value(value));
        }
    }
    Err(Error::Busy)
}

/// The number of an item: stored as one, or as its canonical text.
pub fn number_of(found: &Found, text: &[u8]) -> Option<i64> {
    match found.number() {
        // A number without a sign that does not fit.
        Some(number) if number < 0 && found.meta.encoding != Encoding::INTEGER => None,
        Some(number) => Some(number),
        None => parse_integer(text),
    }
}

/// What `edit` did to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    /// It is to be stored.
    Changed,
    /// It stays.
    Same,
}

/// Changes the bytes of a value, which are none where there is no item. What the item says of itself and its deadline
/// stay; a number becomes text.
pub fn edit(arena: &Arena, key: &[u8], now: Time, change: &mut dyn FnMut(&mut Vec<u8>) -> Edited) -> Result<(), Error> {
    let mut value = Vec::new();
    for _ in 0..TRIES {
        value.clear();
        let found = arena.read_into(key, EXACT, now, &mut value)?;
        if change(&mut value) == Edited::Same {
            return Ok(());
        }
        let (mode, meta, deadline) = match found {
            Some(found) if found.number().is_some() => {
                (Mode::Cas(found.cas), found.meta.with_encoding(Encoding::RAW).with_marks(Marks::NONE), found.deadline)
            }
            Some(found) => (Mode::Cas(found.cas), found.meta.with_marks(Marks::NONE), found.deadline),
            None => (Mode::Add, Meta::default(), Deadline::NEVER),
        };
        if let Stored::Stored { .. } = arena.store(key, Value::Bytes(&value), meta, deadline, mode, now)? {
            return Ok(());
        }
    }
    Err(Error::Busy)
}

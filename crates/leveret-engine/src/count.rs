//! Numbers that count in place, by three sets of rules: unsigned, as memcached's protocol says (text becomes a number, a
//! decrement stops at 0); signed (it wraps, only integers count); signed as Redis says (canonical text becomes an
//! integer, nothing wraps).
//!
//! An increment takes the cas away (0), stores the value, then gives a new cas. Killed in between, the number has no
//! cas, and every token given out before fails, which is right. The other order would let a cas succeed that must not.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::decimal_len;
use crate::item::{Body, Kind, NewItem, View};
use crate::limits;
use crate::meta::{Encoding, Marks, Meta, Origin};
use crate::shard::{put, token, Locked};
use crate::sync::Ordering;
use crate::terms::Stored;
use crate::time::{Deadline, Moment, Time};
use crate::update::{self, Step};

/// Operand of a counter without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta {
    /// Wraps at 2^64.
    Increment(u64),
    /// Stops at 0.
    Decrement(u64),
}

/// How counting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The new value; of `add_integer` the bits of a signed integer.
    Value(u64),
    /// There is no item.
    Missing,
    /// The item is not a number.
    NotNumber,
}

/// All that counting may ask for: `CountTerms::new().want_cas(true)`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CountTerms {
    /// Only the version with this cas counts.
    pub compare: Option<u64>,
    /// The cas of the new version, in place of one that the arena draws; 0 is none.
    pub cas: Option<u64>,
    /// A new deadline.
    pub deadline: Option<Deadline>,
    /// Whether the answer tells the cas.
    pub want_cas: bool,
}

impl CountTerms {
    /// Any version may be counted.
    pub const fn new() -> CountTerms {
        CountTerms { compare: None, cas: None, deadline: None, want_cas: false }
    }

    /// With another `compare`.
    pub const fn compare(self, compare: Option<u64>) -> CountTerms {
        CountTerms { compare, ..self }
    }

    /// With another `cas`.
    pub const fn cas(self, cas: Option<u64>) -> CountTerms {
        CountTerms { cas, ..self }
    }

    /// With another `deadline`.
    pub const fn deadline(self, deadline: Option<Deadline>) -> CountTerms {
        CountTerms { deadline, ..self }
    }

    /// With another `want_cas`.
    pub const fn want_cas(self, want_cas: bool) -> CountTerms {
        CountTerms { want_cas, ..self }
    }
}

/// How counting on terms ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedItem {
    /// It was counted, or created.
    Value {
        /// The new value.
        value: u64,
        /// Its token if that was asked for, else 0.
        cas: u64,
        /// From when on the item is dead.
        deadline: Deadline,
        /// It was missing.
        is_new: bool,
    },
    /// There is no item.
    Missing,
    /// Another version is there.
    Exists,
    /// The item is not a number.
    NotNumber,
}

/// How `Arena::count_signed` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedSigned {
    /// The new value.
    Value(i64),
    /// The item is no signed 64-bit integer. It is unchanged.
    NotNumber,
    /// The sum is no signed 64-bit integer. The item is unchanged.
    Overflow,
}

impl Delta {
    fn apply(self, value: u64) -> u64 {
        match self {
            Delta::Increment(by) => value.wrapping_add(by),
            Delta::Decrement(by) => value.saturating_sub(by),
        }
    }

    fn is_decrement(self) -> bool {
        matches!(self, Delta::Decrement(_))
    }
}

impl Arena {
    /// Counts without a sign, as memcached's protocol says: any value that is a decimal number counts, and becomes one
    /// that counts in place. A missing item is created with the initial value, if there is one.
    pub fn count(
        &self,
        key: &[u8],
        delta: Delta,
        initial: Option<(u64, Deadline)>,
        now: Time,
    ) -> Result<Counted, Error> {
        Ok(match self.count_if(key, delta, initial, &CountTerms::new(), now)? {
            CountedItem::Value { value, .. } => Counted::Value(value),
            CountedItem::Missing => Counted::Missing,
            CountedItem::Exists | CountedItem::NotNumber => Counted::NotNumber,
        })
    }

    /// As `count`, on further terms.
    pub fn count_if(
        &self,
        key: &[u8],
        delta: Delta,
        initial: Option<(u64, Deadline)>,
        terms: &CountTerms,
        now: Time,
    ) -> Result<CountedItem, Error> {
        limits::check_key(&self.core, key)?;
        let number = |meta, deadline: Deadline, value, width| NewItem {
            key,
            meta,
            mtime: now.0,
            deadline,
            cas: terms.cas,
            body: Body::Number { value, width },
        };
        update::update(&self.core, key, now, |locked, located| {
            let Some(view) = located.live() else {
                let Some((value, deadline)) = initial else { return Ok(Step::Done(CountedItem::Missing)) };
                let meta = Meta::default().with_origin(Origin::WIRE);
                let put =
                    put::put(locked, located, &number(meta, deadline, value, decimal_len(value)), terms.want_cas, None);
                return Ok(put.map_or(Step::NoRoom, |cas| {
                    Step::Done(CountedItem::Value { value, cas, deadline, is_new: true })
                }));
            };
            // Same order as memcached: an empty value is not a number, regardless of its cas.
            if view.kind == Kind::Bytes && view.header.value_len() == 0 {
                return Ok(Step::Done(CountedItem::NotNumber));
            }
            if terms.compare.is_some_and(|token| token::cas_of(locked, view) != Some(token)) {
                return Ok(Step::Done(CountedItem::Exists));
            }
            let (old, width) = if view.kind == Kind::Number {
                let number = locked.core.items.number_of(view);
                // A stored integer has a sign, and these rules are unsigned.
                if is_integer(view) && (number as i64) < 0 {
                    return Ok(Step::Done(CountedItem::NotNumber));
                }
                // One that was stored as a number has no width of its own yet.
                (number, decimal_len(number).max(view.header.value_len() as u32))
            } else {
                let Some(number) = parse(locked, view) else { return Ok(Step::Done(CountedItem::NotNumber)) };
                (number, view.header.value_len() as u32)
            };
            let value = delta.apply(old);
            // memcached treats a number that needs more digits as a new value: old marks do not apply.
            let outgrows = decimal_len(value) > width;
            let has_marks = || !locked.core.items.meta_of(view).marks.is_empty();
            let loses_marks = outgrows && has_marks();
            // Nor is it an integer any more where it no longer fits into one: it goes on as a number without a sign.
            let loses_sign = value > i64::MAX as u64 && is_integer(view);
            let stays = !loses_marks && !loses_sign;
            if view.kind == Kind::Number && terms.cas.is_none() && terms.deadline.is_none() && stays {
                set_number(locked, view, value);
                note_count(locked, delta.is_decrement());
                widen(locked, view, decimal_len(value));
                let cas = if terms.want_cas { token::give_cas(locked, view) } else { 0 };
                return Ok(Step::Done(CountedItem::Value {
                    value,
                    cas,
                    deadline: locked.core.items.deadline_of(view),
                    is_new: false,
                }));
            }
            let meta = locked.core.items.meta_of(view);
            let meta = if loses_marks { meta.with_marks(Marks::NONE) } else { meta };
            let meta = if loses_sign { meta.with_encoding(Encoding::RAW) } else { meta };
            let deadline = terms.deadline.unwrap_or(locked.core.items.deadline_of(view));
            let put = put::put(
                locked,
                located,
                &number(meta, deadline, value, width.max(decimal_len(value))),
                terms.want_cas,
                None,
            );
            let Some(cas) = put else { return Ok(Step::NoRoom) };
            note_count(locked, delta.is_decrement());
            Ok(Step::Done(CountedItem::Value { value, cas, deadline, is_new: false }))
        })
    }

    /// Adds to an integer with its sign: it wraps, and only values stored as integers count. `create`: a missing one
    /// is created with the value `step` and this deadline.
    pub fn add_integer(
        &self,
        key: &[u8],
        step: i64,
        create: Option<Deadline>,
        now: impl Moment,
    ) -> Result<Counted, Error> {
        limits::check_key(&self.core, key)?;
        update::update(&self.core, key, now, |locked, located| match located.live() {
            None => match create {
                None => Ok(Step::Done(Counted::Missing)),
                Some(deadline) => {
                    let body = Body::Number { value: step as u64, width: 0 };
                    let meta = Meta::native(Encoding::INTEGER);
                    let item = NewItem { key, meta, mtime: locked.time().0, deadline, cas: None, body };
                    let Some(_) = put::put(locked, located, &item, false, None) else { return Ok(Step::NoRoom) };
                    locked.count(Counter::Sets, 1);
                    note_count(locked, step < 0);
                    Ok(Step::Done(Counted::Value(step as u64)))
                }
            },
            Some(view) if !is_integer(view) => Ok(Step::Done(Counted::NotNumber)),
            Some(view) => {
                let value = locked.core.items.number_of(view).wrapping_add(step as u64);
                set_number(locked, view, value);
                note_count(locked, step < 0);
                Ok(Step::Done(Counted::Value(value)))
            }
        })
    }

    /// Adds to a signed integer, as Redis says: a number, or text that prints one as it would be printed (no space, no plus,
    /// no leading zero). The result counts in place and is not padded; flags and deadline stay. A missing item counts from
    /// 0 and has no deadline.
    pub fn count_signed(&self, key: &[u8], delta: i64, now: Time) -> Result<CountedSigned, Error> {
        limits::check_key(&self.core, key)?;
        update::update(&self.core, key, now, |locked, located| {
            let old = match located.live() {
                Some(view) => signed(locked, view),
                None => Some(0),
            };
            let Some(old) = old else { return Ok(Step::Done(CountedSigned::NotNumber)) };
            let Some(value) = old.checked_add(delta) else { return Ok(Step::Done(CountedSigned::Overflow)) };
            match located.live() {
                Some(view) if is_integer(view) && view.header.value_len() == 0 => {
                    set_number(locked, view, value as u64)
                }
                live => {
                    let (meta, deadline) = match live {
                        Some(view) => (locked.core.items.meta_of(view), locked.core.items.deadline_of(view)),
                        None => (Meta::default().with_origin(Origin::WIRE), Deadline::NEVER),
                    };
                    let meta = meta.with_encoding(Encoding::INTEGER);
                    let body = Body::Number { value: value as u64, width: 0 };
                    let item = NewItem { key, meta, mtime: now.0, deadline, cas: None, body };
                    let Some(_) = put::put(locked, located, &item, false, None) else { return Ok(Step::NoRoom) };
                }
            }
            note_count(locked, delta < 0);
            Ok(Step::Done(CountedSigned::Value(value)))
        })
    }

    /// Replaces an integer that has the value `old`. `Exists`: it has another one, or is no integer.
    pub fn cas_integer(&self, key: &[u8], old: i64, new: i64, now: impl Moment) -> Result<Stored, Error> {
        limits::check_key(&self.core, key)?;
        update::update(&self.core, key, now, |locked, located| {
            let Some(view) = located.live() else { return Ok(Step::Done(Stored::Missing)) };
            if !is_integer(view) || locked.core.items.number_of(view) != old as u64 {
                return Ok(Step::Done(Stored::Exists));
            }
            set_number(locked, view, new as u64);
            note_count(locked, false);
            Ok(Step::Done(Stored::Stored { cas: 0 }))
        })
    }
}

fn is_integer(view: &View) -> bool {
    view.kind == Kind::Number && view.header.meta(0, Marks::NONE).encoding == Encoding::INTEGER
}

fn set_number(locked: &Locked<'_>, view: &View, value: u64) {
    let cas = locked.core.items.number_cas_cell(view);
    // A number whose cas nobody has requested has none and needs none.
    let told = cas.load(Ordering::Relaxed) != 0;
    if told {
        cas.store(0, Ordering::Relaxed);
    }
    locked.core.items.number_cell(view).store(value, Ordering::Release);
    if told {
        cas.store(token::next_cas(locked), Ordering::Release);
    }
}

/// For the statistics.
fn note_count(locked: &Locked<'_>, is_decrement: bool) {
    locked.count(Counter::Increments, 1);
    if is_decrement {
        locked.count(Counter::Decrements, 1);
    }
}

/// The printed length of a number grows with it and never shrinks. After the value, which alone already prints
/// right.
fn widen(locked: &Locked<'_>, view: &View, digits: u32) {
    if u64::from(digits) > view.header.value_len() {
        locked.core.items.shape_cell(view).store(view.header.shape.with_value_len(digits).0, Ordering::Release);
    }
}

/// The value of an item that is a signed integer to Redis: a stored number, however wide, or canonical text.
fn signed(locked: &Locked<'_>, view: &View) -> Option<i64> {
    if view.kind == Kind::Number {
        let number = locked.core.items.number_of(view);
        return if is_integer(view) { Some(number as i64) } else { i64::try_from(number).ok() };
    }
    let mut text = [0; TEXT_MAX];
    let text = std::str::from_utf8(text_of(locked, view, &mut text)?).ok()?;
    // Only one text prints each number.
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// The longest text that is a number: 20 digits, or a sign and 19.
const TEXT_MAX: usize = 20;

/// The text of an item that is short enough for a number, if it is text at all.
fn text_of<'t>(locked: &Locked<'_>, view: &View, text: &'t mut [u8; TEXT_MAX]) -> Option<&'t [u8]> {
    let len = view.header.value_len() as usize;
    let meta = view.header.meta(0, Marks::NONE);
    let is_text = match meta.encoding {
        Encoding::RAW => true,
        // Clients that mark types by flags store floats and booleans as text, and text can be counted.
        Encoding::DOUBLE | Encoding::BOOL => meta.origin != Origin::NATIVE,
        _ => false,
    };
    if view.kind != Kind::Bytes || len > TEXT_MAX || !is_text {
        return None;
    }
    // SAFETY: `len` is at most the size of `text`.
    unsafe { locked.core.items.data.copy_out(view.value(), text.as_mut_ptr(), len) };
    Some(&text[..len])
}

/// The value of an item whose text is a decimal number below 2^64, by memcached's rules: leading white space is
/// skipped, and white space ends the number. Longer texts are rejected: the bytes behind the number would have to be
/// kept as spaces.
fn parse(locked: &Locked<'_>, view: &View) -> Option<u64> {
    let mut text = [0; TEXT_MAX];
    let text = text_of(locked, view, &mut text)?;
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let begin = text.iter().position(|byte| !is_space(byte))?;
    let word = text[begin..].strip_prefix(b"+").unwrap_or(&text[begin..]);
    let digits = &word[..word.iter().position(is_space).unwrap_or(word.len())];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    digits.iter().try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

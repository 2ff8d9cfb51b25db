//! Counts signed integers of all entrances.
//!
//! An integer that came over a socket, or to which a class has joined digits, lies in the arena as text, but is an
//! integer to its readers. So it is first stored again in the counted form; its flags stay, and the entrance that
//! stored it still reads it as before.
use crate::codec::reader_of;
use crate::leveret_status::{self, LEVERET_MISS, LEVERET_NOT_NUMBER, LEVERET_OK};
use crate::types::{failure, moment, outcome};
use crate::{leveret_arena, leveret_bytes};
use leveret_client::codec::{Compression, Form};
use leveret_engine::{Arena, Counted, Deadline, Encoding, Error, Mode, Now, ReadOptions, Stored, Terms, Time, Value};

/// The smallest integer has 20 characters, and memcached pads a number that became shorter.
const TEXT_MAX: usize = 31;
/// Others may store under the same key all the time.
const TRIES_MAX: usize = 64;

/// Adds to an integer; wraps. What counts is what `reader`, a leveret_origin, reads as one: also text (see
/// leveret_translate), with white space around it as PHP allows. A missing item is created with the value `step` and this
/// deadline if `create` is not 0. OK: *result is the new value; MISS; NOT_NUMBER; BUSY, NO_MEMORY, KEY_TOO_LONG, LOST,
/// FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn leveret_count(
    arena: *const leveret_arena,
    key: leveret_bytes,
    step: i64,
    reader: u32,
    create: u32,
    deadline: u32,
    now: u32,
    result: *mut i64,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    let create = (create != 0).then_some(Deadline::of_second(deadline));
    let counted = match add(arena, key, step, create, now) {
        Ok(Counted::NotNumber) => count_text(arena, key, step, reader, create, now),
        counted => counted,
    };
    // SAFETY: by contract.
    unsafe { answer_count(counted, result) }
}

/// As leveret_count, for items stored as integers; text does not count.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_add_integer(
    arena: *const leveret_arena,
    key: leveret_bytes,
    step: i64,
    create: u32,
    deadline: u32,
    now: u32,
    result: *mut i64,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    // SAFETY: by contract.
    unsafe { answer_count(add(arena, key, step, (create != 0).then_some(Deadline::of_second(deadline)), now), result) }
}

/// Replaces an integer whose value is `old_value`. Integers are those of leveret_count. OK; EXISTS: another value, or
/// no integer; MISS; KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_swap_integer(
    arena: *const leveret_arena,
    key: leveret_bytes,
    old_value: i64,
    new_value: i64,
    reader: u32,
    now: u32,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    outcome(match arena.cas_integer(key, old_value, new_value, moment(now)) {
        Ok(Stored::Exists) => swap_text(arena, key, old_value, new_value, reader, moment(now)),
        swapped => swapped,
    })
}

/// As leveret_swap_integer, but text is no integer.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_cas_integer(
    arena: *const leveret_arena,
    key: leveret_bytes,
    old_value: i64,
    new_value: i64,
    now: u32,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    outcome(arena.cas_integer(key, old_value, new_value, moment(now)))
}

#[inline(always)]
fn add(arena: &Arena, key: &[u8], step: i64, create: Option<Deadline>, now: u32) -> Result<Counted, Error> {
    if now == 0 {
        arena.add_integer(key, step, create, Now)
    } else {
        arena.add_integer(key, step, create, Time(now))
    }
}

/// # Safety
/// `result` is live.
#[inline(always)]
unsafe fn answer_count(counted: Result<Counted, Error>, result: *mut i64) -> leveret_status {
    match counted {
        // SAFETY: by contract.
        Ok(Counted::Value(value)) => unsafe {
            result.write(value as i64);
            LEVERET_OK
        },
        Ok(Counted::Missing) => LEVERET_MISS,
        Ok(Counted::NotNumber) => LEVERET_NOT_NUMBER,
        Err(error) => failure(&error),
    }
}

/// For when there was no integer that counts in place.
#[cold]
fn count_text(
    arena: &Arena,
    key: &[u8],
    step: i64,
    reader: u32,
    create: Option<Deadline>,
    now: u32,
) -> Result<Counted, Error> {
    for _ in 0..TRIES_MAX {
        if make_integer(arena, key, reader, moment(now))? == Made::Nothing {
            return Ok(Counted::NotNumber);
        }
        let counted = add(arena, key, step, create, now)?;
        if counted != Counted::NotNumber {
            return Ok(counted);
        }
    }
    Err(Error::Busy)
}

/// The same for a swap, which is refused by text and by another value alike.
#[cold]
fn swap_text(arena: &Arena, key: &[u8], old: i64, new: i64, reader: u32, now: Time) -> Result<Stored, Error> {
    for _ in 0..TRIES_MAX {
        match make_integer(arena, key, reader, now)? {
            Made::Nothing => return Ok(Stored::Exists),
            Made::Integer(value) if value != old => return Ok(Stored::Exists),
            Made::Integer(_) | Made::Changed => {}
        }
        let swapped = arena.cas_integer(key, old, new, now)?;
        if swapped != Stored::Exists {
            return Ok(swapped);
        }
    }
    Err(Error::Busy)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// There is one that counts in place, from now on or since before.
    Integer(i64),
    /// Something else was stored meanwhile, or all was deleted: worth another try.
    Changed,
    /// The item is no integer.
    Nothing,
}

fn make_integer(arena: &Arena, key: &[u8], reader: u32, now: Time) -> Result<Made, Error> {
    // The token is asked for only where it is needed: the first time that takes the lock.
    let Some(seen) = arena.peek(key, now) else { return Ok(Made::Changed) };
    if let Some(number) = seen.number().filter(|_| seen.meta.encoding == Encoding::INTEGER) {
        return Ok(Made::Integer(number));
    }
    if seen.value_len > TEXT_MAX as u64 {
        return Ok(Made::Nothing);
    }
    let options = ReadOptions::new().untraced().with_cas();
    let Some(found) = arena.get_with(key, options, now)? else { return Ok(Made::Changed) };
    if let Some(number) = found.number.filter(|_| found.meta.encoding == Encoding::INTEGER) {
        return Ok(Made::Integer(number));
    }
    let text = found.value;
    if text.len() > TEXT_MAX {
        return Ok(Made::Nothing);
    }
    let is_read_as_integer = Form::of(&found.meta, reader_of(reader), &text)
        .is_some_and(|form| form.encoding == Encoding::INTEGER && form.compression == Compression::None);
    let Some(number) = integer_of(&text).filter(|_| is_read_as_integer) else { return Ok(Made::Nothing) };
    let (meta, terms) = (found.meta.with_encoding(Encoding::INTEGER), Terms::new(Mode::Cas(found.cas)));
    Ok(match arena.store_if(key, Value::Integer(number), meta, found.deadline, &terms, now)? {
        Stored::Stored { .. } => Made::Integer(number),
        Stored::Exists | Stored::Missing => Made::Changed,
    })
}

/// What PHP calls an integer string: a decimal number of 64 bits with or without a sign, and white space around it.
fn integer_of(text: &[u8]) -> Option<i64> {
    let is_inside = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
    let begin = text.iter().position(is_inside)?;
    let end = text.iter().rposition(is_inside)?;
    std::str::from_utf8(&text[begin..=end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_what_php_says() {
        for (text, want) in [
            ("5", Some(5)),
            ("+5", Some(5)),
            ("-5", Some(-5)),
            ("-0", Some(0)),
            ("007", Some(7)),
            ("5  ", Some(5)),
            ("5\n", Some(5)),
            (" \t\n\r\x0b\x0c5 \t\n\r\x0b\x0c", Some(5)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775807 ", Some(i64::MAX)),
            ("00000000000000000000000000000005", Some(5)),
            ("9223372036854775808", None),
            ("-9223372036854775809", None),
            ("18446744073709551615", None),
            ("", None),
            (" ", None),
            ("+", None),
            ("- 5", None),
            ("--5", None),
            ("5.", None),
            ("5.0", None),
            ("5e0", None),
            ("0x5", None),
            ("5 words", None),
            ("5\0", None),
            ("\u{a0}5", None),
            ("\u{665}", None),
        ] {
            assert_eq!(integer_of(text.as_bytes()), want, "{text:?}");
        }
    }
}

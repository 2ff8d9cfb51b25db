//! Arguments that are words or numbers.
use crate::problem::Problem;
use leveret_protocol::resp::parse_integer;

/// Whether an argument is this word, in upper case or lower.
#[inline]
pub fn is_word(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// An argument as Redis shows it in the texts of its errors: a string of C ends at the first zero byte.
pub fn c_text(argument: &[u8]) -> &[u8] {
    argument.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A signed 64-bit number.
#[inline]
pub fn integer(argument: &[u8]) -> Result<i64, Problem> {
    parse_integer(argument).ok_or(Problem::NOT_INTEGER)
}

/// A signed 32-bit number, as Redis reads the number of a database.
fn integer_32(argument: &[u8]) -> Result<i32, Problem> {
    i32::try_from(integer(argument)?)
        .map_err(|_| Problem::Text("ERR value is out of range, value must between -2147483648 and 2147483647"))
}

/// The number of a bit in a value of at most `value_max` bytes. `#2` with a width of 8 is the third field of 8 bits.
pub fn bit_offset(argument: &[u8], width: Option<u8>, value_max: usize) -> Result<u64, Problem> {
    let (digits, factor) = match (argument, width) {
        ([b'#', digits @ ..], Some(width)) => (digits, i64::from(width)),
        (digits, _) => (digits, 1),
    };
    let offset = parse_integer(digits).and_then(|offset| offset.checked_mul(factor));
    match offset.and_then(|offset| u64::try_from(offset).ok()) {
        Some(offset) if (offset >> 3) < value_max as u64 => Ok(offset),
        _ => Err(Problem::Text("ERR bit offset is not an integer or out of range")),
    }
}

/// The number of one of `count` databases, as SELECT, MOVE and COPY read it.
pub fn database_number(argument: &[u8], count: u32) -> Result<u32, Problem> {
    let number = u32::try_from(integer_32(argument)?).map_err(|_| Problem::NO_DATABASE)?;
    (number < count).then_some(number).ok_or(Problem::NO_DATABASE)
}

//! Single bits, and counting them: GETBIT, SETBIT, BITCOUNT, BITPOS. Bit 0 is the highest one of the first byte.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::{edit, read_value, Edited};
use crate::problem::Problem;
use crate::words::{bit_offset, integer, is_word};
use leveret_protocol::resp::{parse_integer, Arguments};

/// The longest value that Redis takes.
const VALUE_MAX: usize = 512 << 20;

/// `GETBIT key offset`.
pub fn getbit(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    // Reads have the limit of Redis, independent of this database's.
    let offset = bit_offset(request.get(2), None, VALUE_MAX)?;
    let value = read_value(call, request.get(1))?.unwrap_or_default();
    call.reply.integer(i64::from(is_set(&value, offset)));
    Ok(Impact::None)
}

/// `SETBIT key offset bit`.
pub fn setbit(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let offset = bit_offset(request.get(2), None, call.host.value_max())?;
    let bit = match parse_integer(request.get(3)) {
        Some(bit @ (0 | 1)) => bit == 1,
        _ => return Err(Problem::Text("ERR bit is not an integer or out of range")),
    };
    let (byte, mask) = ((offset >> 3) as usize, 0x80 >> (offset & 7));
    let (mut old, mut impact) = (false, Impact::None);
    edit(call, request.get(1), &mut |value, _| {
        let is_longer = value.len() <= byte;
        if is_longer {
            value.resize(byte + 1, 0);
        }
        old = value[byte] & mask != 0;
        if !is_longer && old == bit {
            return Ok(Edited::Same);
        }
        impact = Impact::Changed;
        value[byte] = value[byte] & !mask | if bit { mask } else { 0 };
        Ok(Edited::Changed)
    })?;
    call.reply.integer(i64::from(old));
    Ok(impact)
}

/// `BITCOUNT key [start end [BYTE|BIT]]`.
pub fn bitcount(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let value = match read_value(call, request.get(1))? {
        // Arguments after a missing key are not checked.
        None => {
            call.reply.integer(0);
            return Ok(Impact::None);
        }
        Some(value) => value,
    };
    let range = match request.len() {
        2 => 0..value.len() as u64 * 8,
        4 | 5 => {
            let (start, end) = (integer(request.get(2))?, integer(request.get(3))?);
            if start < 0 && end < 0 && start > end {
                call.reply.integer(0);
                return Ok(Impact::None);
            }
            bit_range(value.len(), start, end, counts_bits(request, 4)?)
        }
        _ => return Err(Problem::SYNTAX),
    };
    call.reply.integer(count(&value, range.start, range.end));
    Ok(Impact::None)
}

/// `BITPOS key bit [start [end [BYTE|BIT]]]`.
pub fn bitpos(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let bit = match integer(request.get(2))? {
        bit @ (0 | 1) => bit == 1,
        _ => return Err(Problem::Text("ERR The bit argument must be 1 or 0.")),
    };
    let value = match read_value(call, request.get(1))? {
        // A missing key is a row of zeros without an end.
        None => {
            call.reply.integer(if bit { -1 } else { 0 });
            return Ok(Impact::None);
        }
        Some(value) => value,
    };
    let range = match request.len() {
        3 => 0..value.len() as u64 * 8,
        4..=6 => {
            let start = integer(request.get(3))?;
            let counts_bits = counts_bits(request, 5)?;
            let end = if request.len() >= 5 { integer(request.get(4))? } else { -1 };
            bit_range(value.len(), start, end, counts_bits)
        }
        _ => return Err(Problem::SYNTAX),
    };
    let found = range.clone().find(|at| is_set(&value, *at) == bit);
    // Without an end, zeros follow the value.
    let behind = !bit && request.len() < 5 && !range.is_empty();
    call.reply.integer(match found {
        Some(at) => at as i64,
        None if behind => range.end as i64,
        None => -1,
    });
    Ok(Impact::None)
}

/// Whether the range counts bits, as the word at `index` says.
fn counts_bits(request: &Arguments<'_>, index: usize) -> Result<bool, Problem> {
    match request.get(index) {
        _ if index >= request.len() => Ok(false),
        word if is_word(word, "BIT") => Ok(true),
        word if is_word(word, "BYTE") => Ok(false),
        _ => Err(Problem::SYNTAX),
    }
}

/// The bits between two positions, which count from the end if they are negative.
fn bit_range(len: usize, start: i64, end: i64, counts_bits: bool) -> std::ops::Range<u64> {
    let unit = if counts_bits { 1 } else { 8 };
    let total = len as i64 * 8 / unit;
    let from_front = |at: i64| if at < 0 { (total + at.max(-total)).max(0) } else { at };
    let (start, end) = (from_front(start), from_front(end).min(total - 1));
    if start > end {
        return 0..0;
    }
    (start * unit) as u64..((end + 1) * unit) as u64
}

fn count(value: &[u8], start: u64, end: u64) -> i64 {
    let bytes = start.div_ceil(8)..end / 8;
    if bytes.start > bytes.end {
        return (start..end).filter(|at| is_set(value, *at)).count() as i64;
    }
    let whole: i64 =
        value[bytes.start as usize..bytes.end as usize].iter().map(|byte| i64::from(byte.count_ones())).sum();
    let edges = (start..bytes.start * 8).chain(bytes.end * 8..end);
    whole + edges.filter(|at| is_set(value, *at)).count() as i64
}

fn is_set(value: &[u8], at: u64) -> bool {
    value.get((at >> 3) as usize).is_some_and(|byte| byte & (0x80 >> (at & 7)) != 0)
}

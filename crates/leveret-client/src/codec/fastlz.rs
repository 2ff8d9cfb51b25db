//! FastLZ, php-memcached's default compression. Reads both levels; writes level 1, and level 2 from 64 KiB on, as
//! FastLZ itself chooses.
//!
//! A stream is a row of instructions. The upper three bits of the first byte are the level (0 = level 1, 1 = level 2);
//! it is always a run.
//!
//! ```text
//! 000nnnnn                      run: n + 1 bytes follow as they are
//! nnnooooo oooooooo             match of n + 2 bytes, o + 1 bytes back      (n = 1..=6)
//! 111ooooo nnnnnnnn oooooooo    match of n + 9 bytes, o + 1 bytes back
//! ```
//! At level 2 the length of a long match goes on while its bytes are 255, and an offset of all ones is followed by 16
//! further bits (big-endian) that are added to it.
use super::Damaged;

const RUN_MAX: usize = 32;
const SHORT_MAX: usize = 6;
const LENGTH_MAX: usize = SHORT_MAX + 1 + 255;
// The offset's thirteen bits; level 2 keeps the last value as a mark.
const OFFSET_MAX: usize = 0x1fff;
const FAR_OFFSET_MAX: usize = OFFSET_MAX + 0xffff;

// From this length on level 2 is written.
const LEVEL_2_LEN: usize = 1 << 16;
// An instruction with a far offset takes four bytes or five: a shorter match is not worth it.
const FAR_LEN_MIN: usize = 5;

const TABLE_BITS: u32 = 13;

/// Appends the stream of `value` to `out`.
pub fn compress(value: &[u8], out: &mut Vec<u8>) {
    let is_level_2 = value.len() >= LEVEL_2_LEN;
    let (offset_max, len_max) =
        if is_level_2 { (FAR_OFFSET_MAX, usize::MAX) } else { (OFFSET_MAX - 1, LENGTH_MAX + 2) };
    let stream = out.len();
    // Where three bytes with this hash were seen last. Positions, one higher: 0 = never.
    let mut seen = vec![0_u32; 1 << TABLE_BITS];
    let mut run_begin = 0;
    let mut at = 1;
    // The first byte must be a run, so no match begins at 0.
    while at + 3 <= value.len() {
        let from = note(&mut seen, value, at);
        let is_match = |from: &usize| at - from - 1 <= offset_max && value[*from..from + 3] == value[at..at + 3];
        let found = from.filter(is_match).map(|from| (from, common(value, from, at, len_max)));
        match found.filter(|(from, len)| at - from - 1 < OFFSET_MAX || *len >= FAR_LEN_MIN) {
            Some((from, len)) => {
                write_runs(&value[run_begin..at], out);
                write_match(len - 2, at - from - 1, is_level_2, out);
                at += len;
                run_begin = at;
                // Repeated sequences often continue.
                for begin in at - 2..at {
                    if begin + 3 <= value.len() {
                        note(&mut seen, value, begin);
                    }
                }
            }
            None => at += 1,
        }
    }
    write_runs(&value[run_begin..], out);
    if is_level_2 {
        out[stream] |= 1 << 5;
    }
}

/// Where the three bytes at `at` were seen last, perhaps; from now on, here.
fn note(seen: &mut [u32], value: &[u8], at: usize) -> Option<usize> {
    let three = u32::from(value[at]) | u32::from(value[at + 1]) << 8 | u32::from(value[at + 2]) << 16;
    let slot = &mut seen[(three.wrapping_mul(0x9e37_79b1) >> (32 - TABLE_BITS)) as usize];
    (std::mem::replace(slot, at as u32 + 1) as usize).checked_sub(1)
}

/// How many bytes from `from` and from `at` on are the same, as far as one match can tell of them. The first three are.
fn common(value: &[u8], from: usize, at: usize, len_max: usize) -> usize {
    let most = len_max.min(value.len() - at);
    let eight = |begin: usize| u64::from_le_bytes(value[begin..begin + 8].try_into().expect("eight bytes"));
    let mut len = 3;
    while len + 8 <= most {
        let differing = eight(from + len) ^ eight(at + len);
        if differing != 0 {
            return len + differing.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + value[from + len..].iter().zip(&value[at + len..at + most]).take_while(|(left, right)| left == right).count()
}

fn write_runs(bytes: &[u8], out: &mut Vec<u8>) {
    for run in bytes.chunks(RUN_MAX) {
        out.push(run.len() as u8 - 1);
        out.extend_from_slice(run);
    }
}

/// `length` is less by two than the match, `offset` less by one than the way back.
fn write_match(length: usize, offset: usize, is_level_2: bool, out: &mut Vec<u8>) {
    let near = offset.min(OFFSET_MAX);
    let high = (near >> 8) as u8;
    if length <= SHORT_MAX {
        out.push((length as u8) << 5 | high);
    } else {
        out.push(7 << 5 | high);
        let mut left = length - SHORT_MAX - 1;
        while is_level_2 && left >= 255 {
            out.push(255);
            left -= 255;
        }
        out.push(left as u8);
    }
    out.push(near as u8);
    if is_level_2 && near == OFFSET_MAX {
        out.extend_from_slice(&((offset - OFFSET_MAX) as u16).to_be_bytes());
    }
}

/// Reads a stream into `out` and returns how much of it was filled.
pub fn decompress_into(stream: &[u8], out: &mut [u8]) -> Result<usize, Damaged> {
    let Some(first) = stream.first() else { return Ok(0) };
    let is_level_2 = match first >> 5 {
        0 => false,
        1 => true,
        _ => return Err(Damaged),
    };
    let mut input = stream;
    let mut filled = 0;
    let mut instruction = next(&mut input).map(|byte| byte & 31);
    while let Some(byte) = instruction {
        let (count, offset) = (usize::from(byte >> 5), usize::from(byte & 31));
        if count == 0 {
            let (run, rest) = input.split_at_checked(offset + 1).ok_or(Damaged)?;
            out.get_mut(filled..filled + run.len()).ok_or(Damaged)?.copy_from_slice(run);
            filled += run.len();
            input = rest;
        } else {
            let (length, offset) = long_match(count, offset << 8, is_level_2, &mut input)?;
            let end = filled + length + 2;
            if offset >= filled || end > out.len() {
                return Err(Damaged);
            }
            repeat(out, filled, offset + 1, end);
            filled = end;
        }
        instruction = next(&mut input);
    }
    Ok(filled)
}

fn next(input: &mut &[u8]) -> Option<u8> {
    let (first, rest) = input.split_first()?;
    *input = rest;
    Some(*first)
}

/// The rest of a match instruction: its length less two, its offset less one.
fn long_match(count: usize, high: usize, is_level_2: bool, input: &mut &[u8]) -> Result<(usize, usize), Damaged> {
    let mut next = || next(input).map(usize::from).ok_or(Damaged);
    let mut length = count;
    if count == SHORT_MAX + 1 {
        loop {
            let more = next()?;
            length += more;
            if !is_level_2 || more != 255 {
                break;
            }
        }
    }
    let mut offset = high + next()?;
    if is_level_2 && offset == OFFSET_MAX {
        offset += next()? << 8 | next()?;
    }
    Ok((length, offset))
}

/// Fills `out[begin..end]` with the bytes `back` bytes before; if the two overlap, the bytes repeat.
fn repeat(out: &mut [u8], begin: usize, back: usize, end: usize) {
    if back >= end - begin {
        out.copy_within(begin - back..end - back, begin);
    } else {
        for at in begin..end {
            out[at] = out[at - back];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(value: &[u8]) {
        let mut stream = Vec::new();
        compress(value, &mut stream);
        let mut out = vec![0; value.len()];
        assert_eq!(decompress_into(&stream, &mut out), Ok(value.len()), "{} bytes", value.len());
        assert!(out == value);
    }

    #[test]
    fn what_is_written_is_read_back() {
        for len in (0..70).chain([
            263, 264, 265, 266, 267, 300, 8190, 8192, 8193, 8200, 65_535, 65_536, 65_537, 70_000, 73_720, 73_730,
            73_740,
        ]) {
            round(&vec![b'a'; len]);
            round(&(0..len).map(|i| (i % 7) as u8).collect::<Vec<_>>());
            round(&(0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect::<Vec<_>>());
            // A match at the farthest distances.
            round(&[&b"abcdef"[..], &(0..len).map(|i| (i / 3) as u8).collect::<Vec<_>>(), b"abcdef"].concat());
        }
    }

    /// Values of these lengths took 2 to 30 % more room than with FastLZ itself, those that repeat three times as much:
    /// only matches of 264 bytes were written, no more than 8 KiB back, and positions inside a match were not
    /// remembered.
    #[test]
    fn long_values_are_written_at_level_2() {
        let len = |value: &[u8]| {
            let mut stream = Vec::new();
            compress(value, &mut stream);
            (stream[0] >> 5, stream.len())
        };
        assert_eq!(len(&vec![b'a'; 65_535]).0, 0);
        assert_eq!(len(&vec![b'a'; 300_000]), (1, 1182));
        // What FastLZ itself makes of it.
        let numbers: String = (0..20_000).map(|i| format!("i:{i};i:{};", i + 1)).collect();
        assert!(len(format!("a:20000:{{{numbers}}}").as_bytes()).1 <= 91_464);
        let noise: Vec<u8> =
            (0..20_000_u32).map(|i| (i.wrapping_mul(i).wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(len(&noise.repeat(4)).1 < 21_500, "20,000 bytes back");
        round(&noise.repeat(4));
    }

    /// Each match was once looked at to the end of what repeats, and then cut: a megabyte of one byte took seconds. So
    /// long a value would keep this test busy for minutes.
    #[test]
    fn what_repeats_for_long_costs_no_more_than_its_length() {
        round(&vec![b'a'; 4 << 20]);
        round(&b"pattern ".repeat(512 << 10));
    }

    #[test]
    fn the_instructions_of_level_2_are_read() {
        let mut out = vec![0; 600];
        // Level 2, one byte as it is, then a match of 9 + 255 + 3 bytes, one byte back.
        assert_eq!(decompress_into(&[0x20, b'x', 0xe0, 255, 3, 0], &mut out), Ok(1 + 9 + 255 + 3));
        assert!(out[..268].iter().all(|byte| *byte == b'x'));
        // 8192 + 1 bytes back, by the long form.
        let mut out = vec![0; 9000];
        let mut stream = vec![0x21, b'a', b'b', 0xe0];
        stream.extend([255; 32]);
        stream.extend([24, 1]);
        let filled = decompress_into(&stream, &mut out).unwrap();
        assert_eq!(filled, 2 + 9 + 32 * 255 + 24);
        stream.extend([0x3f, 255, 0, 1]);
        assert_eq!(decompress_into(&stream, &mut out), Ok(filled + 3));
        assert_eq!(out[filled], out[filled - 8193]);
    }

    #[test]
    fn streams_that_lie_are_refused() {
        for stream in
            [&[0x40, 0][..], &[0x05, 1, 2], &[0x00, b'x', 0x20, 1], &[0x00, b'x', 0x20], &[0x20, b'x', 0xe0, 255]]
        {
            assert_eq!(decompress_into(stream, &mut [0; 100]), Err(Damaged), "{stream:?}");
        }
        assert_eq!(decompress_into(&[0x00, b'x', 0xe0, 255, 0], &mut [0; 100]), Err(Damaged), "too long for its room");
    }
}

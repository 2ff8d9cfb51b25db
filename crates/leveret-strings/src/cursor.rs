//! A walk's place as SCAN's cursor: a number below 2^53, which clients keep in a float. Shard, level and bucket are in it,
//! so it holds across restarts, and any number is a place.
use leveret_engine::Cursor;

const SHARD_BITS: u32 = 12;
const LEVEL_BITS: u32 = 5;
const BUCKET_BITS: u32 = 31;

/// The number of a place.
pub fn number_of(cursor: &Cursor) -> u64 {
    let level = if cursor.level == 0 { 0 } else { u64::from(cursor.level.ilog2()) + 1 };
    u64::from(cursor.shard) | level << SHARD_BITS | cursor.bucket << (SHARD_BITS + LEVEL_BITS)
}

/// The place of a number. Behind the last one a walk is over.
pub fn place_of(number: u64) -> Cursor {
    let level = number >> SHARD_BITS & ((1 << LEVEL_BITS) - 1);
    let is_beyond = number >> (SHARD_BITS + LEVEL_BITS + BUCKET_BITS) != 0;
    Cursor {
        shard: if is_beyond { u32::MAX } else { number as u32 & ((1 << SHARD_BITS) - 1) },
        level: level.checked_sub(1).map_or(0, |log| 1 << log),
        bucket: number >> (SHARD_BITS + LEVEL_BITS),
    }
}

/// As C's `strtoul` reads it: a sign is allowed, and nothing is 0.
pub fn parse(text: &[u8]) -> Option<u64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return text.is_empty().then_some(0);
    }
    let mut number = 0_u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(if is_negative { number.wrapping_neg() } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back() {
        for cursor in [
            Cursor::default(),
            Cursor { shard: 4095, level: 1 << 30, bucket: (1 << 31) - 1 },
            Cursor { shard: 7, level: 1, bucket: 0 },
            Cursor { shard: 0, level: 1024, bucket: 1 },
        ] {
            let number = number_of(&cursor);
            assert!(number < 1 << 53);
            assert_eq!(place_of(number), cursor);
        }
        assert_eq!(place_of(u64::MAX).shard, u32::MAX);
        for (text, want) in [
            ("", Some(0)),
            ("0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", Some(u64::MAX)),
            ("-", None),
            (" 1", None),
            ("1x", None),
        ] {
            assert_eq!(parse(text.as_bytes()), want, "{text:?}");
        }
    }
}

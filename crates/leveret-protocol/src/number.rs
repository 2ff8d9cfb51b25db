//! Decimal numbers of the wire, read as memcached reads them: digits and nothing else, a minus in front of those that may
//! be negative, and no more characters than it looks at. The flags and the exptime of a classic store are read as C's
//! `strtoull` and `strtoll` do: a plus is fine, and white space may follow (words end at spaces only, so a tab may).

/// Characters of a number of 32 bits, its sign included, leading zeros too.
const SHORT_MAX: usize = 11;

/// Characters of a number of 64 bits.
const LONG_MAX: usize = 22;

/// An unsigned number; None if it is none or has more than 64 bits.
pub(crate) fn unsigned(word: &[u8]) -> Option<u64> {
    plain(word, LONG_MAX)
}

/// An unsigned number of 32 bits; None if it has more.
pub(crate) fn unsigned_32(word: &[u8]) -> Option<u32> {
    plain(word, SHORT_MAX).and_then(|number| u32::try_from(number).ok())
}

/// A signed number of 32 bits. A minus alone is zero.
pub(crate) fn signed_32(word: &[u8]) -> Option<i32> {
    let number = match word {
        b"-" => 0,
        [b'-', digits @ ..] => 0_i64.checked_sub_unsigned(plain(digits, SHORT_MAX - 1)?)?,
        digits => i64::try_from(plain(digits, SHORT_MAX)?).ok()?,
    };
    i32::try_from(number).ok()
}

/// An exptime, except those of classic stores.
pub(crate) fn exptime(word: &[u8]) -> Option<i64> {
    signed_32(word).map(i64::from)
}

/// The exptime of a classic store: of a signed number of 64 bits the lower 32, signed.
pub(crate) fn store_exptime(word: &[u8]) -> Option<i64> {
    signed(word).map(|number| i64::from(number as i32))
}

/// The client's flags of a classic store: the lower 32 bits. A minus turns the number round in its 64 bits, and only what
/// is negative then is none.
pub(crate) fn store_flags(word: &[u8]) -> Option<u32> {
    match word {
        [b'-', digits @ ..] => {
            let number = magnitude(digits)?.wrapping_neg();
            (number <= i64::MAX as u64).then_some(number as u32)
        }
        [b'+', digits @ ..] | digits => magnitude(digits).map(|number| number as u32),
    }
}

/// A signed number of 64 bits.
pub(crate) fn signed(word: &[u8]) -> Option<i64> {
    match word {
        [b'-', digits @ ..] => 0_i64.checked_sub_unsigned(magnitude(digits)?),
        [b'+', digits @ ..] | digits => i64::try_from(magnitude(digits)?).ok(),
    }
}

fn plain(word: &[u8], len_max: usize) -> Option<u64> {
    let is_plain = word.len() <= len_max && word.iter().all(u8::is_ascii_digit);
    if is_plain {
        magnitude(word)
    } else {
        None
    }
}

/// The plain number at the front, of at most 19 digits, and what follows it.
pub(crate) fn leading(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (len, byte) in bytes.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (len > 0).then(|| (number, &bytes[len..]));
        }
        if len == 19 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    (!bytes.is_empty()).then_some((number, b""))
}

fn magnitude(word: &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    let mut len = 0;
    for byte in word {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        // Nineteen digits always fit; the twentieth has to be looked at.
        number = if len < 19 {
            number * 10 + u64::from(digit)
        } else {
            number.checked_mul(10)?.checked_add(u64::from(digit))?
        };
        len += 1;
    }
    let ends_well = len > 0 && word.get(len).is_none_or(u8::is_ascii_whitespace);
    ends_well.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_at_the_front() {
        assert_eq!(leading(b"12 3"), Some((12, b" 3".as_slice())));
        assert_eq!(leading(b"9999999999999999999"), Some((9_999_999_999_999_999_999, b"".as_slice())));
        for none in [b"".as_slice(), b" 1", b"+1", b"-1", b"10000000000000000000"] {
            assert_eq!(leading(none), None);
        }
    }

    #[test]
    fn unsigned_numbers() {
        for (word, want) in [
            ("0", Some(0)),
            ("007", Some(7)),
            ("18446744073709551615", Some(u64::MAX)),
            ("0018446744073709551615", Some(u64::MAX)),
            ("00018446744073709551615", None),
            ("18446744073709551616", None),
            ("99999999999999999999", None),
            ("184467440737095516150", None),
            ("5\t", None),
            ("5x", None),
            ("-1", None),
            ("", None),
            ("+5", None),
            (" 1", None),
        ] {
            assert_eq!(unsigned(word.as_bytes()), want, "{word:?}");
        }
        for (word, want) in [("4294967295", Some(u32::MAX)), ("00000000001", Some(1)), ("000000000001", None)] {
            assert_eq!(unsigned_32(word.as_bytes()), want, "{word:?}");
        }
        assert_eq!(unsigned_32(b"4294967296"), None);
    }

    #[test]
    fn signed_numbers() {
        for (word, want) in [
            ("2147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("-2147483648", Some(i32::MIN)),
            ("-2147483649", None),
            ("-0000000001", Some(-1)),
            ("-00000000001", None),
            ("00000000001", Some(1)),
            ("000000000001", None),
            ("-", Some(0)),
            ("--1", None),
            ("+1", None),
            ("", None),
        ] {
            assert_eq!(signed_32(word.as_bytes()), want, "{word:?}");
        }
    }

    #[test]
    fn exptimes_and_flags_of_stores() {
        for (word, want) in [
            ("2147483648", Some(-2_147_483_648)),
            ("4294967296", Some(0)),
            ("4294967295", Some(-1)),
            ("-2147483649", Some(2_147_483_647)),
            ("9223372036854775807", Some(-1)),
            ("9223372036854775808", None),
            ("-9223372036854775809", None),
            ("+1", Some(1)),
            ("1\tx", Some(1)),
            ("-", None),
            ("-+1", None),
        ] {
            assert_eq!(store_exptime(word.as_bytes()), want, "{word:?}");
        }
        for (word, want) in [
            ("4294967297", Some(1)),
            ("-0", Some(0)),
            ("-1", None),
            ("-9223372036854775809", Some(u32::MAX)),
            ("18446744073709551616", None),
            ("+1", Some(1)),
            ("1x", None),
        ] {
            assert_eq!(store_flags(word.as_bytes()), want, "{word:?}");
        }
    }
}

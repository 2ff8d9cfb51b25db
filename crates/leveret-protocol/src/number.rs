//! Decimal numbers of the wire, read as memcached reads them: a sign in front is fine, and what follows the digits must
//! be white space or nothing (words end at spaces only, so a tab may follow).

/// An unsigned number; None if it is none or has more than 64 bits.
pub(crate) fn unsigned(word: &[u8]) -> Option<u64> {
    match word {
        [b'+', digits @ ..] => magnitude(digits),
        digits => magnitude(digits),
    }
}

/// An unsigned number of 32 bits; None if it has more.
pub(crate) fn unsigned_32(word: &[u8]) -> Option<u32> {
    unsigned(word).and_then(|number| u32::try_from(number).ok())
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

/// A signed number of 64 bits.
pub(crate) fn signed(word: &[u8]) -> Option<i64> {
    match word {
        [b'-', digits @ ..] => 0_i64.checked_sub_unsigned(magnitude(digits)?),
        word => i64::try_from(unsigned(word)?).ok(),
    }
}

/// An exptime: memcached keeps the lower 32 bits of what it reads, as a signed number.
pub(crate) fn exptime(word: &[u8]) -> Option<i64> {
    signed(word).map(|number| i64::from(number as i32))
}

/// The client's flags: memcached keeps the lower 32 bits.
pub(crate) fn flags(word: &[u8]) -> Option<u32> {
    unsigned(word).map(|number| number as u32)
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
            ("+5", Some(5)),
            ("18446744073709551615", Some(u64::MAX)),
            ("00000000000000000000018446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("99999999999999999999", None),
            ("184467440737095516150", None),
            ("5\tx", Some(5)),
            ("5x", None),
            ("-1", None),
            ("", None),
            ("+", None),
            ("++1", None),
            (" 1", None),
        ] {
            assert_eq!(unsigned(word.as_bytes()), want, "{word:?}");
        }
    }

    #[test]
    fn signed_numbers_and_their_lower_halves() {
        for (word, want) in [
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("-9223372036854775808", Some(i64::MIN)),
            ("-9223372036854775809", None),
            ("-0", Some(0)),
            ("-", None),
            ("--1", None),
            ("-+1", None),
        ] {
            assert_eq!(signed(word.as_bytes()), want, "{word:?}");
        }
        for (word, want) in
            [("2147483648", -2_147_483_648), ("4294967296", 0), ("4294967295", -1), ("-2147483649", 2_147_483_647)]
        {
            assert_eq!(exptime(word.as_bytes()), Some(want), "{word:?}");
        }
        assert_eq!(flags(b"4294967297"), Some(1));
    }
}

//! From when to when a certificate is valid. rustls asks this of others' certificates only.
use std::time::{SystemTime, UNIX_EPOCH};

/// Why a certificate (DER) cannot be used now, if its times say so.
pub fn untimely(certificate: &[u8]) -> Option<&'static str> {
    let (from, to) = validity(certificate)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs() as i64;
    if now > to {
        Some("the certificate has expired")
    } else if now < from {
        Some("the certificate is not valid yet")
    } else {
        None
    }
}

fn validity(certificate: &[u8]) -> Option<(i64, i64)> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut fields, _) = element(certificate)?;
    // The version is there or not; then come number, algorithm and issuer.
    if fields.first() == Some(&0xa0) {
        fields = element(fields)?.2;
    }
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (_, validity, _) = element(fields)?;
    let (from_tag, from, rest) = element(validity)?;
    let (to_tag, to, _) = element(rest)?;
    Some((time(from_tag, from)?, time(to_tag, to)?))
}

/// The first element: its tag, its contents, the bytes after it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f)).filter(|(bytes, _)| bytes.len() <= 4)?;
        (bytes.iter().fold(0, |len, byte| len << 8 | usize::from(*byte)), rest)
    };
    let (inside, behind) = rest.split_at_checked(len)?;
    Some((tag, inside, behind))
}

/// `YYMMDDHHMMSSZ` (UTCTime) or with four digits of the year (GeneralizedTime), in seconds since 1970.
fn time(tag: u8, text: &[u8]) -> Option<i64> {
    let year_len = if tag == 0x17 { 2 } else { 4 };
    let digits = text.get(..year_len + 10).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let year = match number(&digits[..year_len]) {
        year if year_len == 4 => year,
        year if year < 50 => 2000 + year,
        year => 1900 + year,
    };
    let part = |index: usize| number(&digits[year_len + 2 * index..][..2]);
    let (month, day) = (part(0), part(1));
    // Years that begin in March have their odd day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(days * 86_400 + part(2) * 3600 + part(3) * 60 + part(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_kinds() {
        for (tag, text, want) in [
            (0x17, "700101000000Z", Some(0)),
            (0x17, "000229120000Z", Some(951_825_600)),
            (0x18, "20500101000000Z", Some(2_524_608_000)),
            (0x17, "20500101", None),
            (0x17, "7001010000x0Z", None),
        ] {
            assert_eq!(time(tag, text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_times() {
        for der in [&b""[..], b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x30\x02\x30\x00", b"\x30\x85\0\0\0\0\0"] {
            assert_eq!(untimely(der), None);
        }
    }
}

//! Durations and sizes as people write and read them.
use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;

/// `500ms`, `30s`, `5m`, `2h`, `1d`, `1w`, several in a row (`1h30m`), or bare seconds (`90`).
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no duration: write it as 30s, 5m, 2h, 1d, 1h30m, or in seconds");
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, tail) = leading_number(rest).ok_or_else(wrong)?;
        let unit_len = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_len);
        let part = match unit {
            "ms" => Some(Duration::from_millis(number)),
            // Seconds without their unit may stand alone, but not at the end of a row: `1h30` may mean anything.
            "" if rest.len() == text.len() => Some(Duration::from_secs(number)),
            "s" => Some(Duration::from_secs(number)),
            "m" => number.checked_mul(MINUTE).map(Duration::from_secs),
            "h" => number.checked_mul(HOUR).map(Duration::from_secs),
            "d" => number.checked_mul(DAY).map(Duration::from_secs),
            "w" => number.checked_mul(WEEK).map(Duration::from_secs),
            _ => None,
        };
        total = part.and_then(|part| total.checked_add(part)).ok_or_else(wrong)?;
        rest = tail;
    }
    if text.is_empty() {
        Err(wrong())
    } else {
        Ok(total)
    }
}

/// `67108864`, `512k`, `64M`, `2G` (powers of 1024, a trailing `B` or `iB` is fine).
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no size: write it as 64M, 2G, or in bytes");
    let (number, unit) = leading_number(text).ok_or_else(wrong)?;
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// A whole number of an option, from `least` to `most`.
pub fn parse_number<T: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .and_then(|number| number.try_into().ok())
        .ok_or_else(|| format!("'{text}' is no whole number from {least} to {most}"))
}

fn leading_number(text: &str) -> Option<(u64, &str)> {
    let len = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(len);
    digits.parse().ok().map(|number| (number, rest))
}

/// Whole seconds of a lifetime: rounded up, since a lifetime of 0 means no expiry.
pub fn whole_secs(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// `512 B`, `1.5 KiB`, `64.0 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `1234567` as `1,234,567`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 item`, `1,234 items`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// The two largest units of a time span: `3 d 4 h`, `5 min 10 s`, `0 s`.
pub fn span(secs: u64) -> String {
    let parts = [(secs / DAY, "d"), (secs % DAY / HOUR, "h"), (secs % HOUR / MINUTE, "min"), (secs % MINUTE, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(parts.len() - 1);
    let said: Vec<String> = parts[first..]
        .iter()
        .take(2)
        .filter(|(count, unit)| *count > 0 || (*unit == "s" && secs == 0))
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    said.join(" ")
}

/// A share as `12.3 %`; nothing of nothing is `-`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "-".to_owned()
    } else {
        format!("{:.1} %", 100.0 * part as f64 / whole as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, want_ms) in [
            ("0", 0),
            ("90", 90_000),
            ("500ms", 500),
            ("30s", 30_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            ("1w", 604_800_000),
            ("1h30m", 5_400_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(want_ms)), "{text:?}");
        }
        for text in ["", "s", "-1", "1.5h", "5 m", "1h30", "3y", "99999999999999999w", "1m ", "٣s"] {
            assert!(parse_duration(text).is_err(), "{text:?}");
        }
        assert_eq!(whole_secs(Duration::from_millis(1)), 1);
        assert_eq!(whole_secs(Duration::from_secs(2)), 2);
    }

    #[test]
    fn sizes() {
        for (text, want) in [
            ("0", 0),
            ("1234", 1234),
            ("8k", 8 << 10),
            ("64M", 64 << 20),
            ("64MiB", 64 << 20),
            ("2g", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(want), "{text:?}");
        }
        for text in ["", "M", "-1", "1.5G", "64 M", "9Z", "99999999T"] {
            assert!(parse_size(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn numbers_for_people() {
        for (count, want) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (64 << 20, "64.0 MiB"),
            (u64::MAX, "16384.0 PiB"),
        ] {
            assert_eq!(bytes(count), want);
        }
        for (count, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(count), want);
        }
        assert_eq!(
            (counted(0, "item"), counted(1, "item"), counted(2_000, "item")),
            ("0 items".into(), "1 item".into(), "2,000 items".into())
        );
        for (secs, want) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3600, "1 h"),
            (86_400 + 7200, "1 d 2 h"),
            (86_401, "1 d"),
        ] {
            assert_eq!(span(secs), want);
        }
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(0, 0), "-");
    }
}

//! Numbers and names in few letters, for the columns of a terminal.
use crate::units::thousands;
use std::time::Duration;

/// `0`, `7.5`, `1,234`, `56.7k`, `1.2M`.
pub fn compact(number: f64) -> String {
    match number {
        number if number >= 1e9 => format!("{:.1}G", number / 1e9),
        number if number >= 1e6 => format!("{:.1}M", number / 1e6),
        number if number >= 1e4 => format!("{:.1}k", number / 1e3),
        number if number >= 100.0 || number.fract() == 0.0 => thousands(number.round() as u64),
        number => format!("{number:.1}"),
    }
}

/// 0 to 1, as a per cent.
pub fn ratio(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * share))
}

pub fn latency(latency: Option<Duration>) -> String {
    match latency {
        None => "-".to_owned(),
        Some(latency) if latency.as_millis() >= 10 => format!("{} ms", latency.as_millis()),
        Some(latency) => format!("{} us", latency.as_micros()),
    }
}

pub fn duration(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

/// A target's name in at most `width` letters. The end of a path tells more than its beginning.
pub fn cut_name(name: &str, width: usize) -> String {
    let len = name.chars().count();
    if len <= width || !name.starts_with('/') {
        return cut(name, width);
    }
    ['…'].into_iter().chain(name.chars().skip(len + 1 - width.max(1))).collect()
}

/// At most `width` letters.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_what_tells_least() {
        assert_eq!(cut_name("/dev/shm/leveret/shop.arena", 12), "…/shop.arena");
        assert_eq!(cut_name("cache.example.com:11211", 12), "cache.examp…");
        assert_eq!(
            (cut_name("/a", 2), cut_name("/abc", 1), cut_name("/abc", 0)),
            ("/a".into(), "…".into(), "…".into())
        );
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (7.46, "7.5"),
            (999.6, "1,000"),
            (9_999.0, "9,999"),
            (56_712.0, "56.7k"),
            (1.24e6, "1.2M"),
            (3e9, "3.0G"),
        ] {
            assert_eq!(compact(number), text);
        }
    }
}

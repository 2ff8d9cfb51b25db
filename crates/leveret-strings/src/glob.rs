//! Patterns of KEYS and SCAN: `*`, `?`, `[a-z]`, `[^a]`, `\`.

/// Whether the pattern fits the whole of `text`. The work is bounded by the product of their lengths. The empty text fits
/// the empty pattern alone, as in Redis, where callers know `*`.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    if text.is_empty() {
        return pattern.is_empty();
    }
    let (mut pattern_at, mut text_at) = (0, 0);
    // Behind the last star: where the pattern goes on, and from where in the text it is tried next.
    let mut retry = None;
    loop {
        if pattern.get(pattern_at) == Some(&b'*') {
            pattern_at += 1;
            retry = Some((pattern_at, text_at));
            continue;
        }
        let is_done = text_at == text.len();
        if is_done && pattern_at == pattern.len() {
            return true;
        }
        if let Some(len) = text.get(text_at).and_then(|byte| step(&pattern[pattern_at..], *byte)) {
            pattern_at += len;
            text_at += 1;
            continue;
        }
        match retry {
            Some((behind_star, from)) if from < text.len() => {
                retry = Some((behind_star, from + 1));
                (pattern_at, text_at) = (behind_star, from + 1);
            }
            _ => return false,
        }
    }
}

/// Length of the element at the front of the pattern, if it fits this byte.
fn step(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'[', class @ ..] => {
            let (fits, len) = in_class(class, byte);
            fits.then_some(1 + len)
        }
        [b'\\', escaped, ..] => (*escaped == byte).then_some(2),
        [literal, ..] => (*literal == byte).then_some(1),
    }
}

/// Whether a class has this byte, and its length behind the opening bracket. One that is not closed ends with the pattern.
fn in_class(class: &[u8], byte: u8) -> (bool, usize) {
    let is_inverted = class.first() == Some(&b'^');
    let mut at = usize::from(is_inverted);
    let mut has = false;
    loop {
        match class.get(at..).unwrap_or_default() {
            [] => return (has != is_inverted, class.len()),
            [b'\\', escaped, ..] => {
                has |= *escaped == byte;
                at += 2;
            }
            [b']', ..] => return (has != is_inverted, at + 1),
            [first, b'-', last, ..] => {
                has |= (*first.min(last)..=*first.max(last)).contains(&byte);
                at += 3;
            }
            [literal, ..] => {
                has |= *literal == byte;
                at += 1;
            }
        }
    }
}

/// Whether the pattern fits a text in upper case or lower.
pub fn matches_word(pattern: &[u8], text: &[u8]) -> bool {
    matches(&pattern.to_ascii_lowercase(), &text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_as_redis_reads_them() {
        for (pattern, text, want) in [
            ("*", "", false),
            ("*", "a", true),
            ("", "", true),
            ("", "a", false),
            ("a*c", "abbbc", true),
            ("a*c", "abbbd", false),
            ("*a*a*", "banana", true),
            ("h?llo", "hello", true),
            ("h?llo", "hllo", false),
            ("h[ae]llo", "hallo", true),
            ("h[^e]llo", "hello", false),
            ("h[a-c]llo", "hbllo", true),
            ("h[c-a]llo", "hbllo", true),
            ("h\\*llo", "h*llo", true),
            ("h\\*llo", "hxllo", false),
            ("[\\]]", "]", true),
            ("[a", "a", true),
            ("[a-", "-", true),
            ("[", "a", false),
            ("[]", "a", false),
            ("[]a", "a", false),
            ("[^]", "a", true),
            ("\\", "\\", true),
            ("a\\", "a\\", true),
            ("**", "abc", true),
            ("a**", "a", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), want, "{pattern:?} {text:?}");
        }
        let stars = b"a*".repeat(1000);
        assert!(!matches(&stars, &[b'b'; 100_000]));
    }
}

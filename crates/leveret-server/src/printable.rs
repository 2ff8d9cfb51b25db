//! Makes foreign bytes safe to display: keys, values, texts of servers. Characters that could control a terminal, or
//! reorder text, are escaped.

/// Invisible characters that change the text around them: controls, bidi controls and the other format characters of
/// Unicode 16 (general category Cf), line and paragraph separators.
pub fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// Appends a character, escaped if it steers: `\x1b`, `\u{202e}`.
pub fn push(letter: char, to: &mut String) {
    match letter {
        '\t' | '\n' | '\r' => to.extend(letter.escape_default()),
        letter if letter.is_ascii_control() => to.push_str(&format!("\\x{:02x}", letter as u32)),
        letter if steers(letter) => to.extend(letter.escape_unicode()),
        letter => to.push(letter),
    }
}

/// Bytes as text. Invalid UTF-8 is escaped as a whole; if anything is escaped, a backslash is doubled.
pub fn shown(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.escape_ascii().to_string() };
    if !text.chars().any(steers) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\\' => shown.push_str("\\\\"),
            letter => push(letter, &mut shown),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_steers() {
        for (bytes, want) in [
            ("größe \u{5d0}\u{5d1} 日本".as_bytes(), "größe \u{5d0}\u{5d1} 日本"),
            (br"a\b", r"a\b"),
            (b"a\\\x1b[2J\x7f\t", r"a\\\x1b[2J\x7f\t"),
            ("user\u{202e}nimda".as_bytes(), r"user\u{202e}nimda"),
            ("\u{9b}0m".as_bytes(), r"\u{9b}0m"),
            (b"\xff\x9b", r"\xff\x9b"),
            ("a\u{e0041}".as_bytes(), r"a\u{e0041}"),
        ] {
            assert_eq!(shown(bytes), want);
        }
        let format = "\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{61c}";
        for letter in format.chars().chain(('\0'..=' ').filter(|letter| *letter != ' ')) {
            assert!(steers(letter), "{letter:?}");
            assert!(!shown(letter.to_string().as_bytes()).chars().any(steers), "{letter:?}");
        }
    }
}

//! Inline commands: words of a line, with quotes and escapes.
use super::arguments::Span;

/// A quote is not closed, or something other than a space follows the closing one.
pub(super) struct Unbalanced;

/// Appends the words of `line` to `store`, and where they lie to `spans`.
pub(super) fn split(line: &[u8], store: &mut Vec<u8>, spans: &mut Vec<Span>) -> Result<(), Unbalanced> {
    let mut rest = line.trim_start_of(is_space);
    while !rest.is_empty() {
        let begin = store.len();
        rest = word(rest, store)?;
        spans.push(Span::new(begin, store.len() - begin));
        rest = rest.trim_start_of(is_space);
    }
    Ok(())
}

/// Appends the word at the front of `rest`, and returns what follows it. Quotes may begin inside a word.
fn word<'l>(mut rest: &'l [u8], store: &mut Vec<u8>) -> Result<&'l [u8], Unbalanced> {
    loop {
        match rest {
            [] | [b' ' | b'\n' | b'\r' | b'\t', ..] => return Ok(rest),
            [b'"', quoted @ ..] => return double_quoted(quoted, store),
            [b'\'', quoted @ ..] => return single_quoted(quoted, store),
            [byte, behind @ ..] => {
                store.push(*byte);
                rest = behind;
            }
        }
    }
}

fn double_quoted<'l>(mut rest: &'l [u8], store: &mut Vec<u8>) -> Result<&'l [u8], Unbalanced> {
    loop {
        let (byte, behind) = match rest {
            [b'\\', b'x', high, low, behind @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                (hex(*high) << 4 | hex(*low), behind)
            }
            [b'\\', escaped, behind @ ..] => (unescaped(*escaped), behind),
            [b'"', behind @ ..] => return closed(behind),
            [byte, behind @ ..] => (*byte, behind),
            [] => return Err(Unbalanced),
        };
        store.push(byte);
        rest = behind;
    }
}

fn single_quoted<'l>(mut rest: &'l [u8], store: &mut Vec<u8>) -> Result<&'l [u8], Unbalanced> {
    loop {
        let (byte, behind) = match rest {
            [b'\\', b'\'', behind @ ..] => (b'\'', behind),
            [b'\'', behind @ ..] => return closed(behind),
            [byte, behind @ ..] => (*byte, behind),
            [] => return Err(Unbalanced),
        };
        store.push(byte);
        rest = behind;
    }
}

fn closed(behind: &[u8]) -> Result<&[u8], Unbalanced> {
    match behind.first() {
        Some(byte) if !is_space(*byte) => Err(Unbalanced),
        _ => Ok(behind),
    }
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'a' => 7,
        other => other,
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

trait TrimStart {
    fn trim_start_of(&self, is_trimmed: fn(u8) -> bool) -> &Self;
}

impl TrimStart for [u8] {
    fn trim_start_of(&self, is_trimmed: fn(u8) -> bool) -> &[u8] {
        let len = self.iter().take_while(|byte| is_trimmed(**byte)).count();
        &self[len..]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arguments, NotKept};
    use super::*;

    #[test]
    fn lines_are_split_as_redis_splits_them() {
        for (line, want) in [
            ("", Some(vec![])),
            ("  \t ", Some(vec![])),
            ("get a", Some(vec!["get", "a"])),
            (" set  a\t'b c' ", Some(vec!["set", "a", "b c"])),
            (r#"set a "\x41\n\"\z""#, Some(vec!["set", "a", "A\n\"z"])),
            (r"set a 'it\'s \n'", Some(vec!["set", "a", r"it's \n"])),
            (r#"a"b c""#, Some(vec!["ab c"])),
            (r#""""#, Some(vec![""])),
            (r#""\xg1""#, Some(vec!["xg1"])),
            (r#""a"b"#, None),
            ("\"a", None),
            ("'a", None),
            ("'a'b", None),
            ("\"\\", None),
        ] {
            let (mut store, mut spans) = (Vec::new(), Vec::new());
            let words = split(line.as_bytes(), &mut store, &mut spans).ok().map(|()| {
                let request = Arguments::new(&store, &spans, NotKept::default());
                request.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect::<Vec<_>>()
            });
            assert_eq!(words, want.map(|words| words.into_iter().map(str::to_owned).collect()), "{line:?}");
        }
    }
}

//! A look ahead at requests that have come together, so that a server can ask for the memory of their keys at once.

/// The first key of each request at the front of `input`, as far as they are whole and plain: a hint. It ends at the first
/// that is something else.
pub fn keys_ahead(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let (count, mut behind) = number(rest, b'*')?;
        // The name and a key.
        let (_, name_behind) = argument(behind).filter(|_| count > 1)?;
        let (key, key_behind) = argument(name_behind)?;
        behind = key_behind;
        for _ in 2..count {
            behind = argument(behind)?.1;
        }
        rest = behind;
        Some(key)
    })
}

/// An argument, and what follows it.
#[inline]
fn argument(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, behind) = number(input, b'$')?;
    Some((behind.get(..len)?, behind.get(len + 2..)?))
}

/// The number of a line that begins with `kind`, and what follows the line.
#[inline]
fn number(input: &[u8], kind: u8) -> Option<(usize, &[u8])> {
    let mut number = 0_usize;
    for (at, byte) in input.strip_prefix(&[kind])?.iter().enumerate().take(8) {
        match byte {
            b'0'..=b'9' => number = number * 10 + usize::from(byte - b'0'),
            // The kind, the digits, both bytes of the end.
            b'\r' if at > 0 => return Some((number, input.get(at + 3..)?)),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_whole_requests() {
        let input =
            b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n*3\r\n$3\r\nSET\r\n$2\r\nbb\r\n$1\r\nx\r\n*2\r\n$3\r\nGET\r\n$1\r\nc\r\n";
        assert_eq!(keys_ahead(input).collect::<Vec<_>>(), [&b"a"[..], b"bb", b"c"]);
        for len in 0..input.len() {
            let whole = [20, 48].iter().filter(|end| len >= **end).count();
            assert_eq!(keys_ahead(&input[..len]).count(), whole, "{len}");
        }
        for hostile in
            [&b"*1\r\n$4\r\nPING\r\n"[..], b"*99999999\r\n", b"$3\r\n", b"*2\r\n$99999999999999999999\r\n", b"*\r\n"]
        {
            assert_eq!(keys_ahead(hostile).count(), 0);
        }
    }
}

//! Keys in the escapes of URLs, as memcached writes them into dumps and watchers' lines.

/// Appends a key: letters, digits and `-._~` as they are, every other byte as `%XX`.
pub fn encode(output: &mut Vec<u8>, key: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut rest = key;
    while !rest.is_empty() {
        let plain = rest.iter().position(|byte| !IS_PLAIN[usize::from(*byte)]).unwrap_or(rest.len());
        output.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        if let Some((byte, after)) = rest.split_first() {
            output.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            rest = after;
        }
    }
}

static IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_plain[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    is_plain
};

/// The bytes behind an encoded key; `None` when a `%` is not followed by two hexadecimal digits.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, tail @ ..] = tail else { return None };
        bytes.push(hex(*high)? << 4 | hex(*low)?);
        rest = tail;
    }
    Some(bytes)
}

/// Decodes in the place of the text, and gives the length of the key. A `%` without two hexadecimal digits stays.
pub fn decode_in_place(text: &mut [u8]) -> usize {
    let (mut from, mut to) = (0, 0);
    while from < text.len() {
        let byte = match text[from..] {
            [b'%', high, low, ..] => hex(high).zip(hex(low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        text[to] = byte.unwrap_or(text[from]);
        from += if byte.is_some() { 3 } else { 1 };
        to += 1;
    }
    to
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(key: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        encode(&mut output, key);
        output
    }

    #[test]
    fn encodes_as_memcached_does() {
        // Read off `lru_crawler metadump all` of memcached 1.6.18.
        for (key, want) in [
            (&b"a%b+c&d~e"[..], "a%25b%2Bc%26d~e"),
            ("ü:k/x".as_bytes(), "%C3%BC%3Ak%2Fx"),
            (
                b"a'b(c)*!_-.,;=@#$?\"<>[]{}|\\^`",
                "a%27b%28c%29%2A%21_-.%2C%3B%3D%40%23%24%3F%22%3C%3E%5B%5D%7B%7D%7C%5C%5E%60",
            ),
            (b"\0\xff \n", "%00%FF%20%0A"),
            (b"", ""),
        ] {
            assert_eq!(encoded(key), want.as_bytes());
        }
    }

    #[test]
    fn decodes_what_it_encoded_and_refuses_half_a_byte() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encoded(&all)), Some(all));
        assert_eq!(decode(b"%c3%bc"), Some("ü".as_bytes().to_vec()));
        for broken in ["%", "%4", "a%zz", "%+1"] {
            assert_eq!(decode(broken.as_bytes()), None, "{broken:?}");
        }
    }

    #[test]
    fn decodes_in_place_and_leaves_what_is_no_escape() {
        for (text, want) in
            [("", ""), ("a%20b%25", "a b%"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"), ("%+1", "%+1")]
        {
            let mut bytes = text.as_bytes().to_vec();
            let len = decode_in_place(&mut bytes);
            assert_eq!(&bytes[..len], want.as_bytes(), "{text:?}");
        }
    }
}

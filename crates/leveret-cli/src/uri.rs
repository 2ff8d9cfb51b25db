//! Keys as `leveret keys` prints them: URI-encoded, exactly as memcached's metadump does it, so that its readers can
//! read ours.

/// Letters, digits and `-._~` stay; every other byte becomes `%XX`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

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

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(encode(key), want);
        }
    }

    #[test]
    fn decodes_what_it_encoded_and_refuses_half_a_byte() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encode(&all).as_bytes()), Some(all));
        assert_eq!(decode(b"%c3%bc"), Some("ü".as_bytes().to_vec()));
        for broken in ["%", "%4", "a%zz", "%+1"] {
            assert_eq!(decode(broken.as_bytes()), None, "{broken:?}");
        }
    }
}

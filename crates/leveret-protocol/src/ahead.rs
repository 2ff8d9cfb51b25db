//! Keys of the gets at the front of an input, before any of them is parsed, so that their memory can be prefetched
//! together. A hint: of a line with several keys only the first is reported, any other request ends it, and nothing is
//! refused here.
use crate::binary::{self, BinaryCommand, BinaryRequest};
use crate::{Limits, Parsed, BINARY_REQUEST};
use memchr::{memchr, memchr3};

/// The keys of the gets at the front of `input`, one request after the other.
pub fn keys(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let (key, len) = if rest.first() == Some(&BINARY_REQUEST) { binary_key(rest) } else { text_key(rest) }?;
        rest = &rest[len..];
        Some(key)
    })
}

/// Of a whole line `mg KEY …` or `get KEY`, and the line's length.
fn text_key(input: &[u8]) -> Option<(&[u8], usize)> {
    let words = input.strip_prefix(b"mg ").or_else(|| input.strip_prefix(b"get "))?;
    let (key, behind) = words.split_at(memchr3(b' ', b'\r', b'\n', words)?);
    let newline = memchr(b'\n', behind)?;
    Some((key, input.len() - behind.len() + newline + 1))
}

fn binary_key(input: &[u8]) -> Option<(&[u8], usize)> {
    match binary::parse(input, &Limits { value_max: 0 }) {
        Parsed::Request { request: BinaryRequest { command: BinaryCommand::Get { key, .. }, .. }, consumed } => {
            Some((key, consumed))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_whole_gets_at_the_front() {
        for (input, want) in [
            (&b""[..], &[][..]),
            (b"mg a\r\nmg b v\r\nmg c v q\n", &["a", "b", "c"]),
            (b"mg a\r\nmg b", &["a"]),
            (b"get a\r\nget b c\r\nmg d\r\nmn\r\nmg e\r\n", &["a", "b", "d"]),
            (b"set a 0 0 1\r\nmg b\r\n", &[]),
            (b"mg a \r\nget b\r\nmg \r\n", &["a", "b", ""]),
            (b"mg", &[]),
        ] {
            let keys: Vec<_> = keys(input).map(|key| String::from_utf8_lossy(key).into_owned()).collect();
            assert_eq!(keys, want, "{:?}", String::from_utf8_lossy(input));
        }
    }

    #[test]
    fn keys_of_binary_gets() {
        let mut input = Vec::new();
        let mut ends = Vec::new();
        for (number, touch) in [None, Some(5), None].into_iter().enumerate() {
            let key = [b'k', b'0' + number as u8];
            assert!(BinaryRequest::new(BinaryCommand::Get { key: &key, with_key: number == 0, touch }, true, 0)
                .write(&mut input));
            ends.push(input.len());
        }
        assert!(BinaryRequest::new(BinaryCommand::Noop, false, 0).write(&mut input));
        assert_eq!(keys(&input).collect::<Vec<_>>(), [b"k0", b"k1", b"k2"]);
        // For any cut and any claimed length.
        for len in 0..input.len() {
            let whole = ends.iter().filter(|end| **end <= len).count();
            assert_eq!(keys(&input[..len]).count(), whole, "cut at {len}");
        }
        for at in 0..input.len() {
            let mut damaged = input.clone();
            damaged[at] = 0xff;
            assert!(keys(&damaged).count() <= 3);
        }
    }
}

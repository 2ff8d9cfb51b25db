//! A key as it stands on the wire: bytes, or base64 of bytes (meta flag `b`).
use crate::KEY_MAX;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A key that may stand in a line as it is: 1 to 250 bytes, no space and no control character below it (DEL is one that
/// memcached takes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextKey<'a>(&'a [u8]);

impl<'a> TextKey<'a> {
    /// Checks it.
    pub fn new(key: &'a [u8]) -> Option<TextKey<'a>> {
        let is_valid = (1..=KEY_MAX).contains(&key.len()) && is_text(key);
        is_valid.then_some(TextKey(key))
    }

    /// A key that has been checked before.
    pub fn again(key: &'a [u8]) -> TextKey<'a> {
        debug_assert!(TextKey::new(key).is_some(), "it was checked");
        TextKey(key)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// Whether no byte is a space or a control character below it. Eight bytes at a time: a client asks this of every key.
fn is_text(key: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH_BITS: u64 = ONES << 7;
    let is_text = |eight: &[u8; 8]| {
        let word = u64::from_le_bytes(*eight);
        // A byte below 0x21 borrows into its high bit, which it has not set itself. What borrows further up has found
        // one already.
        word.wrapping_sub(ONES * 0x21) & !word & HIGH_BITS == 0
    };
    match key.last_chunk() {
        // The last eight overlap the ones before them where the length is no multiple of eight.
        Some(last) => is_text(last) && key.chunks_exact(8).all(|eight| eight.try_into().is_ok_and(is_text)),
        None => key.iter().all(|byte| *byte > b' '),
    }
}

/// A valid key of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireKey<'a> {
    bytes: &'a [u8],
    is_base64: bool,
}

impl<'a> WireKey<'a> {
    /// A key that is written as it is.
    pub(crate) fn plain(bytes: &'a [u8]) -> WireKey<'a> {
        WireKey { bytes, is_base64: false }
    }

    /// A key that is written in base64; None if it is not.
    pub(crate) fn base64(bytes: &'a [u8]) -> Option<WireKey<'a>> {
        decode(bytes, &mut [0; KEY_MAX])?;
        Some(WireKey { bytes, is_base64: true })
    }

    /// The key for a meta command: as it is if a line can hold it, else in base64, for which `room` is used. None if it
    /// is empty or too long (more than 186 bytes that have to be base64).
    pub fn for_meta(key: &'a [u8], room: &'a mut [u8; KEY_MAX]) -> Option<WireKey<'a>> {
        if TextKey::new(key).is_some() {
            return Some(WireKey::plain(key));
        }
        let len = encode(key, room)?;
        Some(WireKey { bytes: &room[..len], is_base64: true })
    }

    /// The key as the client wrote it, and as an answer repeats it.
    pub fn as_written(&self) -> &'a [u8] {
        self.bytes
    }

    /// It is base64 on the wire (flag `b`).
    pub fn is_base64(&self) -> bool {
        self.is_base64
    }

    /// The key of the item. `room` is used only for base64.
    pub fn decode<'r>(&self, room: &'r mut [u8; KEY_MAX]) -> &'r [u8]
    where
        'a: 'r,
    {
        if !self.is_base64 {
            return self.bytes;
        }
        let len = decode(self.bytes, room).unwrap_or(0);
        &room[..len]
    }
}

/// Standard alphabet, padded to whole groups of four; the bits under the padding must be zero. Returns the length.
fn decode(text: &[u8], room: &mut [u8; KEY_MAX]) -> Option<usize> {
    if text.is_empty() || text.len() > KEY_MAX || text.len() % 4 != 0 {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let mut len = 0;
    for (index, group) in text.chunks_exact(4).enumerate() {
        let is_last = (index + 1) * 4 == text.len();
        let missing = if is_last { padding } else { 0 };
        let mut bits = 0_u32;
        for byte in &group[..4 - missing] {
            bits = bits << 6 | u32::from(sextet(*byte)?);
        }
        bits <<= 6 * missing;
        let bytes = bits.to_be_bytes();
        if bytes[4 - missing..].iter().any(|byte| *byte != 0) {
            return None;
        }
        room[len..len + 3].copy_from_slice(&bytes[1..]);
        len += 3 - missing;
    }
    Some(len)
}

/// The opposite of `decode`; None if there is nothing, or too much for `room`.
fn encode(key: &[u8], room: &mut [u8; KEY_MAX]) -> Option<usize> {
    let len = key.len().div_ceil(3) * 4;
    if key.is_empty() || len > KEY_MAX {
        return None;
    }
    for (three, four) in key.chunks(3).zip(room.chunks_exact_mut(4)) {
        let byte = |at| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (at, place) in four.iter_mut().enumerate() {
            // Two characters stand for one byte, three for two.
            *place = if at <= three.len() { ALPHABET[(bits >> (18 - 6 * at) & 63) as usize] } else { b'=' };
        }
    }
    Some(len)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_into_the_callers_room() {
        for (written, key) in [
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
            ("+/+/", "\u{fb}\u{ff}\u{bf}"),
        ] {
            let found = WireKey::base64(written.as_bytes()).expect(written);
            let want: Vec<u8> = key.chars().map(|char| char as u8).collect();
            assert_eq!(found.decode(&mut [0; KEY_MAX]), want, "{written}");
        }
    }

    #[test]
    fn keys_that_no_line_can_hold_are_written_in_base64() {
        for len in 1..=186 {
            let key: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let mut room = [0; KEY_MAX];
            let written = WireKey::for_meta(&key, &mut room).expect("186 bytes fit");
            assert!(written.is_base64() && WireKey::base64(written.as_written()).is_some(), "{len}");
            assert_eq!(written.decode(&mut [0; KEY_MAX]), key, "{len}");
        }
        assert_eq!(WireKey::for_meta(&[b' '; 187], &mut [0; KEY_MAX]), None);
        assert_eq!(WireKey::for_meta(b"", &mut [0; KEY_MAX]), None);
        assert!(!WireKey::for_meta(&[b'k'; KEY_MAX], &mut [0; KEY_MAX]).unwrap().is_base64());
    }

    #[test]
    fn keys_that_would_break_a_line_are_no_text_keys() {
        let long = [b'k'; KEY_MAX + 1];
        for bad in [b"".as_slice(), b"a b", b"a\r\nflush_all", b"a\0", &long] {
            assert_eq!(TextKey::new(bad), None, "{bad:?}");
        }
        assert!(TextKey::new(&long[1..]).is_some());
        assert!(TextKey::new("schlüssel".as_bytes()).is_some());
    }

    #[test]
    fn one_bad_byte_anywhere_is_found_and_no_good_one_is_blamed() {
        for len in 1..40 {
            assert!(TextKey::new(&vec![b'!'; len]).is_some());
            for (at, byte) in (0..len).flat_map(|at| (0..=255).map(move |byte| (at, byte))) {
                for other in [b'!', b'~', 0x7f, 0x80, 0xff] {
                    let mut key = vec![other; len];
                    key[at] = byte;
                    assert_eq!(TextKey::new(&key).is_some(), byte > b' ', "{byte} at {at} of {len} {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for written in ["", "Zm9", "Zm9v=", "Zm9vY===", "Zm9vYh==", "Zm=v", "====", "Zm-v", "Zm9v Zm9"] {
            assert_eq!(WireKey::base64(written.as_bytes()), None, "{written}");
        }
    }
}

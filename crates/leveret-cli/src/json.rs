//! Bytes in JSON. Keys and values are any bytes, JSON strings are not: a field `name` holds them as text when they are
//! UTF-8, else `name_base64` does. One of the two is always there, so a reader never has to guess.
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A field of bytes; to be flattened into the object that has it.
pub struct Bytes<'a> {
    pub name: &'static str,
    pub bytes: &'a [u8],
}

pub fn key(bytes: &[u8]) -> Bytes<'_> {
    Bytes { name: "key", bytes }
}

pub fn value(bytes: &[u8]) -> Bytes<'_> {
    Bytes { name: "value", bytes }
}

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match std::str::from_utf8(self.bytes) {
            Ok(text) => map.serialize_entry(self.name, text)?,
            Err(_) => map.serialize_entry(&format!("{}_base64", self.name), &base64(self.bytes))?,
        }
        map.end()
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes of a field: of `name`, or of `name_base64`. None: it has neither, or no base64.
pub fn bytes_of(object: &serde_json::Value, name: &str) -> Option<Vec<u8>> {
    match object.get(name) {
        Some(text) => text.as_str().map(|text| text.as_bytes().to_vec()),
        None => from_base64(object.get(format!("{name}_base64"))?.as_str()?),
    }
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for digits in text.as_bytes().chunks(4) {
        let padding = digits.iter().rev().take_while(|digit| **digit == b'=').count();
        if digits.len() != 4 || padding > 2 {
            return None;
        }
        let mut bits = 0;
        for digit in &digits[..4 - padding] {
            bits = bits << 6 | ALPHABET.iter().position(|symbol| symbol == digit)? as u32;
        }
        bytes.extend_from_slice(&(bits << (6 * padding)).to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for digit in 0..4 {
            // A chunk of n bytes fills n + 1 digits; the rest is padding.
            let symbol = if digit <= chunk.len() { ALPHABET[(bits >> (18 - 6 * digit) & 63) as usize] } else { b'=' };
            text.push(char::from(symbol));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_rfc_4648() {
        for (bytes, want) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), want);
            assert_eq!(from_base64(want).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(from_base64("+//+"), Some(vec![0xfb, 0xff, 0xfe]));
        for text in ["Zg", "Zg=", "Z===", "Zm9v!", "Zg==Zg"] {
            assert_eq!(from_base64(text), None, "{text}");
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn text_stays_text_and_other_bytes_are_told_apart() {
        #[derive(Serialize)]
        struct Pair<'a> {
            #[serde(flatten)]
            key: Bytes<'a>,
            #[serde(flatten)]
            value: Bytes<'a>,
            size: usize,
        }
        let pair = Pair { key: key("ü".as_bytes()), value: value(&[0xff]), size: 1 };
        assert_eq!(serde_json::to_string(&pair).expect("JSON"), r#"{"key":"ü","value_base64":"/w==","size":1}"#);
    }
}

//! The compact form as JSON: what the gem has stored, which are lists, maps whose keys are strings, text and numbers.
use crate::reader::{CompactReader, Key};
use crate::{tag, DEPTH_MAX, HEAD};

/// None: the bytes are damaged, JSON cannot say what is in them, or it is longer than `len_max`.
pub fn to_json(value: &[u8], len_max: usize) -> Option<Vec<u8>> {
    let mut writer = JsonWriter {
        from: CompactReader::new(value.strip_prefix(&HEAD)?),
        out: Vec::with_capacity(2 * value.len()),
        len_max,
    };
    let tag = writer.from.byte()?;
    writer.container(tag, 1)?;
    writer.from.is_at_end().then_some(writer.out)
}

struct JsonWriter<'v> {
    from: CompactReader<'v>,
    out: Vec<u8>,
    len_max: usize,
}

impl<'v> JsonWriter<'v> {
    /// None where the output has become too long.
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        (bytes.len() <= self.len_max - self.out.len()).then(|| self.out.extend_from_slice(bytes))
    }

    fn string(&mut self, string: &'v [u8]) -> Option<()> {
        std::str::from_utf8(string).ok()?;
        self.put(b"\"")?;
        let mut from = 0;
        for (at, byte) in string.iter().enumerate() {
            if *byte < b' ' || matches!(byte, b'"' | b'\\') {
                self.put(&string[from..at])?;
                self.put(escape(*byte).as_bytes())?;
                from = at + 1;
            }
        }
        self.put(&string[from..])?;
        self.put(b"\"")
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        let tag = self.from.byte()?;
        match tag {
            tag::NULL => self.put(b"null"),
            tag::FALSE => self.put(b"false"),
            tag::TRUE => self.put(b"true"),
            tag::FLOAT => {
                let float = self.from.float()?;
                // With a point or an exponent: another reader takes it for a float, too.
                float.is_finite().then(|| self.put(format!("{float:?}").as_bytes()))?
            }
            tag::INT..=tag::INT_LAST | tag::INT8..=tag::INT64 => {
                let integer = self.from.integer(tag)?;
                self.put(integer.to_string().as_bytes())
            }
            tag::BYTE..=tag::STRING_AT_LAST | tag::EMPTY_STRING..=tag::STRING_ID => {
                let string = self.from.string(tag)?;
                self.string(string)
            }
            _ => self.container(tag, depth),
        }
    }

    fn container(&mut self, tag: u8, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match tag {
            tag::EMPTY_LIST => self.put(b"[]"),
            tag::EMPTY_MAP => self.put(b"{}"),
            tag::LIST => self.list(depth),
            _ => self.map(tag, depth),
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        for index in 0..self.from.count(1)? {
            self.put(if index == 0 { b"[" } else { b"," })?;
            self.value(depth + 1)?;
        }
        self.put(b"]")
    }

    fn map(&mut self, tag: u8, depth: usize) -> Option<()> {
        let keys = self.from.keys(tag)?;
        let first = keys.start;
        for index in keys {
            let Key::String(key) = self.from.key(index) else { return None };
            self.put(if index == first { b"{" } else { b"," })?;
            self.string(key)?;
            self.put(b":")?;
            self.value(depth + 1)?;
        }
        self.put(b"}")
    }
}

fn escape(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        _ => format!("\\u{byte:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(bytes: &[u8]) -> Option<String> {
        to_json(&[&HEAD, bytes].concat(), 1 << 20).map(|text| String::from_utf8(text).expect("text"))
    }

    #[test]
    fn what_json_can_say_is_said() {
        let rows = [
            &[tag::LIST, 9, tag::NEW_SHAPE, 2][..],
            b"\x81id\x83name",
            &[tag::INT + 1, tag::STRING_AT, 1],
            &[tag::SHAPE_AT, tag::INT8, 0x80, tag::EMPTY_MAP],
            &[tag::EMPTY_LIST, tag::NULL, tag::TRUE, tag::FALSE],
            &[&[tag::FLOAT][..], &1.0f64.to_ne_bytes(), &[tag::FLOAT], &1e300f64.to_ne_bytes()].concat(),
            b"\x86a\"\\\n\x01\xc3\xa9",
        ]
        .concat();
        let want = "[{\"id\":1,\"name\":\"name\"},{\"id\":-128,\"name\":{}},[],null,true,false,1.0,1e300,\
                    \"a\\\"\\\\\\n\\u0001\u{e9}\"]";
        assert_eq!(json(&rows).as_deref(), Some(want));
        let len = want.len();
        let bytes = [&HEAD, &rows[..]].concat();
        assert!(to_json(&bytes, len).is_some());
        (0..len).for_each(|len_max| assert_eq!(None, to_json(&bytes, len_max), "{len_max}"));
    }

    #[test]
    fn what_json_cannot_say_is_damaged() {
        for bytes in [
            &[tag::NULL][..],
            &[tag::LIST, 1, tag::BYTE, 0xFF],
            &[&[tag::LIST, 1, tag::FLOAT][..], &f64::NAN.to_ne_bytes()].concat(),
            &[tag::NEW_SHAPE, 1, tag::INT, tag::NULL],
            &[tag::LIST, 1, tag::NEW_OBJECT, tag::BYTE, b'C', 0],
            &[tag::LIST, 2, tag::NULL],
            &[tag::LIST, 1, tag::NULL, tag::NULL],
        ] {
            assert_eq!(None, json(bytes), "{bytes:?}");
        }
    }
}

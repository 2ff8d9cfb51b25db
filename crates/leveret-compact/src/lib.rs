//! The compact form of arrays and objects (docs/array-format.md) as PHP's `serialize()` writes it, or as JSON.
//!
//! The extension and the gem read the form themselves. Whoever reads over a socket, and people at a terminal, get what the
//! item's encoding says: PHP's form, or JSON of what the gem has stored; and flags from which clients know it.
#![forbid(unsafe_code)]

mod digits;
mod json;
mod reader;

use digits::Digits;
use leveret_engine::{Encoding, Meta, Origin};
use reader::{CompactReader, Key};

/// What the form begins with: nothing that `serialize()` writes begins so. The second byte is the version.
pub const HEAD: [u8; 2] = [0xCA, 1];
/// The same where objects of PHP are in it.
pub const HEAD_OF_OBJECTS: [u8; 2] = [0xCA, 2];

/// Arrays and objects in each other: deeper ones are damaged.
pub const DEPTH_MAX: usize = 128;

// The numbers of docs/memory-layout.md.
const PHP: Encoding = Encoding::new(5);
const IGBINARY: Encoding = Encoding::new(6);
const MSGPACK: Encoding = Encoding::new(7);
const JSON: Encoding = Encoding::new(8);
const RUBY: Origin = Origin::new(4);

/// How many times as long honest values become at most. Names of up to 128 bytes may stand behind a number: with a value
/// of one byte they take 142 bytes in PHP's form. Longer ones are written in full each time.
const GROWTH_MAX: usize = 160;
/// The same in JSON: the gem gives numbers to names of up to 64 bytes, each of which may take 6.
const JSON_GROWTH_MAX: usize = 400;
const LEN_MAX: usize = 256 << 20;

/// Whether an item's bytes may be the compact form.
#[inline]
pub fn may_be_compact(meta: &Meta) -> bool {
    meta.encoding == PHP && matches!(meta.origin, Origin::NATIVE | RUBY) || meta.encoding == JSON && meta.origin == RUBY
}

/// The bytes of an item as programs of other makes get them. None: they are damaged, which counts as a miss.
pub fn served(meta: &Meta, value: Vec<u8>) -> Option<Vec<u8>> {
    if !may_be_compact(meta) || !(value.starts_with(&HEAD) || value.starts_with(&HEAD_OF_OBJECTS)) {
        return Some(value);
    }
    if meta.encoding == JSON {
        return json::to_json(&value, len_max(&value, JSON_GROWTH_MAX));
    }
    to_serialized(&value, len_max(&value, GROWTH_MAX))
}

/// The flags of an item as programs of other makes get them.
///
/// What came over a socket, or through the classes of pecl/memcached and pecl/memcache, has its flags. What the native
/// entrances stored has none, unless they were told some: text, numbers and booleans are flags 0, which every client
/// reads as the text that it gets; what only PHP can read says so in pecl/memcached's numbers.
pub fn served_flags(meta: &Meta) -> u32 {
    const FLAGS: [(Encoding, u32); 4] = [(PHP, 4), (IGBINARY, 5), (JSON, 6), (MSGPACK, 7)];
    if meta.origin != Origin::NATIVE || meta.flags != 0 {
        return meta.flags;
    }
    FLAGS.into_iter().find(|(encoding, _)| *encoding == meta.encoding).map_or(0, |(_, flags)| flags)
}

fn len_max(value: &[u8], growth_max: usize) -> usize {
    value.len().saturating_mul(growth_max).min(LEN_MAX)
}

/// The value as `serialize()` writes it. None: the bytes are damaged, or it is longer than `len_max`.
fn to_serialized(value: &[u8], len_max: usize) -> Option<Vec<u8>> {
    let (bytes, has_objects) = match value.strip_prefix(&HEAD) {
        Some(bytes) => (bytes, false),
        None => (value.strip_prefix(&HEAD_OF_OBJECTS)?, true),
    };
    let mut writer =
        Writer { from: CompactReader::new(bytes), out: Vec::with_capacity(2 * value.len()), len_max, has_objects };
    let tag = writer.from.byte()?;
    writer.array(tag, 1)?;
    writer.from.is_at_end().then_some(writer.out)
}

/// What a value begins with; docs/array-format.md says what follows.
#[allow(missing_docs)]
pub mod tag {
    pub const NULL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INT8: u8 = 3;
    pub const INT16: u8 = 4;
    pub const INT32: u8 = 5;
    pub const INT64: u8 = 6;
    pub const FLOAT: u8 = 7;
    pub const EMPTY_STRING: u8 = 8;
    pub const LONG_STRING: u8 = 9;
    pub const STRING_ID: u8 = 10;
    pub const EMPTY_LIST: u8 = 11;
    pub const LIST: u8 = 12;
    pub const EMPTY_MAP: u8 = 13;
    pub const NEW_SHAPE: u8 = 14;
    pub const SHAPE_ID: u8 = 15;
    pub const NEW_OBJECT: u8 = 16;
    pub const OBJECT_ID: u8 = 17;
    pub const ENUM_CASE: u8 = 18;
    pub const INT: u8 = 0x40;
    pub const INT_LAST: u8 = 0x7F;
    pub const BYTE: u8 = 0x80;
    pub const STRING: u8 = 0x81;
    pub const STRING_LAST: u8 = 0xBF;
    pub const STRING_AT: u8 = 0xC0;
    pub const STRING_AT_LAST: u8 = 0xDF;
    pub const SHAPE_AT: u8 = 0xE0;
}

struct Writer<'v> {
    from: CompactReader<'v>,
    out: Vec<u8>,
    len_max: usize,
    has_objects: bool,
}

impl<'v> Writer<'v> {
    /// None where the output has become too long.
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        (bytes.len() <= self.len_max - self.out.len()).then(|| self.out.extend_from_slice(bytes))
    }

    fn text(&mut self, text: std::fmt::Arguments<'_>) -> Option<()> {
        use std::io::Write;
        self.out.write_fmt(text).ok()?;
        (self.out.len() <= self.len_max).then_some(())
    }

    fn integer(&mut self, integer: i64) -> Option<()> {
        self.text(format_args!("i:{integer};"))
    }

    fn string(&mut self, string: &[u8]) -> Option<()> {
        self.text(format_args!("s:{}:\"", string.len()))?;
        self.put(string)?;
        self.put(b"\";")
    }

    fn float(&mut self, float: f64) -> Option<()> {
        self.text(format_args!("d:{};", Digits(float)))
    }

    fn key(&mut self, key: Key<'v>) -> Option<()> {
        match key {
            Key::Integer(integer) => self.integer(integer),
            Key::String(string) => self.string(string),
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        let tag = self.from.byte()?;
        match tag {
            tag::NULL => self.put(b"N;"),
            tag::FALSE => self.put(b"b:0;"),
            tag::TRUE => self.put(b"b:1;"),
            tag::FLOAT => {
                let float = self.from.float()?;
                self.float(float)
            }
            tag::INT..=tag::INT_LAST | tag::INT8..=tag::INT64 => {
                let integer = self.from.integer(tag)?;
                self.integer(integer)
            }
            tag::BYTE..=tag::STRING_AT_LAST | tag::EMPTY_STRING..=tag::STRING_ID => {
                let string = self.from.string(tag)?;
                self.string(string)
            }
            _ => self.array(tag, depth),
        }
    }

    fn array(&mut self, tag: u8, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match tag {
            tag::EMPTY_LIST | tag::EMPTY_MAP => return self.put(b"a:0:{}"),
            tag::ENUM_CASE if self.has_objects => return self.enum_case(),
            tag::LIST => self.list(depth)?,
            tag::NEW_OBJECT | tag::OBJECT_ID if self.has_objects => self.object(tag, depth)?,
            _ => self.map(tag, depth)?,
        }
        self.put(b"}")
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        let count = self.from.count(1)?;
        self.text(format_args!("a:{count}:{{"))?;
        for index in 0..count {
            self.integer(index as i64)?;
            self.value(depth + 1)?;
        }
        Some(())
    }

    fn map(&mut self, tag: u8, depth: usize) -> Option<()> {
        let keys = self.from.keys(tag)?;
        self.text(format_args!("a:{}:{{", keys.len()))?;
        for index in keys {
            self.key(self.from.key(index))?;
            self.value(depth + 1)?;
        }
        Some(())
    }
}

impl Writer<'_> {
    fn object(&mut self, tag: u8, depth: usize) -> Option<()> {
        let object = self.from.object(tag)?;
        let class = self.from.class(object);
        self.text(format_args!("O:{}:\"", class.name.len()))?;
        self.put(class.name)?;
        self.text(format_args!("\":{}:{{", class.properties.len()))?;
        for index in class.properties {
            self.key(self.from.key(index))?;
            self.value(depth + 1)?;
        }
        Some(())
    }

    fn enum_case(&mut self) -> Option<()> {
        let (class, name) = (self.from.name()?, self.from.name()?);
        self.text(format_args!("E:{}:\"", class.len() + 1 + name.len()))?;
        self.put(class)?;
        self.put(b":")?;
        self.put(name)?;
        self.put(b"\";")
    }
}

#[cfg(test)]
mod tests;

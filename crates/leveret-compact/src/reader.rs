//! Parser of the form: tags with their operands, and numbered parts.
use crate::tag;
use std::ops::Range;

/// A key of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key<'v> {
    Integer(i64),
    String(&'v [u8]),
}

/// Borrows the bytes, and checks every count and number. `None`: damaged.
pub struct CompactReader<'v> {
    left: &'v [u8],
    strings: Vec<&'v [u8]>,
    /// The keys of all shapes, one shape after the other.
    keys: Vec<Key<'v>>,
    shapes: Vec<Range<usize>>,
    classes: Vec<Class<'v>>,
}

/// A class, and which properties its objects have: the places of their names.
#[derive(Clone)]
pub struct Class<'v> {
    pub name: &'v [u8],
    pub properties: Range<usize>,
}

impl<'v> CompactReader<'v> {
    pub fn new(value: &'v [u8]) -> CompactReader<'v> {
        CompactReader { left: value, strings: Vec::new(), keys: Vec::new(), shapes: Vec::new(), classes: Vec::new() }
    }

    pub fn is_at_end(&self) -> bool {
        self.left.is_empty()
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, len: usize) -> Option<&'v [u8]> {
        let (taken, left) = self.left.split_at_checked(len)?;
        self.left = left;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn float(&mut self) -> Option<f64> {
        self.array().map(f64::from_ne_bytes)
    }

    /// Seven bits a byte, the low ones first.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(number).ok().map(|number| number as usize);
            }
        }
        None
    }

    /// How many elements follow, each of which has `least` bytes or more; at least one.
    pub fn count(&mut self, least: usize) -> Option<usize> {
        self.number().filter(|count| (1..=self.left.len() / least).contains(count))
    }

    pub fn integer(&mut self, tag: u8) -> Option<i64> {
        match tag {
            tag::INT..=tag::INT_LAST => Some((tag - tag::INT).into()),
            tag::INT8 => self.array().map(i8::from_ne_bytes).map(i64::from),
            tag::INT16 => self.array().map(i16::from_ne_bytes).map(i64::from),
            tag::INT32 => self.array().map(i32::from_ne_bytes).map(i64::from),
            tag::INT64 => self.array().map(i64::from_ne_bytes),
            _ => None,
        }
    }

    pub fn string(&mut self, tag: u8) -> Option<&'v [u8]> {
        match tag {
            tag::EMPTY_STRING => Some(b""),
            tag::BYTE => self.take(1),
            tag::STRING..=tag::STRING_LAST => {
                let string = self.take(usize::from(tag - tag::BYTE) + 1)?;
                self.strings.push(string);
                Some(string)
            }
            tag::LONG_STRING => {
                let len = self.number()?;
                self.take(len)
            }
            tag::STRING_AT..=tag::STRING_AT_LAST => {
                let number = usize::from(tag - tag::STRING_AT) << 8 | usize::from(self.byte()?);
                self.strings.get(number).copied()
            }
            tag::STRING_ID => {
                let number = self.number()?;
                self.strings.get(number).copied()
            }
            _ => None,
        }
    }

    /// The places of an array's keys; its values follow.
    pub fn keys(&mut self, tag: u8) -> Option<Range<usize>> {
        let range = match tag {
            tag::NEW_SHAPE => return self.new_keys(),
            tag::SHAPE_ID => {
                let number = self.number()?;
                self.shapes.get(number)?.clone()
            }
            tag::SHAPE_AT.. => self.shapes.get(usize::from(tag - tag::SHAPE_AT))?.clone(),
            _ => return None,
        };
        (range.len() <= self.left.len()).then_some(range)
    }

    fn new_keys(&mut self) -> Option<Range<usize>> {
        let (count, begin) = (self.count(2)?, self.keys.len());
        for _ in 0..count {
            let key = self.new_key()?;
            self.keys.push(key);
        }
        self.are_different(begin).then_some(())?;
        self.shapes.push(begin..begin + count);
        Some(begin..begin + count)
    }

    /// Whether no key from this place on comes twice.
    fn are_different(&self, begin: usize) -> bool {
        let mut sorted = self.keys[begin..].to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The number of an object's class; the values of its properties follow.
    pub fn object(&mut self, tag: u8) -> Option<usize> {
        if tag == tag::NEW_OBJECT {
            return self.new_class();
        }
        let number = self.number()?;
        (self.classes.get(number)?.properties.len() <= self.left.len()).then_some(number)
    }

    fn new_class(&mut self) -> Option<usize> {
        let (name, count, begin) = (self.name()?, self.number()?, self.keys.len());
        (count <= self.left.len() / 2).then_some(())?;
        for _ in 0..count {
            let tag = self.byte()?;
            let property = self.string(tag)?;
            self.keys.push(Key::String(property));
        }
        self.are_different(begin).then_some(())?;
        self.classes.push(Class { name, properties: begin..begin + count });
        Some(self.classes.len() - 1)
    }

    /// Of a number that `object` has told.
    pub fn class(&self, number: usize) -> Class<'v> {
        self.classes[number].clone()
    }

    /// The name of a class or of a case of an enumeration.
    pub fn name(&mut self) -> Option<&'v [u8]> {
        let tag = self.byte()?;
        self.string(tag).filter(|name| !name.is_empty() && !name.contains(&b'"'))
    }

    fn new_key(&mut self) -> Option<Key<'v>> {
        let tag = self.byte()?;
        if matches!(tag, tag::INT..=tag::INT_LAST | tag::INT8..=tag::INT64) {
            return self.integer(tag).map(Key::Integer);
        }
        self.string(tag).filter(|key| !is_integer(key)).map(Key::String)
    }

    pub fn key(&self, place: usize) -> Key<'v> {
        self.keys[place]
    }
}

/// Whether PHP would make an integer of this name.
fn is_integer(key: &[u8]) -> bool {
    let digits = key.strip_prefix(b"-").unwrap_or(key);
    let is_decimal = digits.iter().all(u8::is_ascii_digit) && digits.first().is_some_and(|first| *first != b'0');
    key == b"0" || is_decimal && std::str::from_utf8(key).is_ok_and(|text| text.parse::<i64>().is_ok())
}

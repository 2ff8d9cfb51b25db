//! The compact form of arrays (docs/array-format.md), which the extension and the gem read and write themselves: its tags
//! and bounds are those of `leveret-compact`.
use leveret_compact::{tag, DEPTH_MAX, HEAD, HEAD_OF_OBJECTS};

/// What the form begins with.
pub const LEVERET_COMPACT_MAGIC: u8 = 0xCA;
/// The second byte.
pub const LEVERET_COMPACT_PLAIN: u8 = 1;
/// The second byte where objects of PHP are in it.
pub const LEVERET_COMPACT_WITH_OBJECTS: u8 = 2;
/// Bytes of both.
pub const LEVERET_COMPACT_HEAD_LEN: usize = 2;
/// Longer strings have no number.
pub const LEVERET_COMPACT_STRING_MAX: usize = 64;
/// Numbers of strings that fit into two bytes.
pub const LEVERET_COMPACT_STRINGS_NEAR: u32 = 8192;
/// Numbers of keys that fit into the tag.
pub const LEVERET_COMPACT_SHAPES_NEAR: u32 = 32;
/// Arrays in arrays: a scalar in a list is at depth 1.
pub const LEVERET_COMPACT_DEPTH_MAX: i32 = 128;
/// Bytes of a count, a length or a number: seven bits a byte, the low ones first, up to 2^32 - 1.
pub const LEVERET_COMPACT_NUMBER_LEN_MAX: usize = 5;

/// What a value begins with.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_compact_tag {
    /// null
    LEVERET_COMPACT_NULL = 0,
    /// false
    LEVERET_COMPACT_FALSE = 1,
    /// true
    LEVERET_COMPACT_TRUE = 2,
    /// An integer: 1 byte, signed and in native byte order, as the wider ones.
    LEVERET_COMPACT_INT8 = 3,
    /// 2 bytes.
    LEVERET_COMPACT_INT16 = 4,
    /// 4 bytes.
    LEVERET_COMPACT_INT32 = 5,
    /// 8 bytes.
    LEVERET_COMPACT_INT64 = 6,
    /// 8 bytes.
    LEVERET_COMPACT_FLOAT = 7,
    /// A string of no bytes.
    LEVERET_COMPACT_EMPTY_STRING = 8,
    /// Length, bytes.
    LEVERET_COMPACT_LONG_STRING = 9,
    /// Number of a string that came before.
    LEVERET_COMPACT_STRING_ID = 10,
    /// A list without values.
    LEVERET_COMPACT_EMPTY_LIST = 11,
    /// Count, values.
    LEVERET_COMPACT_LIST = 12,
    /// The gem's: to PHP the same as an empty list.
    LEVERET_COMPACT_EMPTY_MAP = 13,
    /// Count, keys, values.
    LEVERET_COMPACT_NEW_SHAPE = 14,
    /// Number of keys that came before; values.
    LEVERET_COMPACT_SHAPE_ID = 15,
    /// Class, count, names of properties, values.
    LEVERET_COMPACT_NEW_OBJECT = 16,
    /// Number of a class and its properties; values.
    LEVERET_COMPACT_OBJECT_ID = 17,
    /// Class, name.
    LEVERET_COMPACT_ENUM_CASE = 18,
    /// From here on the operand is in the tag: 0 to 63.
    LEVERET_COMPACT_INT = 0x40,
    /// A string of one byte, which has no number.
    LEVERET_COMPACT_BYTE = 0x80,
    /// A string of 2 to 64 bytes, which gets the next number.
    LEVERET_COMPACT_STRING = 0x81,
    /// The high five bits of the number of a string; a byte.
    LEVERET_COMPACT_STRING_AT = 0xC0,
    /// Number of keys, 0 to 31; values.
    LEVERET_COMPACT_SHAPE_AT = 0xE0,
}

use leveret_compact_tag::*;

const _: () = {
    assert!(LEVERET_COMPACT_NULL as u8 == tag::NULL);
    assert!(LEVERET_COMPACT_FALSE as u8 == tag::FALSE);
    assert!(LEVERET_COMPACT_TRUE as u8 == tag::TRUE);
    assert!(LEVERET_COMPACT_INT8 as u8 == tag::INT8);
    assert!(LEVERET_COMPACT_INT16 as u8 == tag::INT16);
    assert!(LEVERET_COMPACT_INT32 as u8 == tag::INT32);
    assert!(LEVERET_COMPACT_INT64 as u8 == tag::INT64);
    assert!(LEVERET_COMPACT_FLOAT as u8 == tag::FLOAT);
    assert!(LEVERET_COMPACT_EMPTY_STRING as u8 == tag::EMPTY_STRING);
    assert!(LEVERET_COMPACT_LONG_STRING as u8 == tag::LONG_STRING);
    assert!(LEVERET_COMPACT_STRING_ID as u8 == tag::STRING_ID);
    assert!(LEVERET_COMPACT_EMPTY_LIST as u8 == tag::EMPTY_LIST);
    assert!(LEVERET_COMPACT_LIST as u8 == tag::LIST);
    assert!(LEVERET_COMPACT_EMPTY_MAP as u8 == tag::EMPTY_MAP);
    assert!(LEVERET_COMPACT_NEW_SHAPE as u8 == tag::NEW_SHAPE);
    assert!(LEVERET_COMPACT_SHAPE_ID as u8 == tag::SHAPE_ID);
    assert!(LEVERET_COMPACT_NEW_OBJECT as u8 == tag::NEW_OBJECT);
    assert!(LEVERET_COMPACT_OBJECT_ID as u8 == tag::OBJECT_ID);
    assert!(LEVERET_COMPACT_ENUM_CASE as u8 == tag::ENUM_CASE);
    assert!(LEVERET_COMPACT_INT as u8 == tag::INT);
    assert!(LEVERET_COMPACT_BYTE as u8 == tag::BYTE);
    assert!(LEVERET_COMPACT_STRING as u8 == tag::STRING);
    assert!(LEVERET_COMPACT_STRING_AT as u8 == tag::STRING_AT);
    assert!(LEVERET_COMPACT_SHAPE_AT as u8 == tag::SHAPE_AT);
    assert!(LEVERET_COMPACT_DEPTH_MAX as usize == DEPTH_MAX);
    assert!(HEAD[0] == LEVERET_COMPACT_MAGIC && HEAD[1] == LEVERET_COMPACT_PLAIN);
    assert!(HEAD_OF_OBJECTS[0] == LEVERET_COMPACT_MAGIC && HEAD_OF_OBJECTS[1] == LEVERET_COMPACT_WITH_OBJECTS);
};

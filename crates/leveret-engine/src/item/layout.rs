//! Where the parts of an item lie. Readers, writers, copies and sizes all go by this one description.
//!
//! ```text
//!  0        4        8       12       16
//!  | shape  | names  | mtime | deadline | [cas u64] [number: value u64, cas u64 | large: total u64, count u32, 0 u32, extents]
//!  | [flags u32] [extension u32] key bytes, value bytes (large: the tail), zeros up to a multiple of 8
//!
//!  shape:      value_len:24 | kind:2 | cas:1 | flags:1 | wanted:1 | extension:1 | tags:1 | 0:1
//!  names:      key_len:16 | origin:4 | encoding:4 | codec:4 | cost:4
//!  extension:  marks:8 | fraction:10 | tenant:10 | 0:4
//! ```
//!
//! Reserved by layout 2 and zero: the bit of tags, whose block will lie before the flags, the class of cost, the tenant.
//! An item with that bit is none to this program, which would look for its key elsewhere.
//!
//! What lies between the optional cas and the flags is the item's payload: of a number or a large value.

/// How the value lies in the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Bytes = 0,
    /// A 64-bit word that counts in place. `value_len` is the width of the text it came from: memcached pads a number
    /// that became shorter with spaces.
    Number = 1,
    /// Whole segments and a tail.
    Large = 2,
    /// Stored like bytes. Only callers that ask for typed items see them; all others get a miss. Exists in arenas of
    /// layout 2 only.
    Typed = 3,
}

/// Bytes of the four words that every item has.
pub(crate) const HEADER: u64 = 16;
/// Where the deadline lies.
pub(crate) const DEADLINE: u64 = 12;
/// Where the cas of a number lies in its payload.
pub(crate) const NUMBER_CAS: u64 = 8;
/// Bytes of a number's payload, and of a large value's before its extents.
const PAYLOAD: u64 = 16;
/// Bytes of an extent.
pub(crate) const EXTENT: u64 = 8;

/// Parts of the extension.
pub(crate) const MARKS: u32 = (1 << 8) - 1;
pub(crate) const FRACTION_SHIFT: u32 = 8;
pub(crate) const FRACTION: u32 = ((1 << 10) - 1) << FRACTION_SHIFT;

/// The first word of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape(pub u32);

const VALUE_LEN: u32 = (1 << 24) - 1;
const KIND_SHIFT: u32 = 24;
const HAS_CAS: u32 = 1 << 26;
const HAS_FLAGS: u32 = 1 << 27;
/// This item's cas was handed out, so a copy of the item must keep it.
pub(crate) const WANTED: u32 = 1 << 28;
const HAS_EXTENSION: u32 = 1 << 29;
/// Bits that no item has.
const RESERVED: u32 = 3 << 30;
/// What moves the key away from its usual place.
const OPTIONS: u32 = 3 << KIND_SHIFT | HAS_CAS | HAS_FLAGS | HAS_EXTENSION | RESERVED;

impl Shape {
    /// Header, key and bytes, and nothing else.
    pub const PLAIN_BYTES: Shape = Shape(0);
    /// Header, number and key.
    pub const PLAIN_NUMBER: Shape = Shape((Kind::Number as u32) << KIND_SHIFT);

    #[inline(always)]
    pub fn new(kind: Kind, value_len: u64) -> Shape {
        Shape(value_len as u32 & VALUE_LEN | (kind as u32) << KIND_SHIFT)
    }

    #[inline(always)]
    fn with(self, bit: u32, is_set: bool) -> Shape {
        Shape(self.0 & !bit | if is_set { bit } else { 0 })
    }

    /// With an explicit cas before the payload, or without. A number has its own in the payload.
    #[inline(always)]
    pub fn with_cas(self, has_cas: bool) -> Shape {
        self.with(HAS_CAS, has_cas)
    }

    #[inline(always)]
    pub fn with_flags(self, has_flags: bool) -> Shape {
        self.with(HAS_FLAGS, has_flags)
    }

    #[inline(always)]
    pub fn with_extension(self, has_extension: bool) -> Shape {
        self.with(HAS_EXTENSION, has_extension)
    }

    pub fn with_value_len(self, len: u32) -> Shape {
        Shape(self.0 & !VALUE_LEN | len & VALUE_LEN)
    }

    /// The copy's cas was not handed out, or is explicit.
    pub fn unwanted(self) -> Shape {
        self.with(WANTED, false)
    }

    /// The bits that decide where the parts lie.
    #[inline(always)]
    pub fn options(self) -> Shape {
        Shape(self.0 & OPTIONS)
    }

    /// None: it is no item that this program knows.
    #[inline]
    pub fn kind(self) -> Option<Kind> {
        if self.0 & RESERVED != 0 {
            return None;
        }
        match self.0 >> KIND_SHIFT & 3 {
            0 => Some(Kind::Bytes),
            1 => Some(Kind::Number),
            2 => Some(Kind::Large),
            _ => Some(Kind::Typed),
        }
    }

    #[inline(always)]
    pub fn value_len(self) -> u64 {
        u64::from(self.0 & VALUE_LEN)
    }

    #[inline(always)]
    pub fn has_cas(self) -> bool {
        self.0 & HAS_CAS != 0
    }

    #[inline(always)]
    pub fn has_flags(self) -> bool {
        self.0 & HAS_FLAGS != 0
    }

    #[inline(always)]
    pub fn has_extension(self) -> bool {
        self.0 & HAS_EXTENSION != 0
    }

    pub fn is_wanted(self) -> bool {
        self.0 & WANTED != 0
    }

    /// Where the payload begins: behind the explicit cas, if there is one.
    #[inline(always)]
    pub fn payload(self) -> u64 {
        HEADER + 8 * u64::from(self.has_cas())
    }
}

/// Payload bytes of an item with `extents` extents.
#[inline(always)]
pub(crate) fn payload_len(kind: Kind, extents: u64) -> u64 {
    match kind {
        Kind::Bytes | Kind::Typed => 0,
        Kind::Number => PAYLOAD,
        Kind::Large => PAYLOAD + EXTENT * extents,
    }
}

/// How many extents a large value's payload has room for.
pub(crate) fn extents_in(payload_len: u64) -> usize {
    (payload_len.saturating_sub(PAYLOAD) / EXTENT) as usize
}

/// Bytes behind the key: a number has none.
#[inline(always)]
pub(crate) fn stored_len(kind: Kind, value_len: u64) -> u64 {
    match kind {
        Kind::Number => 0,
        Kind::Bytes | Kind::Large | Kind::Typed => value_len,
    }
}

/// Where key and value begin, from the item's first byte, and where the next item does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub key: u64,
    pub value: u64,
    pub size: u64,
}

impl Layout {
    /// Flags lie before the extension, and that before the key: they are found from there.
    #[inline(always)]
    pub fn new(shape: Shape, payload_len: u64, key_len: u64, stored_len: u64) -> Layout {
        let words = u64::from(shape.has_flags()) + u64::from(shape.has_extension());
        let key = shape.payload() + payload_len + 4 * words;
        let value = key + key_len;
        Layout { key, value, size: (value + stored_len + 7) & !7 }
    }
}

/// Where the extension lies, of an item with one whose key lies at `key`.
#[inline(always)]
pub(crate) fn extension_before(key: u64) -> u64 {
    key - 4
}

/// Where the flags lie, of an item with flags whose key lies at `key`.
#[inline(always)]
pub(crate) fn flags_before(shape: Shape, key: u64) -> u64 {
    key - 4 - 4 * u64::from(shape.has_extension())
}

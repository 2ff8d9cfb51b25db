//! What an item says of itself to people and programs: flags, who wrote it, what its bytes are, marks.

/// What an item's value is to whoever reads it, besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Meta {
    /// The client's own opaque 32 bits.
    pub flags: u32,
    /// Which family of entrances wrote it, an `Origin`.
    pub origin: u8,
    /// What the bytes are, an `Encoding`.
    pub encoding: u8,
    /// Compression of the bytes: 0 = none.
    pub codec: u8,
    /// What a client was told about the item: `STALE`, `WON`.
    pub marks: u8,
}

/// A mark: the item is out of date, and whoever meets it should see to a new one.
pub const STALE: u8 = 1;
/// A mark: somebody was told to see to a new one.
pub const WON: u8 = 2;

/// Which family of entrances wrote an item. Flags alone cannot tell: 1 is an int for one and "serialized" for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// It came over a socket: to be read by the reader's own rules.
    Wire = 0,
    /// The classes of pecl/memcached.
    PeclMemcached = 1,
    /// The classes of pecl/memcache.
    PeclMemcache = 2,
    /// `Leveret\Cache`, `apcu_*`, the command.
    Native = 3,
    /// The Ruby gems.
    Ruby = 4,
}

/// What an item's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Encoding {
    /// A string, as it is.
    Raw = 0,
    /// A signed 64-bit integer, kept as a number.
    Integer = 1,
    /// The text of a float.
    Double = 2,
    /// `1` or nothing.
    Bool = 3,
    /// Nothing.
    Null = 4,
    /// PHP's serialize().
    Php = 5,
    /// igbinary.
    Igbinary = 6,
    /// msgpack.
    Msgpack = 7,
    /// JSON.
    Json = 8,
    /// Ruby's Marshal.
    Marshal = 9,
}

impl Meta {
    /// Bytes of the native entrances.
    pub fn native(encoding: Encoding) -> Meta {
        Meta { flags: 0, origin: Origin::Native as u8, encoding: encoding as u8, codec: 0, marks: 0 }
    }
}

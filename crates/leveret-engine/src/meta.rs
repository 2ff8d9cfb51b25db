//! What an item says of itself to people and programs: flags, who wrote it, what its bytes are, marks.

/// What an item's value is to whoever reads it, besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Meta {
    /// The client's own opaque 32 bits.
    pub flags: u32,
    /// Which family of entrances wrote it.
    pub origin: Origin,
    /// What the bytes are, an `Encoding`.
    pub encoding: Encoding,
    /// Compression of the bytes: 0 = none.
    pub codec: u8,
    /// What a client was told about the item: `STALE`, `WON`.
    pub marks: u8,
}

/// A mark: the item is out of date, and whoever meets it should see to a new one.
pub const STALE: u8 = 1;
/// A mark: somebody was told to see to a new one.
pub const WON: u8 = 2;

/// Which family of programs wrote an item: a number below 16 that they agree on. Flags alone cannot tell: 1 is an int for
/// one and "serialized" for another. The engine itself makes a difference only for those named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Origin(pub(crate) u8);

impl Origin {
    /// It came over a socket, or a count made it: to be read by the reader's own rules.
    pub const WIRE: Origin = Origin(0);
    /// Those who go by the encoding alone: their floats and booleans are no text that counts.
    pub const NATIVE: Origin = Origin(3);

    /// The one with the largest number: an item has four bits for it.
    pub const MAX: Origin = Origin(15);

    /// The family of this number.
    ///
    /// # Panics
    /// Above `Origin::MAX`.
    pub const fn new(number: u8) -> Origin {
        assert!(number <= Origin::MAX.0, "an origin is a number below 16");
        Origin(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// What an item's bytes are: a number below 16 that programs agree on. The engine itself makes a difference only for
/// those named here: whether they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Encoding(pub(crate) u8);

impl Encoding {
    /// Text or other bytes, as they are.
    pub const RAW: Encoding = Encoding(0);
    /// A signed 64-bit integer, kept as a number.
    pub const INTEGER: Encoding = Encoding(1);
    /// The text of a float.
    pub const DOUBLE: Encoding = Encoding(2);
    /// `1` or nothing.
    pub const BOOL: Encoding = Encoding(3);

    /// The one with the largest number: an item has four bits for it.
    pub const MAX: Encoding = Encoding(15);

    /// The encoding of this number.
    ///
    /// # Panics
    /// Above `Encoding::MAX`.
    pub const fn new(number: u8) -> Encoding {
        assert!(number <= Encoding::MAX.0, "an encoding is a number below 16");
        Encoding(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl Meta {
    /// Bytes whose encoding says what they are.
    pub fn native(encoding: Encoding) -> Meta {
        Meta { flags: 0, origin: Origin::NATIVE, encoding, codec: 0, marks: 0 }
    }
}

//! An item's attributes besides its value: flags, origin, encoding, marks.

/// How readers interpret an item's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
#[repr(C)]
pub struct Meta {
    /// The client's own opaque 32 bits.
    pub flags: u32,
    /// Which family of entrances wrote it.
    pub origin: Origin,
    /// What the bytes are, an `Encoding`.
    pub encoding: Encoding,
    /// Compression of the bytes: 0 = none.
    pub codec: Codec,
    /// Marks handed out with the item: `STALE`, `WON`.
    pub marks: Marks,
}

/// What clients were told about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Marks(pub(crate) u8);

impl Marks {
    /// Nothing.
    pub const NONE: Marks = Marks(0);
    /// The item is stale: a reader should refresh it.
    pub const STALE: Marks = Marks(1);
    /// A client was told to refresh it.
    pub const WON: Marks = Marks(2);

    /// Each bit a mark; bits that mean nothing are left out.
    pub const fn from_bits(bits: u8) -> Marks {
        Marks(bits & (Marks::STALE.0 | Marks::WON.0))
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of these are among them.
    pub const fn contains(self, marks: Marks) -> bool {
        self.0 & marks.0 == marks.0
    }

    /// These and those.
    pub const fn with(self, marks: Marks) -> Marks {
        Marks(self.0 | marks.0)
    }
}

/// Which family of programs wrote an item: a number below 16 that they agree on. Flags alone cannot tell: 1 is an int for
/// one and "serialized" for another. The engine itself makes a difference only for those named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Origin(pub(crate) u8);

impl Origin {
    /// It came over a socket, or a count made it: to be read by the reader's own rules.
    pub const WIRE: Origin = Origin(0);
    /// Programs that use the encoding alone: their floats and booleans are not text that can be counted.
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

/// Format of an item's bytes: a number below 16 on which programs agree. The engine distinguishes only the ones named
/// here: they decide whether an item can be counted.
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

/// How an item's bytes are compressed: a number below 16 that programs agree on. To the engine all are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Codec(pub(crate) u8);

impl Codec {
    /// Not at all.
    pub const NONE: Codec = Codec(0);

    /// The one with the largest number: an item has four bits for it.
    pub const MAX: Codec = Codec(15);

    /// The codec of this number.
    ///
    /// # Panics
    /// Above `Codec::MAX`.
    pub const fn new(number: u8) -> Codec {
        assert!(number <= Codec::MAX.0, "a codec is a number below 16");
        Codec(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl Meta {
    /// Bytes described by their encoding.
    pub const fn native(encoding: Encoding) -> Meta {
        Meta { flags: 0, origin: Origin::NATIVE, encoding, codec: Codec::NONE, marks: Marks::NONE }
    }

    /// The same with these flags.
    pub const fn with_flags(self, flags: u32) -> Meta {
        Meta { flags, ..self }
    }

    /// The same of this family.
    pub const fn with_origin(self, origin: Origin) -> Meta {
        Meta { origin, ..self }
    }

    /// The same for bytes of this encoding.
    pub const fn with_encoding(self, encoding: Encoding) -> Meta {
        Meta { encoding, ..self }
    }

    /// The same for bytes that are compressed so.
    pub const fn with_codec(self, codec: Codec) -> Meta {
        Meta { codec, ..self }
    }

    /// The same with these marks, and no others.
    pub const fn with_marks(self, marks: Marks) -> Meta {
        Meta { marks, ..self }
    }
}

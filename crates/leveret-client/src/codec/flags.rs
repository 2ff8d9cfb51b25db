//! Meaning of a flags word. PHP's two families of clients use the same bits for different things.
use leveret_engine::{Encoding, Meta, Origin};

/// How a value's bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compression {
    /// They are not.
    #[default]
    None,
    /// FastLZ behind the original's length, as pecl/memcached writes it.
    Fastlz,
    /// zlib behind the original's length, as pecl/memcached writes it.
    Zlib,
    /// zlib alone, as pecl/memcache writes it.
    BareZlib,
    /// zstd behind the original's length. Read where the feature `zstd` was built in.
    Zstd,
}

/// How a value's bytes are to be read. Numbers are decimal text on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What the bytes are once they are decompressed.
    pub encoding: Encoding,
    /// How they are compressed.
    pub compression: Compression,
}

/// The families of entrances whose items are not the engine's to tell apart. (`Origin::NATIVE` are `Leveret\Cache`,
/// `apcu_*` and the command.)
pub mod origin {
    use leveret_engine::Origin;

    /// The classes of pecl/memcached.
    pub const PECL_MEMCACHED: Origin = Origin::new(1);
    /// The classes of pecl/memcache.
    pub const PECL_MEMCACHE: Origin = Origin::new(2);
    /// The Ruby gems.
    pub const RUBY: Origin = Origin::new(4);
    /// A server's answer: the writer is unknown. No item of an arena has it.
    pub const REMOTE: Origin = Origin::new(15);
}

/// Encodings of an item besides those that the engine knows: text, numbers and booleans.
pub mod encoding {
    use leveret_engine::Encoding;

    /// Nothing.
    pub const NULL: Encoding = Encoding::new(4);
    /// PHP's serialize().
    pub const PHP: Encoding = Encoding::new(5);
    /// igbinary.
    pub const IGBINARY: Encoding = Encoding::new(6);
    /// msgpack.
    pub const MSGPACK: Encoding = Encoding::new(7);
    /// JSON.
    pub const JSON: Encoding = Encoding::new(8);
    /// Ruby's Marshal.
    pub const MARSHAL: Encoding = Encoding::new(9);
}

/// The reading client. It matters where the writer is unknown: for items that came over a socket, and for a server's
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The classes of pecl/memcached.
    PeclMemcached,
    /// The classes of pecl/memcache.
    PeclMemcache,
    /// The gem, whose flags are Dalli's.
    Ruby,
    /// One without flags of its own.
    Any,
}

// pecl/memcached: bits 0-3 type, 4-15 its own, 16-31 the application's.
mod memcached {
    pub const TYPE: u32 = 0xf;
    pub const COMPRESSED: u32 = 1 << 4;
    pub const ZLIB: u32 = 2 << 4;
    pub const FASTLZ: u32 = 4 << 4;
    pub const ZSTD: u32 = 8 << 4;
    pub const ALL: u32 = 0xff;
}

// pecl/memcache: bits 0 and 1 its own, 8-11 the type of a scalar, 16-31 the application's.
mod memcache {
    pub const SERIALIZED: u32 = 1;
    pub const COMPRESSED: u32 = 2;
    pub const TYPE: u32 = 0xf00;
    pub const BOOL: u32 = 0x100;
    pub const LONG: u32 = 0x300;
    pub const DOUBLE: u32 = 0x700;
}

// Dalli: serialized by Marshal, compressed by zlib. From version 4 on the second bit alone is also that of text.
mod dalli {
    pub const SERIALIZED: u32 = 1;
    pub const COMPRESSED: u32 = 2;
}

/// The bits that are not the application's.
const OWN: u32 = 0xffff;

impl Form {
    const RAW: Form = Form::plain(Encoding::RAW);

    const fn plain(encoding: Encoding) -> Form {
        Form { encoding, compression: Compression::None }
    }

    /// How to read an item. An item of the classes: by the flags of their family. A server's answer: by the reader's
    /// own flags, as the original does. An item that came over a socket into an arena: by the flags that its bytes
    /// match, otherwise by the reader's own. `None`: flags that no PHP client writes, or an item stored by another
    /// entrance, whose encoding and codec apply.
    pub fn of(meta: &Meta, reader: Reader, value: &[u8]) -> Option<Form> {
        match meta.origin {
            origin::PECL_MEMCACHED => Form::from_pecl_memcached(meta.flags),
            origin::PECL_MEMCACHE => Some(Form::from_pecl_memcache(meta.flags)),
            origin::REMOTE => Form::as_own(meta.flags, reader, value),
            Origin::WIRE => Form::from_either(meta.flags, value).or_else(|| Form::as_own(meta.flags, reader, value)),
            _ => None,
        }
    }

    fn as_own(flags: u32, reader: Reader, value: &[u8]) -> Option<Form> {
        match reader {
            Reader::PeclMemcached => Form::from_pecl_memcached(flags),
            Reader::PeclMemcache => Some(Form::from_pecl_memcache(flags)),
            Reader::Ruby => Some(Form::from_dalli(flags, value)),
            Reader::Any => None,
        }
    }

    /// Reads pecl/memcached's word; None when it names no type or compression that there is.
    pub fn from_pecl_memcached(flags: u32) -> Option<Form> {
        let encoding = match flags & memcached::TYPE {
            0 => Encoding::RAW,
            1 => Encoding::INTEGER,
            2 => Encoding::DOUBLE,
            3 => Encoding::BOOL,
            4 => encoding::PHP,
            5 => encoding::IGBINARY,
            6 => encoding::JSON,
            7 => encoding::MSGPACK,
            _ => return None,
        };
        let compression = match flags {
            _ if flags & memcached::COMPRESSED == 0 => Compression::None,
            _ if flags & memcached::FASTLZ != 0 => Compression::Fastlz,
            _ if flags & memcached::ZLIB != 0 => Compression::Zlib,
            _ if flags & memcached::ZSTD != 0 => Compression::Zstd,
            _ => return None,
        };
        Some(Form { encoding, compression })
    }

    /// Reads pecl/memcache's word. A bool is `0` or `1` there. Unknown words leave the bytes as they are.
    pub fn from_pecl_memcache(flags: u32) -> Form {
        let encoding = match flags & memcache::TYPE {
            _ if flags & memcache::SERIALIZED != 0 => encoding::PHP,
            memcache::BOOL => Encoding::BOOL,
            memcache::LONG => Encoding::INTEGER,
            memcache::DOUBLE => Encoding::DOUBLE,
            _ => Encoding::RAW,
        };
        let compression = if flags & memcache::COMPRESSED == 0 { Compression::None } else { Compression::BareZlib };
        Form { encoding, compression }
    }

    /// Reads Dalli's word. An item marked as Marshal that does not begin like one was made by an application's
    /// serializer: its bytes stay as they are. A compressed item's type shows only after decompression.
    pub fn from_dalli(flags: u32, value: &[u8]) -> Form {
        let is_compressed = flags & dalli::COMPRESSED != 0 && is_zlib(value);
        let is_marshal = flags & dalli::SERIALIZED != 0 && (is_compressed || value.starts_with(b"\x04\x08"));
        Form {
            encoding: if is_marshal { encoding::MARSHAL } else { Encoding::RAW },
            compression: if is_compressed { Compression::BareZlib } else { Compression::None },
        }
    }

    /// Reads the word of whichever family it is of. 1, 2 and 3 are words of both, and other clients have their own
    /// meanings for many: so the bytes must agree.
    fn from_either(flags: u32, value: &[u8]) -> Option<Form> {
        let word = flags & OWN;
        if word == 0 {
            return Some(Form::RAW);
        }
        let candidates = [
            Form::from_pecl_memcached(word).filter(|_| word & !memcached::ALL == 0),
            Some(Form::from_pecl_memcache(word)).filter(|_| is_word_of_memcache(word)),
        ];
        candidates.into_iter().flatten().find(|form| form.agrees_with(value))
    }

    /// Whether the first bytes of a value may be what the form says. A number must be one: it would else be read as 0.
    fn agrees_with(self, value: &[u8]) -> bool {
        match (self.compression, self.encoding) {
            (Compression::None, Encoding::INTEGER) => parses::<i64>(value),
            (Compression::None, Encoding::DOUBLE) => parses::<f64>(value),
            (Compression::None, Encoding::BOOL) => matches!(value, b"" | b"0" | b"1"),
            (Compression::None, encoding::PHP) => is_serialized(value),
            (Compression::None, encoding::IGBINARY) => matches!(value, [0, 0, 0, 1 | 2, ..]),
            (Compression::None, _) => true,
            // Both families send numbers uncompressed at any length.
            (_, Encoding::INTEGER | Encoding::DOUBLE | Encoding::BOOL) => false,
            (Compression::BareZlib, _) => is_zlib(value),
            _ => true,
        }
    }
}

/// The words that pecl/memcache writes: a scalar's type, or its two bits.
fn is_word_of_memcache(word: u32) -> bool {
    matches!(word, memcache::BOOL | memcache::LONG | memcache::DOUBLE)
        || word <= memcache::SERIALIZED | memcache::COMPRESSED
}

/// A decimal number; spaces may follow it, which a decrement leaves behind.
fn parses<T: std::str::FromStr>(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok_and(|text| text.trim_end_matches(' ').parse::<T>().is_ok())
}

/// PHP's format: a letter for the type, then a colon; null is `N;`.
fn is_serialized(value: &[u8]) -> bool {
    matches!(value, [b'a' | b'b' | b'd' | b'i' | b's' | b'S' | b'O' | b'C' | b'E' | b'r' | b'R', b':', ..] | b"N;")
}

/// The two bytes that a zlib stream begins with: deflate, and a sum that is a multiple of 31.
fn is_zlib(value: &[u8]) -> bool {
    matches!(value, [method, check, ..] if method & 15 == 8 && (u16::from(*method) << 8 | u16::from(*check)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(encoding: Encoding) -> Form {
        Form::plain(encoding)
    }

    fn packed(encoding: Encoding, compression: Compression) -> Form {
        Form { encoding, compression }
    }

    // The words that the real extensions wrote for these values.
    #[test]
    fn observed_words_are_understood() {
        for (flags, want) in [
            (0, plain(Encoding::RAW)),
            (1, plain(Encoding::INTEGER)),
            (2, plain(Encoding::DOUBLE)),
            (3, plain(Encoding::BOOL)),
            (80, packed(Encoding::RAW, Compression::Fastlz)),
            (48, packed(Encoding::RAW, Compression::Zlib)),
            (85, packed(encoding::IGBINARY, Compression::Fastlz)),
            (53, packed(encoding::IGBINARY, Compression::Zlib)),
        ] {
            assert_eq!(Form::from_pecl_memcached(flags), Some(want), "{flags}");
        }
        for (flags, want) in [
            (0, plain(Encoding::RAW)),
            (1, plain(encoding::PHP)),
            (256, plain(Encoding::BOOL)),
            (768, plain(Encoding::INTEGER)),
            (1792, plain(Encoding::DOUBLE)),
            (2, packed(Encoding::RAW, Compression::BareZlib)),
            (3, packed(encoding::PHP, Compression::BareZlib)),
        ] {
            assert_eq!(Form::from_pecl_memcache(flags), want, "{flags}");
        }
    }

    #[test]
    fn the_applications_flags_say_nothing() {
        assert_eq!(Form::from_pecl_memcached(0xabcd_0001), Some(plain(Encoding::INTEGER)));
        assert_eq!(Form::from_pecl_memcache(0xabcd_0300), plain(Encoding::INTEGER));
        assert_eq!(Form::from_either(0xabcd_0300, b"5"), Some(plain(Encoding::INTEGER)));
    }

    #[test]
    fn unknown_types_are_not_guessed() {
        for flags in [8, 15, 0x10, 0x14] {
            assert_eq!(Form::from_pecl_memcached(flags), None, "{flags}");
        }
        assert_eq!(Form::from_pecl_memcached(0x94).unwrap().compression, Compression::Zstd);
    }

    #[test]
    fn where_both_families_have_a_word_the_bytes_decide() {
        let zlib = b"\x78\x9c\x03\x00";
        for (flags, value, want) in [
            (1, &b"-5"[..], Some(plain(Encoding::INTEGER))),
            (1, b"9 ", Some(plain(Encoding::INTEGER))),
            (1, b"a:0:{}", Some(plain(encoding::PHP))),
            (1, b"i:5;", Some(plain(encoding::PHP))),
            (1, b"N;", Some(plain(encoding::PHP))),
            (1, b"\x04\x08i\x0a", None), // Dalli: Ruby's Marshal
            (1, b"18446744073709551615", None),
            (1, b"", None),
            (2, b"1.5", Some(plain(Encoding::DOUBLE))),
            (2, b"-1.0E+25", Some(plain(Encoding::DOUBLE))),
            (2, b"-INF", Some(plain(Encoding::DOUBLE))),
            (2, b"NAN", Some(plain(Encoding::DOUBLE))),
            (2, zlib, Some(packed(Encoding::RAW, Compression::BareZlib))),
            (2, b"\xc3\xa9", None), // Dalli: text in UTF-8
            (3, b"", Some(plain(Encoding::BOOL))),
            (3, b"1", Some(plain(Encoding::BOOL))),
            (3, zlib, Some(packed(encoding::PHP, Compression::BareZlib))),
            (3, b"yes", None),
            (4, b"a:0:{}", Some(plain(encoding::PHP))),
            (4, b"123", None), // python-memcached: a long
            (5, b"\0\0\0\x02\x14\0", Some(plain(encoding::IGBINARY))),
            (5, b"text", None),
            (6, b"[1]", Some(plain(encoding::JSON))),
            (16, b"text", None), // pymemcache: text
            (0x100, b"0", Some(plain(Encoding::BOOL))),
            (0x300, b"7", Some(plain(Encoding::INTEGER))),
            (0x300, b"\0\0\0\0\0\0\0\x07", None), // spymemcached: a long
            (0x700, b"0.1", Some(plain(Encoding::DOUBLE))),
            (0x301, b"i:5;", None),
        ] {
            assert_eq!(Form::from_either(flags, value), want, "{flags:#x} {value:?}");
        }
    }

    #[test]
    fn an_item_is_read_as_its_writer_would() {
        let meta = |origin: Origin, flags| Meta::default().with_origin(origin).with_flags(flags);
        for reader in [Reader::PeclMemcached, Reader::PeclMemcache, Reader::Any] {
            assert_eq!(Form::of(&meta(origin::PECL_MEMCACHED, 1), reader, b"i:5;"), Some(plain(Encoding::INTEGER)));
            assert_eq!(Form::of(&meta(origin::PECL_MEMCACHE, 1), reader, b"5"), Some(plain(encoding::PHP)));
            assert_eq!(Form::of(&meta(Origin::NATIVE, 1), reader, b"5"), None);
        }
        let remote = |flags| Meta::default().with_origin(origin::REMOTE).with_flags(flags);
        assert_eq!(Form::of(&remote(1), Reader::PeclMemcached, b"i:5;"), Some(plain(Encoding::INTEGER)));
        assert_eq!(Form::of(&remote(1), Reader::PeclMemcache, b"5"), Some(plain(encoding::PHP)));
        assert_eq!(Form::of(&remote(0x300), Reader::PeclMemcached, b"5"), Some(plain(Encoding::RAW)));
        for reader in [Reader::PeclMemcached, Reader::PeclMemcache, Reader::Any] {
            assert_eq!(Form::of(&meta(Origin::WIRE, 1), reader, b"i:5;"), Some(plain(encoding::PHP)));
            assert_eq!(Form::of(&meta(Origin::WIRE, 1), reader, b"5"), Some(plain(Encoding::INTEGER)));
            assert_eq!(Form::of(&meta(Origin::WIRE, 0x300), reader, b"5"), Some(plain(Encoding::INTEGER)));
        }
        let marshal = b"\x04\x08i\x0a";
        for origin in [origin::REMOTE, Origin::WIRE] {
            let meta = |flags| Meta::default().with_origin(origin).with_flags(flags);
            assert_eq!(Form::of(&meta(1), Reader::Ruby, marshal), Some(plain(encoding::MARSHAL)));
            assert_eq!(Form::of(&meta(2), Reader::Ruby, b"\xc3\xa9"), Some(plain(Encoding::RAW)));
            let zlib = b"\x78\x9c\x03\x00";
            assert_eq!(Form::of(&meta(2), Reader::Ruby, zlib), Some(packed(Encoding::RAW, Compression::BareZlib)));
        }
        assert_eq!(Form::of(&remote(1), Reader::Ruby, b"{}"), Some(plain(Encoding::RAW)));
        // Of an unknown writer: as the original would.
        assert_eq!(Form::of(&meta(Origin::WIRE, 1), Reader::PeclMemcached, b"5 or so"), Some(plain(Encoding::INTEGER)));
        assert_eq!(Form::of(&meta(Origin::WIRE, 8), Reader::PeclMemcached, b"5"), None);
        assert_eq!(Form::of(&meta(Origin::WIRE, 8), Reader::PeclMemcache, b"5"), Some(plain(Encoding::RAW)));
        assert_eq!(Form::of(&meta(Origin::WIRE, 1), Reader::Any, b"5 or so"), None);
    }
}

//! What the flags word of PHP's clients says about a value. The two families use the same bits for different things.
use leveret_engine::Encoding;

/// How a value's bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compression {
    /// They are not.
    #[default]
    None,
    /// FastLZ.
    Fastlz,
    /// zlib.
    Zlib,
}

/// What a flags word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What the bytes are once they are decompressed. Numbers are decimal text on the wire.
    pub encoding: Encoding,
    /// How they are compressed.
    pub compression: Compression,
    /// The application's own flags.
    pub user: u16,
}

// pecl/memcached: bits 0-3 type, 4-15 its own, 16-31 the application's.
mod memcached {
    pub const TYPE: u32 = 0xf;
    pub const COMPRESSED: u32 = 1 << 4;
    pub const ZLIB: u32 = 2 << 4;
    pub const FASTLZ: u32 = 4 << 4;
    pub const ZSTD: u32 = 8 << 4;
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

impl Form {
    /// Reads pecl/memcached's word; None when it names a type or a compression that cannot be read here.
    pub fn from_pecl_memcached(flags: u32) -> Option<Form> {
        let encoding = match flags & memcached::TYPE {
            0 => Encoding::Raw,
            1 => Encoding::Integer,
            2 => Encoding::Double,
            3 => Encoding::Bool,
            4 => Encoding::Php,
            5 => Encoding::Igbinary,
            6 => Encoding::Json,
            7 => Encoding::Msgpack,
            _ => return None,
        };
        let compression = match flags {
            _ if flags & memcached::COMPRESSED == 0 => Compression::None,
            _ if flags & memcached::ZSTD != 0 => return None,
            _ if flags & memcached::FASTLZ != 0 => Compression::Fastlz,
            _ => Compression::Zlib,
        };
        Some(Form { encoding, compression, user: (flags >> 16) as u16 })
    }

    /// Writes pecl/memcached's word; None for an encoding that it has not. It keeps null in serialized form.
    pub fn to_pecl_memcached(self) -> Option<u32> {
        let kind = match self.encoding {
            Encoding::Raw => 0,
            Encoding::Integer => 1,
            Encoding::Double => 2,
            Encoding::Bool => 3,
            Encoding::Php => 4,
            Encoding::Igbinary => 5,
            Encoding::Json => 6,
            Encoding::Msgpack => 7,
            Encoding::Null | Encoding::Marshal => return None,
        };
        let compression = match self.compression {
            Compression::None => 0,
            Compression::Fastlz => memcached::COMPRESSED | memcached::FASTLZ,
            Compression::Zlib => memcached::COMPRESSED | memcached::ZLIB,
        };
        Some(kind | compression | u32::from(self.user) << 16)
    }

    /// Reads pecl/memcache's word. A bool is `0` or `1` there.
    pub fn from_pecl_memcache(flags: u32) -> Form {
        let encoding = match flags & memcache::TYPE {
            _ if flags & memcache::SERIALIZED != 0 => Encoding::Php,
            memcache::BOOL => Encoding::Bool,
            memcache::LONG => Encoding::Integer,
            memcache::DOUBLE => Encoding::Double,
            // What it does not know it gives as it is.
            _ => Encoding::Raw,
        };
        let compression = if flags & memcache::COMPRESSED == 0 { Compression::None } else { Compression::Zlib };
        Form { encoding, compression, user: (flags >> 16) as u16 }
    }

    /// Writes pecl/memcache's word; None for an encoding or compression that it has not.
    pub fn to_pecl_memcache(self) -> Option<u32> {
        let kind = match self.encoding {
            Encoding::Raw => 0,
            Encoding::Bool => memcache::BOOL,
            Encoding::Integer => memcache::LONG,
            Encoding::Double => memcache::DOUBLE,
            Encoding::Php => memcache::SERIALIZED,
            _ => return None,
        };
        let compression = match self.compression {
            Compression::None => 0,
            Compression::Zlib => memcache::COMPRESSED,
            Compression::Fastlz => return None,
        };
        Some(kind | compression | u32::from(self.user) << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The words that the real extensions wrote for these values.
    #[test]
    fn observed_words_are_understood() {
        let form = |encoding, compression| Form { encoding, compression, user: 0 };
        for (flags, want) in [
            (0, form(Encoding::Raw, Compression::None)),
            (1, form(Encoding::Integer, Compression::None)),
            (2, form(Encoding::Double, Compression::None)),
            (3, form(Encoding::Bool, Compression::None)),
            (80, form(Encoding::Raw, Compression::Fastlz)),
            (48, form(Encoding::Raw, Compression::Zlib)),
            (85, form(Encoding::Igbinary, Compression::Fastlz)),
            (53, form(Encoding::Igbinary, Compression::Zlib)),
        ] {
            assert_eq!(Form::from_pecl_memcached(flags), Some(want), "{flags}");
            assert_eq!(want.to_pecl_memcached(), Some(flags));
        }
        for (flags, want) in [
            (0, form(Encoding::Raw, Compression::None)),
            (1, form(Encoding::Php, Compression::None)),
            (256, form(Encoding::Bool, Compression::None)),
            (768, form(Encoding::Integer, Compression::None)),
            (1792, form(Encoding::Double, Compression::None)),
            (2, form(Encoding::Raw, Compression::Zlib)),
            (3, form(Encoding::Php, Compression::Zlib)),
        ] {
            assert_eq!(Form::from_pecl_memcache(flags), want, "{flags}");
            assert_eq!(want.to_pecl_memcache(), Some(flags));
        }
    }

    #[test]
    fn the_applications_flags_lie_in_the_upper_half() {
        let form = Form { encoding: Encoding::Integer, compression: Compression::None, user: 0xabcd };
        assert_eq!(form.to_pecl_memcached(), Some(0xabcd_0001));
        assert_eq!(form.to_pecl_memcache(), Some(0xabcd_0300));
        assert_eq!(Form::from_pecl_memcached(0xabcd_0001), Some(form));
        assert_eq!(Form::from_pecl_memcache(0xabcd_0300), form);
    }

    #[test]
    fn unknown_types_and_zstd_are_not_guessed() {
        for flags in [8, 15, 0x90, 0x94] {
            assert_eq!(Form::from_pecl_memcached(flags), None, "{flags}");
        }
    }
}

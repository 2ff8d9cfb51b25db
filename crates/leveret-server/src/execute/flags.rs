//! The flags word that an item shows on the wire.
use leveret_engine::{Encoding, Meta, Origin};

/// What came over a socket, or through the classes of pecl/memcached and pecl/memcache, has its flags. What the native
/// entrances stored has none, unless they were told some: text, numbers and booleans are flags 0, which every client
/// reads as the text that it gets; what only PHP can read says so in pecl/memcached's numbers.
pub fn on_wire(meta: &Meta) -> u32 {
    const PHP: u32 = 4;
    const IGBINARY: u32 = 5;
    const JSON: u32 = 6;
    const MSGPACK: u32 = 7;
    if meta.origin != Origin::NATIVE || meta.flags != 0 {
        return meta.flags;
    }
    [(Encoding::Php, PHP), (Encoding::Igbinary, IGBINARY), (Encoding::Json, JSON), (Encoding::Msgpack, MSGPACK)]
        .into_iter()
        .find(|(encoding, _)| *encoding as u8 == meta.encoding)
        .map_or(0, |(_, flags)| flags)
}

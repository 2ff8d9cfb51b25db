//! The flags word that an item shows on the wire.
use leveret_engine::{Encoding, Meta, Origin};

/// What came over a socket, or through the classes of pecl/memcached and pecl/memcache, has its flags. What the native
/// entrances stored has none, unless they were told some: text, numbers and booleans are flags 0, which every client
/// reads as the text that it gets; what only PHP can read says so in pecl/memcached's numbers.
pub fn on_wire(meta: &Meta) -> u32 {
    // The encodings' own numbers are those of docs/memory-layout.md.
    const PHP: (Encoding, u32) = (Encoding::new(5), 4);
    const IGBINARY: (Encoding, u32) = (Encoding::new(6), 5);
    const JSON: (Encoding, u32) = (Encoding::new(8), 6);
    const MSGPACK: (Encoding, u32) = (Encoding::new(7), 7);
    if meta.origin != Origin::NATIVE || meta.flags != 0 {
        return meta.flags;
    }
    [PHP, IGBINARY, JSON, MSGPACK]
        .into_iter()
        .find(|(encoding, _)| *encoding == meta.encoding)
        .map_or(0, |(_, flags)| flags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_client::codec::encoding;

    /// The server reads the four numbers without the client, but their meaning is the client's.
    #[test]
    fn the_numbers_of_encodings_are_the_clients() {
        for (encoding, flags) in [
            (encoding::PHP, 4),
            (encoding::IGBINARY, 5),
            (encoding::JSON, 6),
            (encoding::MSGPACK, 7),
            (encoding::NULL, 0),
            (encoding::MARSHAL, 0),
            (Encoding::RAW, 0),
            (Encoding::INTEGER, 0),
            (Encoding::DOUBLE, 0),
            (Encoding::BOOL, 0),
        ] {
            assert_eq!(on_wire(&Meta::native(encoding)), flags, "{encoding:?}");
        }
    }
}

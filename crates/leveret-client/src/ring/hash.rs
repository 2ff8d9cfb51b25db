//! The hash functions by which clients find a key's place. They are other people's facts, old quirks included: none of
//! them is here for its quality.
use md5::{Digest, Md5};

/// A hash of keys, by its name in libmemcached (`Memcached::HASH_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KeyHash {
    /// Jenkins' one-at-a-time; php-memcached's default.
    #[default]
    OneAtATime,
    /// The first four bytes of the MD5 sum, little-endian.
    Md5,
    /// Fifteen bits of the CRC-32.
    Crc,
    /// FNV-1, 64 bits, of which the lower 32 are used.
    Fnv1x64,
    /// FNV-1a, 64 bits, of which the lower 32 are used.
    Fnv1ax64,
    /// FNV-1, 32 bits.
    Fnv1x32,
    /// FNV-1a, 32 bits.
    Fnv1ax32,
    /// Hsieh's SuperFastHash.
    Hsieh,
    /// MurmurHash2, seeded with the key's length.
    Murmur,
    /// Jenkins' lookup3.
    Jenkins,
}

impl KeyHash {
    /// All of them, in the order of libmemcached's numbers.
    pub const ALL: [KeyHash; 10] = [
        KeyHash::OneAtATime,
        KeyHash::Md5,
        KeyHash::Crc,
        KeyHash::Fnv1x64,
        KeyHash::Fnv1ax64,
        KeyHash::Fnv1x32,
        KeyHash::Fnv1ax32,
        KeyHash::Hsieh,
        KeyHash::Murmur,
        KeyHash::Jenkins,
    ];

    /// libmemcached's and PHP's number for it (`Memcached::HASH_*`).
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The hash with this number.
    pub fn from_number(number: u32) -> Option<KeyHash> {
        KeyHash::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The name that settings use.
    pub fn name(self) -> &'static str {
        match self {
            KeyHash::OneAtATime => "default",
            KeyHash::Md5 => "md5",
            KeyHash::Crc => "crc",
            KeyHash::Fnv1x64 => "fnv1_64",
            KeyHash::Fnv1ax64 => "fnv1a_64",
            KeyHash::Fnv1x32 => "fnv1_32",
            KeyHash::Fnv1ax32 => "fnv1a_32",
            KeyHash::Hsieh => "hsieh",
            KeyHash::Murmur => "murmur",
            KeyHash::Jenkins => "jenkins",
        }
    }

    /// The hash with this name.
    pub fn from_name(name: &str) -> Option<KeyHash> {
        KeyHash::ALL.into_iter().find(|hash| hash.name() == name)
    }

    /// The hash of `key`.
    pub fn of(self, key: &[u8]) -> u32 {
        match self {
            KeyHash::OneAtATime => one_at_a_time(key),
            KeyHash::Md5 => md5_words(key)[0],
            KeyHash::Crc => leveret_engine::crc32(key) >> 16 & 0x7fff,
            KeyHash::Fnv1x64 => fnv1(key, FNV_64, FNV_64_PRIME) as u32,
            KeyHash::Fnv1ax64 => fnv1a(key, FNV_64, FNV_64_PRIME) as u32,
            KeyHash::Fnv1x32 => fnv1(key, FNV_32, FNV_32_PRIME) as u32,
            KeyHash::Fnv1ax32 => fnv1a(key, FNV_32, FNV_32_PRIME) as u32,
            KeyHash::Hsieh => hsieh(key),
            KeyHash::Murmur => murmur2(key),
            KeyHash::Jenkins => lookup3(key),
        }
    }
}

const FNV_32: u64 = 0x811c_9dc5;
const FNV_32_PRIME: u64 = 0x0100_0193;
const FNV_64: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_64_PRIME: u64 = 0x0100_0000_01b3;

/// The MD5 sum as four little-endian words.
pub(super) fn md5_words(bytes: &[u8]) -> [u32; 4] {
    let sum = Md5::digest(bytes);
    std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| sum[4 * word + byte])))
}

/// libmemcached takes bytes as C's `char`, which has a sign on the machines that matter.
fn signed(byte: u8) -> u32 {
    i32::from(byte as i8) as u32
}

fn one_at_a_time(key: &[u8]) -> u32 {
    let mut hash = 0_u32;
    for byte in key {
        hash = hash.wrapping_add(signed(*byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

// The lower 32 bits of a product need only those of its factors, so one 64-bit function serves both widths.
fn fnv1(key: &[u8], basis: u64, prime: u64) -> u64 {
    key.iter().fold(basis, |hash, byte| hash.wrapping_mul(prime) ^ u64::from(signed(*byte)))
}

fn fnv1a(key: &[u8], basis: u64, prime: u64) -> u64 {
    key.iter().fold(basis, |hash, byte| (hash ^ u64::from(signed(*byte))).wrapping_mul(prime))
}

fn hsieh(key: &[u8]) -> u32 {
    let half = |bytes: &[u8]| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let mut hash = 0_u32;
    let mut groups = key.chunks_exact(4);
    for group in &mut groups {
        hash = hash.wrapping_add(half(group));
        hash = hash << 16 ^ half(&group[2..]) << 11 ^ hash;
        hash = hash.wrapping_add(hash >> 11);
    }
    match *groups.remainder() {
        [a, b, c] => {
            hash = hash.wrapping_add(half(&[a, b]));
            hash ^= hash << 16;
            hash ^= signed(c) << 18;
            hash = hash.wrapping_add(hash >> 11);
        }
        [a, b] => {
            hash = hash.wrapping_add(half(&[a, b]));
            hash ^= hash << 11;
            hash = hash.wrapping_add(hash >> 17);
        }
        [a] => {
            hash = hash.wrapping_add(signed(a));
            hash ^= hash << 10;
            hash = hash.wrapping_add(hash >> 1);
        }
        _ => {}
    }
    hash ^= hash << 3;
    hash = hash.wrapping_add(hash >> 5);
    hash ^= hash << 4;
    hash = hash.wrapping_add(hash >> 17);
    hash ^= hash << 25;
    hash.wrapping_add(hash >> 6)
}

fn murmur2(key: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let len = key.len() as u32;
    let mut hash = 0xdead_beef_u32.wrapping_mul(len) ^ len;
    let mut groups = key.chunks_exact(4);
    for group in &mut groups {
        let mut word = u32::from_le_bytes([group[0], group[1], group[2], group[3]]).wrapping_mul(M);
        word ^= word >> 24;
        hash = hash.wrapping_mul(M) ^ word.wrapping_mul(M);
    }
    let rest = groups.remainder();
    if !rest.is_empty() {
        for (place, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * place);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ hash >> 15
}

fn lookup3(key: &[u8]) -> u32 {
    // libmemcached's constant start value.
    const SEED: u32 = 13;
    let word = |bytes: &[u8], at: usize| -> u32 {
        (0..4).fold(0, |word, place| word | u32::from(bytes.get(at + place).copied().unwrap_or(0)) << (8 * place))
    };
    let start = 0xdead_beef_u32.wrapping_add(key.len() as u32).wrapping_add(SEED);
    let [mut a, mut b, mut c] = [start; 3];
    let mut rest = key;
    // The last group, whole or not, is mixed by another function.
    while rest.len() > 12 {
        a = a.wrapping_add(word(rest, 0));
        b = b.wrapping_add(word(rest, 4));
        c = c.wrapping_add(word(rest, 8));
        (a, b, c) = lookup3_mix(a, b, c);
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    a = a.wrapping_add(word(rest, 0));
    b = b.wrapping_add(word(rest, 4));
    c = c.wrapping_add(word(rest, 8));
    lookup3_final(a, b, c)
}

fn lookup3_mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    for turns in [[4, 6, 8], [16, 19, 4]] {
        a = a.wrapping_sub(c) ^ c.rotate_left(turns[0]);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(turns[1]);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(turns[2]);
        b = b.wrapping_add(a);
    }
    (a, b, c)
}

fn lookup3_final(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The other hashes are checked by tests/client/rings.rs against real clients. Debian's libmemcached is built
    // without this one: these are values that libmemcached's own tests publish.
    #[test]
    fn hsieh_gives_the_published_values() {
        for (key, want) in [
            ("", 0_u32),
            ("apple", 3_738_850_110),
            ("beat", 3_636_226_060),
            ("carrot", 3_821_074_029),
            ("daikon", 3_489_929_160),
            ("eggplant", 3_485_772_682),
            ("flower", 80_540_287),
            ("mushrooms", 2_265_380_744),
            ("zip", 3_395_453_351),
        ] {
            assert_eq!(KeyHash::Hsieh.of(key.as_bytes()), want, "{key}");
        }
    }

    #[test]
    fn numbers_and_names_lead_back() {
        for hash in KeyHash::ALL {
            assert_eq!(KeyHash::from_number(hash.number()), Some(hash));
            assert_eq!(KeyHash::from_name(hash.name()), Some(hash));
        }
        assert_eq!(KeyHash::from_number(10), None);
    }
}

//! The bytes of a value on the wire, as PHP's two families of clients write them: the flags word, compression, and
//! encryption with an application's key.
mod cipher;
pub mod fastlz;
mod flags;
pub mod zlib;
#[cfg(feature = "zstd")]
pub mod zstd;

pub use cipher::Cipher;
pub use flags::{encoding, origin, Compression, Form, Reader};

/// A value cannot be read: cut off, damaged, or larger than it may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the compressed value is damaged or too large")
    }
}

impl std::error::Error for Damaged {}

/// When php-memcached compresses (`memcached.compression_*`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Economy {
    /// Shorter values are sent as they are.
    pub threshold: usize,
    /// A compressed value is kept only if the original is longer than this many times its length.
    pub factor: f64,
    /// The level of zlib or zstd, as each of them counts.
    pub level: i32,
}

impl Default for Economy {
    fn default() -> Economy {
        Economy { threshold: 2000, factor: 1.3, level: 3 }
    }
}

// php-memcached puts the original's length in front of every compressed value: four bytes, little-endian.
const HEADER_LEN: usize = 4;

// deflate makes at most 1032 bytes of one, fastlz 255. A header that promises more is a lie, and is found out before
// memory is reserved for it.
const ZLIB_EXPANSION_MAX: usize = 1040;
const FASTLZ_EXPANSION_MAX: usize = 256;
// A zstd block is four bytes at least, and 128 KiB at most.
#[cfg(feature = "zstd")]
const ZSTD_EXPANSION_MAX: usize = (128 << 10) / 4;

/// Whether values so compressed can be read and written: zstd only where it was built in.
pub fn is_built(by: Compression) -> bool {
    by != Compression::Zstd || cfg!(feature = "zstd")
}

/// Compresses as php-memcached does; None when that is not worth it and the value is sent as it is.
pub fn compress(value: &[u8], by: Compression, economy: &Economy) -> Option<Vec<u8>> {
    if value.len() < economy.threshold {
        return None;
    }
    let len = u32::try_from(value.len()).ok()?;
    let mut out = len.to_le_bytes().to_vec();
    match by {
        Compression::Fastlz => fastlz::compress(value, &mut out),
        Compression::Zlib => zlib::compress(value, economy.level, &mut out),
        #[cfg(feature = "zstd")]
        Compression::Zstd => zstd::compress(value, economy.level, &mut out),
        #[cfg(not(feature = "zstd"))]
        Compression::Zstd => return None,
        Compression::None | Compression::BareZlib => return None,
    }
    let body_len = out.len() - HEADER_LEN;
    (body_len > 0 && value.len() as f64 > body_len as f64 * economy.factor).then_some(out)
}

/// The length that a stored value will have, at most `len_max`. A bare stream does not say: it is read for that, and
/// read again.
pub fn decompressed_len(stored: &[u8], by: Compression, len_max: usize) -> Result<usize, Damaged> {
    match by {
        Compression::None if stored.len() <= len_max => Ok(stored.len()),
        Compression::Fastlz => promised_len(stored, FASTLZ_EXPANSION_MAX, len_max),
        Compression::Zlib => promised_len(stored, ZLIB_EXPANSION_MAX, len_max),
        Compression::BareZlib => zlib::decompressed_len(stored, len_max),
        #[cfg(feature = "zstd")]
        Compression::Zstd => promised_len(stored, ZSTD_EXPANSION_MAX, len_max),
        #[cfg(not(feature = "zstd"))]
        Compression::Zstd => Err(Damaged),
        Compression::None => Err(Damaged),
    }
}

fn promised_len(stored: &[u8], expansion_max: usize, len_max: usize) -> Result<usize, Damaged> {
    let (header, body) = stored.split_first_chunk::<HEADER_LEN>().ok_or(Damaged)?;
    let len = u32::from_le_bytes(*header) as usize;
    if len > len_max || len > body.len().saturating_mul(expansion_max) {
        return Err(Damaged);
    }
    Ok(len)
}

/// Reads a stored value into the bytes that `decompressed_len` told; it must fill them all.
pub fn decompress_into(stored: &[u8], by: Compression, out: &mut [u8]) -> Result<(), Damaged> {
    let body = || stored.get(HEADER_LEN..).ok_or(Damaged);
    let filled = match by {
        Compression::None if stored.len() == out.len() => {
            out.copy_from_slice(stored);
            out.len()
        }
        Compression::Fastlz => fastlz::decompress_into(body()?, out)?,
        Compression::Zlib => zlib::decompress_into(body()?, out)?,
        Compression::BareZlib => zlib::decompress_into(stored, out)?,
        #[cfg(feature = "zstd")]
        Compression::Zstd => zstd::decompress_into(body()?, out)?,
        #[cfg(not(feature = "zstd"))]
        Compression::Zstd => return Err(Damaged),
        Compression::None => return Err(Damaged),
    };
    if filled == out.len() {
        Ok(())
    } else {
        Err(Damaged)
    }
}

/// Reads a stored value, which may become `len_max` bytes long.
pub fn decompress(stored: &[u8], by: Compression, len_max: usize) -> Result<Vec<u8>, Damaged> {
    let mut out = vec![0; decompressed_len(stored, by, len_max)?];
    decompress_into(stored, by, &mut out)?;
    Ok(out)
}

/// When pecl/memcache compresses (`memcache.compress_threshold`, `setCompressThreshold`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Savings {
    /// Shorter values are compressed only when the caller's flags ask for it; 0 = only then.
    pub threshold: usize,
    /// The share of the length that must be won.
    pub at_least: f64,
}

impl Default for Savings {
    fn default() -> Savings {
        Savings { threshold: 20_000, at_least: 0.2 }
    }
}

/// Compresses as pecl/memcache does: a zlib stream, nothing in front. None when that is not worth it.
pub fn compress_bare(value: &[u8], is_asked: bool, savings: &Savings) -> Option<Vec<u8>> {
    let is_long = savings.threshold != 0 && value.len() >= savings.threshold;
    if !is_asked && !is_long {
        return None;
    }
    let mut out = Vec::new();
    zlib::compress(value, zlib::LEVEL_DEFAULT, &mut out);
    ((out.len() as f64) < value.len() as f64 * (1.0 - savings.at_least)).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"hello world, this is some text. ";

    const HEADED: &[Compression] = &[
        Compression::Fastlz,
        Compression::Zlib,
        #[cfg(feature = "zstd")]
        Compression::Zstd,
    ];

    #[test]
    fn short_values_and_those_that_do_not_shrink_are_left_alone() {
        let mut seed = 1_u64;
        let mut byte = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        let noise: Vec<u8> = (0..5000).map(|_| byte()).collect();
        for &by in HEADED {
            assert_eq!(compress(&TEXT.repeat(3), by, &Economy::default()), None);
            assert_eq!(compress(&noise, by, &Economy::default()), None);
            let packed = compress(&TEXT.repeat(100), by, &Economy::default()).unwrap();
            assert_eq!(decompress(&packed, by, 3200), Ok(TEXT.repeat(100)));
            assert_eq!(decompress(&packed, by, 3199), Err(Damaged));
        }
        assert_eq!(compress_bare(&TEXT.repeat(3), false, &Savings::default()), None);
        let packed = compress_bare(&TEXT.repeat(3), true, &Savings::default()).unwrap();
        assert_eq!(decompress(&packed, Compression::BareZlib, 96), Ok(TEXT.repeat(3)));
        assert_eq!(decompress(&packed, Compression::BareZlib, 95), Err(Damaged));
    }

    #[test]
    fn a_header_that_lies_reserves_no_memory() {
        for &by in HEADED {
            let mut packed = compress(&TEXT.repeat(100), by, &Economy::default()).unwrap();
            for (len, what) in [(u32::MAX, "too much"), (3201, "one more"), (3199, "one less"), (0, "nothing")] {
                packed[..4].copy_from_slice(&len.to_le_bytes());
                assert_eq!(decompress(&packed, by, usize::MAX), Err(Damaged), "{what}");
            }
            assert_eq!(decompress(&packed[..3], by, usize::MAX), Err(Damaged));
        }
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn zstd_is_read_as_its_own_library_writes_it() {
        // php-memcached 3.3 writes the original's length and a frame of level 3.
        let value = TEXT.repeat(100);
        let mut stored = 3200_u32.to_le_bytes().to_vec();
        stored.extend(::zstd::bulk::compress(&value, 3).unwrap());
        assert_eq!(decompress(&stored, Compression::Zstd, 3200), Ok(value.clone()));
        for level in [-5, 0, 1, 22, i32::MAX] {
            let packed = compress(&value, Compression::Zstd, &Economy { level, ..Economy::default() }).unwrap();
            assert_eq!(decompress(&packed, Compression::Zstd, 3200), Ok(value.clone()), "{level}");
        }
        // As much as a frame can promise is more than this one may.
        let zeros = compress(&vec![0; 64 << 20], Compression::Zstd, &Economy::default()).unwrap();
        assert_eq!(decompressed_len(&zeros, Compression::Zstd, 64 << 20), Ok(64 << 20));
        assert_eq!(decompressed_len(&zeros, Compression::Zstd, (64 << 20) - 1), Err(Damaged));
    }

    #[cfg(not(feature = "zstd"))]
    #[test]
    fn zstd_is_refused_where_it_was_not_built_in() {
        assert!(!is_built(Compression::Zstd));
        assert_eq!(compress(&TEXT.repeat(100), Compression::Zstd, &Economy::default()), None);
        assert_eq!(decompress(b"\x01\0\0\0(\xb5/\xfd", Compression::Zstd, 100), Err(Damaged));
    }

    // A bare stream is measured through a window, which both its length and its back references outgrow.
    #[test]
    fn a_long_bare_stream_is_measured_without_its_value() {
        let value: Vec<u8> = (0..300_000_u32).flat_map(|i| (i / 7 % 5000).to_le_bytes()).collect();
        let packed = compress_bare(&value, true, &Savings::default()).unwrap();
        assert_eq!(decompressed_len(&packed, Compression::BareZlib, value.len()), Ok(value.len()));
        assert_eq!(decompressed_len(&packed, Compression::BareZlib, value.len() - 1), Err(Damaged));
        assert!(decompress(&packed, Compression::BareZlib, usize::MAX).unwrap() == value);
        for len in [0, 1, 2, packed.len() / 2, packed.len() - 1] {
            assert_eq!(
                decompressed_len(&packed[..len], Compression::BareZlib, usize::MAX),
                Err(Damaged),
                "cut to {len}"
            );
        }
    }

    // Every value that is cut off or has one byte changed is either refused or read as something else of the length
    // that was promised: nothing else can happen to a caller.
    #[test]
    fn damaged_values_are_refused_or_keep_their_bounds() {
        let value: Vec<u8> = TEXT.repeat(80).iter().enumerate().map(|(i, byte)| byte ^ (i / 97) as u8).collect();
        for &by in HEADED {
            let packed = compress(&value, by, &Economy { factor: 1.0, ..Economy::default() }).unwrap();
            for len in 0..packed.len() {
                assert!(decompress(&packed[..len], by, 1 << 20).is_err(), "{by:?} cut to {len}");
            }
            let mut seed = 7_u32;
            for at in 0..packed.len() {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let mut damaged = packed.clone();
                damaged[at] ^= (seed >> 24) as u8 | 1;
                if let Ok(read) = decompress(&damaged, by, 1 << 20) {
                    assert!(read.len() <= 1 << 20);
                }
                let _ = decompress(&damaged[4..], Compression::BareZlib, 1 << 20)
                    .map(|read| assert!(read.len() <= 1 << 20));
            }
        }
    }
}

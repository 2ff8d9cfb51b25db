//! CRC-32 as in zlib. The compiler makes the tables. A library that detects processor features at run time spends tens
//! of microseconds in a virtual machine, where each `cpuid` traps, and every PHP process opens an arena.

/// Bytes that one step takes.
const STEP: usize = 8;

/// `TABLES[n][byte]`: effect on the remainder of a byte that `n` more bytes follow.
static TABLES: [[u32; 256]; STEP] = tables();

const fn tables() -> [[u32; 256]; STEP] {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = remainder >> 1 ^ if remainder & 1 == 0 { 0 } else { POLYNOMIAL };
            bit += 1;
        }
        tables[0][byte] = remainder;
        byte += 1;
    }
    let mut following = 1;
    while following < STEP {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[following - 1][byte];
            tables[following][byte] = before >> 8 ^ tables[0][before as usize & 255];
            byte += 1;
        }
        following += 1;
    }
    tables
}

/// The CRC-32 of these bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32_of(&[bytes])
}

/// The CRC-32 of these bytes, one part after the other.
pub(crate) fn crc32_of(parts: &[&[u8]]) -> u32 {
    !parts.iter().fold(!0, |remainder, part| after(remainder, part))
}

fn after(mut remainder: u32, bytes: &[u8]) -> u32 {
    let mut steps = bytes.chunks_exact(STEP);
    for step in &mut steps {
        let mut next = 0;
        for (at, byte) in step.iter().enumerate() {
            let byte = if at < 4 { byte ^ remainder.to_le_bytes()[at] } else { *byte };
            next ^= TABLES[STEP - 1 - at][usize::from(byte)];
        }
        remainder = next;
    }
    for byte in steps.remainder() {
        remainder = remainder >> 8 ^ TABLES[0][usize::from(*byte ^ remainder as u8)];
    }
    remainder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let long = [b'a'; 1000];
        for (bytes, crc) in [
            (&b""[..], 0),
            (b"a", 0xe8b7_be43),
            (b"123456789", 0xcbf4_3926),
            (b"The quick brown fox jumps over the lazy dog", 0x414f_a339),
            (&[0; 32], 0x190a_55ad),
            (&[0xff; 32], 0xff6c_ab0b),
        ] {
            assert_eq!(crc32(bytes), crc, "{bytes:?}");
        }
        // By the definition, bit by bit.
        for len in 0..long.len() {
            let mut remainder = !0u32;
            for byte in &long[..len] {
                remainder ^= u32::from(*byte);
                for _ in 0..8 {
                    remainder = remainder >> 1 ^ if remainder & 1 == 0 { 0 } else { 0xedb8_8320 };
                }
            }
            assert_eq!(crc32(&long[..len]), !remainder, "{len}");
            let (one, other) = long[..len].split_at(len / 3);
            assert_eq!(crc32_of(&[one, &[], other]), !remainder, "{len} in parts");
        }
    }
}

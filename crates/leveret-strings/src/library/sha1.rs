//! SHA-1, by which clients name scripts.

/// The digest of `text` as 40 hexadecimal digits.
pub fn sha1(text: &[u8]) -> [u8; 40] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((text.len() + 9).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(text.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for index in 16..80 {
            words[index] = (words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (index, word) in words.iter().enumerate() {
            let (mixed, constant) = match index {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, word) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(word);
        }
    }
    let mut digits = [0; 40];
    for (index, digit) in digits.iter_mut().enumerate() {
        let nibble = state[index / 8] >> (28 - index % 8 * 4) & 15;
        *digit = b"0123456789abcdef"[nibble as usize];
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::sha1;

    #[test]
    fn known_digests() {
        for (text, want) in [
            (&b""[..], "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (b"return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"),
            (&[b'a'; 200], "e61cfffe0d9195a525fc6cf06ca2d77119c24a40"),
        ] {
            assert_eq!(std::str::from_utf8(&sha1(text)), Ok(want));
        }
    }
}

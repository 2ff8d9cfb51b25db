//! Values as `memcached_set_encoding_key` of libmemcached 1.1 encrypts them: AES-256 in CBC mode, padded as in PKCS #7.
//!
//! The behaviour of Debian's library was found from its bytes. The cipher's key is the first 32 bytes of the
//! application's key. The initialization vector is derived from the whole key and is always the same: the output of
//! OpenSSL's EVP_BytesToKey after a key of 32 bytes, by five rounds of SHA-256 without salt. So equal values look
//! equal, and a changed value is not detected: encryption only keeps values from being read.
//!
//! For a shorter key libmemcached uses the bytes behind it in memory, so that another program, and often another page,
//! cannot decrypt the value. Here zeros are used, as libmemcached does for 31 bytes.
use super::Damaged;
use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes256, Block};
use sha2::{Digest, Sha256};
use std::fmt;

const BLOCK: usize = 16;
const KEY: usize = 32;
const ROUNDS: usize = 5;

/// A key, ready for use. It is not shown.
pub struct Cipher {
    aes: Aes256,
    vector: Block,
}

impl fmt::Debug for Cipher {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Cipher")
    }
}

impl Cipher {
    /// The cipher of an application's key.
    pub fn new(key: &[u8]) -> Cipher {
        let mut front = [0; KEY];
        let len = key.len().min(KEY);
        front[..len].copy_from_slice(&key[..len]);
        let derived = digest(&[&digest(&[key]), key]);
        let mut vector = Block::default();
        vector.copy_from_slice(&derived[..BLOCK]);
        let aes = Aes256::new(&front.into());
        front.fill(0);
        std::hint::black_box(&mut front);
        Cipher { aes, vector }
    }

    /// Encrypted length of a value of `len` bytes.
    pub fn encrypted_len(len: usize) -> usize {
        (len - len % BLOCK).saturating_add(BLOCK)
    }

    /// Encrypts a value into as many bytes as `encrypted_len` says.
    pub fn encrypt(&self, value: &[u8], into: &mut [u8]) {
        debug_assert_eq!(into.len(), Cipher::encrypted_len(value.len()));
        let padding = into.len() - value.len();
        into[..value.len()].copy_from_slice(value);
        into[value.len()..].fill(padding as u8);
        let mut before = self.vector;
        for piece in into.chunks_exact_mut(BLOCK) {
            before.iter_mut().zip(&*piece).for_each(|(before, byte)| *before ^= byte);
            self.aes.encrypt_block(&mut before);
            piece.copy_from_slice(&before);
        }
    }

    /// Decrypts a value into as many bytes as it has; returns how many of them are the value. Damaged: it was encrypted by
    /// another key, or never.
    pub fn decrypt(&self, stored: &[u8], into: &mut [u8]) -> Result<usize, Damaged> {
        if stored.is_empty() || stored.len() % BLOCK != 0 || into.len() != stored.len() {
            return Err(Damaged);
        }
        let mut before = self.vector;
        for (stored, piece) in stored.chunks_exact(BLOCK).zip(into.chunks_exact_mut(BLOCK)) {
            let stored = *Block::from_slice(stored);
            let mut block = stored;
            self.aes.decrypt_block(&mut block);
            piece.iter_mut().zip(block.iter().zip(&before)).for_each(|(piece, (byte, before))| *piece = byte ^ before);
            before = stored;
        }
        let padding = usize::from(into[into.len() - 1]);
        let is_padding = (1..=BLOCK).contains(&padding)
            && into[into.len() - padding..].iter().all(|byte| usize::from(*byte) == padding);
        if is_padding {
            Ok(into.len() - padding)
        } else {
            Err(Damaged)
        }
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    (1..ROUNDS).fold(hash.finalize().into(), |digest: [u8; 32], _| Sha256::digest(digest).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY_36: &[u8] = b"0123456789abcdef0123456789abcdef0123";

    fn encrypted(key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut into = vec![0; Cipher::encrypted_len(value.len())];
        Cipher::new(key).encrypt(value, &mut into);
        into
    }

    fn decrypted(key: &[u8], stored: &[u8]) -> Option<Vec<u8>> {
        let mut into = vec![0; stored.len()];
        let len = Cipher::new(key).decrypt(stored, &mut into).ok()?;
        into.truncate(len);
        Some(into)
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Taken from Debian's memcached, where Debian's php-memcached over libmemcached 1.1.4 had stored them.
    #[test]
    fn bytes_are_those_of_libmemcached() {
        for (value, want) in [
            ("", "49998fc3dbb4746de320f1a72ccc35fe"),
            ("x", "22551eb780067dad63bf0dfadfbcd028"),
            ("hello", "5e9d3d262a3c5853ac986ee800bef1ec"),
            ("aaaaaaaaaaaaaaa", "a73deec5c033bff7bf1f73c845828b2a"),
            ("aaaaaaaaaaaaaaaa", "85223ec44455d431dd8ba0a59a62ba6c41a44c5194d11aa807bddc17145249dc"),
            ("aaaaaaaaaaaaaaaaa", "85223ec44455d431dd8ba0a59a62ba6c53415f2bf7e9ef193caf3e4230c9602b"),
            ("123", "737627b5ebac2143512b2322fcf5cbce"),
        ] {
            let stored = encrypted(KEY_36, value.as_bytes());
            assert_eq!(hex(&stored), want, "{value:?}");
            assert_eq!(decrypted(KEY_36, &stored).as_deref(), Some(value.as_bytes()));
        }
    }

    #[test]
    fn every_length_comes_back() {
        for key in [b"".as_slice(), b"short", &[7; 31], &[7; 32], &[7; 200]] {
            for len in 0..70 {
                let value: Vec<u8> = (0..len).map(|at| at as u8).collect();
                assert_eq!(decrypted(key, &encrypted(key, &value)), Some(value));
            }
        }
    }

    #[test]
    fn what_another_key_has_encrypted_is_damaged() {
        let stored = encrypted(KEY_36, b"hello");
        assert_eq!(decrypted(b"another key", &stored), None);
        for len in 0..stored.len() {
            assert_eq!(decrypted(KEY_36, &stored[..len]), None, "{len}");
        }
        assert_eq!(decrypted(KEY_36, b"sixteen bytes ab"), None);
        assert!(!format!("{:?}", Cipher::new(b"secret")).contains("secret"));
    }
}

//! Words with spaces between them: all that a line is.
use memchr::memchr;

/// The keys of a line, in its order; each is valid.
pub type Keys<'a> = Words<'a>;

/// The words of the rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a>(pub(crate) &'a [u8]);

impl<'a> Words<'a> {
    /// Bytes of the line that are left: kept as the place to go on from (`Words::resume`).
    pub fn rest_len(&self) -> usize {
        self.0.len()
    }

    /// The words of a line, given with its line end, from where a walk stood when it had `rest_len` bytes left. The
    /// line is not parsed again.
    pub fn resume(line: &'a [u8], rest_len: usize) -> Words<'a> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Words(&text[text.len().saturating_sub(rest_len)..])
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let begin = self.0.iter().position(|byte| *byte != b' ')?;
        let rest = &self.0[begin..];
        let (word, rest) = rest.split_at(word_len(rest));
        self.0 = rest;
        Some(word)
    }
}

/// Bytes in front of the first space. Most words are numbers and short keys, for which a call to `memchr` costs more
/// than it finds: eight bytes at a time are looked at here first.
pub(super) fn word_len(line: &[u8]) -> usize {
    const SHORT: usize = 32;
    let mut at = 0;
    while at < SHORT {
        let Some(eight) = line[at..].first_chunk() else {
            return line[at..].iter().position(|byte| *byte == b' ').map_or(line.len(), |len| at + len);
        };
        let spaces = zero_bytes(u64::from_le_bytes(*eight) ^ u64::from_le_bytes([b' '; 8]));
        if spaces != 0 {
            return at + (spaces.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    memchr(b' ', &line[at..]).map_or(line.len(), |len| at + len)
}

/// The lowest bit that is set is the highest bit of the first byte that is zero; bits above it mean nothing.
fn zero_bytes(eight: u64) -> u64 {
    eight.wrapping_sub(0x0101_0101_0101_0101) & !eight & 0x8080_8080_8080_8080
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_length_and_place() {
        for len in 1..80 {
            for spaces in 1..10 {
                let line = format!(
                    "{}{}{}{}",
                    " ".repeat(spaces - 1),
                    "\u{e0}!".repeat(len),
                    " ".repeat(spaces),
                    "x".repeat(len)
                );
                let words: Vec<_> = Words(line.as_bytes()).collect();
                let want: Vec<_> = line.split(' ').filter(|word| !word.is_empty()).map(str::as_bytes).collect();
                assert_eq!(words, want, "{line:?}");
            }
        }
        assert_eq!(Words(b"   ").next(), None);
    }

    #[test]
    fn a_walk_goes_on_where_it_stood() {
        for line in [&b"get a bb ccc\r\n"[..], b"get a bb ccc\n"] {
            let mut walk = Words(b"a bb ccc");
            walk.next();
            assert_eq!(Words::resume(line, walk.rest_len()).collect::<Vec<_>>(), [b"bb".as_slice(), b"ccc"]);
            assert_eq!(Words::resume(line, 0).next(), None);
            assert_eq!(Words::resume(line, usize::MAX).count(), 4);
        }
    }
}

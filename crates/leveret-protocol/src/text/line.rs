//! A line: its words, with spaces between them, and the data block of a store behind it.
use super::{RequestFault, TextCommand, TextRefusal};
use crate::{Limits, Parsed, WireKey, KEY_MAX};
use memchr::{memchr, memrchr};

/// The keys of a line, in its order; each is valid.
pub type TextKeys<'a> = Words<'a>;

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

/// Result of parsing a line.
pub(super) type ParsedText<'a> = Parsed<TextCommand<'a>, TextRefusal<'a>>;

/// Longest data block that has a length at all. A larger one is not a large value, it is a broken line.
const BLOCK_MAX: i64 = i32::MAX as i64 - 2;

pub(super) const BAD_FORMAT: &str = "CLIENT_ERROR bad command line format";
const BAD_BLOCK: &str = "CLIENT_ERROR bad data chunk";
const TOO_LARGE: &str = "SERVER_ERROR object too large for cache";

/// A line, and how to find the data block after it.
pub(super) struct RequestLine<'a, 'l> {
    pub(super) input: &'a [u8],
    /// How the data block ends, if it is not in the input.
    pub(super) end: Option<[u8; 2]>,
    pub(super) line: &'a [u8],
    pub(super) consumed: usize,
    pub(super) limits: &'l Limits,
}

impl<'a> RequestLine<'a, '_> {
    pub(super) fn request(&self, request: TextCommand<'a>) -> ParsedText<'a> {
        Parsed::Request { request, consumed: self.consumed }
    }

    /// Refuses a line that has no data block.
    pub(super) fn refuse(&self, answer: &'static str) -> ParsedText<'a> {
        self.refuse_quietly(answer, false)
    }

    pub(super) fn refuse_quietly(&self, answer: &'static str, is_silent: bool) -> ParsedText<'a> {
        Parsed::Refused {
            refusal: TextRefusal { answer, is_silent, fault: RequestFault::Line, forget: None, close: false },
            consumed: self.consumed,
            swallow: 0,
        }
    }

    /// Refuses a store. Its data block, if its length can be told, is never taken for commands.
    pub(super) fn refuse_store(&self, answer: &'static str, is_silent: bool, len: Option<usize>) -> ParsedText<'a> {
        let refusal = TextRefusal { answer, is_silent, fault: RequestFault::Line, forget: None, close: false };
        self.swallow_block(refusal, len.map_or(0, |len| len + 2))
    }

    /// The request that `with` makes of the data block of `len` bytes, once that is there; or why it is refused.
    pub(super) fn store(
        &self,
        len: usize,
        is_silent: bool,
        forget: Option<WireKey<'a>>,
        with: impl FnOnce(&'a [u8]) -> TextCommand<'a>,
    ) -> ParsedText<'a> {
        if len > self.limits.value_max {
            let fault = RequestFault::TooLarge;
            let refusal = TextRefusal { answer: TOO_LARGE, is_silent, fault, forget, close: false };
            return self.swallow_block(refusal, len + 2);
        }
        let total = self.consumed + len + 2;
        let bad_block = |consumed| {
            let fault = RequestFault::BadBlock;
            let refusal = TextRefusal { answer: BAD_BLOCK, is_silent, fault, forget: None, close: false };
            Parsed::Refused { refusal, consumed, swallow: 0 }
        };
        match self.end {
            Some([b'\r', b'\n']) => return self.request(with(b"")),
            Some(_) => return bad_block(self.consumed),
            None => {}
        }
        let Some(block) = self.input.get(self.consumed..total) else {
            return Parsed::More { total, scanned: 0 };
        };
        match block.split_at(len) {
            (value, b"\r\n") => Parsed::Request { request: with(value), consumed: total },
            _ => bad_block(total),
        }
    }

    fn swallow_block(&self, refusal: TextRefusal<'a>, block: usize) -> ParsedText<'a> {
        let here = block.min(self.input.len() - self.consumed);
        Parsed::Refused { refusal, consumed: self.consumed + here, swallow: block - here }
    }
}

/// Length of a data block.
pub(super) fn block_len(word: &[u8]) -> Option<usize> {
    let len = crate::number::exptime(word).filter(|len| (0..=BLOCK_MAX).contains(len))?;
    usize::try_from(len).ok()
}

/// The keys of the rest of a line: at least one, none too long.
pub(super) fn keys(words: Words<'_>) -> Option<TextKeys<'_>> {
    let is_empty = words.clone().next().is_none();
    (!is_empty && are_short(words.0)).then_some(words)
}

/// No word has more than `KEY_MAX` bytes. Looks for the last space that one longest key can reach, so it leaps over
/// many short keys at once.
fn are_short(mut line: &[u8]) -> bool {
    while line.len() > KEY_MAX {
        let Some(space) = memrchr(b' ', &line[..=KEY_MAX]) else {
            return false;
        };
        line = &line[space + 1..];
    }
    true
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

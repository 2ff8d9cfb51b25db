//! A line, and the data block of a store behind it.
use super::{Command, Fault, Keys, Refusal, Words};
use crate::{Limits, Parsed, WireKey, KEY_MAX};
use memchr::memrchr;

/// What a line comes to.
pub(super) type ParsedText<'a> = Parsed<Command<'a>, Refusal<'a>>;

/// Longest data block that has a length at all. A larger one is not a large value, it is a broken line.
const BLOCK_MAX: i64 = i32::MAX as i64 - 2;

pub(super) const BAD_FORMAT: &str = "CLIENT_ERROR bad command line format";
const BAD_BLOCK: &str = "CLIENT_ERROR bad data chunk";
const TOO_LARGE: &str = "SERVER_ERROR object too large for cache";

/// A line, and what is needed to find the data block behind it.
pub(super) struct RequestLine<'a, 'l> {
    pub(super) input: &'a [u8],
    /// How the data block ends, if it is not in the input.
    pub(super) end: Option<[u8; 2]>,
    pub(super) line: &'a [u8],
    pub(super) consumed: usize,
    pub(super) limits: &'l Limits,
}

impl<'a> RequestLine<'a, '_> {
    pub(super) fn request(&self, request: Command<'a>) -> ParsedText<'a> {
        Parsed::Request { request, consumed: self.consumed }
    }

    /// Refuses a line that has no data block.
    pub(super) fn refuse(&self, answer: &'static str) -> ParsedText<'a> {
        self.refuse_quietly(answer, false)
    }

    pub(super) fn refuse_quietly(&self, answer: &'static str, is_silent: bool) -> ParsedText<'a> {
        Parsed::Refused {
            refusal: Refusal { answer, is_silent, fault: Fault::Line, forget: None, close: false },
            consumed: self.consumed,
            swallow: 0,
        }
    }

    /// Refuses a store. Its data block, if its length can be told, is never taken for commands.
    pub(super) fn refuse_store(&self, answer: &'static str, is_silent: bool, len: Option<usize>) -> ParsedText<'a> {
        let refusal = Refusal { answer, is_silent, fault: Fault::Line, forget: None, close: false };
        self.swallow_block(refusal, len.map_or(0, |len| len + 2))
    }

    /// The request that `with` makes of the data block of `len` bytes, once that is there; or why it is refused.
    pub(super) fn store(
        &self,
        len: usize,
        is_silent: bool,
        forget: Option<WireKey<'a>>,
        with: impl FnOnce(&'a [u8]) -> Command<'a>,
    ) -> ParsedText<'a> {
        if len > self.limits.value_max {
            let fault = Fault::TooLarge;
            let refusal = Refusal { answer: TOO_LARGE, is_silent, fault, forget, close: false };
            return self.swallow_block(refusal, len + 2);
        }
        let total = self.consumed + len + 2;
        let bad_block = |consumed| {
            let fault = Fault::BadBlock;
            let refusal = Refusal { answer: BAD_BLOCK, is_silent, fault, forget: None, close: false };
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

    fn swallow_block(&self, refusal: Refusal<'a>, block: usize) -> ParsedText<'a> {
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
pub(super) fn keys(words: Words<'_>) -> Option<Keys<'_>> {
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

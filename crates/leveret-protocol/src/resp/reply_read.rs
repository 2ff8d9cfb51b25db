//! Replies of a server, for tools and tests: copied out, with bounds on their size.
use super::integer::parse_integer;
use crate::{Broken, Received};
use memchr::memchr;

/// The longest line.
const LINE_MAX: usize = 64 << 10;

/// Limits of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyBounds {
    /// Bytes of a string.
    pub bulk_max: usize,
    /// Elements, all in all, those that hold others included.
    pub elements_max: usize,
    /// Collections within each other.
    pub depth_max: usize,
}

impl Default for ReplyBounds {
    fn default() -> ReplyBounds {
        ReplyBounds { bulk_max: 512 << 20, elements_max: 4 << 20, depth_max: 8 }
    }
}

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyValue {
    /// `+`.
    Simple(Vec<u8>),
    /// `-` and `!`.
    Error(Vec<u8>),
    /// `:`.
    Integer(i64),
    /// `$`, and `=` without its format.
    Bulk(Vec<u8>),
    /// `$-1`, `*-1`, `_`.
    Nil,
    /// `*`.
    Array(Vec<ReplyValue>),
    /// `%`, key after value.
    Map(Vec<(ReplyValue, ReplyValue)>),
    /// `~`.
    Set(Vec<ReplyValue>),
    /// `>`.
    Push(Vec<ReplyValue>),
    /// `,`.
    Double(f64),
    /// `#`.
    Boolean(bool),
    /// `(`, as its digits.
    BigNumber(Vec<u8>),
}

impl ReplyValue {
    /// The bytes of a string or status.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            ReplyValue::Simple(bytes) | ReplyValue::Bulk(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Reads one reply from the front of `input`. An incomplete reply is read again from its beginning.
pub fn parse_reply(input: &[u8], bounds: &ReplyBounds) -> Received<ReplyValue> {
    let mut reading = Reading { input, at: 0, bounds, elements: 0 };
    match reading.value(0) {
        Ok(answer) => Received::Answer { answer, consumed: reading.at },
        Err(Stop::More(total)) => Received::More { total },
        Err(Stop::Broken(why)) => Received::Broken(why),
    }
}

enum Stop {
    More(usize),
    Broken(Broken),
}

const BAD_LINE: Stop = Stop::Broken(Broken::BadLine);

struct Reading<'i> {
    input: &'i [u8],
    at: usize,
    bounds: &'i ReplyBounds,
    elements: usize,
}

impl<'i> Reading<'i> {
    fn value(&mut self, depth: usize) -> Result<ReplyValue, Stop> {
        self.elements += 1;
        if depth > self.bounds.depth_max || self.elements > self.bounds.elements_max {
            return Err(BAD_LINE);
        }
        let (kind, text) = match self.line()? {
            [kind, text @ ..] => (*kind, text),
            [] => return Err(BAD_LINE),
        };
        Ok(match kind {
            b'+' => ReplyValue::Simple(text.to_vec()),
            b'-' => ReplyValue::Error(text.to_vec()),
            b':' => ReplyValue::Integer(parse_integer(text).ok_or(BAD_LINE)?),
            b'(' => ReplyValue::BigNumber(text.to_vec()),
            b'_' if text.is_empty() => ReplyValue::Nil,
            b'#' if text == b"t" => ReplyValue::Boolean(true),
            b'#' if text == b"f" => ReplyValue::Boolean(false),
            b',' => ReplyValue::Double(double(text).ok_or(BAD_LINE)?),
            b'$' | b'*' if text == b"-1" => ReplyValue::Nil,
            b'$' => ReplyValue::Bulk(self.bulk(text)?.to_vec()),
            b'!' => ReplyValue::Error(self.bulk(text)?.to_vec()),
            b'=' => match self.bulk(text)? {
                [_, _, _, b':', text @ ..] => ReplyValue::Bulk(text.to_vec()),
                _ => return Err(BAD_LINE),
            },
            b'*' => ReplyValue::Array(self.elements(text, depth)?),
            b'~' => ReplyValue::Set(self.elements(text, depth)?),
            b'>' => ReplyValue::Push(self.elements(text, depth)?),
            b'%' => ReplyValue::Map(self.pairs(text, depth)?),
            // Attributes of the value behind them.
            b'|' => {
                self.pairs(text, depth)?;
                self.value(depth + 1)?
            }
            _ => return Err(BAD_LINE),
        })
    }

    fn elements(&mut self, text: &[u8], depth: usize) -> Result<Vec<ReplyValue>, Stop> {
        let len = self.length(text)?;
        // Room is made as elements come, not as they are announced.
        let mut elements = Vec::new();
        for _ in 0..len {
            elements.push(self.value(depth + 1)?);
        }
        Ok(elements)
    }

    fn pairs(&mut self, text: &[u8], depth: usize) -> Result<Vec<(ReplyValue, ReplyValue)>, Stop> {
        let len = self.length(text)?;
        let mut pairs = Vec::new();
        for _ in 0..len {
            pairs.push((self.value(depth + 1)?, self.value(depth + 1)?));
        }
        Ok(pairs)
    }

    fn length(&self, text: &[u8]) -> Result<usize, Stop> {
        let len = parse_integer(text).and_then(|len| usize::try_from(len).ok()).ok_or(BAD_LINE)?;
        (len <= self.bounds.elements_max).then_some(len).ok_or(BAD_LINE)
    }

    fn bulk(&mut self, text: &[u8]) -> Result<&'i [u8], Stop> {
        let len = parse_integer(text).and_then(|len| u64::try_from(len).ok()).ok_or(BAD_LINE)?;
        let begin = self.at;
        let end = match usize::try_from(len) {
            Ok(len) if len <= self.bounds.bulk_max => begin + len,
            _ => return Err(Stop::Broken(Broken::LargeValue { len })),
        };
        match self.input.get(begin..end + 2) {
            Some([bytes @ .., b'\r', b'\n']) => {
                self.at = end + 2;
                Ok(bytes)
            }
            Some(_) => Err(Stop::Broken(Broken::BadBlock)),
            None => Err(Stop::More(end + 2)),
        }
    }

    fn line(&mut self) -> Result<&'i [u8], Stop> {
        let rest = &self.input[self.at..];
        match memchr(b'\n', rest) {
            Some(end) if end > LINE_MAX => Err(Stop::Broken(Broken::LongLine)),
            Some(end) => {
                self.at += end + 1;
                rest[..end].strip_suffix(b"\r").ok_or(BAD_LINE)
            }
            None if rest.len() > LINE_MAX => Err(Stop::Broken(Broken::LongLine)),
            None => Err(Stop::More(self.input.len() + 1)),
        }
    }
}

fn double(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_hostile_ones_refused() {
        let bounds = ReplyBounds { bulk_max: 100, elements_max: 10, depth_max: 2 };
        let value = |input: &str| match parse_reply(input.as_bytes(), &bounds) {
            Received::Answer { answer, consumed } if consumed == input.len() => answer,
            other => panic!("{input:?}: {other:?}"),
        };
        let bulk = |text: &str| ReplyValue::Bulk(text.into());
        assert_eq!(value("$3\r\na\r\n\r\n"), bulk("a\r\n"));
        assert_eq!(value("=5\r\ntxt:a\r\n"), bulk("a"));
        assert_eq!(value("*2\r\n:-1\r\n$-1\r\n"), ReplyValue::Array(vec![ReplyValue::Integer(-1), ReplyValue::Nil]));
        assert_eq!(value("%1\r\n+a\r\n#t\r\n"), {
            ReplyValue::Map(vec![(ReplyValue::Simple(b"a".into()), ReplyValue::Boolean(true))])
        });
        assert_eq!(value("|1\r\n+ttl\r\n:1\r\n,1.5\r\n"), ReplyValue::Double(1.5));
        for (input, want) in [
            ("$101\r\n", Broken::LargeValue { len: 101 }),
            ("$9223372036854775807\r\n", Broken::LargeValue { len: i64::MAX as u64 }),
            ("$9223372036854775808\r\n", Broken::BadLine),
            ("$-2\r\n", Broken::BadLine),
            ("*11\r\n", Broken::BadLine),
            ("*1\r\n*1\r\n*1\r\n*1\r\n", Broken::BadLine),
            ("$1\r\nabc", Broken::BadBlock),
            ("HTTP/1.1 400\r\n", Broken::BadLine),
            ("\r\n", Broken::BadLine),
            ("+a\n", Broken::BadLine),
        ] {
            assert_eq!(parse_reply(input.as_bytes(), &bounds), Received::Broken(want), "{input:?}");
        }
        assert_eq!(parse_reply(b"$3\r\na", &bounds), Received::More { total: 9 });
    }
}

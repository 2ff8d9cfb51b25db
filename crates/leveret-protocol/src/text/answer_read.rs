//! Answers, as a client reads them: one line, and the data block after some. The meaning of an answer depends on the
//! request; this only parses it.
use super::answer_write::{Facts, Ttl};
use super::line::Words;
use crate::{number, Broken, Limits, Received, WireKey, KEY_MAX};
use memchr::memchr;

/// Longest line of an answer. `leveret serve` names keys of up to 65,535 bytes in a `metadump`, three characters a byte;
/// memcached's lines come near a thousand bytes there, and are far shorter elsewhere.
const LINE_MAX: usize = 3 * u16::MAX as usize + 512;

/// An answer of the text protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnswer<'a> {
    /// One item of a `get`.
    Value {
        /// The key.
        key: &'a [u8],
        /// The client's flags.
        flags: u32,
        /// The data block.
        value: &'a [u8],
        /// For `gets`.
        cas: Option<u64>,
    },
    /// The end of a `get`, of `stats`, or of a walk.
    End,
    /// `STORED`
    Stored,
    /// `NOT_STORED`
    NotStored,
    /// `EXISTS`
    Exists,
    /// `NOT_FOUND`
    NotFound,
    /// `DELETED`
    Deleted,
    /// `TOUCHED`
    Touched,
    /// `OK`
    Ok,
    /// `RESET`
    Reset,
    /// The new value after `incr` and `decr`.
    Number(u64),
    /// `VERSION`
    Version(&'a [u8]),
    /// One line of `stats`; of `stats cachedump`, an item.
    Stat {
        /// Its name.
        name: &'a [u8],
        /// The rest of the line.
        value: &'a [u8],
    },
    /// The answer to `mg`, `ms`, `md`, `ma`, `mn`.
    Meta(MetaAnswer<'a>),
    /// `ERROR`, and the text after it: the command is unknown, or not allowed now.
    Error(&'a [u8]),
    /// `CLIENT_ERROR`: the request was wrong.
    ClientError(&'a [u8]),
    /// `SERVER_ERROR`: the server could not do it.
    ServerError(&'a [u8]),
    /// Any other line: what administrators' commands say.
    Line(&'a [u8]),
}

/// A meta answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaAnswer<'a> {
    /// What happened.
    pub code: MetaCode,
    /// The data block of `VA`.
    pub value: Option<&'a [u8]>,
    /// `k`
    pub key: Option<WireKey<'a>>,
    /// `O`, without the letter.
    pub opaque: Option<&'a [u8]>,
    /// The other flags.
    pub facts: Facts,
}

/// The two letters at the front of a meta answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaCode {
    /// `HD`: done, or found.
    Done,
    /// `VA`: found, with a value.
    Value,
    /// `EN`: a miss of `mg`.
    Miss,
    /// `NF`: not found.
    NotFound,
    /// `NS`: not stored.
    NotStored,
    /// `EX`: another version exists.
    Exists,
    /// `MN`: the mark that `mn` asked for.
    Noop,
}

/// Reads one answer from the front of `input`.
pub fn parse_answer<'a>(input: &'a [u8], limits: &Limits) -> Received<TextAnswer<'a>> {
    // What stores and gets end with, most of the time: no need to look for the line's end and its words.
    if input.starts_with(b"STORED\r\n") {
        return Received::Answer { answer: TextAnswer::Stored, consumed: b"STORED\r\n".len() };
    }
    if input.starts_with(b"END\r\n") {
        return Received::Answer { answer: TextAnswer::End, consumed: b"END\r\n".len() };
    }
    let Some(newline) = memchr(b'\n', &input[..input.len().min(LINE_MAX)]) else {
        return if input.len() < LINE_MAX {
            Received::More { total: input.len() + 1 }
        } else {
            Received::Broken(Broken::LongLine)
        };
    };
    let consumed = newline + 1;
    let line = input[..newline].strip_suffix(b"\r").unwrap_or(&input[..newline]);
    let mut words = Words(line);
    let answer = match words.next().unwrap_or(b"") {
        b"VALUE" => return value(input, consumed, words, limits),
        b"VA" => return meta_value(input, consumed, words, limits),
        b"HD" => meta(MetaCode::Done, words),
        b"EN" => meta(MetaCode::Miss, words),
        b"NF" => meta(MetaCode::NotFound, words),
        b"NS" => meta(MetaCode::NotStored, words),
        b"EX" => meta(MetaCode::Exists, words),
        b"MN" => meta(MetaCode::Noop, words),
        first => Some(plain(line, first, words)),
    };
    match answer {
        Some(answer) => Received::Answer { answer, consumed },
        None => Received::Broken(Broken::BadLine),
    }
}

fn plain<'a>(line: &'a [u8], first: &'a [u8], rest: Words<'a>) -> TextAnswer<'a> {
    match line {
        b"END" => return TextAnswer::End,
        b"STORED" => return TextAnswer::Stored,
        b"NOT_STORED" => return TextAnswer::NotStored,
        b"EXISTS" => return TextAnswer::Exists,
        b"NOT_FOUND" => return TextAnswer::NotFound,
        b"DELETED" => return TextAnswer::Deleted,
        b"TOUCHED" => return TextAnswer::Touched,
        b"OK" => return TextAnswer::Ok,
        b"RESET" => return TextAnswer::Reset,
        _ => {}
    }
    let text = rest.0.trim_ascii_start();
    match first {
        b"VERSION" => TextAnswer::Version(text),
        // The rows of `stats cachedump` begin in a way of their own.
        b"STAT" | b"ITEM" => stat(line, rest),
        b"ERROR" => TextAnswer::Error(text),
        b"CLIENT_ERROR" => TextAnswer::ClientError(text),
        b"SERVER_ERROR" => TextAnswer::ServerError(text),
        // A number that has become shorter may be padded with spaces.
        _ => match number::unsigned(line.trim_ascii_end()) {
            Some(number) => TextAnswer::Number(number),
            None => TextAnswer::Line(line),
        },
    }
}

fn stat<'a>(line: &'a [u8], mut rest: Words<'a>) -> TextAnswer<'a> {
    match rest.next() {
        Some(name) => TextAnswer::Stat { name, value: rest.0.strip_prefix(b" ").unwrap_or(rest.0) },
        None => TextAnswer::Line(line),
    }
}

/// The item of this key, if it is at the front, complete and without a cas: the usual answer to a get. Returns its
/// flags, its value, and the answer's length. `None`: anything else, see `parse_answer`.
pub fn parse_value_of<'a>(key: &[u8], input: &'a [u8], limits: &Limits) -> Option<(u32, &'a [u8], usize)> {
    let rest = input.strip_prefix(b"VALUE ")?.strip_prefix(key)?.strip_prefix(b" ")?;
    let (flags, rest) = number::leading(rest)?;
    let (len, rest) = number::leading(rest.strip_prefix(b" ")?)?;
    let rest = rest.strip_prefix(b"\r\n")?;
    let (flags, len) = (u32::try_from(flags).ok()?, usize::try_from(len).ok().filter(|len| *len <= limits.value_max)?);
    let (value, rest) = rest.split_at_checked(len)?;
    rest.starts_with(b"\r\n").then_some((flags, value, input.len() - rest.len() + 2))
}

fn value<'a>(input: &'a [u8], line_len: usize, mut words: Words<'a>, limits: &Limits) -> Received<TextAnswer<'a>> {
    let (key, flags, len, cas) = (words.next(), words.next(), words.next(), words.next());
    let (Some(key), Some(flags), Some(len)) =
        (key, flags.and_then(number::unsigned_32), len.and_then(number::unsigned))
    else {
        return Received::Broken(Broken::BadLine);
    };
    let cas = cas.map(number::unsigned);
    if cas == Some(None) || key.len() > KEY_MAX {
        return Received::Broken(Broken::BadLine);
    }
    block(input, line_len, len, limits, |value| TextAnswer::Value { key, flags, value, cas: cas.flatten() })
}

fn meta_value<'a>(input: &'a [u8], line_len: usize, mut words: Words<'a>, limits: &Limits) -> Received<TextAnswer<'a>> {
    let len = words.next().and_then(number::unsigned);
    let (Some(len), Some(answer)) = (len, meta_answer(MetaCode::Value, words)) else {
        return Received::Broken(Broken::BadLine);
    };
    block(input, line_len, len, limits, |value| TextAnswer::Meta(MetaAnswer { value: Some(value), ..answer }))
}

fn block<'a>(
    input: &'a [u8],
    line_len: usize,
    len: u64,
    limits: &Limits,
    with: impl FnOnce(&'a [u8]) -> TextAnswer<'a>,
) -> Received<TextAnswer<'a>> {
    let Some(len) = usize::try_from(len).ok().filter(|len| *len <= limits.value_max) else {
        return Received::Broken(Broken::LargeValue { len });
    };
    let total = line_len + len + 2;
    let Some(block) = input.get(line_len..total) else {
        return Received::More { total };
    };
    match block.split_at(len) {
        (value, b"\r\n") => Received::Answer { answer: with(value), consumed: total },
        _ => Received::Broken(Broken::BadBlock),
    }
}

fn meta(code: MetaCode, words: Words<'_>) -> Option<TextAnswer<'_>> {
    meta_answer(code, words).map(TextAnswer::Meta)
}

/// Reads the flags. None if one cannot be read; a letter that we do not know is passed over, newer servers may know
/// more.
fn meta_answer(code: MetaCode, words: Words<'_>) -> Option<MetaAnswer<'_>> {
    let mut answer = MetaAnswer { code, value: None, key: None, opaque: None, facts: Facts::default() };
    let (mut key, mut is_base64) = (None, false);
    for word in words {
        let (letter, argument) = (word[0], &word[1..]);
        let facts = &mut answer.facts;
        match letter {
            b'b' => is_base64 = true,
            b'c' => facts.cas = Some(number::unsigned(argument)?),
            b'f' => facts.flags = Some(number::unsigned_32(argument)?),
            b'h' => facts.was_hit = Some(number::unsigned(argument)? != 0),
            b'k' => key = Some(argument),
            b'l' => facts.idle_secs = Some(number::unsigned(argument)?),
            b'O' => answer.opaque = Some(argument),
            b's' => facts.size = Some(usize::try_from(number::unsigned(argument)?).ok()?),
            b't' => {
                let secs = number::signed(argument)?;
                facts.ttl = Some(u64::try_from(secs).map_or(Ttl::Forever, Ttl::Secs));
            }
            b'W' => facts.won = true,
            b'X' => facts.stale = true,
            b'Z' => facts.lost = true,
            _ => {}
        }
    }
    if let Some(key) = key.filter(|key| (1..=KEY_MAX).contains(&key.len())) {
        answer.key = Some(if is_base64 { WireKey::base64(key)? } else { WireKey::plain(key) });
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { value_max: 8 };

    #[test]
    fn lines_say_what_they_say() {
        for (input, want) in [
            ("END\r\n", TextAnswer::End),
            ("STORED\r\n", TextAnswer::Stored),
            ("NOT_STORED\r\n", TextAnswer::NotStored),
            ("EXISTS\r\n", TextAnswer::Exists),
            ("NOT_FOUND\r\n", TextAnswer::NotFound),
            ("DELETED\r\n", TextAnswer::Deleted),
            ("TOUCHED\r\n", TextAnswer::Touched),
            ("OK\r\n", TextAnswer::Ok),
            ("RESET\n", TextAnswer::Reset),
            ("0\r\n", TextAnswer::Number(0)),
            ("9 \r\n", TextAnswer::Number(9)),
            ("18446744073709551616\r\n", TextAnswer::Line(b"18446744073709551616")),
            ("VERSION 1.6.45\r\n", TextAnswer::Version(b"1.6.45")),
            ("STAT pid 7\r\n", TextAnswer::Stat { name: b"pid", value: b"7" }),
            ("STAT inter  a b\r\n", TextAnswer::Stat { name: b"inter", value: b" a b" }),
            ("ITEM k [5 b; 0 s]\r\n", TextAnswer::Stat { name: b"k", value: b"[5 b; 0 s]" }),
            ("STAT domain_socket \r\n", TextAnswer::Stat { name: b"domain_socket", value: b"" }),
            ("ERROR\r\n", TextAnswer::Error(b"")),
            ("ERROR Too many open connections\r\n", TextAnswer::Error(b"Too many open connections")),
            ("CLIENT_ERROR bad data chunk\r\n", TextAnswer::ClientError(b"bad data chunk")),
            ("SERVER_ERROR out of memory\r\n", TextAnswer::ServerError(b"out of memory")),
            ("BUSY wait\r\n", TextAnswer::Line(b"BUSY wait")),
            ("\r\n", TextAnswer::Line(b"")),
            ("VALUE k 5 3\r\na\nb\r\n", TextAnswer::Value { key: b"k", flags: 5, value: b"a\nb", cas: None }),
            ("VALUE k 0 0 9\r\n\r\n", TextAnswer::Value { key: b"k", flags: 0, value: b"", cas: Some(9) }),
        ] {
            let want = Received::Answer { answer: want, consumed: input.len() };
            assert_eq!(parse_answer(input.as_bytes(), &LIMITS), want, "{input:?}");
            for len in 0..input.len() {
                let cut = parse_answer(&input.as_bytes()[..len], &LIMITS);
                assert!(
                    matches!(cut, Received::More { total } if total > len && total <= input.len()),
                    "{input:?} {len} {cut:?}"
                );
            }
        }
    }

    #[test]
    fn the_value_of_a_key_is_what_any_answer_is() {
        for input in [
            "VALUE k 5 3\r\nabc\r\nEND\r\n",
            "VALUE k 0 0\r\n\r\n",
            "VALUE k 4294967295 8\r\n\r\n\r\n\r\n\r\n\r\n",
            "VALUE k 4294967296 1\r\na\r\n",
            "VALUE k 5 9\r\nabcdefghi\r\n",
            "VALUE k 5 3 9\r\nabc\r\n",
            "VALUE k 5 3\r\nabcd\r\n",
            "VALUE k 5 18446744073709551615\r\nabc\r\n",
            "VALUE kk 5 3\r\nabc\r\n",
            "VALUE j 5 3\r\nabc\r\n",
            "VALUE k  5 3\r\nabc\r\n",
            "END\r\n",
        ] {
            for len in 0..=input.len() {
                let input = &input.as_bytes()[..len];
                let plain = match parse_answer(input, &LIMITS) {
                    Received::Answer { answer: TextAnswer::Value { key: b"k", flags, value, cas: None }, consumed } => {
                        Some((flags, value, consumed))
                    }
                    _ => None,
                };
                let found = parse_value_of(b"k", input, &LIMITS);
                // Two spaces are none of its matter.
                assert!(
                    found == plain || found.is_none() && input.starts_with(b"VALUE k  "),
                    "{:?}",
                    String::from_utf8_lossy(input)
                );
            }
        }
    }

    #[test]
    fn meta_answers() {
        let read = |input: &'static str| match parse_answer(input.as_bytes(), &LIMITS) {
            Received::Answer { answer: TextAnswer::Meta(answer), consumed } if consumed == input.len() => answer,
            other => panic!("{input:?}: {other:?}"),
        };
        let answer = read("VA 3 s3 c1 f5 h1 kfoo l0 O123 t-1 y7 Z X W\r\nbar\r\n");
        assert_eq!(
            (answer.code, answer.value, answer.opaque),
            (MetaCode::Value, Some(b"bar".as_slice()), Some(b"123".as_slice()))
        );
        assert_eq!(answer.key.map(|key| key.as_written()), Some(b"foo".as_slice()));
        let (ttl, yes) = (Some(Ttl::Forever), true);
        let facts = Facts {
            cas: Some(1),
            flags: Some(5),
            was_hit: Some(true),
            idle_secs: Some(0),
            size: Some(3),
            ttl,
            won: yes,
            stale: yes,
            lost: yes,
        };
        assert_eq!(answer.facts, facts);
        for (input, code) in [
            ("HD\r\n", MetaCode::Done),
            ("EN\r\n", MetaCode::Miss),
            ("NF kno O1\r\n", MetaCode::NotFound),
            ("NS\r\n", MetaCode::NotStored),
            ("EX c0\r\n", MetaCode::Exists),
            ("MN\r\n", MetaCode::Noop),
        ] {
            assert_eq!(read(input).code, code, "{input:?}");
        }
        let key = read("HD kZm9v b\r\n").key.unwrap();
        assert_eq!(key.decode(&mut [0; KEY_MAX]), b"foo");
    }

    #[test]
    fn hostile_answers_are_no_answers() {
        let endless = "x".repeat(LINE_MAX);
        for (input, want) in [
            ("VALUE k 5\r\n", Broken::BadLine),
            ("VALUE k x 3\r\nabc\r\n", Broken::BadLine),
            ("VALUE k 4294967296 3\r\nabc\r\n", Broken::BadLine),
            ("VALUE k 5 -1\r\n", Broken::BadLine),
            ("VALUE k 5 3 x\r\nabc\r\n", Broken::BadLine),
            ("VALUE k 5 9\r\n", Broken::LargeValue { len: 9 }),
            ("VALUE k 5 18446744073709551615\r\n", Broken::LargeValue { len: u64::MAX }),
            ("VALUE k 5 3\r\nabcde", Broken::BadBlock),
            ("VA x\r\n", Broken::BadLine),
            ("VA 99\r\n", Broken::LargeValue { len: 99 }),
            ("HD cx\r\n", Broken::BadLine),
            ("HD kZm9 b\r\n", Broken::BadLine),
            (&endless, Broken::LongLine),
        ] {
            assert_eq!(parse_answer(input.as_bytes(), &LIMITS), Received::Broken(want), "{input:?}");
        }
    }
}

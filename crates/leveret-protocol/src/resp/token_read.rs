//! Replies of a server in pieces: one type byte and its line at a time, so that a client makes its own values as they
//! come, independent of announced sizes.
use super::integer::parse_integer;
use memchr::memchr;

/// The longest line: a status, an error, a number, a length.
const LINE_MAX: usize = 64 << 10;

/// The longest string.
const BULK_MAX: u64 = 512 << 20;

/// Most elements of one collection, those of a map's pairs counted each.
const ELEMENTS_MAX: u64 = 1 << 32;

/// What begins with a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReplyToken<'i> {
    /// `+`.
    Status(&'i [u8]),
    /// `-`.
    Error(&'i [u8]),
    /// `:`.
    Integer(i64),
    /// `$`: a string of this many bytes follows, and a line end.
    Bulk(u64),
    /// `=`: the same; the first four bytes are its format.
    Verbatim(u64),
    /// `!`: an error of this many bytes follows, and a line end.
    BulkError(u64),
    /// `$-1`, `_`.
    Nil,
    /// `*-1`.
    NilArray,
    /// `*`: this many replies follow.
    Array(u64),
    /// `%`: this many replies follow, keys and values.
    Map(u64),
    /// `~`: this many replies follow.
    Set(u64),
    /// `>`: this many replies follow.
    Push(u64),
    /// `|`: this many replies follow, keys and values, and then the reply that they describe.
    Attributes(u64),
    /// `,`, as its text.
    Double(&'i [u8]),
    /// `#`.
    Boolean(bool),
    /// `(`, as its digits.
    BigNumber(&'i [u8]),
}

/// Result at the front of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenRead<'i> {
    /// A token, and how many bytes of the input its line took.
    Token {
        /// It borrows from the input.
        token: ReplyToken<'i>,
        /// Bytes to take off the front of the input.
        consumed: usize,
    },
    /// The beginning of one.
    More,
    /// No reply of Redis. The byte is the first of the line.
    Broken(u8),
}

/// Reads the token at the front of `input`.
#[inline]
pub fn read_token(input: &[u8]) -> TokenRead<'_> {
    let Some(kind) = input.first().copied() else { return TokenRead::More };
    let line = match memchr(b'\n', &input[..input.len().min(LINE_MAX)]) {
        Some(end) => &input[..=end],
        None if input.len() >= LINE_MAX || !KINDS.contains(&kind) => return TokenRead::Broken(kind),
        None => return TokenRead::More,
    };
    let token = line.strip_suffix(b"\r\n").and_then(|line| token(kind, line.get(1..)?));
    match token {
        Some(token) => TokenRead::Token { token, consumed: line.len() },
        None => TokenRead::Broken(kind),
    }
}

/// A string at the front of the input that is there whole, with its line end: where it begins, and its length. None says
/// nothing: `read_token` tells what is there. Only strings of up to five digits of bytes are looked at.
#[inline]
pub fn whole_string(input: &[u8]) -> Option<(usize, usize)> {
    const DIGITS_MAX: usize = 5;
    let [b'$', digits @ ..] = input else { return None };
    let (mut len, mut count) = (0, 0);
    while let Some(digit @ 0..=9) = digits.get(count).map(|byte| byte.wrapping_sub(b'0')) {
        len = 10 * len + usize::from(digit);
        count += 1;
        if count > DIGITS_MAX {
            return None;
        }
    }
    // A number without digits, or with a zero before it, is none.
    let is_canonical = count == 1 || (count > 1 && digits[0] != b'0');
    let (begin, end) = (count + 3, count + 3 + len);
    let is_whole = is_canonical && input.get(count + 1..begin)? == b"\r\n" && input.get(end..end + 2)? == b"\r\n";
    is_whole.then_some((begin, len))
}

const KINDS: &[u8] = b"+-:$*%~>|_,#(=!";

fn token(kind: u8, text: &[u8]) -> Option<ReplyToken<'_>> {
    Some(match kind {
        b'$' => match text {
            b"-1" => ReplyToken::Nil,
            text => ReplyToken::Bulk(length(text, BULK_MAX)?),
        },
        b':' => ReplyToken::Integer(parse_integer(text.strip_prefix(b"+").unwrap_or(text))?),
        b'+' => ReplyToken::Status(text),
        b'-' => ReplyToken::Error(text),
        b'*' => match text {
            b"-1" => ReplyToken::NilArray,
            text => ReplyToken::Array(length(text, ELEMENTS_MAX)?),
        },
        b'%' => ReplyToken::Map(2 * length(text, ELEMENTS_MAX / 2)?),
        b'~' => ReplyToken::Set(length(text, ELEMENTS_MAX)?),
        b'>' => ReplyToken::Push(length(text, ELEMENTS_MAX)?),
        b'|' => ReplyToken::Attributes(2 * length(text, ELEMENTS_MAX / 2)?),
        b'_' if text.is_empty() => ReplyToken::Nil,
        b',' => ReplyToken::Double(text),
        b'#' if text == b"t" => ReplyToken::Boolean(true),
        b'#' if text == b"f" => ReplyToken::Boolean(false),
        b'(' => ReplyToken::BigNumber(text),
        // Its format and a colon stand before it.
        b'=' => ReplyToken::Verbatim(length(text, BULK_MAX).filter(|len| *len >= 4)?),
        b'!' => ReplyToken::BulkError(length(text, BULK_MAX)?),
        _ => return None,
    })
}

fn length(text: &[u8], most: u64) -> Option<u64> {
    parse_integer(text).and_then(|len| u64::try_from(len).ok()).filter(|len| *len <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_of(input: &str) -> ReplyToken<'_> {
        match read_token(input.as_bytes()) {
            TokenRead::Token { token, consumed } if consumed == input.len() => token,
            other => panic!("{input:?}: {other:?}"),
        }
    }

    /// A string is found whole exactly where `read_token` and its length say that it is.
    #[test]
    fn a_whole_string_is_what_its_token_says() {
        let bodies = [
            "",
            "a",
            "\r\n",
            "ten bytes.",
            &"x".repeat(99),
            &"x".repeat(100),
            &"y".repeat(16_384),
            &"z".repeat(99_999),
        ];
        for body in bodies {
            let input = format!("${}\r\n{body}\r\n+OK\r\n", body.len()).into_bytes();
            let begin = input.len() - body.len() - 7;
            assert_eq!(whole_string(&input), Some((begin, body.len())));
            assert_eq!(
                read_token(&input),
                TokenRead::Token { token: ReplyToken::Bulk(body.len() as u64), consumed: begin }
            );
            for len in (0..begin + body.len() + 2).rev().take(200).chain(0..12.min(begin + body.len())) {
                assert_eq!(whole_string(&input[..len]), None, "cut at {len}");
            }
            for place in [begin - 1, begin - 2, begin + body.len(), begin + body.len() + 1] {
                let mut bent = input.clone();
                bent[place] = b'.';
                assert_eq!(whole_string(&bent), None, "bent at {place}");
            }
        }
        for other in [
            "$-1\r\n",
            "$01\r\na\r\n",
            "$00\r\n\r\n",
            "$\r\n\r\n",
            "$+1\r\na\r\n",
            "=5\r\ntxt:a\r\n",
            "+1\r\na\r\n",
            "$1 \r\na\r\n",
            "$ 1\r\na\r\n",
            "$1\na\n",
        ] {
            assert_eq!(whole_string(other.as_bytes()), None, "{other:?}");
        }
        let long = format!("$100000\r\n{}\r\n", "x".repeat(100_000));
        assert_eq!(whole_string(long.as_bytes()), None);
    }

    #[test]
    fn tokens_are_read_and_hostile_ones_refused() {
        for (input, want) in [
            ("+OK\r\n", ReplyToken::Status(b"OK")),
            ("+\r\n", ReplyToken::Status(b"")),
            ("-ERR a\r\n", ReplyToken::Error(b"ERR a")),
            (":-9223372036854775808\r\n", ReplyToken::Integer(i64::MIN)),
            (":+1\r\n", ReplyToken::Integer(1)),
            ("$0\r\n", ReplyToken::Bulk(0)),
            ("$536870912\r\n", ReplyToken::Bulk(512 << 20)),
            ("$-1\r\n", ReplyToken::Nil),
            ("_\r\n", ReplyToken::Nil),
            ("*-1\r\n", ReplyToken::NilArray),
            ("*0\r\n", ReplyToken::Array(0)),
            ("*4294967296\r\n", ReplyToken::Array(1 << 32)),
            ("%2\r\n", ReplyToken::Map(4)),
            ("~2\r\n", ReplyToken::Set(2)),
            (">2\r\n", ReplyToken::Push(2)),
            ("|1\r\n", ReplyToken::Attributes(2)),
            (",1.5\r\n", ReplyToken::Double(b"1.5")),
            ("#t\r\n", ReplyToken::Boolean(true)),
            ("#f\r\n", ReplyToken::Boolean(false)),
            ("(12\r\n", ReplyToken::BigNumber(b"12")),
            ("=4\r\n", ReplyToken::Verbatim(4)),
            ("!3\r\n", ReplyToken::BulkError(3)),
        ] {
            assert_eq!(token_of(input), want, "{input:?}");
            for len in 0..input.len() {
                assert_eq!(read_token(&input.as_bytes()[..len]), TokenRead::More, "{input:?} cut at {len}");
            }
        }
        let long = [b"+", vec![b'a'; LINE_MAX].as_slice(), b"\r\n"].concat();
        for input in [
            "HTTP/1.1 400\r\n",
            "H",
            "\r\n",
            "+a\n",
            "\n",
            "$-2\r\n",
            "$\r\n",
            "$ 1\r\n",
            "$536870913\r\n",
            "$9223372036854775808\r\n",
            "*-2\r\n",
            "*4294967297\r\n",
            "%2147483649\r\n",
            ":\r\n",
            ":1a\r\n",
            ":9223372036854775808\r\n",
            "#x\r\n",
            "_x\r\n",
            "=3\r\n",
            std::str::from_utf8(&long).expect("it is text"),
        ] {
            let first = input.as_bytes()[0];
            assert_eq!(read_token(input.as_bytes()), TokenRead::Broken(first), "{:?}", &input[..input.len().min(40)]);
        }
    }
}

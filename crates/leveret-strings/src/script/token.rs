//! Words, literals and signs of a Lua text, without white space and comments.

/// A token, and the line on which it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct LuaToken {
    /// Its kind.
    pub kind: LuaTokenKind,
    /// Counted from 1.
    pub line: u32,
}

/// Kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub enum LuaTokenKind {
    /// A name or a word of the language.
    Name(Vec<u8>),
    /// A number.
    Number(f64),
    /// A string.
    Text(Vec<u8>),
    /// All else.
    Sign(&'static str),
}

/// The longer ones first.
const SIGNS: [&str; 25] = [
    "...", "..", "==", "~=", "<=", ">=", "+", "-", "*", "/", "%", "^", "#", "<", ">", "=", "(", ")", "{", "}", "[",
    "]", ";", ":", ",",
];

/// The tokens of a text. None: it is not Lua.
pub fn tokens(text: &[u8]) -> Option<Vec<LuaToken>> {
    let mut scanner = Scanner { rest: text, line: 1 };
    let mut found = Vec::new();
    loop {
        scanner.skip_space()?;
        let line = scanner.line;
        match scanner.token()? {
            Some(kind) => found.push(LuaToken { kind, line }),
            None => return Some(found),
        }
    }
}

struct Scanner<'t> {
    rest: &'t [u8],
    line: u32,
}

impl<'t> Scanner<'t> {
    fn take(&mut self, len: usize) -> &'t [u8] {
        let (taken, rest) = self.rest.split_at(len);
        self.line += taken.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'t [u8] {
        self.take(self.rest.iter().take_while(|byte| is_part(**byte)).count())
    }

    /// None: a comment without an end.
    fn skip_space(&mut self) -> Option<()> {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if !self.rest.starts_with(b"--") {
                return Some(());
            }
            self.take(2);
            match self.long_text() {
                Long::Text(_) => {}
                Long::NoEnd => return None,
                Long::Other => drop(self.take_while(|byte| byte != b'\n')),
            }
        }
    }

    /// None: it is none. Some(None): the end.
    fn token(&mut self) -> Option<Option<LuaTokenKind>> {
        let kind = match self.rest {
            [] => return Some(None),
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => LuaTokenKind::Number(self.number()?),
            [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
                LuaTokenKind::Name(self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_').to_vec())
            }
            [quote @ (b'"' | b'\''), ..] => LuaTokenKind::Text(self.quoted(*quote)?),
            [b'[', b'[' | b'=', ..] => match self.long_text() {
                Long::Text(text) => LuaTokenKind::Text(text),
                Long::NoEnd => return None,
                Long::Other => self.sign()?,
            },
            _ => self.sign()?,
        };
        Some(Some(kind))
    }

    fn sign(&mut self) -> Option<LuaTokenKind> {
        let dot = (self.rest.first() == Some(&b'.') && !self.rest.starts_with(b"..")).then_some(".");
        let sign = dot.or_else(|| SIGNS.into_iter().find(|sign| self.rest.starts_with(sign.as_bytes())))?;
        self.take(sign.len());
        Some(LuaTokenKind::Sign(sign))
    }

    fn number(&mut self) -> Option<f64> {
        let mut len = 0;
        while let Some(byte) = self.rest.get(len) {
            let is_exponent_sign = matches!(byte, b'+' | b'-') && len > 0 && matches!(self.rest[len - 1], b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'_' || is_exponent_sign) {
                break;
            }
            len += 1;
        }
        super::value::parse_number(self.take(len))
    }

    fn quoted(&mut self, quote: u8) -> Option<Vec<u8>> {
        self.take(1);
        let mut text = Vec::new();
        loop {
            match self.rest {
                [] | [b'\n', ..] => return None,
                [byte, ..] if *byte == quote => {
                    self.take(1);
                    return Some(text);
                }
                [b'\\', escaped, ..] => {
                    let byte = match escaped {
                        b'0'..=b'9' => {
                            self.take(1);
                            let digits = self.rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
                            let number =
                                self.take(digits).iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
                            text.push(u8::try_from(number).ok()?);
                            continue;
                        }
                        b'n' | b'\n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'a' => 7,
                        b'b' => 8,
                        b'f' => 12,
                        b'v' => 11,
                        other => *other,
                    };
                    text.push(byte);
                    self.take(2);
                }
                [byte, ..] => {
                    text.push(*byte);
                    self.take(1);
                }
            }
        }
    }

    /// `[[…]]`, `[=[…]=]`.
    fn long_text(&mut self) -> Long {
        let level = self.rest.iter().skip(1).take_while(|byte| **byte == b'=').count();
        if self.rest.first() != Some(&b'[') || self.rest.get(level + 1) != Some(&b'[') {
            return Long::Other;
        }
        let end = [b"]", "=".repeat(level).as_bytes(), b"]"].concat();
        let inner = &self.rest[level + 2..];
        let Some(len) = inner.windows(end.len()).position(|window| window == end) else { return Long::NoEnd };
        let text = inner[..len].strip_prefix(b"\n").unwrap_or(&inner[..len]).to_vec();
        self.take(level + 2 + len + end.len());
        Long::Text(text)
    }
}

enum Long {
    Text(Vec<u8>),
    NoEnd,
    Other,
}

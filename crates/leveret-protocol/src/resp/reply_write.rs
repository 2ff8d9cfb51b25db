//! Replies, as bytes behind an output.
use std::fmt;

/// Which types a client understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RespVersion {
    /// Strings, errors, integers, arrays.
    #[default]
    Two,
    /// Maps, sets, doubles and others too (`HELLO 3`).
    Three,
}

impl RespVersion {
    /// Its number.
    pub const fn number(self) -> i64 {
        match self {
            RespVersion::Two => 2,
            RespVersion::Three => 3,
        }
    }
}

/// Writes replies behind an output.
#[derive(Debug)]
pub struct ReplyWriter<'o> {
    out: &'o mut Vec<u8>,
    version: RespVersion,
}

impl<'o> ReplyWriter<'o> {
    /// Behind `out`.
    pub fn new(out: &'o mut Vec<u8>, version: RespVersion) -> ReplyWriter<'o> {
        ReplyWriter { out, version }
    }

    /// Which types are written.
    pub fn version(&self) -> RespVersion {
        self.version
    }

    /// From now on other types are written.
    pub fn set_version(&mut self, version: RespVersion) {
        self.version = version;
    }

    /// The output.
    #[inline]
    pub fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    /// How long the output is.
    #[inline]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether the output is empty.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Removes everything after the first `len` bytes of the output.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    /// A status, which has no line ends.
    #[inline]
    pub fn simple(&mut self, status: &str) {
        self.line(b'+', status.as_bytes());
    }

    /// A status of any bytes. Line ends in it become spaces.
    pub fn status_of(&mut self, status: &[u8]) {
        self.out.push(b'+');
        self.out.extend(on_one_line(status));
        self.out.extend_from_slice(b"\r\n");
    }

    /// `+OK`.
    #[inline]
    pub fn ok(&mut self) {
        self.out.extend_from_slice(b"+OK\r\n");
    }

    /// An error, its prefix included. Line ends in it become spaces.
    #[cold]
    pub fn error(&mut self, text: &str) {
        self.error_of(&[text.as_bytes()]);
    }

    /// An error in pieces.
    #[cold]
    pub fn error_of(&mut self, pieces: &[&[u8]]) {
        self.out.push(b'-');
        pieces.iter().for_each(|piece| self.out.extend(on_one_line(piece)));
        self.out.extend_from_slice(b"\r\n");
    }

    /// An integer.
    #[inline]
    pub fn integer(&mut self, number: i64) {
        self.header(b':', number);
    }

    /// The length of a collection or of a string, as an integer.
    #[inline]
    pub fn count(&mut self, number: usize) {
        self.integer(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// A string.
    #[inline]
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.bulk_header(bytes.len());
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    /// The bytes before those of a string; a line end must follow the string.
    #[inline]
    pub fn bulk_header(&mut self, len: usize) {
        self.header(b'$', i64::try_from(len).unwrap_or(i64::MAX));
    }

    /// Formatted text, as a string.
    pub fn bulk_of(&mut self, arguments: fmt::Arguments<'_>) {
        match arguments.as_str() {
            Some(text) => self.bulk(text.as_bytes()),
            None => self.bulk(arguments.to_string().as_bytes()),
        }
    }

    /// There is no value.
    #[inline]
    pub fn nil(&mut self) {
        self.out.extend_from_slice(match self.version {
            RespVersion::Two => b"$-1\r\n",
            RespVersion::Three => b"_\r\n",
        });
    }

    /// There is no array: EXEC when a watched key has changed.
    pub fn nil_array(&mut self) {
        self.out.extend_from_slice(match self.version {
            RespVersion::Two => b"*-1\r\n",
            RespVersion::Three => b"_\r\n",
        });
    }

    /// `len` elements follow.
    #[inline]
    pub fn array(&mut self, len: usize) {
        self.header(b'*', len as i64);
    }

    /// `len` pairs follow.
    pub fn map(&mut self, len: usize) {
        match self.version {
            RespVersion::Two => self.header(b'*', 2 * len as i64),
            RespVersion::Three => self.header(b'%', len as i64),
        }
    }

    /// `len` different elements follow.
    pub fn set(&mut self, len: usize) {
        match self.version {
            RespVersion::Two => self.header(b'*', len as i64),
            RespVersion::Three => self.header(b'~', len as i64),
        }
    }

    /// `len` elements of an unrequested message follow.
    pub fn push(&mut self, len: usize) {
        match self.version {
            RespVersion::Two => self.header(b'*', len as i64),
            RespVersion::Three => self.header(b'>', len as i64),
        }
    }

    /// A text for people. `format` has three letters: `txt`, `mkd`.
    pub fn verbatim(&mut self, format: &str, text: &[u8]) {
        match self.version {
            RespVersion::Two => self.bulk(text),
            RespVersion::Three => {
                self.header(b'=', (text.len() + 4) as i64);
                self.out.extend_from_slice(format.as_bytes());
                self.out.push(b':');
                self.out.extend_from_slice(text);
                self.out.extend_from_slice(b"\r\n");
            }
        }
    }

    /// A float.
    pub fn double(&mut self, number: f64) {
        let text = shortest(number);
        match self.version {
            RespVersion::Two => self.bulk(text.as_bytes()),
            RespVersion::Three => self.line(b',', text.as_bytes()),
        }
    }

    /// Yes or no.
    pub fn boolean(&mut self, is_so: bool) {
        match self.version {
            RespVersion::Two => self.integer(i64::from(is_so)),
            RespVersion::Three => self.out.extend_from_slice(if is_so { b"#t\r\n" } else { b"#f\r\n" }),
        }
    }

    /// What `COMMAND HELP` says, with lines between Redis' first and last ones.
    pub fn help(&mut self, command: &str, lines: &[&str]) {
        self.array(lines.len() + 3);
        self.line(b'+', format!("{command} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:").as_bytes());
        lines.iter().for_each(|line| self.simple(line));
        self.simple("HELP");
        self.simple("    Prints this help.");
    }

    #[inline]
    fn line(&mut self, kind: u8, text: &[u8]) {
        self.out.push(kind);
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(b"\r\n");
    }

    #[inline]
    fn header(&mut self, kind: u8, number: i64) {
        self.line(kind, itoa::Buffer::new().format(number).as_bytes());
    }
}

fn on_one_line(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    text.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte })
}

/// The shortest text that is read as this number.
fn shortest(number: f64) -> String {
    match number {
        number if number.is_nan() => "nan".to_owned(),
        number if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.to_owned(),
        // As C's `%g`: an exponent where plain digits would be many.
        number if number != 0.0 && !(1e-4..1e17).contains(&number.abs()) => {
            let text = format!("{number:e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        number => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(version: RespVersion, write: impl FnOnce(&mut ReplyWriter<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut ReplyWriter::new(&mut out, version));
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn each_type_in_both_versions() {
        type Write = fn(&mut ReplyWriter<'_>);
        let cases: [(Write, &str, &str); 17] = [
            (|r| r.ok(), "+OK\r\n", "+OK\r\n"),
            (|r| r.simple("PONG"), "+PONG\r\n", "+PONG\r\n"),
            (|r| r.error("ERR a\r\nb"), "-ERR a  b\r\n", "-ERR a  b\r\n"),
            (|r| r.integer(-7), ":-7\r\n", ":-7\r\n"),
            (|r| r.bulk(b"a\r\n"), "$3\r\na\r\n\r\n", "$3\r\na\r\n\r\n"),
            (|r| r.nil(), "$-1\r\n", "_\r\n"),
            (|r| r.nil_array(), "*-1\r\n", "_\r\n"),
            (|r| r.array(2), "*2\r\n", "*2\r\n"),
            (|r| r.map(2), "*4\r\n", "%2\r\n"),
            (|r| r.set(2), "*2\r\n", "~2\r\n"),
            (|r| r.push(2), "*2\r\n", ">2\r\n"),
            (|r| r.verbatim("txt", b"abc"), "$3\r\nabc\r\n", "=7\r\ntxt:abc\r\n"),
            (|r| r.double(1.5), "$3\r\n1.5\r\n", ",1.5\r\n"),
            (|r| r.double(f64::NEG_INFINITY), "$4\r\n-inf\r\n", ",-inf\r\n"),
            (|r| r.double(1e-7), "$5\r\n1e-07\r\n", ",1e-07\r\n"),
            (|r| r.double(2e20), "$5\r\n2e+20\r\n", ",2e+20\r\n"),
            (|r| r.boolean(true), ":1\r\n", "#t\r\n"),
        ];
        for (write, two, three) in cases {
            assert_eq!(written(RespVersion::Two, write), two);
            assert_eq!(written(RespVersion::Three, write), three);
        }
    }
}

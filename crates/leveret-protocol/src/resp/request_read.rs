//! Requests. A reader remembers the arguments that it has found, so that bytes are looked at once however they arrive.
use super::arguments::{Arguments, NotKept, Span};
use super::inline;
use super::integer::parse_integer;
use super::reply_write::ReplyWriter;
use memchr::memchr2;

/// The longest line: an inline command, a count, a length.
const LINE_MAX: usize = 64 << 10;

/// The largest count of arguments. Redis' own bound is 2^31 since version 7, and was this one before.
const ARGUMENTS_MAX: usize = 1 << 20;

/// The longest argument that the protocol knows.
const BULK_MAX: usize = 512 << 20;

/// Memory that a connection keeps between two requests.
const SPANS_KEPT: usize = 128;
const STORE_KEPT: usize = 4 << 10;

/// Limits of a client that has not signed in.
const UNKNOWN_CLIENT_ARGUMENTS_MAX: usize = 10;
const UNKNOWN_CLIENT_BULK_MAX: usize = 16 << 10;

/// Limits set by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestBounds {
    /// Arguments above this length are not kept: the rest of the request is read, and it says so.
    pub value_max: usize,
    /// Longest request, in bytes; at most 2^32 − 1. A connection that sends a longer one is closed.
    pub request_max: usize,
    /// The client has to sign in first.
    pub is_unknown: bool,
}

impl RequestBounds {
    /// For a server whose values have at most `value_max` bytes. Requests end at 1 GiB, as Redis' query buffer does.
    pub const fn new(value_max: usize) -> RequestBounds {
        RequestBounds { value_max, request_max: 1 << 30, is_unknown: false }
    }
}

/// Result at the front of the input.
#[derive(Debug)]
pub enum RequestRead<'r> {
    /// The beginning of a request. Reading on makes sense once the input has `total` bytes (more than it has now).
    More {
        /// As far as it is known yet.
        total: usize,
    },
    /// A request, and how many bytes of the input it took.
    Request {
        /// It borrows from the input and the reader.
        request: Arguments<'r>,
        /// Bytes to take off the front of the input.
        consumed: usize,
    },
    /// An empty line, or an array without elements: no answer.
    Nothing {
        /// Bytes to take off the front of the input.
        consumed: usize,
    },
    /// An argument is too large. Remove `consumed` bytes from the front of the input, discard `swallow` further ones as
    /// they come, then call the reader again, even without input.
    Swallow {
        /// Bytes to take off the front of the input.
        consumed: usize,
        /// Bytes that have not come yet.
        swallow: usize,
    },
    /// Bytes that are no request: the fault is told, and the connection closed.
    Refused(RespFault),
}

/// Why a connection cannot be understood any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RespFault {
    /// An inline command of more than 64 KiB.
    BigInline,
    /// An inline command with a quote that is not closed.
    UnbalancedQuotes,
    /// A count of arguments that is no number or too large.
    MultibulkLength,
    /// A count of arguments with more than 64 KiB.
    BigMultibulkCount,
    /// More than 10 arguments from a client that has not signed in.
    UnauthenticatedMultibulkLength,
    /// A length of an argument that is no number, negative or too large.
    BulkLength,
    /// A length of an argument with more than 64 KiB.
    BigBulkCount,
    /// An argument of more than 16 KiB from a client that has not signed in.
    UnauthenticatedBulkLength,
    /// In the place of an argument.
    NotBulk(u8),
    /// A browser that a page sends here.
    Http,
    /// A request that is longer than the server takes.
    LongRequest,
}

impl RespFault {
    /// Writes the error; nothing to a browser, or to a client that exceeds the limits.
    pub fn write(self, reply: &mut ReplyWriter<'_>) {
        let text = match self {
            RespFault::BigInline => "too big inline request",
            RespFault::UnbalancedQuotes => "unbalanced quotes in request",
            RespFault::MultibulkLength => "invalid multibulk length",
            RespFault::BigMultibulkCount => "too big mbulk count string",
            RespFault::UnauthenticatedMultibulkLength => "unauthenticated multibulk length",
            RespFault::BulkLength => "invalid bulk length",
            RespFault::BigBulkCount => "too big bulk count string",
            RespFault::UnauthenticatedBulkLength => "unauthenticated bulk length",
            RespFault::NotBulk(byte) => {
                return reply.error_of(&[b"ERR Protocol error: expected '$', got '", &[byte], b"'"]);
            }
            RespFault::Http | RespFault::LongRequest => return,
        };
        reply.error_of(&[b"ERR Protocol error: ", text.as_bytes()]);
    }
}

/// The argument of which a part has come.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentUnderWay<'r> {
    /// The arguments before it.
    pub before: Arguments<'r>,
    /// How many arguments the request has, all in all.
    pub count: usize,
    /// Where its bytes begin in the input.
    pub begin: usize,
    /// How many bytes it has.
    pub len: usize,
}

/// Reads the requests of one connection, one after the other.
#[derive(Debug, Default)]
pub struct RequestReader {
    /// The arguments found so far.
    spans: Vec<Span>,
    /// Their bytes, if the input has them no more, or has them with escapes.
    store: Vec<u8>,
    is_stored: bool,
    /// Number of arguments of the request; 0: none has begun.
    count: usize,
    /// Bytes at the front of the input that are done with. May be more than have come.
    at: usize,
    /// Bytes behind these in which there is no end of a line.
    scanned: usize,
    /// Length of the argument that comes next, if it is known.
    bulk: Option<usize>,
    not_kept: NotKept,
}

impl RequestReader {
    /// For a connection that begins.
    pub fn new() -> RequestReader {
        RequestReader::default()
    }

    /// Reads a request from the front of `input`. After `More` the input must begin as it did before.
    #[inline]
    pub fn read<'r>(&'r mut self, input: &'r [u8], bounds: &RequestBounds) -> RequestRead<'r> {
        if self.count == 0 {
            match input.first() {
                Some(b'*') => {}
                Some(_) => return self.read_inline(input),
                None => {
                    self.begin();
                    return RequestRead::More { total: 1 };
                }
            }
            match self.read_count(input, bounds) {
                Ok(()) if self.count == 0 => return RequestRead::Nothing { consumed: self.take_consumed() },
                Ok(()) => {}
                Err(stop) => return stop,
            }
        }
        while self.spans.len() < self.count {
            if let Err(stop) = self.read_argument(input, bounds) {
                return stop;
            }
        }
        if self.at > input.len() {
            return RequestRead::More { total: self.at };
        }
        self.finish(input)
    }

    /// The argument that has not come whole, after `More`. None: its length is not known yet.
    pub fn under_way<'r>(&'r self, input: &'r [u8]) -> Option<ArgumentUnderWay<'r>> {
        let len = self.bulk?;
        let before = Arguments::new(self.bytes(input), &self.spans, self.not_kept);
        Some(ArgumentUnderWay { before, count: self.count, begin: self.at, len })
    }

    /// The caller receives the current argument itself: all that is before it is taken off the input, which is
    /// returned as a number of bytes, and then the argument. The reader is called again with what follows it. None: it is
    /// the name, or one was diverted before.
    pub fn divert(&mut self, input: &[u8]) -> Option<usize> {
        // One a request is enough, and the name must be known.
        if self.not_kept.diverted.is_some() || self.spans.is_empty() {
            return None;
        }
        let len = self.bulk.take()?;
        self.keep(input);
        self.not_kept.diverted = Some((self.spans.len(), len));
        self.spans.push(Span::EMPTY);
        // The end of the line after it comes next.
        Some(std::mem::replace(&mut self.at, 2))
    }

    /// Whether a request is whole without further input, which it may be after `Swallow`.
    pub fn needs_no_input(&self) -> bool {
        self.count > 0 && self.spans.len() == self.count && self.at == 0
    }

    /// Whether a part of a request has come, as far as the reader has seen.
    pub fn is_amid(&self) -> bool {
        self.count > 0 || self.scanned > 0
    }

    fn bytes<'r>(&'r self, input: &'r [u8]) -> &'r [u8] {
        if self.is_stored {
            &self.store
        } else {
            input
        }
    }

    #[cold]
    fn read_inline<'r>(&'r mut self, input: &'r [u8]) -> RequestRead<'r> {
        self.begin();
        // A zero byte ends the search, as in Redis: such a line has no end.
        let found = memchr2(b'\n', 0, input.get(self.scanned..).unwrap_or_default());
        let end = found.map(|end| self.scanned + end).filter(|end| *end <= LINE_MAX && input[*end] == b'\n');
        let Some(end) = end else {
            if input.len() > LINE_MAX {
                return RequestRead::Refused(RespFault::BigInline);
            }
            self.scanned = found.map_or(input.len(), |end| self.scanned + end);
            return RequestRead::More { total: input.len() + 1 };
        };
        let line = input[..end].strip_suffix(b"\r").unwrap_or(&input[..end]);
        if inline::split(line, &mut self.store, &mut self.spans).is_err() {
            return RequestRead::Refused(RespFault::UnbalancedQuotes);
        }
        self.at = end + 1;
        self.is_stored = true;
        if self.spans.is_empty() {
            return RequestRead::Nothing { consumed: self.take_consumed() };
        }
        self.finish(input)
    }

    fn begin(&mut self) {
        self.spans.clear();
        self.store.clear();
        // One large request is no reason to keep its memory for a connection that may be idle.
        self.spans.shrink_to(SPANS_KEPT);
        self.store.shrink_to(STORE_KEPT);
        self.is_stored = false;
        self.not_kept = NotKept::default();
    }

    fn finish<'r>(&'r mut self, input: &'r [u8]) -> RequestRead<'r> {
        let consumed = self.take_consumed();
        let request = Arguments::new(self.bytes(input), &self.spans, self.not_kept);
        if is_http(request.name()) {
            return RequestRead::Refused(RespFault::Http);
        }
        RequestRead::Request { request, consumed }
    }

    /// The request is over: the next one begins.
    fn take_consumed(&mut self) -> usize {
        self.count = 0;
        self.scanned = 0;
        std::mem::take(&mut self.at)
    }

    fn read_count<'r>(&mut self, input: &[u8], bounds: &RequestBounds) -> Result<(), RequestRead<'r>> {
        self.begin();
        if let Some((count @ 1..=UNKNOWN_CLIENT_ARGUMENTS_MAX, line_len)) = short_number(input, b'*') {
            self.count = count;
            self.pass_line(line_len);
            return Ok(());
        }
        let line = self.line(input, RespFault::BigMultibulkCount)?;
        let count = parse_integer(&line[1..]).filter(|count| *count <= ARGUMENTS_MAX as i64);
        let count = count.ok_or(RequestRead::Refused(RespFault::MultibulkLength))?.max(0) as usize;
        if bounds.is_unknown && count > UNKNOWN_CLIENT_ARGUMENTS_MAX {
            return Err(RequestRead::Refused(RespFault::UnauthenticatedMultibulkLength));
        }
        self.count = count;
        self.pass_line(line.len());
        Ok(())
    }

    #[inline]
    fn read_argument<'r>(&mut self, input: &[u8], bounds: &RequestBounds) -> Result<(), RequestRead<'r>> {
        let len = match self.bulk {
            Some(len) => len,
            None => self.read_len(input, bounds)?,
        };
        // Any two bytes after it are skipped, as in Redis.
        let end = self.at + len + 2;
        if input.len() < end {
            self.bulk = Some(len);
            return Err(RequestRead::More { total: end });
        }
        self.bulk = None;
        if self.is_stored {
            self.spans.push(Span::new(self.store.len(), len));
            self.store.extend_from_slice(&input[self.at..self.at + len]);
        } else {
            self.spans.push(Span::new(self.at, len));
        }
        self.at = end;
        Ok(())
    }

    /// The length of the argument that comes next.
    #[inline]
    fn read_len<'r>(&mut self, input: &[u8], bounds: &RequestBounds) -> Result<usize, RequestRead<'r>> {
        if let Some((len, line_len)) = short_number(input.get(self.at..).unwrap_or_default(), b'$') {
            let end = self.at + self.store.len() + len;
            if len <= bounds.value_max.min(UNKNOWN_CLIENT_BULK_MAX) && end <= bounds.request_max {
                self.pass_line(line_len);
                return Ok(len);
            }
        }
        self.read_any_len(input, bounds)
    }

    fn read_any_len<'r>(&mut self, input: &[u8], bounds: &RequestBounds) -> Result<usize, RequestRead<'r>> {
        let line = self.line(input, RespFault::BigBulkCount)?;
        let refused = |fault| Err(RequestRead::Refused(fault));
        let digits = match line {
            [b'$', digits @ ..] => digits,
            // The line's end, if the line is empty.
            other => return refused(RespFault::NotBulk(other.first().copied().unwrap_or(b'\r'))),
        };
        let len = match parse_integer(digits).and_then(|len| usize::try_from(len).ok()) {
            Some(len) if len <= BULK_MAX => len,
            _ => return refused(RespFault::BulkLength),
        };
        if bounds.is_unknown && len > UNKNOWN_CLIENT_BULK_MAX {
            return refused(RespFault::UnauthenticatedBulkLength);
        }
        self.pass_line(line.len());
        if len > bounds.value_max {
            return Err(self.pass_large(input, len));
        }
        if self.at + self.store.len() + len > bounds.request_max.min(u32::MAX as usize) {
            return refused(RespFault::LongRequest);
        }
        Ok(len)
    }

    /// Reads over an argument, of which a part may be there.
    #[cold]
    fn pass_large<'r>(&mut self, input: &[u8], len: usize) -> RequestRead<'r> {
        self.keep(input);
        self.not_kept.too_large.get_or_insert((self.spans.len(), len));
        self.spans.push(Span::EMPTY);
        let begin = std::mem::take(&mut self.at);
        let here = (input.len() - begin).min(len + 2);
        RequestRead::Swallow { consumed: begin + here, swallow: len + 2 - here }
    }

    /// Copies the arguments found so far, before the input that holds them is reused.
    #[cold]
    fn keep(&mut self, input: &[u8]) {
        if self.is_stored {
            return;
        }
        self.is_stored = true;
        for span in &mut self.spans {
            let argument = span.of(input);
            *span = Span::new(self.store.len(), argument.len());
            self.store.extend_from_slice(argument);
        }
    }

    /// The line that comes next, without its end.
    #[inline]
    fn line<'i, 'r>(&mut self, input: &'i [u8], too_long: RespFault) -> Result<&'i [u8], RequestRead<'r>> {
        if self.at > input.len() {
            return Err(RequestRead::More { total: self.at + 1 });
        }
        let rest = &input[self.at..];
        // A zero byte ends the search, as in Redis: such a line has no end.
        let found = memchr2(b'\r', 0, rest.get(self.scanned..).unwrap_or_default()).map(|end| self.scanned + end);
        if let Some(end) = found.filter(|end| *end <= LINE_MAX && rest[*end] == b'\r') {
            // Any byte after it is skipped.
            if end + 1 < rest.len() {
                return Ok(&rest[..end]);
            }
        } else if rest.len() > LINE_MAX {
            return Err(RequestRead::Refused(too_long));
        }
        self.scanned = found.unwrap_or(rest.len());
        Err(RequestRead::More { total: input.len() + 1 })
    }

    fn pass_line(&mut self, len: usize) {
        self.at += len + 2;
        self.scanned = 0;
    }
}

/// The number of a short line of this kind, which is whole, and the line's length. None: it takes a closer look.
#[inline]
fn short_number(input: &[u8], kind: u8) -> Option<(usize, usize)> {
    let (first, digits) = input.split_first()?;
    if *first != kind {
        return None;
    }
    let mut number = 0;
    for (len, byte) in digits.iter().take(6).enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            let is_canonical = len == 1 || len > 1 && digits[0] != b'0';
            return (is_canonical && *byte == b'\r' && digits.len() > len + 1).then_some((number, len + 1));
        }
        number = number * 10 + usize::from(digit);
    }
    None
}

/// What browsers say.
fn is_http(name: &[u8]) -> bool {
    matches!(name.len(), 4 | 5) && (name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::write_arguments;

    /// A connection that has sent a million arguments, or a large one in the middle, is idle with little memory.
    #[test]
    fn large_requests_leave_little_behind() {
        let mut input = Vec::new();
        write_arguments(&mut input, &vec![b"a"; 100_000]);
        input.extend_from_slice(b"*3\r\n$1\r\nS\r\n$2000\r\n");
        let diverted_at = input.len();
        input.extend_from_slice(&[b'v'; 2002]);
        let mut rest = Vec::new();
        write_arguments(&mut rest, &[vec![b'w'; 100_000]]);
        input.extend_from_slice(&rest[4..]);
        let bounds = RequestBounds::new(1 << 20);
        let mut reader = RequestReader::new();
        let RequestRead::Request { request, consumed } = reader.read(&input, &bounds) else { panic!() };
        assert_eq!(request.len(), 100_000);
        assert!(matches!(reader.read(&input[consumed..diverted_at + 7], &bounds), RequestRead::More { .. }));
        assert_eq!(reader.divert(&input[consumed..diverted_at + 7]), Some(diverted_at - consumed));
        let behind = &input[diverted_at + 2000..];
        let RequestRead::Request { request, consumed } = reader.read(behind, &bounds) else { panic!() };
        assert_eq!((request.len(), request.get(2).len(), consumed), (3, 100_000, behind.len()));
        assert_eq!(request.not_kept().diverted, Some((1, 2000)));
        assert!(matches!(reader.read(b"", &bounds), RequestRead::More { total: 1 }));
        assert!(reader.spans.capacity() <= SPANS_KEPT && reader.store.capacity() <= STORE_KEPT);
    }
}

//! From the front of the input to one request: the header, then extras, key and value by the lengths that it tells.
use super::{opcode, BinaryCommand, BinaryRefusal, BinaryRequest, Status, HEADER_LEN};
use crate::{Limits, Parsed, StoreMode, BINARY_REQUEST, KEY_MAX};

type Outcome<'a> = Parsed<BinaryRequest<'a>, BinaryRefusal<'a>>;

/// A body is no longer than this; memcached hangs up on what would be a negative number to it.
pub(super) const BODY_MAX: usize = i32::MAX as usize;

/// The exptime of a count that shall not make a missing number.
pub(super) const DO_NOT_CREATE: u32 = u32::MAX;

/// Reads one request from the front of `input`.
pub fn parse<'a>(input: &'a [u8], limits: &Limits) -> Outcome<'a> {
    match input.first() {
        None => return Parsed::More { total: HEADER_LEN, scanned: 0 },
        Some(&BINARY_REQUEST) => {}
        Some(_) => {
            let refusal = BinaryRefusal { opcode: 0, opaque: 0, status: None, forget: None, close: true };
            return Parsed::Refused { refusal, consumed: input.len(), swallow: 0 };
        }
    }
    match input.split_first_chunk() {
        Some((header, body)) => Frame::read(header).parse(body, limits),
        None => Parsed::More { total: HEADER_LEN, scanned: 0 },
    }
}

/// The request of which `parse` said `More`, without its value, and where that begins: for a store whose value is
/// received somewhere else. None: its key has not come yet.
pub fn parse_front(input: &[u8]) -> Option<(BinaryRequest<'_>, usize)> {
    let (header, body) = input.split_first_chunk()?;
    let frame = Frame::read(header);
    let front_len = frame.extras_len + frame.key_len;
    Some((frame.request(body.get(..front_len)?), HEADER_LEN + front_len))
}

/// Facts in a header before its body has come, for a server that accepts bodies only from known clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// As on the wire.
    pub opcode: u8,
    /// As on the wire.
    pub opaque: u32,
    /// Bytes of the key.
    pub key_len: usize,
    /// Bytes behind the key.
    pub value_len: usize,
    /// Bytes behind the header.
    pub body_len: usize,
}

impl Head {
    /// Sasl Auth and Sasl Step: the value is what only the server is to know.
    pub fn is_sign_in(&self) -> bool {
        matches!(self.opcode, opcode::SASL_AUTH | opcode::SASL_STEP)
    }

    /// Commands allowed before the sign-in, as in memcached: the version, and the sign-in itself.
    pub fn is_open_to_all(&self) -> bool {
        self.is_sign_in() || matches!(self.opcode, opcode::VERSION | opcode::SASL_LIST)
    }
}

/// The header at the front of `input`. `None`: incomplete, or `parse` refuses it in any case.
pub fn parse_head(input: &[u8]) -> Option<Head> {
    let (header, _) = input.split_first_chunk()?;
    let Frame { opcode, opaque, key_len, extras_len, body_len, .. } = Frame::read(header);
    let value_len = body_len.checked_sub(key_len + extras_len)?;
    (header[0] == BINARY_REQUEST).then_some(Head { opcode, opaque, key_len, value_len, body_len })
}

/// What the header tells.
struct Frame {
    opcode: u8,
    key_len: usize,
    extras_len: usize,
    body_len: usize,
    opaque: u32,
    cas: u64,
}

impl Frame {
    fn read(header: &[u8; HEADER_LEN]) -> Frame {
        let [_, opcode, k0, k1, extras_len, _, _, _, b0, b1, b2, b3, o0, o1, o2, o3, cas @ ..] = *header;
        Frame {
            opcode,
            key_len: usize::from(u16::from_be_bytes([k0, k1])),
            extras_len: usize::from(extras_len),
            body_len: u32::from_be_bytes([b0, b1, b2, b3]) as usize,
            opaque: u32::from_be_bytes([o0, o1, o2, o3]),
            cas: u64::from_be_bytes(cas),
        }
    }

    fn parse<'a>(&self, body: &'a [u8], limits: &Limits) -> Outcome<'a> {
        if self.body_len > BODY_MAX {
            return self.hang_up(None, body);
        }
        let Some(value_len) = self.body_len.checked_sub(self.key_len + self.extras_len) else {
            return self.hang_up(Some(Status::UnknownCommand), body);
        };
        let Some(shape) = RequestShape::of(self.opcode) else {
            return self.refuse(Status::UnknownCommand, None, body);
        };
        if !shape.fits(self.extras_len, self.key_len, value_len) {
            return self.hang_up(Some(Status::InvalidArguments), body);
        }
        if value_len > limits.value_max {
            // Only a plain set replaces unconditionally; the others may fail and keep the existing value.
            let replaces = matches!(self.opcode, opcode::SET | opcode::SET_QUIET) && self.cas == 0;
            let Some(key) = body.get(self.extras_len..self.extras_len + self.key_len) else {
                return Parsed::More { total: HEADER_LEN + self.extras_len + self.key_len, scanned: 0 };
            };
            return self.refuse(Status::TooLarge, replaces.then_some(key), body);
        }
        match body.get(..self.body_len) {
            Some(body) => Parsed::Request { request: self.request(body), consumed: HEADER_LEN + self.body_len },
            None => Parsed::More { total: HEADER_LEN + self.body_len, scanned: 0 },
        }
    }

    /// The request of a body that has its extras and its key, and its value or none of it.
    fn request<'a>(&self, body: &'a [u8]) -> BinaryRequest<'a> {
        let (extras, rest) = body.split_at(self.extras_len);
        let (key, value) = rest.split_at(self.key_len);
        let (command, quiet) = command(self.opcode, extras, key, value);
        BinaryRequest { opcode: self.opcode, opaque: self.opaque, cas: self.cas, quiet, command }
    }

    fn refuse<'a>(&self, status: Status, forget: Option<&'a [u8]>, body: &[u8]) -> Outcome<'a> {
        let refusal =
            BinaryRefusal { opcode: self.opcode, opaque: self.opaque, status: Some(status), forget, close: false };
        let here = self.body_len.min(body.len());
        Parsed::Refused { refusal, consumed: HEADER_LEN + here, swallow: self.body_len - here }
    }

    /// Impossible lengths: no header can follow.
    fn hang_up<'a>(&self, status: Option<Status>, body: &[u8]) -> Outcome<'a> {
        let refusal = BinaryRefusal { opcode: self.opcode, opaque: self.opaque, status, forget: None, close: true };
        Parsed::Refused { refusal, consumed: HEADER_LEN + body.len(), swallow: 0 }
    }
}

/// Which parts a command has.
#[derive(Clone, Copy)]
pub(super) struct RequestShape {
    extras: &'static [usize],
    key: Part,
    has_value: bool,
}

#[derive(Clone, Copy)]
enum Part {
    None,
    Optional,
    Needed,
}

impl RequestShape {
    pub(super) fn of(opcode: u8) -> Option<RequestShape> {
        use opcode::*;
        let shape = |extras, key, has_value| Some(RequestShape { extras, key, has_value });
        match opcode {
            GET | GET_QUIET | GET_KEY | GET_KEY_QUIET | DELETE | DELETE_QUIET => shape(&[0], Part::Needed, false),
            SET | SET_QUIET | ADD | ADD_QUIET | REPLACE | REPLACE_QUIET => shape(&[8], Part::Needed, true),
            APPEND | APPEND_QUIET | PREPEND | PREPEND_QUIET => shape(&[0], Part::Needed, true),
            INCREMENT | INCREMENT_QUIET | DECREMENT | DECREMENT_QUIET => shape(&[20], Part::Needed, false),
            TOUCH | GAT | GAT_QUIET | GAT_KEY | GAT_KEY_QUIET => shape(&[4], Part::Needed, false),
            FLUSH | FLUSH_QUIET => shape(&[0, 4], Part::None, false),
            VERBOSITY => shape(&[4], Part::None, false),
            STAT => shape(&[0], Part::Optional, false),
            NOOP | VERSION | QUIT | QUIT_QUIET | SASL_LIST => shape(&[0], Part::None, false),
            SASL_AUTH | SASL_STEP => shape(&[0], Part::Needed, true),
            _ => None,
        }
    }

    pub(super) fn fits(&self, extras_len: usize, key_len: usize, value_len: usize) -> bool {
        let key_fits = match self.key {
            Part::None => key_len == 0,
            Part::Optional => key_len <= KEY_MAX,
            Part::Needed => (1..=KEY_MAX).contains(&key_len),
        };
        key_fits && self.extras.contains(&extras_len) && (self.has_value || value_len == 0)
    }
}

/// The parts of a body whose lengths are right for its opcode, and whether the command is quiet.
fn command<'a>(opcode: u8, extras: &'a [u8], key: &'a [u8], value: &'a [u8]) -> (BinaryCommand<'a>, bool) {
    use opcode::*;
    let exptime = |at| i64::from(u32_at(extras, at) as i32);
    let get = |with_key| BinaryCommand::Get { key, with_key, touch: None };
    let get_and_touch = |with_key| BinaryCommand::Get { key, with_key, touch: Some(exptime(0)) };
    let store = |verb| BinaryCommand::Store { verb, key, flags: u32_at(extras, 0), exptime: exptime(4), value };
    let concat = |verb| BinaryCommand::Store { verb, key, flags: 0, exptime: 0, value };
    let count = |is_decrement| {
        let initial = (u32_at(extras, 16) != DO_NOT_CREATE).then(|| (u64_at(extras, 8), exptime(16)));
        BinaryCommand::Count { key, is_decrement, delta: u64_at(extras, 0), initial }
    };
    let flush = || BinaryCommand::Flush { exptime: (!extras.is_empty()).then(|| exptime(0)) };
    match opcode {
        GET => (get(false), false),
        GET_QUIET => (get(false), true),
        GET_KEY => (get(true), false),
        GET_KEY_QUIET => (get(true), true),
        GAT => (get_and_touch(false), false),
        GAT_QUIET => (get_and_touch(false), true),
        GAT_KEY => (get_and_touch(true), false),
        GAT_KEY_QUIET => (get_and_touch(true), true),
        SET => (store(StoreMode::Set), false),
        SET_QUIET => (store(StoreMode::Set), true),
        ADD => (store(StoreMode::Add), false),
        ADD_QUIET => (store(StoreMode::Add), true),
        REPLACE => (store(StoreMode::Replace), false),
        REPLACE_QUIET => (store(StoreMode::Replace), true),
        APPEND => (concat(StoreMode::Append), false),
        APPEND_QUIET => (concat(StoreMode::Append), true),
        PREPEND => (concat(StoreMode::Prepend), false),
        PREPEND_QUIET => (concat(StoreMode::Prepend), true),
        DELETE => (BinaryCommand::Delete { key }, false),
        DELETE_QUIET => (BinaryCommand::Delete { key }, true),
        INCREMENT => (count(false), false),
        INCREMENT_QUIET => (count(false), true),
        DECREMENT => (count(true), false),
        DECREMENT_QUIET => (count(true), true),
        TOUCH => (BinaryCommand::Touch { key, exptime: exptime(0) }, false),
        FLUSH => (flush(), false),
        FLUSH_QUIET => (flush(), true),
        VERSION => (BinaryCommand::Version, false),
        STAT => (BinaryCommand::Stat { subject: key }, false),
        VERBOSITY => (BinaryCommand::Verbosity { level: u32_at(extras, 0) }, false),
        QUIT => (BinaryCommand::Quit, false),
        QUIT_QUIET => (BinaryCommand::Quit, true),
        SASL_LIST => (BinaryCommand::SaslList, false),
        SASL_AUTH => (BinaryCommand::SaslAuth { mechanism: key, message: value }, false),
        SASL_STEP => (BinaryCommand::SaslStep { mechanism: key, message: value }, false),
        // `RequestShape::of` lets nothing else through.
        _ => (BinaryCommand::Noop, false),
    }
}

/// Extras have the length of the `RequestShape`; missing bytes would read as zeros.
fn u32_at(extras: &[u8], at: usize) -> u32 {
    extras.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn u64_at(extras: &[u8], at: usize) -> u64 {
    extras.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { value_max: 8 };

    fn frame(opcode: u8, extras: &[u8], key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut bytes = vec![BINARY_REQUEST, opcode];
        bytes.extend((key.len() as u16).to_be_bytes());
        bytes.extend([extras.len() as u8, 0, 0, 0]);
        bytes.extend(((extras.len() + key.len() + value.len()) as u32).to_be_bytes());
        bytes.extend(0xdead_beef_u32.to_be_bytes());
        bytes.extend(7_u64.to_be_bytes());
        bytes.extend([extras, key, value].concat());
        bytes
    }

    #[test]
    fn commands_and_their_quiet_variants() {
        let key = b"k".as_slice();
        let touch = 5_u32.to_be_bytes();
        let store = [9_u32.to_be_bytes(), u32::MAX.to_be_bytes()].concat();
        let count = [2_u64.to_be_bytes().as_slice(), &3_u64.to_be_bytes(), &60_u32.to_be_bytes()].concat();
        let frozen = [2_u64.to_be_bytes().as_slice(), &3_u64.to_be_bytes(), &u32::MAX.to_be_bytes()].concat();
        let get = |with_key, touch| BinaryCommand::Get { key, with_key, touch };
        let set = |verb| BinaryCommand::Store { verb, key, flags: 9, exptime: -1, value: b"v" };
        let add = |verb| BinaryCommand::Store { verb, key, flags: 0, exptime: 0, value: b"v" };
        let sum = |is_decrement, initial| BinaryCommand::Count { key, is_decrement, delta: 2, initial };
        for (opcode, extras, key, value, command, quiet) in [
            (0x00, [].as_slice(), "k", "", get(false, None), false),
            (0x09, &[], "k", "", get(false, None), true),
            (0x0c, &[], "k", "", get(true, None), false),
            (0x0d, &[], "k", "", get(true, None), true),
            (0x1d, &touch, "k", "", get(false, Some(5)), false),
            (0x1e, &touch, "k", "", get(false, Some(5)), true),
            (0x23, &touch, "k", "", get(true, Some(5)), false),
            (0x24, &touch, "k", "", get(true, Some(5)), true),
            (0x01, &store, "k", "v", set(StoreMode::Set), false),
            (0x11, &store, "k", "v", set(StoreMode::Set), true),
            (0x02, &store, "k", "v", set(StoreMode::Add), false),
            (0x12, &store, "k", "v", set(StoreMode::Add), true),
            (0x03, &store, "k", "v", set(StoreMode::Replace), false),
            (0x13, &store, "k", "v", set(StoreMode::Replace), true),
            (0x0e, &[], "k", "v", add(StoreMode::Append), false),
            (0x19, &[], "k", "v", add(StoreMode::Append), true),
            (0x0f, &[], "k", "v", add(StoreMode::Prepend), false),
            (0x1a, &[], "k", "v", add(StoreMode::Prepend), true),
            (0x04, &[], "k", "", BinaryCommand::Delete { key }, false),
            (0x14, &[], "k", "", BinaryCommand::Delete { key }, true),
            (0x05, &count, "k", "", sum(false, Some((3, 60))), false),
            (0x15, &frozen, "k", "", sum(false, None), true),
            (0x06, &count, "k", "", sum(true, Some((3, 60))), false),
            (0x16, &count, "k", "", sum(true, Some((3, 60))), true),
            (0x1c, &touch, "k", "", BinaryCommand::Touch { key, exptime: 5 }, false),
            (0x08, &[], "", "", BinaryCommand::Flush { exptime: None }, false),
            (0x18, &touch, "", "", BinaryCommand::Flush { exptime: Some(5) }, true),
            (0x0a, &[], "", "", BinaryCommand::Noop, false),
            (0x0b, &[], "", "", BinaryCommand::Version, false),
            (0x10, &[], "", "", BinaryCommand::Stat { subject: b"" }, false),
            (0x10, &[], "reset", "", BinaryCommand::Stat { subject: b"reset" }, false),
            (0x1b, &touch, "", "", BinaryCommand::Verbosity { level: 5 }, false),
            (0x07, &[], "", "", BinaryCommand::Quit, false),
            (0x17, &[], "", "", BinaryCommand::Quit, true),
            (0x20, &[], "", "", BinaryCommand::SaslList, false),
            (0x21, &[], "PLAIN", "m", BinaryCommand::SaslAuth { mechanism: b"PLAIN", message: b"m" }, false),
            (0x22, &[], "PLAIN", "", BinaryCommand::SaslStep { mechanism: b"PLAIN", message: b"" }, false),
        ] {
            let input = frame(opcode, extras, key.as_bytes(), value.as_bytes());
            let request = BinaryRequest { opcode, opaque: 0xdead_beef, cas: 7, quiet, command };
            assert_eq!(parse(&input, &LIMITS), Parsed::Request { request, consumed: input.len() }, "{opcode:#x}");
        }
    }

    #[test]
    fn an_unfinished_request_says_how_much_it_needs() {
        let input = frame(0x01, &[0; 8], b"key", b"value");
        for len in 0..input.len() {
            let total = if len < HEADER_LEN { HEADER_LEN } else { input.len() };
            assert_eq!(parse(&input[..len], &LIMITS), Parsed::More { total, scanned: 0 }, "{len}");
        }
    }

    #[test]
    fn a_header_tells_before_its_body_has_come() {
        let input = frame(0x21, &[], b"PLAIN", b"message");
        let head = Head { opcode: 0x21, opaque: 0xdead_beef, key_len: 5, value_len: 7, body_len: 12 };
        for len in 0..=input.len() {
            assert_eq!(parse_head(&input[..len]), (len >= HEADER_LEN).then_some(head), "{len}");
        }
        assert!(head.is_sign_in() && head.is_open_to_all());
        for (opcode, is_open) in [(0x0b, true), (0x20, true), (0x22, true), (0x00, false), (0x07, false), (0x55, false)]
        {
            assert_eq!(parse_head(&frame(opcode, &[], b"", b"")).map(|head| head.is_open_to_all()), Some(is_open));
        }
        let mut short_body = frame(0x00, &[], b"foo", b"");
        short_body[11] = 1;
        assert_eq!(parse_head(&short_body), None);
    }

    #[test]
    fn requests_that_make_no_sense() {
        let long = [b'k'; KEY_MAX + 1];
        let mut short_body = frame(0x00, &[], b"foo", b"");
        short_body[11] = 1;
        let mut huge_body = frame(0x01, &[0; 8], b"foo", b"");
        huge_body[8] = 0xff;
        let answer =
            frame(0x00, &[], b"foo", b"").into_iter().map(|byte| if byte == 0x80 { 0x81 } else { byte }).collect();
        for (input, status) in [
            (frame(0x00, &[], b"", b""), Some(Status::InvalidArguments)),
            (frame(0x00, b"abcd", b"foo", b""), Some(Status::InvalidArguments)),
            (frame(0x00, &[], b"foo", b"v"), Some(Status::InvalidArguments)),
            (frame(0x00, &[], &long, b""), Some(Status::InvalidArguments)),
            (frame(0x01, &[], b"foo", b"v"), Some(Status::InvalidArguments)),
            (frame(0x05, &[0; 8], b"n", b""), Some(Status::InvalidArguments)),
            (frame(0x0a, &[], b"k", b""), Some(Status::InvalidArguments)),
            (frame(0x08, b"ab", b"", b""), Some(Status::InvalidArguments)),
            (frame(0x10, b"abcd", b"", b""), Some(Status::InvalidArguments)),
            (short_body, Some(Status::UnknownCommand)),
            (huge_body, None),
            (answer, None),
        ] {
            match parse(&input, &LIMITS) {
                Parsed::Refused { refusal, consumed, swallow: 0 } if refusal.close && consumed == input.len() => {
                    assert_eq!(refusal.status, status, "{input:?}")
                }
                other => panic!("{input:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_unknown_or_too_large_is_swallowed() {
        let unknown = frame(0x25, b"ab", b"PLAIN", b"secret");
        let large = frame(0x01, &[0; 8], b"foo", b"123456789");
        let plain_large: Vec<u8> =
            large.iter().enumerate().map(|(at, byte)| if at == 23 { 0 } else { *byte }).collect();
        for (input, status, forget) in [
            (&unknown, Status::UnknownCommand, None),
            (&large, Status::TooLarge, None),
            (&plain_large, Status::TooLarge, Some(b"foo".as_slice())),
        ] {
            let refusal =
                BinaryRefusal { opcode: input[1], opaque: 0xdead_beef, status: Some(status), forget, close: false };
            assert_eq!(parse(input, &LIMITS), Parsed::Refused { refusal, consumed: input.len(), swallow: 0 });
            let cut = input.len() - 4;
            assert_eq!(parse(&input[..cut], &LIMITS), Parsed::Refused { refusal, consumed: cut, swallow: 4 });
        }
    }
}

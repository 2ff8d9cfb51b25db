//! Requests, as a client writes them.
use super::opcode::*;
use super::request_read::{RequestShape, BODY_MAX, DO_NOT_CREATE};
use super::{BinaryCommand, BinaryRequest, HEADER_LEN};
use crate::{StoreMode, BINARY_REQUEST};

impl<'a> BinaryRequest<'a> {
    /// A request for any version of the item. `quiet` is ignored where the protocol has no quiet variant.
    pub fn new(command: BinaryCommand<'a>, quiet: bool, opaque: u32) -> BinaryRequest<'a> {
        let (loud, silent) = opcodes(&command);
        BinaryRequest {
            opcode: if quiet { silent } else { loud },
            opaque,
            cas: 0,
            quiet: quiet && loud != silent,
            command,
        }
    }

    /// The same for this version only; 0 = any.
    pub fn with_cas(self, cas: u64) -> BinaryRequest<'a> {
        BinaryRequest { cas, ..self }
    }

    /// Appends it. False, and nothing is written, if the key is empty or too long, or the value too large for the
    /// header.
    #[must_use]
    pub fn write(&self, out: &mut Vec<u8>) -> bool {
        let mut extras = Extras::default();
        let (key, value) = self.parts(&mut extras);
        let body_len = extras.len + key.len() + value.len();
        let fits = RequestShape::of(self.opcode).is_some_and(|shape| shape.fits(extras.len, key.len(), value.len()));
        if !fits || body_len > BODY_MAX {
            return false;
        }
        let mut header = [0; HEADER_LEN];
        header[0] = BINARY_REQUEST;
        header[1] = self.opcode;
        header[2..4].copy_from_slice(&(key.len() as u16).to_be_bytes());
        header[4] = extras.len as u8;
        header[8..12].copy_from_slice(&(body_len as u32).to_be_bytes());
        header[12..16].copy_from_slice(&self.opaque.to_be_bytes());
        header[16..24].copy_from_slice(&self.cas.to_be_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(&extras.bytes[..extras.len]);
        out.extend_from_slice(key);
        out.extend_from_slice(value);
        true
    }

    /// Fills the extras; returns key and value.
    fn parts(&self, extras: &mut Extras) -> (&'a [u8], &'a [u8]) {
        let none = b"".as_slice();
        match self.command {
            BinaryCommand::Get { key, touch, .. } => {
                if let Some(exptime) = touch {
                    extras.push(&exptime_bytes(exptime));
                }
                (key, none)
            }
            BinaryCommand::Store { verb: StoreMode::Append | StoreMode::Prepend, key, value, .. } => (key, value),
            BinaryCommand::Store { key, flags, exptime, value, .. } => {
                extras.push(&flags.to_be_bytes());
                extras.push(&exptime_bytes(exptime));
                (key, value)
            }
            BinaryCommand::Delete { key } => (key, none),
            BinaryCommand::Count { key, delta, initial, .. } => {
                extras.push(&delta.to_be_bytes());
                let (initial, exptime) = match initial {
                    Some((initial, exptime)) => (initial, exptime_bytes(exptime)),
                    None => (0, DO_NOT_CREATE.to_be_bytes()),
                };
                extras.push(&initial.to_be_bytes());
                extras.push(&exptime);
                (key, none)
            }
            BinaryCommand::Touch { key, exptime } => {
                extras.push(&exptime_bytes(exptime));
                (key, none)
            }
            BinaryCommand::Flush { exptime } => {
                if let Some(exptime) = exptime {
                    extras.push(&exptime_bytes(exptime));
                }
                (none, none)
            }
            BinaryCommand::Verbosity { level } => {
                extras.push(&level.to_be_bytes());
                (none, none)
            }
            BinaryCommand::Stat { subject } => (subject, none),
            BinaryCommand::SaslAuth { mechanism, message } | BinaryCommand::SaslStep { mechanism, message } => {
                (mechanism, message)
            }
            BinaryCommand::Noop | BinaryCommand::Version | BinaryCommand::Quit | BinaryCommand::SaslList => {
                (none, none)
            }
        }
    }
}

/// The loud and the quiet opcode; the same twice where there is no quiet one.
fn opcodes(command: &BinaryCommand<'_>) -> (u8, u8) {
    match command {
        BinaryCommand::Get { with_key: false, touch: None, .. } => (GET, GET_QUIET),
        BinaryCommand::Get { with_key: true, touch: None, .. } => (GET_KEY, GET_KEY_QUIET),
        BinaryCommand::Get { with_key: false, touch: Some(_), .. } => (GAT, GAT_QUIET),
        BinaryCommand::Get { with_key: true, touch: Some(_), .. } => (GAT_KEY, GAT_KEY_QUIET),
        BinaryCommand::Store { verb: StoreMode::Set, .. } => (SET, SET_QUIET),
        BinaryCommand::Store { verb: StoreMode::Add, .. } => (ADD, ADD_QUIET),
        BinaryCommand::Store { verb: StoreMode::Replace, .. } => (REPLACE, REPLACE_QUIET),
        BinaryCommand::Store { verb: StoreMode::Append, .. } => (APPEND, APPEND_QUIET),
        BinaryCommand::Store { verb: StoreMode::Prepend, .. } => (PREPEND, PREPEND_QUIET),
        BinaryCommand::Delete { .. } => (DELETE, DELETE_QUIET),
        BinaryCommand::Count { is_decrement: false, .. } => (INCREMENT, INCREMENT_QUIET),
        BinaryCommand::Count { is_decrement: true, .. } => (DECREMENT, DECREMENT_QUIET),
        BinaryCommand::Touch { .. } => (TOUCH, TOUCH),
        BinaryCommand::Flush { .. } => (FLUSH, FLUSH_QUIET),
        BinaryCommand::SaslList => (SASL_LIST, SASL_LIST),
        BinaryCommand::SaslAuth { .. } => (SASL_AUTH, SASL_AUTH),
        BinaryCommand::SaslStep { .. } => (SASL_STEP, SASL_STEP),
        BinaryCommand::Noop => (NOOP, NOOP),
        BinaryCommand::Version => (VERSION, VERSION),
        BinaryCommand::Stat { .. } => (STAT, STAT),
        BinaryCommand::Verbosity { .. } => (VERBOSITY, VERBOSITY),
        BinaryCommand::Quit => (QUIT, QUIT_QUIET),
    }
}

/// The wire has 32 bits. What does not fit lies decades away on either side.
fn exptime_bytes(exptime: i64) -> [u8; 4] {
    (exptime.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32).to_be_bytes()
}

/// At most the 20 bytes of a count.
#[derive(Default)]
struct Extras {
    bytes: [u8; 20],
    len: usize,
}

impl Extras {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::{Limits, Parsed};

    #[test]
    fn what_is_written_is_read_back() {
        let (key, value) = (b"a key".as_slice(), b"value".as_slice());
        let store = |verb| match verb {
            StoreMode::Append | StoreMode::Prepend => BinaryCommand::Store { verb, key, flags: 0, exptime: 0, value },
            _ => BinaryCommand::Store { verb, key, flags: 7, exptime: -1, value },
        };
        let mut commands = vec![
            BinaryCommand::Delete { key },
            BinaryCommand::Touch { key, exptime: 60 },
            BinaryCommand::Flush { exptime: None },
            BinaryCommand::Flush { exptime: Some(9) },
            BinaryCommand::Noop,
            BinaryCommand::Version,
            BinaryCommand::Quit,
            BinaryCommand::Stat { subject: b"" },
            BinaryCommand::Stat { subject: b"items" },
            BinaryCommand::Verbosity { level: 2 },
        ];
        commands.extend(
            [StoreMode::Set, StoreMode::Add, StoreMode::Replace, StoreMode::Append, StoreMode::Prepend].map(store),
        );
        for is_so in [false, true] {
            commands.extend([None, Some(60)].map(|touch| BinaryCommand::Get { key, with_key: is_so, touch }));
            commands.extend([None, Some((5, 60))].map(|initial| BinaryCommand::Count {
                key,
                is_decrement: is_so,
                delta: 3,
                initial,
            }));
        }
        for command in commands {
            for quiet in [false, true] {
                let request = BinaryRequest::new(command, quiet, 0xdead_beef).with_cas(11);
                let mut out = Vec::new();
                assert!(request.write(&mut out));
                let want = Parsed::Request { request, consumed: out.len() };
                assert_eq!(parse(&out, &Limits { value_max: 5 }), want, "{command:?}");
            }
        }
    }

    #[test]
    fn keys_that_no_header_can_carry_are_not_written() {
        let mut out = Vec::new();
        for key in [b"".as_slice(), &[b'k'; 251]] {
            assert!(!BinaryRequest::new(BinaryCommand::Delete { key }, false, 0).write(&mut out));
        }
        assert!(out.is_empty());
    }
}

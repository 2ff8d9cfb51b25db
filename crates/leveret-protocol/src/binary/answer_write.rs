//! Answers, as a server writes them: headers, and answers that are only a status.
use super::Status;

/// First byte of every answer.
pub const ANSWER: u8 = 0x81;

/// The header of an answer. Extras, key and value follow, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerHeader {
    /// Of the request.
    pub opcode: u8,
    /// Of the request.
    pub opaque: u32,
    /// How it went.
    pub status: Status,
    /// Version of the item; 0 if there is none.
    pub cas: u64,
    /// Bytes of extras.
    pub extras_len: usize,
    /// Bytes of the key.
    pub key_len: usize,
    /// Bytes of the value.
    pub value_len: usize,
}

impl AnswerHeader {
    /// Appends it. Lengths come from requests that were parsed, so they fit the wire's fields.
    pub fn write(&self, out: &mut Vec<u8>) {
        let body_len = self.extras_len + self.key_len + self.value_len;
        let mut header = [0; super::HEADER_LEN];
        header[0] = ANSWER;
        header[1] = self.opcode;
        header[2..4].copy_from_slice(&(self.key_len as u16).to_be_bytes());
        header[4] = self.extras_len as u8;
        header[6..8].copy_from_slice(&(self.status as u16).to_be_bytes());
        header[8..12].copy_from_slice(&(body_len as u32).to_be_bytes());
        header[12..16].copy_from_slice(&self.opaque.to_be_bytes());
        header[16..24].copy_from_slice(&self.cas.to_be_bytes());
        out.extend_from_slice(&header);
    }
}

/// A whole answer without extras, key and value but the text of the status, which a success has not.
pub fn write_status(out: &mut Vec<u8>, opcode: u8, opaque: u32, status: Status) {
    let text = status.text();
    AnswerHeader { opcode, opaque, status, cas: 0, extras_len: 0, key_len: 0, value_len: text.len() }.write(out);
    out.extend_from_slice(text.as_bytes());
}

impl Status {
    /// The status with this number; None if we do not know it.
    pub fn from_wire(number: u16) -> Option<Status> {
        use Status::*;
        let all = [
            Success,
            KeyNotFound,
            KeyExists,
            TooLarge,
            InvalidArguments,
            NotStored,
            NotNumber,
            AuthError,
            AuthContinue,
            UnknownCommand,
            OutOfMemory,
            TemporaryFailure,
        ];
        all.into_iter().find(|status| *status as u16 == number)
    }

    /// memcached's text in the body of such an answer.
    pub fn text(self) -> &'static str {
        match self {
            Status::Success => "",
            Status::KeyNotFound => "Not found",
            Status::KeyExists => "Data exists for key.",
            Status::TooLarge => "Too large.",
            Status::InvalidArguments => "Invalid arguments",
            Status::NotStored => "Not stored.",
            Status::NotNumber => "Non-numeric server-side value for incr or decr",
            Status::AuthError => "Auth failure.",
            Status::AuthContinue => "",
            Status::UnknownCommand => "Unknown command",
            Status::OutOfMemory => "Out of memory",
            Status::TemporaryFailure => "Temporary failure",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_whole_answer() {
        let mut out = Vec::new();
        write_status(&mut out, 0x0c, 0xdead_beef, Status::KeyNotFound);
        assert_eq!(out, b"\x81\x0c\0\0\0\0\0\x01\0\0\0\x09\xde\xad\xbe\xef\0\0\0\0\0\0\0\0Not found");
    }

    #[test]
    fn a_header_tells_its_parts() {
        let mut out = Vec::new();
        AnswerHeader { opcode: 0, opaque: 1, status: Status::Success, cas: 2, extras_len: 4, key_len: 3, value_len: 5 }
            .write(&mut out);
        assert_eq!(out, b"\x81\0\0\x03\x04\0\0\0\0\0\0\x0c\0\0\0\x01\0\0\0\0\0\0\0\x02");
    }
}

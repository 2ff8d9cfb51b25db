//! Sign-in by name and password (SASL PLAIN), on each new connection before anything else is sent. The answer is
//! bounded, and nothing may follow it.
use super::fault::Fault;
use super::stream::Wire;
use crate::code::Code;
use leveret_protocol::binary::{self, BinaryCommand, BinaryRequest, Status, HEADER_LEN};
use leveret_protocol::{Limits, Received};
use leveret_tls::wipe;
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::fmt;
use std::sync::Arc;

const PLAIN: &[u8] = b"PLAIN";

// Far longer than typed passwords, and shorter than what a server refuses unread.
const PART_MAX: usize = 4096;

// A server has little to say about it.
const ANSWER_MAX: usize = 4096;

/// A user's name and password. Neither is ever shown.
#[derive(PartialEq, Eq)]
pub struct Credentials {
    /// In PLAIN's format: an empty identity to act as, the name, the password, separated by zeros.
    message: Vec<u8>,
    is_lenient: bool,
}

impl Credentials {
    /// None: one of them has a zero in it, or is longer than 4096 bytes. Zeros separate them on their way. `is_lenient`
    /// = a server that knows no passwords is used without one, as Dalli does; else that is a failure.
    pub fn new(user: &[u8], password: &[u8], is_lenient: bool) -> Option<Credentials> {
        let is_good = |part: &[u8]| part.len() <= PART_MAX && !part.contains(&0);
        let message = || [b"\0", user, b"\0", password].concat();
        (is_good(user) && is_good(password)).then(|| Credentials { message: message(), is_lenient })
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Credentials")
    }
}

impl Drop for Credentials {
    fn drop(&mut self) {
        wipe(&mut self.message);
    }
}

/// State of a sign-in on one connection.
pub(crate) struct SignIn {
    credentials: Arc<Credentials>,
    output: Vec<u8>,
    sent: usize,
    input: Vec<u8>,
    /// The server has asked for the message once more, as it may where it does not take it along with the first request.
    has_stepped: bool,
}

impl fmt::Debug for SignIn {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("SignIn")
    }
}

impl Drop for SignIn {
    fn drop(&mut self) {
        wipe(&mut self.output);
    }
}

impl SignIn {
    pub fn new(credentials: &Arc<Credentials>) -> SignIn {
        let mut new = SignIn {
            credentials: Arc::clone(credentials),
            output: Vec::with_capacity(HEADER_LEN + PLAIN.len() + credentials.message.len()),
            sent: 0,
            input: Vec::new(),
            has_stepped: false,
        };
        new.say();
        new
    }

    fn command(&self) -> BinaryCommand<'_> {
        let message = self.credentials.message.as_slice();
        if self.has_stepped {
            BinaryCommand::SaslStep { mechanism: PLAIN, message }
        } else {
            BinaryCommand::SaslAuth { mechanism: PLAIN, message }
        }
    }

    /// There is room for it: output never moves, and leaves no copy behind.
    fn say(&mut self) {
        let mut output = std::mem::take(&mut self.output);
        output.clear();
        let is_written = BinaryRequest::new(self.command(), false, 0).write(&mut output);
        debug_assert!(is_written, "both parts are short");
        (self.output, self.sent) = (output, 0);
        self.input.clear();
    }

    pub fn has_unsent(&self) -> bool {
        self.sent < self.output.len()
    }

    /// Does what can be done without waiting. True = the server has let us in.
    pub fn advance(&mut self, wire: &mut Wire) -> Result<bool, Fault> {
        loop {
            while self.has_unsent() {
                match wire.send(&self.output[self.sent..]) {
                    Ok(len) => self.sent += len,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return Ok(false),
                    Err(errno) => return Err(Fault::system(Code::WriteFailure, errno)),
                }
            }
            let mut room = [0; 512];
            match wire.recv(&mut room, RecvFlags::DONTWAIT) {
                Ok(0) => return Err(Fault::new(Code::UnknownReadFailure)),
                Ok(len) => self.input.extend_from_slice(&room[..len]),
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Ok(false),
                Err(errno) => return Err(Fault::system(Code::UnknownReadFailure, errno)),
            }
            match self.heard()? {
                None => {}
                Some(Status::Success) => return Ok(true),
                Some(Status::AuthContinue) if !self.has_stepped => {
                    self.has_stepped = true;
                    self.say();
                }
                Some(Status::UnknownCommand) if self.credentials.is_lenient => return Ok(true),
                Some(Status::UnknownCommand) => return Err(Fault::new(Code::AuthProblem)),
                Some(_) => return Err(Fault::new(Code::AuthFailure)),
            }
        }
    }

    /// The answer, once it is whole.
    fn heard(&self) -> Result<Option<Status>, Fault> {
        let garbled = || Fault::new(Code::ProtocolError);
        match binary::parse_answer(&self.input, &Limits { value_max: ANSWER_MAX }) {
            Received::More { .. } => Ok(None),
            Received::Broken(_) => Err(garbled()),
            Received::Answer { answer, consumed } => {
                let asked = BinaryRequest::new(self.command(), false, 0);
                // Nothing else was asked.
                let is_answer = answer.opcode == asked.opcode && answer.opaque == 0 && consumed == self.input.len();
                answer.status().filter(|_| is_answer).map(Some).ok_or_else(garbled)
            }
        }
    }
}

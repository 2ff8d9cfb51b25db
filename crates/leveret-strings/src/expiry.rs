//! EX, PX, EXAT and PXAT.
use crate::call::Call;
use crate::clock;
use crate::problem::Problem;
use crate::words::{integer, is_word};
use leveret_engine::Deadline;
use leveret_protocol::resp::Arguments;

/// Unit of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// EX, EXPIRE.
    Seconds,
    /// PX, PEXPIRE.
    Milliseconds,
}

impl TimeUnit {
    /// As milliseconds; None: they have more than 64 bits.
    pub fn milliseconds(self, time: i64) -> Option<i64> {
        match self {
            TimeUnit::Seconds => time.checked_mul(1000),
            TimeUnit::Milliseconds => Some(time),
        }
    }
}

/// A time as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry<'r> {
    /// The number, unread.
    pub time: &'r [u8],
    /// Its unit.
    pub unit: TimeUnit,
    /// It is a Unix time.
    pub is_unix: bool,
}

impl Expiry<'_> {
    /// The moment.
    pub fn deadline(&self, call: &Call<'_>) -> Result<Deadline, Problem> {
        Ok(clock::deadline_of(self.unix_ms(call.name, clock::unix_ms())?))
    }

    /// The moment as a Unix time. The time that is given is above 0.
    pub fn unix_ms(&self, command: &'static str, now_ms: i64) -> Result<i64, Problem> {
        let time = self.unit.milliseconds(integer(self.time)?).filter(|time| *time > 0);
        let base = if self.is_unix { 0 } else { now_ms };
        time.and_then(|time| time.checked_add(base)).ok_or(Problem::ExpireTime(command))
    }
}

/// Reads such words among a command's options. One may be given again, and then the last counts; two different ones are
/// an error.
#[derive(Debug, Default)]
pub struct ExpiryWords<'r> {
    found: Option<Expiry<'r>>,
}

impl<'r> ExpiryWords<'r> {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.found.is_none()
    }

    /// Takes the word at `index` and the number behind it. False: it is none, or not one that may stand there.
    pub fn take(&mut self, request: &Arguments<'r>, index: usize) -> bool {
        let word = request.get(index);
        let (unit, is_unix) = match word {
            word if is_word(word, "EX") => (TimeUnit::Seconds, false),
            word if is_word(word, "PX") => (TimeUnit::Milliseconds, false),
            word if is_word(word, "EXAT") => (TimeUnit::Seconds, true),
            word if is_word(word, "PXAT") => (TimeUnit::Milliseconds, true),
            _ => return false,
        };
        let is_other = self.found.is_some_and(|found| (found.unit, found.is_unix) != (unit, is_unix));
        if is_other || index + 1 >= request.len() {
            return false;
        }
        self.found = Some(Expiry { time: request.get(index + 1), unit, is_unix });
        true
    }

    /// The given expiry.
    pub fn end(self) -> Option<Expiry<'r>> {
        self.found
    }
}

//! Replies, token by token, from which the caller makes its values.
use super::failure::RedisFailure;
use super::socket::Unread;
use super::RedisLink;
use leveret_protocol::resp::{read_token, whole_string, ReplyToken, TokenRead};

/// Collections within each other.
const DEPTH_MAX: usize = 32;

/// Longer strings are handed out where they lie only if they have come whole.
const IN_PLACE_MAX: u64 = (16 << 10) - 64;

/// Kind of a token. The numbers are those of the C ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum RedisKind {
    Status = 0,
    Error,
    Integer,
    Bulk,
    Nil,
    NilArray,
    Array,
    Map,
    Set,
    Push,
    Double,
    Boolean,
    BigNumber,
    Verbatim,
}

/// A token of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedisToken<'r> {
    /// Its kind.
    pub kind: RedisKind,
    /// Collections in which it is.
    pub depth: u32,
    /// A number, a truth as 0 or 1, or how many replies follow.
    pub number: i64,
    /// Bytes of the text.
    pub len: usize,
    /// The text; of a string only where it lies in one piece, else `copy` hands it out.
    pub text: Option<&'r [u8]>,
}

/// An unfinished collection.
#[derive(Clone, Copy, Debug)]
struct Level {
    left: u64,
    /// Not reported, and no element of the surrounding collection.
    is_skipped: bool,
}

/// How far the reply under way was read.
#[derive(Debug, Default)]
pub(super) struct ReplyWalk {
    levels: Vec<Level>,
    /// Bytes of the last token's string that were not used, its line's end included.
    body: u64,
    /// This many replies may be messages without a request.
    pub expected: u32,
}

/// A token's part in its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entered {
    /// Not reported.
    Skipped,
    /// With it the reply may be whole.
    Given { depth: usize, is_last: bool },
}

impl ReplyWalk {
    /// Not all of a reply was read.
    pub fn is_open(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Not all was read, the last string included.
    pub fn is_within(&self) -> bool {
        self.is_open() || self.body > 0
    }

    /// Bytes of the last string that were not passed.
    pub fn rest(&self) -> u64 {
        self.body
    }

    #[inline]
    fn enter(&mut self, token: &ReplyToken<'_>) -> Option<Entered> {
        let depth = self.levels.len();
        let is_inside_skipped = self.levels.last().is_some_and(|level| level.is_skipped);
        let (follow, is_beside) = match token {
            ReplyToken::Attributes(follow) => (*follow, true),
            ReplyToken::Push(follow) if depth == 0 && self.expected == 0 => (*follow, true),
            ReplyToken::Array(follow)
            | ReplyToken::Map(follow)
            | ReplyToken::Set(follow)
            | ReplyToken::Push(follow) => (*follow, false),
            _ => (0, false),
        };
        if !is_beside {
            if let Some(level) = self.levels.last_mut() {
                level.left -= 1;
            }
        }
        if follow > 0 {
            if depth >= DEPTH_MAX {
                return None;
            }
            self.levels.push(Level { left: follow, is_skipped: is_inside_skipped || is_beside });
        }
        while self.levels.last().is_some_and(|level| level.left == 0) {
            self.levels.pop();
        }
        Some(match is_inside_skipped || is_beside {
            true => Entered::Skipped,
            false => Entered::Given { depth, is_last: self.levels.is_empty() },
        })
    }
}

/// A token, and where its text lies in the input.
struct Step {
    kind: RedisKind,
    depth: usize,
    number: i64,
    text: Option<(usize, usize)>,
    len: usize,
}

impl RedisLink {
    /// The next token of the replies to a flush. A string that was not copied is passed over.
    pub fn next(&mut self, turn: u64) -> Result<RedisToken<'_>, RedisFailure> {
        if turn != self.turn || self.owed() == 0 {
            return Err(RedisFailure::turn());
        }
        match self.step() {
            Ok(Step { kind, depth, number, text, len }) => {
                let text = text.map(|(begin, len)| self.input.span(begin, len));
                Ok(RedisToken { kind, depth: depth as u32, number, len, text })
            }
            Err(failure) => {
                self.fail();
                Err(failure)
            }
        }
    }

    /// Remaining length of the last token's string.
    pub fn string_len(&self) -> Option<usize> {
        self.walk.body.checked_sub(2).and_then(|len| usize::try_from(len).ok())
    }

    /// The next bytes of the last token's string: as many as there is room for.
    pub fn copy(&mut self, turn: u64, room: &mut [u8]) -> Result<(), RedisFailure> {
        if turn != self.turn || self.walk.body < room.len() as u64 + 2 {
            return Err(RedisFailure::turn());
        }
        self.copy_all(room).inspect_err(|_| self.fail())
    }

    fn copy_all(&mut self, room: &mut [u8]) -> Result<(), RedisFailure> {
        let here = self.input.len().min(room.len());
        room[..here].copy_from_slice(&self.input.unread()[..here]);
        self.input.consume(here);
        let mut done = here;
        while done < room.len() {
            let socket = self.socket.as_mut().ok_or_else(RedisFailure::cut)?;
            let received = socket.receive_into(&mut room[done..], self.tuning.read_timeout);
            done += received.map_err(|_| RedisFailure::cut())?;
        }
        self.walk.body -= room.len() as u64;
        match self.walk.body {
            2 => self.pass_body(),
            _ => Ok(()),
        }
    }

    /// The next token, if it is a string that has come whole and ends nothing but itself: what most replies are. None:
    /// nothing was done.
    #[inline]
    fn string_here(&mut self) -> Option<Step> {
        let passed = usize::try_from(self.walk.body).ok()?;
        let (last, unread) = self.input.unread().split_at_checked(passed)?;
        let (begin, len) = whole_string(unread)?;
        let is_passed = passed == 0 || last.ends_with(b"\r\n");
        if !is_passed || !self.talk.is_idle() {
            return None;
        }
        let depth = self.walk.levels.len();
        match self.walk.levels.last_mut() {
            Some(level) if level.left < 2 || level.is_skipped => return None,
            Some(level) => level.left -= 1,
            None => self.replies_read += 1,
        }
        self.input.consume(passed + begin);
        self.walk.body = len as u64 + 2;
        Some(Step { kind: RedisKind::Bulk, depth, number: 0, text: Some((self.input.begin(), len)), len })
    }

    fn step(&mut self) -> Result<Step, RedisFailure> {
        loop {
            if let Some(step) = self.string_here() {
                return Ok(step);
            }
            if self.walk.body > 0 {
                self.pass_body()?;
            }
            let begin = self.input.begin();
            let (token, consumed) = match read_token(self.input.unread()) {
                TokenRead::Token { token, consumed } => (token, consumed),
                TokenRead::Broken(byte) => return Err(RedisFailure::protocol(byte)),
                TokenRead::More => {
                    self.receive().map_err(|_| RedisFailure::read(&self.name))?;
                    continue;
                }
            };
            let first = self.input.unread().first().copied().unwrap_or_default();
            let entered = self.walk.enter(&token).ok_or_else(|| RedisFailure::protocol(first))?;
            if let Entered::Given { depth, .. } = entered {
                let agreed = match depth {
                    0 => self.talk.answered(self.replies_read, &token),
                    1 => self.talk.element(&token),
                    _ => None,
                };
                if let Some(effect) = agreed {
                    self.wanted.note(&effect);
                    self.socket.iter_mut().for_each(|socket| socket.note(&effect));
                }
            }
            use RedisKind::*;
            let line = Some((begin + 1, consumed.saturating_sub(3)));
            let (kind, number, text, body) = match token {
                ReplyToken::Status(_) => (Status, 0, line, 0),
                ReplyToken::Error(_) => (Error, 0, line, 0),
                ReplyToken::Integer(number) => (Integer, number, None, 0),
                ReplyToken::Bulk(len) => (Bulk, 0, None, len + 2),
                ReplyToken::Verbatim(len) => (Verbatim, 0, None, len + 2),
                ReplyToken::BulkError(len) if len <= IN_PLACE_MAX => (Error, 0, None, len + 2),
                ReplyToken::BulkError(_) => return Err(RedisFailure::protocol(first)),
                ReplyToken::Nil => (Nil, 0, None, 0),
                ReplyToken::NilArray => (NilArray, 0, None, 0),
                ReplyToken::Array(follow) => (Array, follow as i64, None, 0),
                ReplyToken::Map(follow) => (Map, follow as i64, None, 0),
                ReplyToken::Set(follow) => (Set, follow as i64, None, 0),
                ReplyToken::Push(follow) => (Push, follow as i64, None, 0),
                ReplyToken::Attributes(_) => (Nil, 0, None, 0),
                ReplyToken::Double(_) => (Double, 0, line, 0),
                ReplyToken::Boolean(truth) => (Boolean, i64::from(truth), None, 0),
                ReplyToken::BigNumber(_) => (BigNumber, 0, line, 0),
            };
            self.input.consume(consumed);
            self.walk.body = body;
            let Entered::Given { depth, is_last } = entered else { continue };
            let text = if body > 0 { self.string(kind)? } else { text };
            let len = match text {
                Some((_, len)) => len,
                None => self.walk.body.saturating_sub(2) as usize,
            };
            if is_last {
                self.replies_read += 1;
                self.walk.expected = self.walk.expected.saturating_sub(u32::from(kind == Push));
            }
            return Ok(Step { kind, depth, number, text, len });
        }
    }

    /// The string that follows, if it is to lie in one piece.
    fn string(&mut self, kind: RedisKind) -> Result<Option<(usize, usize)>, RedisFailure> {
        let is_whole = |redis: &RedisLink| redis.input.len() as u64 >= redis.walk.body;
        if kind == RedisKind::Verbatim {
            while self.input.len() < 4 {
                self.receive().map_err(|_| RedisFailure::cut())?;
            }
            self.input.consume(4);
            self.walk.body -= 4;
        }
        let len = self.walk.body - 2;
        if len > IN_PLACE_MAX && !is_whole(self) {
            return Ok(None);
        }
        while !is_whole(self) {
            self.receive().map_err(|_| RedisFailure::cut())?;
        }
        let len = len as usize;
        match self.input.unread().get(len..len + 2) {
            Some(b"\r\n") => Ok(Some((self.input.begin(), len))),
            _ => Err(RedisFailure::protocol(b'$')),
        }
    }

    /// Skips the rest of the last string, if there is any.
    pub(super) fn settle(&mut self) -> Result<(), RedisFailure> {
        match self.walk.body {
            0 => Ok(()),
            _ => self.pass_body(),
        }
    }

    /// Skips the rest of a string.
    fn pass_body(&mut self) -> Result<(), RedisFailure> {
        let here = usize::try_from(self.walk.body).ok().and_then(|len| self.input.unread().get(..len));
        if here.is_some_and(|rest| rest.ends_with(b"\r\n")) {
            self.input.consume(self.walk.body as usize);
            self.walk.body = 0;
            return Ok(());
        }
        while self.walk.body > 2 {
            if self.input.len() == 0 {
                self.receive().map_err(|_| RedisFailure::cut())?;
            }
            let passed = (self.walk.body - 2).min(self.input.len() as u64);
            self.input.consume(passed as usize);
            self.walk.body -= passed;
        }
        while self.input.len() < 2 {
            self.receive().map_err(|_| RedisFailure::cut())?;
        }
        if !self.input.unread().starts_with(b"\r\n") {
            return Err(RedisFailure::protocol(b'$'));
        }
        self.input.consume(2);
        self.walk.body = 0;
        Ok(())
    }

    fn receive(&mut self) -> Result<(), Unread> {
        let patience = self.tuning.read_timeout;
        self.socket.as_mut().filter(|_| !self.is_answered_here).ok_or(Unread::Ended)?.receive(&mut self.input, patience)
    }
}

//! The binary protocol: opcodes, and the status of an answer.
use super::exptime;
use super::{Dialect, Front};
use crate::auth::sasl::{SaslAnswer, SaslSignIn};
use crate::commands::flush::{flush, Unflushed};
use crate::commands::get::{self, Reply};
use crate::commands::store::{forget, joins, mode_of};
use crate::commands::{count, delete, stats, store, touch};
use crate::context::Context;
use crate::conversation::{Conversation, KeysLeft, Pending};
use crate::counters::latency::CommandKind;
use crate::counters::requests::Count;
use crate::memcached::VERSION;
use crate::next::{Consumed, Done, Next};
use crate::watch::cmd;
use leveret_compact::served_flags;
use leveret_engine::{CountTerms, CountedItem, Deadline, Error, Found, Mode, Stored, Terms, Time};
use leveret_protocol::binary::{
    parse, parse_front, parse_head, write_status, AnswerHeader, BinaryCommand, BinaryRefusal, BinaryRequest, Status,
    HEADER_LEN,
};
use leveret_protocol::{ahead, Limits, Parsed, StoreMode, KEY_MAX};

/// The binary protocol.
#[derive(Debug, Default)]
pub(crate) struct Binary {
    sign_in: SaslSignIn,
}

impl Dialect for Binary {
    type Request<'a> = BinaryRequest<'a>;
    type Refusal<'a> = BinaryRefusal<'a>;

    const HAS_LINES: bool = false;

    /// Unknown clients are refused by the head of a request (`before`).
    const UNKNOWN_MAX: usize = usize::MAX;

    #[inline]
    fn parse<'a>(input: &'a [u8], _: usize, limits: &Limits) -> Parsed<BinaryRequest<'a>, BinaryRefusal<'a>> {
        parse(input, limits)
    }

    fn resume<'a>(&self, _: &'a [u8], _: KeysLeft) -> Option<BinaryRequest<'a>> {
        None
    }

    fn front<'a>(input: &'a [u8], _: &'a mut [u8; KEY_MAX], _: &Limits) -> Option<Front<'a>> {
        let (request, len) = parse_front(input)?;
        let BinaryCommand::Store { verb, key, .. } = request.command else { return None };
        Some(Front { verb, key, len, end_len: 0 })
    }

    fn rejoin<'a>(front: &'a [u8], _: &'a [u8], _: &Limits) -> Parsed<BinaryRequest<'a>, BinaryRefusal<'a>> {
        match parse_front(front) {
            Some((request, consumed)) => Parsed::Request { request, consumed },
            None => Parsed::More { total: front.len() + 1, scanned: 0 },
        }
    }

    fn keys_ahead(input: &[u8]) -> impl Iterator<Item = &[u8]> {
        ahead::keys(input)
    }

    fn kind(request: &BinaryRequest<'_>) -> CommandKind {
        match request.command {
            BinaryCommand::Get { .. } => CommandKind::Get,
            BinaryCommand::Store { .. } => CommandKind::Set,
            BinaryCommand::Delete { .. } => CommandKind::Delete,
            BinaryCommand::Count { .. } => CommandKind::Count,
            BinaryCommand::Touch { .. } => CommandKind::Touch,
            _ => CommandKind::Other,
        }
    }

    #[inline]
    fn before(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, input: &[u8]) -> Option<Consumed> {
        cx.shared.passwords()?;
        self.meet(talk, cx, input)
    }

    fn answer(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, request: BinaryRequest<'_>) -> Done {
        let status = match request.command {
            BinaryCommand::Get { key, with_key, touch } => return say_get(cx, &request, key, with_key, touch),
            BinaryCommand::Store { verb, key, flags, exptime, value } => {
                return say_store(cx, &request, verb, key, flags, exptime, value)
            }
            BinaryCommand::Delete { key } => {
                let version = cx.compared(Some(request.cas).filter(|cas| *cas != 0));
                match delete::delete(cx, key, version, cmd::DELETE) {
                    Ok(Stored::Stored { .. }) => Status::Success,
                    Ok(Stored::Exists) => Status::KeyExists,
                    Ok(Stored::Missing) => Status::KeyNotFound,
                    Err(error) => status_of(cx, &error),
                }
            }
            BinaryCommand::Count { key, is_decrement, delta, initial } => {
                let change = count::delta_of(delta, is_decrement);
                return say_count(cx, &request, key, change, initial);
            }
            BinaryCommand::Touch { key, exptime } => return say_touch(cx, &request, key, exptime),
            BinaryCommand::Flush { exptime } => match flush(cx, deadline(exptime.unwrap_or(0), cx.now)) {
                Ok(()) => Status::Success,
                Err(Unflushed::Forbidden) => Status::AuthError,
                Err(Unflushed::Failed(error)) => status_of(cx, &error),
            },
            BinaryCommand::Noop => Status::Success,
            BinaryCommand::Version => return say_text(cx, &request, VERSION.as_bytes()),
            BinaryCommand::Stat { subject } => return say_stats(talk, cx, &request, subject),
            BinaryCommand::Verbosity { level } => {
                cx.shared.set_verbosity(level);
                Status::Success
            }
            BinaryCommand::SaslList | BinaryCommand::SaslAuth { .. } | BinaryCommand::SaslStep { .. } => {
                return self.hear_sign_in(talk, cx, &request)
            }
            BinaryCommand::Quit => {
                conclude(cx, &request, Status::Success);
                return Done::Over(Next::Close);
            }
        };
        conclude(cx, &request, status)
    }

    fn say_error(cx: &mut Context<'_>, error: &Error) {
        let status = status_of(cx, error);
        write_status(cx.output, 0, 0, status);
    }

    fn refuse(cx: &mut Context<'_>, refusal: &BinaryRefusal<'_>, _: bool) -> Done {
        if let Some(key) = refusal.forget {
            forget(cx, key);
        }
        if refusal.status == Some(Status::TooLarge) {
            cx.count(Count::BinaryTooLarge);
        }
        if let Some(status) = refusal.status {
            write_status(cx.output, refusal.opcode, refusal.opaque, status);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }
}

/// memcached reads the 32 bits of a binary exptime as unsigned: -1 is no moment in the past, but the year 2106.
fn deadline(exptime: i64, now: Time) -> Deadline {
    exptime::deadline(i64::from(exptime as u32), now)
}

/// An answer without a body, or with the text of what went wrong. A success of a quiet request is not answered.
fn conclude(cx: &mut Context<'_>, request: &BinaryRequest<'_>, status: Status) -> Done {
    conclude_with(cx, request, status, 0)
}

fn conclude_with(cx: &mut Context<'_>, request: &BinaryRequest<'_>, status: Status, cas: u64) -> Done {
    if status != Status::Success {
        write_status(cx.output, request.opcode, request.opaque, status);
    } else if !request.quiet {
        write_header(cx.output, request, cas, 0, 0, 0);
    }
    Done::Answered
}

fn write_header(
    out: &mut Vec<u8>,
    request: &BinaryRequest<'_>,
    cas: u64,
    extras_len: usize,
    key_len: usize,
    value_len: usize,
) {
    let BinaryRequest { opcode, opaque, .. } = *request;
    AnswerHeader { opcode, opaque, status: Status::Success, cas, extras_len, key_len, value_len }.write(out);
}

fn say_text(cx: &mut Context<'_>, request: &BinaryRequest<'_>, text: &[u8]) -> Done {
    write_header(cx.output, request, 0, 0, 0, text.len());
    cx.output.extend_from_slice(text);
    Done::Answered
}

#[cold]
fn status_of(cx: &Context<'_>, error: &Error) -> Status {
    cx.note_failure(error);
    match error {
        Error::ValueTooLarge { .. } => Status::TooLarge,
        Error::KeyTooLong { .. } => Status::InvalidArguments,
        Error::NoMemory => Status::OutOfMemory,
        _ => Status::TemporaryFailure,
    }
}

/// Every binary get tells the cas.
#[inline]
fn say_get(cx: &mut Context<'_>, request: &BinaryRequest<'_>, key: &[u8], with_key: bool, touch: Option<i64>) -> Done {
    let reply = BinaryValue { request, with_key };
    let said = match touch {
        None => get::one(cx, key, None, &reply),
        Some(at) => touch::and_get(cx, key, deadline(at, cx.now), &reply),
    };
    match said {
        Ok(()) => Done::Answered,
        Err(error) => {
            let status = status_of(cx, &error);
            conclude(cx, request, status)
        }
    }
}

/// A header, the flags, perhaps the key, the value.
struct BinaryValue<'r> {
    request: &'r BinaryRequest<'r>,
    with_key: bool,
}

impl Reply for BinaryValue<'_> {
    const BEHIND: &'static [u8] = b"";
    const IS_LOGGED: bool = false;

    #[inline]
    fn tells_cas(&self) -> bool {
        true
    }

    #[inline]
    fn head(&self, out: &mut Vec<u8>, key: &[u8], found: &Found) {
        let key = if self.with_key { key } else { b"" };
        write_header(out, self.request, found.cas, 4, key.len(), found.value_len as usize);
        out.extend_from_slice(&served_flags(&found.meta).to_be_bytes());
        out.extend_from_slice(key);
    }

    fn miss(&self, out: &mut Vec<u8>, key: &[u8]) {
        let BinaryRequest { opcode, opaque, quiet, .. } = *self.request;
        if quiet {
            return;
        }
        if !self.with_key {
            return write_status(out, opcode, opaque, Status::KeyNotFound);
        }
        let (status, key_len) = (Status::KeyNotFound, key.len());
        AnswerHeader { opcode, opaque, status, cas: 0, extras_len: 0, key_len, value_len: 0 }.write(out);
        out.extend_from_slice(key);
    }
}

fn say_store(
    cx: &mut Context<'_>,
    request: &BinaryRequest<'_>,
    verb: StoreMode,
    key: &[u8],
    flags: u32,
    exptime: i64,
    value: &[u8],
) -> Done {
    // A store, unlike a count or a delete, does not compare at all with `-C`.
    let compare = Some(request.cas).filter(|cas| *cas != 0 && cx.shared.settings.cas);
    // As in memcached, a store that compares is a cas, whichever it is.
    let mode = match verb {
        StoreMode::Set | StoreMode::Add | StoreMode::Replace if compare.is_some() => Mode::Set,
        verb => mode_of(verb),
    };
    let terms = Terms::new(mode).compare(compare).want_cas(!request.quiet);
    let status = match store::store(cx, key, value, flags, deadline(exptime, cx.now), &terms, None) {
        Ok(Stored::Stored { cas }) => return conclude_with(cx, request, Status::Success, cx.shown_cas(cas)),
        Ok(Stored::Exists) => Status::KeyExists,
        Ok(Stored::Missing) if joins(mode) => Status::NotStored,
        Ok(Stored::Missing) => Status::KeyNotFound,
        Err(error) => status_of(cx, &error),
    };
    conclude(cx, request, status)
}

fn say_count(
    cx: &mut Context<'_>,
    request: &BinaryRequest<'_>,
    key: &[u8],
    change: leveret_engine::Delta,
    initial: Option<(u64, i64)>,
) -> Done {
    let initial = initial.map(|(value, at)| (value, deadline(at, cx.now)));
    let compare = cx.compared(Some(request.cas).filter(|cas| *cas != 0));
    let terms = CountTerms::new().compare(compare).want_cas(!request.quiet);
    let status = match count::count(cx, key, change, initial, &terms) {
        Ok(CountedItem::Value { value, cas, .. }) => {
            if !request.quiet {
                write_header(cx.output, request, cx.shown_cas(cas), 0, 0, 8);
                cx.output.extend_from_slice(&value.to_be_bytes());
            }
            return Done::Answered;
        }
        Ok(CountedItem::Missing) => Status::KeyNotFound,
        Ok(CountedItem::Exists) => Status::KeyExists,
        Ok(CountedItem::NotNumber) => Status::NotNumber,
        Err(error) => status_of(cx, &error),
    };
    conclude(cx, request, status)
}

fn say_touch(cx: &mut Context<'_>, request: &BinaryRequest<'_>, key: &[u8], exptime: i64) -> Done {
    let touched = touch::before(cx, key)
        .and_then(|before| touch::touch(cx, key, deadline(exptime, cx.now)).map(|is_there| is_there.then_some(before)));
    let status = match touched {
        Ok(Some(_)) if request.quiet => return Done::Answered,
        Ok(Some(before)) => {
            write_header(cx.output, request, cx.shown_cas(before.cas), 4, 0, 0);
            cx.output.extend_from_slice(&served_flags(&before.meta).to_be_bytes());
            return Done::Answered;
        }
        Ok(None) => Status::KeyNotFound,
        Err(error) => status_of(cx, &error),
    };
    conclude(cx, request, status)
}

/// One answer for each statistic, and an empty one at the end.
fn say_stats(talk: &Conversation, cx: &mut Context<'_>, request: &BinaryRequest<'_>, subject: &[u8]) -> Done {
    let words: Vec<&[u8]> = subject.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let is_text = words.first() == Some(&b"cachedump".as_slice());
    let answer = stats::stats(cx, talk.transport, &words);
    let answer = answer.filter(|answer| !is_text && !answer.end.starts_with("CLIENT_ERROR"));
    let Some(mut answer) = answer else { return conclude(cx, request, Status::KeyNotFound) };
    if words.starts_with(&[b"detail", b"dump"]) {
        // Here the lines of text are one statistic, their end among them.
        answer.lines.push(("detailed".to_owned(), answer.text + "END\r\n"));
    }
    for (name, value) in &answer.lines {
        write_header(cx.output, request, 0, 0, name.len(), value.len());
        cx.output.extend_from_slice(name.as_bytes());
        cx.output.extend_from_slice(value.as_bytes());
    }
    write_header(cx.output, request, 0, 0, 0, 0);
    Done::Answered
}

/// `-S`: the client must sign in.
impl Binary {
    /// Answers before the body of a request has come: the client must sign in first, or the sign-in is malformed.
    #[cold]
    fn meet(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, input: &[u8]) -> Option<Consumed> {
        let head = parse_head(input)?;
        talk.heard_secret |= head.is_sign_in();
        if !head.is_open_to_all() && !talk.is_known {
            write_status(cx.output, head.opcode, head.opaque, Status::AuthError);
            return Some(Consumed::Done(input.len(), Done::Over(Next::Close)));
        }
        // A malformed mechanism name is refused like any other malformed request.
        let is_message = head.is_sign_in() && (1..=KEY_MAX).contains(&head.key_len);
        if !is_message {
            return None;
        }
        let status = if head.key_len > SaslSignIn::MECHANISM_MAX {
            Status::InvalidArguments
        } else if head.value_len > SaslSignIn::MESSAGE_MAX {
            talk.is_known = false;
            self.sign_in.give_up();
            cx.count(Count::AuthCmds);
            cx.count(Count::AuthErrors);
            Status::AuthError
        } else {
            return None;
        };
        write_status(cx.output, head.opcode, head.opaque, status);
        let here = head.body_len.min(input.len() - HEADER_LEN);
        talk.pending = Pending::Refused(head.body_len - here);
        Some(Consumed::Done(HEADER_LEN + here, Done::Answered))
    }

    /// Sasl List, Auth and Step. Each of them ends an earlier sign-in, as in memcached.
    #[cold]
    fn hear_sign_in(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, request: &BinaryRequest<'_>) -> Done {
        let Some(file) = cx.shared.passwords() else { return conclude(cx, request, Status::UnknownCommand) };
        talk.is_known = false;
        let said = match request.command {
            BinaryCommand::SaslAuth { mechanism, message } => self.sign_in.begin(file, mechanism, message),
            BinaryCommand::SaslStep { message, .. } => self.sign_in.step(file, message),
            _ => return say_text(cx, request, SaslSignIn::MECHANISMS),
        };
        if matches!(said, SaslAnswer::More) {
            return conclude(cx, request, Status::AuthContinue);
        }
        cx.count(Count::AuthCmds);
        if matches!(said, SaslAnswer::Right) {
            talk.is_known = true;
            return say_text(cx, request, b"Authenticated");
        }
        cx.count(Count::AuthErrors);
        conclude(cx, request, Status::AuthError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart_by_their_kind() {
        let store = |verb| BinaryCommand::Store { verb, key: b"k", flags: 0, exptime: 0, value: b"v" };
        for (command, want) in [
            (BinaryCommand::Get { key: b"k", with_key: false, touch: None }, CommandKind::Get),
            (BinaryCommand::Get { key: b"k", with_key: true, touch: Some(1) }, CommandKind::Get),
            (store(StoreMode::Set), CommandKind::Set),
            (store(StoreMode::Append), CommandKind::Set),
            (BinaryCommand::Delete { key: b"k" }, CommandKind::Delete),
            (BinaryCommand::Count { key: b"k", is_decrement: true, delta: 1, initial: None }, CommandKind::Count),
            (BinaryCommand::Touch { key: b"k", exptime: 1 }, CommandKind::Touch),
            (BinaryCommand::Noop, CommandKind::Other),
        ] {
            assert_eq!(Binary::kind(&BinaryRequest::new(command, false, 0)), want, "{command:?}");
        }
    }
}

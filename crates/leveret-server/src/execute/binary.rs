//! The binary protocol's requests.
use super::admin::Unflushed;
use super::{classic, exptime, flags, Done, Next, Session, Transport, Turn};
use crate::stats::Count;
use crate::watch::cmd;
use leveret_engine::{CountTerms, CountedItem, Deadline, Error, Found, Mode, Stored, Terms, Time};
use leveret_protocol::binary::{write_status, AnswerHeader, Command, Refusal, Request, Status};
use leveret_protocol::Verb;

/// memcached reads the 32 bits of a binary exptime as unsigned: -1 is no moment in the past, but the year 2106.
fn deadline(exptime: i64, now: Time) -> Deadline {
    exptime::deadline(i64::from(exptime as u32), now)
}

impl Session {
    pub(super) fn execute_binary(&mut self, turn: &mut Turn<'_>, request: &Request<'_>) -> Done {
        match request.command {
            Command::Get { key, with_key, touch } => turn.binary_get(request, key, with_key, touch),
            Command::Store { verb, key, flags, exptime, value } => {
                turn.binary_store(request, verb, key, flags, exptime, value)
            }
            Command::Delete { key } => turn.binary_delete(request, key),
            Command::Count { key, is_decrement, delta, initial } => {
                turn.binary_count(request, key, is_decrement, delta, initial)
            }
            Command::Touch { key, exptime } => turn.binary_touch(request, key, exptime),
            Command::Flush { exptime } => {
                let status = match turn.flush(exptime) {
                    Ok(()) => Status::Success,
                    Err(Unflushed::Forbidden) => Status::AuthError,
                    Err(Unflushed::Failed(error)) => turn.status_of(&error),
                };
                turn.conclude(request, status);
            }
            Command::Noop => turn.conclude(request, Status::Success),
            Command::Version => turn.binary_text(request, crate::VERSION.as_bytes()),
            Command::Stat { subject }
                if self.transport == Transport::Udp && super::text::walks(subject.trim_ascii_start()) =>
            {
                turn.conclude(request, Status::KeyNotFound);
            }
            Command::Stat { subject } => turn.binary_stat(request, subject),
            Command::Verbosity { level } => {
                turn.shared.set_verbosity(level);
                turn.conclude(request, Status::Success);
            }
            Command::SaslList | Command::SaslAuth { .. } | Command::SaslStep { .. } => self.sign_in(turn, request),
            Command::Quit => {
                if !request.quiet {
                    turn.conclude(request, Status::Success);
                }
                return Done::Over(Next::Close);
            }
        }
        Done::Answered
    }
}

impl Turn<'_> {
    pub(super) fn refuse_binary(&mut self, refusal: &Refusal<'_>) -> Done {
        if let Some(key) = refusal.forget {
            self.forget(key);
        }
        if refusal.status == Some(Status::TooLarge) {
            self.count(Count::BinaryTooLarge);
        }
        if let Some(status) = refusal.status {
            write_status(self.output, refusal.opcode, refusal.opaque, status);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }

    /// An answer without a body, or with the text of what went wrong. A success of a quiet request is not answered.
    pub(super) fn conclude(&mut self, request: &Request<'_>, status: Status) {
        self.conclude_with(request, status, 0);
    }

    fn conclude_with(&mut self, request: &Request<'_>, status: Status, cas: u64) {
        if status != Status::Success {
            write_status(self.output, request.opcode, request.opaque, status);
        } else if !request.quiet {
            self.header(request, cas, 0, 0, 0);
        }
    }

    fn header(&mut self, request: &Request<'_>, cas: u64, extras_len: usize, key_len: usize, value_len: usize) {
        let Request { opcode, opaque, .. } = *request;
        AnswerHeader { opcode, opaque, status: Status::Success, cas, extras_len, key_len, value_len }
            .write(self.output);
    }

    pub(super) fn binary_text(&mut self, request: &Request<'_>, text: &[u8]) {
        self.header(request, 0, 0, 0, text.len());
        self.output.extend_from_slice(text);
    }

    fn binary_get(&mut self, request: &Request<'_>, key: &[u8], with_key: bool, touch: Option<i64>) {
        self.shared.note_prefix(key, |prefix| prefix.gets += 1);
        let deadline = touch.map(|at| deadline(at, self.now));
        self.tell_look(key);
        let found = match self.binary_find(key, deadline) {
            Ok(found) => found,
            Err(error) => return self.binary_error(request, &error),
        };
        if touch.is_some() {
            self.count(Count::CmdTouch);
            if found.is_none() {
                self.count(Count::TouchMisses);
            }
        }
        let Some(mut found) = found else { return self.binary_miss(request, key, with_key) };
        self.shared.note_prefix(key, |prefix| prefix.hits += 1);
        let begin = self.output.len();
        let key_len = if with_key { key.len() } else { 0 };
        for _ in 0..2 {
            self.header(request, found.cas, 4, key_len, found.value_len as usize);
            self.output.extend_from_slice(&flags::on_wire(&found.meta).to_be_bytes());
            self.output.extend_from_slice(&key[..key_len]);
            if self.send_value(&found, true) {
                return;
            }
            if self.arena.append_value(&found, self.output) {
                return;
            }
            self.output.truncate(begin);
            match self.find_cas(key) {
                Ok(Some(again)) => found = again,
                Ok(None) => return self.binary_miss(request, key, with_key),
                Err(error) => return self.binary_error(request, &error),
            }
        }
        match self.gets(key) {
            Ok(Some(item)) => {
                self.header(request, item.cas, 4, key_len, item.value.len());
                self.output.extend_from_slice(&flags::on_wire(&item.meta).to_be_bytes());
                self.output.extend_from_slice(&key[..key_len]);
                self.output.extend_from_slice(&item.value);
            }
            Ok(None) => self.binary_miss(request, key, with_key),
            Err(error) => self.binary_error(request, &error),
        }
    }

    /// Every binary get tells the cas.
    fn binary_find(&self, key: &[u8], touch: Option<Deadline>) -> Result<Option<Found>, Error> {
        let Some(deadline) = touch else { return self.find_cas(key) };
        if !deadline.is_past(self.now) && !self.touch_to_read(key, deadline)? {
            self.note_dead(key);
            return Ok(None);
        }
        // To the statistics this is a touch and no get, and the touch marks the item as read.
        let found = self.peek_cas(key)?;
        if deadline.is_past(self.now) && found.is_some() {
            self.touch_to_read(key, deadline)?;
        }
        Ok(found)
    }

    fn binary_error(&mut self, request: &Request<'_>, error: &Error) {
        let status = self.status_of(error);
        self.conclude(request, status);
    }

    fn binary_miss(&mut self, request: &Request<'_>, key: &[u8], with_key: bool) {
        if request.quiet {
            return;
        }
        if !with_key {
            return write_status(self.output, request.opcode, request.opaque, Status::KeyNotFound);
        }
        let Request { opcode, opaque, .. } = *request;
        let header = AnswerHeader {
            opcode,
            opaque,
            status: Status::KeyNotFound,
            cas: 0,
            extras_len: 0,
            key_len: key.len(),
            value_len: 0,
        };
        header.write(self.output);
        self.output.extend_from_slice(key);
    }

    fn binary_store(&mut self, request: &Request<'_>, verb: Verb, key: &[u8], flags: u32, exptime: i64, value: &[u8]) {
        // A store, unlike a count or a delete, does not compare at all with `-C`.
        let compare = Some(request.cas).filter(|cas| *cas != 0 && self.shared.settings.cas);
        self.shared.note_prefix(key, |prefix| prefix.sets += 1);
        // As in memcached, a store that compares is a cas, whichever it is.
        let mode = match verb {
            Verb::Set | Verb::Add | Verb::Replace if compare.is_some() => Mode::Set,
            verb => classic::mode_of(verb),
        };
        let terms = Terms::new(mode).compare(compare).want_cas(!request.quiet);
        let stored = self.store_checked(key, value, flags, deadline(exptime, self.now), &terms);
        let joins = matches!(verb, Verb::Append | Verb::Prepend);
        self.count_store(compare.filter(|_| !joins), &stored);
        let status = match (&stored, verb) {
            (Ok(Stored::Stored { cas }), _) => {
                return self.conclude_with(request, Status::Success, self.shown_cas(*cas))
            }
            (Ok(Stored::Exists), _) => Status::KeyExists,
            (Ok(Stored::Missing), Verb::Append | Verb::Prepend) => Status::NotStored,
            (Ok(Stored::Missing), _) => Status::KeyNotFound,
            (Err(error), _) => self.status_of(error),
        };
        self.conclude(request, status);
    }

    fn binary_delete(&mut self, request: &Request<'_>, key: &[u8]) {
        self.shared.note_prefix(key, |prefix| prefix.deletes += 1);
        let before = self.before_delete(key);
        let outcome = match self.compared(Some(request.cas).filter(|cas| *cas != 0)) {
            None => self
                .arena
                .delete(key, self.now)
                .map(|was| if was { Stored::Stored { cas: 0 } } else { Stored::Missing }),
            Some(cas) => self.arena.delete_version(key, cas, self.now),
        };
        let status = match &outcome {
            Ok(Stored::Stored { .. }) => {
                self.tell_deleted(key, before, cmd::DELETE);
                Status::Success
            }
            Ok(Stored::Exists) => Status::KeyExists,
            Ok(Stored::Missing) => {
                self.count(Count::DeleteMisses);
                self.note_dead(key);
                Status::KeyNotFound
            }
            Err(error) => self.status_of(error),
        };
        self.conclude(request, status);
    }

    fn binary_count(
        &mut self,
        request: &Request<'_>,
        key: &[u8],
        is_decrement: bool,
        delta: u64,
        initial: Option<(u64, i64)>,
    ) {
        let initial = initial.map(|(value, at)| (value, deadline(at, self.now)));
        let compare = self.compared(Some(request.cas).filter(|cas| *cas != 0));
        let terms = CountTerms::new().compare(compare).want_cas(!request.quiet);
        let status = match self.count_item(key, delta, is_decrement, initial, &terms) {
            Ok(CountedItem::Value { value, cas, .. }) => {
                if !request.quiet {
                    self.header(request, self.shown_cas(cas), 0, 0, 8);
                    self.output.extend_from_slice(&value.to_be_bytes());
                }
                return;
            }
            Ok(CountedItem::Missing) => Status::KeyNotFound,
            Ok(CountedItem::Exists) => Status::KeyExists,
            Ok(CountedItem::NotNumber) => Status::NotNumber,
            Err(error) => self.status_of(&error),
        };
        self.conclude(request, status);
    }

    fn binary_touch(&mut self, request: &Request<'_>, key: &[u8], at: i64) {
        self.count(Count::CmdTouch);
        let deadline = deadline(at, self.now);
        self.tell_look(key);
        // Looked at without a change: a touch is no get.
        let before = self.arena.amend(key, self.now, &mut |_| None).ok().flatten().unwrap_or_default();
        match self.arena.touch(key, deadline, self.now) {
            Ok(true) => {
                if !request.quiet {
                    self.header(request, self.shown_cas(before.cas), 4, 0, 0);
                    self.output.extend_from_slice(&flags::on_wire(&before.meta).to_be_bytes());
                }
            }
            Ok(false) => {
                self.count(Count::TouchMisses);
                self.note_dead(key);
                self.conclude(request, Status::KeyNotFound);
            }
            Err(error) => self.binary_error(request, &error),
        }
    }

    /// One answer for each statistic, and an empty one at the end.
    fn binary_stat(&mut self, request: &Request<'_>, subject: &[u8]) {
        let words: Vec<&[u8]> = subject.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
        let is_text = words.first() == Some(&b"cachedump".as_slice());
        let answer = self.stats_of(&words).filter(|answer| !is_text && !answer.end.starts_with("CLIENT_ERROR"));
        let Some(mut answer) = answer else {
            return self.conclude(request, Status::KeyNotFound);
        };
        if words.starts_with(&[b"detail", b"dump"]) {
            // Here the lines of text are one statistic, their end among them.
            answer.lines.push(("detailed".to_owned(), answer.text + "END\r\n"));
        }
        for (name, value) in &answer.lines {
            self.header(request, 0, 0, name.len(), value.len());
            self.output.extend_from_slice(name.as_bytes());
            self.output.extend_from_slice(value.as_bytes());
        }
        self.header(request, 0, 0, 0, 0);
    }

    fn status_of(&self, error: &Error) -> Status {
        match error {
            Error::ValueTooLarge { .. } => {
                self.count(Count::StoreTooLarge);
                Status::TooLarge
            }
            Error::KeyTooLong { .. } => Status::InvalidArguments,
            Error::NoMemory => {
                self.count(Count::StoreNoMemory);
                Status::OutOfMemory
            }
            Error::Busy => {
                self.meet_busy();
                Status::TemporaryFailure
            }
            _ => Status::TemporaryFailure,
        }
    }
}

//! What watchers are told of requests, in the words of memcached: whatever asks for a key looks it up, and a store
//! looks for what is there before it stores.
use super::{Done, Next, Session, Transport, Turn};
use crate::watch::{self, cmd, status, Event, EventKind, Kinds, Refused, DEAD};
use leveret_engine::{Deadline, Error, Found, Missed, Mode, ReadOptions, Stored, Terms, Time};
use leveret_protocol::text::Words;

/// So many events of one turn share a look at the clock, which would be half of what an event costs.
const TOLD_AT_ONCE: u32 = 8;

impl Session {
    /// From now on the connection only tells what others do.
    pub(super) fn watch(&mut self, turn: &mut Turn<'_>, words: Words<'_>) -> Done {
        if self.transport == Transport::Udp || !turn.shared.live.watch() {
            turn.say("CLIENT_ERROR watch commands not allowed");
            return Done::Answered;
        }
        let Some(kinds) = Kinds::parse(words) else {
            turn.say("ERROR");
            return Done::Answered;
        };
        match turn.shared.watch.begin(kinds, turn.desk.worker) {
            Ok(watching) => {
                self.watching = Some(watching);
                turn.say("OK");
                Done::Over(Next::Watch)
            }
            Err(Refused::TooMany) => {
                turn.say("WATCHER_TOO_MANY log watcher limit reached");
                Done::Answered
            }
            Err(Refused::Impossible) => {
                turn.say("WATCHER_FAILED failed to add log watcher");
                Done::Answered
            }
        }
    }
}

impl Turn<'_> {
    /// Tells of a look-up that found so much.
    #[inline]
    pub fn tell_found(&self, key: &[u8], is_there: bool, found: &Found) {
        if self.watched.has(Kinds::FETCHERS) {
            self.tell_get(key, is_there, found);
        }
    }

    /// Tells of the look-up that comes before a change. It leaves no trace, and is not done if nobody watches.
    #[inline]
    pub fn tell_look(&self, key: &[u8]) {
        if self.watched.has(Kinds::FETCHERS) && !self.is_again.get() {
            let mut found = Found::default();
            let options = ReadOptions::new().untraced();
            let is_there = self.arena.find_into(key, options, self.now, &mut found).unwrap_or(false);
            self.tell_get(key, is_there, &found);
        }
    }

    /// What will be deleted, if somebody wants to know.
    #[inline]
    pub fn before_delete(&self, key: &[u8]) -> Option<Found> {
        self.tell_look(key);
        if self.watched.has(Kinds::DELETIONS) {
            self.arena.peek(key, self.now)
        } else {
            None
        }
    }

    /// Tells of a deletion of what `before_delete` has met.
    #[inline]
    pub fn tell_deleted(&self, key: &[u8], before: Option<Found>, cmd: u8) {
        if let Some(found) = before {
            self.tell(&Event { cmd, size: found.value_len, ..event(EventKind::Deleted, key) });
        }
    }

    /// Tells of a store and how it ended.
    #[inline]
    pub fn tell_stored(
        &self,
        key: &[u8],
        value_len: usize,
        deadline: Deadline,
        terms: &Terms,
        stored: &Result<Stored, Error>,
    ) {
        // One that is tried again has not ended.
        let is_busy = self.may_retry && matches!(stored, Err(Error::Busy));
        if self.watched.has(Kinds::MUTATIONS) && !is_busy {
            self.tell_store(key, value_len, deadline, terms, stored);
        }
    }

    /// Tells of an item that counting has made: memcached looks again before it adds it.
    #[inline]
    pub fn tell_counted_first(&self, key: &[u8], deadline: Deadline) {
        self.tell_found(key, false, &Found::default());
        if self.watched.has(Kinds::MUTATIONS) {
            let size = self.arena.peek(key, self.now).map_or(0, |found| found.value_len);
            let ttl = ttl(deadline, self.now);
            self.tell(&Event {
                status: status::STORED,
                cmd: cmd::ADD,
                size,
                ttl,
                cfd: self.cfd,
                ..event(EventKind::Store, key)
            });
        }
    }

    /// Tells of a store that was refused for its length.
    #[cold]
    pub fn tell_refused(&self, key: &[u8]) {
        if self.watched.has(Kinds::MUTATIONS) {
            self.tell(&Event { status: status::TOO_LARGE, cmd: cmd::SET, ..event(EventKind::Store, key) });
        }
        self.tell_look(key);
    }

    #[inline(never)]
    fn tell_get(&self, key: &[u8], is_there: bool, found: &Found) {
        let (status, size) = match (is_there, found.missed()) {
            (true, _) => (status::FOUND, found.value_len),
            (false, Missed::Absent) => (status::NOT_FOUND, 0),
            (false, Missed::Expired) => (status::EXPIRED, 0),
            (false, Missed::Flushed) => (status::FLUSHED, 0),
        };
        self.tell(&Event { status, size, cfd: self.cfd, ..event(EventKind::Get, key) });
    }

    #[inline(never)]
    fn tell_store(
        &self,
        key: &[u8],
        value_len: usize,
        deadline: Deadline,
        terms: &Terms,
        stored: &Result<Stored, Error>,
    ) {
        let cmd = match (terms.mode, terms.compare) {
            (Mode::Set, None) => cmd::SET,
            (Mode::Set | Mode::Add | Mode::Replace, Some(_)) | (Mode::Cas(_), _) => cmd::CAS,
            (Mode::Add, _) => cmd::ADD,
            (Mode::Replace, _) => cmd::REPLACE,
            (Mode::Append, _) => cmd::APPEND,
            (Mode::Prepend, _) => cmd::PREPEND,
        };
        let status = match stored {
            Ok(Stored::Stored { .. }) => status::STORED,
            Ok(Stored::Exists) if terms.compare.is_some() => status::EXISTS,
            Ok(Stored::Missing) if cmd == cmd::CAS => status::NOT_FOUND,
            Ok(_) => status::NOT_STORED,
            Err(Error::ValueTooLarge { .. }) => status::TOO_LARGE,
            Err(_) => status::NO_MEMORY,
        };
        let mut size = value_len as u64;
        let mut ttl = ttl(deadline, self.now);
        if matches!(terms.mode, Mode::Append | Mode::Prepend) || terms.older_is_stale {
            // What was there before decides.
            if let (status::STORED, Some(found)) = (status, self.arena.peek(key, self.now)) {
                (size, ttl) = (found.value_len, self::ttl(found.deadline, self.now));
            }
        }
        self.tell(&Event { status, cmd, size, ttl, cfd: self.cfd, ..event(EventKind::Store, key) });
    }

    fn tell(&self, event: &Event<'_>) {
        let (told, micros) = self.told.get();
        let micros = if told % TOLD_AT_ONCE == 0 { watch::now_micros() } else { micros };
        self.told.set((told.wrapping_add(1), micros));
        self.shared.watch.tell_of(self.desk.worker, micros, event);
    }
}

fn event(kind: EventKind, key: &[u8]) -> Event<'_> {
    Event { kind, key, status: 0, cmd: 0, size: 0, ttl: 0, idle: 0, cfd: 0, by: None }
}

/// 0: for ever.
fn ttl(deadline: Deadline, now: Time) -> u32 {
    match deadline.time() {
        None => 0,
        Some(at) if at <= now => DEAD,
        Some(at) => at.0 - now.0,
    }
}

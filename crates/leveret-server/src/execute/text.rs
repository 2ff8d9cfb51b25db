//! Text commands: which family's function does each of them, and who may give any.
use super::classic::Fetch;
use super::{Done, Next, Session, Transport, Turn, Users};
use crate::stats::Count;
use leveret_engine::Error;
use leveret_protocol::text::{Command, Fault, Refusal};
use leveret_protocol::{Verb, KEY_MAX};
use std::sync::{PoisonError, RwLock};

impl Session {
    pub(super) fn execute_text(&mut self, turn: &mut Turn<'_>, command: Command<'_>) -> Done {
        use Command::*;
        if let Some(users) = turn.shared.users().filter(|_| !self.is_authenticated) {
            return self.authenticate(turn, users, command);
        }
        match command {
            Get { keys, with_cas } => return self.get(turn, keys, Fetch { with_cas, touch: None }),
            GetAndTouch { exptime, keys, with_cas } => {
                return self.get(turn, keys, Fetch { with_cas, touch: Some(exptime) })
            }
            Store { verb, compare, key, flags, exptime, value, noreply } => {
                let line = turn.store(verb, compare, key, flags, exptime, value);
                turn.reply(noreply, line);
            }
            Delete { key, noreply } => {
                let line = turn.delete(key);
                turn.reply(noreply, line);
            }
            Count { key, delta, is_decrement, noreply } => turn.count_text(key, delta, is_decrement, noreply),
            Touch { key, exptime, noreply } => {
                let line = turn.touch(key, exptime);
                turn.reply(noreply, line);
            }
            FlushAll { exptime, noreply } => {
                let line = turn.flush_all(exptime);
                turn.reply(noreply, line);
            }
            MetaGet(get) => turn.meta_get(&get),
            MetaStore(store) => turn.meta_store(&store),
            MetaDelete(delete) => turn.meta_delete(&delete),
            MetaCount(count) => turn.meta_count(&count),
            MetaDebug { key } => turn.meta_debug(&key),
            MetaNoop => turn.say("MN"),
            Quit => return Done::Over(Next::Close),
            // As a dump: one small datagram with a forged sender must not send megabytes to somebody else.
            Stats { words } if self.transport == Transport::Udp && words.clone().next().is_some_and(walks) => {
                turn.say("ERROR")
            }
            Stats { words } => turn.stats(words),
            Watch { words } => return self.watch(turn, words),
            LruCrawler(crawl) => return self.crawl(turn, crawl),
            Version
            | RefreshCerts
            | Shutdown { .. }
            | Verbosity { .. }
            | CacheMemlimit { .. }
            | Slabs { .. }
            | Lru { .. } => {
                return turn.administer(command);
            }
        }
        Done::Answered
    }

    /// Whom `-Y` asks for a name and a password.
    fn authenticate(&mut self, turn: &mut Turn<'_>, users: &RwLock<Users>, command: Command<'_>) -> Done {
        match command {
            Command::Store { verb: Verb::Set, compare: None, value, noreply, .. } => {
                turn.count(Count::AuthCmds);
                if users.read().unwrap_or_else(PoisonError::into_inner).admit(value) {
                    self.is_authenticated = true;
                    turn.reply(noreply, "STORED");
                } else {
                    turn.count(Count::AuthErrors);
                    turn.say("CLIENT_ERROR authentication failure");
                }
                Done::Answered
            }
            Command::Quit => Done::Over(Next::Close),
            _ => {
                turn.say("CLIENT_ERROR unauthenticated");
                Done::Answered
            }
        }
    }
}

/// Whether the answer to such a `stats` is as long as the arena is full, or switches that on.
pub(super) fn walks(subject: &[u8]) -> bool {
    subject == b"cachedump" || subject.starts_with(b"sizes")
}

impl Turn<'_> {
    /// A store that was too large must not leave the value that it meant to replace.
    pub(super) fn forget(&mut self, key: &[u8]) {
        self.tell_refused(key);
        match self.arena.delete(key, self.now) {
            Ok(true) => self.count(Count::Forgotten),
            // Then the whole request comes again.
            Err(Error::Busy) => self.meet_busy(),
            Ok(false) | Err(_) => {}
        }
    }

    pub(super) fn refuse_text(&mut self, refusal: &Refusal<'_>, may_forget: bool) -> Done {
        if let Some(key) = refusal.forget.filter(|_| may_forget) {
            let mut room = [0; KEY_MAX];
            self.forget(key.decode(&mut room));
        }
        match refusal.fault {
            Fault::Line => {}
            Fault::TooLarge => self.count(Count::StoreTooLarge),
            Fault::BadBlock => self.count(Count::SetsRefused),
        }
        if !refusal.is_silent && !refusal.answer.is_empty() {
            self.say(refusal.answer);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }
}

//! The classic text commands.
use super::session::{Pending, Step};
use super::{exptime, flags, Done, Session, Turn};
use crate::stats::Count;
use crate::watch::cmd;
use leveret_engine::{
    CountTerms, CountedItem, Deadline, Delta, Error, Found, Incoming, Meta, Mode, ReadOptions, Stored, Terms, Value,
    AHEAD,
};
use leveret_protocol::text::{write_number, write_value_header, Keys};
use leveret_protocol::Verb;

/// Tries to copy an item that is recycled meanwhile, before the copy that cannot be.
const TRIES: usize = 3;

/// No more keys than have room in so many bytes are asked for ahead: it may be one, whose read would only be done
/// twice.
const ONE_KEY: usize = 64;

/// What a server that holds no slab says when a store finds no room.
pub(super) const OUT_OF_MEMORY: &str = "SERVER_ERROR out of memory storing object";
pub(super) const TOO_LARGE: &str = "SERVER_ERROR object too large for cache";
pub(super) const NOT_NUMBER: &str = "CLIENT_ERROR cannot increment or decrement non-numeric value";

/// Keys of one line that are answered before other connections have their turn: about 0.2 ms.
const KEYS_PER_TURN: usize = 1024;

/// What a get does with each of its keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetch {
    pub with_cas: bool,
    /// The exptime of `gat` and `gats`.
    pub touch: Option<i64>,
}

/// A get of which a part is answered: the line stays in the input, and is not parsed again.
#[derive(Debug)]
pub(super) struct KeysLeft {
    /// Length of the line, with its end.
    line_len: usize,
    /// Bytes of its keys that are not answered.
    rest_len: usize,
    fetch: Fetch,
}

impl KeysLeft {
    /// Remembers the length of the line, which only its parser knows.
    pub fn of_line(&mut self, line_len: usize) {
        self.line_len = line_len;
    }
}

impl Session {
    /// Goes on with the get that `left` remembers, whose line is at the front of `rest`.
    pub(super) fn go_on_with_keys(&mut self, turn: &mut Turn<'_>, rest: &[u8], left: &KeysLeft) -> Step {
        let line = &rest[..left.line_len.min(rest.len())];
        let done = self.get(turn, Keys::resume(line, left.rest_len), left.fetch);
        Step::Done(left.line_len, done)
    }

    /// Answers key by key. When the output is full or other connections should have their turn, the session remembers
    /// where it stood. A key that is neither there nor known to be missing ends the answer, as in memcached: its error
    /// stands where END would.
    pub(super) fn get(&mut self, turn: &mut Turn<'_>, mut keys: Keys<'_>, fetch: Fetch) -> Done {
        let deadline = fetch.touch.map(|exptime| exptime::deadline(exptime, turn.now));
        let mut answered = 0;
        let mut ahead = Ahead { hashes: [0; AHEAD], asked: 0, at: 0 };
        loop {
            let hash = ahead.hash_of_next(turn, keys);
            let (rest_len, begin) = (keys.rest_len(), turn.output.len());
            turn.begin_request();
            let Some(key) = keys.next() else { break };
            let result = match deadline {
                None => turn.get_one(key, hash, fetch.with_cas),
                Some(deadline) => turn.get_and_touch_one(key, deadline, fetch.with_cas),
            };
            if let Err(error) = result {
                let line = turn.line_of(&error);
                if turn.has_met_busy() {
                    turn.output.truncate(begin);
                    self.pending = Pending::Keys(KeysLeft { line_len: 0, rest_len, fetch });
                    return Done::Unfinished;
                }
                turn.say(line);
                return Done::Answered;
            }
            turn.is_again.set(false);
            // Behind the last key only END is missing, which is not worth a packet of its own.
            answered += 1;
            let is_enough = answered >= KEYS_PER_TURN || turn.is_full();
            if turn.tail.value.is_some() || is_enough && keys.clone().next().is_some() {
                self.pending = Pending::Keys(KeysLeft { line_len: 0, rest_len: keys.rest_len(), fetch });
                return Done::Unfinished;
            }
        }
        turn.output.extend_from_slice(b"END\r\n");
        Done::Answered
    }
}

/// The next keys of a line, whose memory was asked for together.
struct Ahead {
    hashes: [u64; AHEAD],
    /// So many are known.
    asked: usize,
    /// The next one.
    at: usize,
}

impl Ahead {
    /// The hash of the next of `keys`, if they were asked for.
    fn hash_of_next(&mut self, turn: &Turn<'_>, keys: Keys<'_>) -> Option<u64> {
        if self.at == self.asked {
            self.at = 0;
            self.asked = if keys.rest_len() > ONE_KEY { turn.arena.ask_for(keys, &mut self.hashes) } else { 0 };
        }
        let hash = self.hashes[..self.asked].get(self.at).copied();
        self.at += usize::from(hash.is_some());
        hash
    }
}

impl Turn<'_> {
    #[inline]
    fn get_one(&mut self, key: &[u8], hash: Option<u64>, with_cas: bool) -> Result<(), Error> {
        self.shared.note_prefix(key, |prefix| prefix.gets += 1);
        let options = hash.map_or(ReadOptions::new(), |hash| ReadOptions::new().hashed(hash));
        let options = if with_cas { self.with_cas(options) } else { options };
        let mut found = Found::default();
        let is_there = self.find_into(key, options, &mut found)?;
        self.tell_found(key, is_there, &found);
        if is_there {
            self.write_value(key, found, with_cas)?;
        }
        Ok(())
    }

    fn get_and_touch_one(&mut self, key: &[u8], deadline: Deadline, with_cas: bool) -> Result<(), Error> {
        self.count(Count::CmdTouch);
        self.tell_look(key);
        // One that is past at once still gives the item, for the last time.
        let is_past = deadline.is_past(self.now);
        if !is_past && !self.touch_to_read(key, deadline)? {
            self.count(Count::TouchMisses);
            self.note_dead(key);
            return Ok(());
        }
        let before = self.output.len();
        // To the statistics this is a touch and no get, and the touch marks the item as read.
        let found = if with_cas { self.peek_cas(key)? } else { self.find_with(key, ReadOptions::new().untraced())? };
        match found {
            Some(found) => self.write_value(key, found, with_cas)?,
            None => self.count(Count::TouchMisses),
        }
        if is_past && self.output.len() > before {
            self.touch_to_read(key, deadline)?;
        }
        Ok(())
    }

    /// `VALUE …`, the value, a line end; nothing if the item is gone meanwhile.
    #[inline]
    fn write_value(&mut self, key: &[u8], mut found: Found, with_cas: bool) -> Result<(), Error> {
        self.shared.note_prefix(key, |prefix| prefix.hits += 1);
        if self.is_verbose() {
            self.tell_value(key);
        }
        let begin = self.output.len();
        for _ in 0..TRIES {
            let cas = with_cas.then_some(found.cas);
            write_value_header(self.output, key, flags::on_wire(&found.meta), found.value_len as usize, cas);
            if self.send_value(&found, false) {
                return Ok(());
            }
            if self.arena.append_value(&found, self.output) {
                self.output.extend_from_slice(b"\r\n");
                return Ok(());
            }
            // Recycled by a writer while it was copied: the key has another version, or none.
            self.output.truncate(begin);
            let again = if with_cas { self.peek_cas(key)? } else { self.arena.peek(key, self.now) };
            match again {
                Some(again) => found = again,
                None => return Ok(()),
            }
        }
        let item = if with_cas { self.gets(key)? } else { self.copy_out(key)? };
        if let Some(item) = item {
            let cas = with_cas.then_some(item.cas);
            write_value_header(self.output, key, flags::on_wire(&item.meta), item.value.len(), cas);
            self.output.extend_from_slice(&item.value);
            self.output.extend_from_slice(b"\r\n");
        }
        Ok(())
    }

    /// Stores, and returns the answer's line.
    pub(super) fn store(
        &mut self,
        verb: Verb,
        compare: Option<u64>,
        key: &[u8],
        flags: u32,
        exptime: i64,
        value: &[u8],
    ) -> &'static str {
        let terms = Terms::new(mode_of(verb)).compare(self.compared(compare));
        self.shared.note_prefix(key, |prefix| prefix.sets += 1);
        let stored = self.store_checked(key, value, flags, exptime::deadline(exptime, self.now), &terms);
        self.count_store(compare, &stored);
        match stored {
            Ok(Stored::Stored { .. }) => "STORED",
            Ok(Stored::Exists) if compare.is_some() => "EXISTS",
            Ok(Stored::Missing) if compare.is_some() => "NOT_FOUND",
            Ok(_) => "NOT_STORED",
            Err(error) => self.line_of(&error),
        }
    }

    /// Counts a store as memcached does: also one that was refused is a `cmd_set`.
    pub(super) fn count_store(&self, compare: Option<u64>, stored: &Result<Stored, Error>) {
        if !matches!(stored, Ok(Stored::Stored { .. }) | Err(_)) {
            self.count(Count::SetsRefused);
        }
        if compare.is_some() {
            self.count(match stored {
                Ok(Stored::Stored { .. }) => Count::CasHits,
                Ok(Stored::Exists) => Count::CasBadval,
                _ => Count::CasMisses,
            });
        }
    }

    /// Stores under the server's own limit (`-I`), which what is appended to must keep as well.
    pub(super) fn store_checked(
        &mut self,
        key: &[u8],
        value: &[u8],
        flags: u32,
        deadline: Deadline,
        terms: &Terms,
    ) -> Result<Stored, Error> {
        let meta = Meta::default().with_flags(flags);
        let terms = terms.value_max(self.desk.value_max());
        let value_len = self.incoming.as_ref().map_or(value.len(), Incoming::value_len);
        self.tell_look(key);
        let stored = match self.incoming.as_mut() {
            Some(incoming) => incoming.store(key, meta, deadline, &terms, self.now),
            None => self.arena.store_if(key, Value::Bytes(value), meta, deadline, &terms, self.now),
        };
        self.tell_stored(key, value_len, deadline, &terms, &stored);
        match stored {
            // Together they would be too long: to memcached that is one more item to which nothing can be joined.
            Err(Error::ValueTooLarge { .. })
                if matches!(terms.mode, Mode::Append | Mode::Prepend) && value_len <= terms.value_max =>
            {
                Ok(Stored::Missing)
            }
            stored => stored,
        }
    }

    /// What a failed operation says.
    pub(super) fn line_of(&self, error: &Error) -> &'static str {
        match error {
            Error::ValueTooLarge { .. } => {
                self.count(Count::StoreTooLarge);
                TOO_LARGE
            }
            Error::NoMemory => {
                self.count(Count::StoreNoMemory);
                OUT_OF_MEMORY
            }
            Error::KeyTooLong { .. } => "CLIENT_ERROR bad command line format",
            Error::Busy => {
                self.meet_busy();
                "SERVER_ERROR another process holds this part of the cache, try again"
            }
            Error::Lost => "SERVER_ERROR the cache was removed while the server ran",
            _ => "SERVER_ERROR this server cannot write to the cache",
        }
    }

    pub(super) fn delete(&mut self, key: &[u8]) -> &'static str {
        self.shared.note_prefix(key, |prefix| prefix.deletes += 1);
        let before = self.before_delete(key);
        match self.arena.delete(key, self.now) {
            Ok(true) => {
                self.tell_deleted(key, before, cmd::DELETE);
                "DELETED"
            }
            Ok(false) => {
                self.count(Count::DeleteMisses);
                self.note_dead(key);
                "NOT_FOUND"
            }
            Err(error) => self.line_of(&error),
        }
    }

    pub(super) fn count_text(&mut self, key: &[u8], delta: u64, is_decrement: bool, noreply: bool) {
        let counted = self.count_item(key, delta, is_decrement, None, &CountTerms::new());
        match counted {
            Ok(CountedItem::Value { value, .. }) => {
                if !noreply {
                    write_number(self.output, value);
                    self.output.extend_from_slice(b"\r\n");
                }
            }
            Ok(CountedItem::Missing | CountedItem::Exists) => self.reply(noreply, "NOT_FOUND"),
            Ok(CountedItem::NotNumber) => self.reply(noreply, NOT_NUMBER),
            Err(error) => {
                let line = self.line_of(&error);
                self.reply(noreply, line);
            }
        }
    }

    /// Counts, for all protocols, with the statistics of it.
    pub(super) fn count_item(
        &self,
        key: &[u8],
        delta: u64,
        is_decrement: bool,
        initial: Option<(u64, Deadline)>,
        terms: &CountTerms,
    ) -> Result<CountedItem, Error> {
        let change = if is_decrement { Delta::Decrement(delta) } else { Delta::Increment(delta) };
        self.tell_look(key);
        let counted = self.arena.count_if(key, change, initial, terms, self.now);
        if let (Ok(CountedItem::Value { is_new: true, .. }), Some((_, deadline))) = (&counted, initial) {
            self.count(Count::ItemsMade);
            self.tell_counted_first(key, deadline);
        }
        if matches!(counted, Ok(CountedItem::Missing)) {
            self.count(if is_decrement { Count::DecrMisses } else { Count::IncrMisses });
            self.note_dead(key);
        }
        counted
    }

    pub(super) fn touch(&mut self, key: &[u8], exptime: i64) -> &'static str {
        self.count(Count::CmdTouch);
        self.tell_look(key);
        match self.arena.touch(key, exptime::deadline(exptime, self.now), self.now) {
            Ok(true) => "TOUCHED",
            Ok(false) => {
                self.count(Count::TouchMisses);
                self.note_dead(key);
                "NOT_FOUND"
            }
            Err(error) => self.line_of(&error),
        }
    }
}

pub(super) fn mode_of(verb: Verb) -> Mode {
    match verb {
        Verb::Set => Mode::Set,
        Verb::Add => Mode::Add,
        Verb::Replace => Mode::Replace,
        Verb::Append => Mode::Append,
        Verb::Prepend => Mode::Prepend,
    }
}

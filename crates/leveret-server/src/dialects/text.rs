//! The text protocol. Classic commands are answered here; `meta.rs` and `admin.rs` answer the others.
use super::exptime::deadline;
use super::lines::{self, line_of, NOT_NUMBER};
use super::{admin, meta, Dialect, Front};
use crate::commands::get::{self, Reply};
use crate::commands::store::{forget, mode_of};
use crate::commands::{count, delete, store, touch};
use crate::context::Context;
use crate::conversation::{Conversation, KeysLeft, Pending};
use crate::counters::latency::CommandKind;
use crate::counters::requests::Count;
use crate::next::{Consumed, Done, Next};
use crate::watch::cmd;
use leveret_compact::served_flags;
use leveret_engine::{CountTerms, CountedItem, Delta, Error, Found, Stored, Terms};
use leveret_protocol::text::{
    self, write_number, write_value_header, RequestFault, TextCommand, TextKeys, TextRefusal,
};
use leveret_protocol::{ahead, Limits, Parsed, StoreMode, KEY_MAX};
use std::sync::PoisonError;

/// The classic and the meta commands.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// Of the get of which a part is answered.
    fetch: Fetch,
}

/// What a get does with each of its keys.
#[derive(Clone, Copy, Debug, Default)]
struct Fetch {
    with_cas: bool,
    /// The exptime of `gat` and `gats`.
    touch: Option<i64>,
}

impl Dialect for Text {
    type Request<'a> = TextCommand<'a>;
    type Refusal<'a> = TextRefusal<'a>;

    const HAS_LINES: bool = true;

    /// As in memcached, whose read buffer does not grow for an unknown client.
    const UNKNOWN_MAX: usize = 16 << 10;

    #[inline]
    fn parse<'a>(input: &'a [u8], scanned: usize, limits: &Limits) -> Parsed<TextCommand<'a>, TextRefusal<'a>> {
        text::parse_after(input, scanned, limits)
    }

    fn resume<'a>(&self, input: &'a [u8], left: KeysLeft) -> Option<TextCommand<'a>> {
        let Fetch { with_cas, touch } = self.fetch;
        let keys = TextKeys::resume(input, left.rest_len);
        Some(match touch {
            None => TextCommand::Get { keys, with_cas },
            Some(exptime) => TextCommand::GetAndTouch { exptime, keys, with_cas },
        })
    }

    fn front<'a>(input: &'a [u8], room: &'a mut [u8; KEY_MAX], limits: &Limits) -> Option<Front<'a>> {
        let len = input.iter().position(|byte| *byte == b'\n')? + 1;
        let (verb, key) = match text::parse_line(&input[..len], *b"\r\n", limits) {
            Parsed::Request { request: TextCommand::Store { verb, key, .. }, .. } => (verb, key),
            Parsed::Request { request: TextCommand::MetaStore(store), .. } => (store.verb, store.key.decode(room)),
            _ => return None,
        };
        Some(Front { verb, key, len, end_len: 2 })
    }

    fn rejoin<'a>(front: &'a [u8], end: &'a [u8], limits: &Limits) -> Parsed<TextCommand<'a>, TextRefusal<'a>> {
        match *end {
            [first, second] => text::parse_line(front, [first, second], limits),
            _ => Parsed::More { total: front.len() + 2, scanned: 0 },
        }
    }

    fn keys_ahead(input: &[u8]) -> impl Iterator<Item = &[u8]> {
        ahead::keys(input)
    }

    fn kind(request: &TextCommand<'_>) -> CommandKind {
        match request {
            TextCommand::Get { .. } | TextCommand::GetAndTouch { .. } | TextCommand::MetaGet(_) => CommandKind::Get,
            TextCommand::Store { .. } | TextCommand::MetaStore(_) => CommandKind::Set,
            TextCommand::Delete { .. } | TextCommand::MetaDelete(_) => CommandKind::Delete,
            TextCommand::Count { .. } | TextCommand::MetaCount(_) => CommandKind::Count,
            TextCommand::Touch { .. } => CommandKind::Touch,
            _ => CommandKind::Other,
        }
    }

    #[inline]
    fn before(&mut self, talk: &mut Conversation, _: &mut Context<'_>, _: &[u8]) -> Option<Consumed> {
        // Input of an unknown client is its password, or the front of it.
        talk.heard_secret |= !talk.is_known;
        None
    }

    fn answer(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, command: TextCommand<'_>) -> Done {
        use TextCommand::*;
        if !talk.is_known && cx.shared.users().is_some() {
            return sign_in(talk, cx, command);
        }
        match command {
            Get { keys, with_cas } => return self.get(talk, cx, keys, Fetch { with_cas, touch: None }),
            GetAndTouch { exptime, keys, with_cas } => {
                return self.get(talk, cx, keys, Fetch { with_cas, touch: Some(exptime) })
            }
            Store { verb, compare, key, flags, exptime, value, noreply } => {
                let terms = Terms::new(mode_of(verb)).compare(cx.compared(compare));
                let stored = store::store(cx, key, value, flags, deadline(exptime, cx.now), &terms, None);
                let line = line_of_store(cx, &stored, compare.is_some());
                cx.reply(noreply, line);
            }
            Delete { key, noreply } => {
                let line = match delete::delete(cx, key, None, cmd::DELETE) {
                    Ok(Stored::Stored { .. }) => "DELETED",
                    Ok(_) => "NOT_FOUND",
                    Err(error) => line_of(cx, &error),
                };
                cx.reply(noreply, line);
            }
            Count { key, delta, is_decrement, noreply } => {
                say_count(cx, key, count::delta_of(delta, is_decrement), noreply)
            }
            Touch { key, exptime, noreply } => {
                let line = match touch::touch(cx, key, deadline(exptime, cx.now)) {
                    Ok(true) => "TOUCHED",
                    Ok(false) => "NOT_FOUND",
                    Err(error) => line_of(cx, &error),
                };
                cx.reply(noreply, line);
            }
            FlushAll { exptime, noreply } => {
                let line = admin::flush_all(cx, deadline(exptime.unwrap_or(0), cx.now));
                cx.reply(noreply, line);
            }
            MetaGet(get) => meta::get(cx, &get),
            MetaStore(store) => meta::store(cx, &store),
            MetaDelete(delete) => meta::delete(cx, &delete),
            MetaCount(count) => meta::count(cx, &count),
            MetaDebug { key } => meta::debug(cx, &key),
            MetaNoop => cx.say("MN"),
            Quit => return Done::Over(Next::Close),
            Stats { words } => admin::say_stats(cx, talk.transport, words),
            Watch { words } => return admin::begin_to_watch(talk, cx, words),
            LruCrawler(crawl) => return admin::crawl(talk, cx, crawl),
            Version
            | RefreshCerts
            | Shutdown { .. }
            | Verbosity { .. }
            | CacheMemlimit { .. }
            | Slabs { .. }
            | Lru { .. } => return admin::administer(cx, command),
        }
        Done::Answered
    }

    fn say_error(cx: &mut Context<'_>, error: &Error) {
        lines::say_error(cx, error);
    }

    fn refuse(cx: &mut Context<'_>, refusal: &TextRefusal<'_>, is_known: bool) -> Done {
        if let Some(key) = refusal.forget.filter(|_| is_known) {
            forget(cx, key.decode(&mut [0; KEY_MAX]));
        }
        match refusal.fault {
            RequestFault::Line => {}
            RequestFault::TooLarge => cx.count(Count::StoreTooLarge),
            RequestFault::BadBlock => cx.count(Count::SetsRefused),
        }
        if !refusal.is_silent && !refusal.answer.is_empty() {
            cx.say(refusal.answer);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }
}

impl Text {
    /// A key that is neither there nor known to be missing ends the answer: its error stands where END would.
    #[inline]
    fn get(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, keys: TextKeys<'_>, fetch: Fetch) -> Done {
        let reply = TextValue { with_cas: fetch.with_cas };
        let said = match fetch.touch.map(|exptime| deadline(exptime, cx.now)) {
            None => get::many(cx, keys, |cx, key, hash| get::one(cx, key, hash, &reply)),
            Some(deadline) => get::many(cx, keys, |cx, key, _| touch::and_get(cx, key, deadline, &reply)),
        };
        match said {
            Ok(None) => cx.output.extend_from_slice(b"END\r\n"),
            Ok(Some(rest_len)) => {
                self.fetch = fetch;
                talk.pending = Pending::Keys(KeysLeft { request_len: 0, rest_len });
                return Done::Unfinished;
            }
            Err(error) => lines::say_error(cx, &error),
        }
        Done::Answered
    }
}

/// `VALUE …`, the value, a line end.
struct TextValue {
    with_cas: bool,
}

impl Reply for TextValue {
    const BEHIND: &'static [u8] = b"\r\n";
    const IS_LOGGED: bool = true;

    #[inline]
    fn tells_cas(&self) -> bool {
        self.with_cas
    }

    #[inline]
    fn head(&self, out: &mut Vec<u8>, key: &[u8], found: &Found) {
        let cas = self.with_cas.then_some(found.cas);
        write_value_header(out, key, served_flags(&found.meta), found.value_len as usize, cas);
    }

    #[inline]
    fn miss(&self, _: &mut Vec<u8>, _: &[u8]) {}
}

/// Authenticates a client when `-Y` is set.
#[cold]
fn sign_in(talk: &mut Conversation, cx: &mut Context<'_>, command: TextCommand<'_>) -> Done {
    match command {
        TextCommand::Store { verb: StoreMode::Set, compare: None, value, noreply, .. } => {
            cx.count(Count::AuthCmds);
            let users = cx.shared.users().map(|users| users.read().unwrap_or_else(PoisonError::into_inner));
            talk.is_known = users.is_some_and(|users| users.admit(value));
            if talk.is_known {
                cx.reply(noreply, "STORED");
            } else {
                cx.count(Count::AuthErrors);
                cx.say("CLIENT_ERROR authentication failure");
            }
            Done::Answered
        }
        TextCommand::Quit => Done::Over(Next::Close),
        _ => {
            cx.say("CLIENT_ERROR unauthenticated");
            Done::Answered
        }
    }
}

fn line_of_store(cx: &Context<'_>, stored: &Result<Stored, Error>, is_cas: bool) -> &'static str {
    match stored {
        Ok(Stored::Stored { .. }) => "STORED",
        Ok(Stored::Exists) if is_cas => "EXISTS",
        Ok(Stored::Missing) if is_cas => "NOT_FOUND",
        Ok(_) => "NOT_STORED",
        Err(error) => line_of(cx, error),
    }
}

fn say_count(cx: &mut Context<'_>, key: &[u8], change: Delta, noreply: bool) {
    match count::count(cx, key, change, None, &CountTerms::new()) {
        Ok(CountedItem::Value { .. }) if noreply => {}
        Ok(CountedItem::Value { value, .. }) => {
            write_number(cx.output, value);
            cx.output.extend_from_slice(b"\r\n");
        }
        Ok(CountedItem::Missing | CountedItem::Exists) => cx.reply(noreply, "NOT_FOUND"),
        Ok(CountedItem::NotNumber) => cx.reply(noreply, NOT_NUMBER),
        Err(error) => {
            let line = line_of(cx, &error);
            cx.reply(noreply, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_client::codec::encoding;
    use leveret_engine::{Encoding, Meta};

    /// The server reads the four numbers without the client, but their meaning is the client's.
    #[test]
    fn the_numbers_of_encodings_are_the_clients() {
        for (encoding, flags) in [
            (encoding::PHP, 4),
            (encoding::IGBINARY, 5),
            (encoding::JSON, 6),
            (encoding::MSGPACK, 7),
            (encoding::NULL, 0),
            (encoding::MARSHAL, 0),
            (Encoding::RAW, 0),
            (Encoding::INTEGER, 0),
            (Encoding::DOUBLE, 0),
            (Encoding::BOOL, 0),
        ] {
            assert_eq!(served_flags(&Meta::native(encoding)), flags, "{encoding:?}");
        }
    }

    #[test]
    fn requests_are_told_apart_by_their_kind() {
        let limits = Limits { value_max: 100 };
        for (line, want) in [
            (&b"get a\r\n"[..], CommandKind::Get),
            (b"mg a v\r\n", CommandKind::Get),
            (b"gats 5 a\r\n", CommandKind::Get),
            (b"cas a 0 0 1 1\r\nx\r\n", CommandKind::Set),
            (b"ms a 1\r\nx\r\n", CommandKind::Set),
            (b"md a\r\n", CommandKind::Delete),
            (b"decr a 1\r\n", CommandKind::Count),
            (b"ma a\r\n", CommandKind::Count),
            (b"touch a 1\r\n", CommandKind::Touch),
            (b"version\r\n", CommandKind::Other),
        ] {
            let Parsed::Request { request, .. } = Text::parse(line, 0, &limits) else { panic!("{line:?}") };
            assert_eq!(Text::kind(&request), want, "{line:?}");
        }
    }
}

//! Walks over all items: `lru_crawler metadump` and `mgdump`. The output goes out piece by piece, so that a walk over
//! millions of items needs no memory for them and no other connection waits for it.
use super::session::Pending;
use super::{Done, Next, Session, Transport, Turn};
use crate::stats::ITEMS_CLASS;
use crate::uri;
use leveret_engine::{Cursor, Found, Time};
use leveret_protocol::text::LruCrawler;
use std::io::Write;

/// Pieces of care for the arena between two looks at the connections: some milliseconds.
pub(crate) const TENDED_AT_ONCE: usize = 64;
/// Buckets of the index that are visited before other connections have their turn: most of a large index may be empty.
const STEPS_PER_TURN: usize = 1024;

/// A walk under way.
#[derive(Debug)]
pub(super) struct Dump {
    cursor: Cursor,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Metadump,
    Mgdump,
}

impl Session {
    pub(super) fn crawl(&mut self, turn: &mut Turn<'_>, command: LruCrawler<'_>) -> Done {
        let (form, classes) = match command {
            LruCrawler::Metadump { classes } => (Form::Metadump, classes),
            LruCrawler::Mgdump { classes } => (Form::Mgdump, classes),
            LruCrawler::Crawl { classes } => {
                let known = names_our_class(classes);
                if known {
                    // The accepting thread goes on with the rest.
                    turn.arena.tend(turn.now, TENDED_AT_ONCE);
                }
                turn.say(if known { "OK" } else { "BADCLASS invalid class id" });
                return Done::Answered;
            }
            LruCrawler::Sleep { micros } if micros > 1_000_000 => {
                turn.say("CLIENT_ERROR sleep must be one second or less");
                return Done::Answered;
            }
            LruCrawler::Enable | LruCrawler::Disable | LruCrawler::Sleep { .. } | LruCrawler::ToCrawl { .. } => {
                turn.say("OK");
                return Done::Answered;
            }
        };
        if !turn.shared.live.dump() {
            turn.say("ERROR metadump not allowed");
        } else if self.transport == Transport::Udp {
            // One small datagram with a forged sender must not send megabytes to somebody else.
            turn.say("CLIENT_ERROR no dumps over UDP");
        } else if !names_our_class(classes) {
            turn.say("BADCLASS invalid class id");
        } else {
            self.pending = Pending::Dump(Box::new(Dump { cursor: Cursor::default(), form }));
        }
        Done::Answered
    }

    /// Goes on with a walk, if there is one. None: there is none, or it is over.
    #[inline]
    pub(super) fn go_on_dumping(&mut self, turn: &mut Turn<'_>) -> Option<Next> {
        let Pending::Dump(dump) = &mut self.pending else { return None };
        for _ in 0..STEPS_PER_TURN {
            if turn.is_full() {
                return Some(Next::Send);
            }
            let output = &mut *turn.output;
            let (form, now, shared) = (dump.form, turn.now, turn.shared);
            let mut line = |key: &[u8], found: &Found| match form {
                Form::Metadump => {
                    let cas = if shared.settings.cas { found.cas } else { 0 };
                    metadump_line(output, key, found, cas, now);
                }
                Form::Mgdump => mgdump_line(output, key),
            };
            match turn.arena.scan(&mut dump.cursor, turn.now, &mut line) {
                Ok(true) => {}
                Ok(false) => {
                    turn.say(if form == Form::Metadump { "END" } else { "EN" });
                    self.pending = Pending::Nothing;
                    return None;
                }
                // No end, so that nobody takes a part for the whole; and closed, for who waits for an end alone.
                Err(error) => {
                    let line = turn.line_of(&error);
                    if turn.takes_back() {
                        return Some(Next::Busy);
                    }
                    turn.say(line);
                    return Some(Next::Close);
                }
            }
        }
        Some(turn.yield_to_others())
    }
}

/// All items are of one class, and of none of the others that a list may name.
fn names_our_class(classes: &[u8]) -> bool {
    let is_class =
        |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok()) == Some(ITEMS_CLASS);
    classes == b"all" || classes == b"hash" || classes.split(|byte| *byte == b',').any(is_class)
}

fn metadump_line(output: &mut Vec<u8>, key: &[u8], found: &Found, cas: u64, now: Time) {
    output.extend_from_slice(b"key=");
    uri::encode(output, key);
    let exp = found.deadline.time().map_or(-1, Time::to_unix);
    let la = found.mtime.min(now).to_unix();
    let fetched = if found.is_fetched() { "yes" } else { "no" };
    let size = found.size(key.len());
    // Writing to memory does not fail.
    let _ = writeln!(output, " exp={exp} la={la} cas={cas} fetch={fetched} cls={ITEMS_CLASS} size={size}");
}

fn mgdump_line(output: &mut Vec<u8>, key: &[u8]) {
    output.extend_from_slice(b"mg ");
    if key.iter().all(u8::is_ascii_graphic) {
        output.extend_from_slice(key);
    } else {
        let mut room = [0; leveret_protocol::KEY_MAX];
        match leveret_protocol::WireKey::for_meta(key, &mut room) {
            Some(key) => {
                output.extend_from_slice(key.as_written());
                output.extend_from_slice(if key.is_base64() { b" b" } else { b"" });
            }
            // Longer than any key of the wire: nobody could ask for it.
            None => {
                output.truncate(output.len() - b"mg ".len());
                return;
            }
        }
    }
    output.extend_from_slice(b"\r\n");
}

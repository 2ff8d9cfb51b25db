//! Walks over all items: `lru_crawler metadump` and `mgdump`. The output goes out piece by piece, so that a walk over
//! millions of items needs no memory for them and no other connection waits for it.
use crate::context::Context;
use crate::memcached::ITEMS_CLASS;
use crate::next::Next;
use leveret_engine::{Cursor, Error, Found, Time};
use leveret_protocol::percent;
use std::io::Write;

/// Pieces of care for the arena between two looks at the connections: some milliseconds.
pub(crate) const TENDED_AT_ONCE: usize = 64;

/// Buckets of the index that are visited before other connections have their turn: most of a large index may be empty.
const STEPS_PER_TURN: usize = 1024;

/// A walk under way.
#[derive(Debug)]
pub(crate) struct Dump {
    cursor: Cursor,
    form: DumpForm,
}

/// How items are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DumpForm {
    /// All that is known of them, a line each.
    Metadump,
    /// The requests that would get them.
    Mgdump,
}

impl Dump {
    /// A walk over all items, from the first one.
    pub fn new(form: DumpForm) -> Dump {
        Dump { cursor: Cursor::default(), form }
    }
}

/// Goes on with a walk. None: it has come to its end.
pub(crate) fn go_on(dump: &mut Dump, cx: &mut Context<'_>) -> Result<Option<Next>, Error> {
    for _ in 0..STEPS_PER_TURN {
        if cx.is_full() {
            return Ok(Some(Next::Send));
        }
        let output = &mut *cx.output;
        let (form, now, shared) = (dump.form, cx.now, cx.shared);
        let mut line = |key: &[u8], found: &Found| match form {
            DumpForm::Metadump => {
                let cas = if shared.settings.cas { found.cas } else { 0 };
                metadump_line(output, key, found, cas, now);
            }
            DumpForm::Mgdump => mgdump_line(output, key),
        };
        if !cx.arena.scan(&mut dump.cursor, cx.now, &mut line)? {
            cx.say(if form == DumpForm::Metadump { "END" } else { "EN" });
            return Ok(None);
        }
    }
    Ok(Some(cx.yield_to_others()))
}

/// Whether a list of classes names that of all items: they are of no other.
pub(crate) fn names_our_class(classes: &[u8]) -> bool {
    let is_class =
        |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok()) == Some(ITEMS_CLASS);
    classes == b"all" || classes == b"hash" || classes.split(|byte| *byte == b',').any(is_class)
}

fn metadump_line(output: &mut Vec<u8>, key: &[u8], found: &Found, cas: u64, now: Time) {
    output.extend_from_slice(b"key=");
    percent::encode(output, key);
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
            // Longer than any key of the protocol: no client could request it.
            None => {
                output.truncate(output.len() - b"mg ".len());
                return;
            }
        }
    }
    output.extend_from_slice(b"\r\n");
}

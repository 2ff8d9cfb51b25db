//! Gets: an item is looked up, its head is said, its bytes are copied; if a writer recycles it in between, both are undone
//! and it is looked up again.
use super::told;
use crate::context::Context;
use crate::counters::requests::Count;
use crate::log::{self, Level};
use crate::printable::shown;
use crate::watch::Kinds;
use leveret_compact::{may_be_compact, served};
use leveret_engine::{Error, Found, Missed, ReadOptions, AHEAD};
use leveret_protocol::text;

/// Tries to copy an item that is recycled meanwhile, before the copy that cannot be.
const TRIES: usize = 3;

/// Requests with no more bytes of keys than this are not prefetched: with a single key the work would only be doubled.
const ONE_KEY: usize = 64;

/// Keys of one request that are answered before other connections have their turn: about 0.2 ms.
const KEYS_PER_TURN: usize = 1024;

/// How a get is said.
pub(crate) trait Reply {
    /// Bytes after the value. If there are none, the last byte of a large value is held back until the value is known
    /// to be complete.
    const BEHIND: &'static [u8];

    /// The log tells of each value on its way (`-vv`), as memcached does for the classic commands alone.
    const IS_LOGGED: bool;

    /// The answer tells the cas.
    fn tells_cas(&self) -> bool;

    /// Writes the bytes before the value. Called again if the item was recycled while its value was copied.
    fn head(&self, out: &mut Vec<u8>, key: &[u8], found: &Found);

    /// There is no item.
    fn miss(&self, out: &mut Vec<u8>, key: &[u8]);
}

/// The keys of a get, in its order; each is valid.
pub(crate) trait Keys<'a>: Copy + Iterator<Item = &'a [u8]> {
    /// Bytes of the request that are left: kept as the place to go on from.
    fn rest_len(&self) -> usize;
}

impl<'a> Keys<'a> for text::TextKeys<'a> {
    #[inline]
    fn rest_len(&self) -> usize {
        text::Words::rest_len(self)
    }
}

/// Says the items of many keys, each by `say`, which is told the key's hash if that is known. When the output is full or
/// other connections should have their turn, Some says how much of the keys is left. A key that is neither there nor known
/// to be missing ends the answer, as in memcached.
#[inline]
pub(crate) fn many<'a>(
    cx: &mut Context<'_>,
    mut keys: impl Keys<'a>,
    say: impl Fn(&mut Context<'_>, &[u8], Option<u64>) -> Result<(), Error>,
) -> Result<Option<usize>, Error> {
    let mut answered = 0;
    let mut ahead = Ahead { hashes: [0; AHEAD], asked: 0, at: 0 };
    loop {
        let hash = ahead.hash_of_next(cx, keys);
        let (rest_len, begin) = (keys.rest_len(), cx.output.len());
        cx.begin_request();
        let Some(key) = keys.next() else { return Ok(None) };
        if let Err(error) = say(cx, key, hash) {
            cx.note_failure(&error);
            if cx.has_met_busy() {
                cx.output.truncate(begin);
                return Ok(Some(rest_len));
            }
            return Err(error);
        }
        cx.is_again.set(false);
        // Behind the last key only an end is missing, which is not worth a packet of its own.
        answered += 1;
        let is_enough = answered >= KEYS_PER_TURN || cx.is_full();
        if cx.tail.value.is_some() || is_enough && keys.clone().next().is_some() {
            return Ok(Some(keys.rest_len()));
        }
    }
}

/// The next keys of a request, whose memory was asked for together.
struct Ahead {
    hashes: [u64; AHEAD],
    /// How many are known.
    asked: usize,
    /// The next one.
    at: usize,
}

impl Ahead {
    /// The hash of the next of `keys`, if they were asked for.
    #[inline]
    fn hash_of_next<'a>(&mut self, cx: &Context<'_>, keys: impl Keys<'a>) -> Option<u64> {
        if self.at == self.asked {
            self.at = 0;
            self.asked = if keys.rest_len() > ONE_KEY { cx.arena.ask_for(keys, &mut self.hashes) } else { 0 };
        }
        let hash = self.hashes[..self.asked].get(self.at).copied();
        self.at += usize::from(hash.is_some());
        hash
    }
}

/// Says the item under `key`, whose hash may be known, or that there is none.
#[inline]
pub(crate) fn one<R: Reply>(cx: &mut Context<'_>, key: &[u8], hash: Option<u64>, reply: &R) -> Result<(), Error> {
    cx.note_prefix(key, |prefix| prefix.gets += 1);
    let options = cx.read_options();
    let options = hash.map_or(options, |hash| options.hashed(hash));
    let options = if reply.tells_cas() { cx.with_cas(options) } else { options };
    let mut found = Found::default();
    let is_there = find_into(cx, key, options, &mut found)?;
    if cx.watched.has(Kinds::FETCHERS) {
        told::found(cx, key, is_there, &found);
    }
    if is_there {
        value(cx, key, found, reply)?;
        cx.note_prefix_hit(key);
    } else {
        reply.miss(cx.output, key);
    }
    Ok(())
}

/// Writes a found item: head, value, bytes after it. If the item is gone meanwhile, that is a miss.
#[inline]
pub(crate) fn value<R: Reply>(cx: &mut Context<'_>, key: &[u8], mut found: Found, reply: &R) -> Result<(), Error> {
    if R::IS_LOGGED && cx.is_verbose() {
        tell_value(cx, key);
    }
    if may_be_compact(&found.meta) {
        return whole_value(cx, key, found, reply);
    }
    let begin = cx.output.len();
    for _ in 0..TRIES {
        reply.head(cx.output, key, &found);
        if cx.send_value(&found, R::BEHIND) || cx.append_value(&found, R::BEHIND) {
            return Ok(());
        }
        // Recycled by a writer while it was copied: the key has another version, or none.
        cx.output.truncate(begin);
        match again(cx, key, reply)? {
            Some(newer) => found = newer.with_reads_of(&found),
            None => {
                reply.miss(cx.output, key);
                return Ok(());
            }
        }
    }
    whole_value(cx, key, found, reply)
}

#[cold]
fn again<R: Reply>(cx: &Context<'_>, key: &[u8], reply: &R) -> Result<Option<Found>, Error> {
    let untraced = ReadOptions::new().untraced();
    find(cx, key, if reply.tells_cas() { cx.with_cas(untraced) } else { untraced })
}

/// As `value`, for an item that was recycled during each copy (in the end under the lock, where it cannot be), or whose
/// bytes are not those that clients get.
#[cold]
fn whole_value<R: Reply>(cx: &mut Context<'_>, key: &[u8], mut found: Found, reply: &R) -> Result<(), Error> {
    let options = ReadOptions::new().untraced();
    let options = if reply.tells_cas() { cx.with_cas(options) } else { options };
    let item = read(cx.arena.get_with(key, options, cx.now))?;
    let Some((item, value)) = item.and_then(|mut item| {
        let value = served(&item.meta, std::mem::take(&mut item.value));
        value.map(|value| (item, value))
    }) else {
        reply.miss(cx.output, key);
        return Ok(());
    };
    (found.cas, found.meta, found.value_len) = (item.cas, item.meta, value.len() as u64);
    (found.mtime, found.deadline) = (item.mtime, item.deadline);
    reply.head(cx.output, key, &found);
    cx.output.extend_from_slice(&value);
    cx.output.extend_from_slice(R::BEHIND);
    Ok(())
}

/// Bytes of the value as clients get it.
#[inline]
pub(crate) fn value_len(cx: &Context<'_>, key: &[u8], found: &Found) -> u64 {
    if may_be_compact(&found.meta) {
        served_len(cx, key).unwrap_or(found.value_len)
    } else {
        found.value_len
    }
}

#[cold]
fn served_len(cx: &Context<'_>, key: &[u8]) -> Option<u64> {
    let item = cx.arena.get_with(key, ReadOptions::new().untraced(), cx.now).ok()??;
    served(&item.meta, item.value).map(|value| value.len() as u64)
}

/// `-vv`: tells of a value on its way to the client.
#[cold]
fn tell_value(cx: &Context<'_>, key: &[u8]) {
    log::tell(Level::Debug, format_args!(">{} sending key {}", cx.cfd, shown(key)));
}

/// The item under `key`.
pub(crate) fn find(cx: &Context<'_>, key: &[u8], options: ReadOptions) -> Result<Option<Found>, Error> {
    let mut found = Found::default();
    Ok(find_into(cx, key, options, &mut found)?.then_some(found))
}

/// Looks an item up for a client, and counts a dead item found in its place. Its cas may need the shard's lock; if the
/// lock is not free, that is an error and not a miss: the item may exist.
#[inline]
pub(crate) fn find_into(cx: &Context<'_>, key: &[u8], options: ReadOptions, found: &mut Found) -> Result<bool, Error> {
    let is_there = read(cx.arena.find_into(key, options, cx.now, found).map(Some))?.unwrap_or(false);
    if !is_there && found.missed() != Missed::Absent {
        retire(cx, key, found.missed());
    }
    Ok(is_there)
}

/// A change found no item: the item there may be dead.
pub(crate) fn note_dead(cx: &Context<'_>, key: &[u8]) {
    let _ = find(cx, key, ReadOptions::new().untraced());
}

#[cold]
fn retire(cx: &Context<'_>, key: &[u8], missed: Missed) {
    if missed == Missed::Flushed {
        return cx.count(Count::GetFlushed);
    }
    // So that it is met once. Another worker may have met it in the same moment.
    if matches!(cx.arena.remove_dead(key, cx.now), Ok(true)) {
        cx.count(Count::GetExpired);
    }
}

/// Result for a reader: a removed cache is empty, so a look-up there is a miss.
#[inline]
pub(crate) fn read<T>(looked: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match looked {
        Err(Error::Lost) => Ok(None),
        looked => looked,
    }
}

/// The item under `key` and its cas, for debugging: leaves no trace and counts as no read.
pub(crate) fn examine(cx: &Context<'_>, key: &[u8]) -> Result<Option<(Found, u64)>, Error> {
    told::look(cx, key);
    let Some(seen) = cx.arena.peek(key, cx.now) else { return Ok(None) };
    let cas = read(cx.arena.amend(key, cx.now, &mut |_| None))?.map_or(0, |found| cx.shown_cas(found.cas));
    Ok(Some((seen, cas)))
}

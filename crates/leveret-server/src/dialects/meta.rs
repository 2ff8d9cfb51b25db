//! The meta commands: their flags in the order of their letters, and their answers.
use super::exptime::{deadline, ttl};
use super::lines::{say_error, NOT_NUMBER};
use crate::commands::delete::Retained;
use crate::commands::get::{self as gets, Reply};
use crate::commands::recache::{self, Course, Race, Recache};
use crate::commands::store::{joins, mode_of};
use crate::commands::{count as counts, delete as deletes, store as stores};
use crate::context::Context;
use crate::counters::requests::Count;
use crate::memcached::ITEMS_CLASS;
use crate::watch::cmd;
use leveret_compact::served_flags;
use leveret_engine::{CountTerms, CountedItem, Deadline, Found, Stored, Terms, Time};
use leveret_protocol::text::{
    write_meta, write_meta_value, write_number, Facts, MetaCount, MetaDelete, MetaGet, MetaStore, Return, Returns, Ttl,
};
use leveret_protocol::{StoreMode, WireKey, KEY_MAX};

/// What becomes of the deadline of an item that was there (Some) or was just made, for which alone `N` means something.
fn course(from: Option<Deadline>, flags: Returns<'_>, vivify: Option<Deadline>, touch: Option<Deadline>) -> Course {
    let mut last = from.unwrap_or(Deadline::NEVER);
    let (mut told, mut recached) = (None, last);
    for letter in flags.letters() {
        match letter {
            b'N' if from.is_none() => last = vivify.unwrap_or(last),
            b'T' => last = touch.unwrap_or(last),
            b'R' => recached = last,
            b't' => told = Some(last),
            _ => {}
        }
    }
    Course { last, told: told.unwrap_or(last), recached }
}

pub(super) fn get(cx: &mut Context<'_>, get: &MetaGet<'_>) {
    let mut room = [0; KEY_MAX];
    let key = get.key.decode(&mut room);
    cx.count(Count::MetaCommands);
    cx.note_prefix(key, |prefix| prefix.gets += 1);
    let vivify = get.vivify.map(|at| deadline(at, cx.now));
    let touch = get.touch.map(|at| deadline(at, cx.now));
    let ask = Recache {
        vivifies: vivify.is_some(),
        below_secs: get.recache,
        touches: touch.is_some(),
        cas: get.cas,
        is_untraced: get.no_bump,
        tells_cas: get.unless_cas.is_some() || get.returns.into_iter().any(|wanted| wanted == Return::Cas),
    };
    let met = match recache::find(cx, key, &ask, |from| course(from, get.returns, vivify, touch)) {
        Ok(met) => met,
        Err(error) => return say_error(cx, &error),
    };
    let Some(recache::MetItem { mut found, race, told }) = met else { return miss(cx.output, get) };
    let now = cx.now;
    let reply = MetaValue { get, race, told, now, shows_cas: cx.shared.settings.cas, tells_cas: ask.tells_cas };
    let knows = get.unless_cas == Some(found.cas) && cx.shown_cas(found.cas) != 0;
    if !get.value || knows {
        found.value_len = gets::value_len(cx, key, &found);
        return write_meta(cx.output, b"HD", &get.key, get.returns, &reply.facts(&found));
    }
    if let Err(error) = gets::value(cx, key, found, &reply) {
        say_error(cx, &error);
    }
}

/// `VA …`, the value, a line end.
struct MetaValue<'g> {
    get: &'g MetaGet<'g>,
    race: Race,
    /// The deadline to tell, if it is not the item's.
    told: Option<Deadline>,
    now: Time,
    shows_cas: bool,
    tells_cas: bool,
}

impl MetaValue<'_> {
    #[inline]
    fn facts(&self, found: &Found) -> Facts {
        Facts {
            won: self.race.won,
            lost: self.race.lost,
            stale: self.race.stale,
            cas: Some(if self.shows_cas { found.cas } else { 0 }),
            flags: Some(served_flags(&found.meta)),
            was_hit: Some(found.is_fetched()),
            idle_secs: Some(u64::from(self.now.0.saturating_sub(found.mtime.0))),
            size: Some(found.value_len as usize),
            ttl: Some(ttl(self.told.unwrap_or(found.deadline), self.now)),
        }
    }
}

impl Reply for MetaValue<'_> {
    const BEHIND: &'static [u8] = b"\r\n";
    const IS_LOGGED: bool = false;

    #[inline]
    fn tells_cas(&self) -> bool {
        self.tells_cas
    }

    #[inline]
    fn head(&self, out: &mut Vec<u8>, _: &[u8], found: &Found) {
        write_meta_value(out, found.value_len as usize, &self.get.key, self.get.returns, &self.facts(found));
    }

    fn miss(&self, out: &mut Vec<u8>, _: &[u8]) {
        miss(out, self.get);
    }
}

fn miss(out: &mut Vec<u8>, get: &MetaGet<'_>) {
    if !get.quiet {
        write_meta(out, b"EN", &get.key, get.returns, &Facts::default());
    }
}

pub(super) fn store(cx: &mut Context<'_>, store: &MetaStore<'_>) {
    let mut room = [0; KEY_MAX];
    let key = store.key.decode(&mut room);
    cx.count(Count::MetaCommands);
    // As in memcached: an add asks for no cas, and to append and prepend 0 is none. A set and a replace compare
    // with it.
    let compare = match store.verb {
        StoreMode::Add => None,
        StoreMode::Append | StoreMode::Prepend => store.compare.filter(|cas| *cas != 0 && cx.shared.settings.cas),
        StoreMode::Set | StoreMode::Replace => cx.compared(store.compare),
    };
    let terms = Terms::new(mode_of(store.verb))
        .compare(compare)
        .older_is_stale(store.older_is_stale && compare != Some(0))
        .cas(cx.chosen_cas(store.cas))
        .want_cas(true);
    let (until, vivify) = (deadline(store.exptime, cx.now), store.vivify.map(|at| deadline(at, cx.now)));
    let value_len = stores::value_len(cx, store.value);
    let stored = stores::store(cx, key, store.value, store.flags, until, &terms, vivify);
    let is_joined = joins(terms.mode);
    let code: &[u8; 2] = match &stored {
        Ok(Stored::Stored { .. }) => b"HD",
        Ok(Stored::Exists) if compare.is_some() => b"EX",
        Ok(Stored::Missing) if compare.is_some() && !is_joined => b"NF",
        Ok(_) => b"NS",
        Err(error) => return say_error(cx, error),
    };
    if store.quiet && code == b"HD" {
        return;
    }
    let cas = if let Ok(Stored::Stored { cas }) = stored { cx.shown_cas(cas) } else { 0 };
    let size = match cx.arena.peek(key, cx.now).filter(|_| is_joined && code == b"HD") {
        Some(joined) => joined.value_len as usize,
        None => value_len,
    };
    let facts = Facts { cas: Some(cas), size: Some(size), ..Facts::default() };
    write_meta(cx.output, code, &store.key, store.returns, &facts);
}

pub(super) fn delete(cx: &mut Context<'_>, delete: &MetaDelete<'_>) {
    let mut room = [0; KEY_MAX];
    let key = delete.key.decode(&mut room);
    cx.count(Count::MetaCommands);
    let outcome = if delete.stale || delete.drop_value {
        let until = delete.touch.map(|at| deadline(at, cx.now));
        let retained =
            Retained { is_stale: delete.stale, drops_value: delete.drop_value, deadline: until, cas: delete.cas };
        deletes::retain(cx, key, delete.compare, &retained)
    } else {
        // With `-C` all items have the cas 0, and this command compares with it.
        let version = cx.compared(delete.compare.filter(|cas| *cas != 0 || cx.shared.settings.cas));
        deletes::delete(cx, key, version, cmd::MD)
    };
    let code: &[u8; 2] = match outcome {
        Ok(Stored::Stored { .. }) => b"HD",
        Ok(Stored::Exists) => {
            cx.count(Count::DeleteMisses);
            b"EX"
        }
        Ok(Stored::Missing) => b"NF",
        Err(error) => return say_error(cx, &error),
    };
    if !(delete.quiet && code == b"HD") {
        write_meta(cx.output, code, &delete.key, delete.returns, &Facts::default());
    }
}

pub(super) fn count(cx: &mut Context<'_>, count: &MetaCount<'_>) {
    let mut room = [0; KEY_MAX];
    let key = count.key.decode(&mut room);
    cx.count(Count::MetaCommands);
    let vivify = count.vivify.map(|at| deadline(at, cx.now));
    let touch = count.touch.map(|at| deadline(at, cx.now));
    let made = course(None, count.returns, vivify, touch);
    let initial = vivify.map(|_| (count.initial, made.last));
    // Only a `t` before the `T` returns the old deadline.
    let is_old_told = count.returns.letters().find(|letter| matches!(letter, b't' | b'T')) == Some(b't');
    let old = if touch.is_some() && is_old_told { cx.arena.peek(key, cx.now) } else { None };
    let terms = CountTerms::new()
        .compare(cx.compared(count.compare.filter(|cas| *cas != 0)))
        .cas(cx.chosen_cas(count.cas))
        .deadline(touch)
        .want_cas(true);
    match counts::count(cx, key, counts::delta_of(count.delta, count.is_decrement), initial, &terms) {
        Ok(CountedItem::Value { value, cas, deadline, is_new, .. }) => {
            if count.quiet {
                return;
            }
            let told = if is_new { made.told } else { old.map_or(deadline, |old| old.deadline) };
            let ttl = ttl(told, cx.now);
            let facts = Facts { cas: Some(cx.shown_cas(cas)), ttl: Some(ttl), ..Facts::default() };
            if count.value {
                let mut text = Vec::with_capacity(20);
                write_number(&mut text, value);
                write_meta_value(cx.output, text.len(), &count.key, count.returns, &facts);
                cx.output.extend_from_slice(&text);
                cx.output.extend_from_slice(b"\r\n");
            } else {
                write_meta(cx.output, b"HD", &count.key, count.returns, &facts);
            }
        }
        Ok(CountedItem::Missing) => write_meta(cx.output, b"NF", &count.key, count.returns, &Facts::default()),
        Ok(CountedItem::Exists) => write_meta(cx.output, b"EX", &count.key, count.returns, &Facts::default()),
        Ok(CountedItem::NotNumber) => cx.say(NOT_NUMBER),
        Err(error) => say_error(cx, &error),
    }
}

/// `ME key exp= la= cas= fetch= cls= size=`
pub(super) fn debug(cx: &mut Context<'_>, key: &WireKey<'_>) {
    let mut room = [0; KEY_MAX];
    cx.count(Count::MetaCommands);
    cx.count(Count::CmdMeta);
    let bytes = key.decode(&mut room);
    let (seen, cas) = match gets::examine(cx, bytes) {
        Ok(Some(seen)) => seen,
        Ok(None) => return cx.say("EN"),
        Err(error) => return say_error(cx, &error),
    };
    let left = match ttl(seen.deadline, cx.now) {
        Ttl::Forever => -1,
        Ttl::Secs(secs) => secs as i64,
    };
    let idle = cx.now.0.saturating_sub(seen.mtime.0);
    let fetched = if seen.is_fetched() { "yes" } else { "no" };
    let size = seen.size(bytes.len());
    cx.output.extend_from_slice(b"ME ");
    cx.output.extend_from_slice(key.as_written());
    cx.say(&format!(" exp={left} la={idle} cas={cas} fetch={fetched} cls={ITEMS_CLASS} size={size}"));
}

//! The meta commands.
use super::exptime::{self, Course};
use super::{cas::told, classic, flags, Turn};
use crate::stats::Count;
use crate::watch::cmd;
use leveret_engine::{
    Amendment, CountTerms, CountedItem, Deadline, Error, Found, Incoming, Marks, Meta, Mode, NewCas, ReadOptions,
    Stored, Terms, Time, Value,
};
use leveret_protocol::text::{
    write_meta, write_meta_value, write_number, Facts, MetaCount, MetaDelete, MetaGet, MetaStore, Ttl,
};
use leveret_protocol::{Verb, WireKey, KEY_MAX};

/// Who wins the right to make an item anew.
#[derive(Clone, Copy, Default)]
struct Race {
    won: bool,
    lost: bool,
    stale: bool,
}

impl Turn<'_> {
    pub(super) fn meta_get(&mut self, get: &MetaGet<'_>) {
        let mut room = [0; KEY_MAX];
        let key = get.key.decode(&mut room);
        self.count(Count::MetaCommands);
        self.shared.note_prefix(key, |prefix| prefix.gets += 1);
        self.tell_look(key);
        let met = match self.meet(key, get) {
            Ok(met) => met,
            Err(error) => return self.say_error(&error),
        };
        let Some((found, race, told)) = met else {
            if !get.quiet {
                write_meta(self.output, b"EN", &get.key, get.returns, &Facts::default());
            }
            return;
        };
        let facts = |found: &Found| Facts {
            won: race.won,
            lost: race.lost,
            stale: race.stale,
            cas: Some(self.shown_cas(found.cas)),
            ttl: Some(exptime::ttl(told.unwrap_or(found.deadline), self.now)),
            ..facts_of(found, self.now)
        };
        let knows = get.unless_cas == Some(found.cas) && self.shown_cas(found.cas) != 0;
        if !get.value || knows {
            write_meta(self.output, b"HD", &get.key, get.returns, &facts(&found));
            return;
        }
        let begin = self.output.len();
        let facts = facts(&found);
        write_meta_value(self.output, found.value_len as usize, &get.key, get.returns, &facts);
        if self.send_value(&found, false) {
            return;
        }
        if self.arena.append_value(&found, self.output) {
            self.output.extend_from_slice(b"\r\n");
            return;
        }
        // Recycled while it was copied: the present version, or none.
        self.output.truncate(begin);
        match self.gets(key) {
            Ok(Some(item)) => {
                let facts = Facts {
                    size: Some(item.value.len()),
                    cas: Some(item.cas),
                    flags: Some(flags::on_wire(&item.meta)),
                    ..facts
                };
                write_meta_value(self.output, item.value.len(), &get.key, get.returns, &facts);
                self.output.extend_from_slice(&item.value);
                self.output.extend_from_slice(b"\r\n");
            }
            Ok(None) if !get.quiet => write_meta(self.output, b"EN", &get.key, get.returns, &Facts::default()),
            Ok(None) => {}
            Err(error) => self.say_error(&error),
        }
    }

    fn say_error(&mut self, error: &Error) {
        let line = self.line_of(error);
        self.say(line);
    }

    /// The item of a `mg`, made or changed as its flags say, and the deadline to tell if it is not the item's.
    fn meet(&mut self, key: &[u8], get: &MetaGet<'_>) -> Result<Option<(Found, Race, Option<Deadline>)>, Error> {
        let untraced = ReadOptions::new().untraced();
        // Whether this is a get, a touch or the making of an item depends on whether there is one. A get is counted by
        // the arena, and with it a miss.
        let is_counted_by_arena = !get.no_bump && get.vivify.is_none() && get.touch.is_none();
        let options = if is_counted_by_arena { ReadOptions::new() } else { untraced };
        let found = match self.find_with(key, options)? {
            None if get.vivify.is_some() => return self.vivify(key, get),
            None => {
                self.count_get(key, get.no_bump, is_counted_by_arena)?;
                return Ok(None);
            }
            Some(found) => found,
        };
        match get.touch {
            Some(_) => self.count(Count::CmdTouch),
            None => self.count_get(key, get.no_bump, is_counted_by_arena)?,
        }
        self.shared.note_prefix(key, |prefix| prefix.hits += 1);
        let is_marked = !found.meta.marks.is_empty();
        let wants_cas = get.unless_cas.is_some()
            || get.returns.into_iter().any(|wanted| wanted == leveret_protocol::text::Return::Cas);
        let now = self.now;
        let touch = get.touch.map(|at| exptime::deadline(at, now));
        if !is_marked && get.recache.is_none() {
            let found = match wants_cas {
                true => self.peek_cas(key)?.map(|with_cas| with_cas.with_reads_of(&found)),
                false => Some(found),
            };
            let Some(found) = found else { return Ok(None) };
            let Some(touch) = touch else { return Ok(Some((found, Race::default(), None))) };
            let course = Course::of(found.deadline, get.returns, None, Some(touch));
            self.touch_as_read(key, course.last)?;
            return Ok(Some((found, Race::default(), Some(course.told))));
        }
        let chosen = self.chosen_cas(get.cas);
        let (mut race, mut told_deadline) = (Race::default(), None);
        let mut last = Deadline::NEVER;
        let amended = self.arena.amend(key, now, &mut |item| {
            let course = Course::of(item.deadline, get.returns, None, touch);
            (told_deadline, last) = (Some(course.told), course.last);
            race = run(item, course.recached, get.recache, now);
            let marks = item.meta.marks.with(if race.won { Marks::WON } else { Marks::NONE });
            let cas = if race.won { chosen.map_or(NewCas::Keep, NewCas::Is) } else { NewCas::Keep };
            let changes = race.won || touch.is_some();
            changes.then_some(Amendment::new(course.last, marks, cas))
        });
        let amended = told(amended)?;
        if amended.is_some() && touch.is_some() {
            self.touch_as_read(key, last)?;
        }
        Ok(amended.map(|amended| (amended.with_reads_of(&found), race, told_deadline)))
    }

    /// Counts a hit or miss of a look-up that was not traced. With `u` the item must not be taken for read.
    fn count_get(&self, key: &[u8], no_bump: bool, is_counted: bool) -> Result<(), Error> {
        if no_bump {
            let is_there = self.arena.contains(key, self.now);
            self.count(if is_there { Count::GetHits } else { Count::GetMisses });
        } else if !is_counted {
            self.find_with(key, ReadOptions::new())?;
        }
        Ok(())
    }

    /// Gives an item that was found its deadline, which counts as a touch and marks it as read. One that ends at once
    /// counts too.
    fn touch_as_read(&self, key: &[u8], deadline: Deadline) -> Result<(), Error> {
        if !self.touch_to_read(key, deadline)? {
            self.count(Count::TouchHits);
        }
        Ok(())
    }

    /// A miss: with `N` an empty item is made, and whoever made it has won.
    fn vivify(&mut self, key: &[u8], get: &MetaGet<'_>) -> Result<Option<(Found, Race, Option<Deadline>)>, Error> {
        let Some(vivify) = get.vivify.map(|at| exptime::deadline(at, self.now)) else { return Ok(None) };
        let touch = get.touch.map(|at| exptime::deadline(at, self.now));
        let course = Course::of(Deadline::NEVER, get.returns, Some(vivify), touch);
        let terms = Terms::new(Mode::Add).cas(self.chosen_cas(get.cas)).want_cas(true);
        let meta = Meta::default().with_marks(Marks::WON);
        match self.arena.store_if(key, Value::Bytes(b""), meta, course.last, &terms, self.now) {
            Ok(Stored::Stored { cas }) => {
                self.count(Count::SetsByGet);
                if touch.is_some() {
                    self.count(Count::CmdTouch);
                    self.count(Count::TouchHits);
                } else {
                    self.count(Count::GetHits);
                }
                let found = self.arena.peek(key, self.now);
                Ok(found.map(|mut found| {
                    found.cas = cas;
                    (found, Race { won: true, ..Race::default() }, Some(course.told))
                }))
            }
            // Another was faster, in between: it has won.
            Ok(_) => {
                let found = self.find_cas(key)?;
                Ok(found.map(|found| {
                    let race = run(&found, found.deadline, None, self.now);
                    (found, Race { won: false, lost: true, ..race }, None)
                }))
            }
            // There is none, and there will be none: a miss that nobody has won.
            Err(Error::NoMemory | Error::Lost) => {
                self.count(Count::GetMisses);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn meta_store(&mut self, store: &MetaStore<'_>) {
        let mut room = [0; KEY_MAX];
        let key = store.key.decode(&mut room);
        self.count(Count::MetaCommands);
        // As in memcached: an add asks for no cas, and to append and prepend 0 is none. A set and a replace compare
        // with it.
        let joins = matches!(store.verb, Verb::Append | Verb::Prepend);
        let compare = match store.verb {
            Verb::Add => None,
            Verb::Append | Verb::Prepend => store.compare.filter(|cas| *cas != 0 && self.shared.settings.cas),
            Verb::Set | Verb::Replace => self.compared(store.compare),
        };
        self.shared.note_prefix(key, |prefix| prefix.sets += 1);
        let terms = Terms::new(classic::mode_of(store.verb))
            .compare(compare)
            .older_is_stale(store.older_is_stale && compare != Some(0))
            .cas(self.chosen_cas(store.cas))
            .want_cas(true);
        let deadline = exptime::deadline(store.exptime, self.now);
        let value_len = self.incoming.as_ref().map_or(store.value.len(), Incoming::value_len);
        let mut stored = self.store_checked(key, store.value, store.flags, deadline, &terms);
        // Append and prepend may make what they find missing; somebody else may do so at the same time.
        if let (Some(at), Ok(Stored::Missing), true) = (store.vivify, &stored, joins) {
            let create = terms.mode(Mode::Add).compare(None);
            stored = self.store_checked(key, store.value, store.flags, exptime::deadline(at, self.now), &create);
            if stored == Ok(Stored::Exists) {
                stored = self.store_checked(key, store.value, store.flags, deadline, &terms);
            }
        }
        self.count_store(compare.filter(|_| !joins), &stored);
        let code: &[u8; 2] = match &stored {
            Ok(Stored::Stored { .. }) => b"HD",
            Ok(Stored::Exists) if compare.is_some() => b"EX",
            Ok(Stored::Missing) if compare.is_some() && !joins => b"NF",
            Ok(_) => b"NS",
            Err(error) => return self.say_error(error),
        };
        if store.quiet && code == b"HD" {
            return;
        }
        let cas = if let Ok(Stored::Stored { cas }) = stored { self.shown_cas(cas) } else { 0 };
        let size = match self.arena.peek(key, self.now).filter(|_| joins && code == b"HD") {
            Some(joined) => joined.value_len as usize,
            None => value_len,
        };
        let facts = Facts { cas: Some(cas), size: Some(size), ..Facts::default() };
        write_meta(self.output, code, &store.key, store.returns, &facts);
    }

    pub(super) fn meta_delete(&mut self, delete: &MetaDelete<'_>) {
        let mut room = [0; KEY_MAX];
        let key = delete.key.decode(&mut room);
        self.count(Count::MetaCommands);
        self.shared.note_prefix(key, |prefix| prefix.deletes += 1);
        let before = self.before_delete(key);
        let outcome = if delete.stale || delete.drop_value {
            self.amend_for_delete(key, delete)
        } else {
            // With `-C` all items have the cas 0, and this command compares with it.
            match self.compared(delete.compare.filter(|cas| *cas != 0 || self.shared.settings.cas)) {
                Some(cas) => self.arena.delete_version(key, cas, self.now),
                None => {
                    self.arena
                        .delete(key, self.now)
                        .map(|was| if was { Stored::Stored { cas: 0 } } else { Stored::Missing })
                }
            }
        };
        let code: &[u8; 2] = match outcome {
            Ok(Stored::Stored { .. }) => {
                if delete.drop_value {
                    self.count(Count::ItemsMade);
                }
                if delete.drop_value && !delete.stale {
                    self.count(Count::DeleteHits);
                }
                let is_gone = !delete.stale && !delete.drop_value;
                self.tell_deleted(key, before.filter(|_| is_gone), cmd::MD);
                b"HD"
            }
            Ok(Stored::Exists) => {
                self.count(Count::DeleteMisses);
                b"EX"
            }
            Ok(Stored::Missing) => {
                self.count(Count::DeleteMisses);
                self.note_dead(key);
                b"NF"
            }
            Err(error) => return self.say_error(&error),
        };
        if !(delete.quiet && code == b"HD") {
            write_meta(self.output, code, &delete.key, delete.returns, &Facts::default());
        }
    }

    /// `I`: the item stays, stale, with a new cas. `x`: of the item stay its key and its cas; it lives for ever, or as
    /// `T` says.
    fn amend_for_delete(&self, key: &[u8], delete: &MetaDelete<'_>) -> Result<Stored, Error> {
        let now = self.now;
        let mut is_other = false;
        let amended = self.arena.amend(key, now, &mut |item| {
            is_other = delete.compare.is_some_and(|cas| cas != self.shown_cas(item.cas));
            if is_other {
                return None;
            }
            let kept = if delete.drop_value { Deadline::NEVER } else { item.deadline };
            let deadline = delete.touch.map_or(kept, |at| exptime::deadline(at, now));
            let marks = if delete.stale { Marks::STALE } else { Marks::NONE };
            let drawn = if delete.stale { NewCas::Next } else { NewCas::Keep };
            let cas = self.chosen_cas(delete.cas).map_or(drawn, NewCas::Is);
            Some(Amendment::new(deadline, marks, cas).drop_value(delete.drop_value))
        })?;
        Ok(match (amended, is_other) {
            (_, true) => Stored::Exists,
            (Some(found), false) => Stored::Stored { cas: found.cas },
            (None, false) => Stored::Missing,
        })
    }

    pub(super) fn meta_count(&mut self, count: &MetaCount<'_>) {
        let mut room = [0; KEY_MAX];
        let key = count.key.decode(&mut room);
        self.count(Count::MetaCommands);
        let vivify = count.vivify.map(|at| exptime::deadline(at, self.now));
        let touch = count.touch.map(|at| exptime::deadline(at, self.now));
        let made = Course::of(Deadline::NEVER, count.returns, vivify, touch);
        let initial = vivify.map(|_| (count.initial, made.last));
        // Only who asks for the deadline before it changes it is told the old one.
        let is_old_told = count.returns.letters().find(|letter| matches!(letter, b't' | b'T')) == Some(b't');
        let old = if touch.is_some() && is_old_told { self.arena.peek(key, self.now) } else { None };
        let terms = CountTerms::new()
            .compare(self.compared(count.compare.filter(|cas| *cas != 0)))
            .cas(self.chosen_cas(count.cas))
            .deadline(touch)
            .want_cas(true);
        match self.count_item(key, count.delta, count.is_decrement, initial, &terms) {
            Ok(CountedItem::Value { value, cas, deadline, is_new, .. }) => {
                if count.quiet {
                    return;
                }
                let told = if is_new { made.told } else { old.map_or(deadline, |old| old.deadline) };
                let ttl = exptime::ttl(told, self.now);
                let facts = Facts { cas: Some(self.shown_cas(cas)), ttl: Some(ttl), ..Facts::default() };
                if count.value {
                    let mut text = Vec::with_capacity(20);
                    write_number(&mut text, value);
                    write_meta_value(self.output, text.len(), &count.key, count.returns, &facts);
                    self.output.extend_from_slice(&text);
                    self.output.extend_from_slice(b"\r\n");
                } else {
                    write_meta(self.output, b"HD", &count.key, count.returns, &facts);
                }
            }
            Ok(CountedItem::Missing) => write_meta(self.output, b"NF", &count.key, count.returns, &Facts::default()),
            Ok(CountedItem::Exists) => write_meta(self.output, b"EX", &count.key, count.returns, &Facts::default()),
            Ok(CountedItem::NotNumber) => self.say(classic::NOT_NUMBER),
            Err(error) => self.say_error(&error),
        }
    }

    /// `ME key exp= la= cas= fetch= cls= size=`
    pub(super) fn meta_debug(&mut self, key: &WireKey<'_>) {
        let mut room = [0; KEY_MAX];
        self.count(Count::MetaCommands);
        self.count(Count::CmdMeta);
        let bytes = key.decode(&mut room);
        self.tell_look(bytes);
        let Some(seen) = self.arena.peek(bytes, self.now) else { return self.say("EN") };
        // Asked for without a change: whoever looks for faults is no reader.
        let cas = match told(self.arena.amend(bytes, self.now, &mut |_| None)) {
            Ok(found) => found.map_or(0, |found| self.shown_cas(found.cas)),
            Err(error) => return self.say_error(&error),
        };
        let left = match exptime::ttl(seen.deadline, self.now) {
            Ttl::Forever => -1,
            Ttl::Secs(secs) => secs as i64,
        };
        let idle = self.now.0.saturating_sub(seen.mtime.0);
        let fetched = if seen.is_fetched() { "yes" } else { "no" };
        let size = seen.size(bytes.len());
        self.output.extend_from_slice(b"ME ");
        self.output.extend_from_slice(key.as_written());
        self.say(&format!(
            " exp={left} la={idle} cas={cas} fetch={fetched} cls={} size={size}",
            crate::stats::ITEMS_CLASS
        ));
    }
}

/// Whether the reader of an item wins, has lost, or meets a stale one.
fn run(item: &Found, deadline: Deadline, recache: Option<i64>, now: Time) -> Race {
    let stale = item.meta.marks.contains(Marks::STALE);
    if item.meta.marks.contains(Marks::WON) {
        return Race { won: false, lost: true, stale };
    }
    let soon = recache.is_some_and(|below| match exptime::ttl(deadline, now) {
        Ttl::Forever => false,
        Ttl::Secs(left) => (left as i64) < below,
    });
    Race { won: stale || soon, lost: false, stale }
}

fn facts_of(found: &Found, now: Time) -> Facts {
    Facts {
        cas: Some(found.cas),
        flags: Some(flags::on_wire(&found.meta)),
        was_hit: Some(found.is_fetched()),
        idle_secs: Some(u64::from(now.0.saturating_sub(found.mtime.0))),
        size: Some(found.value_len as usize),
        ttl: Some(exptime::ttl(found.deadline, now)),
        ..Facts::default()
    }
}

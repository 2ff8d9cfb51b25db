//! One operation on both, and whether their answers agree.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use leveret_engine::{
    Amendment, Arena, CountTerms, Counted, CountedItem, Deadline, Delta, Error, Marks, Meta, Mode, NewCas, OpenOptions,
    ReadOptions, Stored, Terms, Time, Value,
};

use super::known::{brief, Entry, Known};
use super::op::{key_bytes, Op, KEYS};
use crate::seeded;
use crate::values::show;

/// In each cas that a client chooses here, and in none that the arena draws.
const OWN_CAS: u64 = 1 << 61;

/// An arena and the map beside it.
pub struct Run<'a> {
    path: &'a Path,
    options: OpenOptions,
    arena: Option<Arena>,
    now: Time,
    map: HashMap<u8, Entry>,
    /// The token remembered last of each key, with its version.
    tokens: HashMap<u8, (u64, u64)>,
    versions: u64,
    flush_at: Option<Time>,
    evicted: u64,
}

/// The two answers must be equal.
fn agree<T: PartialEq + std::fmt::Debug>(got: T, wanted: T) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    Err(format!("the arena answered {got:?}, the map {wanted:?}"))
}

impl<'a> Run<'a> {
    /// A fresh arena, and an empty map.
    pub fn new(path: &'a Path, seed: u64) -> Result<Run<'a>, String> {
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let arena = Some(seeded::open(path, &options, seed).map_err(|error| error.to_string())?);
        // Ahead of the real clock, so that a delayed flush is due by this clock and not before.
        let now = Time(Time::now().0 + 1_000_000);
        let (map, tokens) = (HashMap::new(), HashMap::new());
        Ok(Run { path, options, arena, now, map, tokens, versions: 0, flush_at: None, evicted: 0 })
    }

    fn arena(&self) -> &Arena {
        self.arena.as_ref().expect("it is open between two steps")
    }

    /// Does the operation on both. The error says in what they differ.
    pub fn step(&mut self, op: &Op) -> Result<(), String> {
        self.settle()?;
        self.act(op)?;
        self.settle()?;
        op.key().map_or(Ok(()), |key| self.look(key))
    }

    /// At the end: everything is there, and the arena is sound.
    pub fn finish(&mut self) -> Result<(), String> {
        self.walk()?;
        let report = self.arena().verify();
        if report.is_clean() {
            Ok(())
        } else {
            Err(format!("verify: {}", report.problems.join("; ")))
        }
    }

    fn deadline(&self, ttl: Option<u32>) -> Deadline {
        ttl.map_or(Deadline::NEVER, |secs| Deadline::after(self.now, secs))
    }

    /// Drops from the map what has died, and what the arena has evicted and says so.
    fn settle(&mut self) -> Result<(), String> {
        if self.flush_at.is_some_and(|at| at <= self.now) {
            self.map.clear();
            self.flush_at = None;
        }
        let now = self.now;
        self.map.retain(|_, entry| !entry.deadline.is_past(now));
        let evicted = self.arena().stats().evicted;
        if evicted != self.evicted {
            let (arena, known) = (self.arena().clone(), self.map.len());
            self.map.retain(|key, _| arena.peek(&key_bytes(*key), now).is_some());
            let (gone, said) = (known - self.map.len(), evicted - self.evicted);
            self.evicted = evicted;
            if gone as u64 > said {
                return Err(format!("{gone} items are gone, and {said} are said to have been evicted"));
            }
        }
        Ok(())
    }

    fn put(&mut self, key: u8, value: Known, flags: u32, deadline: Deadline) {
        self.versions += 1;
        let version = self.versions;
        let born = self.map.get(&key).map_or(version, |entry| entry.born);
        self.map.insert(key, Entry { value, flags, marks: Marks::NONE, deadline, version, born, told: None });
    }

    fn changed(&mut self, key: u8, value: Known) {
        self.versions += 1;
        let version = self.versions;
        if let Some(entry) = self.map.get_mut(&key) {
            *entry = Entry { value, version, told: None, ..entry.clone() };
        }
    }

    fn act(&mut self, op: &Op) -> Result<(), String> {
        match *op {
            Op::Store { key, len, fill, mode, flags, ttl } => self.store(key, &vec![fill; len], mode, flags, ttl)?,
            Op::Text { key, number } => self.store(key, number.to_string().as_bytes(), 0, 0, None)?,
            Op::Integer { key, value } => {
                let stored = self.arena().store(
                    &key_bytes(key),
                    Value::Integer(value),
                    Meta::default(),
                    Deadline::NEVER,
                    Mode::Set,
                    self.now,
                );
                agree(stored, Ok(Stored::Stored { cas: 0 }))?;
                self.put(key, Known::Number { bits: value as u64, signed: true }, 0, Deadline::NEVER);
            }
            Op::Gets { key } => self.gets(key)?,
            Op::Cas { key, len, fill } => self.cas(key, &vec![fill; len])?,
            Op::StoreIf { key, len, fill, stale, fixed } => self.store_if(key, &vec![fill; len], stale, fixed)?,
            Op::CountIf { key, by, compare, fixed, ttl } => self.count_if(key, by, compare, fixed, ttl)?,
            Op::Amend { key, ttl, marks, cas, drop_value } => self.amend(key, ttl, marks, cas, drop_value)?,
            Op::Get { .. } => {}
            Op::Delete { key } => {
                agree(self.arena().delete(&key_bytes(key), self.now), Ok(self.map.contains_key(&key)))?;
                self.map.remove(&key);
            }
            Op::DeleteVersion { key } => {
                let Some((token, version)) = self.tokens.get(&key).copied() else { return Ok(()) };
                let wanted = self.wanted_of_cas(key, version);
                agree(self.arena().delete_version(&key_bytes(key), token, self.now), Ok(wanted))?;
                if matches!(wanted, Stored::Stored { .. }) {
                    self.map.remove(&key);
                }
            }
            Op::Touch { key, ttl, read } => self.touch(key, ttl, read)?,
            Op::Count { key, up, by, initial } => self.count(key, up, by, initial)?,
            Op::AddInteger { key, step, create } => self.add_integer(key, step, create)?,
            Op::CasInteger { key, old, new } => {
                let wanted = match self.map.get(&key).map(|entry| &entry.value) {
                    None => Stored::Missing,
                    Some(Known::Number { bits, signed: true }) if *bits == old as u64 => Stored::Stored { cas: 0 },
                    Some(_) => Stored::Exists,
                };
                agree(self.arena().cas_integer(&key_bytes(key), old, new, self.now), Ok(wanted))?;
                if matches!(wanted, Stored::Stored { .. }) {
                    self.changed(key, Known::Number { bits: new as u64, signed: true });
                }
            }
            Op::Walk => self.walk()?,
            Op::Flush => {
                agree(self.arena().flush(), Ok(()))?;
                self.map.clear();
                self.flush_at = None;
            }
            Op::FlushLater { secs } => {
                let at = Time(self.now.0 + secs);
                // A write carries out an earlier one that is due. This call knows only the real clock, which stands
                // still here.
                self.arena().tend(self.now, usize::MAX);
                agree(self.arena().flush_at(at), Ok(()))?;
                self.flush_at = Some(at);
            }
            Op::Tend => _ = self.arena().tend(self.now, usize::MAX),
            Op::Wait { secs } => self.now = Time(self.now.0 + secs),
            Op::Reopen => {
                self.arena = None;
                self.arena = Some(Arena::open(self.path, &self.options).map_err(|error| error.to_string())?.0);
            }
        }
        Ok(())
    }

    /// Reads a key and compares everything that is known of it.
    fn look(&self, key: u8) -> Result<(), String> {
        let item = self.arena().get(&key_bytes(key), self.now);
        let (item, entry) = match (item, self.map.get(&key)) {
            (None, None) => return Ok(()),
            (Some(item), Some(entry)) => (item, entry),
            (item, entry) => {
                return Err(format!("a get finds {:?}, the map has {entry:?}", item.map(|item| show(&item.value))))
            }
        };
        self.compare(&item, entry)
    }

    fn compare(&self, item: &leveret_engine::Item, entry: &Entry) -> Result<(), String> {
        let is_same = match &entry.value {
            Known::Bytes(bytes) => item.number.is_none() && item.value == *bytes,
            // memcached pads a number that became shorter; what stands before the spaces is the number.
            Known::Number { bits, signed } => {
                let text = if *signed { (*bits as i64).to_string() } else { bits.to_string() };
                item.number == Some(*bits as i64) && item.value.trim_ascii_end() == text.as_bytes()
            }
        };
        let meta = item.meta;
        if !is_same || (meta.flags, meta.marks) != (entry.flags, entry.marks) || item.deadline != entry.deadline {
            let (value, deadline) = (show(&item.value), item.deadline);
            let found = format!("{value} with flags {}, marks {:?} until {deadline:?}", meta.flags, meta.marks);
            return Err(format!("a get finds {found}, the map has {}", brief(entry)));
        }
        Ok(())
    }

    fn store(&mut self, key: u8, bytes: &[u8], mode: u8, flags: u32, ttl: Option<u32>) -> Result<(), String> {
        let (name, deadline) = (key_bytes(key), self.deadline(ttl));
        let mode = [Mode::Set, Mode::Add, Mode::Replace, Mode::Append, Mode::Prepend][usize::from(mode)];
        // What appending joins to: for a number its text as it is read.
        let old = self.arena().get(&name, self.now).map(|item| item.value);
        let joined = match (&old, mode) {
            (Some(old), Mode::Append) => [old, bytes].concat(),
            (Some(old), Mode::Prepend) => [bytes, old].concat(),
            _ => bytes.to_vec(),
        };
        let stored =
            self.arena().store(&name, Value::Bytes(bytes), Meta::default().with_flags(flags), deadline, mode, self.now);
        let max = self.arena().value_max();
        let applies = match mode {
            Mode::Add => !self.map.contains_key(&key),
            Mode::Replace | Mode::Append | Mode::Prepend => self.map.contains_key(&key),
            _ => true,
        };
        // A value above the limit is refused before anything else is asked; a set then leaves nothing that is out of
        // date.
        if bytes.len() > max || (applies && joined.len() > max) {
            if mode == Mode::Set {
                self.map.remove(&key);
            }
            return match stored {
                Err(Error::ValueTooLarge { .. }) => Ok(()),
                other => Err(format!("a value of {} bytes was answered {other:?}", joined.len())),
            };
        }
        let wanted = match mode {
            _ if applies => Stored::Stored { cas: 0 },
            Mode::Add => Stored::Exists,
            _ => Stored::Missing,
        };
        let is_right = match (&stored, wanted) {
            // The token is given only to those who ask; joining needs one for itself.
            (Ok(Stored::Stored { .. }), Stored::Stored { .. }) => true,
            (Ok(stored), wanted) => *stored == wanted,
            (Err(_), _) => false,
        };
        if !is_right {
            return Err(format!("{mode:?} was answered {stored:?}, wanted {wanted:?}"));
        }
        if applies {
            match mode {
                Mode::Append | Mode::Prepend => {
                    self.changed(key, Known::Bytes(joined));
                    self.map.entry(key).and_modify(|entry| entry.marks = Marks::NONE);
                }
                _ => self.put(key, Known::Bytes(joined), flags, deadline),
            }
        }
        Ok(())
    }

    fn gets(&mut self, key: u8) -> Result<(), String> {
        let item = self
            .arena()
            .get_with(&key_bytes(key), ReadOptions::new().with_cas(), self.now)
            .map_err(|error| error.to_string())?;
        let Some(item) = item else { return agree(false, self.map.contains_key(&key)) };
        let Some(entry) = self.map.get_mut(&key) else { return Err("gets finds what is not there".to_owned()) };
        if item.cas == 0 || entry.told.is_some_and(|told| told != item.cas) {
            return Err(format!("the token of one version was {:?} and is {}", entry.told, item.cas));
        }
        if let Some((token, version)) = self.tokens.get(&key) {
            let is_older = *version < entry.version && *version >= entry.born;
            if (*version == entry.version) != (*token == item.cas) || (is_older && *token > item.cas) {
                return Err(format!("version {version} had token {token}, version {} has {}", entry.version, item.cas));
            }
        }
        // A client may choose the same cas for two keys; the arena draws no token twice.
        let twin =
            self.tokens.iter().find(|(other, (token, _))| **other != key && *token == item.cas && token & OWN_CAS == 0);
        if let Some((other, (token, _))) = twin {
            return Err(format!("the token {token} is that of key {other} too"));
        }
        entry.told = Some(item.cas);
        self.tokens.insert(key, (item.cas, entry.version));
        Ok(())
    }

    fn wanted_of_cas(&self, key: u8, version: u64) -> Stored {
        match self.map.get(&key) {
            None => Stored::Missing,
            Some(entry) if entry.version == version => Stored::Stored { cas: 0 },
            Some(_) => Stored::Exists,
        }
    }

    fn cas(&mut self, key: u8, bytes: &[u8]) -> Result<(), String> {
        let Some((token, version)) = self.tokens.get(&key).copied() else { return Ok(()) };
        if bytes.len() > self.arena().value_max() {
            return Ok(());
        }
        let wanted = self.wanted_of_cas(key, version);
        let stored = self.arena().store(
            &key_bytes(key),
            Value::Bytes(bytes),
            Meta::default(),
            Deadline::NEVER,
            Mode::Cas(token),
            self.now,
        );
        agree(stored, Ok(wanted))?;
        if matches!(wanted, Stored::Stored { .. }) {
            self.put(key, Known::Bytes(bytes.to_vec()), 0, Deadline::NEVER);
        }
        Ok(())
    }

    /// A cas as a client may choose it: unlike any that the arena draws, and growing.
    fn own_cas(&self) -> u64 {
        OWN_CAS | self.versions
    }

    /// Notes the token that an operation has told of the present version.
    fn tell(&mut self, key: u8, cas: u64, fixed: bool) {
        let Some(entry) = self.map.get_mut(&key) else { return };
        if fixed {
            // Tokens grow from here on.
            entry.born = entry.version;
        }
        entry.told = Some(cas);
        self.tokens.insert(key, (cas, entry.version));
    }

    /// Characters of the value as it is read.
    fn width(&self, key: u8) -> usize {
        self.arena().peek(&key_bytes(key), self.now).map_or(0, |found| found.value_len as usize)
    }

    /// A number that needs more characters than it had is a new one to memcached, of which nobody was told anything.
    fn counted(&mut self, key: u8, next: Known, width: usize) {
        // An integer that memcached's rules have counted above what one can be goes on without a sign.
        let next = match next {
            Known::Number { bits, .. } if bits > i64::MAX as u64 => Known::Number { bits, signed: false },
            other => other,
        };
        let outgrows = matches!(next, Known::Number { bits, .. } if bits.to_string().len() > width);
        self.changed(key, next);
        if outgrows {
            self.map.entry(key).and_modify(|entry| entry.marks = Marks::NONE);
        }
    }

    fn store_if(&mut self, key: u8, bytes: &[u8], stale: bool, fixed: bool) -> Result<(), String> {
        let Some((token, _)) = self.tokens.get(&key).copied() else { return Ok(()) };
        if bytes.len() > self.arena().value_max() {
            return Ok(());
        }
        self.gets(key)?;
        let present = self.map.get(&key).and_then(|entry| entry.told);
        let cas = fixed.then(|| self.own_cas());
        let terms = Terms::new(Mode::Set).compare(Some(token)).older_is_stale(stale).cas(cas).want_cas(true);
        let meta = Meta::default().with_flags(1);
        let stored =
            self.arena().store_if(&key_bytes(key), Value::Bytes(bytes), meta, Deadline::NEVER, &terms, self.now);
        let refused = match present {
            None => Some(Stored::Missing),
            Some(present) if present == token || stale && token < present => None,
            Some(_) => Some(Stored::Exists),
        };
        if let Some(refused) = refused {
            return agree(stored, Ok(refused));
        }
        let Ok(Stored::Stored { cas: told }) = stored else {
            return Err(format!("answered {stored:?}, wanted it stored"));
        };
        agree(told, cas.unwrap_or(told).max(1))?;
        let before = self.map.get(&key).filter(|_| present != Some(token)).map(|entry| (entry.deadline, entry.marks));
        self.put(key, Known::Bytes(bytes.to_vec()), 1, Deadline::NEVER);
        if let Some((deadline, marks)) = before {
            self.map
                .entry(key)
                .and_modify(|entry| (entry.deadline, entry.marks) = (deadline, marks.with(Marks::STALE)));
        }
        self.tell(key, told, fixed);
        Ok(())
    }

    fn count_if(&mut self, key: u8, by: u64, compare: bool, fixed: bool, ttl: Option<u32>) -> Result<(), String> {
        let compare = self.tokens.get(&key).map(|(token, _)| *token).filter(|_| compare);
        self.gets(key)?;
        let width = self.width(key);
        let cas = fixed.then(|| self.own_cas());
        let terms =
            CountTerms::new().compare(compare).cas(cas).deadline(ttl.map(|_| self.deadline(ttl))).want_cas(true);
        let answer = self.arena().count_if(&key_bytes(key), Delta::Increment(by), None, &terms, self.now);
        let Some(entry) = self.map.get(&key).cloned() else { return agree(answer, Ok(CountedItem::Missing)) };
        // In memcached's order: an empty value is no number, whatever its token.
        if entry.value == Known::Bytes(Vec::new()) {
            return agree(answer, Ok(CountedItem::NotNumber));
        }
        if compare.is_some_and(|token| entry.told != Some(token)) {
            return agree(answer, Ok(CountedItem::Exists));
        }
        let Some((value, signed)) = entry.value.countable() else { return agree(answer, Ok(CountedItem::NotNumber)) };
        let Ok(CountedItem::Value { cas: told, .. }) = answer else {
            return Err(format!("answered {answer:?}, wanted it counted"));
        };
        let (value, deadline) = (value.wrapping_add(by), terms.deadline.unwrap_or(entry.deadline));
        let wanted = CountedItem::Value { value, cas: cas.unwrap_or(told).max(1), deadline, is_new: false };
        agree(answer, Ok(wanted))?;
        self.counted(key, Known::Number { bits: value, signed }, width);
        self.map.entry(key).and_modify(|entry| entry.deadline = deadline);
        self.tell(key, told, fixed);
        Ok(())
    }

    fn amend(&mut self, key: u8, ttl: Option<u32>, marks: u8, cas: u8, drop_value: bool) -> Result<(), String> {
        let deadline = self.deadline(ttl);
        let own = self.own_cas();
        let new_cas = [NewCas::Keep, NewCas::Next, NewCas::Is(own)][usize::from(cas)];
        let marks = Marks::from_bits(marks);
        let amendment = Amendment::new(deadline, marks, new_cas).drop_value(drop_value);
        let amended = self
            .arena()
            .amend(&key_bytes(key), self.now, &mut |_| Some(amendment))
            .map_err(|error| error.to_string())?;
        let is_there = self.map.contains_key(&key);
        let known = self.map.get(&key).and_then(|entry| entry.told);
        if let Some(entry) = self.map.get_mut(&key) {
            (entry.deadline, entry.marks) = (deadline, marks);
            if drop_value {
                (entry.value, entry.flags) = (Known::Bytes(Vec::new()), 0);
            }
            if new_cas != NewCas::Keep {
                self.versions += 1;
                entry.version = self.versions;
            }
        }
        agree(amended.is_some(), is_there)?;
        let Some(found) = amended else { return Ok(()) };
        match (new_cas, known) {
            (NewCas::Keep, Some(told)) => agree(found.cas, told)?,
            (NewCas::Is(cas), _) => agree(found.cas, cas)?,
            (NewCas::Next, Some(told)) if found.cas <= told => {
                return Err(format!("token {} follows {told}", found.cas))
            }
            _ => {}
        }
        self.tell(key, found.cas, matches!(new_cas, NewCas::Is(_)));
        Ok(())
    }

    fn touch(&mut self, key: u8, ttl: Option<u32>, read: bool) -> Result<(), String> {
        let (name, deadline) = (key_bytes(key), self.deadline(ttl));
        if read {
            let got = self.arena().get_and_touch(&name, deadline, self.now).map_err(|error| error.to_string())?;
            agree(got.is_some(), self.map.contains_key(&key))?;
            if let (Some(item), Some(entry)) = (&got, self.map.get(&key)) {
                self.compare(item, &Entry { deadline, ..entry.clone() })?;
            }
        } else {
            agree(self.arena().touch(&name, deadline, self.now), Ok(self.map.contains_key(&key)))?;
        }
        if let Some(entry) = self.map.get_mut(&key) {
            entry.deadline = deadline;
        }
        Ok(())
    }

    fn count(&mut self, key: u8, up: bool, by: u64, initial: Option<u64>) -> Result<(), String> {
        let delta = if up { Delta::Increment(by) } else { Delta::Decrement(by) };
        let apply = |value: u64| if up { value.wrapping_add(by) } else { value.saturating_sub(by) };
        let width = self.width(key);
        let answer =
            self.arena().count(&key_bytes(key), delta, initial.map(|initial| (initial, Deadline::NEVER)), self.now);
        let known = self.map.get(&key).map(|entry| entry.value.clone());
        let (wanted, next) = match &known {
            None => (initial.map_or(Counted::Missing, Counted::Value), None),
            Some(known) => match known.countable() {
                Some((value, signed)) => {
                    (Counted::Value(apply(value)), Some(Known::Number { bits: apply(value), signed }))
                }
                None => (Counted::NotNumber, None),
            },
        };
        agree(answer, Ok(wanted))?;
        match (known, next, initial) {
            (_, Some(next), _) => self.counted(key, next, width),
            (None, _, Some(initial)) => {
                self.put(key, Known::Number { bits: initial, signed: false }, 0, Deadline::NEVER)
            }
            _ => {}
        }
        Ok(())
    }

    fn add_integer(&mut self, key: u8, step: i64, create: bool) -> Result<(), String> {
        let answer = self.arena().add_integer(&key_bytes(key), step, create.then_some(Deadline::NEVER), self.now);
        let known = self.map.get(&key).map(|entry| entry.value.clone());
        let next = |bits: u64| Known::Number { bits, signed: true };
        match known {
            None if create => {
                agree(answer, Ok(Counted::Value(step as u64)))?;
                self.put(key, next(step as u64), 0, Deadline::NEVER);
                Ok(())
            }
            None => agree(answer, Ok(Counted::Missing)),
            Some(Known::Number { bits, signed: true }) => {
                let sum = bits.wrapping_add(step as u64);
                agree(answer, Ok(Counted::Value(sum)))?;
                self.changed(key, next(sum));
                Ok(())
            }
            Some(_) => agree(answer, Ok(Counted::NotNumber)),
        }
    }

    /// Everything that is there is met once, and nothing else.
    fn walk(&mut self) -> Result<(), String> {
        self.settle()?;
        let names: HashMap<Vec<u8>, u8> = (0..KEYS).map(|key| (key_bytes(key), key)).collect();
        let mut met = HashSet::new();
        for item in self.arena().iter(self.now) {
            let item = item.map_err(|error| error.to_string())?;
            let key = names.get(&item.key).copied().ok_or_else(|| format!("a walk meets {}", show(&item.key)))?;
            let Some(entry) = self.map.get(&key) else {
                return Err(format!("a walk meets {}, which is not there", show(&item.key)));
            };
            self.compare(&item, entry).map_err(|why| format!("on a walk: {why}"))?;
            if !met.insert(key) {
                return Err(format!("a walk meets {} twice", show(&item.key)));
            }
        }
        agree(met.len(), self.map.len())
    }
}

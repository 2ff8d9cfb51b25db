//! One operation on both, and whether their answers agree.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use leveret_engine::{
    Amendment, Arena, Counted, Deadline, Delta, Error, Marks, Meta, Mode, NewCas, OpenOptions, Stored, Time, Value,
};

use super::known::{brief, Known, KnownEntry};
use super::op::{key_bytes, value_bytes, Op, KEYS};
use super::shape::{ArenaShape, ShapeLimits};
use crate::values::show;

/// An arena and the map beside it.
pub struct Run<'a> {
    pub(super) path: &'a Path,
    pub(super) options: OpenOptions,
    pub(super) arena: Option<Arena>,
    pub(super) keys: Vec<Vec<u8>>,
    pub(super) now: Time,
    pub(super) map: HashMap<u8, KnownEntry>,
    /// The token remembered last of each key, with its version.
    pub(super) tokens: HashMap<u8, (u64, u64)>,
    pub(super) versions: u64,
    pub(super) flush_at: Option<Time>,
    pub(super) evicted: u64,
    /// The numbers of segments' uses begin again in this run, and with them tokens, which else grow.
    pub(super) begins_again: bool,
}

/// The two answers must be equal.
pub(super) fn agree<T: PartialEq + std::fmt::Debug>(got: T, wanted: T) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    Err(format!("the arena answered {got:?}, the map {wanted:?}"))
}

pub(super) fn apply(delta: Delta, value: u64) -> u64 {
    match delta {
        Delta::Increment(by) => value.wrapping_add(by),
        Delta::Decrement(by) => value.saturating_sub(by),
    }
}

impl<'a> Run<'a> {
    /// A fresh arena, and an empty map.
    pub fn new(path: &'a Path, shape: &ArenaShape, seed: u64) -> Result<Run<'a>, String> {
        let arena = shape.create(path, seed)?;
        let key_max = ShapeLimits::of(&arena).key_max;
        Ok(Run {
            path,
            options: shape.options(),
            arena: Some(arena),
            keys: (0..KEYS).map(|key| key_bytes(key, key_max)).collect(),
            now: Time(shape.start),
            map: HashMap::new(),
            tokens: HashMap::new(),
            versions: 0,
            flush_at: None,
            evicted: 0,
            begins_again: shape.age.generation >= u64::from(u32::MAX) << 8,
        })
    }

    pub(super) fn name(&self, key: u8) -> &[u8] {
        &self.keys[usize::from(key)]
    }

    pub(super) fn arena(&self) -> &Arena {
        self.arena.as_ref().expect("it is open between two steps")
    }

    /// Runs the operation on both. The error names the difference.
    pub fn step(&mut self, op: &Op) -> Result<(), String> {
        self.settle()?;
        if let Err(why) = self.act(op) {
            // A value that takes much room may push out the very item that it was to be joined to, or to replace.
            let has_gone = op.key().is_some_and(|key| self.arena().peek(self.name(key), self.now).is_none());
            if !has_gone || self.arena().stats().evicted == self.evicted {
                return Err(why);
            }
        }
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

    pub(super) fn deadline(&self, ttl: Option<i64>) -> Deadline {
        let at = |secs: i64| (i64::from(self.now.0) + secs).clamp(0, i64::from(u32::MAX)) as u32;
        ttl.map_or(Deadline::NEVER, |secs| Deadline::at(Time(at(secs))))
    }

    /// Removes dead items from the map, and items whose eviction the arena has reported.
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
            self.map.retain(|key, _| arena.peek(&self.keys[usize::from(*key)], now).is_some());
            let (gone, said) = (known - self.map.len(), evicted - self.evicted);
            self.evicted = evicted;
            if gone as u64 > said {
                return Err(format!("{gone} items are gone, and {said} are said to have been evicted"));
            }
        }
        Ok(())
    }

    pub(super) fn put(&mut self, key: u8, value: Known, flags: u32, deadline: Deadline) {
        self.versions += 1;
        let version = self.versions;
        let born = self.map.get(&key).map_or(version, |entry| entry.born);
        self.map.insert(key, KnownEntry { value, flags, marks: Marks::NONE, deadline, version, born, told: None });
    }

    pub(super) fn changed(&mut self, key: u8, value: Known) {
        self.versions += 1;
        let version = self.versions;
        if let Some(entry) = self.map.get_mut(&key) {
            *entry = KnownEntry { value, version, told: None, ..entry.clone() };
        }
    }

    fn act(&mut self, op: &Op) -> Result<(), String> {
        match *op {
            Op::Store { key, len, fill, mode, flags, ttl, comes } => {
                self.store(key, &value_bytes(len, fill), mode, flags, ttl, comes)?
            }
            Op::Text { key, text } => self.store(key, text.as_bytes(), 0, 0, None, false)?,
            Op::Integer { key, value, ttl } => {
                let deadline = self.deadline(ttl);
                let stored = self.arena().store(
                    self.name(key),
                    Value::Integer(value),
                    Meta::default(),
                    deadline,
                    Mode::Set,
                    self.now,
                );
                agree(stored, Ok(Stored::Stored { cas: 0 }))?;
                self.put(key, Known::Number { bits: value as u64, signed: true }, 0, deadline);
            }
            Op::Gets { key } => self.gets(key)?,
            Op::Cas { key, len, fill, odd } => self.cas(key, &value_bytes(len, fill), odd)?,
            Op::StoreIf { key, len, fill, odd, stale, cas } => {
                self.store_if(key, &value_bytes(len, fill), odd, stale, cas)?
            }
            Op::CountIf { key, up, by, compare, odd, cas, ttl } => {
                let delta = if up { Delta::Increment(by) } else { Delta::Decrement(by) };
                self.count_if(key, delta, compare, odd, cas, ttl)?
            }
            Op::Amend { key, ttl, marks, cas, drop_value } => self.amend(key, ttl, marks, cas, drop_value)?,
            Op::Get { .. } => {}
            Op::Delete { key } => {
                agree(self.arena().delete(self.name(key), self.now), Ok(self.map.contains_key(&key)))?;
                self.map.remove(&key);
            }
            Op::DeleteVersion { key, odd } => {
                let Some((token, wanted)) = self.wanted_of_cas(key, odd)? else { return Ok(()) };
                agree(self.arena().delete_version(self.name(key), token, self.now), Ok(wanted))?;
                if matches!(wanted, Stored::Stored { .. }) {
                    self.map.remove(&key);
                }
            }
            Op::Touch { key, ttl, read } => self.touch(key, ttl, read)?,
            Op::Count { key, up, by, initial, ttl } => {
                let delta = if up { Delta::Increment(by) } else { Delta::Decrement(by) };
                self.count(key, delta, initial, ttl)?
            }
            Op::AddInteger { key, step, create, ttl } => self.add_integer(key, step, create, ttl)?,
            Op::Take { key } => self.take(key)?,
            Op::Swap { key, len, fill, mode, keep, ttl } => self.swap(key, &value_bytes(len, fill), mode, keep, ttl)?,
            Op::Retime { key, ttl, read } => self.retime(key, ttl, read)?,
            Op::CountSigned { key, delta } => self.count_signed(key, delta)?,
            Op::Sweep => {
                let swept = self.arena().sweep(&mut Default::default(), self.now, usize::MAX);
                swept.map_err(|error| error.to_string())?;
            }
            Op::LongKey => self.long_key()?,
            Op::CasInteger { key, old, new } => {
                let wanted = match self.map.get(&key).map(|entry| &entry.value) {
                    None => Stored::Missing,
                    Some(Known::Number { bits, signed: true }) if *bits == old as u64 => Stored::Stored { cas: 0 },
                    Some(_) => Stored::Exists,
                };
                agree(self.arena().cas_integer(self.name(key), old, new, self.now), Ok(wanted))?;
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
                let (at, real) = (Time(self.now.0.saturating_add(secs)), Time::now());
                // That call also compares with the real clock, which may move on just then.
                if at.0.abs_diff(real.0) < 3 {
                    return Ok(());
                }
                // A write carries out an earlier one that is due. This call knows only the real clock, which stands
                // still here.
                self.arena().tend(self.now, usize::MAX);
                agree(self.arena().flush_at(at), Ok(()))?;
                self.flush_at = Some(at);
                if at <= real {
                    self.map.clear();
                    self.flush_at = None;
                }
            }
            Op::Tend => _ = self.arena().tend(self.now, usize::MAX),
            // Up to the clock's last moment: the one behind it is never.
            Op::Wait { secs } => self.now = Time(self.now.0.saturating_add(secs).min(u32::MAX - 1)),
            Op::Reopen => {
                self.arena = None;
                self.arena = Some(Arena::open(self.path, &self.options).map_err(|error| error.to_string())?.0);
            }
        }
        Ok(())
    }

    /// Reads a key and compares everything that is known of it.
    fn look(&self, key: u8) -> Result<(), String> {
        let item = self.arena().get(self.name(key), self.now);
        let (item, entry) = match (item, self.map.get(&key)) {
            (None, None) => return Ok(()),
            (Some(item), Some(entry)) => (item, entry),
            (item, entry) => {
                return Err(format!("a get finds {:?}, the map has {entry:?}", item.map(|item| show(&item.value))))
            }
        };
        self.compare(&item, entry)
    }

    pub(super) fn compare(&self, item: &leveret_engine::Item, entry: &KnownEntry) -> Result<(), String> {
        let is_same = match &entry.value {
            Known::Bytes(bytes) => item.number.is_none() && item.value == *bytes,
            // memcached pads a number that became shorter; the digits before the spaces are the number.
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

    fn store(
        &mut self,
        key: u8,
        bytes: &[u8],
        mode: u8,
        flags: u32,
        ttl: Option<i64>,
        comes: bool,
    ) -> Result<(), String> {
        let (name, deadline) = (self.name(key).to_vec(), self.deadline(ttl));
        let mode = [Mode::Set, Mode::Add, Mode::Replace, Mode::Append, Mode::Prepend][usize::from(mode)];
        // What appending joins to: for a number its text as it is read.
        let old = self.arena().get(&name, self.now).map(|item| item.value);
        let joined = match (&old, mode) {
            (Some(old), Mode::Append) => [old, bytes].concat(),
            (Some(old), Mode::Prepend) => [bytes, old].concat(),
            _ => bytes.to_vec(),
        };
        let meta = Meta::default().with_flags(flags);
        let is_joined = matches!(mode, Mode::Append | Mode::Prepend);
        let incoming = (comes && !is_joined).then(|| self.arena().incoming(&name, bytes.len(), self.now)).flatten();
        let stored = match incoming {
            Some(mut incoming) => {
                // In two pieces, wherever the cut is.
                let cut = bytes.len() / 7 * usize::from(key % 8);
                let taken = incoming.append(&bytes[..cut]) + incoming.append(&bytes[cut..]);
                agree(taken, bytes.len())?;
                incoming.store(&name, meta, deadline, &mode.into(), self.now)
            }
            None => self.arena().store(&name, Value::Bytes(bytes), meta, deadline, mode, self.now),
        };
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
            // The token is returned only on request; joining needs one for itself.
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

    fn touch(&mut self, key: u8, ttl: Option<i64>, read: bool) -> Result<(), String> {
        let (name, deadline) = (self.name(key).to_vec(), self.deadline(ttl));
        if read {
            let got = self.arena().get_and_touch(&name, deadline, self.now).map_err(|error| error.to_string())?;
            agree(got.is_some(), self.map.contains_key(&key))?;
            if let (Some(item), Some(entry)) = (&got, self.map.get(&key)) {
                self.compare(item, &KnownEntry { deadline, ..entry.clone() })?;
            }
        } else {
            agree(self.arena().touch(&name, deadline, self.now), Ok(self.map.contains_key(&key)))?;
        }
        if let Some(entry) = self.map.get_mut(&key) {
            entry.deadline = deadline;
        }
        Ok(())
    }

    fn count(&mut self, key: u8, delta: Delta, initial: Option<u64>, ttl: Option<i64>) -> Result<(), String> {
        let (width, deadline) = (self.width(key), self.deadline(ttl));
        let answer = self.arena().count(self.name(key), delta, initial.map(|initial| (initial, deadline)), self.now);
        let known = self.map.get(&key).map(|entry| entry.value.clone());
        let (wanted, next) = match &known {
            None => (initial.map_or(Counted::Missing, Counted::Value), None),
            Some(known) => match known.countable() {
                Some((value, signed)) => {
                    let value = apply(delta, value);
                    (Counted::Value(value), Some(Known::Number { bits: value, signed }))
                }
                None => (Counted::NotNumber, None),
            },
        };
        agree(answer, Ok(wanted))?;
        match (known, next, initial) {
            (_, Some(next), _) => self.counted(key, next, width),
            (None, _, Some(initial)) => self.put(key, Known::Number { bits: initial, signed: false }, 0, deadline),
            _ => {}
        }
        Ok(())
    }

    fn add_integer(&mut self, key: u8, step: i64, create: bool, ttl: Option<i64>) -> Result<(), String> {
        let deadline = self.deadline(ttl);
        let answer = self.arena().add_integer(self.name(key), step, create.then_some(deadline), self.now);
        let known = self.map.get(&key).map(|entry| entry.value.clone());
        let next = |bits: u64| Known::Number { bits, signed: true };
        match known {
            None if create => {
                agree(answer, Ok(Counted::Value(step as u64)))?;
                self.put(key, next(step as u64), 0, deadline);
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

    /// A key that is a byte too long is refused by stores, and missed by reads.
    fn long_key(&self) -> Result<(), String> {
        let (arena, now) = (self.arena(), self.now);
        let key = vec![7; arena.key_max() + 1];
        let refused = Error::KeyTooLong { len: key.len(), max: arena.key_max() };
        let never = Deadline::NEVER;
        for mode in [Mode::Set, Mode::Add, Mode::Replace, Mode::Append, Mode::Prepend, Mode::Cas(1)] {
            for value in [Value::Bytes(b"value"), Value::Bytes(&[1; 40_000]), Value::Integer(1)] {
                agree(arena.store(&key, value, Meta::default(), never, mode, now), Err(refused.clone()))?;
            }
        }
        agree(arena.count(&key, Delta::Increment(1), Some((1, never)), now), Err(refused.clone()))?;
        agree(arena.add_integer(&key, 1, Some(never), now), Err(refused.clone()))?;
        agree(arena.cas_integer(&key, 1, 2, now), Err(refused.clone()))?;
        agree(arena.touch(&key, never, now), Err(refused.clone()))?;
        let amendment = Amendment::new(never, Marks::NONE, NewCas::Next);
        agree(arena.amend(&key, now, &mut |_| Some(amendment)), Err(refused))?;
        agree(arena.incoming(&key, 40_000, now).is_none(), true)?;
        agree((arena.get(&key, now), arena.find(&key, now)), (None, None))
    }

    /// Everything that is there is met once, and nothing else.
    fn walk(&mut self) -> Result<(), String> {
        self.settle()?;
        let names: HashMap<&[u8], u8> = (0..KEYS).map(|key| (self.name(key), key)).collect();
        let mut met = HashSet::new();
        for item in self.arena().iter(self.now) {
            let item = item.map_err(|error| error.to_string())?;
            let key = names.get(&item.key[..]).copied().ok_or_else(|| format!("a walk meets {}", show(&item.key)))?;
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

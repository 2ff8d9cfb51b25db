//! Cas tokens: returned, compared and set by callers; and operations with terms.

use leveret_engine::{
    Amendment, CountTerms, CountedItem, Deadline, Delta, Marks, Meta, Mode, NewCas, ReadOptions, Stored, Terms, Value,
};

use super::known::{Known, KnownEntry};
use super::op::{is_odd, NewToken};
use super::run::{agree, apply, Run};

/// In each cas that a client chooses here, and in none that the arena draws.
const OWN_CAS: u64 = 1 << 61;

impl Run<'_> {
    pub(super) fn gets(&mut self, key: u8) -> Result<(), String> {
        let item = self
            .arena()
            .get_with(self.name(key), ReadOptions::new().with_cas(), self.now)
            .map_err(|error| error.to_string())?;
        let Some(item) = item else { return agree(false, self.map.contains_key(&key)) };
        let Some(entry) = self.map.get_mut(&key) else { return Err("gets finds what is not there".to_owned()) };
        if item.cas == 0 || entry.told.is_some_and(|told| told != item.cas) {
            return Err(format!("the token of one version was {:?} and is {}", entry.told, item.cas));
        }
        if let Some((token, version)) = self.tokens.get(&key) {
            let is_older = *version < entry.version && *version >= entry.born;
            let is_wrong = (*version == entry.version) != (*token == item.cas)
                || (is_older && *token > item.cas && !self.begins_again);
            if is_wrong && !is_odd(*token) && !is_odd(item.cas) {
                return Err(format!("version {version} had token {token}, version {} has {}", entry.version, item.cas));
            }
        }
        // A client may choose the same cas for two keys; the arena draws no token twice.
        let is_drawn = !is_odd(item.cas) && item.cas & OWN_CAS == 0;
        let twin = self.tokens.iter().find(|(other, (token, _))| **other != key && *token == item.cas && is_drawn);
        if let Some((other, (token, _))) = twin {
            return Err(format!("the token {token} is that of key {other} too"));
        }
        entry.told = Some(item.cas);
        self.tokens.insert(key, (item.cas, entry.version));
        Ok(())
    }

    /// The token remembered last, or `odd`, and the expected result of its use. `None`: no token is remembered.
    pub(super) fn wanted_of_cas(&mut self, key: u8, odd: Option<u64>) -> Result<Option<(u64, Stored)>, String> {
        let remembered = self.tokens.get(&key).copied();
        let Some(token) = odd.or(remembered.map(|(token, _)| token)) else { return Ok(None) };
        if is_odd(token) {
            self.gets(key)?;
        }
        let is_its = |entry: &KnownEntry| match remembered {
            Some((_, version)) if !is_odd(token) => entry.version == version,
            _ => entry.told == Some(token),
        };
        let wanted = match self.map.get(&key) {
            None => Stored::Missing,
            Some(entry) if is_its(entry) => Stored::Stored { cas: 0 },
            Some(_) => Stored::Exists,
        };
        Ok(Some((token, wanted)))
    }

    pub(super) fn cas(&mut self, key: u8, bytes: &[u8], odd: Option<u64>) -> Result<(), String> {
        if bytes.len() > self.arena().value_max() {
            return Ok(());
        }
        let Some((token, wanted)) = self.wanted_of_cas(key, odd)? else { return Ok(()) };
        let stored = self.arena().store(
            self.name(key),
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

    fn given(&self, token: NewToken) -> Option<u64> {
        match token {
            NewToken::Drawn => None,
            NewToken::Own => Some(self.own_cas()),
            NewToken::Odd(token) => Some(token),
        }
    }

    /// Notes the token that an operation has told of the present version.
    fn tell(&mut self, key: u8, cas: u64, is_given: bool) {
        let Some(entry) = self.map.get_mut(&key) else { return };
        if is_given {
            // Tokens grow from here on.
            entry.born = entry.version;
        }
        entry.told = Some(cas);
        self.tokens.insert(key, (cas, entry.version));
    }

    /// Characters of the value as it is read.
    pub(super) fn width(&self, key: u8) -> usize {
        self.arena().peek(self.name(key), self.now).map_or(0, |found| found.value_len as usize)
    }

    /// memcached treats a number that needs more characters as a new item, whose token was not handed out.
    pub(super) fn counted(&mut self, key: u8, next: Known, width: usize) {
        // An integer counted by memcached's rules above its maximum continues without a sign.
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

    pub(super) fn store_if(
        &mut self,
        key: u8,
        bytes: &[u8],
        odd: Option<u64>,
        stale: bool,
        cas: NewToken,
    ) -> Result<(), String> {
        let remembered = self.tokens.get(&key).map(|(token, _)| *token);
        let Some(token) = odd.or(remembered) else { return Ok(()) };
        if bytes.len() > self.arena().value_max() {
            return Ok(());
        }
        self.gets(key)?;
        let present = self.map.get(&key).and_then(|entry| entry.told);
        let cas = self.given(cas);
        let terms = Terms::new(Mode::Set).compare(Some(token)).older_is_stale(stale).cas(cas).want_cas(true);
        let meta = Meta::default().with_flags(1);
        let stored =
            self.arena().store_if(self.name(key), Value::Bytes(bytes), meta, Deadline::NEVER, &terms, self.now);
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
        let cas = cas.filter(|cas| *cas != 0);
        agree(told, cas.unwrap_or(told).max(1))?;
        let before = self.map.get(&key).filter(|_| present != Some(token)).map(|entry| (entry.deadline, entry.marks));
        self.put(key, Known::Bytes(bytes.to_vec()), 1, Deadline::NEVER);
        if let Some((deadline, marks)) = before {
            self.map
                .entry(key)
                .and_modify(|entry| (entry.deadline, entry.marks) = (deadline, marks.with(Marks::STALE)));
        }
        self.tell(key, told, cas.is_some());
        Ok(())
    }

    pub(super) fn count_if(
        &mut self,
        key: u8,
        delta: Delta,
        compare: bool,
        odd: Option<u64>,
        cas: NewToken,
        ttl: Option<i64>,
    ) -> Result<(), String> {
        let compare = odd.or(self.tokens.get(&key).map(|(token, _)| *token)).filter(|_| compare);
        self.gets(key)?;
        let width = self.width(key);
        let cas = self.given(cas);
        let terms =
            CountTerms::new().compare(compare).cas(cas).deadline(ttl.map(|_| self.deadline(ttl))).want_cas(true);
        let answer = self.arena().count_if(self.name(key), delta, None, &terms, self.now);
        let Some(entry) = self.map.get(&key).cloned() else { return agree(answer, Ok(CountedItem::Missing)) };
        // In memcached's order: an empty value is no number, with any token.
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
        let cas = cas.filter(|cas| *cas != 0);
        let (value, deadline) = (apply(delta, value), terms.deadline.unwrap_or(entry.deadline));
        let wanted = CountedItem::Value { value, cas: cas.unwrap_or(told).max(1), deadline, is_new: false };
        agree(answer, Ok(wanted))?;
        self.counted(key, Known::Number { bits: value, signed }, width);
        self.map.entry(key).and_modify(|entry| entry.deadline = deadline);
        self.tell(key, told, cas.is_some());
        Ok(())
    }

    pub(super) fn amend(
        &mut self,
        key: u8,
        ttl: Option<i64>,
        marks: u8,
        cas: Option<NewToken>,
        drop_value: bool,
    ) -> Result<(), String> {
        let deadline = self.deadline(ttl);
        let new_cas = cas.map_or(NewCas::Keep, |cas| self.given(cas).map_or(NewCas::Next, NewCas::Is));
        let marks = Marks::from_bits(marks);
        let amendment = Amendment::new(deadline, marks, new_cas).drop_value(drop_value);
        let amended = self
            .arena()
            .amend(self.name(key), self.now, &mut |_| Some(amendment))
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
            (NewCas::Is(cas), _) if cas != 0 => agree(found.cas, cas)?,
            (NewCas::Next | NewCas::Is(0), Some(told)) if found.cas <= told && !is_odd(told) => {
                return Err(format!("token {} follows {told}", found.cas))
            }
            _ => {}
        }
        self.tell(key, found.cas, matches!(new_cas, NewCas::Is(1..)));
        Ok(())
    }
}

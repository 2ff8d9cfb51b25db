//! What Redis' commands ask for: values that are handed out, other deadlines, counting with a sign.

use leveret_engine::{CountedSigned, Deadline, Item, Meta, Mode, Stored, Terms, Value};

use super::known::{Known, KnownEntry};
use super::run::{agree, Run};

impl Run<'_> {
    /// The returned item must be the map's.
    fn handed_out(&self, key: u8, item: Option<&Item>, deadline: Option<Deadline>) -> Result<(), String> {
        let entry = self.map.get(&key);
        agree(item.is_some(), entry.is_some())?;
        let Some((item, entry)) = item.zip(entry) else { return Ok(()) };
        self.compare(item, &KnownEntry { deadline: deadline.unwrap_or(entry.deadline), ..entry.clone() })
    }

    pub(super) fn take(&mut self, key: u8) -> Result<(), String> {
        let item = self.arena().take(self.name(key), self.now).map_err(|error| error.to_string())?;
        self.handed_out(key, item.as_ref(), None)?;
        self.map.remove(&key);
        Ok(())
    }

    /// `mode` 0 to 2 is set, add, replace.
    pub(super) fn swap(&mut self, key: u8, bytes: &[u8], mode: u8, keep: bool, ttl: Option<i64>) -> Result<(), String> {
        if bytes.len() > self.arena().value_max() {
            return Ok(());
        }
        let (old, deadline) = (self.map.get(&key).map(|entry| entry.deadline), self.deadline(ttl));
        let terms = Terms::new([Mode::Set, Mode::Add, Mode::Replace][usize::from(mode)]).keep_deadline(keep);
        let swapped =
            self.arena().swap(self.name(key), Value::Bytes(bytes), Meta::default(), deadline, &terms, self.now);
        let (stored, item) = swapped.map_err(|error| error.to_string())?;
        let wanted = match (mode, old) {
            (1, Some(_)) => Stored::Exists,
            (2, None) => Stored::Missing,
            _ => Stored::Stored { cas: 0 },
        };
        agree(stored, wanted)?;
        self.handed_out(key, item.as_ref(), None)?;
        if matches!(wanted, Stored::Stored { .. }) {
            self.put(key, Known::Bytes(bytes.to_vec()), 0, old.filter(|_| keep).unwrap_or(deadline));
        }
        Ok(())
    }

    pub(super) fn retime(&mut self, key: u8, ttl: Option<i64>, read: bool) -> Result<(), String> {
        let (now, deadline) = (self.now, self.deadline(ttl));
        let (name, mut seen) = (self.name(key).to_vec(), None);
        let mut decide = |found: &leveret_engine::Found| {
            seen = Some(found.deadline);
            Some(deadline)
        };
        if read {
            let item = self.arena().get_and_retime(&name, now, &mut decide).map_err(|error| error.to_string())?;
            self.handed_out(key, item.as_ref(), Some(deadline))?;
        } else {
            let found = self.arena().retime(&name, now, &mut decide).map_err(|error| error.to_string())?;
            agree(found.map(|found| found.deadline), self.map.get(&key).map(|_| deadline))?;
        }
        agree(seen, self.map.get(&key).map(|entry| entry.deadline))?;
        if deadline.is_past(now) {
            self.map.remove(&key);
        } else if let Some(entry) = self.map.get_mut(&key) {
            entry.deadline = deadline;
        }
        Ok(())
    }

    pub(super) fn count_signed(&mut self, key: u8, delta: i64) -> Result<(), String> {
        let answer = self.arena().count_signed(self.name(key), delta, self.now);
        let known = self.map.get(&key).map(|entry| &entry.value);
        let old = match known {
            None => Some(0),
            Some(Known::Number { bits, signed: true }) => Some(*bits as i64),
            Some(Known::Number { bits, signed: false }) => i64::try_from(*bits).ok(),
            Some(Known::Bytes(bytes)) => canonical(bytes),
        };
        let wanted = match old.map(|old| old.checked_add(delta)) {
            None => CountedSigned::NotNumber,
            Some(None) => CountedSigned::Overflow,
            Some(Some(value)) => CountedSigned::Value(value),
        };
        let is_new = known.is_none();
        agree(answer, Ok(wanted))?;
        let CountedSigned::Value(value) = wanted else { return Ok(()) };
        let number = Known::Number { bits: value as u64, signed: true };
        if is_new {
            self.put(key, number, 0, Deadline::NEVER);
        } else {
            self.changed(key, number);
        }
        // Nothing is padded.
        let text = self.arena().get(self.name(key), self.now).map(|item| item.value);
        agree(text, Some(value.to_string().into_bytes()))
    }
}

/// Redis' integers: an optional minus and digits without a leading zero, in 64 bits.
fn canonical(bytes: &[u8]) -> Option<i64> {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let is_plain = digits.iter().all(u8::is_ascii_digit) && (digits[..] == *b"0" || !digits.starts_with(b"0"));
    let number = (is_plain && !digits.is_empty()).then(|| String::from_utf8_lossy(bytes).parse().ok()).flatten()?;
    (bytes != b"-0").then_some(number)
}

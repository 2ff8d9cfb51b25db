//! The one item that a script works on: a copy, which the commands of the script change, and which is stored at its end.
use crate::clock;
use crate::decimal::Decimal;
use crate::expiry::{Expiry, TimeUnit};
use crate::options::{part, Conditions, GetexOptions, SetOptions};
use crate::problem::{Problem, STRING_TOO_LARGE};
use crate::words::integer;
use leveret_engine::{Deadline, Mode};
use leveret_protocol::resp::{parse_integer, Arguments};

/// A copy of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemCopy {
    /// None: there is none.
    pub value: Option<Vec<u8>>,
    /// A count made the value.
    pub is_number: bool,
    /// Its bytes were put together.
    pub is_edited: bool,
    /// From when on it is dead.
    pub deadline: Option<i64>,
}

/// Answer of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemReply {
    /// An integer.
    Integer(i64),
    /// A string.
    Bulk(Vec<u8>),
    /// No value.
    Nil,
    /// A status.
    Status(&'static str),
}

const OK: ItemReply = ItemReply::Status("OK");

/// Constants of all commands of a script.
#[derive(Clone, Copy, Debug)]
pub struct ScriptMoment {
    /// The wall clock stands still.
    pub unix_ms: i64,
    /// Longest value.
    pub value_max: usize,
}

impl ItemCopy {
    /// Runs a command, whose arguments are as many as it takes. None: scripts may not say it here.
    pub fn run(
        &mut self,
        name: &'static str,
        request: &Arguments<'_>,
        at: ScriptMoment,
    ) -> Option<Result<ItemReply, Problem>> {
        Some(match name {
            "get" => Ok(self.bulk()),
            "getdel" => Ok(self.bulk()).inspect(|_| self.remove()),
            "getset" => Ok(self.bulk()).inspect(|_| self.put(request.get(2), None)),
            "getex" => self.getex(request, at),
            "set" => self.set(request, at),
            "setex" => self.set_for(name, request, TimeUnit::Seconds, at),
            "psetex" => self.set_for(name, request, TimeUnit::Milliseconds, at),
            "setnx" => Ok(ItemReply::Integer(i64::from(self.value.is_none()))).inspect(|_| {
                if self.value.is_none() {
                    self.put(request.get(2), None);
                }
            }),
            "append" => self.append(request.get(2), at),
            "setrange" => self.setrange(request, at),
            "strlen" => Ok(ItemReply::Integer(self.value.as_ref().map_or(0, Vec::len) as i64)),
            "getrange" | "substr" => self.getrange(request),
            "incr" => self.add(1),
            "decr" => self.add(-1),
            "incrby" => integer(request.get(2)).and_then(|by| self.add(by)),
            "decrby" => integer(request.get(2)).and_then(|by| match by.checked_neg() {
                Some(by) => self.add(by),
                None => Err(Problem::Text("ERR decrement would overflow")),
            }),
            "incrbyfloat" => self.add_float(request.get(2)),
            "exists" | "touch" => Ok(flag(self.value.is_some())),
            "type" => Ok(ItemReply::Status(if self.value.is_some() { "string" } else { "none" })),
            "del" | "unlink" => Ok(flag(self.value.is_some())).inspect(|_| self.remove()),
            "expire" => self.expire(name, request, TimeUnit::Seconds, at.unix_ms, at),
            "pexpire" => self.expire(name, request, TimeUnit::Milliseconds, at.unix_ms, at),
            "expireat" => self.expire(name, request, TimeUnit::Seconds, 0, at),
            "pexpireat" => self.expire(name, request, TimeUnit::Milliseconds, 0, at),
            "persist" => Ok(flag(self.deadline.take().is_some())),
            "ttl" => Ok(self.time(|unix_ms| (unix_ms.saturating_sub(at.unix_ms).max(0) + 500) / 1000)),
            "pttl" => Ok(self.time(|unix_ms| unix_ms.saturating_sub(at.unix_ms).max(0))),
            "expiretime" => Ok(self.time(|unix_ms| unix_ms.saturating_add(500) / 1000)),
            "pexpiretime" => Ok(self.time(|unix_ms| unix_ms)),
            _ => return None,
        })
    }

    fn bulk(&self) -> ItemReply {
        self.value.clone().map_or(ItemReply::Nil, ItemReply::Bulk)
    }

    fn put(&mut self, bytes: &[u8], deadline: Option<i64>) {
        *self = ItemCopy { value: Some(bytes.to_vec()), deadline, ..ItemCopy::default() };
    }

    fn remove(&mut self) {
        *self = ItemCopy::default();
    }

    /// Gives it a deadline, which ends it if it is past.
    fn die_at(&mut self, unix_ms: i64, at: ScriptMoment) {
        if unix_ms <= at.unix_ms {
            return self.remove();
        }
        // As far as the engine's clock goes.
        self.deadline = clock::unix_ms_of(clock::deadline_of(unix_ms)).map(|kept| kept.min(unix_ms));
    }

    fn getex(&mut self, request: &Arguments<'_>, at: ScriptMoment) -> Result<ItemReply, Problem> {
        let options = GetexOptions::read(request)?;
        let old = self.bulk();
        match options {
            _ if self.value.is_none() => {}
            GetexOptions::Plain => {}
            GetexOptions::Persist => self.deadline = None,
            GetexOptions::Expiry(expiry) => self.die_at(expiry.unix_ms("getex", at.unix_ms)?, at),
        }
        Ok(old)
    }

    fn set(&mut self, request: &Arguments<'_>, at: ScriptMoment) -> Result<ItemReply, Problem> {
        let options = SetOptions::read(request)?;
        let deadline = match &options.expiry {
            Some(expiry) => Some(expiry.unix_ms("set", at.unix_ms)?),
            None => None,
        };
        let is_stored = match options.mode {
            Mode::Add => self.value.is_none(),
            Mode::Replace => self.value.is_some(),
            _ => true,
        };
        let old = self.bulk();
        if is_stored {
            let kept = self.deadline.filter(|_| options.keeps_deadline);
            self.put(request.get(2), kept);
            if let Some(deadline) = deadline {
                self.die_at(deadline, at);
            }
        }
        Ok(match (options.tells_old, is_stored) {
            (true, _) => old,
            (false, true) => OK,
            (false, false) => ItemReply::Nil,
        })
    }

    fn set_for(
        &mut self,
        name: &'static str,
        request: &Arguments<'_>,
        unit: TimeUnit,
        at: ScriptMoment,
    ) -> Result<ItemReply, Problem> {
        let deadline = Expiry { time: request.get(2), unit, is_unix: false }.unix_ms(name, at.unix_ms)?;
        self.put(request.get(3), None);
        self.die_at(deadline, at);
        Ok(OK)
    }

    fn append(&mut self, bytes: &[u8], at: ScriptMoment) -> Result<ItemReply, Problem> {
        let Some(value) = &mut self.value else {
            self.put(bytes, None);
            return Ok(ItemReply::Integer(bytes.len() as i64));
        };
        let len = value.len() + bytes.len();
        if len > at.value_max {
            return Err(Problem::Text(STRING_TOO_LARGE));
        }
        value.extend_from_slice(bytes);
        (self.is_number, self.is_edited) = (false, true);
        Ok(ItemReply::Integer(len as i64))
    }

    fn setrange(&mut self, request: &Arguments<'_>, at: ScriptMoment) -> Result<ItemReply, Problem> {
        let offset = integer(request.get(2))?;
        let offset = usize::try_from(offset).map_err(|_| Problem::Text("ERR offset is out of range"))?;
        let bytes = request.get(3);
        if bytes.is_empty() {
            return Ok(ItemReply::Integer(self.value.as_ref().map_or(0, Vec::len) as i64));
        }
        let end = offset.saturating_add(bytes.len());
        if end > at.value_max {
            return Err(Problem::Text(STRING_TOO_LARGE));
        }
        let value = self.value.get_or_insert_default();
        if value.len() < end {
            value.resize(end, 0);
        }
        value[offset..end].copy_from_slice(bytes);
        let len = value.len();
        (self.is_number, self.is_edited) = (false, true);
        Ok(ItemReply::Integer(len as i64))
    }

    fn getrange(&self, request: &Arguments<'_>) -> Result<ItemReply, Problem> {
        let (start, end) = (integer(request.get(2))?, integer(request.get(3))?);
        Ok(ItemReply::Bulk(part(self.value.as_deref().unwrap_or_default(), start, end).to_vec()))
    }

    fn add(&mut self, by: i64) -> Result<ItemReply, Problem> {
        let old = match &self.value {
            // A count of memcached's is padded.
            Some(value) => parse_integer(if self.is_number { value.trim_ascii_end() } else { value }),
            None => Some(0),
        };
        let sum = old.ok_or(Problem::NOT_INTEGER)?.checked_add(by);
        let sum = sum.ok_or(Problem::Text("ERR increment or decrement would overflow"))?;
        self.value = Some(sum.to_string().into_bytes());
        (self.is_number, self.is_edited) = (true, false);
        Ok(ItemReply::Integer(sum))
    }

    fn add_float(&mut self, by: &[u8]) -> Result<ItemReply, Problem> {
        const NOT_FLOAT: Problem = Problem::Text("ERR value is not a valid float");
        let old = match &self.value {
            Some(value) => Decimal::parse(value).ok_or(NOT_FLOAT)?,
            None => Decimal::ZERO,
        };
        let sum = old.plus(&Decimal::parse(by).ok_or(NOT_FLOAT)?);
        let text = sum.ok_or(Problem::Text("ERR increment would produce NaN or Infinity"))?.to_text();
        self.value = Some(text.clone());
        (self.is_number, self.is_edited) = (false, true);
        Ok(ItemReply::Bulk(text))
    }

    fn expire(
        &mut self,
        name: &'static str,
        request: &Arguments<'_>,
        unit: TimeUnit,
        base: i64,
        at: ScriptMoment,
    ) -> Result<ItemReply, Problem> {
        let conditions = Conditions::read(request)?;
        let time = unit.milliseconds(integer(request.get(2))?);
        let unix_ms = time.and_then(|time| time.checked_add(base)).ok_or(Problem::ExpireTime(name))?;
        let is_changed = self.value.is_some() && conditions.allow(self.deadline, unix_ms);
        if is_changed {
            self.die_at(unix_ms, at);
        }
        Ok(flag(is_changed))
    }

    fn time(&self, told: impl Fn(i64) -> i64) -> ItemReply {
        ItemReply::Integer(match (&self.value, self.deadline) {
            (None, _) => -2,
            (Some(_), None) => -1,
            (Some(_), Some(unix_ms)) => told(unix_ms),
        })
    }

    /// Its deadline in the engine's terms.
    pub fn engine_deadline(&self) -> Deadline {
        self.deadline.map_or(Deadline::NEVER, clock::deadline_of)
    }
}

fn flag(is_so: bool) -> ItemReply {
    ItemReply::Integer(i64::from(is_so))
}

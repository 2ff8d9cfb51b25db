//! Survivors of a kill. On the arena as the dead process left it: a reader looks first, then four processes work on it
//! at once, then the whole arena is verified.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use leveret_engine::{Arena, Counted, Deadline, Lease, Meta, Mode, OpenOptions, Stored, Value};

use crate::operation::{filler, now, Effect, KilledOperation, SeenItem};
use crate::operations::burst_progress;
use crate::process;
use crate::rng::Rng;
use crate::values::{self, show};

/// Survivors at a time.
const SURVIVORS: u64 = 4;
/// Operations of each, about.
const ROUNDS: u64 = 24;
/// Writer numbers of survivors begin here: their values can be told from all others.
const FIRST_WRITER: u64 = 100;
const WITNESSES: u64 = 60;

/// How far the killed operation had come, as a reader sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HowFar {
    /// Nothing of it is seen.
    NotDone,
    /// For a burst: some.
    Part(u64),
    /// All of it.
    Done,
    /// A survivor has overwritten it.
    Overwritten,
}

/// How every process of the harness opens an arena.
pub fn options() -> OpenOptions {
    // The same shape on every machine: two shards.
    OpenOptions::new().memory(8 << 20).cores(1)
}

/// Opens the arena, making it if needed.
pub fn open(path: &Path) -> Result<Arena, String> {
    Arena::open(path, &options()).map(|(arena, _)| arena).map_err(|error| error.to_string())
}

fn witness_key(index: u64) -> Vec<u8> {
    format!("witness:{index}").into_bytes()
}

fn witness_value(index: u64) -> Vec<u8> {
    let len = if index % 20 == 7 { 40_000 } else { (index * 53) as usize % 900 };
    values::frame(&witness_key(index), 1, index, len)
}

/// Writes what must still be there after the kill: values of several sizes, two of them large, and numbers.
pub fn write_witnesses(arena: &Arena) -> Result<(), String> {
    for index in 0..WITNESSES {
        let key = witness_key(index);
        let stored = match index % 10 {
            5 => arena
                .store(&key, Value::Integer(index as i64), Meta::default(), Deadline::NEVER, Mode::Set, now())
                .map(|_| ()),
            _ => arena.set(&key, &witness_value(index), Deadline::NEVER, now()),
        };
        stored.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Looks at everything that was acknowledged before the kill, and at the killed operation. Writes nothing.
pub fn look(arena: &Arena, operation: &KilledOperation) -> Result<HowFar, String> {
    if let Some(service) = arena.services().first() {
        return Err(format!("the dead are believed to serve: {}", service.text));
    }
    let there = witnesses_there(arena)?;
    let all = WITNESSES;
    match &operation.effect {
        Effect::Flush if there == 0 => return Ok(HowFar::Done),
        _ if there == all || operation.pressure => {}
        _ => return Err(format!("acknowledged writes are lost: {} of {all} keys are gone", all - there)),
    }
    if operation.pressure {
        enough_fillers(arena, operation)?;
    }
    match &operation.effect {
        Effect::Flush => Ok(HowFar::NotDone),
        Effect::Burst => Ok(HowFar::Part(burst_progress(arena)?)),
        Effect::Key { before, after } => subject_progress(arena, operation, before.as_ref(), after.as_ref()),
    }
}

fn witnesses_there(arena: &Arena) -> Result<u64, String> {
    let mut there = 0;
    for index in 0..WITNESSES {
        let wanted = if index % 10 == 5 { index.to_string().into_bytes() } else { witness_value(index) };
        match SeenItem::at(arena, &witness_key(index)) {
            None => {}
            Some(seen) if seen.value == wanted => there += 1,
            Some(seen) => return Err(format!("{} holds {}", show(&witness_key(index)), SeenItem::show(Some(&seen)))),
        }
    }
    Ok(there)
}

/// In a full arena items come and go, but never all at once.
fn enough_fillers(arena: &Arena, operation: &KilledOperation) -> Result<(), String> {
    let Some(trigger) = operation.trigger else { return Ok(()) };
    let mut there = 0;
    for item in arena.iter(now()) {
        let item = item.map_err(|error| format!("a walk over all items: {error}"))?;
        if !item.key.starts_with(b"filler:") || item.key == operation.subject {
            continue;
        }
        let index = std::str::from_utf8(&item.key[7..]).ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
        if item.value != filler(index, trigger.filler_len) {
            return Err(format!("{} holds {}", show(&item.key), show(&item.value)));
        }
        there += item.value.len() as u64;
    }
    // One item above half of a segment leaves the rest of it empty, as two above a third do.
    let least = if trigger.filler_len < 8_000 { arena.memory() / 2 } else { arena.memory() / 4 };
    if there < least {
        return Err(format!(
            "only {there} bytes of values are left in an arena of {}: more was dropped than needed",
            arena.memory()
        ));
    }
    Ok(())
}

fn subject_progress(
    arena: &Arena,
    operation: &KilledOperation,
    before: Option<&SeenItem>,
    after: Option<&SeenItem>,
) -> Result<HowFar, String> {
    let seen = SeenItem::at(arena, &operation.subject);
    if seen.as_ref() == after {
        return Ok(HowFar::Done);
    }
    if seen.as_ref() == before || (seen.is_none() && operation.pressure) {
        return Ok(HowFar::NotDone);
    }
    if let Some(frames) = seen.as_ref().and_then(|seen| values::frames_of(&operation.subject, &seen.value).ok()) {
        if frames.iter().all(|frame| frame.writer >= FIRST_WRITER) {
            return Ok(HowFar::Overwritten);
        }
    }
    let (seen, before, after) = (SeenItem::show(seen.as_ref()), SeenItem::show(before), SeenItem::show(after));
    Err(format!("{} holds {seen}: neither the old value {before} nor the new one {after}", show(&operation.subject)))
}

/// Everything that must hold on an arena whose writer died in `operation`. `least`: an earlier image's view of the
/// operation, which must not be undone.
pub fn prove(path: &Path, operation: &KilledOperation, seed: u64, least: HowFar) -> Result<HowFar, String> {
    let reader = process::run(|| look(&open(path)?, operation).map(encode));
    let first = decode(&reader.into_result().map_err(|why| format!("a reader that came first: {why}"))?)?;
    not_undone(operation, least, first)?;

    let children: Vec<_> = (0..SURVIVORS)
        .map(|number| process::spawn(move || Survivor::new(path, operation, seed, number)?.live(first)))
        .collect();
    let endings: Vec<_> = children.into_iter().map(process::Child::wait).collect();
    for (number, ending) in endings.into_iter().enumerate() {
        ending.into_result().map_err(|why| format!("survivor {number}: {why}"))?;
    }
    let last = process::run(|| {
        let arena = open(path)?;
        let report = arena.verify();
        if !report.is_clean() {
            return Err(format!("verify: {} problems: {}", report.problem_count, report.problems.join("; ")));
        }
        let stats = arena.stats();
        if stats.mended != 0 || stats.retries != 0 {
            return Err(format!("{} slots had to be mended, {} reads gave up", stats.mended, stats.retries));
        }
        look(&arena, operation).map(encode)
    });
    let last = decode(&last.into_result().map_err(|why| format!("after the survivors: {why}"))?)?;
    not_undone(operation, first, last)?;
    Ok(first)
}

fn not_undone(operation: &KilledOperation, earlier: HowFar, later: HowFar) -> Result<(), String> {
    // A full arena may forget the new item again.
    if later < earlier && !operation.pressure {
        return Err(format!("the operation was seen as {earlier:?} and later as {later:?}"));
    }
    Ok(())
}

fn encode(progress: HowFar) -> String {
    match progress {
        HowFar::NotDone => "not".to_owned(),
        HowFar::Part(part) => part.to_string(),
        HowFar::Done => "done".to_owned(),
        HowFar::Overwritten => "overwritten".to_owned(),
    }
}

fn decode(text: &str) -> Result<HowFar, String> {
    Ok(match text {
        "not" => HowFar::NotDone,
        "done" => HowFar::Done,
        "overwritten" => HowFar::Overwritten,
        part => HowFar::Part(part.parse().map_err(|_| format!("a child reported {part:?}"))?),
    })
}

/// One process that works on the arena, and knows what must come back.
struct Survivor<'a> {
    arena: Arena,
    operation: &'a KilledOperation,
    rng: Rng,
    writer: u64,
    counter: u64,
    own: HashMap<Vec<u8>, Vec<u8>>,
}

impl<'a> Survivor<'a> {
    fn new(path: &Path, operation: &'a KilledOperation, seed: u64, number: u64) -> Result<Survivor<'a>, String> {
        let rng = Rng::new(seed).fork(number);
        Ok(Survivor {
            arena: open(path)?,
            operation,
            rng,
            writer: FIRST_WRITER + number,
            counter: 0,
            own: HashMap::new(),
        })
    }

    fn live(&mut self, first: HowFar) -> Result<String, String> {
        for _ in 0..ROUNDS / 2 {
            self.work()?;
        }
        self.meet_subject(first)?;
        self.hold_lease(&self.operation.subject.clone())?;
        self.hold_lease(b"another lease")?;
        for _ in 0..ROUNDS / 2 {
            self.work()?;
        }
        let keys: Vec<_> = self.own.keys().cloned().collect();
        keys.iter().try_for_each(|key| self.check(key))?;
        Ok(String::new())
    }

    fn fail<T: std::fmt::Display>(error: T) -> String {
        error.to_string()
    }

    fn value(&mut self, key: &[u8]) -> Vec<u8> {
        self.counter += 1;
        // Few large ones: four processes with eight keys each must fit beside the existing items.
        let len = if self.rng.one_in(16) { 33_000 } else { self.rng.below(500) as usize };
        values::frame(key, self.writer, self.counter, len)
    }

    /// One operation on a key of this process.
    fn work(&mut self) -> Result<(), String> {
        let index = self.rng.below(8);
        let key = format!("own:{}:{index}", self.writer).into_bytes();
        if index == 0 {
            return self.count(&key);
        }
        match self.rng.below(6) {
            0 => {
                let was_there = self.own.remove(&key).is_some();
                let deleted = self.arena.delete(&key, now()).map_err(Self::fail)?;
                if deleted != was_there && !(self.operation.pressure && was_there) {
                    return Err(format!("delete of {} answered {deleted}", show(&key)));
                }
            }
            1 => {
                let more = self.value(&key);
                let stored = self
                    .arena
                    .store(&key, Value::Bytes(&more), Meta::default(), Deadline::NEVER, Mode::Append, now())
                    .map_err(Self::fail)?;
                match (stored, self.own.get_mut(&key)) {
                    (Stored::Stored { .. }, Some(value)) => value.extend_from_slice(&more),
                    (Stored::Missing, None) => {}
                    (Stored::Missing, Some(_)) if self.operation.pressure => drop(self.own.remove(&key)),
                    (stored, _) => return Err(format!("append to {} answered {stored:?}", show(&key))),
                }
            }
            2 => {
                self.arena.touch(&key, Deadline::after(now(), 1000), now()).map_err(Self::fail)?;
            }
            _ => {
                let value = self.value(&key);
                self.arena
                    .set(&key, &value, Deadline::NEVER, now())
                    .map_err(|error| format!("set of {}: {error}", show(&key)))?;
                self.own.insert(key.clone(), value);
            }
        }
        self.check(&key)
    }

    fn count(&mut self, key: &[u8]) -> Result<(), String> {
        self.counter += 1;
        let known: u64 = self.own.get(key).map_or(0, |value| String::from_utf8_lossy(value).parse().unwrap_or(0));
        let wanted = known + 1;
        let counted = self.arena.add_integer(key, 1, Some(Deadline::NEVER), now()).map_err(Self::fail)?;
        let is_right = counted == Counted::Value(wanted) || (self.operation.pressure && counted == Counted::Value(1));
        if !is_right {
            return Err(format!("counting {} answered {counted:?}, wanted {wanted}", show(key)));
        }
        let Counted::Value(value) = counted else { return Ok(()) };
        self.own.insert(key.to_vec(), value.to_string().into_bytes());
        self.check(key)
    }

    fn check(&mut self, key: &[u8]) -> Result<(), String> {
        let got = self.arena.get(key, now()).map(|item| item.value);
        if got.is_none() && self.operation.pressure {
            self.own.remove(key);
        }
        if got.as_ref() != self.own.get(key) {
            let (got, wanted) = (got.as_deref().map(show), self.own.get(key).map(|value| show(value)));
            return Err(format!("{} holds {got:?}, wanted {wanted:?}", show(key)));
        }
        Ok(())
    }

    /// Reads what the killed operation left, then overwrites it: now it must be this survivor's value or another's.
    fn meet_subject(&mut self, first: HowFar) -> Result<(), String> {
        let Effect::Key { before, after } = &self.operation.effect else { return Ok(()) };
        let found = subject_progress(&self.arena, self.operation, before.as_ref(), after.as_ref())?;
        not_undone(self.operation, first, found)?;
        let key = self.operation.subject.clone();
        for _ in 0..4 {
            let value = self.value(&key);
            self.arena
                .set(&key, &value, Deadline::NEVER, now())
                .map_err(|error| format!("set of {}: {error}", show(&key)))?;
            let found = subject_progress(&self.arena, self.operation, before.as_ref(), after.as_ref())?;
            not_undone(self.operation, HowFar::Overwritten, found)?;
        }
        Ok(())
    }

    /// Takes a lease, waiting for other survivors but not for dead processes, and proves that no other process holds
    /// it.
    fn hold_lease(&mut self, key: &[u8]) -> Result<(), String> {
        let guard = [b"held:", key].concat();
        let begun = Instant::now();
        let ticket = loop {
            match self.arena.lease(key, begun.elapsed().min(Duration::from_secs(1))) {
                Lease::Granted(ticket) => break ticket,
                Lease::Wait => {}
                Lease::NoLease => return Err("no lease was to be had".to_owned()),
            }
        };
        let add = self
            .arena
            .store(&guard, Value::Integer(self.writer as i64), Meta::default(), Deadline::NEVER, Mode::Add, now())
            .map_err(Self::fail)?;
        if add == Stored::Exists {
            return Err(format!("two processes hold the lease of {} at once", show(key)));
        }
        self.arena.delete(&guard, now()).map_err(Self::fail)?;
        self.arena.release(&ticket);
        Ok(())
    }
}

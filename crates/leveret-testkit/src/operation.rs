//! An operation that is killed in its middle: its preparation, the operation, and the states that may be visible
//! afterwards.

use std::sync::OnceLock;

use leveret_engine::{Arena, Deadline, Error, Marks, Meta, Mode, Stats, Stored, Time, Value};

use crate::values;

/// The key that the stepped operation works on, unless it needs one of its own.
pub const SUBJECT: &[u8] = b"subject";

/// A reader's view of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenItem {
    /// The value; a number as its text.
    pub value: Vec<u8>,
    /// The client's flags.
    pub flags: u32,
    /// Its moment of death.
    pub deadline: Deadline,
    /// What clients were told about it.
    pub marks: Marks,
}

impl SeenItem {
    pub(crate) fn new(value: impl Into<Vec<u8>>) -> SeenItem {
        SeenItem { value: value.into(), flags: 0, deadline: Deadline::NEVER, marks: Marks::NONE }
    }

    pub(crate) fn flags(self, flags: u32) -> SeenItem {
        SeenItem { flags, ..self }
    }

    pub(crate) fn marks(self, marks: Marks) -> SeenItem {
        SeenItem { marks, ..self }
    }

    pub(crate) fn ttl(self, secs: u32) -> SeenItem {
        SeenItem { deadline: Deadline::after(now(), secs), ..self }
    }

    /// Looks the key up.
    pub fn at(arena: &Arena, key: &[u8]) -> Option<SeenItem> {
        let item = arena.get(key, now())?;
        Some(SeenItem { value: item.value, flags: item.meta.flags, deadline: item.deadline, marks: item.meta.marks })
    }

    /// For a message.
    pub fn show(seen: Option<&SeenItem>) -> String {
        match seen {
            None => "nothing".to_owned(),
            Some(SeenItem { value, flags, deadline, marks }) => {
                format!("{} (flags {flags}, deadline {}, marks {marks:?})", values::show(value), deadline.second())
            }
        }
    }
}

/// What the operation may have changed.
#[derive(Clone, Debug)]
pub enum Effect {
    /// One key: first or second state, nothing else.
    Key {
        /// Before the operation.
        before: Option<SeenItem>,
        /// After it.
        after: Option<SeenItem>,
    },
    /// Every key: all there or none.
    Flush,
    /// Keys `burst:0`, `burst:1` … appear one after another.
    Burst,
}

type Warm = dyn Fn(&Arena) -> Result<u64, String>;
type Run = dyn Fn(&Arena, u64) -> Result<(), String>;

/// One operation to be killed.
pub struct KilledOperation {
    /// Its name in the table and on the command line.
    pub name: &'static str,
    /// The key that it works on.
    pub subject: Vec<u8>,
    /// What may be seen of it.
    pub effect: Effect,
    /// The arena is full: other items may be forgotten.
    pub pressure: bool,
    /// It repeats the same few steps for many items, so of its instructions a sample is looked at, another with each
    /// seed.
    pub stride: u64,
    /// Runs freely before the operation, in the same process. Its result is passed to `run`.
    pub warm: Box<Warm>,
    /// The operation.
    pub run: Box<Run>,
    /// Which event the operation must cause; found by a rehearsal.
    pub trigger: Option<Trigger>,
}

/// An event that only one set among many causes: fillers are set until this number changes.
#[derive(Clone, Copy)]
pub struct Trigger {
    /// Watches the event.
    pub number: fn(&Stats) -> u64,
    /// Length of a filler's value.
    pub filler_len: usize,
    /// A condition for the event to count.
    pub when: fn(&Stats) -> bool,
}

/// One moment for all processes of a run, so that deadlines can be compared. Call it before the first fork.
pub fn now() -> Time {
    static NOW: OnceLock<Time> = OnceLock::new();
    *NOW.get_or_init(Time::now)
}

/// Key of the `index`th filler.
pub fn filler_key(index: u64) -> Vec<u8> {
    format!("filler:{index}").into_bytes()
}

/// Value of the `index`th filler.
pub fn filler(index: u64, len: usize) -> Vec<u8> {
    values::frame(&filler_key(index), 0, index, len)
}

pub(crate) fn subject(counter: u64, filler_len: usize) -> Vec<u8> {
    values::frame(SUBJECT, 0, counter, filler_len)
}

pub(crate) fn text<T: std::fmt::Debug>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// The operation must have answered this; another answer is a defect of the set-up or of the engine.
pub(crate) fn want<T: std::fmt::Debug + PartialEq>(result: Result<T, Error>, wanted: T) -> Result<(), String> {
    match text(result)? {
        got if got == wanted => Ok(()),
        got => Err(format!("the operation answered {got:?}, wanted {wanted:?}")),
    }
}

pub(crate) fn store(arena: &Arena, key: &[u8], seen: &SeenItem, mode: Mode) -> Result<Stored, Error> {
    arena.store(key, Value::Bytes(&seen.value), Meta::default().with_flags(seen.flags), seen.deadline, mode, now())
}

impl KilledOperation {
    pub(crate) fn new(
        name: &'static str,
        before: Option<SeenItem>,
        after: Option<SeenItem>,
        run: impl Fn(&Arena, u64) -> Result<(), String> + 'static,
    ) -> KilledOperation {
        let first = before.clone();
        let warm = move |arena: &Arena| match &first {
            Some(seen) => text(store(arena, SUBJECT, seen, Mode::Set)).map(|_| 0),
            None => Ok(0),
        };
        let effect = Effect::Key { before, after };
        KilledOperation {
            name,
            subject: SUBJECT.to_vec(),
            effect,
            pressure: false,
            stride: 1,
            warm: Box::new(warm),
            run: Box::new(run),
            trigger: None,
        }
    }

    /// Appends or prepends a subject to another one.
    pub(crate) fn joining(name: &'static str, mode: Mode, first_len: usize, second_len: usize) -> KilledOperation {
        let (first, second) = (subject(1, first_len), subject(2, second_len));
        let both = if mode == Mode::Append { [&first[..], &second].concat() } else { [&second[..], &first].concat() };
        let run =
            move |arena: &Arena, _| text(store(arena, SUBJECT, &SeenItem::new(second.clone()), mode)).and_then(stored);
        KilledOperation::new(
            name,
            Some(SeenItem::new(first.clone()).flags(7).ttl(1000)),
            Some(SeenItem::new(both).flags(7).ttl(1000)),
            run,
        )
    }

    pub(crate) fn storing(
        name: &'static str,
        before: Option<SeenItem>,
        after: SeenItem,
        mode: Mode,
    ) -> KilledOperation {
        let value = after.clone();
        KilledOperation::new(name, before, Some(after), move |arena, _| {
            text(store(arena, SUBJECT, &value, mode)).and_then(stored)
        })
    }

    pub(crate) fn warm(self, warm: impl Fn(&Arena) -> Result<u64, String> + 'static) -> KilledOperation {
        let first = self.warm;
        KilledOperation { warm: Box::new(move |arena| first(arena).and_then(|_| warm(arena))), ..self }
    }

    pub(crate) fn effect(self, effect: Effect) -> KilledOperation {
        KilledOperation { effect, ..self }
    }

    pub(crate) fn pressure(self) -> KilledOperation {
        KilledOperation { pressure: true, ..self }
    }

    pub(crate) fn stride(self, stride: u64) -> KilledOperation {
        KilledOperation { stride, ..self }
    }

    pub(crate) fn triggering(name: &'static str, trigger: Trigger) -> KilledOperation {
        KilledOperation { trigger: Some(trigger), ..KilledOperation::new(name, None, None, |_, _| Ok(())) }
    }

    /// A triggering operation, when the rehearsal has shown that filler `index` is the one.
    pub fn triggered_by(mut self, index: u64) -> KilledOperation {
        let Some(Trigger { filler_len, .. }) = self.trigger else { return self };
        self.subject = filler_key(index);
        self.effect = Effect::Key { before: None, after: Some(SeenItem::new(filler(index, filler_len))) };
        self.warm = Box::new(move |arena| {
            for earlier in 0..index {
                read_filler(arena, earlier);
                set_filler(arena, earlier, filler_len)?;
            }
            read_filler(arena, index);
            Ok(index)
        });
        // Made here: only the engine's instructions are of interest.
        let (key, value) = (filler_key(index), filler(index, filler_len));
        self.run = Box::new(move |arena, _| text(arena.set(&key, &value, Deadline::NEVER, now())));
        self
    }
}

/// Before each filler an earlier one is read, so that some have been read when the arena is full: these are kept and
/// moved.
pub fn read_filler(arena: &Arena, index: u64) {
    arena.get(&filler_key(index / 2), now());
}

/// Sets one filler.
pub fn set_filler(arena: &Arena, index: u64, len: usize) -> Result<(), String> {
    text(arena.set(&filler_key(index), &filler(index, len), Deadline::NEVER, now()))
}

pub(crate) fn stored(stored: Stored) -> Result<(), String> {
    match stored {
        Stored::Stored { .. } => Ok(()),
        other => Err(format!("the operation answered {other:?}")),
    }
}

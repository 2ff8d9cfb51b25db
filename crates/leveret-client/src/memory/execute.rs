//! A server that is shared memory of this host, or whose arena is: requests are executed as they are added, gets when
//! it is known how many there are, and their answers lie in the server's input as if they had come.
use super::opened;
use crate::code::Code;
use crate::link::endpoint::ServerEndpoint;
use crate::link::fault::Fault;
use crate::pool::batch::{Batch, Input};
use crate::pool::batch::{Operation, Request};
use crate::pool::options::Protocol;
use leveret_engine::{
    Arena, Counted, Cursor, Deadline, Delta, Encoding, Error, Mode, OpenOptions, ReadOptions, Stored, Terms, Time,
    Value, AHEAD,
};
use std::sync::Mutex;

/// An arena that was named as a server, and how it is opened.
#[derive(Default)]
pub(crate) struct Local {
    pub how: OpenOptions,
    arena: Option<Arena>,
    /// When the arena's file was last looked at.
    looked: Time,
}

impl Local {
    /// The arena, opened when it is first needed, and again when its file was removed or replaced: each second of the
    /// caller's clock begins with a look at it.
    #[inline]
    pub fn open(&mut self, endpoint: &ServerEndpoint, now: Time) -> Result<&Arena, Fault> {
        let is_known = self.looked >= now && self.arena.as_ref().is_some_and(|arena| !arena.is_lost());
        if !is_known {
            self.look(endpoint, now)?;
        }
        Ok(self.arena.as_ref().expect("known, or opened"))
    }

    #[cold]
    fn look(&mut self, endpoint: &ServerEndpoint, now: Time) -> Result<(), Fault> {
        self.looked = self.looked.max(now);
        self.arena = self.arena.take().filter(|arena| arena.check().is_ok());
        if self.arena.is_none() {
            let opened = leveret_place::resolve(endpoint.path(), endpoint.dir.as_deref()).and_then(|path| {
                match opened::find(&path, &self.how) {
                    Some(arena) => Ok(arena),
                    None => Ok(Arena::open(&path, &self.how)?.0),
                }
            });
            let arena = opened.map_err(|error| {
                note(format!("{} cannot be used: {error}", endpoint.host));
                Fault::new(Code::ConnectionFailure)
            })?;
            leveret_place::note_older(&arena);
            self.arena = Some(arena);
        }
        Ok(())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some(arena) = self.arena.take() {
            opened::keep(self.how, arena);
        }
    }
}

/// A server's codes have no text for what is wrong with a file and how to fix it: the last such text of this process,
/// and whether it was reported. Accessed only by `try_lock`, since a fork may have left it locked.
static TROUBLE: Mutex<(String, bool)> = Mutex::new((String::new(), true));

pub(crate) fn note(text: String) {
    if let Ok(mut trouble) = TROUBLE.try_lock() {
        if trouble.0 != text {
            *trouble = (text, false);
        }
    }
}

/// Why an arena that was named as a server could not be opened, unless that was told before.
pub fn arena_trouble() -> Option<String> {
    let mut trouble = TROUBLE.try_lock().ok()?;
    let is_told = std::mem::replace(&mut trouble.1, true);
    (!is_told).then(|| trouble.0.clone())
}

/// The memcached whose behaviour is kept, as `leveret serve` tells it.
const VERSION: &str = "1.6.45";

/// By which rules an arena is used.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// What would be spoken with a server: it decides what some answers say.
    pub protocol: Protocol,
    /// The longest value, below what the arena takes anyway.
    pub value_max: usize,
}

impl Rules {
    /// The binary protocol has 32 unsigned bits: a negative time becomes one far in the future.
    fn exptime(&self, exptime: i64) -> i64 {
        if self.protocol == Protocol::Binary {
            i64::from(exptime as u32)
        } else {
            exptime
        }
    }
}

/// Reads what gets ask for and keeps the answers. Gives the requests that failed.
pub(crate) fn read(
    arena: &Arena,
    rules: &Rules,
    input: &mut Input,
    batch: &mut Batch,
    numbers: &[u32],
) -> Vec<(u32, Fault)> {
    let mut failed = Vec::new();
    for numbers in numbers.chunks(AHEAD) {
        let now = Time::now();
        if numbers.len() > 1 {
            arena.ask_for(numbers.iter().map(|number| batch.key(*number)), &mut [0; AHEAD]);
        }
        for number in numbers {
            if let Err(fault) = get(arena, rules, input, batch, *number, now) {
                failed.push((*number, fault));
            }
        }
    }
    failed
}

fn get(
    arena: &Arena,
    rules: &Rules,
    input: &mut Input,
    batch: &mut Batch,
    number: u32,
    now: Time,
) -> Result<(), Fault> {
    let (pending, key) = (&batch.pending[number as usize], batch.key(number));
    let found = if pending.operation == Operation::GetAndTouch {
        let deadline = Deadline::of_exptime(rules.exptime(pending.exptime), now);
        let item = arena.get_and_touch(key, deadline, now);
        item.map(|item| item.map(|item| (input.push(&item.value), item.meta, item.cas)))
    } else {
        // Every answer of the binary protocol tells the version.
        let with_cas = pending.with_cas || rules.protocol == Protocol::Binary;
        let options = if with_cas { ReadOptions::new().with_cas() } else { ReadOptions::new() };
        let (value, found) = input.append(|out| arena.read_into(key, options, now, out));
        found.map(|found| found.map(|found| (value, found.meta, found.cas)))
    };
    match found {
        Ok(Some((value, meta, cas))) => {
            let record = batch.finish(number, Code::Success);
            (record.meta, record.cas, record.value) = (meta, cas, value);
        }
        Ok(None) => batch.miss(number),
        Err(error) => keep(input, batch, number, &refused(&error)?),
    }
    Ok(())
}

/// Executes a request that is no get and keeps its answer.
pub(crate) fn execute(
    arena: &Arena,
    rules: &Rules,
    input: &mut Input,
    batch: &mut Batch,
    number: u32,
    request: &Request<'_>,
) -> Result<(), Fault> {
    let now = Time::now();
    let key = request.key;
    let is_binary = rules.protocol == Protocol::Binary;
    let deadline = Deadline::of_exptime(rules.exptime(request.exptime), now);
    let done = match request.operation {
        Operation::Delete if request.number != 0 => arena.delete_version(key, request.number, now).map(|deleted| {
            Done::code(match deleted {
                Stored::Stored { .. } => Code::Success,
                Stored::Exists => Code::DataExists,
                Stored::Missing => Code::NotFound,
            })
        }),
        Operation::Delete => arena.delete(key, now).map(Done::found),
        Operation::Touch => arena.touch(key, deadline, now).map(Done::found),
        Operation::Increment | Operation::Decrement => {
            let delta = if request.operation == Operation::Increment { Delta::Increment } else { Delta::Decrement };
            // In the binary protocol this exptime says that nothing is to be created.
            let creates = !is_binary || request.exptime as u32 != u32::MAX;
            let initial = request.initial.filter(|_| creates).map(|initial| (initial, deadline));
            arena.count(key, delta(request.number), initial, now).map(|counted| match counted {
                Counted::Value(number) => Done { number, ..Done::code(Code::Success) },
                Counted::Missing => Done::code(Code::NotFound),
                Counted::NotNumber => {
                    Done { value: not_number(rules.protocol).to_vec(), ..Done::code(Code::ClientError) }
                }
            })
        }
        Operation::Flush => match request.exptime {
            0 => arena.flush().map(|()| Done::code(Code::Success)),
            _ => arena.flush_at(deadline.time().unwrap_or(now)).map(|()| Done::code(Code::Success)),
        },
        Operation::Version => Ok(Done { value: VERSION.as_bytes().to_vec(), ..Done::code(Code::Success) }),
        Operation::Keys => return keys(arena, input, batch, number, now),
        Operation::Stats if key.is_empty() => return stats(arena, input, batch, number),
        Operation::Stats => Ok(Done::code(Code::NotSupported)),
        operation => store(arena, rules, request, operation, deadline, now),
    };
    keep(input, batch, number, &done.or_else(|error| refused(&error))?);
    Ok(())
}

fn keep(input: &mut Input, batch: &mut Batch, number: u32, done: &Done) {
    if !batch.pending[number as usize].is_quiet {
        let value = input.push(&done.value);
        let record = batch.finish(number, done.code);
        (record.number, record.value, record.cas) = (done.number, value, done.cas);
    }
}

/// What memcached says of a count on text.
fn not_number(protocol: Protocol) -> &'static [u8] {
    match protocol {
        Protocol::Binary => b"Non-numeric server-side value for incr or decr",
        Protocol::Text | Protocol::Meta => b"cannot increment or decrement non-numeric value",
    }
}

fn store(
    arena: &Arena,
    rules: &Rules,
    request: &Request<'_>,
    operation: Operation,
    deadline: Deadline,
    now: Time,
) -> Result<Done, Error> {
    let mode = match operation {
        Operation::Add => Mode::Add,
        Operation::Replace => Mode::Replace,
        Operation::Append => Mode::Append,
        Operation::Prepend => Mode::Prepend,
        // In the binary protocol no version is a version that is not compared.
        Operation::Cas if request.number == 0 && rules.protocol == Protocol::Binary => Mode::Set,
        Operation::Cas => Mode::Cas(request.number),
        _ => Mode::Set,
    };
    // A number that is kept as one counts in place.
    let is_integer = request.meta.encoding == Encoding::INTEGER;
    let number = is_integer.then(|| std::str::from_utf8(request.value).ok()?.parse().ok()).flatten();
    let value = number.map_or(Value::Bytes(request.value), Value::Integer);
    let terms = Terms::new(mode).value_max(rules.value_max).want_cas(request.with_cas);
    let stored = arena.store_if(request.key, value, request.meta, deadline, &terms, now)?;
    let cas = if let Stored::Stored { cas } = stored { cas } else { 0 };
    let code = match (stored, operation) {
        (Stored::Stored { .. }, _) => Code::Success,
        (Stored::Exists, Operation::Cas) => Code::DataExists,
        (Stored::Missing, Operation::Cas) => Code::NotFound,
        (Stored::Exists | Stored::Missing, _) => Code::NotStored,
    };
    Ok(Done { cas, ..Done::code(code) })
}

fn keys(arena: &Arena, input: &mut Input, batch: &mut Batch, number: u32, now: Time) -> Result<(), Fault> {
    let mut names = Vec::new();
    let mut cursor = Cursor::default();
    while arena
        .scan(&mut cursor, now, &mut |key, _| names.push(key.to_vec()))
        .map_err(|_| Fault::new(Code::ConnectionFailure))?
    {}
    for name in names {
        batch.record(number, Code::Stat).name = input.push(&name);
    }
    batch.finish(number, Code::End);
    Ok(())
}

/// Statistics of the arena under memcached's names; those that only a server has are left out.
fn stats(arena: &Arena, input: &mut Input, batch: &mut Batch, number: u32) -> Result<(), Fault> {
    let stats = arena.stats();
    let now = Time::now();
    let rows = [
        ("pid", u64::from(std::process::id())),
        ("uptime", now.to_unix().saturating_sub(stats.created_unix).max(0) as u64),
        ("time", now.to_unix().max(0) as u64),
        ("pointer_size", u64::from(usize::BITS)),
        ("cmd_get", stats.hits + stats.misses),
        ("cmd_set", stats.sets),
        ("cmd_flush", stats.flushes),
        ("get_hits", stats.hits),
        ("get_misses", stats.misses),
        ("delete_hits", stats.deletes),
        ("touch_hits", stats.touches),
        ("limit_maxbytes", stats.memory_limit),
        ("bytes", stats.item_bytes),
        ("curr_items", stats.items),
        ("total_items", stats.sets),
        ("evictions", stats.evicted),
        ("reclaimed", stats.expired),
    ];
    let texts = rows.iter().map(|(name, value)| (*name, value.to_string()));
    for (name, value) in [("version", VERSION.to_owned())].into_iter().chain(texts) {
        let name = input.push(name.as_bytes());
        let value = input.push(value.as_bytes());
        let record = batch.record(number, Code::Stat);
        (record.name, record.value) = (name, value);
    }
    batch.finish(number, Code::End);
    Ok(())
}

/// What the arena answers instead, or why it cannot be asked.
fn refused(error: &Error) -> Result<Done, Fault> {
    let code = code_of(error).map_err(Fault::new)?;
    Ok(Done { value: error.to_string().into_bytes(), ..Done::code(code) })
}

/// How a request ends that an arena has refused. `Err`: the arena cannot be asked now, as a server that cannot be
/// reached or that does not answer in time. A server that has this arena open may still be able to.
#[cold]
pub fn code_of(error: &Error) -> Result<Code, Code> {
    match error {
        Error::Lost | Error::FileRefused(_) => Err(Code::ConnectionFailure),
        Error::Busy => Err(Code::Timeout),
        Error::ValueTooLarge { .. } => Ok(Code::TooBig),
        Error::KeyTooLong { .. } => Ok(Code::BadKey),
        Error::NoMemory => Ok(Code::ServerMemoryAllocationFailure),
        _ => Ok(Code::ServerError),
    }
}

struct Done {
    code: Code,
    value: Vec<u8>,
    number: u64,
    cas: u64,
}

impl Done {
    fn code(code: Code) -> Done {
        Done { code, value: Vec::new(), number: 0, cas: 0 }
    }

    fn found(is_there: bool) -> Done {
        Done::code(if is_there { Code::Success } else { Code::NotFound })
    }
}

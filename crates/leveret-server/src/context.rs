//! Everything that a request is executed with: the arena, the clock, the output, and the state to undo before a retry.
use crate::counters::latency::EACH;
use crate::counters::prefixes::Prefix;
use crate::counters::requests::{Count, Counters};
use crate::next::Next;
use crate::redis::gate::GateTurn;
use crate::watch::Kinds;
use crate::{Shared, Worker};
use leveret_engine::{Arena, Error, Found, Incoming, Outgoing, ReadOptions, Time, AHEAD};
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// How much output is collected before it must be sent.
const OUTPUT_FULL: usize = 1 << 20;

/// From this length on a value is not copied into the output: the kernel takes it out of the arena.
const SENT_DIRECTLY: u64 = 64 << 10;

/// More counts than any request, or any key of one, makes.
const COUNTED_MAX: usize = 6;

/// `-vv`.
const REQUESTS: u32 = 2;

/// No item has it: neither a place in the arena nor a count of stores comes that far.
const NOBODYS: u64 = u64::MAX;

/// Working state of one call of `Session::take`.
pub(crate) struct Context<'t> {
    pub worker: &'t Worker,
    pub shared: &'t Shared,
    pub arena: &'t Arena,
    counters: &'t Counters,
    /// The clock, read once.
    pub now: Time,
    pub output: &'t mut Vec<u8>,
    /// Whether there is a stream that can take a value from the arena.
    pub is_stream: bool,
    /// Comes after all answers so far.
    pub tail: Tail,
    /// The value of this store, which lies in the arena already.
    pub incoming: Option<Incoming>,
    /// The connection's number, which watchers are told.
    pub cfd: i32,
    /// Kinds of events that watchers ask for in this run.
    pub watched: Kinds,
    /// The present request has taken as long as many others do: other connections have their turns before the next one.
    pub ends_turn: bool,
    /// A request that meets a held part of the cache may be tried again, so that nothing waits for it.
    pub may_retry: bool,
    /// The present request is a retry: its command is counted, and watchers were told.
    pub is_again: Cell<bool>,
    /// The present request has met one.
    has_met_busy: Cell<bool>,
    /// What the present request has counted, to take it back if it is tried again.
    counted: [Cell<Count>; COUNTED_MAX],
    counted_len: Cell<usize>,
    /// The turn at the gate of `--redis`, which ends with this.
    pub turn: Option<GateTurn<'t>>,
    /// Of how many events watchers were told, and when the clock was last asked for one.
    pub told: Cell<(u32, u64)>,
}

/// What follows the output.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// A large value, which is sent from where it lies in the arena.
    pub value: Option<Outgoing>,
    /// Bytes after that value. The client must not get them before the value is known to be complete: without them the
    /// client cannot take the bytes for an answer.
    pub end: Vec<u8>,
}

impl<'t> Context<'t> {
    pub fn new(worker: &'t Worker, output: &'t mut Vec<u8>) -> Context<'t> {
        let shared = &*worker.shared;
        Context {
            worker,
            shared,
            arena: worker.arena(),
            counters: shared.counters(worker.index),
            now: Time::now(),
            output,
            is_stream: false,
            tail: Tail::default(),
            incoming: None,
            cfd: 0,
            watched: shared.watch.wanted(),
            ends_turn: false,
            may_retry: false,
            is_again: Cell::new(false),
            has_met_busy: Cell::new(false),
            counted: [const { Cell::new(Count::CmdTouch) }; COUNTED_MAX],
            counted_len: Cell::new(0),
            turn: shared.redis().map(|redis| redis.gate.enter(worker.index)),
            told: Cell::default(),
        }
    }

    #[inline]
    pub fn count(&self, counter: Count) {
        self.counters.add(counter, 1);
        if self.may_retry {
            let len = self.counted_len.get();
            if let Some(place) = self.counted.get(len) {
                place.set(counter);
                self.counted_len.set(len + 1);
            }
        }
    }

    /// Counts the failure of an operation, if it has a counter. A request that met a held lock is retried.
    #[cold]
    pub fn note_failure(&self, error: &Error) {
        match error {
            Error::ValueTooLarge { .. } => self.count(Count::StoreTooLarge),
            Error::NoMemory => self.count(Count::StoreNoMemory),
            Error::Busy => self.has_met_busy.set(self.may_retry),
            _ => {}
        }
    }

    /// Counts a request by prefix. A retry was counted before.
    #[inline]
    pub fn note_prefix(&self, key: &[u8], change: impl FnOnce(&mut Prefix)) {
        if self.shared.prefixes.is_on.load(Relaxed) && !self.is_again.get() {
            self.shared.prefixes.note(key, change);
        }
    }

    /// Notes there that a get has found an item: when nothing can make it try again.
    #[inline]
    pub fn note_prefix_hit(&self, key: &[u8]) {
        if self.shared.prefixes.is_on.load(Relaxed) {
            self.shared.prefixes.note(key, |prefix| prefix.hits += 1);
        }
    }

    /// How an item is looked for. The first try has counted a hit or miss and marked the item as read.
    #[inline]
    pub fn read_options(&self) -> ReadOptions {
        if self.is_again.get() {
            ReadOptions::new().untraced()
        } else {
            ReadOptions::new()
        }
    }

    /// Whether requests and answers are told in the log.
    #[inline]
    pub fn is_verbose(&self) -> bool {
        self.shared.verbosity() >= REQUESTS
    }

    /// Whether the next request is to be timed.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.worker.is_each(EACH)
    }

    /// A request begins, or the next key of one.
    #[inline]
    pub fn begin_request(&self) {
        self.counted_len.set(0);
    }

    pub fn has_met_busy(&self) -> bool {
        self.has_met_busy.get()
    }

    /// Whether the request must be retried. Undoes its counts.
    #[inline]
    pub fn takes_back(&self) -> bool {
        if !self.has_met_busy.get() {
            return false;
        }
        self.has_met_busy.set(false);
        let counted = &self.counted[..self.counted_len.get()];
        counted.iter().for_each(|counter| self.counters.take_back(counter.get()));
        self.counted_len.set(0);
        true
    }

    /// A line that is the same each time.
    pub fn say(&mut self, line: &str) {
        self.output.extend_from_slice(line.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    /// A line, unless the request said `noreply`.
    pub fn reply(&mut self, noreply: bool, line: &str) {
        if !noreply {
            self.say(line);
        }
    }

    /// Has a large value sent from where it lies, with `behind` behind it; where nothing stands there, its last byte is
    /// kept back instead. False: it must be copied into the output.
    #[inline]
    pub fn send_value(&mut self, found: &Found, behind: &[u8]) -> bool {
        found.value_len >= SENT_DIRECTLY && self.is_stream && self.send_large(found, behind)
    }

    #[cold]
    fn send_large(&mut self, found: &Found, behind: &[u8]) -> bool {
        self.tail.value = self.arena.outgoing(found);
        let Some(value) = &mut self.tail.value else { return false };
        if behind.is_empty() {
            value.split_last(&mut self.tail.end);
        } else {
            self.tail.end.extend_from_slice(behind);
        }
        true
    }

    /// Copies a value into the output, with `behind` behind it. False: it was recycled meanwhile, and the output is as it
    /// was.
    #[inline]
    pub fn append_value(&mut self, found: &Found, behind: &[u8]) -> bool {
        let is_whole = self.arena.append_value(found, self.output);
        if is_whole {
            self.output.extend_from_slice(behind);
        }
        is_whole
    }

    /// Undoes an answer that began at `begin`.
    #[cold]
    pub fn unsay(&mut self, begin: usize) {
        self.output.truncate(begin);
        self.tail = Tail::default();
    }

    /// What `take` returns when others should have their turn.
    pub fn yield_to_others(&self) -> Next {
        self.worker.traffic.count_yield();
        Next::Yield
    }

    pub fn is_full(&self) -> bool {
        self.output.len() >= OUTPUT_FULL
    }

    /// Asks for the memory of up to `most` of the keys. Returns how many it were; 0 for a single one, which has no other
    /// to wait together with.
    pub fn ask_ahead<'a>(&self, ahead: impl Iterator<Item = &'a [u8]>, most: usize) -> usize {
        let mut keys = [&b""[..]; AHEAD];
        let found = keys.iter_mut().zip(ahead.take(most)).map(|(place, key)| *place = key).count();
        if found > 1 {
            self.arena.ask_for(keys[..found].iter().copied(), &mut [0; AHEAD])
        } else {
            0
        }
    }
}

/// `-C`: each item shows the cas 0, and no token matches the present version.
impl Context<'_> {
    /// These options, and the item's cas.
    #[inline]
    pub fn with_cas(&self, options: ReadOptions) -> ReadOptions {
        if self.shared.settings.cas {
            options.with_cas()
        } else {
            options
        }
    }

    /// The cas shown to a client.
    pub fn shown_cas(&self, cas: u64) -> u64 {
        if self.shared.settings.cas {
            cas
        } else {
            0
        }
    }

    /// The value to compare a client's token with.
    pub fn compared(&self, token: Option<u64>) -> Option<u64> {
        token.map(|token| if self.shared.settings.cas { token } else { NOBODYS })
    }

    /// The cas that a client chooses for its item.
    pub fn chosen_cas(&self, cas: Option<u64>) -> Option<u64> {
        cas.filter(|_| self.shared.settings.cas)
    }
}

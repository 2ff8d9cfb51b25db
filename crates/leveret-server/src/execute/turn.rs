//! What a request is executed with, and what all families of commands say in the same way.
use super::Next;
use crate::stats::{Count, Counters};
use crate::watch::Kinds;
use crate::{Desk, Shared};
use leveret_engine::{Arena, Found, Incoming, Outgoing, Time, AHEAD};
use leveret_protocol::ahead;
use std::cell::Cell;

/// How much output is collected before it must be sent.
const OUTPUT_FULL: usize = 1 << 20;

/// From this length on a value is not copied into the output: the kernel takes it out of the arena.
const SENT_DIRECTLY: u64 = 64 << 10;

/// More counts than any request, or any key of one, makes.
const COUNTED_MAX: usize = 6;

/// What one call of `take` works with.
pub(super) struct Turn<'t> {
    pub desk: &'t Desk,
    pub shared: &'t Shared,
    pub arena: &'t Arena,
    counters: &'t Counters,
    /// The clock, read once.
    pub now: Time,
    pub output: &'t mut Vec<u8>,
    /// Whether there is a stream that can take a value from the arena.
    pub is_stream: bool,
    /// What ends that which is answered so far.
    pub tail: Tail,
    /// The value of this store, which lies in the arena already.
    pub incoming: Option<Incoming>,
    /// The connection's number, which watchers are told.
    pub cfd: i32,
    /// What anybody wants to be told of this turn.
    pub watched: Kinds,
    /// A request that meets a held part of the cache may be tried again, so that nothing waits for it.
    pub may_retry: bool,
    /// The present request is tried again: watchers were told what it looks up.
    pub is_again: Cell<bool>,
    /// The present request has met one.
    has_met_busy: Cell<bool>,
    /// What the present request has counted, to take it back if it is tried again.
    counted: Cell<([Option<Count>; COUNTED_MAX], usize)>,
    /// Of how many events they were told, and when the clock was last asked for one.
    pub told: Cell<(u32, u64)>,
}

/// What follows the output.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// A large value, which is sent from where it lies in the arena.
    pub value: Option<Outgoing>,
    /// What stands behind that value. The client must not have it before the value is known to be whole: without it
    /// the client cannot take what it has for an answer.
    pub end: Vec<u8>,
}

impl<'t> Turn<'t> {
    pub fn new(desk: &'t Desk, output: &'t mut Vec<u8>, is_stream: bool) -> Turn<'t> {
        let shared = &*desk.shared;
        Turn {
            desk,
            shared,
            arena: desk.arena(),
            counters: shared.counters(desk.worker),
            now: Time::now(),
            output,
            is_stream,
            tail: Tail::default(),
            incoming: None,
            cfd: 0,
            watched: shared.watch.wanted(),
            may_retry: false,
            is_again: Cell::new(false),
            has_met_busy: Cell::new(false),
            counted: Cell::default(),
            told: Cell::default(),
        }
    }

    pub fn count(&self, counter: Count) {
        self.counters.add(counter, 1);
        if self.may_retry {
            let (mut counted, len) = self.counted.get();
            if let Some(place) = counted.get_mut(len) {
                *place = Some(counter);
                self.counted.set((counted, len + 1));
            }
        }
    }

    /// A request begins, or the next key of one.
    #[inline]
    pub fn begin_request(&self) {
        self.counted.set(([None; COUNTED_MAX], 0));
    }

    /// The request has met a part of the cache that another process holds.
    pub fn meet_busy(&self) {
        self.has_met_busy.set(self.may_retry);
    }

    pub fn has_met_busy(&self) -> bool {
        self.has_met_busy.get()
    }

    /// Whether the request must be tried again. What it has counted is taken back.
    pub fn takes_back(&self) -> bool {
        if !self.has_met_busy.get() {
            return false;
        }
        self.has_met_busy.set(false);
        let (counted, _) = self.counted.take();
        counted.into_iter().flatten().for_each(|counter| self.counters.take_back(counter));
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

    /// Has a large value sent from where it lies, with the line end behind it; in the binary protocol nothing stands
    /// there, so its last byte is kept back. False: it must be copied into the output.
    #[inline]
    pub fn send_value(&mut self, found: &Found, is_binary: bool) -> bool {
        if found.value_len < SENT_DIRECTLY || !self.is_stream {
            return false;
        }
        self.tail.value = self.arena.outgoing(found);
        let Some(value) = &mut self.tail.value else { return false };
        if is_binary {
            value.split_last(&mut self.tail.end);
        } else {
            self.tail.end.extend_from_slice(b"\r\n");
        }
        true
    }

    /// What `take` returns when others should have their turn.
    pub fn yield_to_others(&self) -> Next {
        self.shared.network.worker(self.desk.worker).count_yield();
        Next::Yield
    }

    pub fn is_full(&self) -> bool {
        self.output.len() >= OUTPUT_FULL
    }

    /// Asks for the memory of the gets at the front of `rest`, up to `most` of them. Returns how many it were; 0 for a
    /// single one, which has no other to wait together with.
    pub fn ask_ahead(&self, rest: &[u8], most: usize) -> usize {
        let mut keys = [&b""[..]; AHEAD];
        let found = keys.iter_mut().zip(ahead::keys(rest).take(most)).map(|(place, key)| *place = key).count();
        if found > 1 {
            self.arena.ask_for(keys[..found].iter().copied(), &mut [0; AHEAD])
        } else {
            0
        }
    }
}

//! One client's connection: from readable bytes over `Session::take` to sent answers.
//!
//! In the usual case a turn is one recv into a buffer that all connections of a worker share, `take`, and one send out
//! of a buffer that they share too: a connection that waits for its client owns no buffer at all. It owns one only for
//! - the front of a request whose rest has not come (`rest`),
//! - answers that the client does not fetch (`unsent`): until they are gone nothing more is read from it.
use super::buffers::{Buffers, Out, Spares, INPUT_LEN, SHARED_REST_MAX};
use super::stream::{ReceivedBytes, Stream};
use crate::counters::traffic::{ConnectionState, WorkerCounters};
use crate::next::Next;
use crate::redis::clients::Client;
use crate::session::Session;
use crate::Worker;
use leveret_engine::Outgoing;
use leveret_tls::wipe;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::net::{recv, RecvFlags};
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// Bytes received first from a client whose last request was a large store, since the next one often is, too. They
/// contain the bytes before its value, and the rest goes straight into the arena without a copy in the input.
const FRONT_LEN: usize = 4 << 10;

/// Room for a long line, whose length is not known yet: for the longest. If connections asked for a little more each
/// time, all could hold a part and wait for the rest. Pages that are not written to cost nothing.
const LINE_ROOM: usize = 4 << 20;

/// Further bytes to receive before a longer line is refused.
const OWN_STEP: usize = 16 << 10;

/// With less input left than this, a connection that has had its turn goes on nevertheless: to send, to keep the rest
/// and to come back would cost the others more than the few short requests that are left.
const YIELD_WORTH: usize = 4 << 10;

/// Consecutive turns of a connection while no other one is known to wait: finding out takes a system call.
const TURNS_ALONE: u32 = 16;

/// Bytes sent in one turn of a connection. Sending them takes far longer than a system call that finds waiting
/// connections, so a connection that is alone stops here too.
const TURN_BYTES: u64 = 1 << 20;

/// The worker's tools for a turn of a connection.
pub struct Workbench<'w> {
    /// What requests are executed with.
    pub worker: &'w Worker,
    /// The worker's counters.
    pub counters: &'w WorkerCounters,
    /// Its buffers.
    pub buffers: &'w mut Buffers,
    /// Other connections wait for their turn.
    pub others_wait: bool,
    /// Its buffers may grow, as far as there is room for that.
    pub may_grow: bool,
    /// Much of the budget for clients is held: requests are read in small pieces.
    pub is_tight: bool,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// All that came is answered: wait until the socket is readable.
    Idle,
    /// There is more to do without waiting: another turn, after the others had theirs.
    Again,
    /// Its next request meets a part of the cache that another process holds: another turn in a moment.
    Later,
    /// It needs a buffer for which there is no room: nothing is read from it before there is.
    Parked,
    /// The client does not fetch its answers: wait until the socket is writable.
    Blocked,
    /// It is over.
    Closed,
    /// Ended by the client: it disconnected, or sent an invalid request.
    Failed,
    /// It is over, and so is the server.
    Stop {
        /// As by SIGUSR1.
        graceful: bool,
    },
}

/// A client's connection.
pub struct Connection {
    stream: Stream,
    session: Session,
    rest: Vec<u8>,
    /// Length that `rest` must reach before `take` can do anything with it.
    wanted: usize,
    unsent: Vec<u8>,
    /// Bytes of `unsent` that were sent.
    sent: usize,
    /// The rest of a large value, behind `unsent`: for the next turn.
    value: Option<Outgoing>,
    /// `take` can go on with `rest` as it is, even if it is empty.
    has_more: bool,
    /// The last bytes received belonged to a value that goes into the arena.
    was_large: bool,
    /// The client will send nothing more. No further event will tell, so the end must be read now.
    is_half_closed: bool,
    /// Ends once `unsent` is sent.
    is_closing: bool,
    /// Waits for the socket to be writable.
    pub is_blocked: bool,
    /// Is in the worker's queue of connections that have more to do.
    pub is_queued: bool,
    /// How often on end it was to have a turn in a moment, and whether that moment is still to come.
    pub busy: (u32, bool),
    /// Since when it waits for memory, in seconds since the server's start.
    pub parked_secs: Option<u32>,
    /// Since when it holds memory, or zero: a connection that makes progress restarts this time.
    pub held_since_secs: u32,
    /// A request has ended, or all answers were read, since that was last asked.
    has_got_on: bool,
    /// When it came, in seconds since the server's start.
    pub since_secs: u32,
    /// When something last came, in seconds since the server's start.
    pub last_active_secs: u32,
    /// Its place in `stats conns`.
    pub info: usize,
    /// Its state, as shown there.
    pub shown: ConnectionState,
}

/// How the conversation over one input went.
enum InputEnd {
    /// The input is consumed, except the front of a request of `total` bytes.
    Read { total: usize },
    /// `take` can go on.
    More,
    /// It can go on in a moment.
    Later,
    /// The conversation is over.
    Over(TurnEnd),
}

/// What became of bytes to send.
#[derive(PartialEq, Eq)]
enum Sent {
    All,
    /// The rest is in `unsent`, and the socket takes no more now.
    Part,
    /// The rest is in `unsent`, and others should have their turn.
    Enough,
    /// The client is gone.
    Broken,
}

impl Connection {
    /// A connection that was just accepted.
    pub fn new(stream: Stream, session: Session, now_secs: u32) -> Connection {
        Connection {
            session: session.of(stream.socket().as_raw_fd()),
            stream,
            rest: Vec::new(),
            wanted: 1,
            unsent: Vec::new(),
            sent: 0,
            value: None,
            has_more: false,
            was_large: false,
            is_half_closed: false,
            is_closing: false,
            is_blocked: false,
            is_queued: false,
            busy: (0, false),
            parked_secs: None,
            held_since_secs: now_secs,
            has_got_on: false,
            since_secs: now_secs,
            last_active_secs: now_secs,
            info: usize::MAX,
            shown: ConnectionState::New,
        }
    }

    /// Its socket.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.stream.socket()
    }

    /// Its bytes.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The client of Redis that it is, if it is one.
    pub fn client(&self) -> Option<&Arc<Client>> {
        self.session.client()
    }

    /// The client will send nothing more.
    pub fn half_close(&mut self) {
        self.is_half_closed = true;
    }

    /// Does what can be done without waiting.
    pub fn turn(&mut self, bench: &mut Workbench<'_>) -> TurnEnd {
        match self.send_unsent(&mut bench.buffers.out.spares, bench.counters) {
            Sent::All if self.is_closing => return self.over(),
            Sent::All => {}
            Sent::Part => return TurnEnd::Blocked,
            Sent::Enough => return TurnEnd::Again,
            Sent::Broken => return TurnEnd::Failed,
        }
        if self.is_watching() {
            return self.turn_of_watcher(bench);
        }
        let is_own = self.rest.len().max(self.wanted) > SHARED_REST_MAX;
        let answered = if is_own { self.answer_from_own(bench) } else { self.answer_from_shared(bench) };
        let (said, is_drained) = match answered {
            Ok(answered) => answered,
            Err(outcome) => return outcome,
        };
        self.has_more = matches!(said, InputEnd::More | InputEnd::Later);
        self.wanted = match said {
            InputEnd::Read { total } => total.max(self.rest.len() + 1),
            _ => 1,
        };
        // What did not go out in the middle of the answers stays the first to go.
        let out = &mut bench.buffers.out;
        let sent = match self.unsent.is_empty() {
            _ if self.value.is_some() => Sent::Enough,
            true => self.send(out, bench.counters),
            false => self.send_unsent(&mut out.spares, bench.counters),
        };
        match (sent, said) {
            (_, InputEnd::Over(stop @ TurnEnd::Stop { .. })) => stop,
            (Sent::Broken, _) => TurnEnd::Failed,
            (sent @ (Sent::Part | Sent::Enough), said) => {
                self.is_closing = matches!(said, InputEnd::Over(_));
                if sent == Sent::Part {
                    TurnEnd::Blocked
                } else {
                    TurnEnd::Again
                }
            }
            (Sent::All, InputEnd::Over(outcome)) => outcome,
            (Sent::All, InputEnd::Later) => TurnEnd::Later,
            (Sent::All, InputEnd::Read { .. }) if is_drained => TurnEnd::Idle,
            (Sent::All, _) => TurnEnd::Again,
        }
    }

    /// Memory that it holds: the front of a request, answers that its client has not read, and what of TLS waits.
    pub fn kept_bytes(&self) -> u64 {
        let buffers = self.unsent.capacity() + self.rest.capacity();
        (buffers + self.stream.kept_bytes() + self.session.kept_bytes()) as u64
    }

    /// Whether it has got on since the last call.
    pub fn has_got_on(&mut self) -> bool {
        mem::take(&mut self.has_got_on)
    }

    /// The end of a connection that the client did not break off.
    fn over(&self) -> TurnEnd {
        if self.session.is_at_fault() {
            TurnEnd::Failed
        } else {
            TurnEnd::Closed
        }
    }

    /// Whether it only reports the requests of others.
    pub fn is_watching(&self) -> bool {
        self.session.watching().is_some()
    }

    /// The state after a turn.
    pub fn state(&self, is_blocked: bool) -> ConnectionState {
        if self.is_watching() {
            ConnectionState::Watch
        } else if is_blocked {
            ConnectionState::Write
        } else {
            self.session.state(self.rest.len())
        }
    }

    /// Sends a watcher what there is to tell. All that it may say is `quit`.
    fn turn_of_watcher(&mut self, bench: &mut Workbench<'_>) -> TurnEnd {
        let Buffers { input, encrypted, out } = &mut *bench.buffers;
        let is_drained = match self.stream.receive(&mut input[..FRONT_LEN], encrypted).map(|received| received.len) {
            Ok(0) => return TurnEnd::Failed,
            Ok(len) if input[..len].trim_ascii().ends_with(b"quit") => return TurnEnd::Closed,
            Ok(len) => {
                WorkerCounters::add(&bench.counters.bytes_read, len as u64);
                false
            }
            Err(Errno::AGAIN | Errno::INPROGRESS) => true,
            Err(Errno::INTR) => false,
            Err(_) => return TurnEnd::Failed,
        };
        if let Some(watching) = self.session.watching() {
            if self.stream.is_plain() {
                watching.send_to(self.stream.socket());
            }
            watching.take(&mut out.output);
        }
        match self.send(out, bench.counters) {
            Sent::All if is_drained => TurnEnd::Idle,
            Sent::All | Sent::Enough => TurnEnd::Again,
            Sent::Part => TurnEnd::Blocked,
            Sent::Broken => TurnEnd::Failed,
        }
    }

    /// Receives into the shared input, behind the rest of last time, and answers.
    fn answer_from_shared(&mut self, bench: &mut Workbench<'_>) -> Result<(InputEnd, bool), TurnEnd> {
        let Buffers { input, encrypted, out } = &mut *bench.buffers;
        let kept = self.rest.len();
        input[..kept].copy_from_slice(&self.rest);
        let (len, is_drained) = if self.has_more {
            (kept, false)
        } else if let Some(incoming) = self.session.incoming().filter(|_| self.stream.is_plain()) {
            let missing = incoming.missing();
            let result = incoming.receive(self.stream.socket(), input);
            let result = result.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO));
            let is_drained = result.is_ok_and(|(_, is_drained)| is_drained);
            let received = received(result.map(|(len, _)| len))?;
            WorkerCounters::add(&bench.counters.bytes_read, received as u64);
            self.was_large = true;
            (received.saturating_sub(missing), is_drained && !self.is_half_closed)
        } else {
            let is_front = mem::take(&mut self.was_large) || bench.is_tight;
            let end = if is_front { kept + FRONT_LEN } else { INPUT_LEN };
            let room = &mut input[kept..end];
            let (received, is_drained) = received_through(self.stream.receive(room, encrypted))?;
            WorkerCounters::add(&bench.counters.bytes_read, received as u64);
            (kept + received, is_drained && !self.is_half_closed)
        };
        let (done, said) = self.answer(&input[..len], out, bench.worker, bench.counters, bench.others_wait);
        let heard_secret = self.session.heard_secret();
        if heard_secret {
            wipe(&mut self.rest);
        }
        let left = &input[done..len];
        if left.is_empty() {
            // What waits for its client owns no buffer.
            self.rest = Vec::new();
        } else {
            self.rest.clear();
            if let InputEnd::Read { total } = said {
                // Without room for all of it only the front is kept, and the connection is parked in its next turn.
                let needed = if total > left.len() + 1 { total } else { LINE_ROOM };
                if total > SHARED_REST_MAX && needed as u64 <= bench.worker.client_room(bench.may_grow) {
                    self.rest = out.spares.take_for(needed);
                    self.rest.reserve_exact(needed);
                }
            }
            self.rest.extend_from_slice(left);
        }
        if heard_secret {
            wipe(&mut input[..len]);
        }
        Ok((said, is_drained))
    }

    /// Receives into the connection's own buffer, and answers once the request is whole.
    fn answer_from_own(&mut self, bench: &mut Workbench<'_>) -> Result<(InputEnd, bool), TurnEnd> {
        let is_drained = if self.has_more {
            false
        } else {
            let missing = self.wanted.saturating_sub(self.rest.len());
            let needed = self.rest.len() + missing;
            if needed > self.rest.capacity() {
                let capacity = if missing > 1 { needed } else { LINE_ROOM.max(needed + OWN_STEP) };
                if (capacity - self.rest.capacity()) as u64 > bench.worker.client_room(bench.may_grow) {
                    return Err(TurnEnd::Parked);
                }
                self.rest.reserve_exact(capacity - self.rest.len());
            }
            let room = self.rest.capacity() - self.rest.len();
            let (received, is_drained) = if self.stream.is_plain() {
                let received = recv(self.stream.socket(), spare_capacity(&mut self.rest), RecvFlags::empty());
                let received = received.map(|(len, _)| len);
                received_through(received.map(|len| ReceivedBytes { len, is_drained: len < room }))?
            } else {
                // Less than all of the room at a time: each byte of it is zeroed first.
                let before = self.rest.len();
                self.rest.resize(before + room.min(INPUT_LEN), 0);
                let result = self.stream.receive(&mut self.rest[before..], &mut bench.buffers.encrypted);
                self.rest.truncate(before + result.as_ref().map_or(0, |received| received.len));
                received_through(result)?
            };
            WorkerCounters::add(&bench.counters.bytes_read, received as u64);
            is_drained && !self.is_half_closed
        };
        if !self.has_more && self.rest.len() < self.wanted {
            return Err(if is_drained { TurnEnd::Idle } else { TurnEnd::Again });
        }
        let mut rest = mem::take(&mut self.rest);
        let out = &mut bench.buffers.out;
        let (done, said) = self.answer(&rest, out, bench.worker, bench.counters, bench.others_wait);
        if self.session.heard_secret() {
            wipe(&mut rest[..done]);
        }
        let total = if let InputEnd::Read { total } = said { total } else { 0 };
        if total.max(rest.len() - done) > SHARED_REST_MAX {
            rest.drain(..done);
            self.rest = rest;
        } else {
            // A little, or nothing, does not keep the large buffer from others.
            self.rest = rest[done..].to_vec();
            out.spares.give(rest);
        }
        Ok((said, is_drained))
    }

    /// Has requests executed until the input is used up, the client is slow, or others should have their turn. Returns
    /// how many bytes are done with.
    fn answer(
        &mut self,
        input: &[u8],
        out: &mut Out,
        worker: &Worker,
        counters: &WorkerCounters,
        others_wait: bool,
    ) -> (usize, InputEnd) {
        let mut done = 0;
        let mut turns = 0;
        let written_before = counters.bytes_written.load(Relaxed);
        loop {
            let (taken, next) = self.session.take(worker, &input[done..], &mut out.output);
            done += taken;
            self.has_got_on |= taken > 0 || matches!(next, Next::Send | Next::Yield);
            match next {
                Next::Read { total } => return (done, InputEnd::Read { total }),
                Next::Send => match self.send(out, counters) {
                    // `stats reset` lowers the count, which ends this turn early.
                    Sent::All if counters.bytes_written.load(Relaxed).wrapping_sub(written_before) < TURN_BYTES => {}
                    Sent::All | Sent::Part | Sent::Enough => return (done, InputEnd::More),
                    Sent::Broken => return (done, InputEnd::Over(TurnEnd::Failed)),
                },
                Next::Yield => {
                    turns += 1;
                    let is_much = self.session.is_midway() || input.len() - done > YIELD_WORTH;
                    if turns > TURNS_ALONE || others_wait && is_much {
                        return (done, InputEnd::More);
                    }
                }
                Next::Busy => return (done, InputEnd::Later),
                // Further input of a watcher is ignored.
                Next::Watch => return (input.len(), InputEnd::More),
                Next::Close => return (done, InputEnd::Over(self.over())),
                Next::Stop { graceful } => return (done, InputEnd::Over(TurnEnd::Stop { graceful })),
            }
        }
    }

    /// Sends the output, or keeps what the client does not take. Afterwards the output is empty.
    fn send(&mut self, out: &mut Out, counters: &WorkerCounters) -> Sent {
        if let Some(value) = self.session.value() {
            return self.send_value(value, out, counters);
        }
        if out.output.is_empty() {
            return if self.stream.holds_back() { Sent::Part } else { Sent::All };
        }
        let sent = match self.stream.send(&out.output) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => {
                out.output.clear();
                return Sent::Broken;
            }
        };
        WorkerCounters::add(&counters.bytes_written, sent as u64);
        let is_all = sent == out.output.len() && !self.stream.holds_back();
        if sent < out.output.len() {
            // Thousands of clients may do this, each with a little: they get exactly that. Much is handed over as it
            // is.
            if out.output.len() - sent <= SHARED_REST_MAX {
                self.unsent = out.output[sent..].to_vec();
                self.sent = 0;
            } else {
                self.unsent = mem::replace(&mut out.output, out.spares.take());
                self.sent = sent;
            }
        }
        out.output.clear();
        if out.output.capacity() > Spares::LEN_MAX {
            out.output = Vec::with_capacity(INPUT_LEN);
        }
        if is_all {
            Sent::All
        } else {
            Sent::Part
        }
    }

    /// Sends the output and the front of a value behind it, from where that lies in the arena. Afterwards the output is
    /// empty.
    fn send_value(&mut self, value: Outgoing, out: &mut Out, counters: &WorkerCounters) -> Sent {
        let mut unsent = out.spares.take();
        if !self.stream.is_plain() {
            unsent.append(&mut out.output);
            (self.unsent, self.sent, self.value) = (unsent, 0, Some(value));
            return self.send_unsent(&mut out.spares, counters);
        }
        let sent = value.send(&out.output, self.stream.socket(), &mut unsent, TURN_BYTES as usize);
        out.output.clear();
        // Torn: the value was recycled while it was sent. The client has no end of it, and hears no more.
        let Ok((sent, rest)) = sent else { return Sent::Broken };
        WorkerCounters::add(&counters.bytes_written, sent as u64);
        self.value = rest;
        let is_sent = unsent.is_empty();
        if is_sent {
            out.spares.give(unsent);
        } else {
            (self.unsent, self.sent) = (unsent, 0);
        }
        match self.value {
            Some(_) => Sent::Enough,
            None if is_sent => Sent::All,
            None => Sent::Part,
        }
    }

    /// Sends some more of a value. A client that does not read it, and TLS, get it from `unsent`. False: it is torn, or the
    /// client is gone.
    fn go_on_with(&mut self, value: Outgoing, counters: &WorkerCounters) -> bool {
        let step = match self.unsent.is_empty() && self.stream.is_plain() {
            true => value.send(&[], self.stream.socket(), &mut self.unsent, TURN_BYTES as usize),
            false => value.append_to(&mut self.unsent, TURN_BYTES as usize).map(|rest| (0, rest)),
        };
        let Ok((sent, rest)) = step else { return false };
        self.has_got_on |= sent > 0;
        WorkerCounters::add(&counters.bytes_written, sent as u64);
        self.value = rest;
        true
    }

    /// Sends what got stuck.
    fn send_unsent(&mut self, spares: &mut Spares, counters: &WorkerCounters) -> Sent {
        if let Some(value) = self.value.take() {
            if !self.go_on_with(value, counters) {
                return Sent::Broken;
            }
            if self.value.is_some() {
                return Sent::Enough;
            }
        }
        let end = self.unsent.len().min(self.sent.saturating_add(TURN_BYTES as usize));
        while self.sent < end {
            match self.stream.send(&self.unsent[self.sent..end]) {
                Ok(sent) => {
                    self.sent += sent;
                    WorkerCounters::add(&counters.bytes_written, sent as u64);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Sent::Part,
                Err(_) => return Sent::Broken,
            }
        }
        if end < self.unsent.len() {
            return Sent::Enough;
        }
        if !self.unsent.is_empty() {
            self.sent = 0;
            self.has_got_on = true;
            spares.give(mem::take(&mut self.unsent));
        }
        match self.stream.flush() {
            Ok(()) => Sent::All,
            Err(Errno::AGAIN) => Sent::Part,
            Err(_) => Sent::Broken,
        }
    }
}

fn received_through(result: Result<ReceivedBytes, Errno>) -> Result<(usize, bool), TurnEnd> {
    let is_drained = result.as_ref().is_ok_and(|received| received.is_drained);
    Ok((received(result.map(|received| received.len))?, is_drained))
}

fn received(result: Result<usize, Errno>) -> Result<usize, TurnEnd> {
    match result {
        Ok(0) => Err(TurnEnd::Closed),
        Ok(len) => Ok(len),
        Err(Errno::AGAIN) => Err(TurnEnd::Idle),
        Err(Errno::INTR) => Err(TurnEnd::Again),
        // An answer of TLS itself is stuck.
        Err(Errno::INPROGRESS) => Err(TurnEnd::Blocked),
        Err(_) => Err(TurnEnd::Failed),
    }
}

#[cfg(test)]
mod tests;

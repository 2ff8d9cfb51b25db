//! The load generator: one thread, one epoll loop, every answer compared with the right one.
//!
//! Closed loop: each connection sends its next request when its answers are complete, so the server is saturated. Open
//! loop: requests are due at fixed times, independent of the server, and latency counts from the time when a request
//! was due, not from when it could be sent: a server that stops for 10 ms pays for all requests in that time (no
//! coordinated omission).

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rustix::event::{epoll, Timespec};

use crate::failure::{check_stop, LoadFailure};
use crate::random::Random;
use crate::script::{Pad, Script};
use crate::socket::{Endpoint, Socket};
use crate::workload::{Task, Workload, REFUSED, STORED};

/// Half of a second-level cache: large answers are compared while they are near.
const BUFFER_LEN: usize = 256 * 1024;
const EVENTS_MAX: usize = 256;

/// Time-out without any answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Datagrams without an answer are sent again after this time.
const RESEND_AFTER: Duration = Duration::from_millis(500);

/// Length of the header before each UDP datagram: request id, sequence number, number of datagrams, zero; each u16, big
/// endian.
const FRAME_LEN: usize = 8;

/// When a closed loop ends.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this many requests.
    Asked(u64),
    /// After this time.
    Elapsed(Duration),
}

/// Result of a measurement.
pub struct Measured {
    /// All of them right.
    pub answers: u64,
    /// From the first request to the last answer.
    pub wall: Duration,
    /// Nanoseconds from when a request was due (closed loop: sent) to its complete answer.
    pub latency: Histogram<u64>,
    /// Open loop: nanoseconds from when a request was due to when this program sent it, which is its own share of the
    /// latency.
    pub lateness: Histogram<u64>,
    /// Datagrams that had to be sent again.
    pub lost: u64,
    /// Keys that the server had no room for.
    pub refused: Vec<u32>,
}

/// Connections to one server.
pub struct Load {
    epoll: OwnedFd,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    pad: Rc<Pad>,
    start: Instant,
}

struct Connection {
    socket: Socket,
    sending: Script,
    expected: Script,
    /// Requests under way: where in the stream of answers theirs ends, and when they were due.
    due: VecDeque<Due>,
    asked_bytes: u64,
    received_bytes: u64,
    /// The beginning of an answer that may be a refusal.
    line: Vec<u8>,
    /// UDP: the datagram under way, to be sent again if it is lost.
    datagram: Vec<u8>,
    request_id: u16,
}

struct Due {
    answer_ends: u64,
    at_ns: u64,
    key: u32,
    may_be_refused: bool,
}

impl Load {
    /// Opens connections. Expected values come from `pad`.
    pub fn connect(endpoint: &Endpoint, connections: usize, pad: &Rc<Pad>) -> Result<Load, LoadFailure> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut load = Load {
            epoll,
            connections: Vec::new(),
            buffer: vec![0; BUFFER_LEN],
            pad: Rc::clone(pad),
            start: Instant::now(),
        };
        for _ in 0..connections {
            check_stop()?;
            let socket = endpoint
                .connect()
                .map_err(|error| LoadFailure::Trouble(format!("cannot connect to {endpoint}: {error}")))?;
            load.add(socket)?;
        }
        Ok(load)
    }

    fn add(&mut self, socket: Socket) -> Result<(), LoadFailure> {
        // Edge-triggered and for both directions: no further epoll_ctl is ever needed.
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::ET;
        epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(self.connections.len() as u64), flags)?;
        self.connections.push(Connection::new(socket));
        Ok(())
    }

    /// Each connection has `depth` requests under way, sends them at once and waits for all their answers.
    pub fn closed(
        &mut self,
        workload: &mut Workload,
        task: Task,
        depth: u32,
        until: Until,
    ) -> Result<Measured, LoadFailure> {
        let mut measured = Measured::new();
        let mut left = match until {
            Until::Asked(count) => count,
            Until::Elapsed(_) => u64::MAX,
        };
        let begin = self.now();
        let mut last_answer = begin;
        let mut busy = 0;
        for number in 0..self.connections.len() {
            let now = self.now();
            busy += usize::from(self.ask(number, workload, task, depth, &mut left, now)?);
        }
        let mut events = Vec::with_capacity(EVENTS_MAX);
        while busy > 0 {
            check_stop()?;
            self.wait(&mut events, RESEND_AFTER)?;
            if events.is_empty() {
                self.nothing_came(last_answer, &mut measured)?;
            }
            for event in &events {
                let number = event.data.u64() as usize;
                self.send(number)?;
                let Some(now) = self.receive(number, &mut measured)? else { continue };
                last_answer = now;
                if !self.connections[number].due.is_empty() {
                    continue;
                }
                if matches!(until, Until::Elapsed(time) if last_answer - begin >= time.as_nanos() as u64) {
                    left = 0;
                }
                if !self.ask(number, workload, task, depth, &mut left, now)? {
                    busy -= 1;
                }
            }
        }
        measured.wall = Duration::from_nanos(last_answer - begin);
        workload.note_refused(&measured.refused);
        Ok(measured)
    }

    /// `rate` requests a second on average, over all connections in turn. They come independently of each
    /// other, as the requests of many users do (exponential distances): evenly spaced ones would never have to queue.
    pub fn open(
        &mut self,
        workload: &mut Workload,
        rate: f64,
        until: Until,
        seed: u64,
    ) -> Result<Measured, LoadFailure> {
        let mut measured = Measured::new();
        let mut random = Random::new(seed);
        let begin = self.now();
        let mut last_answer = begin;
        let (end, mut left) = match until {
            Until::Elapsed(time) => (begin + time.as_nanos() as u64, u64::MAX),
            Until::Asked(count) => (u64::MAX, count),
        };
        let mean_gap_ns = 1e9 / rate;
        let mut due_at = begin as f64 + random.gap() * mean_gap_ns;
        let (mut turn, connections) = (0, self.connections.len());
        let mut events = Vec::with_capacity(EVENTS_MAX);
        loop {
            let mut now = self.now();
            while left > 0 && due_at as u64 <= now && (due_at as u64) < end {
                left -= 1;
                let connection = &mut self.connections[turn];
                connection.ask(workload, Task::Measure, turn, connections, due_at as u64);
                self.send(turn)?;
                measured.lateness.saturating_record(now - due_at as u64);
                turn = (turn + 1) % connections;
                due_at += random.gap() * mean_gap_ns;
                now = self.now();
            }
            let is_over = left == 0 || due_at as u64 >= end;
            if is_over && self.connections.iter().all(|connection| connection.due.is_empty()) {
                break;
            }
            // It never sleeps: waking up would be late.
            self.wait(&mut events, Duration::ZERO)?;
            for event in &events {
                let number = event.data.u64() as usize;
                self.send(number)?;
                last_answer = self.receive(number, &mut measured)?.unwrap_or(last_answer);
            }
            if events.is_empty() && now.saturating_sub(last_answer) > RESEND_AFTER.as_nanos() as u64 {
                check_stop()?;
                self.nothing_came(last_answer, &mut measured)?;
            }
        }
        measured.wall = Duration::from_nanos(last_answer - begin);
        Ok(measured)
    }

    fn ask(
        &mut self,
        number: usize,
        workload: &mut Workload,
        task: Task,
        depth: u32,
        left: &mut u64,
        now: u64,
    ) -> Result<bool, LoadFailure> {
        let count = u64::from(depth).min(*left);
        if count == 0 {
            return Ok(false);
        }
        *left -= count;
        let connections = self.connections.len();
        for _ in 0..count {
            self.connections[number].ask(workload, task, number, connections, now);
        }
        self.send(number)?;
        Ok(true)
    }

    fn send(&mut self, number: usize) -> Result<(), LoadFailure> {
        let connection = &mut self.connections[number];
        while !connection.sending.is_empty() {
            let sent = match connection.sending.as_slice() {
                Some(bytes) => connection.socket.send(bytes),
                None => connection.socket.send_slices(&connection.sending.slices(&self.pad)),
            };
            match sent {
                Ok(0) => break,
                Ok(count) => connection.sending.advance(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => check_stop()?,
                Err(error) => return Err(LoadFailure::Trouble(format!("sending failed: {error}"))),
            }
        }
        connection.socket.flush().map_err(|error| LoadFailure::Trouble(format!("sending failed: {error}")))
    }

    /// Returns the time when the last of the answers came that are complete now; None if none is.
    fn receive(&mut self, number: usize, measured: &mut Measured) -> Result<Option<u64>, LoadFailure> {
        let connection = &mut self.connections[number];
        let mut last_answer = None;
        while !connection.due.is_empty() {
            let count = match connection.socket.receive(&mut self.buffer) {
                Ok(0) => return Err(LoadFailure::Trouble("the server has closed a connection".into())),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(LoadFailure::Trouble(format!("receiving failed: {error}"))),
            };
            let came = &self.buffer[..count];
            if connection.socket.is_datagram() && !connection.is_answer_under_way(came) {
                continue; // of a datagram that was taken for lost
            }
            connection.accept(&self.pad, came, measured)?;
            last_answer = connection.complete(self.start, measured).or(last_answer);
            // A short read has emptied the socket; later bytes are a new edge.
            if count < self.buffer.len() && connection.socket.tells_all() {
                break;
            }
        }
        Ok(last_answer)
    }

    fn wait(&self, events: &mut Vec<epoll::Event>, time: Duration) -> Result<(), LoadFailure> {
        events.clear();
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(events), Some(&time)) {
            Ok(_) => Ok(()),
            Err(rustix::io::Errno::INTR) => check_stop(),
            Err(error) => Err(error.into()),
        }
    }

    fn nothing_came(&mut self, last_answer: u64, measured: &mut Measured) -> Result<(), LoadFailure> {
        if self.now() - last_answer > PATIENCE.as_nanos() as u64 {
            return Err(LoadFailure::Trouble(format!(
                "the server has not answered for {} seconds",
                PATIENCE.as_secs()
            )));
        }
        for connection in
            self.connections.iter().filter(|connection| connection.socket.is_datagram() && !connection.due.is_empty())
        {
            measured.lost += 1;
            connection.socket.send(&connection.datagram)?;
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

impl Connection {
    fn new(socket: Socket) -> Connection {
        Connection {
            socket,
            sending: Script::default(),
            expected: Script::default(),
            due: VecDeque::new(),
            asked_bytes: 0,
            received_bytes: 0,
            line: Vec::new(),
            datagram: Vec::new(),
            request_id: 0,
        }
    }

    /// Compares what came with what should come; a refusal where there may be one stands for `STORED`.
    fn accept(&mut self, pad: &Pad, came: &[u8], measured: &mut Measured) -> Result<(), LoadFailure> {
        if !self.due.front().is_some_and(|due| due.may_be_refused) {
            return self.compare(pad, came);
        }
        let mut lines = std::mem::take(&mut self.line);
        lines.extend_from_slice(came);
        let whole = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for (number, line) in lines[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
            match self.due.get(number) {
                Some(due) if line == REFUSED => {
                    measured.refused.push(due.key);
                    self.compare(pad, STORED)?;
                }
                _ => self.compare(pad, line)?,
            }
        }
        lines.drain(..whole);
        self.line = lines;
        Ok(())
    }

    fn compare(&mut self, pad: &Pad, came: &[u8]) -> Result<(), LoadFailure> {
        self.expected.accept(pad, came).map_err(|mismatch| LoadFailure::Wrong(mismatch.0))?;
        self.received_bytes += came.len() as u64;
        Ok(())
    }

    fn ask(&mut self, workload: &mut Workload, task: Task, number: usize, connections: usize, at_ns: u64) {
        if self.socket.is_datagram() {
            self.request_id = self.request_id.wrapping_add(1);
            let [high, low] = self.request_id.to_be_bytes();
            let frame: [u8; FRAME_LEN] = [high, low, 0, 0, 0, 1, 0, 0];
            self.sending.push(&frame);
            self.expected.push(&frame);
        }
        let before = self.expected.len();
        let key = workload.ask(task, number, connections, &mut self.sending, &mut self.expected);
        self.asked_bytes += (self.expected.len() - before) as u64;
        if self.socket.is_datagram() {
            self.asked_bytes += FRAME_LEN as u64;
            self.datagram.clear();
            self.datagram.extend_from_slice(self.sending.as_slice().unwrap_or_default());
        }
        let may_be_refused = workload.may_be_refused(task);
        self.due.push_back(Due { answer_ends: self.asked_bytes, at_ns, key, may_be_refused });
    }

    fn is_answer_under_way(&self, datagram: &[u8]) -> bool {
        datagram.get(..2) == Some(&self.request_id.to_be_bytes())
    }

    fn complete(&mut self, start: Instant, measured: &mut Measured) -> Option<u64> {
        self.due.front().filter(|due| due.answer_ends <= self.received_bytes)?;
        let now = start.elapsed().as_nanos() as u64;
        while let Some(due) = self.due.front().filter(|due| due.answer_ends <= self.received_bytes) {
            measured.answers += 1;
            measured.latency.saturating_record(now - due.at_ns);
            self.due.pop_front();
        }
        Some(now)
    }
}

impl Measured {
    fn new() -> Measured {
        Measured {
            answers: 0,
            wall: Duration::ZERO,
            latency: histogram(),
            lateness: histogram(),
            lost: 0,
            refused: Vec::new(),
        }
    }
}

/// From a nanosecond to a minute, three digits.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("these bounds are valid")
}

//! The loop: sends, reads and waits, over all servers at once, until no answer is awaited.
use super::batch::{Record, ROW_END};
use super::server::Server;
use super::{Pool, Protocol, ServerFailure};
use crate::code::Code;
use crate::link::fault::{Fault, Moved};
use crate::link::{self, detect, READABLE, WRITABLE};
use crate::memory::execute;
use crate::wire::read::{read, Garbled};
use crate::wire::write::from_text;
use leveret_engine::Time;
use rustix::event::PollFd;
use std::time::{Duration, Instant};

// Buffered writes are sent when they reach this many bytes.
const BUFFERED_MAX: usize = 8192;

// This much of an unfinished answer counts as progress, which extends the wait.
const PROGRESS: usize = 64 << 10;

impl Pool {
    /// Sends the batch and gathers all answers, or what can be had within the time-outs. `next_answer` then gives them
    /// without waiting. None: it was interrupted (`set_interrupt`); the next call goes on, the next batch forgets.
    pub fn run_until_interrupted(&mut self) -> Option<Code> {
        if let Some(code) = self.send_all() {
            return Some(code);
        }
        let mut helps = true;
        loop {
            // Each turn reads what there is of all servers, so few turns are needed.
            helps = helps && self.wait_for_last();
            if !helps && !self.advance() {
                return Some(self.outcome());
            }
            if self.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
                return None;
            }
        }
    }

    /// As `run_until_interrupted`, by nothing.
    pub fn run(&mut self) -> Code {
        if let Some(code) = self.send_all() {
            return code;
        }
        // Each turn reads what there is of all of them, so few turns are needed.
        for _ in 1..self.servers.len() {
            if !self.wait_for_last() {
                break;
            }
        }
        self.finish()
    }

    /// Waits for all that is unsent or awaited.
    fn finish(&mut self) -> Code {
        while self.advance() {}
        self.outcome()
    }

    fn outcome(&self) -> Code {
        if self.has_errors {
            Code::SomeErrors
        } else {
            Code::Success
        }
    }

    /// Sends the batch, and waits only for connections; `next_answer` waits for the answers. `Some`: there are no
    /// answers to wait for; `SomeErrors`: no server is reachable.
    pub fn start(&mut self) -> Option<Code> {
        let code = self.send_all();
        while code.is_none() && self.servers.iter().any(Server::is_connecting) {
            self.wait();
        }
        code.or_else(|| self.has_reached_nobody().then_some(Code::SomeErrors))
    }

    /// No server could be reached. One that has hung up, or answered, was there.
    fn has_reached_nobody(&self) -> bool {
        let was_there = |record: &Record| {
            matches!(
                record.code,
                Code::Success | Code::NotFound | Code::WriteFailure | Code::UnknownReadFailure | Code::ProtocolError
            )
        };
        self.has_errors && !self.servers.iter().any(Server::is_busy) && !self.batch.records.iter().any(was_there)
    }

    /// Sends what can be sent now. `Some` = there is nothing to wait for.
    fn send_all(&mut self) -> Option<Code> {
        if self.servers.is_empty() {
            return Some(Code::NoServers);
        }
        for index in 0..self.servers.len() {
            self.read_row(index);
            let server = &mut self.servers[index];
            if !server.row.is_empty() {
                server.ask_by_datagrams(&self.batch, &self.options);
                server.end_row(&self.batch, &self.options);
            }
        }
        if self.options.buffer_writes && self.may_buffer() {
            return (!self.has_errors).then_some(Code::Buffered);
        }
        for index in 0..self.servers.len() {
            self.send(index);
            if self.servers[index].datagrams.is_busy() {
                self.send_datagrams(index);
            }
        }
        None
    }

    /// Only writes that may be buffered: nothing to read, and little to write. Requests done in memory are neither.
    fn may_buffer(&self) -> bool {
        let mut quiet = self.batch.pending.iter().filter(|pending| pending.is_quiet).peekable();
        let has_little = |server: &Server| !server.is_awaited() && server.output.len() - server.sent < BUFFERED_MAX;
        quiet.peek().is_some()
            && quiet.all(|pending| pending.operation.may_wait())
            && self.servers.iter().all(has_little)
    }

    /// Sends datagrams that are due; unanswered ones go over the stream.
    fn send_datagrams(&mut self, index: usize) {
        let given_up = self.servers[index].send_datagrams(&self.options);
        self.go_by_stream(index, given_up);
    }

    fn go_by_stream(&mut self, index: usize, requests: Vec<u32>) {
        if !requests.is_empty() {
            let server = &mut self.servers[index];
            server.row.extend(requests);
            server.end_row(&self.batch, &self.options);
            self.send(index);
        }
    }

    /// Sends the writes that wait in buffers, and waits until the kernel has them.
    pub fn flush_buffers(&mut self) -> Code {
        self.leave_to_parent();
        for index in 0..self.servers.len() {
            self.send(index);
        }
        self.finish()
    }

    /// Closes all connections, once the servers have the writes that wait for them. The next batch begins as a new pool
    /// would: it also tries servers that failed, except those that were ejected for good.
    pub fn quit(&mut self) {
        self.leave_to_parent();
        // Answers that no caller fetches any more are not waited for.
        if self.servers.iter().any(Server::has_unsent) {
            self.flush_buffers();
        }
        let unsure: Vec<&mut Server> = self.servers.iter_mut().filter_map(Server::end_of_output).collect();
        for server in unsure {
            server.drain(&self.options);
        }
        self.close_all();
        let mut is_back = false;
        for server in &mut self.servers {
            is_back |= server.health.end_rest();
        }
        if is_back {
            self.rebuild();
        }
    }

    /// One step: reads available bytes, or waits for an event. False: nothing is awaited or unsent any more.
    pub(super) fn advance(&mut self) -> bool {
        let mut busy = self.servers.iter().enumerate().filter(|(_, server)| server.is_busy()).map(|(index, _)| index);
        let Some(first) = busy.next() else { return false };
        let server = &self.servers[first];
        let is_alone = busy.next().is_none();
        // One system call that waits is cheaper than two.
        if is_alone && !server.is_streaming() {
            self.recv_datagrams(first, true);
            return true;
        }
        if is_alone && server.can_answer() && self.has_only_to_answer(server) {
            self.recv(first, true);
            return true;
        }
        self.wait();
        true
    }

    /// Nothing else can be done with a server than to read from it, and it may take its time: no deadline runs already.
    fn has_only_to_answer(&self, server: &Server) -> bool {
        let has_sent = !server.has_unsent() && !server.datagrams.is_busy();
        has_sent && server.is_used && server.deadline.is_none() && !server.is_unheard(&self.options)
    }

    /// All answers of the batch are wanted, so the first one is nothing to wake up for: reads from the server that was
    /// asked last as if it were alone, and by then most others have answered too. False = that does not help: there is
    /// something else to do.
    fn wait_for_last(&mut self) -> bool {
        let mut awaited = self.servers.iter().enumerate().filter(|(_, server)| server.is_busy());
        let can_wait = |server: &Server| server.can_answer() && self.has_only_to_answer(server);
        if !awaited.clone().all(|(_, server)| can_wait(server)) || awaited.clone().nth(1).is_none() {
            return false;
        }
        let Some((last, _)) = awaited.next_back() else { return false };
        // The other servers' time-outs run on; a server that answers, or gets more output, starts a new one.
        let now = Instant::now();
        for server in self.servers[..last].iter_mut().filter(|server| server.is_busy()) {
            server.deadline = Some(now + server.io_timeout(&self.options));
        }
        self.recv(last, true);
        for index in 0..self.servers.len() {
            if self.servers[index].can_answer() {
                self.recv(index, false);
            }
        }
        true
    }

    /// Waits until some server can go on, and lets it.
    fn wait(&mut self) {
        let now = Instant::now();
        let mut until = now + Duration::from_secs(3600);
        for server in self.servers.iter_mut().filter(|server| server.is_busy()) {
            until = server.datagrams.deadline().map_or(until, |deadline| until.min(deadline));
            if !server.is_streaming() {
                continue;
            }
            let is_connected = server.link.as_ref().is_some_and(|link| link.is_connected);
            let patience =
                if is_connected { server.io_timeout(&self.options) } else { server.connect_timeout(&self.options) };
            until = until.min(*server.deadline.get_or_insert(now + patience));
            if is_connected && server.is_unheard(&self.options) {
                until = until
                    .min(server.deadline.map_or(until, |deadline| deadline - (patience - detect::silence(patience))));
            }
        }
        let ready: Vec<(usize, bool, bool)> = {
            let mut polled = Vec::with_capacity(self.servers.len());
            let mut indexes = Vec::with_capacity(self.servers.len());
            for (index, server) in self.servers.iter().enumerate().filter(|(_, server)| server.is_streaming()) {
                let Some(link) = &server.link else { continue };
                let mut events = READABLE;
                if link.wants_to_send(server.has_unsent()) {
                    events |= WRITABLE;
                }
                polled.push(PollFd::new(link, events));
                indexes.push(index);
            }
            // They are all read below, whichever is ready.
            polled.extend(self.servers.iter().filter_map(|server| server.datagrams.polled()));
            link::wait(&mut polled, until.saturating_duration_since(now));
            let ready = |fd: &PollFd<'_>| (fd.revents().intersects(!WRITABLE), fd.revents().intersects(!READABLE));
            indexes.iter().zip(&polled).map(|(index, fd)| (*index, ready(fd).0, ready(fd).1)).collect()
        };
        let now = Instant::now();
        for (index, is_readable, is_writable) in ready {
            if is_writable || is_readable && self.servers[index].is_connecting() {
                self.send(index);
            }
            if is_readable && self.servers[index].can_answer() {
                self.recv(index, false);
            } else if self.is_silent(index, now) {
                self.try_binary(index);
            }
            if self.servers[index].is_streaming()
                && self.servers[index].deadline.is_some_and(|deadline| deadline <= now)
            {
                self.late(index);
            }
        }
        for index in 0..self.servers.len() {
            if self.servers[index].datagrams.is_busy() {
                self.recv_datagrams(index, false);
            }
        }
    }

    /// The time of a server is over. Where it was to be connected its name may have more addresses.
    fn late(&mut self, index: usize) {
        let server = &mut self.servers[index];
        let fault = Fault::new(Code::Timeout);
        let next = if server.is_connecting() { server.open_next(fault, &self.options) } else { Err(fault) };
        if let Err(fault) = next {
            self.fail(index, fault);
        }
    }

    /// A server that never answered lets wait for its first answer.
    fn is_silent(&self, index: usize, now: Instant) -> bool {
        let server = &self.servers[index];
        let patience = server.io_timeout(&self.options);
        let left = patience - detect::silence(patience);
        server.is_unheard(&self.options)
            && server.can_answer()
            && server.deadline.is_some_and(|deadline| deadline <= now + left)
    }

    /// Perhaps a server is silent because it speaks only the binary protocol. True: it does, and all requests are sent
    /// to it again; it has not executed the text.
    fn try_binary(&mut self, index: usize) -> bool {
        let server = &mut self.servers[index];
        if !server.is_unheard(&self.options) {
            return false;
        }
        // In any case this is not done twice.
        server.speaks = Some(Protocol::Text);
        let patience = server.io_timeout(&self.options);
        if !detect::is_binary(&mut server.endpoint, patience, &self.options) {
            return false;
        }
        server.close();
        (server.speaks, server.sent) = (Some(Protocol::Binary), 0);
        let text = std::mem::take(&mut server.output);
        let awaited = std::mem::take(&mut server.expected);
        for number in 0..self.batch.pending.len() as u32 {
            let pending = &self.batch.pending[number as usize];
            let is_unheard_write = pending.is_quiet && !pending.wire.is_empty();
            if pending.server as usize != index || !awaited.contains(&number) && !is_unheard_write {
                continue;
            }
            let (key, wire) = (self.batch.key(number).to_vec(), pending.wire.clone());
            let request = from_text(pending, &key, &text[wire]);
            if let Err(code) = self.servers[index].write(&self.batch, number, &request, &self.options) {
                self.give_up(number, Fault::new(code));
            }
        }
        self.servers[index].end_row(&self.batch, &self.options);
        self.send(index);
        true
    }

    /// Reads datagrams, and sends again those not answered in time.
    fn recv_datagrams(&mut self, index: usize, alone: bool) {
        let given_up = self.servers[index].datagrams.recv(alone, &mut self.batch, &self.options);
        self.go_by_stream(index, given_up);
        self.send_datagrams(index);
    }

    /// Connects to one server, if it is not connected, and waits for that. The next batch would do so by itself. Ends
    /// the batch.
    pub fn connect(&mut self, index: usize) -> Code {
        self.begin();
        if let Err(fault) = self.try_connect(index) {
            self.fail(index, fault);
            return fault.code;
        }
        self.servers[index].health.succeeded();
        Code::Success
    }

    fn try_connect(&mut self, index: usize) -> Result<(), Fault> {
        let server = &mut self.servers[index];
        if server.is_local() {
            return server.local.open(&server.endpoint, Time::now()).map(|_| ());
        }
        if server.link.as_mut().is_some_and(|link| !link.is_connected || !link.is_quiet()) {
            server.close();
        }
        let patience = server.connect_timeout(&self.options);
        while !server.connect(&self.options)? {
            let Some(link) = &server.link else { return Err(Fault::new(Code::ConnectionFailure)) };
            let left = server
                .deadline
                .get_or_insert_with(|| Instant::now() + patience)
                .saturating_duration_since(Instant::now());
            let events = if link.wants_to_send(true) { WRITABLE } else { READABLE };
            if left.is_zero() || !link::wait(&mut [PollFd::new(link, events)], left) {
                server.open_next(Fault::new(Code::Timeout), &self.options)?;
            }
        }
        server.deadline = None;
        Ok(())
    }

    /// Connects if need be, and sends what can be sent.
    pub(super) fn send(&mut self, index: usize) {
        let server = &mut self.servers[index];
        if !server.has_unsent() {
            return;
        }
        server.drop_if_stale();
        let result =
            server
                .connect(&self.options)
                .and_then(|is_connected| if is_connected { server.send() } else { Ok(Moved::Blocked) });
        match result {
            Ok(Moved::Bytes(_)) => server.deadline = None,
            Ok(Moved::Blocked | Moved::Interrupted) => {}
            Ok(Moved::Closed) => self.lost(index, Code::WriteFailure),
            Err(fault) => self.fail(index, fault),
        }
    }

    fn recv(&mut self, index: usize, alone: bool) {
        self.recv_once(index, alone);
        while self.servers[index].link.as_mut().is_some_and(|link| link.has_more()) && self.servers[index].can_answer()
        {
            self.recv_once(index, false);
        }
    }

    fn recv_once(&mut self, index: usize, alone: bool) {
        let server = &mut self.servers[index];
        match server.recv(alone, &self.options) {
            Ok(Moved::Bytes(len)) => {
                let protocol = server.protocol(&self.options);
                let idle = server.input.idle;
                match read(&mut server.input, &mut server.expected, &mut self.batch, protocol, &self.options) {
                    Ok(has_read) => {
                        server.speaks = Some(protocol);
                        // Unrequested bytes are no progress.
                        server.come += len.saturating_sub(server.input.idle - idle);
                        if has_read || server.come >= PROGRESS {
                            (server.deadline, server.come) = (None, 0);
                        } else if alone {
                            // From here on patience is measured: a server that drips is not waited for again and again.
                            server.deadline = Some(Instant::now() + server.io_timeout(&self.options));
                        }
                        if server.expected.is_empty() && !server.health.is_fresh() {
                            server.health.succeeded();
                        }
                    }
                    Err(Garbled) => self.fail(index, Fault::new(Code::ProtocolError)),
                }
            }
            Ok(Moved::Blocked) if alone => self.fail(index, Fault::new(Code::Timeout)),
            // From here on patience is measured.
            Ok(Moved::Interrupted) if alone => {
                server.deadline = Some(Instant::now() + server.io_timeout(&self.options))
            }
            Ok(Moved::Blocked | Moved::Interrupted) => {}
            Ok(Moved::Closed) => self.lost(index, Code::UnknownReadFailure),
            Err(fault) => self.fail(index, fault),
        }
    }

    /// The peer has hung up.
    fn lost(&mut self, index: usize, code: Code) {
        let server = &mut self.servers[index];
        if server.may_send_again() {
            server.close();
            server.sent = 0;
            self.send(index);
        } else if !self.try_binary(index) {
            self.fail(index, Fault::new(code));
        }
    }

    /// The server is given up for this batch: its link is closed, and each request that awaits an answer goes to
    /// another place, if there is one, or fails.
    fn fail(&mut self, index: usize, fault: Fault) {
        let now = Instant::now();
        let server = &mut self.servers[index];
        let was_connected = server.link.as_ref().is_some_and(|link| link.is_connected);
        server.close();
        let output = std::mem::take(&mut server.output);
        server.sent = 0;
        let passed = server.input.passed.drain(..);
        let waiting: Vec<u32> = passed.chain(server.expected.drain(..)).filter(|number| *number != ROW_END).collect();
        // To libmemcached a server that is only slow is not out of order, to pecl/memcache it is.
        self.failures.push(ServerFailure { server: index, code: fault.code, errno: fault.errno });
        let is_slow = fault.code == Code::Timeout && was_connected && self.options.failover_attempts == 0;
        // The caller must fix a refused password. Failover to another server must not hide it.
        let is_refused = matches!(fault.code, Code::AuthProblem | Code::AuthFailure);
        let is_kept = is_refused && self.options.failover_attempts > 0;
        if !is_kept && (!is_slow || server.health.timed_out(&self.options)) {
            self.has_trouble = true;
            let rest = server.tuning.retry_timeout.unwrap_or(self.options.retry_timeout);
            if server.health.failed(now, &self.options, rest) {
                self.rebuild();
            }
        }
        let mut touched = Vec::new();
        let trouble = self.servers[index].trouble.take();
        for number in waiting {
            if is_refused || !self.move_on(number, &output, &mut touched) {
                self.give_up(number, fault);
                let record = self.batch.records.last_mut().filter(|record| record.request == number);
                if let (Some(why), Some(record)) = (&trouble, record) {
                    record.value = self.servers[index].input.push(why.as_bytes());
                }
            }
        }
        if let Some(why) = trouble {
            execute::note(why);
        }
        // Another server may have taken the place of one that spoke binary.
        let server = &mut self.servers[index];
        if self.options.detects && server.speaks == Some(Protocol::Binary) {
            server.speaks = None;
            detect::forget(&server.endpoint);
        }
        for other in touched {
            self.servers[other].end_row(&self.batch, &self.options);
            self.send(other);
        }
    }
}

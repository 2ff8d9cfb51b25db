//! Where a request goes: into the output of its key's server or the row of gets that wait for it, to a copy or another
//! place where that server is dead, or into an arena of this host at once.
use super::batch::{Batch, Input, Operation, Request, Sent};
use super::options::Protocol;
use super::server::Server;
use super::{Pool, ServerFailure};
use crate::code::Code;
use crate::link::fault::Fault;
use crate::memory::execute::{self, Rules};
use crate::ring::Preset;
use leveret_engine::{Arena, Time};
use leveret_protocol::text::TextKey;

// Number of places among which pecl/memcache looks for another server.
const OTHER_PLACES: u32 = 20;

impl Pool {
    /// Adds a request to the batch; its number is the count of those before it. An error says that it cannot be sent
    /// anywhere, and then it is not in the batch. A server that is known to be dead is an answer, not an error.
    pub fn add(&mut self, request: &Request<'_>) -> Result<(), Code> {
        if self.servers.is_empty() {
            return Err(Code::NoServers);
        }
        if request.operation.is_for_servers() {
            self.add_for_servers(request)?;
        } else {
            self.add_for_key(request)?;
        }
        self.asked += 1;
        Ok(())
    }

    /// A request for every server, or for one, has one number and an answer from each.
    fn add_for_servers(&mut self, request: &Request<'_>) -> Result<(), Code> {
        let chosen = match request.server {
            Some(server) if server >= self.servers.len() => return Err(Code::InvalidArguments),
            Some(server) => server..server + 1,
            None => 0..self.servers.len(),
        };
        for server in chosen {
            let number = self.batch.pending.len() as u32;
            self.push(request, request.key, server as u32, 0);
            match self.servers[server].health.refusal() {
                Some(code) => self.give_up(number, Fault::new(code)),
                None => self.write(number, request)?,
            }
        }
        Ok(())
    }

    fn add_for_key(&mut self, request: &Request<'_>) -> Result<(), Code> {
        self.options.check_key(request)?;
        let number = self.batch.pending.len() as u32;
        let place = self.options.place(request);
        let place = place.as_ref();
        let copy = if request.operation.is_get() { self.any_copy(place) } else { None };
        match copy.map_or_else(|| self.route(place, request.operation), Ok) {
            Ok((server, attempts)) => {
                self.push(request, place, server as u32, attempts);
                self.write(number, request)?;
                if !request.operation.is_get() {
                    self.write_copies(place, server, request)?;
                }
                Ok(())
            }
            Err((server, code)) => {
                self.push(request, place, server as u32, 0);
                self.give_up(number, Fault::new(code));
                Ok(())
            }
        }
    }

    /// Writes go to every copy, but the first one's answer is the answer.
    fn write_copies(&mut self, place: &[u8], first: usize, request: &Request<'_>) -> Result<(), Code> {
        // libmemcached's copies lie side by side; pecl/memcache tries one place after the other.
        let tries = self.replicas().max(if self.options.redundancy > 1 { OTHER_PLACES } else { 0 });
        if tries == 0 {
            return Ok(());
        }
        let mut copies = vec![first];
        let wanted = 1 + self.replicas().max(self.options.redundancy.saturating_sub(1)) as usize;
        for attempt in 0..tries {
            if copies.len() == wanted {
                break;
            }
            let Some(other) = self.other_place(place, attempt) else { break };
            if copies.contains(&other) || !self.servers[other].health.is_good() {
                continue;
            }
            copies.push(other);
            let number = self.batch.pending.len() as u32;
            // Without failover, the result of a copy is not needed.
            let quiet = request.quiet || self.options.failover_attempts == 0;
            self.push(&Request { quiet, ..*request }, place, other as u32, 0);
            self.batch.pending[number as usize].is_copy = true;
            self.write(number, request)?;
        }
        Ok(())
    }

    fn push(&mut self, request: &Request<'_>, place: &[u8], server: u32, attempts: u32) {
        let begin = self.batch.keys.len();
        self.batch.keys.extend_from_slice(request.key);
        let key = begin..self.batch.keys.len();
        let group = match request.group {
            Some(_) => {
                self.batch.keys.extend_from_slice(place);
                key.end..self.batch.keys.len()
            }
            // The key, without its prefix perhaps.
            None => key.end - place.len()..key.end,
        };
        let waits = self.options.buffer_writes && request.operation.may_wait();
        let is_quiet = request.quiet || self.options.no_reply && request.operation.heeds_no_reply() || waits;
        self.batch.pending.push(Sent {
            asked: self.asked,
            operation: request.operation,
            is_quiet: is_quiet && !request.operation.is_get(),
            is_copy: false,
            with_cas: request.with_cas,
            is_waiting: true,
            server,
            attempts,
            exptime: request.exptime,
            key,
            group,
            wire: 0..0,
        });
    }

    fn write(&mut self, number: u32, request: &Request<'_>) -> Result<(), Code> {
        let index = self.batch.pending[number as usize].server as usize;
        self.servers[index].only_reads &= request.operation.only_reads();
        if request.operation.is_get() {
            // It waits for those behind it: all of them go out in one row, or are read from memory together.
            if !self.servers[index].is_one_row(&self.batch, number, &self.options) {
                self.read_row(index);
                self.servers[index].end_row(&self.batch, &self.options);
            }
            self.servers[index].row.push(number);
            return Ok(());
        }
        self.read_row(index);
        if self.servers[index].is_local() {
            self.check_text_key(request)?;
            if let Err(fault) = self.execute(index, number, request) {
                self.fail_local(index, number, fault);
            }
            return Ok(());
        }
        if self.takes_short_cut(index, request) {
            self.check_text_key(request)?;
            // The arena has refused this operation. The server's answer states the reason.
            if self.execute(index, number, request).is_ok() {
                return Ok(());
            }
        }
        let server = &mut self.servers[index];
        // The recorded bytes of this request must not include the gets before it.
        server.end_row(&self.batch, &self.options);
        let begin = server.output.len();
        if let Err(code) = server.write(&self.batch, number, request, &self.options) {
            server.output.truncate(begin);
            self.batch.pending.pop();
            return Err(code);
        }
        let pending = &mut self.batch.pending[number as usize];
        pending.wire = begin..server.output.len();
        pending.is_waiting = !pending.is_quiet;
        server.has_quiet |= pending.is_quiet;
        Ok(())
    }

    /// An arena takes any bytes, but a key must be good wherever it lives. If it is not, the last request is none.
    fn check_text_key(&mut self, request: &Request<'_>) -> Result<(), Code> {
        let must_be_text = self.options.protocol == Protocol::Text && !request.operation.is_for_servers();
        if must_be_text && TextKey::new(request.key).is_none() {
            self.batch.pending.pop();
            return Err(Code::BadKey);
        }
        Ok(())
    }
}

/// The servers of a key: the ring's, further copies, and other places when it is dead.
impl Pool {
    /// libmemcached keeps replicas in the binary protocol only.
    pub(super) fn replicas(&self) -> u32 {
        match (&self.options.preset, self.options.protocol) {
            (Preset::Libmemcached { .. }, Protocol::Binary) => self.options.replicas.min(self.servers.len() as u32 - 1),
            _ => 0,
        }
    }

    /// With which copy a get begins, if any will do and the first has no precedence.
    pub(super) fn any_copy(&mut self, place: &[u8]) -> Option<(usize, u32)> {
        if !self.options.random_replica {
            return None;
        }
        // Spread evenly over requests is random enough.
        let copy = self.batch.opaque_base.wrapping_add(self.batch.pending.len() as u32) % (self.replicas() + 1);
        self.other_route(place, copy.checked_sub(1)?, Operation::Get)
    }

    pub(super) fn other_place(&mut self, key: &[u8], attempt: u32) -> Option<usize> {
        let (replicas, count) = (self.replicas(), self.servers.len());
        match self.options.preset {
            Preset::Libmemcached { .. } if attempt >= replicas => None,
            Preset::Libmemcached { .. } => Some((self.ring().server(key)? + 1 + attempt as usize) % count),
            _ => {
                let taken = u32::from(self.options.elsewhere);
                self.ring().other_server(key, attempt + taken)
            }
        }
    }

    pub(super) fn first_place(&mut self, key: &[u8]) -> Option<usize> {
        let other = if self.options.elsewhere { self.ring().other_server(key, 0) } else { None };
        other.or_else(|| self.ring().server(key))
    }

    /// How many other places a request may go to.
    fn other_places(&self, operation: Operation) -> u32 {
        // A replica is as good as its original to read from, and no place to write to alone.
        let replicas = if operation.is_get() { self.replicas() } else { 0 };
        self.options.failover_attempts.max(replicas)
    }

    /// The server of a key, or another place if it is dead, and the number of that place. Else the server that should
    /// have it, and why it is not asked.
    pub(super) fn route(&mut self, key: &[u8], operation: Operation) -> Result<(usize, u32), (usize, Code)> {
        let first = self.first_place(key).ok_or((0, Code::ServerMarkedDead))?;
        match self.servers[first].health.refusal() {
            None => Ok((first, 0)),
            Some(refusal) => self.other_route(key, 0, operation).ok_or((first, refusal)),
        }
    }

    /// A place behind the first `tried` ones.
    fn other_route(&mut self, key: &[u8], tried: u32, operation: Operation) -> Option<(usize, u32)> {
        for attempt in tried..self.other_places(operation) {
            let other = self.other_place(key, attempt)?;
            if self.servers[other].health.is_good() {
                return Some((other, attempt + 1));
            }
        }
        None
    }

    /// Lets a copy stand in for a write whose server has failed. The copy's server would be the next place of the key:
    /// a count, an add or an append would be executed twice there, and a client that adds a lock would find its own
    /// lock taken.
    fn stand_in(&mut self, number: u32) -> bool {
        let Some(copy) = self.batch.copy_of(number) else { return false };
        self.batch.pending[number as usize].is_waiting = false;
        self.batch.pending[copy as usize].is_copy = false;
        // It may have been passed over already.
        let passed = self.batch.records[..self.next].iter().find(|record| record.request == copy).cloned();
        self.batch.records.extend(passed);
        true
    }

    /// Gives a request of a failed server to another one, if the ring has another place for its key.
    pub(super) fn move_on(&mut self, number: u32, output: &[u8], touched: &mut Vec<usize>) -> bool {
        let pending = &self.batch.pending[number as usize];
        if pending.operation.is_for_servers() || pending.is_copy {
            return false;
        }
        if self.stand_in(number) {
            return true;
        }
        let pending = &self.batch.pending[number as usize];
        let (tried, wire, operation) = (pending.attempts, pending.wire.clone(), pending.operation);
        let spoken = self.servers[pending.server as usize].protocol(&self.options);
        let place = self.batch.keys[pending.group.clone()].to_vec();
        // Requests to shared memory are executed before anything is sent, and cannot follow later. Written requests
        // stay in one protocol.
        let Some((other, attempts)) = self.other_route(&place, tried, operation).filter(|(other, _)| {
            !self.servers[*other].is_local()
                && (operation.is_get() || self.servers[*other].protocol(&self.options) == spoken)
        }) else {
            return false;
        };
        let pending = &mut self.batch.pending[number as usize];
        (pending.server, pending.attempts) = (other as u32, attempts);
        let server = &mut self.servers[other];
        server.only_reads &= operation.only_reads();
        if operation.is_get() {
            if !server.is_one_row(&self.batch, number, &self.options) {
                server.end_row(&self.batch, &self.options);
            }
            server.row.push(number);
        } else {
            server.end_row(&self.batch, &self.options);
            let begin = server.output.len();
            server.output.extend_from_slice(&output[wire]);
            self.batch.pending[number as usize].wire = begin..server.output.len();
            server.expected.push_back(number);
        }
        if !touched.contains(&other) {
            touched.push(other);
        }
        true
    }
}

/// Requests that are done in memory: where the server is an arena, or the short cut leads to its arena.
impl Pool {
    /// Answers the gets that wait, if the server is shared memory, or its arena is within reach.
    pub(super) fn read_row(&mut self, index: usize) {
        let is_local = self.servers[index].is_local();
        if self.servers[index].row.is_empty() || !is_local && !self.has_short_cut(index) {
            return;
        }
        let mut row = std::mem::take(&mut self.servers[index].row);
        let failed = match self.memory(index) {
            Ok((arena, rules, input, batch)) => execute::read(arena, &rules, input, batch, &row),
            Err(fault) => row.iter().map(|number| (*number, fault)).collect(),
        };
        row.clear();
        for (number, fault) in failed {
            if is_local {
                self.fail_local(index, number, fault);
            } else {
                // The arena has refused this operation. The server's answer states the reason.
                row.push(number);
            }
        }
        self.servers[index].row = row;
    }

    /// Whether the arena behind a server of this host takes a request in its place. It does what concerns a key; about
    /// itself only the server can tell.
    pub(super) fn takes_short_cut(&mut self, index: usize, request: &Request<'_>) -> bool {
        let is_binary_or_meta = self.options.protocol != Protocol::Text;
        !request.operation.is_for_servers()
            && (request.initial.is_none() || is_binary_or_meta)
            && self.servers[index].row.is_empty()
            && self.has_short_cut(index)
            && self.servers[index].short_cut.found().is_some_and(|found| request.value.len() <= found.value_max)
    }

    /// Whether the arena behind a server of this host can be used in its place now. What waits to be sent to the server
    /// is not overtaken.
    fn has_short_cut(&mut self, index: usize) -> bool {
        // `arena` looks for the only server of a pool: callers of nothing else need not read the clock for it.
        let is_only = self.servers.len() == 1;
        let server = &mut self.servers[index];
        self.options.short_cut
            && server.credentials.is_none()
            && !server.endpoint.is_secured()
            && !server.is_streaming()
            && (!is_only || server.short_cut.is_worth_a_look())
            && server.short_cut.find(&mut server.endpoint).is_some()
    }

    /// Does a request in memory.
    pub(super) fn execute(&mut self, index: usize, number: u32, request: &Request<'_>) -> Result<(), Fault> {
        let (arena, rules, input, batch) = self.memory(index)?;
        execute::execute(arena, &rules, input, batch, number, request)
    }

    /// The parts of a request in memory: an arena of the pool or of the short cut, and the place of the answers.
    fn memory(&mut self, index: usize) -> Result<(&Arena, Rules, &mut Input, &mut Batch), Fault> {
        let Server { local, short_cut, endpoint, input, .. } = &mut self.servers[index];
        let (arena, value_max) = match short_cut.found() {
            Some(found) => (&found.arena, found.value_max),
            None => (local.open(endpoint, Time::now())?, usize::MAX),
        };
        Ok((arena, Rules { protocol: self.options.protocol, value_max }, input, &mut self.batch))
    }

    /// A request cannot be executed in memory, and there is no other server for it.
    pub(super) fn fail_local(&mut self, index: usize, number: u32, fault: Fault) {
        self.failures.push(ServerFailure { server: index, code: fault.code, errno: fault.errno });
        self.give_up(number, fault);
    }
}

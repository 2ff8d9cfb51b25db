//! Which servers a request goes to: the ring's, further copies, and other places when it is dead.
use super::request::Operation;
use super::{Pool, Protocol};
use crate::code::Code;
use crate::ring::Preset;

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

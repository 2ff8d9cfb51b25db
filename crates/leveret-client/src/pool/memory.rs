//! Which requests are done in memory, and when: where the server is an arena, or the short cut leads to its arena.
use super::batch::{Batch, Input};
use super::request::Request;
use super::server::Server;
use super::{Pool, Protocol, ServerFailure};
use crate::link::fault::Fault;
use crate::memory::execute::{self, Rules};
use leveret_engine::{Arena, Time};

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
                // What the arena cannot do, the server is asked for: its answer says why.
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

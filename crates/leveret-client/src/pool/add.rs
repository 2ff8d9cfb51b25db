//! How a request comes into the batch: written to its server's output, waiting in its row, or done in memory at once.
use super::batch::Sent;
use super::options::Protocol;
use super::request::Request;
use super::Pool;
use crate::code::Code;
use crate::link::fault::Fault;
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
            // What the arena cannot do, the server is asked for: its answer says why.
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

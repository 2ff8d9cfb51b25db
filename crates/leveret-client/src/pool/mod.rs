//! A pool: servers behind a ring, and one batch of requests at a time. `begin`, `add` for each request, `run`,
//! `next_answer` for each answer. Everything goes to all servers at once, in one loop that waits for all of them; no
//! thread, no callback, and nothing is held between two calls but the pool itself.
//!
//! ```text
//! add         -> ring -> server.output; gets wait in server.row
//! run         -> gets from memory; send, recv, poll, until nothing is awaited
//! next_answer -> records, in order of arrival
//! ```
pub(crate) mod batch;
pub(crate) mod options;
mod route;
mod run;
pub(crate) mod server;

pub use crate::code::Code;
pub use crate::link::endpoint::ServerKind;
use crate::link::fault::Fault;
pub use crate::link::sign_in::Credentials;
use crate::link::{detect, names};
pub use crate::memory::execute::{arena_trouble, code_of};
use crate::memory::short_cut::FoundArena;
pub use crate::memory::short_cut::Validity;
use crate::ring::{self, Ring};
use batch::Batch;
pub use batch::{Answer, Operation, Request};
use leveret_engine::{Arena, Time};
pub use leveret_protocol::text::TextKey;
pub use options::{Options, Protocol, TlsOptions};
use server::Server;
pub use server::Tuning;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Servers behind a ring. Used by one thread at a time.
pub struct Pool {
    options: Options,
    servers: Vec<Server>,
    /// Of servers that are still to come.
    credentials: Option<Arc<Credentials>>,
    /// Built when it is needed and the list has changed.
    ring: Option<Ring>,
    batch: Batch,
    /// The record that `next_answer` gives next.
    next: usize,
    /// Requests that the caller has added.
    asked: u32,
    /// Some server is not good: clocks must be looked at.
    has_trouble: bool,
    /// Failures in this batch.
    has_errors: bool,
    /// Servers that failed in this batch, also where another one took their requests over.
    failures: Vec<ServerFailure>,
    /// The process that opened the links: a child must not speak on its parent's.
    pid: u32,
    /// Asked at each turn of a wait: true = it ends.
    interrupt: Option<Box<dyn Fn() -> bool>>,
}

/// State of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerInfo<'p> {
    /// As it was added.
    pub host: &'p str,
    /// As it was added, also of a Unix socket, which has none.
    pub port: u16,
    /// 0 = none.
    pub udp_port: u16,
    /// Its share of the keys.
    pub weight: u32,
    /// How it is reached.
    pub kind: ServerKind,
    /// It failed, and is not asked for now.
    pub is_down: bool,
}

/// A server that could not be reached, did not answer, or made no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerFailure {
    /// Its index.
    pub server: usize,
    /// What happened.
    pub code: Code,
    /// The system's own word for it; 0 = none.
    pub errno: i32,
}

impl Pool {
    /// A pool without servers.
    pub fn new(options: Options) -> Pool {
        Pool {
            options,
            servers: Vec::new(),
            credentials: None,
            ring: None,
            batch: Batch::default(),
            next: 0,
            asked: 0,
            has_trouble: false,
            has_errors: false,
            failures: Vec::new(),
            pid: leveret_engine::process_id(),
            interrupt: None,
        }
    }

    /// A callback that says, at each turn of a wait and so after each signal, whether `run` should return early.
    pub fn set_interrupt(&mut self, interrupt: Option<Box<dyn Fn() -> bool>>) {
        self.interrupt = interrupt;
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the settings. Connections stay open, unless the protocol changes.
    pub fn set_options(&mut self, options: Options) {
        if options.protocol != self.options.protocol {
            self.quit();
        }
        if self.options.buffer_writes && !options.buffer_writes {
            self.flush_buffers();
        }
        // A session's prefix is set at each request that opens it: a ring of many servers must outlive that.
        if options.preset != self.options.preset {
            self.ring = None;
        }
        let is_sorted_anew = options.sort_hosts != self.options.sort_hosts;
        self.options = options;
        if is_sorted_anew {
            self.redistribute();
        }
    }

    /// Adds a server: a name, an address, the path of a Unix socket (also as `unix://path`), or an arena: `arena:NAME`
    /// or a path that ends in `.arena`, which survives where host and port are split at a colon. Sockets and arenas
    /// have no port, but to libmemcached's ring 0 and another one are different places of a socket.
    pub fn add_server(&mut self, host: &str, port: u16, udp_port: u16, weight: u32) {
        self.add_server_in("".as_ref(), host, port, udp_port, weight);
    }

    /// As `add_server`, with the folder of named arenas.
    pub fn add_server_in(&mut self, dir: &Path, host: &str, port: u16, udp_port: u16, weight: u32) {
        let mut server = Server::new(host.to_string(), port, udp_port, weight);
        server.endpoint.dir = Some(dir.to_path_buf()).filter(|dir| !dir.as_os_str().is_empty());
        server.local.how = self.options.arena;
        server.credentials = self.credentials.clone();
        self.servers.push(server);
        self.options.preset.weigh(weight);
        self.redistribute();
    }

    /// As libmemcached does when a server comes, and when `OPT_SORT_HOSTS` changes.
    fn redistribute(&mut self) {
        if self.options.sort_hosts {
            self.sort_servers();
        }
        self.rebuild();
    }

    /// A batch may be open, of which answers are still to come: what names a server by its index is told the new one.
    fn sort_servers(&mut self) {
        let mut order: Vec<usize> = (0..self.servers.len()).collect();
        order.sort_by_key(|index| (&self.servers[*index].endpoint.host, self.servers[*index].endpoint.port));
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place as u32;
        }
        let mut unsorted: Vec<Option<Server>> = self.servers.drain(..).map(Some).collect();
        self.servers.extend(order.iter().filter_map(|index| unsorted[*index].take()));
        let moved = |server: &mut u32| *server = places[*server as usize];
        self.batch.pending.iter_mut().for_each(|pending| moved(&mut pending.server));
        self.batch.records.iter_mut().for_each(|record| moved(&mut record.server));
        self.failures.iter_mut().for_each(|failure| failure.server = places[failure.server] as usize);
    }

    /// Also when a server is ejected, or comes back.
    fn rebuild(&mut self) {
        self.options.preset.settle();
        self.ring = None;
    }

    /// Number of servers.
    pub fn len(&self) -> usize {
        self.servers.len()
    }

    /// There is no server.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// State of a server.
    pub fn server(&self, index: usize) -> Option<ServerInfo<'_>> {
        let server = self.servers.get(index)?;
        Some(ServerInfo {
            host: &server.endpoint.host,
            port: server.endpoint.port,
            udp_port: server.udp_port,
            weight: server.weight,
            kind: server.endpoint.kind,
            is_down: !server.health.is_good(),
        })
    }

    /// Forgets all servers, once they have the writes that wait for them, and with them what of the batch has not been
    /// fetched.
    pub fn clear_servers(&mut self) {
        self.quit();
        self.servers.clear();
        self.batch.pending.clear();
        self.batch.records.clear();
        self.failures.clear();
        self.next = 0;
        self.ring = None;
    }

    /// The servers, as the ring sees them. One that gets TLS keeps its place.
    pub fn servers(&self) -> Vec<ring::RingServer> {
        self.servers
            .iter()
            .map(|server| ring::RingServer {
                host: server.endpoint.host.strip_prefix(names::TLS).unwrap_or(&server.endpoint.host).to_owned(),
                port: server.endpoint.port,
                weight: server.weight,
            })
            .collect()
    }

    /// The pool's arena, if the pool's only server is one or serves one on this host. A removed arena file is noticed
    /// when `now` is in another second: a caller may read its clock less often than it asks.
    pub fn arena(&mut self, now: Time) -> Option<&Arena> {
        let [server] = self.servers.as_mut_slice() else { return None };
        if server.is_local() {
            server.local.open(&server.endpoint, now).ok()
        } else if self.options.short_cut && server.credentials.is_none() && !server.endpoint.is_secured() {
            server.short_cut.find(&mut server.endpoint).map(|found| &found.arena)
        } else {
            None
        }
    }

    /// How long what `arena` has just given may be used without asking for it again.
    pub fn arena_validity(&self, now: Time) -> Validity {
        let served = self.servers.first().and_then(|server| server.short_cut.found());
        served.map_or(Validity::Second(now), FoundArena::validity)
    }

    /// The longest value that may be stored in `arena` without the pool: above it, the server whose arena it is
    /// refuses.
    pub fn value_max(&self) -> usize {
        match self.servers.as_slice() {
            [server] => server.short_cut.found().map_or(usize::MAX, |found| found.value_max),
            _ => usize::MAX,
        }
    }

    /// Servers that failed since the batch began, in the order in which they did.
    pub fn failures(&self) -> &[ServerFailure] {
        &self.failures
    }

    /// Gives one server settings of its own. Nothing happens if there is no such server.
    pub fn tune(&mut self, index: usize, tuning: Tuning) {
        if let Some(server) = self.servers.get_mut(index) {
            server.tuning = tuning;
        }
    }

    /// Sets the credentials of one server, or of all present and future ones. A change closes connections. Requests to
    /// such servers use the binary protocol, whatever the pool speaks, and never the short cut, which would bypass the
    /// sign-in.
    pub fn set_credentials(&mut self, server: Option<usize>, credentials: Option<Credentials>) {
        let credentials = credentials.map(Arc::new);
        let chosen = match server {
            Some(server) if server >= self.servers.len() => return,
            Some(server) => server..server + 1,
            None => {
                self.credentials.clone_from(&credentials);
                0..self.servers.len()
            }
        };
        if self.servers[chosen.clone()].iter().all(|server| server.credentials == credentials) {
            return;
        }
        self.quit();
        self.begin();
        for server in &mut self.servers[chosen] {
            server.credentials.clone_from(&credentials);
        }
    }

    /// Marks a server as good (`None`), or has it back off for `rest`, as after a failure.
    pub fn mark(&mut self, index: usize, rest: Option<Duration>) {
        let Some(server) = self.servers.get_mut(index) else { return };
        match rest {
            None => server.health.succeeded(),
            Some(rest) => server.health.take_down(Instant::now(), rest),
        }
        self.has_trouble = true;
    }

    /// The server on which a key, without its prefix, or a group lives, dead or not.
    pub fn locate(&mut self, key: &[u8]) -> Option<usize> {
        let place = self.options.place_of_group(key).into_owned();
        self.first_place(&place)
    }

    /// The server that a get of this key would go to now: another one if its own is dead and there is a living one to
    /// take its place.
    pub fn route_now(&mut self, key: &[u8]) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        Some(self.route(key, Operation::Get).map_or_else(|(server, _)| server, |(server, _)| server))
    }

    fn ring(&mut self) -> &Ring {
        if self.ring.is_none() {
            let ring = Ring::new(self.options.preset.clone(), self.servers());
            let is_broken = self.servers.iter().any(|server| server.health.is_ejected());
            self.ring = Some(if is_broken {
                ring.without_dead(|server| !self.servers[server].health.is_ejected())
            } else {
                ring
            });
        }
        self.ring.as_ref().expect("built above")
    }

    /// Begins a batch. Answers of the last one are dropped, and unread ones are not waited for.
    pub fn begin(&mut self) {
        self.leave_to_parent();
        // One more, because the number before the first marks ends of rows.
        self.batch.opaque_base = self.batch.opaque_base.wrapping_add(self.batch.pending.len() as u32 + 1);
        self.batch.pending.clear();
        self.batch.records.clear();
        self.batch.keys.clear();
        (self.next, self.asked, self.has_errors) = (0, 0, false);
        self.failures.clear();
        for server in &mut self.servers {
            server.begin();
            if self.options.detects && !server.was_recalled && !server.is_local() {
                (server.was_recalled, server.speaks) = (true, detect::recall(&server.endpoint));
            }
        }
        if self.has_trouble {
            self.wake();
        }
    }

    /// Lets servers be tried again after their time-out.
    fn wake(&mut self) {
        let now = Instant::now();
        let mut is_back = false;
        for server in &mut self.servers {
            is_back |= server.health.wake(now);
        }
        if is_back {
            self.rebuild();
        }
        self.has_trouble = self.servers.iter().any(|server| !server.health.is_good());
    }

    /// `request` gets no answer from its server.
    fn give_up(&mut self, number: u32, fault: Fault) {
        let pending = &mut self.batch.pending[number as usize];
        if pending.is_copy {
            pending.is_waiting = false;
            return;
        }
        self.has_errors = true;
        self.batch.finish(number, fault.code).number = u64::from(fault.errno.unsigned_abs());
    }

    /// The next answer of the batch, in order of arrival. After `start` it waits for one; None = there are no more.
    pub fn next_answer(&mut self) -> Option<Answer<'_>> {
        loop {
            let is_silent = self.batch.records.get(self.next).map(|record| self.batch.is_silent(record));
            match is_silent {
                Some(true) => self.next += 1,
                Some(false) => break,
                None if self.is_owed() && self.advance() => {}
                None => return None,
            }
        }
        let record = &self.batch.records[self.next];
        self.next += 1;
        let server = &self.servers[record.server as usize];
        let bytes = if record.is_datagram { &server.datagrams.input.bytes } else { &server.input.bytes };
        let pending = &self.batch.pending[record.request as usize];
        let key = if matches!(record.code, Code::Stat) {
            &bytes[record.name.clone()]
        } else {
            &self.batch.keys[pending.key.clone()]
        };
        Some(Answer {
            request: pending.asked as usize,
            code: record.code,
            server: record.server as usize,
            key,
            value: &bytes[record.value.clone()],
            meta: record.meta,
            cas: record.cas,
            number: record.number,
        })
    }

    /// An answer is still to come for this process: only the parent reads answers to its requests from before a fork.
    fn is_owed(&self) -> bool {
        self.servers.iter().any(Server::is_awaited) && self.pid == std::process::id()
    }

    /// In a child of fork: connections, requests and unsent output belong to the parent.
    fn leave_to_parent(&mut self) {
        let pid = leveret_engine::process_id();
        if pid != self.pid {
            // Closing here does not close the parent's.
            self.close_all();
            self.pid = pid;
        }
    }

    /// Closes the connections: nothing is sent, nothing is waited for, and what waited to be sent is lost.
    pub fn discard(mut self) {
        self.close_all();
    }

    fn close_all(&mut self) {
        for server in &mut self.servers {
            server.close();
            server.datagrams.close();
            server.output.clear();
            server.sent = 0;
            server.expected.clear();
            server.row.clear();
            server.has_quiet = false;
        }
    }
}

/// Dropping a pool writes its queued requests; see `Pool::discard`.
impl Drop for Pool {
    fn drop(&mut self) {
        self.quit();
    }
}

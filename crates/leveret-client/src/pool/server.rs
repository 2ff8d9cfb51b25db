//! One server of a pool: its link, its output and input, the requests that await an answer, and whether it is worth a try.
use super::batch::{Batch, Input, Request, BUFFER_KEPT, ROW_END};
use super::options::{Options, Protocol};
use crate::code::Code;
use crate::link::endpoint::{ServerEndpoint, ServerKind};
use crate::link::fault::{Address, Fault, Moved};
use crate::link::sign_in::{Credentials, SignIn};
use crate::link::stream::Secured;
use crate::link::{names, Link};
use crate::memory::execute::Local;
use crate::memory::short_cut::ShortCut;
use crate::wire::datagrams::Datagrams;
use crate::wire::{write, Expected};
use leveret_protocol::text::TextKey;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where one server differs from the pool's settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuning {
    /// For a connection to be made, and for a server that owes an answer.
    pub timeout: Option<Duration>,
    /// Back-off after a failure.
    pub retry_timeout: Option<Duration>,
}

pub(crate) struct Server {
    pub endpoint: ServerEndpoint,
    pub udp_port: u16,
    pub weight: u32,
    pub tuning: Tuning,
    /// Each connection begins with them.
    pub credentials: Option<Arc<Credentials>>,
    pub health: Health,
    pub datagrams: Datagrams,
    pub short_cut: ShortCut,
    /// For `arena:NAME`.
    pub local: Local,
    /// Its detected protocol.
    pub speaks: Option<Protocol>,
    /// What earlier pools have heard of it is known.
    pub was_recalled: bool,
    pub link: Option<Link>,
    /// The link has served an earlier batch.
    pub is_used: bool,
    /// It has, and nothing has come over it in this one: if it turns out to be closed, the server
    /// closed it while it was idle, and the batch is sent again over a new one.
    pub may_be_stale: bool,
    /// The output only reads: it may be sent again when it is unknown whether the server has executed it.
    pub only_reads: bool,
    pub output: Vec<u8>,
    pub sent: usize,
    /// Requests without an answer were written: it is unknown whether the server has read them.
    pub has_quiet: bool,
    pub input: Input,
    /// Requests in the order in which they were sent.
    pub expected: Expected,
    /// Gets that are not written yet: they go out in one row, or are read from memory together.
    pub row: Vec<u32>,
    /// Description of its failure, where codes have none.
    pub trouble: Option<String>,
    /// Bytes that have come since patience is measured.
    pub come: usize,
    /// When patience ends; None while things move.
    pub deadline: Option<Instant>,
}

impl Server {
    pub fn new(host: String, port: u16, udp_port: u16, weight: u32) -> Server {
        Server {
            endpoint: ServerEndpoint::new(host, port),
            udp_port,
            weight,
            tuning: Tuning::default(),
            credentials: None,
            health: Health::default(),
            datagrams: Datagrams::default(),
            short_cut: ShortCut::default(),
            local: Local::default(),
            speaks: None,
            was_recalled: false,
            link: None,
            is_used: false,
            may_be_stale: false,
            only_reads: true,
            output: Vec::new(),
            sent: 0,
            has_quiet: false,
            input: Input::default(),
            expected: Expected::new(),
            row: Vec::new(),
            trouble: None,
            come: 0,
            deadline: None,
        }
    }

    /// It is memory of this host.
    pub fn is_local(&self) -> bool {
        matches!(self.endpoint.kind, ServerKind::Arena)
    }

    /// The protocol used with it.
    pub fn protocol(&self, options: &Options) -> Protocol {
        match self.speaks {
            // Passwords are the binary protocol's.
            _ if self.credentials.is_some() => Protocol::Binary,
            Some(Protocol::Binary) if options.detects => Protocol::Binary,
            _ => options.protocol,
        }
    }

    /// Its protocol is neither known nor configured.
    pub fn is_unheard(&self, options: &Options) -> bool {
        options.detects && self.speaks.is_none() && self.credentials.is_none() && !self.endpoint.is_secured()
    }

    /// Ready for a new batch. A link on which something is still awaited, or came unasked, is of no use any more.
    pub fn begin(&mut self) {
        if !self.expected.is_empty() || self.input.parsed < self.input.filled {
            self.close();
            // The rest of a request is none: it must not go out over the next link.
            if self.sent > 0 || !self.expected.is_empty() {
                self.sent = self.output.len();
            }
        }
        self.expected.clear();
        self.row.clear();
        self.input.clear();
        self.datagrams.begin();
        self.is_used = self.link.is_some();
        self.may_be_stale = self.is_used;
        (self.deadline, self.come) = (None, 0);
        if self.sent == self.output.len() {
            self.sent = 0;
            if self.output.capacity() > BUFFER_KEPT {
                self.output = Vec::new();
            }
            self.output.clear();
        }
        // Writes of earlier batches may wait in it.
        self.only_reads = self.output.is_empty();
    }

    pub fn close(&mut self) {
        self.note_trouble();
        self.link = None;
        (self.is_used, self.may_be_stale) = (false, false);
        self.deadline = None;
        self.input.cut();
    }

    pub fn connect_timeout(&self, options: &Options) -> Duration {
        self.tuning.timeout.unwrap_or(options.connect_timeout)
    }

    pub fn io_timeout(&self, options: &Options) -> Duration {
        self.tuning.timeout.unwrap_or(options.io_timeout)
    }

    pub fn has_unsent(&self) -> bool {
        self.sent < self.output.len() || self.link.as_ref().is_some_and(Link::holds_back)
    }

    fn note_trouble(&mut self) {
        if let Some(why) = self.link.as_ref().and_then(Link::trouble) {
            self.trouble = Some(format!("{}: {why}", self.endpoint.name()));
        }
    }

    /// Some request awaits its answer.
    pub fn is_awaited(&self) -> bool {
        !self.expected.is_empty() || self.datagrams.is_busy()
    }

    /// Something is to be sent over the stream, or awaited from it.
    pub fn is_streaming(&self) -> bool {
        self.has_unsent() || !self.expected.is_empty()
    }

    /// Something may come over the stream, or its end.
    pub fn can_answer(&self) -> bool {
        self.is_streaming() && self.link.as_ref().is_some_and(|link| link.is_connected)
    }

    /// A connection is on its way.
    pub fn is_connecting(&self) -> bool {
        self.is_streaming() && self.link.as_ref().is_some_and(|link| !link.is_connected)
    }

    pub fn is_busy(&self) -> bool {
        self.is_streaming() || self.datagrams.is_busy()
    }

    /// Begins or finishes connecting, at the next address of the host where one refuses. True = connected.
    pub fn connect(&mut self, options: &Options) -> Result<bool, Fault> {
        if self.link.as_ref().is_some_and(|link| link.is_connected) {
            return Ok(true);
        }
        let result = match &mut self.link {
            Some(link) => link.finish_connect(),
            None => {
                self.endpoint.resolve()?;
                self.open(options)
            }
        };
        // A sign-in refused at one address would be refused at the next.
        let is_refused = |fault: &Fault| matches!(fault.code, Code::AuthProblem | Code::AuthFailure);
        result.or_else(|fault| if is_refused(&fault) { Err(fault) } else { self.open_next(fault, options) })?;
        Ok(self.link.as_ref().is_some_and(|link| link.is_connected))
    }

    /// Begins to connect to the next address of the host at which that can begin, with its own time; the one before has
    /// failed so.
    pub fn open_next(&mut self, mut fault: Fault, options: &Options) -> Result<(), Fault> {
        while self.endpoint.try_next() {
            match self.open(options) {
                Ok(()) => return Ok(()),
                Err(another) => fault = another,
            }
        }
        Err(fault)
    }

    fn open(&mut self, options: &Options) -> Result<(), Fault> {
        self.note_trouble();
        (self.link, self.deadline) = (None, None);
        let tls = match names::secured_host(&self.endpoint.host).map(|host| Secured::new(&options.tls, host)) {
            Some(Err(why)) => {
                self.trouble = Some(format!("{}: {why}", self.endpoint.name()));
                return Err(Fault::new(Code::ConnectionFailure));
            }
            tls => tls.and_then(Result::ok),
        };
        let sign_in = self.credentials.as_ref().filter(|_| !self.is_local()).map(SignIn::new);
        let will_send = tls.is_some() || sign_in.is_some() || self.has_unsent();
        let mut link = Link::connect(self.endpoint.tried(), options, will_send, tls, sign_in)?;
        if link.may_send_early() && self.has_unsent() {
            self.sent += link.send_early(&self.output[self.sent..])?;
        }
        self.link = Some(link);
        Ok(())
    }

    /// Before a write is sent over a link that was idle: has the peer closed it meanwhile?
    pub fn drop_if_stale(&mut self) {
        let must_arrive = self.may_be_stale && !self.only_reads && self.sent == 0;
        if must_arrive && self.link.as_mut().is_some_and(|link| !link.is_quiet()) {
            self.close();
        }
    }

    /// The peer has hung up. It did so while the link was idle, as far as one can tell, and nothing is done twice if
    /// the batch goes out again: it only reads, or the kernel has taken nothing of it.
    pub fn may_send_again(&self) -> bool {
        self.may_be_stale && (self.only_reads || self.sent == 0)
    }

    /// Sends what can be sent now.
    pub fn send(&mut self) -> Result<Moved, Fault> {
        let Some(link) = &mut self.link else { return Ok(Moved::Blocked) };
        let mut all = Moved::Blocked;
        if link.holds_back() {
            all = link.send(&[])?;
        }
        while self.sent < self.output.len() {
            match link.send(&self.output[self.sent..])? {
                Moved::Bytes(len) => {
                    self.sent += len;
                    all = Moved::Bytes(len);
                }
                Moved::Blocked | Moved::Interrupted => break,
                Moved::Closed => return Ok(Moved::Closed),
            }
        }
        Ok(all)
    }

    /// Appends a request to the output; gets wait in their row until `end_row`.
    pub fn write(&mut self, batch: &Batch, number: u32, request: &Request<'_>, options: &Options) -> Result<(), Code> {
        if request.operation.is_get() {
            self.row.push(number);
            return Ok(());
        }
        self.end_row(batch, options);
        let protocol = self.protocol(options);
        write::write(&mut self.output, protocol, batch, number, request)?;
        if !batch.pending[number as usize].is_quiet {
            self.expected.push_back(number);
        }
        Ok(())
    }

    /// Whether a get can be written in one row with those that wait.
    pub fn is_one_row(&self, batch: &Batch, number: u32, options: &Options) -> bool {
        let kind = |number: u32| {
            let pending = &batch.pending[number as usize];
            (pending.operation, pending.exptime, pending.with_cas)
        };
        self.protocol(options) != Protocol::Text || self.row.first().is_none_or(|first| kind(*first) == kind(number))
    }

    /// Writes the gets that wait, as one line or as a row of quiet ones with a mark at its end.
    pub fn end_row(&mut self, batch: &Batch, options: &Options) {
        if self.row.is_empty() {
            return;
        }
        let protocol = self.protocol(options);
        let has_mark = write::write_row(&mut self.output, protocol, batch, &self.row);
        self.expected.extend(self.row.drain(..));
        if has_mark {
            self.expected.push_back(ROW_END);
        }
    }

    /// The UDP port, if gets go there.
    fn datagram_port(&self, options: &Options) -> Option<u16> {
        let ServerEndpoint { kind, port, .. } = self.endpoint;
        match self.udp_port {
            _ if !matches!(kind, ServerKind::Tcp)
                || self.endpoint.is_secured()
                || self.protocol(options) == Protocol::Binary =>
            {
                None
            }
            0 => options.udp.then_some(port),
            port => Some(port),
        }
    }

    /// Lets datagrams ask for the row, if the server listens for them, unless the stream has work in this batch: a get
    /// must not overtake the store before it. Keys that text cannot carry stay.
    pub fn ask_by_datagrams(&mut self, batch: &Batch, options: &Options) {
        if self.datagram_port(options).is_none() || !self.expected.is_empty() || self.has_unsent() {
            return;
        }
        let Server { row, datagrams, .. } = self;
        row.retain(|request| match TextKey::new(batch.key(*request)) {
            Some(key) => {
                datagrams.ask(*request, key, batch);
                false
            }
            None => true,
        });
    }

    /// Sends the datagrams that are due. Gives the requests that are to go over the stream.
    pub fn send_datagrams(&mut self, options: &Options) -> Vec<u32> {
        if !self.datagrams.is_busy() {
            return Vec::new();
        }
        let address = match (self.endpoint.address(), self.datagram_port(options)) {
            (Ok(Address::Internet(mut address)), Some(port)) => {
                address.set_port(port);
                Some(address)
            }
            _ => None,
        };
        self.datagrams.send(address, Instant::now(), options)
    }

    /// If the server may not have read all yet: tells it that nothing more comes.
    pub fn end_of_output(&mut self) -> Option<&mut Server> {
        let has_unsent = self.has_unsent();
        let link = self.link.as_mut().filter(|_| self.has_quiet && !has_unsent)?;
        link.end_of_output().ok()?;
        Some(self)
    }

    /// Waits until the server closes too, which it does when it has read all. A link that is closed with something
    /// unread, such as its complaint about one write, takes the other writes along.
    pub fn drain(&mut self, options: &Options) {
        let until = Instant::now() + self.io_timeout(options);
        self.input.cut();
        while let Ok(Moved::Bytes(_) | Moved::Interrupted) = self.recv(true, options) {
            self.input.cut();
            if Instant::now() >= until {
                break;
            }
        }
    }

    /// Reads once; `alone` = may wait.
    pub fn recv(&mut self, alone: bool, options: &Options) -> Result<Moved, Fault> {
        let patience = self.io_timeout(options);
        let Some(link) = &mut self.link else { return Ok(Moved::Blocked) };
        let room = self.input.room();
        let moved = if alone { link.recv_alone(room, patience)? } else { link.recv(room)? };
        if let Moved::Bytes(len) = moved {
            self.input.filled += len;
            self.may_be_stale = false;
        }
        Ok(moved)
    }
}

/// Whether a server is worth a try: libmemcached's rules of retry, failure limit and ejection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    failures: u32,
    timeouts: u32,
    state: HealthState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HealthState {
    #[default]
    Good,
    /// Not before this moment.
    Resting(Instant),
    /// Out of the ring; until this moment, or for good.
    Ejected(Option<Instant>),
}

impl Health {
    pub fn is_good(&self) -> bool {
        self.state == HealthState::Good
    }

    /// It is good, and has not failed since it was.
    pub fn is_fresh(&self) -> bool {
        self.is_good() && self.failures == 0 && self.timeouts == 0
    }

    pub fn is_ejected(&self) -> bool {
        matches!(self.state, HealthState::Ejected(_))
    }

    /// A failure. True: the ring must be rebuilt.
    pub fn failed(&mut self, now: Instant, options: &Options, retry_timeout: Duration) -> bool {
        self.failures += 1;
        let is_over = options.failure_limit != 0 && self.failures >= options.failure_limit;
        if is_over && options.auto_eject {
            self.state = HealthState::Ejected((!options.dead_timeout.is_zero()).then(|| now + options.dead_timeout));
            // Back in the ring, one more failure is enough.
            self.failures = options.failure_limit.saturating_sub(1);
        } else if !retry_timeout.is_zero() {
            self.state = HealthState::Resting(now + retry_timeout);
        }
        self.is_ejected()
    }

    /// It did not answer in time. True if that is a failure by now.
    pub fn timed_out(&mut self, options: &Options) -> bool {
        self.timeouts += 1;
        options.timeout_limit != 0 && self.timeouts >= options.timeout_limit
    }

    /// As after a failure: backs off for `rest`.
    pub fn take_down(&mut self, now: Instant, rest: Duration) {
        self.state = HealthState::Resting(now + rest);
    }

    pub fn succeeded(&mut self) {
        *self = Health::default();
    }

    /// Advances the time. True: the ring must be rebuilt.
    pub fn wake(&mut self, now: Instant) -> bool {
        match self.state {
            HealthState::Resting(until) if until <= now => {
                self.state = HealthState::Good;
                false
            }
            HealthState::Ejected(Some(until)) if until <= now => {
                self.state = HealthState::Good;
                true
            }
            _ => false,
        }
    }

    /// Ends the back-off on request: the next request tries the server, unless it was ejected for good. Failures still
    /// count. True: the ring must be rebuilt.
    pub fn end_rest(&mut self) -> bool {
        let is_back = matches!(self.state, HealthState::Ejected(Some(_)));
        if self.state != HealthState::Ejected(None) {
            self.state = HealthState::Good;
        }
        is_back
    }

    /// The result of a request to this server without sending it.
    pub fn refusal(&self) -> Option<Code> {
        match self.state {
            HealthState::Good => None,
            HealthState::Resting(_) => Some(Code::ServerTemporarilyDisabled),
            HealthState::Ejected(_) => Some(Code::ServerMarkedDead),
        }
    }
}

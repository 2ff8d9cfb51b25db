//! The whole server, in two steps: `bind` takes the addresses while the process may still be root and single-threaded;
//! `Bound::run` serves until shutdown is requested.
//!
//! The thread that calls `run` accepts, and hands connections to the workers in turn, as memcached does: with one
//! listener per worker (SO_REUSEPORT) the kernel would distribute them by a hash, and a few long-lived connections
//! might all meet at one worker. Between connections it maintains the arena once a second.
use crate::announcing::announce;
use crate::entrance::{Entrance, RESP_ENDPOINT};
use crate::inbox::RunState;
use crate::net::accept::Reception;
use crate::net::event_loop::Start;
use crate::net::listen::{self, Listener, SocketFile};
use crate::net::passed::Passed;
use crate::net::udp;
use crate::redis::announced::AnnouncedListener;
use crate::serve_error::ServeError;
use crate::settings::Security;
use crate::signals::{Signals, Wish};
use crate::systemd::Watchdog;
use crate::transport::Transport;
use crate::warm_restart::{self, RestartRecord};
use crate::{metrics, small_file, Settings, Shared};
use leveret_engine::Announcement;
use leveret_place::GUARDED;
use mio::unix::SourceFd;
use mio::{Interest, Poll, Token, Waker};
use rustix::fd::{AsRawFd, OwnedFd};
use socket2::SockRef;
use std::io;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

const WAKE: Token = Token(usize::MAX);
const SIGNAL: Token = Token(usize::MAX - 1);

/// A server whose addresses are taken; clients may connect already and wait.
#[derive(Debug)]
pub struct Bound {
    /// Signals may arrive as soon as the addresses are known.
    signals: Signals,
    listeners: Vec<Listener>,
    udp: Vec<UdpGroup>,
    network: String,
    meta: Option<RestartRecord>,
    /// Once it was asked for: the arena's note of where this server listens.
    announcements: Option<Vec<Announcement>>,
    /// Of `--metrics`.
    metrics: Option<(Listener, Option<SocketFile>)>,
    /// Dropped, they remove the Unix sockets' files.
    socket_files: [Option<SocketFile>; 2],
}

/// One UDP address.
#[derive(Debug)]
struct UdpGroup {
    /// One for each worker.
    sockets: Vec<OwnedFd>,
    address: SocketAddr,
}

/// Takes all addresses of the settings and writes the file that MEMCACHED_PORT_FILENAME names. Starts no thread.
pub fn bind(settings: &Settings) -> Result<Bound, ServeError> {
    let meta = settings.memory_file.as_deref().map(RestartRecord::read).transpose()?.flatten();
    let Passed { mut listeners, udp: passed_udp, metrics: passed_metrics } = Passed::take(settings)?;
    let mut udp: Vec<UdpGroup> =
        passed_udp.into_iter().map(|(socket, address)| UdpGroup { sockets: vec![socket], address }).collect();
    let mut socket_file = None;
    if !listeners.is_empty() || !udp.is_empty() {
        // The parent process has chosen the addresses.
    } else if let Some(path) = &settings.unix_path {
        let (listener, file) = listen::unix(path, settings.unix_mode, settings.backlog)?;
        listeners.push(listener);
        socket_file = Some(file);
    } else {
        listeners = listen::tcp(settings)?;
        for address in listen::udp_addresses(settings)? {
            udp.push(bind_udp(address, settings.threads.max(1))?);
        }
    }
    let mut redis_file = None;
    if let Some(redis) = &settings.redis {
        let (found, file) = listen::redis(settings, redis)?;
        listeners.extend(found);
        redis_file = file;
    }
    if listeners.is_empty() && udp.is_empty() {
        return Err(ServeError::NoAddress);
    }
    let metrics = match (passed_metrics, &settings.metrics) {
        (Some(listener), _) => Some((listener, None)),
        (None, Some(address)) => Some(metrics::bind(address, settings)?),
        (None, None) => None,
    };
    let bound = Bound {
        signals: Signals::new()?,
        listeners,
        udp,
        network: listen::network_namespace(),
        meta,
        announcements: None,
        metrics,
        socket_files: [socket_file, redis_file],
    };
    if let Some(path) = std::env::var_os("MEMCACHED_PORT_FILENAME").map(PathBuf::from) {
        bound.write_ports(&path)?;
    }
    Ok(bound)
}

fn bind_udp(address: SocketAddr, workers: usize) -> Result<UdpGroup, ServeError> {
    let bound = udp::bind(address, workers).and_then(|sockets| {
        let address = SockRef::from(&sockets[0]).local_addr()?.as_socket().unwrap_or(address);
        Ok(UdpGroup { sockets, address })
    });
    bound.map_err(|source| ServeError::Bind { address: format!("{address} (UDP)"), source })
}

impl Bound {
    /// Where clients find this server: `tcp 127.0.0.1:11211 net:[…]`, `unix /path`, `udp 127.0.0.1:11211 net:[…]`.
    pub fn endpoints(&self) -> Vec<String> {
        let connected = self.listeners.iter().map(|listener| self.endpoint(listener));
        connected.chain(self.udp.iter().map(|group| format!("udp {} {}", group.address, self.network))).collect()
    }

    fn endpoint(&self, listener: &Listener) -> String {
        match listener.transport {
            Transport::Unix => listener.endpoint.to_string(),
            _ => format!("{} {}", listener.endpoint, self.network),
        }
    }

    /// The endpoints for clients of memcached, as the arena is told of them. A client that uses the arena itself is asked for
    /// no password and for no certificate: where one is needed, the word in front keeps clients away, and other servers and
    /// people see that the arena is served.
    fn announced(&self, settings: &Settings) -> Vec<String> {
        let asks = |security| settings.asks_for_passwords() || settings.asks_for_certificates(security);
        let told = |(endpoint, security): (String, Security)| match asks(security) && !settings.announce {
            true => format!("{GUARDED}{endpoint}"),
            false => endpoint,
        };
        let listeners = self.listeners.iter().filter(|listener| listener.entrance == Entrance::Memcached);
        let connected = listeners.map(|listener| (self.endpoint(listener), listener.security));
        // UDP has no TLS.
        let datagrams =
            self.udp.iter().map(|group| (format!("udp {} {}", group.address, self.network), Security::Plain));
        connected.chain(datagrams).map(told).collect()
    }

    /// The same for clients of Redis.
    fn announced_to_redis(&self, settings: &Settings) -> Vec<AnnouncedListener> {
        let listeners = self.listeners.iter().filter(|listener| listener.entrance == Entrance::Redis);
        let announced = |listener: &Listener| AnnouncedListener {
            endpoint: self.endpoint(listener).trim_start_matches(RESP_ENDPOINT).to_owned(),
            asks_for_certificate: settings.asks_for_certificates(listener.security),
            is_open: settings.announce,
        };
        listeners.map(announced).collect()
    }

    /// The TCP addresses for clients of memcached, with the ports that were free if the settings named none.
    pub fn tcp_addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.addresses(Entrance::Memcached)
    }

    /// The same for clients of Redis.
    pub fn redis_addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.addresses(Entrance::Redis)
    }

    fn addresses(&self, entrance: Entrance) -> impl Iterator<Item = SocketAddr> + '_ {
        let listeners = self.listeners.iter().filter(move |listener| listener.entrance == entrance);
        listeners.filter_map(|listener| listener.address)
    }

    /// The UDP addresses.
    pub fn udp_addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.udp.iter().map(|group| group.address)
    }

    /// Writes this server's addresses into the arena, for local clients and for other servers that would serve the same
    /// arena. Clients may trust them already: they can connect. For callers that must know, before they serve, that no
    /// other server does.
    pub fn announce(&mut self, shared: &Shared) {
        self.announcements = Some(announce(&shared.arena(), &shared.settings, &self.announced(&shared.settings)));
        if let Some(redis) = shared.redis() {
            redis.announced.begin(self.announced_to_redis(&shared.settings));
        }
    }

    /// Serves, and announces it unless that was done. Returns when the server has ended: by a signal or by `shutdown`.
    pub fn run(self, shared: Arc<Shared>) -> Result<(), ServeError> {
        self.run_with(shared, || None)
    }

    /// As `run`. On SIGHUP `reread` is asked for the settings as they are said now; None: they stay.
    pub fn run_with(mut self, shared: Arc<Shared>, reread: impl Fn() -> Option<Settings>) -> Result<(), ServeError> {
        if self.announcements.is_none() {
            self.announce(&shared);
        }
        if let Some(tls) = shared.tls().filter(|_| self.listeners.iter().any(|one| one.security == Security::Mutual)) {
            tls.keep_authorities();
        }
        let endpoints = self.announced(&shared.settings);
        let Bound { signals, listeners, mut udp, meta, announcements, metrics, socket_files, .. } = self;
        if let Some(meta) = meta {
            meta.redeem(shared.arena().path())?;
        }
        let failed = |doing| move |source| ServeError::System { doing, source };
        let poll = Poll::new().map_err(failed("poll"))?;
        let waker = Waker::new(poll.registry(), WAKE).map_err(failed("poll"))?;
        poll.registry()
            .register(&mut SourceFd(&signals.fd().as_raw_fd()), SIGNAL, Interest::READABLE)
            .map_err(failed("watch signals"))?;
        for (index, listener) in listeners.iter().enumerate() {
            poll.registry()
                .register(&mut SourceFd(&listener.socket.as_raw_fd()), Token(index), Interest::READABLE)
                .map_err(failed("watch a listener"))?;
        }
        let listening = listeners.iter().map(|listener| (listener.socket.as_raw_fd(), listener.endpoint.clone()));
        let datagrams = udp.iter().flat_map(|group| {
            let endpoint: Arc<str> = format!("udp {}", group.address).into();
            group.sockets.iter().map(move |socket| (socket.as_raw_fd(), endpoint.clone()))
        });
        shared.network.listen(listening.chain(datagrams).collect());
        let control = Arc::new(RunState::new(waker));
        let mut workers = Vec::new();
        let mut inboxes = Vec::new();
        for index in 0..shared.settings.threads.max(1) {
            let sockets = udp.iter_mut().filter_map(|group| group.sockets.pop()).collect();
            let (worker, inbox) =
                Start::new(index, shared.clone(), control.clone(), sockets).map_err(failed("make a worker"))?;
            workers.push(start(index, worker).map_err(failed("start a worker"))?);
            inboxes.push(inbox);
        }
        shared.watch.set_inboxes(inboxes.clone());
        if let Some(redis) = shared.redis() {
            redis.clients.set_inboxes(inboxes.clone());
        }
        let (metrics, metrics_file) = metrics.unzip();
        let metrics = metrics.map(|listener| metrics::Http::start(listener, shared.clone())).transpose();
        let metrics = metrics.map_err(failed("start the thread of --metrics"))?;
        let mut reception = Reception {
            poll,
            signals,
            listeners,
            control,
            inboxes,
            turn: 0,
            announcements: announcements.unwrap_or_default(),
            endpoints,
            shared,
            paused_since: None,
            has_care: false,
            was_lost: false,
            reread: &reread,
            watchdog: Watchdog::of_environment(),
        };
        let ended = reception.run();
        let Reception { control, inboxes, listeners, shared, announcements, .. } = reception;
        // From here on no client is sent here or can connect, and connected ones get their answers.
        drop(announcements);
        if let Some(redis) = shared.redis() {
            redis.announced.end();
        }
        drop(listeners);
        drop(socket_files);
        drop((metrics, metrics_file));
        control.drain();
        inboxes.iter().for_each(|inbox| inbox.wake());
        for worker in workers {
            // In a release a panic has aborted the process; a test is to see it.
            worker.join().unwrap_or_else(|panic| resume_unwind(panic)).map_err(failed("poll"))?;
        }
        match (ended.map_err(failed("poll"))?, &shared.settings.memory_file) {
            (Wish::Restart, Some(file)) => warm_restart::write(file, shared.arena().path()),
            _ => Ok(()),
        }
    }

    /// As memcached writes it. Ports for clients of Redis have a word of their own.
    fn write_ports(&self, path: &Path) -> Result<(), ServeError> {
        let mut text = String::new();
        let tcp = self.tcp_addresses().map(|address| ("TCP", address));
        let udp = self.udp_addresses().map(|address| ("UDP", address));
        let redis = self.redis_addresses().map(|address| ("RESP", address));
        for (protocol, address) in tcp.chain(udp).chain(redis) {
            let family = if address.is_ipv6() { "INET6" } else { "INET" };
            text += &format!("{protocol} {family}: {}\n", address.port());
        }
        if text.is_empty() {
            return Ok(());
        }
        small_file::write(path, text.as_bytes()).map(drop).map_err(|source| ServeError::File {
            doing: "write",
            path: path.to_owned(),
            source,
        })
    }
}

fn start(index: usize, worker: Start) -> io::Result<JoinHandle<io::Result<()>>> {
    thread::Builder::new().name(format!("leveret-{index}")).spawn(move || worker.run())
}

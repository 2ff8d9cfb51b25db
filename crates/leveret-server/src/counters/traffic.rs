//! What the sockets count, for `stats` and `stats conns`.
use super::budget::Budget;
use crate::transport::Transport;
use slab::Slab;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Counters of all sockets of a server.
#[derive(Debug)]
pub struct Network {
    started: Instant,
    now_secs: AtomicU32,
    /// Open connections of clients.
    pub curr_connections: AtomicU64,
    /// All connections that were taken since the start.
    pub total_connections: AtomicU64,
    /// Connections that were sent away because of `-c`.
    pub rejected_connections: AtomicU64,
    /// How often accepting stopped because the process had no file descriptors left.
    pub listen_disabled: AtomicU64,
    /// For how long, in microseconds.
    pub listen_disabled_us: AtomicU64,
    /// Memory that is held for clients.
    pub budget: Budget,
    /// Whether new connections are taken.
    pub is_accepting: AtomicBool,
    listeners: Mutex<Vec<(i32, Arc<str>)>>,
    workers: Box<[Arc<WorkerCounters>]>,
}

/// Counters of one worker. Padded to two cache lines, which processors fetch as one.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct WorkerCounters {
    /// Bytes that clients sent.
    pub bytes_read: AtomicU64,
    /// Bytes that they were sent.
    pub bytes_written: AtomicU64,
    /// How often a connection had as many requests executed as it may have in one turn (`-R`): as memcached counts, not
    /// how often others were waiting.
    pub conn_yields: AtomicU64,
    /// Connections closed because nothing came for too long.
    pub idle_kicks: AtomicU64,
    connections: Mutex<Slab<ConnectionInfo>>,
}

/// One line of `stats conns`.
#[derive(Clone, Debug)]
pub struct ConnectionInfo {
    /// Its descriptor.
    pub fd: i32,
    /// How the client came.
    pub transport: Transport,
    /// The client; None for a Unix socket.
    pub peer: Option<SocketAddr>,
    /// The endpoint it came to, as announced.
    pub endpoint: Arc<str>,
    /// When it last sent something, in seconds since the server's start.
    pub last_active_secs: u32,
    /// State of the connection.
    pub state: ConnectionState,
}

/// State of a connection, as `stats conns` shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectionState {
    /// Nothing has come yet.
    #[default]
    New,
    /// It waits for a request, or for the rest of its line.
    Read,
    /// It waits for the rest of a value.
    Value,
    /// Waits for the rest of a request that it discards.
    Swallow,
    /// It waits for the client to take its answers.
    Write,
    /// Reports the requests of others.
    Watch,
}

impl ConnectionState {
    /// In memcached's words.
    pub fn name(self) -> &'static str {
        match self {
            ConnectionState::New => "conn_new_cmd",
            ConnectionState::Read => "conn_read",
            ConnectionState::Value => "conn_nread",
            ConnectionState::Swallow => "conn_swallow",
            ConnectionState::Write => "conn_mwrite",
            ConnectionState::Watch => "conn_watch",
        }
    }
}

/// Totals over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes that clients sent.
    pub bytes_read: u64,
    /// Bytes that they were sent.
    pub bytes_written: u64,
    /// How often a connection had as many requests executed as it may have in one turn.
    pub conn_yields: u64,
    /// Connections closed because nothing came for too long.
    pub idle_kicks: u64,
}

impl Network {
    /// Counters for `threads` workers.
    pub fn new(threads: usize) -> Network {
        Network {
            started: Instant::now(),
            now_secs: AtomicU32::new(0),
            curr_connections: AtomicU64::new(0),
            total_connections: AtomicU64::new(0),
            rejected_connections: AtomicU64::new(0),
            listen_disabled: AtomicU64::new(0),
            listen_disabled_us: AtomicU64::new(0),
            budget: Budget::default(),
            is_accepting: AtomicBool::new(true),
            listeners: Mutex::default(),
            workers: (0..threads).map(|_| Arc::default()).collect(),
        }
    }

    /// Seconds since the start, as of the last `tick`: the clock of `last_active_secs`.
    #[inline]
    pub fn uptime_secs(&self) -> u32 {
        self.now_secs.load(Relaxed)
    }

    /// Moves the clock on. Once a second is enough.
    pub(crate) fn tick(&self) {
        self.now_secs.store(self.started.elapsed().as_secs() as u32, Relaxed);
    }

    /// A connection has ended.
    pub(crate) fn closed(&self) {
        self.curr_connections.fetch_sub(1, Relaxed);
    }

    /// The counters of one worker.
    pub fn worker(&self, index: usize) -> &Arc<WorkerCounters> {
        &self.workers[index]
    }

    /// Sums over all workers.
    pub fn traffic(&self) -> Traffic {
        let sum = |counter: fn(&WorkerCounters) -> &AtomicU64| {
            self.workers.iter().map(|worker| counter(worker).load(Relaxed)).sum()
        };
        Traffic {
            bytes_read: sum(|worker| &worker.bytes_read),
            bytes_written: sum(|worker| &worker.bytes_written),
            conn_yields: sum(|worker| &worker.conn_yields),
            idle_kicks: sum(|worker| &worker.idle_kicks),
        }
    }

    /// The sockets that accept connections, and those of UDP: descriptors and endpoints.
    pub(crate) fn listen(&self, listeners: Vec<(i32, Arc<str>)>) {
        *self.listeners.lock().unwrap_or_else(PoisonError::into_inner) = listeners;
    }

    /// What `listen` was told.
    pub fn listeners(&self) -> Vec<(i32, Arc<str>)> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All open connections.
    pub fn connections(&self) -> Vec<ConnectionInfo> {
        let all = |worker: &Arc<WorkerCounters>| {
            worker.connections().iter().map(|(_, info)| info.clone()).collect::<Vec<_>>()
        };
        self.workers.iter().flat_map(all).collect()
    }

    /// `stats reset`: counters of events restart at zero; gauges such as open connections stay.
    pub fn reset(&self) {
        for counter in
            [&self.total_connections, &self.rejected_connections, &self.listen_disabled, &self.listen_disabled_us]
        {
            counter.store(0, Relaxed);
        }
        self.budget.reset();
        for worker in &self.workers {
            for counter in [&worker.bytes_read, &worker.bytes_written, &worker.conn_yields, &worker.idle_kicks] {
                counter.store(0, Relaxed);
            }
        }
    }
}

impl WorkerCounters {
    /// Counts up. Only its worker calls this, so a load and a store do; `stats reset` may get lost between them, which
    /// costs one turn's counts.
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.store(counter.load(Relaxed).wrapping_add(amount), Relaxed);
    }

    /// A connection's turn has ended with its last request.
    pub(crate) fn count_yield(&self) {
        WorkerCounters::add(&self.conn_yields, 1);
    }

    /// What `stats conns` shows of this worker. Locked when a connection comes, goes, was first active in a
    /// second, or is about something else.
    pub(crate) fn connections(&self) -> MutexGuard<'_, Slab<ConnectionInfo>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

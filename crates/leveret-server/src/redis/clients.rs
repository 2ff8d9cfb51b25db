//! The connected clients, for CLIENT LIST, INFO, KILL and related commands.
use crate::inbox::Inbox;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicU8, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// The connections of the entrance, by their numbers, which are never used again.
#[derive(Default)]
pub(crate) struct Clients {
    last: AtomicU64,
    table: Mutex<BTreeMap<u64, Arc<Client>>>,
    inboxes: OnceLock<Vec<Arc<Inbox>>>,
    /// Some were killed and are not closed yet.
    killed: AtomicU32,
}

/// One connection, as others see it. Its worker writes, all read.
#[derive(Debug)]
pub(crate) struct Client {
    pub id: u64,
    /// `127.0.0.1:50000`, or the path of the Unix socket with `:0` behind it, as Redis writes it.
    pub address: String,
    /// The server's side.
    pub local: String,
    pub fd: i32,
    worker: usize,
    pub since: Instant,
    pub texts: Mutex<Texts>,
    pub database: AtomicU32,
    /// 2 or 3.
    pub protocol: AtomicU8,
    /// Commands in its transaction; -1: it is in none.
    pub queued: AtomicI32,
    pub watched: AtomicU32,
    /// When it last asked, in milliseconds since `since`.
    pub asked_ms: AtomicU64,
    /// Where the name of its last command lies; 0: there was none.
    command: AtomicUsize,
    pub is_no_evict: AtomicBool,
    pub is_no_touch: AtomicBool,
    pub is_known: AtomicBool,
    is_killed: AtomicBool,
    is_gone: AtomicBool,
}

/// Attributes that a client sets for itself.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The user that it signed in as; empty: none.
    pub user: Vec<u8>,
    pub name: Vec<u8>,
    pub library: Vec<u8>,
    pub version: Vec<u8>,
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Clients").field("last", &self.last).finish_non_exhaustive()
    }
}

impl Clients {
    /// The workers' inboxes, through which they learn of killed clients.
    pub fn set_inboxes(&self, inboxes: Vec<Arc<Inbox>>) {
        let _ = self.inboxes.set(inboxes);
    }

    /// A connection has come to a worker.
    pub fn add(&self, worker: usize, fd: i32, address: String, local: String) -> Arc<Client> {
        let client = Arc::new(Client {
            id: self.last.fetch_add(1, Relaxed) + 1,
            address,
            local,
            fd,
            worker,
            since: Instant::now(),
            texts: Mutex::default(),
            database: AtomicU32::new(0),
            protocol: AtomicU8::new(2),
            queued: AtomicI32::new(-1),
            watched: AtomicU32::new(0),
            asked_ms: AtomicU64::new(0),
            command: AtomicUsize::new(0),
            is_no_evict: AtomicBool::new(false),
            is_no_touch: AtomicBool::new(false),
            is_known: AtomicBool::new(false),
            is_killed: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
        });
        self.table().insert(client.id, client.clone());
        client
    }

    /// A connection has ended.
    pub fn remove(&self, client: &Client) {
        if client.is_gone.swap(true, AcqRel) {
            return;
        }
        self.table().remove(&client.id);
        if client.is_killed() {
            self.killed.fetch_sub(1, AcqRel);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.table().len()
    }

    /// All of them, the oldest first.
    pub fn all(&self) -> Vec<Arc<Client>> {
        self.table().values().cloned().collect()
    }

    /// Ends a connection: its worker closes it as soon as it is woken.
    pub fn kill(&self, client: &Client) {
        if client.is_killed.swap(true, AcqRel) {
            return;
        }
        self.killed.fetch_add(1, AcqRel);
        if let Some(inbox) = self.inboxes.get().and_then(|inboxes| inboxes.get(client.worker)) {
            inbox.wake();
        }
    }

    /// Whether any were killed and are not closed yet.
    pub fn has_killed(&self) -> bool {
        self.killed.load(Acquire) > 0
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// Whether it is to be closed.
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(Acquire)
    }

    /// It has asked for a command.
    #[inline]
    pub fn note_command(&self, name: &'static str) {
        self.command.store(name.as_ptr() as usize, Relaxed);
    }

    /// The name of its last command.
    pub fn command(&self) -> Option<&'static str> {
        let place = self.command.load(Relaxed);
        super::counters::names().find(|name| name.as_ptr() as usize == place)
    }

    pub fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

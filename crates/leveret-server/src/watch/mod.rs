//! `watch`: a client gets the operations of other clients as they happen.
//!
//! A worker puts an event into its own ring and continues. One thread, which runs only while there are watchers, takes
//! the events out of all rings, formats them as lines, puts these into the feed of each watcher, and sends them. On a
//! TLS connection its worker sends instead, since it has the keys. Ring and feed are bounded: events without room are
//! counted, and reported to the watcher as `skipped=` before the next line. So no worker waits for a watcher, and
//! without watchers an event costs one load of a word that does not change.
//!
//! Operations of other processes come from the journals of the arenas, through the same thread and a ring of its own.
mod elsewhere;
mod event;
mod ring;

pub use event::{cmd, reason, status, transport, Event, EventKind, Kinds, DEAD};

use crate::inbox::Inbox;
use elsewhere::Elsewhere;
use leveret_engine::{Arena, Evicted, Time};
use ring::{EventRing, Waiting};
use rustix::io::Errno;
use rustix::net::{send, SendFlags};
use std::fmt;
use std::io::Write;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// As many as memcached has.
const WATCHERS_MAX: usize = 20;

/// Bytes that wait for one watcher, besides those being sent.
pub const FEED_MAX: usize = 256 << 10;

/// Bytes of events that wait in each worker.
pub const RING_MAX: usize = ring::WORDS * size_of::<u64>();

/// Bytes of text made before they are sent: they are still in the processor's cache then.
const BATCH: usize = 64 << 10;

/// Between two looks at the rings, unless one of them begins to be full: each look costs more than the lines that it
/// brings.
const PAUSE: Duration = Duration::from_millis(10);

/// All watchers of a server.
pub(crate) struct WatchHub {
    /// Kinds that any watcher asks for.
    wanted: AtomicU32,
    /// One for each worker, one for evictions, which the thread that looks after the arena causes too, and one for what
    /// others do. Made for the first watcher.
    rings: OnceLock<Box<[EventRing]>>,
    /// Held while an eviction is put into its ring.
    evicting: Mutex<()>,
    /// Locked alone, or behind `watchers`.
    elsewhere: Mutex<Elsewhere>,
    inboxes: OnceLock<Vec<Arc<Inbox>>>,
    watchers: Mutex<Watchers>,
    /// Wakes the thread before its time.
    hurry: Condvar,
    is_asleep: AtomicBool,
    threads: usize,
    gid: AtomicU64,
    written: AtomicU64,
    skipped: AtomicU64,
    sent: AtomicU64,
}

#[derive(Default)]
struct Watchers {
    all: Vec<Arc<Watcher>>,
    is_running: bool,
}

/// One watcher.
#[derive(Debug)]
struct Watcher {
    kinds: Kinds,
    /// Whose connection it is.
    worker: usize,
    /// Where its lines are sent straight away, once its worker has sent the answer to `watch`.
    socket: OnceLock<OwnedFd>,
    feed: Mutex<Feed>,
}

#[derive(Debug, Default)]
struct Feed {
    lines: Vec<u8>,
    /// Bytes of them that are sent.
    sent: usize,
    /// Lines that found no room since the last one that did.
    skipped: u64,
}

/// A watcher's end at its connection. Dropped, it watches no more.
pub struct Watching {
    watch: Arc<WatchHub>,
    watcher: Arc<Watcher>,
}

/// Why a client cannot watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchRefused {
    /// There are as many as there may be.
    TooMany,
    /// No connection leads back, or there is no thread.
    Impossible,
}

/// What `stats` tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub dropped: u64,
    pub written: u64,
    pub skipped: u64,
    pub sent: u64,
    pub watchers: usize,
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watching").field(&self.watcher.kinds).finish()
    }
}

impl WatchHub {
    /// Without watchers, for `threads` workers.
    pub fn new(threads: usize) -> WatchHub {
        WatchHub {
            wanted: AtomicU32::new(0),
            rings: OnceLock::new(),
            evicting: Mutex::new(()),
            elsewhere: Mutex::default(),
            inboxes: OnceLock::new(),
            watchers: Mutex::default(),
            hurry: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            threads,
            gid: AtomicU64::new(1),
            written: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            sent: AtomicU64::new(0),
        }
    }

    /// Kinds that any watcher asks for now.
    #[inline]
    pub fn wanted(&self) -> Kinds {
        Kinds(self.wanted.load(Relaxed))
    }

    /// Watches the other processes on this arena too. It is the database `database` of `--redis`, or the only arena.
    pub fn follow(&self, database: u32, arena: &Arena) {
        let mut elsewhere = self.elsewhere();
        elsewhere.follow(database as u8, arena);
        // At once: a process may use the arena from now on.
        elsewhere.ask(self.wanted());
    }

    /// The database's arena is gone.
    pub fn forget(&self, database: u32) {
        self.elsewhere().forget(database as u8);
    }

    fn elsewhere(&self) -> MutexGuard<'_, Elsewhere> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the workers are found that send.
    pub fn set_inboxes(&self, inboxes: Vec<Arc<Inbox>>) {
        let _ = self.inboxes.set(inboxes);
    }

    /// Tells of an event of this worker, in its thread.
    pub fn tell(&self, worker: usize, event: &Event<'_>) {
        self.tell_of(worker, now_micros(), event);
    }

    /// The same, if the moment is known.
    pub fn tell_of(&self, worker: usize, micros: u64, event: &Event<'_>) {
        if !self.wanted().has(event.kinds()) {
            return;
        }
        let Some(ring) = self.rings.get().and_then(|rings| rings.get(worker)) else { return };
        if ring.put(micros, event) && self.is_asleep.load(Relaxed) && self.is_asleep.swap(false, Relaxed) {
            self.hurry.notify_one();
        }
    }

    /// Reports an item evicted by a store or by maintenance of this server.
    pub fn tell_evicted(&self, database: u32, evicted: &Evicted<'_>) {
        if !self.wanted().has(Kinds::EVICTIONS) {
            return;
        }
        let (key, found, now) = (evicted.key(), evicted.found(), Time::now());
        let event = Event {
            kind: EventKind::Eviction,
            key: &key,
            status: u8::from(found.is_fetched()),
            cmd: 0,
            size: found.value_len,
            ttl: found.deadline.time().map_or(DEAD, |at| at.0.saturating_sub(now.0)),
            idle: now.0.saturating_sub(found.mtime.0),
            cfd: 0,
            database: database as u8,
            by: None,
        };
        let _alone = self.evicting.lock().unwrap_or_else(PoisonError::into_inner);
        self.tell(self.threads, &event);
    }

    /// A connection of this worker begins to watch.
    pub fn begin(self: &Arc<WatchHub>, kinds: Kinds, worker: usize) -> Result<Watching, WatchRefused> {
        if self.inboxes.get().is_none_or(|inboxes| worker >= inboxes.len()) {
            return Err(WatchRefused::Impossible);
        }
        let mut present = self.watchers();
        if present.all.len() >= WATCHERS_MAX {
            return Err(WatchRefused::TooMany);
        }
        let rings = self.rings.get_or_init(|| (0..self.threads + 2).map(|_| EventRing::new()).collect());
        if !present.is_running {
            // Events that the last watchers did not take.
            rings.iter().for_each(EventRing::clear);
            let watch = self.clone();
            let thread = thread::Builder::new().name("leveret-watch".to_owned());
            thread.spawn(move || watch.run()).map_err(|_| WatchRefused::Impossible)?;
            present.is_running = true;
        }
        let watcher = Arc::new(Watcher { kinds, worker, socket: OnceLock::new(), feed: Mutex::default() });
        present.all.push(watcher.clone());
        self.note_wanted(&present);
        // Operations of other processes count from this answer on.
        self.elsewhere().ask(self.wanted());
        Ok(Watching { watch: self.clone(), watcher })
    }

    pub fn figures(&self) -> Figures {
        Figures {
            dropped: self.dropped(),
            written: self.written.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            sent: self.sent.load(Relaxed),
            watchers: self.watchers().all.len(),
        }
    }

    /// Events lost so far.
    fn dropped(&self) -> u64 {
        let rings = self.rings.get().map_or(&[][..], |rings| rings);
        rings.iter().map(EventRing::dropped).sum::<u64>() + self.elsewhere().lost()
    }

    fn watchers(&self) -> MutexGuard<'_, Watchers> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_wanted(&self, present: &Watchers) {
        let wanted = present.all.iter().fold(Kinds::default(), |wanted, watcher| wanted | watcher.kinds);
        self.wanted.store(wanted.0, Relaxed);
    }

    /// Sends events until no watcher is left.
    fn run(&self) {
        let rings = self.rings.get().map_or(&[][..], |rings| rings);
        let mut batch = Batch::default();
        let mut dropped = self.dropped();
        loop {
            let mut present = self.watchers();
            if present.all.is_empty() {
                present.is_running = false;
                self.elsewhere().rest();
                return;
            }
            let watchers = present.all.clone();
            drop(present);
            if let Some(ring) = rings.last() {
                self.elsewhere().collect(self.wanted(), ring);
            }
            let is_last = batch.collect(rings, &self.gid);
            let lost = self.dropped();
            self.written.fetch_add(batch.lines.len() as u64, Relaxed);
            watchers.iter().for_each(|watcher| self.feed(watcher, &batch, lost - dropped));
            dropped = lost;
            // Watchers that have disconnected meanwhile: no other descriptor refers to the socket.
            drop(watchers);
            if is_last {
                let present = self.watchers();
                self.is_asleep.store(true, Relaxed);
                drop(self.hurry.wait_timeout(present, PAUSE));
                self.is_asleep.store(false, Relaxed);
            }
        }
    }

    /// Gives a watcher its share of a batch, and sends as much as its client accepts.
    fn feed(&self, watcher: &Watcher, batch: &Batch, lost: u64) {
        let mut feed = watcher.feed();
        feed.skipped += lost;
        let socket = watcher.socket.get();
        socket.into_iter().for_each(|socket| feed.send(socket));
        let before = feed.lines.len();
        let (taken, skipped) = feed.add(batch, watcher.kinds, socket);
        self.skipped.fetch_add(skipped, Relaxed);
        self.sent.fetch_add(taken, Relaxed);
        if let Some(socket) = socket {
            feed.send(socket);
        } else if feed.lines.len() > before {
            drop(feed);
            let inbox = self.inboxes.get().and_then(|inboxes| inboxes.get(watcher.worker));
            inbox.into_iter().for_each(|inbox| inbox.wake());
        }
    }
}

impl Watcher {
    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feed {
    /// Adds the lines that fit, and the note about those that did not; lines that can be sent at once are not copied.
    /// Returns how many lines were added and how many were not.
    fn add(&mut self, batch: &Batch, kinds: Kinds, socket: Option<&OwnedFd>) -> (u64, u64) {
        if batch.is_all(kinds) && self.has_room(batch.text.len()) {
            let is_first = self.lines.is_empty() && self.skipped == 0;
            let sent = socket.filter(|_| is_first).map_or(0, |socket| send_some(socket, &batch.text));
            self.push(&batch.text[sent..]);
            return (batch.lines.len() as u64, 0);
        }
        let (mut taken, mut skipped, mut begin) = (0, 0, 0);
        for &(kind, end) in &batch.lines {
            let line = &batch.text[std::mem::replace(&mut begin, end)..end];
            if !kinds.has(kind) {
                continue;
            }
            if self.has_room(line.len()) {
                self.push(line);
                taken += 1;
            } else {
                self.skipped += 1;
                skipped += 1;
            }
        }
        (taken, skipped)
    }

    fn has_room(&self, len: usize) -> bool {
        const NOTE: usize = 32;
        self.lines.len() + len + if self.skipped > 0 { NOTE } else { 0 } <= FEED_MAX
    }

    fn push(&mut self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        if self.skipped > 0 {
            let _ = writeln!(self.lines, "skipped={}", self.skipped);
            self.skipped = 0;
        }
        self.lines.extend_from_slice(lines);
    }

    /// Sends what the socket takes.
    fn send(&mut self, socket: &OwnedFd) {
        self.sent += send_some(socket, &self.lines[self.sent..]);
        // Not for a little of it: the rest has to be moved.
        if self.sent * 2 > self.lines.len() {
            self.lines.drain(..self.sent);
            self.sent = 0;
        }
    }
}

/// Returns how much the socket took. That it is broken its worker is told by the socket.
fn send_some(socket: &OwnedFd, bytes: &[u8]) -> usize {
    let mut sent = 0;
    while sent < bytes.len() {
        match send(socket, &bytes[sent..], SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(len) => sent += len,
            Err(Errno::INTR) => {}
            Err(_) => break,
        }
    }
    sent
}

impl Watching {
    /// The answer to `watch` is sent: from now on lines go to this socket without its worker.
    pub fn send_to(&self, socket: BorrowedFd<'_>) {
        if self.watcher.socket.get().is_none() {
            // Without a descriptor to spare the worker sends.
            if let Ok(socket) = socket.try_clone_to_owned() {
                let _ = self.watcher.socket.set(socket);
            }
        }
    }

    /// Moves what the worker has to send behind `out`.
    pub fn take(&self, out: &mut Vec<u8>) {
        if self.watcher.socket.get().is_none() {
            out.append(&mut self.watcher.feed().lines);
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut present = self.watch.watchers();
        present.all.retain(|watcher| !Arc::ptr_eq(watcher, &self.watcher));
        self.watch.note_wanted(&present);
        drop(present);
        self.watch.hurry.notify_one();
    }
}

/// Lines of what happened, in the order of time as far as it was collected together.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// Kind of each line, and where it ends in the text.
    lines: Vec<(Kinds, usize)>,
    /// What all of them are about.
    kinds: Kinds,
    key: Vec<u8>,
}

impl Batch {
    /// Takes events out of the rings until it is full, and returns whether that were all.
    fn collect(&mut self, rings: &[EventRing], gid: &AtomicU64) -> bool {
        self.text.clear();
        self.lines.clear();
        self.kinds = Kinds::default();
        let mut waiting: Vec<Waiting<'_>> = rings.iter().map(EventRing::waiting).collect();
        waiting.retain(|waiting| waiting.micros().is_some());
        let mut number = gid.load(Relaxed);
        while self.text.len() < BATCH {
            let oldest = waiting
                .iter_mut()
                .filter_map(|waiting| Some((waiting.micros()?, waiting)))
                .min_by_key(|(micros, _)| *micros);
            let Some((_, oldest)) = oldest else { break };
            let (micros, event) = oldest.take(&mut self.key);
            number += 1;
            event::write_line(&mut self.text, micros, number, &event);
            let kinds = event.kinds();
            self.kinds = self.kinds | kinds;
            self.lines.push((kinds, self.text.len()));
        }
        gid.store(number, Relaxed);
        self.text.len() < BATCH
    }

    /// Whether a watcher of these kinds gets all lines.
    fn is_all(&self, kinds: Kinds) -> bool {
        self.kinds.0 & !kinds.0 == 0
    }
}

/// The clock of `ts=`.
pub(crate) fn now_micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}

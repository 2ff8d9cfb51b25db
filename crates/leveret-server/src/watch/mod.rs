//! `watch`: a client is told what other clients do, as it happens.
//!
//! A worker puts an event into a ring of its own, and goes on. One thread, which runs only while somebody watches, takes
//! the events out of all rings, makes lines of them, and puts these into the feed of each watcher. The worker of a
//! watcher's connection sends what is in its feed. Ring and feed are bounded: what finds no room is counted, and
//! told to the watcher as `skipped=` before the next line that finds room. So nobody ever waits for a watcher, and as
//! long as there is none, an event costs a look at a number that does not change.
mod event;
mod ring;

pub use event::{cmd, reason, status, transport, Event, EventKind, Kinds};

use crate::worker::Inbox;
use leveret_engine::{Evicted, Time};
use ring::Ring;
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// As many as memcached has.
const WATCHERS_MAX: usize = 20;

/// Bytes that wait for one watcher, beside what is being sent to it.
pub const FEED_MAX: usize = 256 << 10;

/// Between two looks at the rings, unless one of them begins to be full: each look wakes workers, which costs more than
/// the lines that it brings.
const PAUSE: Duration = Duration::from_millis(10);

/// All watchers of a server.
pub(crate) struct Watch {
    /// What anybody wants to be told.
    wanted: AtomicU32,
    /// One for each worker, and one for evictions, which the thread that looks after the arena causes too. Made for the
    /// first watcher.
    rings: OnceLock<Box<[Ring]>>,
    /// Held by who puts an eviction into its ring.
    evicting: Mutex<()>,
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
    feed: Mutex<Feed>,
}

#[derive(Debug, Default)]
struct Feed {
    lines: Vec<u8>,
    /// Lines that found no room since the last one that did.
    skipped: u64,
}

/// A watcher's end at its connection. Dropped, it watches no more.
pub struct Watching {
    watch: Arc<Watch>,
    watcher: Arc<Watcher>,
}

/// Why somebody cannot watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
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

impl Watch {
    /// Nobody watches the workers, of whom there are so many.
    pub fn new(threads: usize) -> Watch {
        Watch {
            wanted: AtomicU32::new(0),
            rings: OnceLock::new(),
            evicting: Mutex::new(()),
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

    /// What anybody wants to be told now.
    #[inline]
    pub fn wanted(&self) -> Kinds {
        Kinds(self.wanted.load(Relaxed))
    }

    /// Where the workers are found that send.
    pub fn set_inboxes(&self, inboxes: Vec<Arc<Inbox>>) {
        let _ = self.inboxes.set(inboxes);
    }

    /// Tells of an event of this worker, in its thread.
    #[cold]
    pub fn tell(&self, worker: usize, event: &Event<'_>) {
        if !self.wanted().has(event.kind.kinds()) {
            return;
        }
        let Some(ring) = self.rings.get().and_then(|rings| rings.get(worker)) else { return };
        if ring.put(now_micros(), event) && self.is_asleep.load(Relaxed) && self.is_asleep.swap(false, Relaxed) {
            self.hurry.notify_one();
        }
    }

    /// Tells of an item that a store of this server, or its care for the arena, lets go.
    pub fn tell_evicted(&self, evicted: &Evicted<'_>) {
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
            ttl: found.deadline.time().map_or(-1, |at| i64::from(at.0.saturating_sub(now.0))),
            idle: now.0.saturating_sub(found.mtime.0),
            cfd: 0,
        };
        let _alone = self.evicting.lock().unwrap_or_else(PoisonError::into_inner);
        self.tell(self.threads, &event);
    }

    /// Somebody whose connection is this worker's begins to watch.
    pub fn begin(self: &Arc<Watch>, kinds: Kinds, worker: usize) -> Result<Watching, Refused> {
        if self.inboxes.get().is_none_or(|inboxes| worker >= inboxes.len()) {
            return Err(Refused::Impossible);
        }
        let mut present = self.watchers();
        if present.all.len() >= WATCHERS_MAX {
            return Err(Refused::TooMany);
        }
        let rings = self.rings.get_or_init(|| (0..=self.threads).map(|_| Ring::new()).collect());
        if !present.is_running {
            // What the last watchers did not want to know any more.
            rings.iter().for_each(|ring| ring.take(&mut Vec::new(), |_, _| {}));
            let watch = self.clone();
            let thread = thread::Builder::new().name("leveret-watch".to_owned());
            thread.spawn(move || watch.run()).map_err(|_| Refused::Impossible)?;
            present.is_running = true;
        }
        let watcher = Arc::new(Watcher { kinds, worker, feed: Mutex::default() });
        present.all.push(watcher.clone());
        self.note_wanted(&present);
        Ok(Watching { watch: self.clone(), watcher })
    }

    pub fn figures(&self) -> Figures {
        let rings = self.rings.get().map_or(&[][..], |rings| rings);
        Figures {
            dropped: rings.iter().map(Ring::dropped).sum(),
            written: self.written.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            sent: self.sent.load(Relaxed),
            watchers: self.watchers().all.len(),
        }
    }

    fn watchers(&self) -> MutexGuard<'_, Watchers> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_wanted(&self, present: &Watchers) {
        let wanted = present.all.iter().fold(Kinds::default(), |wanted, watcher| wanted | watcher.kinds);
        self.wanted.store(wanted.0, Relaxed);
    }

    /// Tells what happens until nobody watches.
    fn run(&self) {
        let rings = self.rings.get().map_or(&[][..], |rings| rings);
        let mut events = Events::default();
        let mut dropped: u64 = rings.iter().map(Ring::dropped).sum();
        loop {
            events.collect(rings);
            let lost: u64 = rings.iter().map(Ring::dropped).sum();
            let has_some = !events.order.is_empty() || lost > dropped;
            let mut present = self.watchers();
            if present.all.is_empty() {
                present.is_running = false;
                return;
            }
            if has_some {
                let watchers = present.all.clone();
                drop(present);
                self.hand_out(&events, lost - dropped, &watchers);
                dropped = lost;
                present = self.watchers();
            }
            self.is_asleep.store(true, Relaxed);
            drop(self.hurry.wait_timeout(present, PAUSE));
            self.is_asleep.store(false, Relaxed);
        }
    }

    fn hand_out(&self, events: &Events, lost: u64, watchers: &[Arc<Watcher>]) {
        self.written.fetch_add(events.order.len() as u64, Relaxed);
        let mut text = Vec::new();
        let mut lines = Vec::with_capacity(events.order.len());
        for &(micros, at) in &events.order {
            let (event, begin) = (events.event(at), text.len());
            event::write_line(&mut text, micros, self.gid.fetch_add(1, Relaxed) + 1, &event);
            lines.push((event.kind.kinds(), begin..text.len()));
        }
        let inboxes = self.inboxes.get().map_or(&[][..], |inboxes| inboxes);
        for watcher in watchers {
            let mut feed = watcher.feed();
            feed.skipped += lost;
            let mut taken = [0; 2];
            for (_, line) in lines.iter().filter(|(kind, _)| watcher.kinds.has(*kind)) {
                taken[usize::from(feed.add(&text[line.clone()]))] += 1;
            }
            let has_some = !feed.lines.is_empty();
            drop(feed);
            self.skipped.fetch_add(taken[0], Relaxed);
            self.sent.fetch_add(taken[1], Relaxed);
            if let Some(inbox) = inboxes.get(watcher.worker).filter(|_| has_some && taken[1] > 0) {
                inbox.wake();
            }
        }
    }
}

impl Watcher {
    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feed {
    /// Adds a line if there is room for it, and for what has to be said about those for which there was none.
    fn add(&mut self, line: &[u8]) -> bool {
        let note = if self.skipped > 0 { 32 } else { 0 };
        if self.lines.len() + line.len() + note > FEED_MAX {
            self.skipped += 1;
            return false;
        }
        if self.skipped > 0 {
            let _ = writeln!(self.lines, "skipped={}", self.skipped);
            self.skipped = 0;
        }
        self.lines.extend_from_slice(line);
        true
    }
}

impl Watching {
    /// Moves what is there to tell behind `out`.
    pub fn take(&self, out: &mut Vec<u8>) {
        out.append(&mut self.watcher.feed().lines);
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

/// What one look at the rings has found.
#[derive(Default)]
struct Events {
    /// Where each is in `all`, in the order of time.
    order: Vec<(u64, usize)>,
    all: Vec<(Event<'static>, std::ops::Range<usize>)>,
    keys: Vec<u8>,
}

impl Events {
    fn collect(&mut self, rings: &[Ring]) {
        let Events { order, all, keys } = self;
        order.clear();
        all.clear();
        keys.clear();
        let mut key = Vec::new();
        for ring in rings {
            // Each ring is in the order in which it happened, and stays so if the clock is set back.
            let mut last = 0;
            ring.take(&mut key, |micros, event| {
                last = micros.max(last);
                order.push((last, all.len()));
                all.push((Event { key: b"", ..*event }, keys.len()..keys.len() + event.key.len()));
                keys.extend_from_slice(event.key);
            });
        }
        order.sort_by_key(|(micros, _)| *micros);
    }

    fn event(&self, at: usize) -> Event<'_> {
        let (event, key) = &self.all[at];
        Event { key: &self.keys[key.clone()], ..*event }
    }
}

fn now_micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}

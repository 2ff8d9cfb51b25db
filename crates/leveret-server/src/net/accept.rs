//! The accepting thread: it accepts connections, hands them to the workers in turn, and maintains the arena once a
//! second and whenever no connection waits.
use super::listen::Listener;
use crate::announcing::announce;
use crate::commands::dump::TENDED_AT_ONCE;
use crate::entrance::Entrance;
use crate::inbox::{Accepted, Inbox, RunState};
use crate::log::{self, Level};
use crate::signals::{Signals, Wish};
use crate::systemd::Watchdog;
use crate::{Settings, Shared};
use leveret_engine::{Announcement, Arena, Time};
use mio::{Events, Poll};
use rustix::io::Errno;
use rustix::net::{acceptfrom_with, send, SendFlags, SocketFlags};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at the arena.
const TICK: Duration = Duration::from_secs(1);

/// Between two sweeps of the databases of `--redis`, while keys have deadlines.
const SWEEP: Duration = Duration::from_millis(100);

/// Without free file descriptors accepting is tried again after this time.
const PAUSE: Duration = Duration::from_millis(10);

/// Connections accepted before signals and the clock are checked.
const ACCEPTS: usize = 256;

/// The accepting thread.
pub(crate) struct Reception<'a> {
    pub poll: Poll,
    pub signals: Signals,
    pub listeners: Vec<Listener>,
    pub control: Arc<RunState>,
    pub inboxes: Vec<Arc<Inbox>>,
    /// Whose turn it is to get a connection.
    pub turn: usize,
    /// Where clients find this server, and the arena's note of it.
    pub endpoints: Vec<String>,
    pub announcements: Vec<Announcement>,
    pub shared: Arc<Shared>,
    /// Since when no further connection is accepted: there is no file descriptor for it, or the limit is reached.
    pub paused_since: Option<Instant>,
    /// More has expired than was reclaimed.
    pub has_care: bool,
    /// The arena is gone, and there is no other yet.
    pub was_lost: bool,
    /// The settings as they are said now.
    pub reread: &'a dyn Fn() -> Option<Settings>,
    pub watchdog: Watchdog,
}

impl Reception<'_> {
    /// Accepts until the end is asked for, and says by what.
    pub fn run(&mut self) -> io::Result<Wish> {
        let mut events = Events::with_capacity(64);
        // Edge-triggered: a listener is ready until accept has said that it is not.
        let mut ready = vec![true; self.listeners.len()];
        let mut ticked = Instant::now();
        let mut swept = Instant::now();
        let mut sweep_after = TICK;
        loop {
            let timeout = match self.paused_since {
                Some(_) => PAUSE,
                None if self.has_care || ready.contains(&true) => Duration::ZERO,
                None => TICK.saturating_sub(ticked.elapsed()).min(sweep_after.saturating_sub(swept.elapsed())),
            };
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for event in &events {
                if let Some(ready) = ready.get_mut(event.token().0) {
                    *ready = true;
                }
            }
            for (index, ready) in ready.iter_mut().enumerate() {
                *ready = *ready && self.accept(index);
            }
            let asked = self.control.asked().map(|graceful| if graceful { Wish::Restart } else { Wish::End });
            let mut end = asked;
            for wish in self.signals.wishes() {
                match wish {
                    Wish::Reload => self.reload(),
                    Wish::End | Wish::Restart => end = end.or(Some(wish)),
                }
            }
            if let Some(wish) = end {
                // A queued client has connected, and may have sent a request already.
                (0..self.listeners.len()).for_each(|index| while self.paused_since.is_none() && self.accept(index) {});
                return Ok(wish);
            }
            if swept.elapsed() >= sweep_after {
                swept = Instant::now();
                sweep_after = self.sweep();
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                self.tick();
            } else if self.has_care {
                self.tend(&self.shared.arena());
            }
        }
    }

    /// Accepts connections of one listener. Returns whether there may be more.
    fn accept(&mut self, index: usize) -> bool {
        for _ in 0..ACCEPTS {
            if self.is_full() && !self.shared.live.maxconns_fast() {
                self.pause();
                return true;
            }
            let listener = &self.listeners[index];
            match acceptfrom_with(&listener.socket, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok((socket, peer)) => {
                    self.resume();
                    let listener = &self.listeners[index];
                    let network = &self.shared.network;
                    if self.is_full() {
                        network.rejected_connections.fetch_add(1, Relaxed);
                        // As memcached: in plain words also where TLS is spoken, since a handshake is what there is no room for.
                        let text: &[u8] = match listener.entrance {
                            Entrance::Memcached => b"ERROR Too many open connections\r\n",
                            Entrance::Redis => b"-ERR max number of clients reached\r\n",
                        };
                        let _ = send(&socket, text, SendFlags::NOSIGNAL);
                        continue;
                    }
                    network.curr_connections.fetch_add(1, Relaxed);
                    network.total_connections.fetch_add(1, Relaxed);
                    let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
                    let accepted = Accepted {
                        socket,
                        transport: listener.transport,
                        security: listener.security,
                        entrance: listener.entrance,
                        peer,
                        endpoint: listener.endpoint.clone(),
                    };
                    self.inboxes[self.turn].put(accepted);
                    self.turn = (self.turn + 1) % self.inboxes.len();
                }
                Err(Errno::AGAIN) => {
                    self.resume();
                    return false;
                }
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    self.pause();
                    return true;
                }
                // The client has gone again, or the network has trouble with this one: it is the next one's turn.
                Err(_) => {}
            }
        }
        true
    }

    fn is_full(&self) -> bool {
        self.shared.network.curr_connections.load(Relaxed) >= self.shared.live.conn_limit() as u64
    }

    fn reload(&self) {
        for error in self.shared.reload((self.reread)().as_ref()) {
            log::tell(Level::Error, format_args!("SIGHUP: {error}; what was read before stays in use"));
        }
        // One that sleeps has an idle timeout to look after now, perhaps.
        self.inboxes.iter().for_each(|inbox| inbox.wake());
    }

    fn pause(&mut self) {
        if self.paused_since.is_none() {
            self.paused_since = Some(Instant::now());
            self.shared.network.listen_disabled.fetch_add(1, Relaxed);
            self.shared.network.is_accepting.store(false, Relaxed);
            if self.shared.verbosity() > 0 {
                log::tell(Level::Debug, "Too many open connections");
            }
        }
    }

    fn resume(&mut self) {
        if let Some(since) = self.paused_since.take() {
            self.shared.network.listen_disabled_us.fetch_add(since.elapsed().as_micros() as u64, Relaxed);
            self.shared.network.is_accepting.store(true, Relaxed);
        }
    }

    fn tick(&mut self) {
        self.watchdog.tick(&self.inboxes);
        self.shared.network.tick();
        if let Some(redis) = self.shared.redis() {
            redis.tick().into_iter().for_each(|number| self.shared.watch.forget(number));
        }
        let arena = self.shared.arena();
        if arena.check().is_ok() {
            self.tend(&arena);
        } else {
            self.reopen(&arena);
        }
    }

    /// Removes expired keys of the databases of `--redis`. Returns when to go on.
    fn sweep(&self) -> Duration {
        match self.shared.redis() {
            Some(redis) if redis.sweep(&self.shared.arena()) => SWEEP,
            Some(_) => TICK,
            None => Duration::MAX,
        }
    }

    /// Reclaims some expired items. If there are more, that continues as soon as no connection waits to be accepted.
    fn tend(&mut self, arena: &Arena) {
        self.has_care = arena.tend(Time::now(), TENDED_AT_ONCE).has_more;
    }

    /// The arena's file was removed, replaced or truncated. Connections stay; requests that are under way end in the
    /// old one.
    fn reopen(&mut self, old: &Arena) {
        let path = old.path().display();
        match self.shared.reopen() {
            Ok(arena) => {
                log::tell(
                    Level::Warning,
                    format_args!(
                        "{path} was removed, replaced or cut short; from now on the new arena of that name is served"
                    ),
                );
                self.announcements = announce(&arena, &self.shared.settings, &self.endpoints);
                if let Some(redis) = self.shared.redis() {
                    redis.announced.add(0, &arena);
                }
                // A sleeping worker keeps the old arena's memory.
                self.inboxes.iter().for_each(|inbox| inbox.wake());
                self.was_lost = false;
            }
            Err(_) if self.was_lost => {}
            Err(error) => {
                log::tell(Level::Error, format_args!(
                    "{path} was removed, replaced or cut short; clients get what is left of it until there is a new one: {error}"
                ));
                self.was_lost = true;
            }
        }
    }
}

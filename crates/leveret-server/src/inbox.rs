//! How the threads of a server wake each other: the accepting thread hands connections to the workers, and workers tell it
//! that a client asked for the end.
use crate::entrance::Entrance;
use crate::log::{self, Level};
use crate::settings::Security;
use crate::transport::Transport;
use leveret_engine::reason;
use mio::Waker;
use rustix::fd::OwnedFd;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const RUNNING: u8 = 0;
const STOP_ASKED: u8 = 1;
const RESTART_ASKED: u8 = 2;
const DRAINING: u8 = 3;

/// What the accepting thread and the workers tell each other.
pub struct RunState {
    state: AtomicU8,
    /// Wakes the accepting thread.
    waker: Waker,
}

impl RunState {
    /// A running server.
    pub fn new(waker: Waker) -> RunState {
        RunState { state: AtomicU8::new(RUNNING), waker }
    }

    /// A client requests shutdown. The first request decides whether it is graceful, as by SIGUSR1.
    pub fn ask_to_stop(&self, graceful: bool) {
        let asked = if graceful { RESTART_ASKED } else { STOP_ASKED };
        let _ = self.state.compare_exchange(RUNNING, asked, Ordering::AcqRel, Ordering::Acquire);
        // Should it fail, the accepting thread looks once a second anyway.
        let _ = self.waker.wake();
    }

    /// Whether a client asked for the end, and if so, whether gracefully.
    pub fn asked(&self) -> Option<bool> {
        match self.state.load(Ordering::Acquire) {
            STOP_ASKED => Some(false),
            RESTART_ASKED => Some(true),
            _ => None,
        }
    }

    /// From now on workers end once they have answered.
    pub fn drain(&self) {
        self.state.store(DRAINING, Ordering::Release);
    }

    pub fn is_draining(&self) -> bool {
        self.state.load(Ordering::Acquire) == DRAINING
    }
}

/// A connection on its way to its worker.
pub struct Accepted {
    /// Non-blocking.
    pub socket: OwnedFd,
    /// How the client came.
    pub transport: Transport,
    /// Through TLS.
    pub security: Security,
    /// The client, for `stats conns`.
    pub peer: Option<SocketAddr>,
    /// Whose client it is.
    pub entrance: Entrance,
    /// The listener's endpoint.
    pub endpoint: Arc<str>,
}

/// Where the accepting thread puts connections for a worker.
pub struct Inbox {
    accepted: Mutex<Vec<Accepted>>,
    waker: Waker,
    /// Whether the worker has looked since it was asked to show that it lives.
    answered: AtomicBool,
}

impl Inbox {
    /// Of a worker that this wakes.
    pub fn new(waker: Waker) -> Inbox {
        Inbox { accepted: Mutex::default(), waker, answered: true.into() }
    }

    /// The connections that have come.
    pub fn take(&self) -> Vec<Accepted> {
        std::mem::take(&mut *self.accepted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The worker shows that it lives.
    pub fn answer(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// Hands a connection over.
    pub fn put(&self, accepted: Accepted) {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).push(accepted);
        self.wake();
    }

    /// Has the worker look at its inbox and at `RunState`.
    pub fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            log::tell(Level::Error, format_args!("a worker cannot be woken: {}", reason(&error)));
        }
    }

    /// Asks the worker to show that it lives.
    pub fn ask(&self) {
        self.answered.store(false, Ordering::Relaxed);
        self.wake();
    }

    /// Whether it has, since the last time that it was asked.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }
}

//! The settings that may change while the server runs (SIGHUP). Each is an atomic of its own, read where it is used;
//! all others keep their initial values.
use crate::Settings;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Their present values.
pub struct Live {
    conn_limit: AtomicUsize,
    maxconns_fast: AtomicBool,
    requests_per_turn: AtomicUsize,
    idle_timeout_secs: AtomicU32,
    flush: AtomicBool,
    dump: AtomicBool,
    watch: AtomicBool,
    shutdown: AtomicBool,
}

impl Live {
    pub fn new(settings: &Settings) -> Live {
        Live {
            conn_limit: settings.conn_limit.into(),
            maxconns_fast: settings.maxconns_fast.into(),
            requests_per_turn: settings.requests_per_turn.into(),
            idle_timeout_secs: settings.idle_timeout_secs.into(),
            flush: settings.flush.into(),
            dump: settings.dump.into(),
            watch: settings.watch.into(),
            shutdown: settings.shutdown.into(),
        }
    }

    pub fn set(&self, settings: &Settings) {
        self.conn_limit.store(settings.conn_limit, Relaxed);
        self.maxconns_fast.store(settings.maxconns_fast, Relaxed);
        self.requests_per_turn.store(settings.requests_per_turn, Relaxed);
        self.idle_timeout_secs.store(settings.idle_timeout_secs, Relaxed);
        self.flush.store(settings.flush, Relaxed);
        self.dump.store(settings.dump, Relaxed);
        self.watch.store(settings.watch, Relaxed);
        self.shutdown.store(settings.shutdown, Relaxed);
    }

    /// CONFIG SET maxclients.
    pub fn set_conn_limit(&self, limit: usize) {
        self.conn_limit.store(limit, Relaxed);
    }

    /// CONFIG SET timeout.
    pub fn set_idle_timeout(&self, secs: u32) {
        self.idle_timeout_secs.store(secs, Relaxed);
    }

    /// `-c`
    pub fn conn_limit(&self) -> usize {
        self.conn_limit.load(Relaxed)
    }

    /// `-o no_maxconns_fast` clears it.
    pub fn maxconns_fast(&self) -> bool {
        self.maxconns_fast.load(Relaxed)
    }

    /// `-R`, one at least.
    #[inline]
    pub fn requests_per_turn(&self) -> usize {
        self.requests_per_turn.load(Relaxed).max(1)
    }

    /// `-o idle_timeout`; 0 = never.
    pub fn idle_timeout_secs(&self) -> u32 {
        self.idle_timeout_secs.load(Relaxed)
    }

    /// `-F` clears it.
    pub fn flush(&self) -> bool {
        self.flush.load(Relaxed)
    }

    /// `-X` clears it.
    pub fn dump(&self) -> bool {
        self.dump.load(Relaxed)
    }

    /// `-W` clears it.
    pub fn watch(&self) -> bool {
        self.watch.load(Relaxed)
    }

    /// `-A` sets it.
    pub fn shutdown(&self) -> bool {
        self.shutdown.load(Relaxed)
    }
}

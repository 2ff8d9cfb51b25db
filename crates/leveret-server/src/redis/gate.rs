//! The gate: turns of several workers pass it together, a transaction alone. So no client of this server sees half of
//! an EXEC. Processes that use the arena without the server do not pass here.
//!
//! A worker sets its flag for each turn and then checks whether a transaction waits. A transaction first sets its word
//! and then checks all flags. Of two that meet, one sees the other: both orders are sequentially consistent.
use std::hint::spin_loop;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// So often a waiting thread looks before it lets others run: turns take microseconds.
const SPINS: u32 = 200;

/// The gate of all workers of a server.
#[derive(Debug)]
pub(crate) struct Gate {
    inside: Box<[Flag]>,
    /// A transaction runs, or waits to.
    is_closed: AtomicBool,
    alone: Mutex<()>,
}

/// Whether a worker is in the middle of a turn, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Flag(AtomicBool);

/// A turn. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct GateTurn<'g> {
    gate: &'g Gate,
    worker: usize,
}

/// No other worker is in a turn while this exists.
#[derive(Debug)]
pub(crate) struct Alone<'t, 'g> {
    turn: &'t GateTurn<'g>,
    _guard: MutexGuard<'g, ()>,
}

impl Gate {
    /// For `workers` workers.
    pub fn new(workers: usize) -> Gate {
        Gate {
            inside: (0..workers.max(1)).map(|_| Flag::default()).collect(),
            is_closed: AtomicBool::new(false),
            alone: Mutex::default(),
        }
    }

    /// Begins a turn of a worker.
    #[inline]
    pub fn enter(&self, worker: usize) -> GateTurn<'_> {
        let worker = worker % self.inside.len();
        self.go_in(worker);
        GateTurn { gate: self, worker }
    }

    #[inline]
    fn go_in(&self, worker: usize) {
        let flag = &self.inside[worker].0;
        loop {
            flag.store(true, SeqCst);
            if !self.is_closed.load(SeqCst) {
                return;
            }
            flag.store(false, Release);
            // The running transaction holds this.
            drop(self.alone.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl<'g> GateTurn<'g> {
    /// Waits until no other worker is in a turn. No turn may begin before the result is dropped.
    pub fn alone(&self) -> Alone<'_, 'g> {
        let GateTurn { gate, worker } = *self;
        // While it waits it is not in a turn.
        gate.inside[worker].0.store(false, Release);
        let guard = gate.alone.lock().unwrap_or_else(PoisonError::into_inner);
        gate.is_closed.store(true, SeqCst);
        for flag in &gate.inside {
            let mut spins = 0;
            while flag.0.load(SeqCst) {
                spins += 1;
                if spins < SPINS {
                    spin_loop();
                } else {
                    thread::yield_now();
                }
            }
        }
        Alone { turn: self, _guard: guard }
    }
}

impl Drop for GateTurn<'_> {
    #[inline]
    fn drop(&mut self) {
        self.gate.inside[self.worker].0.store(false, Release);
    }
}

impl Drop for Alone<'_, '_> {
    fn drop(&mut self) {
        let GateTurn { gate, worker } = *self.turn;
        // Still in its turn: the flag stands before the gate opens.
        gate.inside[worker].0.store(true, Relaxed);
        gate.is_closed.store(false, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Two numbers that are only ever equal between turns.
    #[test]
    fn turns_never_see_half_of_what_is_done_alone() {
        const WORKERS: usize = 4;
        let gate = Gate::new(WORKERS);
        let pair = [AtomicU64::new(0), AtomicU64::new(0)];
        thread::scope(|scope| {
            for worker in 0..WORKERS {
                let (gate, pair) = (&gate, &pair);
                scope.spawn(move || {
                    for round in 0..5_000_u64 {
                        let turn = gate.enter(worker);
                        if (round + worker as u64) % 7 == 0 {
                            let _alone = turn.alone();
                            let next = pair[0].load(Relaxed) + 1;
                            pair[0].store(next, Relaxed);
                            thread::yield_now();
                            pair[1].store(next, Relaxed);
                        }
                        assert_eq!(pair[0].load(Relaxed), pair[1].load(Relaxed));
                    }
                });
            }
        });
        assert_eq!(
            pair[1].load(Relaxed),
            (0..WORKERS).map(|worker| (0..5_000).filter(|round| (round + worker) % 7 == 0).count() as u64).sum::<u64>()
        );
    }
}

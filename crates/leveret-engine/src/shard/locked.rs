//! A writing section: the lock, and values that are read once for everything done under it.
use super::lock::{Guard, Section};
use crate::core::Core;
use crate::counters::Counter;
use crate::fate::{self, Fate};
use crate::item::View;
use crate::map::layout::Shard;
use crate::policy::EvictionPolicy;
use crate::sync::Ordering;
use crate::time::{Deadline, Moment, Time};
use std::cell::Cell;

/// A shard whose lock this thread holds. Every change of a shard's index or segments needs one.
pub(crate) struct Locked<'a> {
    pub core: &'a Core,
    pub index: usize,
    /// The flush epoch, read once: everything that this section writes belongs to it.
    pub epoch: u32,
    /// Read once, when it is needed.
    now: Cell<Option<Time>>,
    guard: Guard<'a>,
}

impl Moment for &Locked<'_> {
    #[inline]
    fn time(self) -> Time {
        self.now.get().unwrap_or_else(|| {
            let now = Time::now();
            self.now.set(Some(now));
            now
        })
    }

    #[inline]
    fn known(self) -> Option<Time> {
        self.now.get()
    }
}

impl<'a> Locked<'a> {
    /// The lock of a section that this thread has just entered. Its guard is made last: it needs no place of its own then.
    #[inline(always)]
    pub(super) fn new(core: &'a Core, index: usize, section: Section, now: impl Moment) -> Locked<'a> {
        let (epoch, now) = (core.epoch(now), Cell::new(now.known()));
        Locked { core, index, epoch, now, guard: Guard::of_entered(core, index, section) }
    }

    #[inline(always)]
    pub fn shard(&self) -> &'a Shard {
        self.guard.shard
    }

    pub fn count(&self, counter: Counter, by: u64) {
        let cell = &self.shard().counters[counter as usize];
        cell.store(cell.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
    }

    /// Whether an item may be dropped while it lives.
    pub fn may_evict(&self, view: &View) -> bool {
        match self.core.policy() {
            EvictionPolicy::All => true,
            EvictionPolicy::Volatile => view.header.deadline != Deadline::NEVER.second(),
            EvictionPolicy::None => false,
        }
    }

    /// Neither expired nor flushed.
    #[inline(always)]
    pub fn is_alive(&self, view: &View) -> bool {
        let epoch = self.core.segments.epoch_of(view.segment);
        fate::of_item(self.core, view, epoch, || self.epoch, self) == Fate::Alive
    }
}

//! A tiny arena over plain memory, the processes at it, and their threads under the checker.
use super::checker::{self, Checker};
use super::memory::{self, Laid};
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::map::geometry::{Geometry, RegionId};
use crate::map::host::{Host, Kernel};
use crate::map::layout::{Control, Shard};
use crate::map::mapping::Mapping;
use crate::map::Map;
use crate::sync::Ordering;
use crate::time::Time;
use crate::OpenOptions;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use super::checker::Bounds;

/// The moment at which everything happens.
pub(crate) const NOW: Time = Time(1000);

/// Segments that are allocated at the start, of eight.
pub(crate) const ACTIVE: u32 = 6;

/// How wide the words are that the data region is made of: as those of a header, or as a number that counts.
#[derive(Clone, Copy)]
pub(crate) enum Grain {
    Header = 4,
    Number = 8,
}

/// A new arena, and the kernel under it.
pub(crate) struct World {
    checker: Option<Arc<Checker>>,
    laid: Laid,
    pub kernel: &'static Kernel,
    pub shard: &'static Shard,
}

std::thread_local! {
    static MEMORY: Cell<*mut u8> = const { Cell::new(std::ptr::null_mut()) };
}

/// The work of one thread.
pub(crate) type Work<'a> = Box<dyn FnOnce() + Send + 'a>;

impl World {
    pub fn new(grain: Grain, checker: Option<Arc<Checker>>) -> World {
        let geometry = Geometry::tiny();
        let len = geometry.file_len as usize + size_of::<Kernel>();
        if MEMORY.get().is_null() {
            let words = vec![0u64; len.div_ceil(8)].into_boxed_slice();
            MEMORY.set(Box::leak(words).as_mut_ptr().cast());
        }
        let base = MEMORY.get();
        let data = geometry.region(RegionId::Data);
        // SAFETY: as long as this; the processes of the last run are gone, and zeros make a kernel, a control and a
        // shard, each of which begins on a boundary of 8.
        let (kernel, control, shard) = unsafe {
            base.write_bytes(0, len);
            let at = |off: u64| base.add(off as usize);
            (
                &*at(geometry.file_len).cast::<Kernel>(),
                &*at(geometry.region(RegionId::Control).off).cast::<Control>(),
                &*at(geometry.region(RegionId::Shards).off).cast::<Shard>(),
            )
        };
        shard.buckets.store(geometry.first_buckets(), Ordering::Relaxed);
        shard.chunks.store(geometry.first_chunks(), Ordering::Relaxed);
        control.active_segments.store(ACTIVE, Ordering::Relaxed);
        let data = (data.off as usize, (data.off + data.len) as usize);
        World { checker, laid: Laid { base: base as usize, len, data, grain: grain as usize }, kernel, shard }
    }

    /// The arena as a new process sees it.
    pub fn process(&self, pid: u32) -> Arena {
        self.kernel.start(pid);
        let geometry = Geometry::tiny();
        let options = OpenOptions { lock_timeout: Duration::from_secs(1), ..OpenOptions::default() };
        // SAFETY: this memory is never freed.
        let mapping = unsafe { Mapping::over(self.laid.base as *mut u8, geometry.file_len as usize) };
        let map = Map::over(mapping, geometry, Host { pid, kernel: self.kernel });
        Arena { core: Arc::new(Core::new(map, &options).expect("a page for itself")) }
    }

    /// As `process`, registered already.
    pub fn registered(&self, pid: u32) -> Arena {
        let arena = self.process(pid);
        arena.core.presence.owner().expect("a free slot");
        arena
    }

    /// Lets the threads run side by side until all have ended.
    pub fn run<'a, const N: usize>(&self, threads: [Work<'a>; N]) {
        let laid = self.laid;
        let begin = |work: Work<'a>| -> Work<'a> {
            Box::new(move || {
                memory::work_in(laid);
                work();
            })
        };
        let checker = self.checker.as_ref().expect("a world of `explore`");
        checker.run(threads.into_iter().map(begin).collect(), memory::keep);
    }

    pub fn count(&self, counter: Counter) -> u64 {
        self.shard.counters[counter as usize].load(Ordering::Relaxed)
    }
}

/// How far a model goes: in the short form, and in the long one.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub short: Bounds,
    pub long: Bounds,
}

/// Usual efforts.
pub(crate) const USUAL: Effort = Effort { short: Bounds { stops: 2, old: 2 }, long: Bounds { stops: 3, old: 3 } };

/// After this time a model ends, whatever is left of it: it says so.
const SHORT: Duration = Duration::from_secs(10);
const LONG: Duration = Duration::from_secs(300);

/// Whether the long form was asked for.
pub(crate) fn is_long() -> bool {
    std::env::var_os("LEVERET_MODEL").is_some_and(|form| form == "long")
}

/// Runs a model in every way that its threads can meet, within the bounds.
pub(crate) fn explore(name: &str, effort: Effort, grain: Grain, model: impl Fn(&World)) {
    let (bounds, patience) = if is_long() { (effort.long, LONG) } else { (effort.short, SHORT) };
    let begun = Instant::now();
    let explored = checker::explore(
        bounds,
        || begun.elapsed() < patience,
        |checker| model(&World::new(grain, Some(checker.clone()))),
    );
    let all = if explored.is_complete { "all" } else { "the first" };
    println!(
        "model {name}: {all} {} ways with {} stops and {} old values, {:.1} s",
        explored.runs,
        bounds.stops,
        bounds.old,
        begun.elapsed().as_secs_f32()
    );
}

//! A tiny arena over plain memory, the processes at it, and their threads under the checker.
use super::checker::{self, Checker, Strength};
use super::memory::{self, Laid};
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::evict;
use crate::index::SlotWord;
use crate::map::geometry::{Geometry, RegionId};
use crate::map::host::{Host, Kernel};
use crate::map::layout::{Control, Shard};
use crate::map::mapping::Mapping;
use crate::map::Map;
use crate::segment::{SegmentId, State};
use crate::shard::{self, allocate};
use crate::sync::{AtomicU64, Ordering};
use crate::time::{Deadline, Time};
use crate::OpenOptions;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
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
        let options = OpenOptions::new().lock_timeout(Duration::from_secs(1));
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

    /// A word that the engine makes no use of.
    pub fn spare(&self) -> &'static AtomicU64 {
        self.shard.counters.last().expect("some")
    }

    pub fn count(&self, counter: Counter) -> u64 {
        self.shard.counters[counter as usize].load(Ordering::Relaxed)
    }
}

/// Stores a value that every reader knows by its bytes.
pub(crate) fn set(arena: &Arena, key: &[u8], byte: u8, len: usize) {
    arena.set(key, &vec![byte; len], Deadline::NEVER, NOW).expect("room");
}

/// The one byte that the value of `key` is made of, and its length; None where there is no item.
pub(crate) fn get(arena: &Arena, key: &[u8]) -> Option<(u8, usize)> {
    let value = arena.get_with(key, crate::ReadOptions::new(), NOW).expect("nobody's patience ends")?.value;
    let first = *value.first()?;
    assert!(value.iter().all(|byte| *byte == first), "torn: {value:?}");
    Some((first, value.len()))
}

/// The segment and the place of the item under `key`.
pub(crate) fn place_of(arena: &Arena, key: &[u8]) -> (SegmentId, u64) {
    let at = SlotWord(arena.peek(key, NOW).expect("there").version.slot).at();
    (arena.core.segments.containing(at).expect("inside"), at)
}

/// Moves a segment's live items elsewhere and frees it; their new segment is full from then on.
pub(crate) fn drain(core: &Core, segment: SegmentId) {
    let locked = shard::lock(core, 0, NOW).expect("nobody's patience ends");
    allocate::seal(&locked, segment);
    assert!(evict::gather(&locked, segment), "there is room");
    let open = |segment: &SegmentId| core.segments.state(*segment).kind() == Some(State::Open);
    core.segments.all().filter(open).for_each(|segment| allocate::seal(&locked, segment));
}

/// How far models go, one after the other: the first failures depart least from the usual.
const FURTHER: [Bounds; 8] = [
    Bounds { stops: 0, old: 1 },
    Bounds { stops: 1, old: 1 },
    Bounds { stops: 1, old: 2 },
    Bounds { stops: 2, old: 1 },
    Bounds { stops: 2, old: 2 },
    Bounds { stops: 3, old: 1 },
    Bounds { stops: 3, old: 3 },
    Bounds { stops: 4, old: 4 },
];

/// What the variable LEVERET_MODEL asks for.
#[derive(PartialEq)]
enum Form {
    Short,
    Long,
    /// Without each ordering in turn, to see which models notice.
    Weak,
}

fn form() -> Form {
    match std::env::var("LEVERET_MODEL").as_deref() {
        Ok("long") => Form::Long,
        Ok("weak") => Form::Weak,
        _ => Form::Short,
    }
}

impl Form {
    /// A model ends after this time, with a message if it is not complete. The variable LEVERET_MODEL_SECONDS extends
    /// it.
    fn patience(&self) -> Duration {
        let asked = std::env::var("LEVERET_MODEL_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
        Duration::from_secs(asked.unwrap_or(if *self == Form::Long { 60 } else { 2 }))
    }
}

pub(crate) fn is_long() -> bool {
    form() == Form::Long
}

/// Runs a model in the ways that its threads can meet, further and further from the usual one.
pub(crate) fn explore(name: &str, grain: Grain, model: impl Fn(&World)) {
    let model = |checker: &Arc<Checker>| model(&World::new(grain, Some(checker.clone())));
    let form = form();
    if form == Form::Weak {
        return weaken(name, &form, model);
    }
    let explored = go_further(None, &form, &model);
    let seconds = explored.seconds;
    match explored.whole {
        Some(Bounds { stops, old }) => print!("model {name}: all ways with {stops} stops and {old} old values"),
        None => print!("model {name}: some ways"),
    }
    println!(", {} runs, {seconds:.1} s", explored.runs);
}

struct Gone {
    runs: u64,
    /// The furthest bounds within which all ways were gone.
    whole: Option<Bounds>,
    seconds: f32,
    met: BTreeSet<Strength>,
}

fn go_further(without: Option<Strength>, form: &Form, model: &impl Fn(&Arc<Checker>)) -> Gone {
    let begun = Instant::now();
    let goes_on = || begun.elapsed() < form.patience();
    let mut gone = Gone { runs: 0, whole: None, seconds: 0.0, met: BTreeSet::new() };
    for bounds in FURTHER {
        if goes_on() {
            let explored = checker::explore(bounds, without, goes_on, model);
            gone.runs += explored.runs;
            gone.met.extend(explored.met);
            gone.whole = if explored.is_complete { Some(bounds) } else { gone.whole };
        }
    }
    gone.seconds = begun.elapsed().as_secs_f32();
    gone
}

/// What some model has noticed already.
static NOTICED: Mutex<BTreeSet<Strength>> = Mutex::new(BTreeSet::new());

/// Runs a model without each ordering effect that it meets, and prints a line for each: the place, the removed effect,
/// the model, and whether it failed.
fn weaken(name: &str, form: &Form, model: impl Fn(&Arc<Checker>)) {
    let met = go_further(None, form, &model).met;
    weaken_each(name, met, |strength| {
        catch_unwind(AssertUnwindSafe(|| go_further(Some(strength), form, &model))).is_err()
    });
}

/// As `weaken`, with any test for whether the removal is noticed.
pub(crate) fn weaken_each(name: &str, met: BTreeSet<Strength>, is_noticed: impl Fn(Strength) -> bool) {
    std::panic::set_hook(Box::new(|_| {}));
    let is_ours = |strength: &Strength| !strength.file.contains("/models/");
    // What earlier runs of this program have printed.
    let earlier = std::env::var("LEVERET_NOTICED").map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let earlier = earlier.unwrap_or_default();
    for strength in met.into_iter().filter(is_ours) {
        let Strength { file, line, part, .. } = strength;
        let place = format!("weakened\t{}:{line}\t{part:?}\t", file.rsplit("src/").next().unwrap_or(file));
        let is_known = earlier.lines().any(|line| line.contains(&place) && line.ends_with("\tnoticed"));
        if is_known || NOTICED.lock().expect("no panic").contains(&strength) {
            continue;
        }
        let is_noticed = is_noticed(strength);
        if is_noticed {
            NOTICED.lock().expect("no panic").insert(strength);
        }
        println!("{place}{name}\t{}", if is_noticed { "noticed" } else { "not noticed" });
    }
}

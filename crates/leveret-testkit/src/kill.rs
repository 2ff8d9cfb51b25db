//! The kill harness. A child does one operation, one instruction at a time. After each instruction the parent looks
//! whether the arena's bytes have changed; if so it copies the arena and lets survivors live on the copy, where the
//! child's life sign is not: to them it died there. A sample of steps is also proved with a real SIGKILL, on the arena
//! itself, and a sample of the copies by killing, at its own steps, the process that recovers them.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::arena_copy::ArenaImage;
use crate::layout::locked_shards;
use crate::operation::{filler, filler_key, now, read_filler, set_filler, KilledOperation, SUBJECT};
use crate::process::{self, ChildEnd};
use crate::rng::Rng;
use crate::seeded;
use crate::stepper::{self, ChildStep, Stepped};
use crate::survivors::{look, open, options, prove, write_witnesses, HowFar};
use crate::values;

/// How thorough a run is.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness {
    /// Instructions between two checks; 1 = each.
    pub every: u64,
    /// Real SIGKILLs per operation.
    pub kills: u64,
    /// Copies per operation on which the recovering process is killed as well.
    pub recoveries: usize,
    /// Instructions between two checks of a recovery.
    pub recovery_every: u64,
}

/// Counts of the attempts at one operation.
#[derive(Clone, Debug, Default)]
pub struct KillTally {
    /// Instructions of the operation.
    pub steps: u64,
    /// After how many of them the arena was looked at.
    pub looked: u64,
    /// Different arenas left behind, each lived on by survivors.
    pub images: u64,
    /// Of these, how many showed the operation as not done and as done.
    pub not_done: u64,
    /// See `not_done`.
    pub done: u64,
    /// Real SIGKILLs.
    pub kills: u64,
    /// Arenas left behind by killed recoverers.
    pub recoveries: u64,
}

/// A proof that failed.
#[derive(Clone, Debug)]
pub struct KillFailure {
    /// The operation.
    pub operation: &'static str,
    /// Where it was killed.
    pub place: String,
    /// Reason.
    pub why: String,
}

impl fmt::Display for KillFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}:\n    {}", self.operation, self.place, self.why)
    }
}

/// A string instruction repeats itself, and the trap comes after each repetition. It is one instruction; of its middles
/// a sample is enough.
const REPEATS: u64 = 2003;

/// One operation under the harness.
struct Bench<'a> {
    operation: KilledOperation,
    folder: &'a Path,
    base: ArenaImage,
    how: Thoroughness,
    rng: Rng,
    tally: KillTally,
}

/// Kills `operation` wherever `how` says.
pub fn kill(operation: KilledOperation, folder: &Path, how: Thoroughness, seed: u64) -> Result<KillTally, KillFailure> {
    let name = operation.name;
    now();
    let failed = |place: &str, why: String| KillFailure { operation: name, place: place.to_owned(), why };
    let base = base_image(folder, seed).map_err(|why| failed("in its preparation", why))?;
    let operation = rehearse(operation, folder, &base).map_err(|why| failed("in its rehearsal", why))?;
    let mut bench = Bench { operation, folder, base, how, rng: Rng::new(seed), tally: KillTally::default() };
    let held = bench.step_through()?;
    bench.kill_really()?;
    bench.kill_recoverers(held)?;
    Ok(bench.tally)
}

/// The arena that every run of an operation begins with.
fn base_image(folder: &Path, seed: u64) -> Result<ArenaImage, String> {
    let path = folder.join("base.arena");
    process::run(|| {
        seeded::create(&path, &options(), seed).map_err(|error| error.to_string())?;
        let arena = open(&path)?;
        write_witnesses(&arena)?;
        // Read, so that a full arena prefers to keep them.
        look_at_witnesses(&arena);
        Ok(String::new())
    })
    .into_result()?;
    ArenaImage::read_path(&path).map_err(|error| error.to_string())
}

fn look_at_witnesses(arena: &leveret_engine::Arena) {
    for _ in 0..3 {
        arena.iter(now()).flatten().for_each(|item| drop(arena.get(&item.key, now())));
    }
}

/// Finds the filler that triggers the event, on an arena of its own. The same image, the same sets: the same filler
/// later.
fn rehearse(operation: KilledOperation, folder: &Path, base: &ArenaImage) -> Result<KilledOperation, String> {
    const FILLERS_MAX: u64 = 200_000;
    let Some(trigger) = operation.trigger else { return Ok(operation) };
    let path = folder.join("rehearsal.arena");
    base.write(&path).map_err(|error| error.to_string())?;
    let found = process::run(|| {
        let arena = open(&path)?;
        register(&arena)?;
        for index in 0..FILLERS_MAX {
            read_filler(&arena, index);
            let before = (trigger.number)(&arena.stats());
            set_filler(&arena, index, trigger.filler_len)?;
            let stats = arena.stats();
            if (trigger.number)(&stats) != before && (trigger.when)(&stats) {
                return Ok(index.to_string());
            }
        }
        Err(format!("{FILLERS_MAX} sets did not trigger it"))
    });
    let index = found.into_result()?.parse().map_err(|_| "the rehearsal gave no number".to_owned())?;
    Ok(operation.triggered_by(index))
}

/// Any write registers a process; its pages are touched and its code is loaded, as in a process that has worked for a
/// while.
fn register(arena: &leveret_engine::Arena) -> Result<(), String> {
    arena
        .set(b"warm", &values::frame(b"warm", 0, 0, 10), leveret_engine::Deadline::NEVER, now())
        .map_err(|error| error.to_string())
}

/// A child that stands in front of the operation, on a fresh copy of `image`.
fn child_at(operation: &KilledOperation, image: &ArenaImage, path: &Path) -> Result<Stepped, String> {
    image.write(path).map_err(|error| error.to_string())?;
    let prepare = || {
        let arena = open(path)?;
        register(&arena)?;
        let token = (operation.warm)(&arena)?;
        Ok((arena, token))
    };
    stepper::start(prepare, |(arena, token)| (operation.run)(arena, *token), |_| Ok(String::new()))
}

impl Bench<'_> {
    fn failure(&self, place: impl fmt::Display, why: impl fmt::Display) -> KillFailure {
        KillFailure { operation: self.operation.name, place: place.to_string(), why: why.to_string() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.arena"))
    }

    /// The whole operation, step by step. Returns a sample of the images on which a lock was held.
    fn step_through(&mut self) -> Result<Vec<ArenaImage>, KillFailure> {
        let path = self.path("stepped");
        let mut child =
            child_at(&self.operation, &self.base, &path).map_err(|why| self.failure("at its start", why))?;
        let file = File::open(&path).map_err(|error| self.failure("at its start", error))?;
        let mut last = ArenaImage::default();
        let mut image = ArenaImage::default();
        let mut least = HowFar::NotDone;
        let mut held = Sample::new(self.how.recoveries);
        let every = self.how.every * self.operation.stride;
        let phase = self.rng.below(every);
        let mut previous = 0;
        let mut place = "before its first instruction".to_owned();
        loop {
            image.refresh(&file).map_err(|error| self.failure(&place, error))?;
            self.tally.looked += 1;
            if image != last {
                least = self.try_image(&image, &place, least)?;
                if locked_shards(&image) > 0 {
                    held.offer(&image, &mut self.rng);
                }
                std::mem::swap(&mut last, &mut image);
            }
            let mut due = false;
            while !due {
                match child.step().map_err(|why| self.failure(&place, why))? {
                    ChildStep::Over => {
                        self.is_done(&file, child, &path)?;
                        return Ok(held.chosen);
                    }
                    ChildStep::Ran { steps, at } => {
                        self.tally.steps = steps;
                        due = if at == previous { self.rng.one_in(REPEATS) } else { steps % every == phase };
                        previous = at;
                        if due {
                            place = format!("after {steps} instructions, next at {}", stepper::symbol(at));
                        }
                    }
                }
            }
        }
    }

    /// The operation has returned: now it must be done, and a reader must see that.
    fn is_done(&mut self, file: &File, child: Stepped, path: &Path) -> Result<(), KillFailure> {
        let place = "after its end";
        let image = ArenaImage::read(file).map_err(|error| self.failure(place, error))?;
        if !matches!(child.finish(), ChildEnd::Done(_)) {
            return Err(self.failure(place, "the operation failed without any kill"));
        }
        let seen = process::run(|| look(&open(path)?, &self.operation).map(|progress| format!("{progress:?}")));
        let seen = seen.into_result().map_err(|why| self.failure(place, why))?;
        let complete = match self.operation.effect {
            crate::operation::Effect::Burst => seen != "Part(0)",
            _ => seen == "Done",
        };
        if !complete {
            return Err(self.failure(place, format!("it answered success, and a reader sees it as {seen}")));
        }
        self.try_image(&image, place, HowFar::NotDone).map(|_| ())
    }

    /// Lets survivors work on a copy. Returns how far the operation was visible, which no later image may undo.
    fn try_image(&mut self, image: &ArenaImage, place: &str, least: HowFar) -> Result<HowFar, KillFailure> {
        let path = self.path("copy");
        image.write(&path).map_err(|error| self.failure(place, error))?;
        let seed = self.rng.bits();
        let seen = prove(&path, &self.operation, seed, least).map_err(|why| self.failure(place, why))?;
        self.tally.images += 1;
        match seen {
            HowFar::NotDone => self.tally.not_done += 1,
            _ => self.tally.done += 1,
        }
        Ok(seen)
    }

    /// Real SIGKILLs, at random steps, survivors on the arena itself.
    fn kill_really(&mut self) -> Result<(), KillFailure> {
        let path = self.path("killed");
        for _ in 0..self.how.kills {
            let steps = self.rng.below(self.tally.steps);
            let place = format!("SIGKILLed after {steps} instructions");
            let mut child = child_at(&self.operation, &self.base, &path).map_err(|why| self.failure(&place, why))?;
            // Shorter this time, say because a lock was free at once: then it is killed at its end.
            child.step_many(steps).map_err(|why| self.failure(&place, why))?;
            child.kill();
            let seed = self.rng.bits();
            prove(&path, &self.operation, seed, HowFar::NotDone).map_err(|why| self.failure(&place, why))?;
            self.tally.kills += 1;
        }
        Ok(())
    }

    /// Second order: on arenas with a dead process's lock, the recovering process is stepped and killed too.
    fn kill_recoverers(&mut self, held: Vec<ArenaImage>) -> Result<(), KillFailure> {
        let path = self.path("recovered");
        for left in held {
            let place = "in a recovery";
            left.write(&path).map_err(|error| self.failure(place, error))?;
            let prepare = || open(&path);
            // Tending takes each shard's lock, so it recovers whatever is left, and finds nothing else to do.
            let recover = |arena: &leveret_engine::Arena| {
                arena.tend(now(), usize::MAX);
                Ok(())
            };
            let mut child =
                stepper::start(prepare, recover, |_| Ok(String::new())).map_err(|why| self.failure(place, why))?;
            let file = File::open(&path).map_err(|error| self.failure(place, error))?;
            let mut last = left;
            let mut image = ArenaImage::default();
            let mut least = HowFar::NotDone;
            loop {
                let skip = self.rng.between(1, 2 * self.how.recovery_every - 1);
                let running = child.step_many(skip).map_err(|why| self.failure(place, why))?;
                image.refresh(&file).map_err(|error| self.failure(place, error))?;
                if image != last {
                    let copy = self.path("copy");
                    image.write(&copy).map_err(|error| self.failure(place, error))?;
                    let seed = self.rng.bits();
                    least = prove(&copy, &self.operation, seed, least).map_err(|why| self.failure(place, why))?;
                    self.tally.recoveries += 1;
                    std::mem::swap(&mut last, &mut image);
                }
                if !running {
                    break;
                }
            }
            child.finish().into_result().map_err(|why| self.failure(place, why))?;
        }
        Ok(())
    }
}

/// A fair sample of the images that come by.
struct Sample {
    size: usize,
    offered: u64,
    chosen: Vec<ArenaImage>,
}

impl Sample {
    fn new(size: usize) -> Sample {
        Sample { size, offered: 0, chosen: Vec::new() }
    }

    fn offer(&mut self, image: &ArenaImage, rng: &mut Rng) {
        self.offered += 1;
        if self.chosen.len() < self.size {
            self.chosen.push(image.clone());
        } else if let Some(place) = self.chosen.get_mut(rng.below(self.offered) as usize) {
            place.clone_from(image);
        }
    }
}

/// Proves the harness itself: an operation that is not kill-proof must be caught. It deletes the key and sets it again.
pub fn planted(folder: &Path, seed: u64) -> Result<(), String> {
    let mut torn = crate::operations::all(seed)
        .into_iter()
        .find(|operation| operation.name == "set-overwrite")
        .expect("it is in the list");
    let honest = torn.run;
    torn.run = Box::new(move |arena, token| {
        arena.delete(SUBJECT, now()).map_err(|error| error.to_string())?;
        honest(arena, token)
    });
    let how = Thoroughness { every: 1, kills: 0, recoveries: 0, recovery_every: 1 };
    match kill(torn, folder, how, seed) {
        Err(failure) if failure.why.contains("neither the old value") => Ok(()),
        Err(failure) => Err(format!("the planted defect was missed; instead: {failure}")),
        Ok(tally) => Err(format!("the planted defect was missed: {tally:?}")),
    }
}

/// A process killed while it makes an arena leaves only the empty lock file, or the whole arena. Killed after each of a
/// sample of its instructions; the system calls, which take most of the time, are one each.
pub fn making(folder: &Path, samples: u64, rng: &mut Rng) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let make = |folder: &Path| {
        let path = folder.join("new.arena");
        stepper::start(|| Ok(()), move |()| open(&path).map(drop), |()| Ok(String::new()))
    };
    let own = folder.join("making");
    let anew = || {
        let _ = std::fs::remove_dir_all(&own);
        std::fs::create_dir(&own).map_err(failed)
    };
    anew()?;
    let mut whole = make(&own)?;
    let mut steps = 0;
    while whole.step()? != ChildStep::Over {
        steps += 1;
    }
    whole.finish().into_result()?;
    for _ in 0..samples {
        anew()?;
        let mut child = make(&own)?;
        child.step_many(rng.below(steps))?;
        child.kill();
        for entry in std::fs::read_dir(&own).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name != "new.arena" && name != "new.arena.lock" {
                return Err(format!("{name:?} is left behind"));
            }
        }
        let arena = open(&own.join("new.arena"))?;
        if !arena.verify().is_clean() {
            return Err(format!("the arena that was left is not sound: {:?}", arena.verify()));
        }
    }
    Ok(())
}

/// The stepper on a function that is no engine: two words of a file are written one after the other, so exactly three
/// states of the file must come by.
pub fn toy(folder: &Path) -> Result<(), String> {
    use std::os::unix::fs::FileExt;
    let path = folder.join("toy");
    let failed = |error: std::io::Error| error.to_string();
    std::fs::write(&path, filler(0, 0)).map_err(failed)?;
    let file = File::options().read(true).write(true).open(&path).map_err(failed)?;
    let write = |at| file.write_all_at(&filler_key(at), at).map_err(failed);
    let mut child = stepper::start(|| Ok(()), |()| write(0).and_then(|()| write(8)), |()| Ok(String::new()))?;
    let mut states = vec![ArenaImage::read(&file).map_err(failed)?];
    while child.step()? != ChildStep::Over {
        let now = ArenaImage::read(&file).map_err(failed)?;
        if states.last() != Some(&now) {
            states.push(now);
        }
    }
    child.finish().into_result()?;
    match states.len() {
        3 => Ok(()),
        count => Err(format!("two writes were seen as {count} states of the file")),
    }
}

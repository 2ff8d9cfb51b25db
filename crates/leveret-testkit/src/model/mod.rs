//! Random operations on an arena and on a plain map, one after the other, with a clock of their own. The arena may
//! forget only when it says that it has evicted something; it may never answer anything else than the map.

mod known;
mod op;
mod redis;
mod run;
mod shape;
mod terms;

use std::path::Path;

use crate::rng::Rng;
use op::{draw, Op};
use run::Run;
use shape::{ArenaShape, ShapeLimits};

/// A sequence that fails, cut down as far as possible.
#[derive(Clone, Debug)]
pub struct ModelFailure {
    /// Reason.
    pub why: String,
    /// The operations, one a line.
    pub ops: String,
}

/// Draws an arena and `count` operations, and runs them on it. A failure is cut down before it is returned.
pub fn run(folder: &Path, seed: u64, count: usize) -> Result<(), ModelFailure> {
    let mut rng = Rng::new(seed);
    let shape = ArenaShape::draw(&mut rng);
    let ground = Ground { folder, seed, shape };
    let failed = |why: String, ops: Vec<Op>| ModelFailure {
        why: format!("{:?}: {why}", ground.shape),
        ops: ops.iter().map(|op| format!("{op:?}\n")).collect(),
    };
    let limits = ground.limits().map_err(|why| failed(why, Vec::new()))?;
    let ops: Vec<Op> = (0..count).map(|_| draw(&mut rng, &limits)).collect();
    match ground.replay(&ops) {
        Ok(()) => Ok(()),
        Err((index, why)) => {
            let (ops, why) = ground.shrink(ops[..=index.min(count - 1)].to_vec(), why);
            Err(failed(why, ops))
        }
    }
}

/// What all tries of a run have in common.
struct Ground<'a> {
    folder: &'a Path,
    seed: u64,
    shape: ArenaShape,
}

impl Ground<'_> {
    fn limits(&self) -> Result<ShapeLimits, String> {
        let arena = self.shape.create(&self.folder.join("model.arena"), self.seed)?;
        Ok(ShapeLimits::of(&arena))
    }

    /// Leaves out ever smaller pieces, as long as it still fails.
    fn shrink(&self, mut ops: Vec<Op>, mut why: String) -> (Vec<Op>, String) {
        let mut piece = ops.len() / 2;
        while piece > 0 {
            let mut at = 0;
            while at < ops.len() {
                let mut fewer = ops.clone();
                fewer.drain(at..(at + piece).min(fewer.len()));
                match self.replay(&fewer) {
                    Err((index, other)) => {
                        fewer.truncate(index + 1);
                        (ops, why) = (fewer, other);
                    }
                    Ok(()) => at += piece,
                }
            }
            piece /= 2;
        }
        (ops, why)
    }

    /// Runs operations on a fresh arena. The error names the operation at which they differ.
    fn replay(&self, ops: &[Op]) -> Result<(), (usize, String)> {
        let path = self.folder.join("model.arena");
        let mut run = Run::new(&path, &self.shape, self.seed).map_err(|why| (0, why))?;
        for (index, op) in ops.iter().enumerate() {
            run.step(op).map_err(|why| (index, format!("{op:?}: {why}")))?;
        }
        run.finish().map_err(|why| (ops.len(), why))
    }
}

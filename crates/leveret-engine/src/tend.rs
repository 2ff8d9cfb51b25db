//! Maintenance: segments that are past their deadline as a whole are freed before their room is needed.
use crate::arena::Arena;
use crate::evict::{self, Drained};
use crate::shard;
use crate::sync::Ordering;
use crate::time::Time;

/// What `Arena::tend` has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tended {
    /// Segments that are free again.
    pub freed: usize,
    /// The pieces were used up: call again.
    pub has_more: bool,
}

impl Arena {
    /// Reclaims, in every shard, segments that are past their deadline as a whole. Beside a look at each shard it does at
    /// most `pieces` of work (at least one), of some ten microseconds each, so that a caller with other duties is not kept for
    /// long. The next call of this process goes on where this one has stopped.
    pub fn tend(&self, now: Time, pieces: usize) -> Tended {
        let core = &*self.core;
        let shards = core.shards.len();
        let mut shard = core.tended.load(Ordering::Relaxed) % shards;
        let (mut freed, mut left, mut done) = (0, pieces.max(1), 0);
        while done < shards && left > 0 {
            // A piece under each lock, so that no writer waits long.
            match shard::try_lock(core, shard, now).map_or(Drained::Nothing, |locked| evict::reclaim_expired(&locked)) {
                Drained::Nothing => {
                    shard = (shard + 1) % shards;
                    done += 1;
                    continue;
                }
                Drained::Freed => freed += 1,
                Drained::Surveying | Drained::UnderWay | Drained::Stays => {}
            }
            (done, left) = (0, left - 1);
        }
        core.tended.store(shard, Ordering::Relaxed);
        Tended { freed, has_more: done < shards }
    }
}

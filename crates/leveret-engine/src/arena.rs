//! An arena as callers hold it, and its properties.
use crate::core::Core;
use crate::error::{Error, OpenError};
use crate::open;
use crate::policy::EvictionPolicy;
use crate::sync::Ordering;
use crate::time;
use std::path::Path;
use std::sync::Arc;

pub use crate::map::file::{remove, renew, OpenOptions};

/// A cache in shared memory. Cheap to clone; one mapping per process and file, however often it is opened.
#[derive(Clone)]
pub struct Arena {
    pub(crate) core: Arc<Core>,
}

impl Arena {
    /// Opens the arena at `path`; makes it when there is none and the options say so. Also says whether this call made
    /// it.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        open::at(path, options).map(|(core, created)| (Arena { core }, created))
    }

    /// The private arena of this process and its forks; created on first use. Open it before the fork to share it with
    /// the child.
    pub fn of_this_process(options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        open::nameless(options).map(|(core, created)| (Arena { core }, created))
    }

    /// The arena's file. Of an arena without a name it leads there in the processes that have it, and nowhere in
    /// others.
    pub fn path(&self) -> &Path {
        self.core.map.host.path()
    }

    /// Which of all the arenas that this process has opened: the same for all handles of one mapping, and no number
    /// comes back, as an address may.
    #[inline]
    pub fn number(&self) -> u64 {
        self.core.number
    }

    /// The arena's limit in bytes: metadata, index and items together.
    pub fn memory(&self) -> u64 {
        self.core.map.geometry.memory
    }

    /// Version of the arena's layout. Layout 1 arenas work as before, without the features that need more bytes.
    pub fn layout(&self) -> u32 {
        self.core.map.geometry.layout
    }

    /// Whether deadlines are exact to the millisecond: from layout 2 on. Else they round up to the second.
    pub fn has_millis(&self) -> bool {
        self.core.items.has_millis
    }

    /// Items that this process may evict when the arena is full: the arena's policy, or `None` if this process opened
    /// the arena without eviction.
    pub fn policy(&self) -> EvictionPolicy {
        self.core.policy()
    }

    /// Gives the arena another policy, for all processes from their next search for room on. False: an arena of layout 1 has
    /// none, and each process goes by its own option.
    pub fn set_policy(&self, policy: EvictionPolicy) -> bool {
        if self.layout() < 2 {
            return false;
        }
        self.core.control().resize.policy.store(policy.word(), Ordering::Relaxed);
        true
    }

    /// The largest value in bytes: an eighth of the arena, at most 64 GiB.
    pub fn value_max(&self) -> usize {
        self.core.map.geometry.value_max() as usize
    }

    /// The longest key in bytes: a quarter of a segment, at most 65,535.
    #[inline]
    pub fn key_max(&self) -> usize {
        self.core.map.geometry.key_max()
    }

    /// Whether the file was truncated under this process: it sees nothing of the arena any more. Costs nothing to ask.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.core.is_lost()
    }

    /// Whether the path still names this arena: its file is not unlinked, replaced or truncated. Costs one stat(2),
    /// meant for once a request. Also measures the time spent in suspend again and publishes this process's read
    /// counters.
    pub fn check(&self) -> Result<(), Error> {
        time::refresh();
        self.core.reads.publish();
        if open::is_current(&self.core) {
            Ok(())
        } else {
            Err(Error::Lost)
        }
    }
}

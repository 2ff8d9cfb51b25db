//! Arenas of closed pools, kept for the next ones: a page creates a client and drops it, and opening an arena again
//! takes twenty system calls, and a page fault for each page of it.
use leveret_engine::{Arena, OpenOptions};
use std::path::Path;
use std::sync::Mutex;

/// Further sites in one process open theirs each time.
const MOST: usize = 8;

/// With their options. Accessed only by `try_lock`, since a fork may have left it locked.
static KEPT: Mutex<Vec<(OpenOptions, Arena)>> = Mutex::new(Vec::new());

/// Keeps an arena, unless its file is gone: a mapping keeps its memory. The same check publishes the read counters.
pub(crate) fn keep(how: OpenOptions, arena: Arena) {
    let Ok(mut kept) = KEPT.try_lock() else { return };
    kept.retain(|(_, other)| other.path() != arena.path() && other.check().is_ok());
    if arena.check().is_ok() {
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((how, arena));
    }
}

/// The arena at this path, if it is kept and still the one there. One that was opened otherwise is let go.
pub(crate) fn find(path: &Path, how: &OpenOptions) -> Option<Arena> {
    let mut kept = KEPT.try_lock().ok()?;
    let place = kept.iter().position(|(_, arena)| arena.path() == path)?;
    let (other, arena) = &kept[place];
    if other == how && arena.check().is_ok() {
        return Some(arena.clone());
    }
    kept.remove(place);
    None
}

//! What a log says of an arena whose layout is older than that of new ones.
use leveret_engine::{Arena, LAYOUT_VERSION};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

/// One line for a log: what the arena lacks, and the command that replaces it. None: it has the layout of new arenas.
pub fn older(arena: &Arena) -> Option<String> {
    (arena.layout() < LAYOUT_VERSION).then(|| {
        let (path, layout) = (arena.path().display(), arena.layout());
        format!(
            "{path} has layout {layout}, and new arenas have {LAYOUT_VERSION}: it is used as before, with deadlines of whole seconds and without an eviction policy; 'leveret renew {path}' replaces it with a new, empty arena"
        )
    })
}

/// The numbers of arenas that were noted, each with its line until that is taken. Nobody waits for it, since a fork may
/// have left it locked.
static NOTED: Mutex<Vec<(u64, Option<String>)>> = Mutex::new(Vec::new());

/// More than a process has open; above it the oldest are forgotten.
const MOST: usize = 64;

/// Whether there is a line. Each request asks.
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// Notes for the log of this process that it has opened the arena, if its layout is older: once for each mapping.
pub fn note_older(arena: &Arena) {
    let Some(line) = older(arena) else { return };
    if let Ok(mut noted) = NOTED.try_lock() {
        if noted.iter().all(|(number, _)| *number != arena.number()) {
            if noted.len() == MOST {
                noted.remove(0);
            }
            noted.push((arena.number(), Some(line)));
            IS_NOTED.store(true, Ordering::Relaxed);
        }
    }
}

/// Takes back what was noted of an arena that this process has replaced.
pub fn forget_older(arena: &Arena) {
    if let Ok(mut noted) = NOTED.try_lock() {
        noted.retain(|(number, _)| *number != arena.number());
    }
}

/// A line that was noted, once.
#[inline]
pub fn take_noted() -> Option<String> {
    if !IS_NOTED.load(Ordering::Relaxed) {
        return None;
    }
    let mut noted = NOTED.try_lock().ok()?;
    let line = noted.iter_mut().find_map(|(_, line)| line.take());
    IS_NOTED.store(line.is_some(), Ordering::Relaxed);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_engine::OpenOptions;

    /// One test, since all share what was noted.
    #[test]
    fn an_older_layout_is_noted_once_for_each_mapping() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let open = |name: &str, layout: u32| {
            let path = dir.path().join(name);
            Arena::open(&path, &OpenOptions::new().memory(8 << 20).layout(layout)).expect("an arena").0
        };
        let (one, other, new) = (open("a.arena", 1), open("b.arena", 1), open("c.arena", LAYOUT_VERSION));
        assert_eq!((older(&new), take_noted()), (None, None));
        note_older(&new);
        assert_eq!(take_noted(), None);
        for arena in [&one, &other] {
            note_older(arena);
            note_older(arena);
            let line = take_noted().expect("a line");
            let command = format!("'leveret renew {}'", arena.path().display());
            assert!(line.contains("layout 1") && line.contains(&command) && !line.contains('\n'), "{line}");
            note_older(arena);
            assert_eq!(take_noted(), None);
        }
        // Two at once, and one that is taken back.
        let more = [open("d.arena", 1), open("e.arena", 1), open("f.arena", 1)];
        more.iter().for_each(note_older);
        forget_older(&more[1]);
        let lines: Vec<String> = std::iter::from_fn(take_noted).collect();
        assert!(lines.len() == 2 && lines[0].contains("d.arena") && lines[1].contains("f.arena"), "{lines:?}");
        // Opened anew by another mapping.
        drop(one);
        note_older(&open("a.arena", LAYOUT_VERSION));
        assert!(take_noted().is_some_and(|line| line.contains("a.arena")));
    }
}

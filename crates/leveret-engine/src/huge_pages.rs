//! Huge pages: one page table entry for 2 MiB in place of 512 entries. With millions of items read in random order,
//! most reads wait for page table walks too.
//!
//! Moving 2 MiB takes the kernel milliseconds, during which accesses to them wait. So no write does it: the operator
//! requests it once the arena is filled. The pages stay huge for all processes until the arena's file is removed. Needs
//! Linux 6.1 and a file in memory (tmpfs).
use crate::arena::Arena;
use crate::error::Error;
use crate::map::mapping::HUGE_PAGE;

/// How far an arena lies on huge pages, in pieces of 2 MiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HugePages {
    /// Pieces that are written from end to end; only those are moved, so that the arena takes no more memory than before.
    pub pieces: usize,
    /// Ranges processed so far.
    pub done: usize,
    /// Ranges that the kernel could not move now: no huge page is free, or a page is in use elsewhere.
    pub refused: usize,
}

impl Arena {
    /// Moves the used memory of the arena to huge pages, piece by piece; `go_on` decides after each piece whether to
    /// continue. Items stay readable and writable; an access to a piece being moved waits some milliseconds.
    ///
    /// # Errors
    /// [`Error::NoHugePages`] if the kernel or the file system has none; [`Error::Lost`] for an arena whose file was
    /// removed.
    pub fn use_huge_pages(&self, mut go_on: impl FnMut(HugePages) -> bool) -> Result<HugePages, Error> {
        let map = &self.core.map;
        let size = HUGE_PAGE as u64;
        let pieces: Vec<u64> = map
            .host
            .written()?
            .into_iter()
            .flat_map(|(begin, end)| begin.div_ceil(size)..end / size)
            .map(|piece| piece * size)
            .filter(|off| off + size <= map.geometry.file_len)
            .collect();
        let mut moved = HugePages { pieces: pieces.len(), ..HugePages::default() };
        for off in pieces {
            if let Err(error) = map.collapse(off) {
                match error.raw_os_error() {
                    Some(libc::EINVAL | libc::ENOSYS | libc::EPERM) => return Err(Error::NoHugePages),
                    _ => moved.refused += 1,
                }
            }
            moved.done += 1;
            if !go_on(moved) {
                break;
            }
        }
        Ok(moved)
    }
}

#[cfg(all(test, not(model)))]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions, Time};
    use std::os::unix::fs::MetadataExt;

    const ITEMS: u32 = 100_000;

    #[test]
    fn an_arena_on_huge_pages_holds_what_it_held_and_takes_no_more_memory() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(64 << 20);
        let (arena, _) = Arena::open(&dir.path().join("huge.arena"), &options).expect("an arena");
        let now = Time::now();
        let value = |number: u32| [number as u8; 100];
        for number in 0..ITEMS {
            arena.set(&number.to_ne_bytes(), &value(number), Deadline::NEVER, now).expect("room");
        }
        let taken = || std::fs::metadata(arena.path()).expect("its file").blocks();
        let before = taken();
        let mut steps = 0;
        let moved = arena.use_huge_pages(|so_far| {
            steps += 1;
            so_far.done <= so_far.pieces
        });
        let moved = moved.expect("tmpfs has huge pages since Linux 6.1");
        assert!(moved.pieces >= 4 && moved.done == moved.pieces && steps == moved.pieces, "{moved:?}");
        assert!(taken() <= before);
        for number in 0..ITEMS {
            assert_eq!(arena.get(&number.to_ne_bytes(), now).expect("it is there").value, value(number));
        }
        assert!(arena.verify().is_clean());
        // Some of it: a shared machine need not have a huge page free for each piece.
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("smaps");
        let of_arena = maps.split_once("huge.arena").expect("it is mapped").1;
        let mapped = of_arena.lines().find_map(|line| line.strip_prefix("ShmemPmdMapped:")).expect("a line").trim();
        assert!(moved.refused == moved.pieces || mapped != "0 kB", "{moved:?}, {mapped}");
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(64 << 20);
        let (arena, _) = Arena::open(&dir.path().join("huge.arena"), &options).expect("an arena");
        for number in 0..ITEMS {
            arena.set(&number.to_ne_bytes(), &[7; 100], Deadline::NEVER, Time::now()).expect("room");
        }
        assert_eq!(arena.use_huge_pages(|so_far| so_far.done < 2).map(|moved| moved.done), Ok(2));
        std::fs::remove_file(arena.path()).expect("removed");
        assert_eq!(arena.use_huge_pages(|_| true), Err(Error::Lost));
    }
}

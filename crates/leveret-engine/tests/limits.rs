//! How many arenas a process may have open. In a program of its own: the limit is the process's, and other tests open arenas too.
use leveret_engine::{Arena, OpenOptions};

const OPEN_MAX: usize = 64;

fn maps_of(path: &std::path::Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("this process's mappings");
    maps.lines().filter(|line| line.ends_with(path.to_str().expect("plain text"))).count()
}

/// One too many is refused with the number, and leaves nothing behind: each try once left a mapping of the whole file.
#[test]
fn the_65th_arena_is_refused_and_leaves_no_mapping() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
    let path = |number: usize| dir.path().join(format!("{number}.arena"));
    let mut open: Vec<Arena> = (0..OPEN_MAX).map(|number| Arena::open(&path(number), &options).expect("an arena").0).collect();
    let refused = Arena::open(&path(OPEN_MAX), &options).map(|_| ()).expect_err("one too many").to_string();
    assert!(refused.contains("64 arenas"), "{refused}");
    assert_eq!((maps_of(&path(0)), maps_of(&path(OPEN_MAX))), (1, 0));
    open.pop();
    assert_eq!(maps_of(&path(OPEN_MAX - 1)), 0);
    Arena::open(&path(OPEN_MAX), &options).expect("the place of the one that was closed");
}

//! How many arenas and files a process may have open. In a program of its own: the limits are the process's, and other
//! tests open arenas too.
use leveret_engine::{Arena, Deadline, Error, OpenOptions, Time};
use std::fs::File;
use std::path::Path;
use std::process::Command;

const OPEN_MAX: usize = 64;

fn maps_of(path: &Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("this process's mappings");
    maps.lines().filter(|line| line.ends_with(path.to_str().expect("plain text"))).count()
}

/// One too many is refused with the number, and leaves nothing behind: each try once left a mapping of the whole file.
#[test]
fn the_65th_arena_is_refused_and_leaves_no_mapping() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let options = OpenOptions::new().memory(8 << 20).cores(1);
    let path = |number: usize| dir.path().join(format!("{number}.arena"));
    let mut open: Vec<Arena> =
        (0..OPEN_MAX).map(|number| Arena::open(&path(number), &options).expect("an arena").0).collect();
    let refused = Arena::open(&path(OPEN_MAX), &options).map(|_| ()).expect_err("one too many").to_string();
    assert!(refused.contains("64 arenas"), "{refused}");
    assert_eq!((maps_of(&path(0)), maps_of(&path(OPEN_MAX))), (1, 0));
    open.pop();
    assert_eq!(maps_of(&path(OPEN_MAX - 1)), 0);
    Arena::open(&path(OPEN_MAX), &options).expect("the place of the one that was closed");
}

const PATH: &str = "LEVERET_TEST_ARENA";

/// Not a test of its own: run as another process, it uses up its descriptors.
#[test]
fn without_descriptors() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let options = OpenOptions::new().memory(8 << 20).cores(1);
    let (arena, _) = Arena::open(Path::new(&path), &options).expect("an arena");
    let set = || arena.set(b"a", b"1", Deadline::NEVER, Time::now());
    let files: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    let refused = set();
    drop(files);
    assert!(matches!(&refused, Err(Error::FileRefused(why)) if why == "too many files are open"), "{refused:?}");
    assert_eq!(set(), Ok(()));
}

/// A process without a free descriptor, or that has given up its rights, was told that the arena had been removed.
#[test]
fn who_cannot_open_the_file_once_more_is_told_why() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\" --exact without_descriptors"]).arg(program);
    let output = command.env(PATH, dir.path().join("x.arena")).output().expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

const NAMELESS: &str = "LEVERET_TEST_NAMELESS";

/// Not a test of its own: run as another process, which may make only small files. Prints what became of an arena.
#[test]
fn with_small_files() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let options = OpenOptions::new().memory(8 << 20).cores(1);
    let opened = match std::env::var_os(NAMELESS) {
        Some(_) => Arena::of_this_process(&options),
        None => Arena::open(Path::new(&path), &options),
    };
    match opened {
        Err(error) => println!("refused: {error}"),
        Ok((arena, _)) => {
            let mut number = 0u32;
            while arena.stats().evicted == 0 {
                arena.set(&number.to_ne_bytes(), &[7; 5000], Deadline::NEVER, Time::now()).expect("room");
                number += 1;
            }
            println!("filled");
        }
    }
}

/// Where `ulimit -f` is small the kernel ended the process (SIGXFSZ) that made an arena. Arenas that are there can be used,
/// filled and grown whatever the limit is.
#[test]
fn who_may_make_only_small_files_is_told_so() {
    let program = std::env::current_exe().expect("this program");
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = |name: &str| dir.path().join(format!("{name}.arena"));
    let there = path("there");
    drop(Arena::open(&there, &OpenOptions::new().memory(8 << 20).cores(1)).expect("an arena"));
    // Of 512 bytes each, as POSIX counts them.
    let blocks = std::fs::metadata(&there).expect("its file").len() / 512;
    let said = |limit: u64, path: &Path, nameless: bool| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -f {limit}; exec \"$0\" --exact with_small_files --nocapture")]);
        command.arg(&program).env(PATH, path);
        if nameless {
            command.env(NAMELESS, "1");
        }
        let output = command.output().expect("started");
        assert!(output.status.success(), "{limit}: {}", output.status);
        String::from_utf8(output.stdout).expect("text")
    };
    for limit in [0, 1, 2048, blocks / 2, blocks - 1, blocks] {
        for nameless in [false, true] {
            let name = path(&format!("{limit}"));
            let said = said(limit, &name, nameless);
            let want = if limit < blocks { "raise that limit (ulimit -f" } else { "filled" };
            assert!(said.contains(want), "{limit} {nameless}: {said}");
            assert_eq!(name.exists(), limit >= blocks, "{limit}");
        }
        assert!(said(limit, &there, false).contains("filled"), "{limit}");
    }
}

//! Other processes: their leases, their deaths, and files that are taken away.
use leveret_engine::{Arena, Deadline, Error, Lease, OpenError, OpenOptions, Time};
use std::fs::{File, OpenOptions as FileOptions};
use std::io::{BufRead, BufReader};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATH: &str = "LEVERET_TEST_ARENA";

fn open(path: &Path) -> Arena {
    Arena::open(path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0
}

fn refused(path: &Path) -> String {
    Arena::open(path, &OpenOptions::new().memory(8 << 20)).err().expect("refused").to_string()
}

/// Not a test of its own: run as another process, it takes a lease and waits to be killed.
#[test]
fn lease_holder() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let arena = open(Path::new(&path));
    assert!(matches!(arena.lease(b"key", Duration::ZERO), Lease::Granted(_)));
    println!("granted");
    std::thread::sleep(Duration::from_secs(3600));
}

/// Not a test of its own: the same with a lock.
#[test]
fn lock_holder() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let arena = open(Path::new(&path));
    assert!(matches!(arena.hold(b"key"), Lease::Granted(_)));
    println!("granted");
    std::thread::sleep(Duration::from_secs(3600));
}

fn start(role: &str, path: &Path, word: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let mut child =
        command.args(["--exact", role, "--nocapture"]).env(PATH, path).stdout(Stdio::piped()).spawn().expect("started");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.ends_with(word)));
    child
}

#[test]
fn one_process_computes_and_a_dead_one_frees_its_lease() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let arena = open(&dir.path().join("lease.arena"));
    let mut holder = start("lease_holder", arena.path(), "granted");
    assert_eq!(arena.lease(b"key", Duration::ZERO), Lease::Wait);
    assert_eq!(arena.lease(b"key", leveret_engine::LEASE_TIMEOUT), Lease::NoLease, "nobody waits for ever");
    let Lease::Granted(other) = arena.lease(b"other", Duration::ZERO) else { panic!("another key is free") };
    assert_eq!(arena.lease(b"key", Duration::ZERO), Lease::NoLease, "who holds a lease does not wait for one");
    arena.release(&other);
    holder.kill().expect("killed");
    holder.wait().expect("reaped");
    let Lease::Granted(ticket) = arena.lease(b"key", Duration::ZERO) else { panic!("the holder is dead") };
    arena.release_all();
    arena.release(&ticket);
    assert!(matches!(arena.lease(b"key", Duration::ZERO), Lease::Granted(_)));
    arena.release_all();
}

#[test]
fn a_lease_that_is_held_is_a_lock() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let arena = open(&dir.path().join("lock.arena"));
    let mut holder = start("lock_holder", arena.path(), "granted");
    let Lease::Granted(other) = arena.lease(b"other", Duration::ZERO) else { panic!("another key is free") };
    assert_eq!(arena.hold(b"key"), Lease::Wait, "a lock is waited for, whatever else is held");
    arena.release(&other);
    holder.kill().expect("killed");
    holder.wait().expect("reaped");
    let Lease::Granted(ticket) = arena.hold(b"key") else { panic!("the holder is dead") };
    arena.release_all();
    assert_eq!(arena.hold(b"key"), Lease::Wait, "the end of a request's leases is not the end of a lock");
    arena.release(&ticket);
    assert!(matches!(arena.hold(b"key"), Lease::Granted(_)));
}

#[test]
fn a_truncated_file_is_an_error_and_no_crash() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("cut.arena");
    let arena = open(&path);
    let now = Time::now();
    for number in 0..1000u32 {
        arena.set(&number.to_ne_bytes(), &[1; 1000], Deadline::NEVER, now).expect("room");
    }
    File::create(&path).expect("truncated");
    for number in 0..1000u32 {
        assert!(arena.get(&number.to_ne_bytes(), now).is_none());
    }
    assert_eq!(arena.set(b"a", b"1", Deadline::NEVER, now), Err(Error::Lost));
    assert_eq!(arena.check(), Err(Error::Lost));
    assert!(refused(&path).contains("does not begin like an arena"));
}

/// A life sign that was kept for the life of the process kept the removed file with it, and all its memory.
#[test]
fn a_closed_arena_leaves_nothing_behind_in_the_process() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("closed.arena");
    let arena = open(&path);
    arena.set(b"a", b"1", Deadline::NEVER, Time::now()).expect("room");
    assert_eq!(arena.stats().attached, 1);
    drop(arena);
    // A child that another test of this program forks has a copy of the life sign until it ends.
    let begun = Instant::now();
    while open(&path).stats().attached != 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the life sign stays");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::remove_file(&path).expect("removed");
    let mapped = std::fs::read_to_string("/proc/self/maps").expect("a table");
    assert!(!mapped.contains(path.to_str().expect("a plain name")), "{mapped}");
}

#[test]
fn what_is_no_arena_is_refused_with_a_reason() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("x.arena");
    std::fs::write(&path, vec![b'x'; 10_000]).expect("written");
    assert!(refused(&path).contains("is not an arena"));

    std::fs::remove_file(&path).expect("removed");
    drop(open(&path));
    let whole = FileOptions::new().write(true).open(&path).expect("opened");
    whole.set_len(whole.metadata().expect("looked at").len() - 1).expect("cut");
    assert!(refused(&path).contains("truncated"));

    std::fs::remove_file(&path).expect("removed");
    drop(open(&path));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).expect("changed");
    assert!(refused(&path).contains("every user may write to it"));

    std::fs::remove_file(&path).expect("removed");
    symlink(dir.path().join("elsewhere"), &path).expect("linked");
    assert!(refused(&path).contains("symbolic link"));

    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("made");
    assert!(matches!(
        Arena::open(&path, &OpenOptions::new()).err(),
        Some(OpenError::Io { .. } | OpenError::Foreign { .. })
    ));

    let open_folder = dir.path().join("open");
    std::fs::create_dir(&open_folder).expect("made");
    std::fs::set_permissions(&open_folder, PermissionsExt::from_mode(0o777)).expect("changed");
    assert!(refused(&open_folder.join("x.arena")).contains("sticky"));
    assert!(refused(&dir.path().join("missing/x.arena")).contains("create the folder"));
}

#[test]
fn a_group_folder_makes_group_arenas() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let path = dir.path().join("shop.arena");
    drop(open(&path));
    assert_eq!(mode(&path), 0o600);
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o2770)).expect("changed");
    let path = dir.path().join("shared.arena");
    drop(open(&path));
    assert_eq!(mode(&path), 0o660);
}

/// What `apcu_*` has on the command line: an arena that no other process finds, and that does all that others do.
#[test]
fn an_arena_without_a_name() {
    let options = OpenOptions::new().memory(16 << 20);
    let (arena, is_new) = Arena::of_this_process(&options).expect("an arena");
    assert!(is_new && arena.check().is_ok());
    let (same, is_new) = Arena::of_this_process(&options).expect("the same");
    assert!(!is_new && same.path() == arena.path());
    // It grows, and then it evicts.
    for number in 0..4000u32 {
        arena.set(&number.to_ne_bytes(), &[7; 10_000], Deadline::NEVER, Time::now()).expect("stored");
    }
    assert!(arena.stats().evicted > 0 && arena.stats().memory_allocated > 12 << 20);
    assert!(same.get(&3999u32.to_ne_bytes(), Time::now()).is_some() && arena.verify().is_clean());
    assert_eq!(arena.stats().attached, 1);
    assert!(arena.enter_parent(leveret_engine::parent_token()).expect("the file lock is free"));
    let Lease::Granted(ticket) = arena.lease(b"key", Duration::ZERO) else { panic!("free") };
    arena.release(&ticket);
    let path = arena.path().to_owned();
    let file = std::fs::read_link(&path).expect("its descriptor is open");
    drop((arena, same));
    // Another test may have the descriptor's number by now.
    assert_ne!(std::fs::read_link(&path).ok(), Some(file), "its descriptor is closed");
}

/// Not a test of its own: run as another process, it forks while a thread of it waits for the maker of an arena. Its child
/// once had the lock of that thread for ever, and hung at its first arena.
#[test]
fn forks_while_it_opens() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let path = Path::new(&path);
    let (slow, other) = (path.join("slow.arena"), path.join("other.arena"));
    drop(open(&slow));
    std::fs::remove_file(&slow).expect("made just now");
    let lock = File::open(path.join("slow.arena.lock")).expect("it stays beside its arena");
    // SAFETY: a live descriptor.
    assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
    std::thread::spawn(move || open(&slow));
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: the child opens an arena and ends; nobody else in this process allocates meanwhile.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: ends the child, by a signal should it hang, without running anything of its parent's.
        unsafe {
            libc::alarm(20);
            let arena = Arena::open(&other, &OpenOptions::new().memory(8 << 20));
            libc::_exit(i32::from(arena.is_err()));
        }
    }
    let mut status = -1;
    // SAFETY: waits for the child made above.
    unsafe { libc::waitpid(child, &mut status, 0) };
    println!("ended with {status}.");
    std::process::exit(0);
}

#[test]
fn a_fork_while_another_thread_opens_an_arena_can_open_one() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    start("forks_while_it_opens", dir.path(), "ended with 0.").wait().expect("reaped");
}

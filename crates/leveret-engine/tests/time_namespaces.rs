//! Processes of other time namespaces, whose clocks are ahead or behind.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::process::Command;

const PATH: &str = "LEVERET_TEST_ARENA";
const LEAVES: &str = "LEVERET_TEST_LEAVES";
const OPTIONS: OpenOptions = OpenOptions::new().memory(8 << 20).cores(1);
const CLONE_NEWTIME: i32 = 0x80;
const DEAD: &[u8] = b"dead";
const ALIVE: [&[u8]; 3] = [b"for a while", b"for a day", b"for ever"];

fn look_and_store(path: &Path) {
    let (arena, _) = Arena::open(path, &OPTIONS).expect("an arena");
    let now = Time::now();
    assert!(arena.get(DEAD, now).is_none(), "an expired value");
    assert!(ALIVE.iter().all(|key| arena.get(key, now).is_some()), "a living one");
    arena.tend(now, usize::MAX);
    arena.set(b"foreign", b"v", Deadline::after(now, 100), now).expect("room");
    println!("now {} {}", now.0, now.to_unix());
}

/// Not a test of its own: run in another namespace. Says what time it is.
#[test]
fn in_another_namespace() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let path = Path::new(&path);
    if std::env::var_os(LEAVES).is_none() {
        return look_and_store(path);
    }
    // Of a thread that is not the first, /proc does not show what its children will have.
    in_child(|| {
        // SAFETY: a system call without pointers.
        assert_eq!(unsafe { libc::unshare(CLONE_NEWTIME) }, 0);
        let refused = Arena::open(path, &OPTIONS).map(drop).expect_err("neither here nor there").to_string();
        assert!(refused.contains("time namespace"), "{refused}");
        in_child(|| look_and_store(path));
    });
}

fn in_child(act: impl FnOnce()) {
    // SAFETY: the child runs this program's own code in its only thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_done = catch_unwind(AssertUnwindSafe(act)).is_ok();
        // SAFETY: ends the child.
        unsafe { libc::_exit(i32::from(!is_done)) };
    }
    let mut status = -1;
    // SAFETY: waits for the child made above.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0);
}

/// A process in a namespace behind the machine's returned values that had expired; one ahead removed living items.
#[test]
fn an_arena_has_one_clock_in_all_time_namespaces() {
    let uptime = Time::now().0;
    // The kernel lets no clock begin before 0.
    let behind = -i64::from(uptime / 2);
    for (boottime, monotonic, leaves) in [
        (0, 0, false),
        (1000, 0, false),
        (0, 1000, false),
        (200_000, 200_000, false),
        (behind, behind, false),
        (behind, 1000, false),
        (1000, 50, true),
    ] {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("clock.arena");
        let (arena, _) = Arena::open(&path, &OPTIONS).expect("an arena");
        let before = Time::now();
        arena.set(DEAD, b"v", Deadline::at(before), before).expect("room");
        for (key, secs) in ALIVE.iter().zip([60, 86_400]) {
            arena.set(key, b"v", Deadline::after(before, secs), before).expect("room");
        }
        arena.set(ALIVE[2], b"v", Deadline::NEVER, before).expect("room");
        let mut command = Command::new("unshare");
        if !rustix::process::geteuid().is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--time", "--fork", &format!("--boottime={boottime}"), &format!("--monotonic={monotonic}")]);
        command.arg(std::env::current_exe().expect("this program")).env(PATH, &path);
        command.args(["--exact", "in_another_namespace", "--nocapture"]);
        if leaves {
            command.env(LEAVES, "1");
        }
        let output = command.output().expect("util-linux has it");
        let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if why.contains("unshare: ") {
            return eprintln!("no time namespaces here: {why}");
        }
        let what = format!("boot time {boottime}, monotonic {monotonic}: {said}{why}");
        assert!(output.status.success(), "{what}");
        let told = said.lines().find_map(|line| line.split_once("now ")).expect(&what).1;
        let (now, unix) = told.split_once(' ').expect(&what);
        let (now, unix): (u32, i64) = (now.parse().expect(&what), unix.parse().expect(&what));
        let after = Time::now();
        assert!((before.0..=after.0).contains(&now), "{} to {}: {what}", before.0, after.0);
        assert!((before.to_unix() - 1..=after.to_unix() + 1).contains(&unix), "{what}");
        assert!(ALIVE.iter().all(|key| arena.get(key, after).is_some()), "{what}");
        assert!(
            arena.get(b"foreign", after).is_some() && arena.get(b"foreign", Time(after.0 + 101)).is_none(),
            "{what}"
        );
    }
}

//! Which folders are trusted. The owner of a folder decides where its names lead and, by its mode, who may open files
//! made there. So arenas lie in folders of root or of this user, also when root opens them; folders of other users are
//! refused, whatever path led there. A checked folder is kept open, so a name that changes afterwards has no effect.
use crate::error::{failed, OpenError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of root or of this user.
pub(crate) struct Folder {
    file: OwnedFd,
    path: PathBuf,
    /// The sharing group: the folder is setgid, and the group's members may write to it.
    group: Option<u32>,
}

impl Folder {
    /// The folder in which `path` names a file.
    pub fn of(path: &Path) -> Result<Folder, OpenError> {
        Folder::open(path.parent().unwrap_or(Path::new("/")))
    }

    pub fn open(path: &Path) -> Result<Folder, OpenError> {
        let untrusted = |why: String| OpenError::UntrustedFolder { path: path.to_owned(), why };
        // Not openat2: older kernels, some sandboxes and valgrind do not have it.
        let file = walk(path)?;
        let stat = fs::fstat(&file).map_err(|error| failed("look at the folder", path, error))?;
        if !is_trusted_owner(stat.st_uid) {
            let cure = if uid() == 0 { "run this as that user" } else { "root, or this user, must own it" };
            let why = format!("the folder belongs to {}; {cure}, or choose another", other(stat.st_uid));
            return Err(untrusted(why));
        }
        if stat.st_mode & 0o1002 == 0o002 {
            let why = "every user may write to this folder, and it has no sticky bit; chmod o-w it, or choose another";
            return Err(untrusted(why.to_owned()));
        }
        let group = (stat.st_mode & 0o2022 == 0o2020).then_some(stat.st_gid);
        Ok(Folder { file, path: path.to_owned(), group })
    }

    /// In a folder of a group its members share arenas; everywhere else they are private to the user.
    pub fn mode(&self) -> Mode {
        Mode::from_raw_mode(if self.group.is_some() { 0o660 } else { 0o600 })
    }

    /// Any process that can write a file of ours can lie to us (never crash us): so it belongs to root, to this user,
    /// or to the group for which root or this user has made the folder.
    pub fn check(&self, name: &OsStr, stat: &Stat) -> Result<(), OpenError> {
        let path = || self.path.join(name);
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(OpenError::Foreign { path: path(), why: "it is not a regular file".to_owned() });
        }
        if stat.st_mode & 0o002 != 0 {
            let why = "every user may write to it; chmod o-w it to keep its contents, else remove it";
            return Err(OpenError::Untrusted { path: path(), why: why.to_owned() });
        }
        let is_of_group = self.group == Some(stat.st_gid) && stat.st_mode & 0o060 == 0o060;
        if !is_trusted_owner(stat.st_uid) && !is_of_group {
            let why = format!("it belongs to {}; remove it, or run this as that user", other(stat.st_uid));
            return Err(OpenError::Untrusted { path: path(), why });
        }
        Ok(())
    }
}

/// Opens a name to inspect it and to continue from there.
const STEP: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// As many as the kernel follows.
const LINKS_MAX: u32 = 40;

/// Opens a folder name by name, each from its opened parent, and follows only symbolic links of root and of this user.
/// Otherwise another user who may create names in /tmp could choose which of our own folders we write to, such as one
/// that a web server publishes. The opened folder is used, even if its name changes meanwhile.
fn walk(path: &Path) -> Result<OwnedFd, OpenError> {
    // Mostly there is no link at all: then one call does. It fails where there is one, and on kernels before 5.6.
    if let Ok(file) = fs::openat2(fs::CWD, path, STEP | OFlags::DIRECTORY, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        return Ok(file);
    }
    let refused = |error: Errno| failed("look at the folder", path, error);
    let start = |place: &Path| {
        let place = if place.is_absolute() { "/" } else { "." };
        fs::open(place, STEP | OFlags::DIRECTORY, Mode::empty()).map_err(refused)
    };
    // The names still to open, the next one last, and the path so far.
    let names_of = |path: &Path| {
        let names = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        names.map(|name| name.as_os_str().to_owned()).rev().collect::<Vec<OsString>>()
    };
    let (mut left, mut links) = (names_of(path), 0);
    let (mut file, mut place) = (start(path)?, PathBuf::from(if path.is_absolute() { "/" } else { "" }));
    while let Some(name) = left.pop() {
        let next_place = place.join(&name);
        let next = fs::openat(&file, &name, STEP, Mode::empty()).map_err(refused)?;
        let stat = fs::fstat(&next).map_err(refused)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => (file, place) = (next, next_place),
            FileType::Symlink if !is_trusted_owner(stat.st_uid) => {
                let why = format!("it is a symbolic link of {}", other(stat.st_uid));
                return Err(OpenError::Untrusted { path: next_place, why });
            }
            FileType::Symlink => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(refused(Errno::LOOP));
                }
                let target = fs::readlinkat(&next, "", Vec::new()).map_err(refused)?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    (file, place) = (start(&target)?, PathBuf::from("/"));
                }
                left.extend(names_of(&target));
            }
            _ => return Err(refused(Errno::NOTDIR)),
        }
    }
    Ok(file)
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Text about an untrusted owner, for errors.
fn other(owner: u32) -> String {
    if owner == uid() {
        return format!("uid {owner}, which stands for every user without a number in this user namespace");
    }
    format!("uid {owner}, and this process runs as uid {}", uid())
}

/// Whether an arena may lie in this folder: root or this user owns it and each symbolic link to it, and other users
/// cannot replace its files. `Arena::open` does the same check. The error says what is wrong.
pub fn check_folder(folder: &Path) -> Result<(), OpenError> {
    Folder::open(folder).map(drop)
}

/// Whether this process trusts files and folders of this user. Everybody trusts root; root trusts only root.
pub fn is_trusted_owner(owner: u32) -> bool {
    owner == 0 || owner == uid() && (owner != overflow_uid() || every_user_has_a_number())
}

/// The uid shown for users without a number in this user namespace.
fn overflow_uid() -> u32 {
    let read = || std::fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?.trim().parse().ok();
    static KNOWN: AtomicU32 = AtomicU32::new(u32::MAX);
    match KNOWN.load(Ordering::Relaxed) {
        u32::MAX => {
            let number = read().unwrap_or(65_534);
            KNOWN.store(number, Ordering::Relaxed);
            number
        }
        known => known,
    }
}

/// Whether the overflow uid is a real user's number, as on a machine without user namespaces. Unknown counts as no.
fn every_user_has_a_number() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let numbers = map.lines().filter_map(|line| line.split_ascii_whitespace().nth(2)?.parse::<u64>().ok());
    numbers.sum::<u64>() >= u64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{set_permissions, Permissions};
    use std::os::unix::fs::{symlink, PermissionsExt};

    /// Another user's folder of mode 3777 was taken for a group's. (tests/test_neighbour.py tries owners.)
    #[test]
    fn who_shares_a_folder_decides_the_mode_of_what_is_made_there() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("folder");
        std::fs::create_dir(&folder).expect("a folder");
        for (mode, want) in [
            (0o700, 0o600),
            (0o770, 0o600),
            (0o2750, 0o600),
            (0o2770, 0o660),
            (0o3770, 0o660),
            (0o1777, 0o600),
            (0o3777, 0o600),
        ] {
            set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
            assert_eq!(
                Folder::open(&folder).map(|folder| folder.mode()).ok(),
                Some(Mode::from_raw_mode(want)),
                "{mode:o}"
            );
        }
        for mode in [0o777, 0o2777, 0o702] {
            set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
            assert!(matches!(Folder::open(&folder), Err(OpenError::UntrustedFolder { .. })), "{mode:o}");
        }
        set_permissions(&folder, Permissions::from_mode(0o700)).expect("a mode");
        symlink(&folder, dir.path().join("link")).expect("a link");
        assert!(Folder::of(&dir.path().join("link/x.arena")).is_ok(), "our own link");
        assert!(matches!(Folder::open(&dir.path().join("missing")), Err(OpenError::Io { .. })));
    }

    const OTHER: u32 = 54_321;

    /// It followed the links of others that opening does not follow.
    #[test]
    fn an_arena_is_removed_only_where_it_could_be_opened() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let place = |name: &str| dir.path().join(name);
        std::fs::create_dir(place("folder")).expect("a folder");
        let make = || {
            for name in ["folder/x.arena", "folder/x.arena.lock"] {
                std::fs::write(place(name), "").expect("written");
            }
        };
        make();
        symlink(place("folder"), place("link")).expect("a link");
        crate::remove(&place("link/x.arena")).expect("our own link");
        assert!(std::fs::read_dir(place("folder")).expect("a folder").next().is_none());
        // The last name is not followed.
        make();
        symlink(place("folder/x.arena"), place("y.arena")).expect("a link");
        crate::remove(&place("y.arena")).expect("the link");
        assert!(place("folder/x.arena").exists() && !place("y.arena").is_symlink());
        if uid() == 0 {
            std::os::unix::fs::lchown(place("link"), Some(OTHER), None).expect("given away");
            assert!(matches!(crate::remove(&place("link/x.arena")), Err(OpenError::Untrusted { .. })));
        }
        set_permissions(place("folder"), Permissions::from_mode(0o777)).expect("a mode");
        assert!(matches!(crate::remove(&place("folder/x.arena")), Err(OpenError::UntrustedFolder { .. })));
        assert!(place("folder/x.arena").exists());
    }

    /// The folder that `path` leads to, by its number.
    fn opened(path: &Path) -> Result<u64, OpenError> {
        Folder::open(path).map(|folder| fs::fstat(&folder).expect("open").st_ino)
    }

    /// A link of another user was followed behind one of root's.
    #[test]
    fn no_link_of_another_user_is_followed_wherever_it_stands() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let place = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(place("own/below")).expect("folders");
        for name in ["own", "own/below"] {
            set_permissions(place(name), Permissions::from_mode(0o755)).expect("a mode");
        }
        let target = opened(&place("own")).expect("ours");
        for length in 1..=6 {
            for foreign in (0..length).map(Some).chain([None]) {
                for is_absolute in [false, true] {
                    let name = |number: usize| format!("{length}-{foreign:?}-{is_absolute}-{number}");
                    for number in 0..length {
                        let next = match number + 1 {
                            last if last == length => "own/below/..".to_owned(),
                            next => name(next),
                        };
                        let to = if is_absolute { place(&next) } else { PathBuf::from(&next) };
                        symlink(to, place(&name(number))).expect("a link");
                        if foreign == Some(number) && uid() == 0 {
                            std::os::unix::fs::lchown(place(&name(number)), Some(OTHER), None).expect("given away");
                        }
                    }
                    let path = place(&name(0));
                    for (path, want) in [(path.clone(), target), (path.join("below/.."), target)] {
                        match (foreign, opened(&path)) {
                            (Some(number), refused) if uid() == 0 => {
                                let refused = refused.expect_err("a link of another user").to_string();
                                let link = place(&name(number));
                                assert!(refused.starts_with(&format!("{} is not", link.display())), "{refused}");
                            }
                            (_, found) => assert_eq!(found.expect("our own links"), want),
                        }
                    }
                }
            }
        }
        symlink("loop", place("loop")).expect("a link");
        assert!(matches!(opened(&place("loop")), Err(OpenError::Io { .. })));
        std::fs::write(place("file"), "").expect("a file");
        assert!(matches!(opened(&place("file/x")), Err(OpenError::Io { .. })));
        assert!(matches!(opened(&place("file")), Err(OpenError::Io { .. })));
    }

    /// A name was inspected first and opened later: another user's link could replace it in between.
    #[test]
    fn a_link_that_takes_the_place_of_a_folder_is_never_followed() {
        if uid() != 0 {
            return eprintln!("only root can make links of another user");
        }
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let place = |name: &str| dir.path().join(name);
        for name in ["own", "own/cache", "shown", "shown/cache"] {
            std::fs::create_dir(place(name)).expect("a folder");
        }
        symlink("shown", place("link")).expect("a link");
        std::os::unix::fs::lchown(place("link"), Some(OTHER), None).expect("given away");
        symlink(place("own/cache"), place("ours")).expect("a link");
        let shown = opened(&place("shown/cache")).expect("ours");
        let stop = std::sync::atomic::AtomicBool::new(false);
        let led_astray = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let exchange = fs::RenameFlags::EXCHANGE;
                    fs::renameat_with(fs::CWD, place("own"), fs::CWD, place("link"), exchange).expect("exchanged");
                }
            });
            let (mut met, mut refused) = (false, 0);
            for turn in 0..20_000 {
                match opened(&place(if turn % 2 == 0 { "own/cache" } else { "ours" })) {
                    Ok(number) => met |= number == shown,
                    Err(_) => refused += 1,
                }
            }
            stop.store(true, Ordering::Relaxed);
            assert!(refused > 0, "the link was never met");
            met
        });
        assert!(!led_astray);
    }

    const PLACE: &str = "LEVERET_TEST_FOLDER";

    /// Not a test of its own: run as another user. Says whether it trusts a folder.
    #[test]
    fn says_whether_it_trusts() {
        let Some(place) = std::env::var_os(PLACE) else { return };
        match Folder::open(Path::new(&place)) {
            Ok(_) => println!("trusts it as {}", uid()),
            Err(error) => println!("refuses: {error}"),
        }
    }

    /// In a user namespace all users without a number look like one, and a process of such a user took the files of all
    /// others for its own. On a machine without namespaces that number is an ordinary user.
    #[test]
    fn who_has_no_number_owns_nothing() {
        if uid() != 0 {
            return eprintln!("only root can make folders of other users");
        }
        let overflow = overflow_uid();
        let program = std::env::current_exe().expect("this program");
        let said = |through: &[&str], place: &Path| {
            let words = through.iter().map(OsStr::new).chain([program.as_os_str()]);
            let mut words =
                words.chain(["--exact", "map::folder::tests::says_whether_it_trusts", "--nocapture"].map(OsStr::new));
            let mut command = std::process::Command::new(words.next().expect("a program"));
            let output = command.args(words).env(PLACE, place).output().expect("started");
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        };
        for owner in [OTHER, overflow, 1] {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            set_permissions(dir.path(), Permissions::from_mode(0o755)).expect("a mode");
            std::os::unix::fs::chown(dir.path(), Some(owner), None).expect("given away");
            let nobody = said(&["unshare", "--user"], dir.path());
            if nobody.contains("unshare: ") {
                return eprintln!("no user namespaces here: {nobody}");
            }
            let why = "which stands for every user without a number";
            assert!(nobody.contains("refuses:") && nobody.contains(why), "{owner}: {nobody}");
            let id = owner.to_string();
            let become_owner = ["setpriv", "--reuid", &id, "--regid", &id, "--clear-groups"];
            let own = said(&become_owner, dir.path());
            if own.contains("ermission denied") {
                return eprintln!("other users cannot run this program: {own}");
            }
            assert!(own.contains(&format!("trusts it as {owner}")), "{own}");
        }
    }
}

//! Where the arenas of all products lie: a name becomes a path, by the same rules for PHP, Ruby, the client and the
//! command. The engine takes paths, and decides which folders are trusted. Here also stands how servers announce in an arena
//! where they listen.
mod announcement;
mod error;
mod older;

pub use announcement::{endpoint_of, RespListener, GUARDED};
pub use error::PlaceError;
use leveret_engine::{check_folder, is_trusted_owner, OpenError};
pub use older::{forget_older, note_older, older, take_noted};
use rustix::fs::{Access, AtFlags, CWD};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The folder that packages create: group `leveret`, setgid, so that root's CLI, FPM and a server share arenas.
pub const SHARED: &str = "/dev/shm/leveret";
const NAME_MAX: usize = 64;
const SUFFIX: &str = "arena";

/// The file of the arena that `name` means: `NAME`, `arena:NAME`, or a path that ends in `.arena`.
pub fn resolve(name: &str, dir: Option<&Path>) -> Result<PathBuf, PlaceError> {
    if name.contains('/') {
        let path = Path::new(name);
        return if path.extension() == Some(OsStr::new(SUFFIX)) && path.is_absolute() {
            Ok(path.to_owned())
        } else {
            Err(PlaceError::Name(name.to_owned()))
        };
    }
    let bare = name.strip_prefix("arena:").unwrap_or(name);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if bare.is_empty() || bare.len() > NAME_MAX || bare.starts_with('.') || !bare.chars().all(allowed) {
        return Err(PlaceError::Name(name.to_owned()));
    }
    Ok(directory(dir)?.join(format!("{bare}.{SUFFIX}")))
}

/// The folder of named arenas: `dir` (the INI `leveret.dir`), else `$LEVERET_DIR`, else the shared folder if it is one
/// and this user may use it, else a private one, which is made. A folder that was named is looked at when an arena is
/// opened.
pub fn directory(dir: Option<&Path>) -> Result<PathBuf, PlaceError> {
    let named = dir.map(Path::to_owned).filter(|dir| !dir.as_os_str().is_empty());
    if let Some(dir) =
        named.or_else(|| std::env::var_os("LEVERET_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from))
    {
        return Ok(dir);
    }
    let shared = Path::new(SHARED);
    let usable = || rustix::fs::accessat(CWD, shared, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok();
    match check_default(shared) {
        Ok(true) if usable() => Ok(shared.to_owned()),
        _ => private(SHARED, uid()),
    }
}

/// Whether an arena may lie in this folder: the rules for all folders, also for configured ones. The error says what is
/// wrong.
pub fn check(folder: &Path) -> Result<(), PlaceError> {
    Ok(check_folder(folder)?)
}

/// The same for a default folder; false if there is none. Any user may make names in /dev/shm, also before packages or
/// users do: the owner of the folder could read and rewrite all caches in it.
pub fn check_default(folder: &Path) -> Result<bool, PlaceError> {
    let untrusted = |why: String| Err(OpenError::Untrusted { path: folder.to_owned(), why }.into());
    let found = match fs::symlink_metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(OpenError::Io { doing: "look at", path: folder.to_owned(), source }.into()),
    };
    if !found.is_dir() {
        return untrusted(format!("uid {} has put something there that is no folder", found.uid()));
    }
    if !is_trusted_owner(found.uid()) {
        return untrusted(format!("it belongs to uid {}, and this process runs as uid {}", found.uid(), uid()));
    }
    check(folder)?;
    if found.mode() & 0o002 != 0 {
        return untrusted("every user may write to this folder; chmod o-w it".to_owned());
    }
    Ok(true)
}

/// How many names the user's own folder may have: others may have taken some.
const NAMES: usize = 32;

/// The user's own folder, mode 0700: `base`-UID. Where another user has taken that name it is the next of a fixed row of
/// names, so that all processes of a user meet in one folder, and none of them lists /dev/shm, which may be long.
fn private(base: &str, uid: u32) -> Result<PathBuf, PlaceError> {
    let names: Vec<PathBuf> = (0..NAMES)
        .map(|number| if number == 0 { format!("{base}-{uid}") } else { format!("{base}-{uid}.{number}") }.into())
        .collect();
    let is_ours = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == uid);
    // One that is there wins over a name that has become free.
    let first_of_ours = || names.iter().find(|name| is_ours(name));
    if first_of_ours().is_none() {
        for name in &names {
            if make(name)? || is_ours(name) {
                break;
            }
        }
    }
    let Some(folder) = first_of_ours() else {
        let why = format!(
            "other users have taken this name and the {} that would do instead; root can remove them, or choose another folder (leveret.dir, LEVERET_DIR)",
            NAMES - 1
        );
        return Err(OpenError::Untrusted { path: names[0].clone(), why }.into());
    };
    let path = || folder.to_owned();
    match fs::symlink_metadata(folder) {
        Ok(found) if found.mode() & 0o022 != 0 => {
            let why = format!("only uid {uid} may be able to write to this folder; chmod go-w it");
            Err(OpenError::Untrusted { path: path(), why }.into())
        }
        Ok(_) => Ok(path()),
        Err(source) => Err(OpenError::Io { doing: "look at", path: path(), source }.into()),
    }
}

/// Whether this call has made the folder: false where there is something of that name.
fn make(folder: &Path) -> Result<bool, PlaceError> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(source) => Err(OpenError::Io { doing: "create the folder", path: folder.to_owned(), source }.into()),
    }
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// All arenas of the folder, by name.
pub fn list(dir: Option<&Path>) -> io::Result<Vec<PathBuf>> {
    let dir = directory(dir).map_err(io::Error::other)?;
    let mut arenas: Vec<PathBuf> = match fs::read_dir(&dir) {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension() == Some(OsStr::new(SUFFIX)))
            .collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    arenas.sort();
    Ok(arenas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_engine::{Arena, OpenOptions};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    #[test]
    fn names_become_paths_and_bad_names_are_refused() {
        let dir = Some(Path::new("/run/x"));
        for (name, want) in [
            ("default", "/run/x/default.arena"),
            ("arena:a-b_c.1", "/run/x/a-b_c.1.arena"),
            ("/srv/shop.arena", "/srv/shop.arena"),
        ] {
            assert_eq!(resolve(name, dir).expect(name), Path::new(want));
        }
        for name in ["", "arena:", "a b", "../x", ".hidden", "/srv/shop.txt", "x/y.arena", "ü", &"n".repeat(65)] {
            assert!(matches!(resolve(name, dir), Err(PlaceError::Name(_))), "{name:?}");
        }
    }

    #[test]
    fn a_folder_lists_its_arenas_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["b.arena", "a.arena", "a.arena.lock", "notes"] {
            fs::write(dir.path().join(name), "").expect("a file");
        }
        let names = ["a", "b"].map(|name| resolve(name, Some(dir.path())).expect("a name"));
        assert_eq!(list(Some(dir.path())).expect("listed"), names);
    }

    #[test]
    fn the_text_names_the_settings_of_the_folder_where_another_one_would_do() {
        let dir = tempfile::tempdir().expect("a folder");
        let missing = resolve("shop", Some(&dir.path().join("missing"))).expect("a name");
        let said = |path: &Path| match Arena::open(path, &OpenOptions::new()) {
            Ok(_) => panic!("it was opened"),
            Err(error) => PlaceError::from(error).to_string(),
        };
        assert!(said(&missing).ends_with("or choose another (leveret.dir, LEVERET_DIR)"));
        let foreign = resolve("foreign", Some(dir.path())).expect("a name");
        fs::write(&foreign, [b'x'; 10_000]).expect("a file");
        assert!(said(&foreign).ends_with("remove it, or name another file"));
    }

    const BASE: &str = "LEVERET_TEST_BASE";

    /// Not a test of its own: run as a user who cannot list the folder. Prints the user's own one.
    #[test]
    fn says_its_folder() {
        let Ok(base) = std::env::var(BASE) else { return };
        match private(&base, uid()) {
            Ok(folder) => println!("folder {}", folder.display()),
            Err(error) => println!("error {error}"),
        }
    }

    /// Where another user had taken the name of a user's folder, each process read all names of /dev/shm: half a second for
    /// 300,000 of them.
    #[test]
    fn processes_of_a_user_meet_in_one_folder_whatever_names_are_taken_and_list_nothing() {
        const USER: u32 = 54_321;
        let program = std::env::current_exe().expect("this program");
        for taken in [0, 1, 2, NAMES - 1, NAMES] {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let base = dir.path().join("own");
            // As /dev/shm, but not to be listed.
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o1333)).expect("a mode");
            let user = if uid() == 0 { USER } else { uid() };
            let name = |number: usize| match number {
                0 => format!("{}-{user}", base.display()),
                number => format!("{}-{user}.{number}", base.display()),
            };
            // A file and a link are as much in the way as another user's folder, which only root can make here.
            for number in 0..taken {
                match number % 3 {
                    0 if uid() == 0 => fs::create_dir(name(number)).expect("a folder"),
                    1 => std::os::unix::fs::symlink("/", name(number)).expect("a link"),
                    _ => fs::write(name(number), "").expect("a file"),
                }
            }
            let start = || {
                let mut command = Command::new(&program);
                command.args(["--exact", "tests::says_its_folder", "--nocapture"]).env(BASE, &base);
                if uid() == 0 {
                    command.uid(USER).gid(USER);
                }
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
            };
            let Ok(children) = (0..4).map(|_| start()).collect::<Result<Vec<_>, _>>() else {
                return eprintln!("{} cannot be run by another user", program.display());
            };
            let said = |child: Child| String::from_utf8(child.wait_with_output().expect("ended").stdout).expect("text");
            let want = match taken {
                NAMES => format!("error {}-{user} is not to be trusted: other users have taken", base.display()),
                taken => format!("folder {}\n", name(taken)),
            };
            for child in children {
                let said = said(child);
                assert!(said.contains(&want), "{taken}: {said}");
            }
            // If the names are free again, running and new processes stay together.
            if taken > 0 && taken < NAMES {
                fs::remove_dir(name(0)).or_else(|_| fs::remove_file(name(0))).expect("gone");
                let said = said(start().expect("started"));
                assert!(said.contains(&want), "{taken}: {said}");
            }
        }
    }
}

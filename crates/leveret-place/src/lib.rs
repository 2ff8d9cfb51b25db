//! Where the arenas of all products lie: a name becomes a path, by the same rules for PHP, Ruby, the client and the
//! command. The engine takes paths, and decides which folders are trusted.
mod error;

pub use error::Error;
use leveret_engine::{check_folder, is_trusted_owner, OpenError};
use rustix::fd::OwnedFd;
use rustix::fs::{flock, Access, AtFlags, FlockOperation, Mode, OFlags, CWD};
use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder that packages create: group `leveret`, setgid, so that root's CLI, FPM and a server share arenas.
pub const SHARED: &str = "/dev/shm/leveret";
const NAME_MAX: usize = 64;
const SUFFIX: &str = "arena";

/// The file of the arena that `name` means: `NAME`, `arena:NAME`, or a path that ends in `.arena`.
pub fn resolve(name: &str, dir: Option<&Path>) -> Result<PathBuf, Error> {
    if name.contains('/') {
        let path = Path::new(name);
        return if path.extension() == Some(OsStr::new(SUFFIX)) && path.is_absolute() {
            Ok(path.to_owned())
        } else {
            Err(Error::Name(name.to_owned()))
        };
    }
    let bare = name.strip_prefix("arena:").unwrap_or(name);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if bare.is_empty() || bare.len() > NAME_MAX || bare.starts_with('.') || !bare.chars().all(allowed) {
        return Err(Error::Name(name.to_owned()));
    }
    Ok(directory(dir)?.join(format!("{bare}.{SUFFIX}")))
}

/// The folder of named arenas: `dir` (the INI `leveret.dir`), else `$LEVERET_DIR`, else the shared folder if it is one
/// and this user may use it, else a private one, which is made. A folder that was named is looked at when an arena is
/// opened.
pub fn directory(dir: Option<&Path>) -> Result<PathBuf, Error> {
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
        _ => private(uid()),
    }
}

/// Whether an arena may lie in this folder: the rules of every folder, also of those that were named. The error says
/// what is wrong.
pub fn check(folder: &Path) -> Result<(), Error> {
    Ok(check_folder(folder)?)
}

/// The same for a folder that nobody has named, with false where there is none. Anybody may make names in /dev/shm,
/// also before packages or users do: whoever owns the folder would read and rewrite what everybody caches.
pub fn check_default(folder: &Path) -> Result<bool, Error> {
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
        return untrusted("everybody may write to this folder; chmod o-w it".to_owned());
    }
    Ok(true)
}

/// The user's own folder, mode 0700. Its name may be taken by somebody else, whom only root could drive out: then it
/// has another one, which nobody can take beforehand, and all processes of the user find it by its owner.
fn private(uid: u32) -> Result<PathBuf, Error> {
    let usual = PathBuf::from(format!("{SHARED}-{uid}"));
    let is_ours = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == uid);
    let folder = if is_ours(&usual) {
        usual
    } else if let Some(other) = first_of(&usual, is_ours) {
        other
    } else if make(&usual)? || is_ours(&usual) {
        usual
    } else {
        let _turn = turn(&usual);
        if first_of(&usual, is_ours).is_none() {
            make(&PathBuf::from(format!("{}.{:032x}", usual.display(), random())))?;
        }
        first_of(&usual, is_ours).unwrap_or(usual)
    };
    match fs::symlink_metadata(&folder) {
        Ok(found) if found.mode() & 0o022 != 0 => {
            let why = format!("nobody but uid {uid} should be able to write to this folder; chmod go-w it");
            Err(OpenError::Untrusted { path: folder, why }.into())
        }
        Ok(_) => Ok(folder),
        Err(source) => Err(OpenError::Io { doing: "look at", path: folder, source }.into()),
    }
}

/// Whether this call has made the folder: false where there is something of that name.
fn make(folder: &Path) -> Result<bool, Error> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(source) => Err(OpenError::Io { doing: "create the folder", path: folder.to_owned(), source }.into()),
    }
}

/// What nobody can guess: the keys that the standard library draws from the kernel for its hash tables.
fn random() -> u128 {
    let draw = |number: u8| u128::from(RandomState::new().hash_one(number));
    draw(0) << 64 | draw(1)
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// One process after the other, so that all of a user's take the same folder. A neighbour may hold this lock too: he is
/// not waited for.
fn turn(folder: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let place = rustix::fs::open(folder.parent()?, flags, Mode::empty()).ok()?;
    for _ in 0..100 {
        if flock(&place, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(place);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Of this user's folders with other names, the first by name.
fn first_of(usual: &Path, is_ours: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let beginning = format!("{}.", usual.display());
    let entries = fs::read_dir(usual.parent()?).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    entries.filter(|path| path.to_str().is_some_and(|path| path.starts_with(&beginning)) && is_ours(path)).min()
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
            assert!(matches!(resolve(name, dir), Err(Error::Name(_))), "{name:?}");
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
            Err(error) => Error::from(error).to_string(),
        };
        assert!(said(&missing).ends_with("or choose another (leveret.dir, LEVERET_DIR)"));
        let foreign = resolve("foreign", Some(dir.path())).expect("a name");
        fs::write(&foreign, [b'x'; 10_000]).expect("a file");
        assert!(said(&foreign).ends_with("remove it, or name another file"));
    }
}

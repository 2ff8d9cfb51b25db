//! Rewrites a file of an application or of the system's configuration: whole or not at all, and only the file that its
//! name denotes. Other users may own parent folders and change them at any time.
use super::line::{changes, Language, LineChange};
use super::server::ServerAddress;
use crate::users::AccountFiles;
use leveret_engine::is_trusted_owner;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self, AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Longer files are not read.
pub const LEN_MAX: u64 = 1 << 20;
/// Suffix of the backup. No program loads files with this suffix.
const BACKUP: &str = ".leveret-backup";
/// As many as the kernel follows.
const LINKS_MAX: u32 = 40;

/// The backup of a rewritten file.
#[derive(Debug)]
pub struct Rewritten {
    /// Its path. Its mode is 0: it may hold passwords, and a web server may serve its folder.
    pub backup: OsString,
    /// Its mode before.
    pub mode: u32,
    /// Lines that were changed.
    pub lines: usize,
}

/// Makes all changes that need no person. Text: why the file stays as it is. None: there is nothing to change.
pub fn rewrite(path: &Path, language: Language, server: &ServerAddress) -> Result<Option<Rewritten>, String> {
    let place = resolve(path)?;
    let (name, failed) = (place.name.as_os_str(), |doing: &str, error: Errno| format!("cannot {doing}: {error}"));
    let open = |flags| {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        fs::openat(&place.folder, name, flags, Mode::empty())
    };
    let file = open(OFlags::RDONLY).map_err(|error| failed("read it", error))?;
    let stat = fs::fstat(&file).map_err(|error| failed("look at it", error))?;
    check(&file, &stat)?;
    // Root may write to all files, and a file that cannot be changed is meant so.
    open(OFlags::WRONLY).map_err(|error| failed("write to it", error))?;
    let mut text = Vec::new();
    File::from(file).take(LEN_MAX + 1).read_to_end(&mut text).map_err(|error| format!("cannot read it: {error}"))?;
    let text = String::from_utf8(text).map_err(|_| "it is no UTF-8")?;
    let (new, lines) = rewritten(&text, language, server);
    if lines == 0 {
        return Ok(None);
    }
    let backup = [name.as_bytes(), BACKUP.as_bytes()].concat();
    let fresh = [b".", name.as_bytes(), format!(".leveret-new-{}", std::process::id()).as_bytes()].concat();
    let (backup, fresh) = (OsString::from_vec(backup), OsString::from_vec(fresh));
    make(&place.folder, &backup, text.as_bytes(), &stat, 0).map_err(|error| match error {
        Errno::EXIST => format!("{} is there already: move it away", Path::new(&backup).display()),
        error => failed("keep a copy of it", error),
    })?;
    let replace = || {
        make(&place.folder, &fresh, new.as_bytes(), &stat, stat.st_mode & 0o7777)?;
        let now = fs::statat(&place.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if !is_same(&now, &stat) {
            return Err(Errno::STALE);
        }
        fs::renameat(&place.folder, &fresh, &place.folder, name)
    };
    if let Err(error) = replace() {
        for name in [&fresh, &backup] {
            let _ = fs::unlinkat(&place.folder, name, AtFlags::empty());
        }
        return Err(match error {
            Errno::STALE => "it was changed meanwhile: try again".to_owned(),
            error => failed("replace it", error),
        });
    }
    let _ = fs::fsync(&place.folder);
    Ok(Some(Rewritten { backup, mode: stat.st_mode & 0o7777, lines }))
}

/// The text with its changes, and how many lines they are. Line ends stay as they are.
fn rewritten(text: &str, language: Language, server: &ServerAddress) -> (String, usize) {
    let mut new = String::with_capacity(text.len());
    let mut changes = changes(text, language, server).into_iter().peekable();
    let mut count = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let change = changes.next_if(|(at, _)| *at == number).map(|(_, change)| change);
        let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
        count += usize::from(matches!(change, Some(LineChange::Replace(_) | LineChange::Remove)));
        match change {
            Some(LineChange::Replace(text)) => new.extend([&text, end]),
            Some(LineChange::Remove) => {}
            Some(LineChange::ByHand(_)) | None => new.push_str(line),
        }
    }
    (new, count)
}

/// Where a file lies.
struct Place {
    folder: OwnedFd,
    name: OsString,
}

/// Goes to a file name by name, each from the opened folder before, and follows links of root and of this user only.
fn resolve(path: &Path) -> Result<Place, String> {
    const STEP: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let names_of = |path: &Path| {
        let names = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        names.map(|name| name.as_os_str().to_owned()).rev().collect::<Vec<_>>()
    };
    let failed = |error: Errno| format!("cannot go to it: {error}");
    let start = |path: &Path| {
        let place = if path.is_absolute() { "/" } else { "." };
        fs::open(place, STEP | OFlags::DIRECTORY, Mode::empty()).map_err(failed)
    };
    let (mut folder, mut left, mut links) = (start(path)?, names_of(path), 0);
    while let Some(name) = left.pop() {
        let next = fs::openat(&folder, &name, STEP, Mode::empty()).map_err(failed)?;
        let stat = fs::fstat(&next).map_err(failed)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink if !is_trusted_owner(stat.st_uid) => {
                let user = AccountFiles::read().name(stat.st_uid);
                return Err(format!("{} is a symbolic link of {user}: run this as {user}", Path::new(&name).display()));
            }
            FileType::Symlink => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(failed(Errno::LOOP));
                }
                let target = fs::readlinkat(&next, "", Vec::new()).map_err(failed)?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    folder = start(&target)?;
                }
                left.extend(names_of(&target));
            }
            FileType::Directory if !left.is_empty() => folder = next,
            FileType::RegularFile if left.is_empty() => {
                return open_folder(&folder).map(|folder| Place { folder, name })
            }
            _ => return Err("it is not a regular file".to_owned()),
        }
    }
    Err("it is not a regular file".to_owned())
}

/// The same folder, such that it can be written to disk.
fn open_folder(folder: &OwnedFd) -> Result<OwnedFd, String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fs::openat(folder, ".", flags, Mode::empty()).map_err(|error| format!("cannot read its folder: {error}"))
}

/// Refuses files whose properties a replacement would lose.
fn check(file: &OwnedFd, stat: &Stat) -> Result<(), String> {
    let uid = rustix::process::geteuid().as_raw();
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err("it is not a regular file".to_owned());
    }
    if stat.st_uid != uid && uid != 0 {
        let user = AccountFiles::read().name(stat.st_uid);
        return Err(format!("it belongs to {user}: run this as {user}"));
    }
    if stat.st_nlink > 1 {
        return Err("it has other names (hard links)".to_owned());
    }
    if stat.st_size as u64 > LEN_MAX {
        return Err("it is longer than 1 MiB".to_owned());
    }
    match fs::fgetxattr(file, "system.posix_acl_access", &mut [0u8; 1024]) {
        Ok(_) | Err(Errno::RANGE) => Err("it has an access control list".to_owned()),
        Err(_) => Ok(()),
    }
}

fn is_same(now: &Stat, before: &Stat) -> bool {
    let of =
        |stat: &Stat| (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime_nsec);
    of(now) == of(before)
}

/// Writes a new file of the owner and group of another one.
fn make(folder: &OwnedFd, name: &OsStr, bytes: &[u8], like: &Stat, mode: u32) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(folder, name, flags, Mode::empty())?;
    let write = || {
        File::from(file.try_clone().map_err(errno)?).write_all(bytes).map_err(errno)?;
        fs::fchown(file.as_fd(), Some(Uid::from_raw(like.st_uid)), Some(Gid::from_raw(like.st_gid)))?;
        fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        fs::fsync(&file)
    };
    write().inspect_err(|_| {
        let _ = fs::unlinkat(folder, name, AtFlags::empty());
    })
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{read, read_to_string, set_permissions, write, Permissions};
    use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};

    fn server() -> ServerAddress {
        "127.0.0.1:11211".parse().expect("a server")
    }

    fn apply(path: &Path) -> Result<Option<Rewritten>, String> {
        rewrite(path, Language::Code, &server())
    }

    #[test]
    fn line_ends_and_everything_else_stay_as_they_are() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("wp-config.php");
        for end in ["\n", "\r\n"] {
            for last in ["", end] {
                let text =
                    |host: &str| format!("<?php{end}$servers = ['{host}'];  // é{end}{end}define('X', \"y\");{last}");
                write(&path, text("arena:wp")).expect("written");
                set_permissions(&path, Permissions::from_mode(0o640)).expect("ours");
                let done = apply(&path).expect("rewritten").expect("one line");
                assert_eq!((done.lines, done.mode), (1, 0o640));
                assert_eq!(read_to_string(&path).expect("there"), text("127.0.0.1:11211"));
                let stat = path.metadata().expect("there");
                assert_eq!(stat.mode() & 0o7777, 0o640);
                let backup = dir.path().join(&done.backup);
                assert_eq!(backup.metadata().expect("there").mode() & 0o7777, 0);
                assert_eq!(dir.path().read_dir().expect("a folder").count(), 2);
                set_permissions(&backup, Permissions::from_mode(0o640)).expect("ours");
                assert_eq!(read_to_string(&backup).expect("there"), text("arena:wp"));
                // Once more there is nothing to do.
                assert!(apply(&path).expect("readable").is_none());
                // An existing file is not overwritten.
                write(&path, text("arena:other")).expect("written");
                assert!(apply(&path).expect_err("a copy is there").contains("is there already"));
                assert_eq!(read_to_string(&backup).expect("there"), text("arena:wp"));
                std::fs::remove_file(backup).expect("there");
            }
        }
    }

    #[test]
    fn a_removed_line_takes_its_end_along() {
        let settings = |text: &str| rewritten(text, Language::Settings, &server());
        assert_eq!(settings("a = 1\r\nleveret.memory = 1G\r\nb = 2"), ("a = 1\r\nb = 2".to_owned(), 1));
        assert_eq!(settings("a = 1\nleveret.memory = 1G"), ("a = 1\n".to_owned(), 1));
        assert_eq!(settings("nothing"), ("nothing".to_owned(), 0));
        assert_eq!(settings(""), (String::new(), 0));
    }

    #[test]
    fn files_that_are_not_what_they_seem_stay() {
        let dir = tempfile::tempdir().expect("a folder");
        let text = "<?php $s = ['arena:wp'];";
        let path = |name: &str| dir.path().join(name);
        write(path("real.php"), text).expect("written");
        // A link of this user is followed, and stays a link.
        std::fs::create_dir(path("site")).expect("made");
        symlink("../real.php", path("site/link.php")).expect("made");
        assert!(apply(&path("site/link.php")).expect("followed").is_some());
        assert!(path("site/link.php").symlink_metadata().expect("there").is_symlink());
        assert!(read_to_string(path("real.php")).expect("there").contains("127.0.0.1:11211"));
        let refused = |name: &str| apply(&path(name)).expect_err(name);
        write(path("hard.php"), text).expect("written");
        std::fs::hard_link(path("hard.php"), path("hard2.php")).expect("made");
        assert!(refused("hard.php").contains("other names"));
        write(path("latin.php"), b"<?php $s = ['arena:wp']; // \xe9").expect("written");
        assert!(refused("latin.php").contains("UTF-8"));
        assert!(refused("site").contains("regular file"));
        symlink("loop.php", path("loop.php")).expect("made");
        assert!(refused("loop.php").contains("cannot go to it"));
        assert!(refused("absent.php").contains("cannot go to it"));
        write(path("long.php"), vec![b' '; LEN_MAX as usize + 1]).expect("written");
        assert!(refused("long.php").contains("longer"));
        if rustix::process::geteuid().is_root() {
            write(path("theirs.php"), text).expect("written");
            symlink("theirs.php", path("foreign.php")).expect("made");
            std::os::unix::fs::lchown(path("foreign.php"), Some(2), None).expect("root may");
            assert!(refused("foreign.php").contains("symbolic link of"));
            assert_eq!(read(path("theirs.php")).expect("there"), text.as_bytes());
            // A file of another user stays that user's.
            std::os::unix::fs::chown(path("theirs.php"), Some(2), Some(3)).expect("root may");
            let done = apply(&path("theirs.php")).expect("rewritten").expect("one line");
            for path in [path("theirs.php"), dir.path().join(done.backup)] {
                let stat = path.metadata().expect("there");
                assert_eq!((stat.uid(), stat.gid()), (2, 3));
            }
        } else {
            write(path("read-only.php"), text).expect("written");
            set_permissions(path("read-only.php"), Permissions::from_mode(0o444)).expect("ours");
            assert!(refused("read-only.php").contains("cannot write to it"));
        }
    }
}

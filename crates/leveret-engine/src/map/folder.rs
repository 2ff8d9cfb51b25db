//! Which folder is trusted. Whoever owns a folder decides which files its names lead to, and by its mode who else may
//! open what is made there. So arenas lie in folders of root or of this very user, also when root asks; a neighbour's
//! are refused, however they came to their names. What has passed is kept open: a name that is turned to another folder
//! afterwards leads nowhere.
use crate::error::{failed, OpenError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat, CWD};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A folder of root or of this user.
pub(crate) struct Folder {
    file: OwnedFd,
    path: PathBuf,
    /// The group that shares what lies here: the folder is setgid, and its members may write to it.
    group: Option<u32>,
}

impl Folder {
    /// The folder in which `path` names a file.
    pub fn of(path: &Path) -> Result<Folder, OpenError> {
        Folder::open(path.parent().unwrap_or(Path::new("/")))
    }

    pub fn open(path: &Path) -> Result<Folder, OpenError> {
        let untrusted = |why: String| OpenError::UntrustedFolder { path: path.to_owned(), why };
        // Somebody who may make names in /tmp would choose which of our own folders we write to: one that a web server
        // shows, say.
        for place in path.ancestors().filter(|place| !place.as_os_str().is_empty()) {
            let stat = fs::statat(CWD, place, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|error| failed("look at the folder", place, error))?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink && !is_trusted_owner(stat.st_uid) {
                let why =
                    format!("it is a symbolic link of uid {}, and this process runs as uid {}", stat.st_uid, uid());
                return Err(OpenError::Untrusted { path: place.to_owned(), why });
            }
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = fs::open(path, flags, Mode::empty()).map_err(|error| failed("look at the folder", path, error))?;
        let stat = fs::fstat(&file).map_err(|error| failed("look at the folder", path, error))?;
        if !is_trusted_owner(stat.st_uid) {
            let cure = if uid() == 0 { "run this as that user" } else { "root, or this user, must own it" };
            let why = format!(
                "the folder belongs to uid {}, and this process runs as uid {}; {cure}, or choose another",
                stat.st_uid,
                uid()
            );
            return Err(untrusted(why));
        }
        if stat.st_mode & 0o1002 == 0o002 {
            let why = "everybody may write to this folder and it has no sticky bit; chmod o-w it, or choose another";
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
            let why = "everybody may write to it; chmod o-w it if its contents are worth keeping, else remove it";
            return Err(OpenError::Untrusted { path: path(), why: why.to_owned() });
        }
        let is_of_group = self.group == Some(stat.st_gid) && stat.st_mode & 0o060 == 0o060;
        if !is_trusted_owner(stat.st_uid) && !is_of_group {
            let why = format!(
                "it belongs to uid {}, and this process runs as uid {}; remove it, or run this as that user",
                stat.st_uid,
                uid()
            );
            return Err(OpenError::Untrusted { path: path(), why });
        }
        Ok(())
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether an arena may lie in this folder: root or this user owns it and each symbolic link that leads to it, and not
/// everybody may replace what lies there. `Arena::open` asks the same. The error says what is wrong.
pub fn check_folder(folder: &Path) -> Result<(), OpenError> {
    Folder::open(folder).map(drop)
}

/// Whether this process trusts files and folders of this user. Root is trusted by everybody, and trusts nobody else.
pub fn is_trusted_owner(owner: u32) -> bool {
    owner == 0 || owner == uid()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{set_permissions, Permissions};
    use std::os::unix::fs::{symlink, PermissionsExt};

    /// A neighbour's folder of mode 3777 was taken for one of a group. (Owners are tried by tests/test_neighbour.py.)
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
}

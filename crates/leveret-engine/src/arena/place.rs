//! Where arenas live: a name becomes a path. The rules are decision 1 of the product; the error texts say what is allowed.
use crate::error::OpenError;
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
pub fn resolve(name: &str, dir: Option<&Path>) -> Result<PathBuf, OpenError> {
    if name.contains('/') {
        let path = Path::new(name);
        return if path.extension() == Some(OsStr::new(SUFFIX)) && path.is_absolute() {
            Ok(path.to_owned())
        } else {
            Err(OpenError::Name(name.to_owned()))
        };
    }
    let bare = name.strip_prefix("arena:").unwrap_or(name);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if bare.is_empty() || bare.len() > NAME_MAX || bare.starts_with('.') || !bare.chars().all(allowed) {
        return Err(OpenError::Name(name.to_owned()));
    }
    Ok(directory(dir)?.join(format!("{bare}.{SUFFIX}")))
}

/// The folder of named arenas: `dir` (the INI `leveret.dir`), else `$LEVERET_DIR`, else the shared folder if this user may
/// use it, else a private one, which is made.
pub fn directory(dir: Option<&Path>) -> Result<PathBuf, OpenError> {
    let named = dir.map(Path::to_owned).filter(|dir| !dir.as_os_str().is_empty());
    if let Some(dir) = named.or_else(|| std::env::var_os("LEVERET_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from)) {
        return Ok(dir);
    }
    let usable = rustix::fs::accessat(
        rustix::fs::CWD,
        SHARED,
        rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
        rustix::fs::AtFlags::EACCESS,
    );
    if usable.is_ok() {
        return Ok(PathBuf::from(SHARED));
    }
    let uid = rustix::process::geteuid().as_raw();
    let private = PathBuf::from(format!("{SHARED}-{uid}"));
    match fs::DirBuilder::new().mode(0o700).create(&private) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(OpenError::Io { doing: "create the folder", path: private, source: error })
        }
        _ => {}
    }
    // Anybody may create names in /dev/shm: a folder of this name that is not ours is somebody's trap.
    let found = fs::symlink_metadata(&private).map_err(|source| OpenError::Io { doing: "look at", path: private.clone(), source })?;
    if !found.is_dir() || found.uid() != uid || found.mode() & 0o022 != 0 {
        return Err(OpenError::Untrusted {
            path: private,
            why: format!("it should be a folder of uid {uid} that nobody else may write to; remove it, or set leveret.dir"),
        });
    }
    Ok(private)
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

    #[test]
    fn names_become_paths_and_bad_names_are_refused() {
        let dir = Some(Path::new("/run/x"));
        for (name, want) in
            [("default", "/run/x/default.arena"), ("arena:a-b_c.1", "/run/x/a-b_c.1.arena"), ("/srv/shop.arena", "/srv/shop.arena")]
        {
            assert_eq!(resolve(name, dir).expect(name), Path::new(want));
        }
        for name in ["", "arena:", "a b", "../x", ".hidden", "/srv/shop.txt", "x/y.arena", "ü", &"n".repeat(65)] {
            assert!(matches!(resolve(name, dir), Err(OpenError::Name(_))), "{name:?}");
        }
    }
}

//! The names under which an arena's file is found: its own, those beside it, and none.
use rustix::fd::OwnedFd;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where the kernel shows a process's own descriptors.
pub(super) const DESCRIPTORS: &str = "/proc/self/fd";

/// Whether a path leads to an arena without a name. (Those of names end in `.arena`.)
pub(super) fn is_nameless(path: &Path) -> bool {
    path.parent() == Some(Path::new(DESCRIPTORS)) && path.extension().is_none()
}

/// Opens an arena's file once more: a description of its own.
pub(super) fn open_again(path: &Path) -> Result<OwnedFd, Errno> {
    let follow = if is_nameless(path) { OFlags::empty() } else { OFlags::NOFOLLOW };
    fs::open(path, OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK | follow, Mode::empty())
}

/// Opens an existing file: no symbolic link, and without blocking if it turns out to be a FIFO or to have a lease.
pub(super) const FOUND: OFlags = OFlags::RDWR.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// The path of a file beside this one.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

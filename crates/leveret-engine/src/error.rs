//! Why an operation or an opening failed. A miss is `None` and a lost cas is `Stored::Exists`: those are answers.
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an operation failed. Nothing but the item in question is ever affected.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The value is larger than the arena takes. The old item under that key is gone: a failed set must not leave a
    /// stale value.
    ValueTooLarge {
        /// Length of the value, bytes.
        len: usize,
        /// Largest value of this arena, bytes.
        max: usize,
    },
    /// The key is longer than the arena takes.
    KeyTooLong {
        /// Length of the key, bytes.
        len: usize,
        /// Longest key of this arena, bytes.
        max: usize,
    },
    /// Nothing can be evicted: the arena is full, and was opened without eviction; or all that it could allocate would not
    /// hold the value. Of a set the old item is gone, as above.
    NoMemory,
    /// For the lock timeout other processes held what the write needed, the shard's lock or all memory that could be freed:
    /// they live, but are stopped. Nothing has changed.
    Busy,
    /// The arena's file was truncated, replaced or unlinked: open it again.
    Lost,
    /// Too many processes write to this arena.
    ProcessTableFull {
        /// How many processes may be registered at a time.
        max: usize,
    },
    /// The file system does not keep the life sign of a process.
    NoLifeSign(String),
    /// The arena's file could not be opened once more: no descriptors left, or rights that were given up.
    FileRefused(String),
    /// The kernel or the arena's file system has no huge pages for it.
    NoHugePages,
    /// This layout has no bytes for the value.
    OldLayout {
        /// Version of its layout.
        layout: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ValueTooLarge { len, max } => write!(f, "a value of {len} bytes is too large: this arena takes at most {max}, an eighth of its memory"),
            Error::KeyTooLong { len, max } => write!(f, "a key of {len} bytes is too long: this arena takes at most {max}"),
            Error::NoMemory => write!(f, "no room for this value: the arena can neither grow nor evict enough; create a larger arena, let it evict, or give its file system more room"),
            Error::Busy => write!(f, "other processes hold the lock or the memory that this write needs and do not go on (stopped or frozen?); try again"),
            Error::Lost => write!(f, "the arena's file was truncated, replaced or removed; open the arena again"),
            Error::ProcessTableFull { max } => write!(f, "{max} processes already write to this arena, which is the limit; reading goes on"),
            Error::NoLifeSign(why) => write!(f, "this file system cannot show whether a process is alive ({why}); put the arena on tmpfs, ext4, xfs or btrfs"),
            Error::NoHugePages => write!(f, "there are no huge pages for this arena: that takes Linux 6.1 or newer, and an arena in memory (tmpfs, as /dev/shm is)"),
            Error::OldLayout { layout } => write!(f, "an arena of layout version {layout} has no place for this; `leveret renew` replaces it"),
            Error::FileRefused(why) => write!(f, "the arena's file cannot be opened once more, which a process's first write takes ({why}); reading goes on"),
        }
    }
}

impl std::error::Error for Error {}

/// The text of a system error: plain words for the frequent ones, otherwise the system's text without its number.
pub fn reason(error: &io::Error) -> String {
    let words = match error.raw_os_error() {
        Some(libc::ENOENT) => "there is no such file or folder",
        Some(libc::ENOTDIR) => "a part of this path is a file, not a folder",
        Some(libc::EISDIR) => "it is a folder",
        Some(libc::EACCES | libc::EPERM) => "permission denied",
        Some(libc::ENAMETOOLONG) => "the name is too long",
        Some(libc::EROFS) => "the file system is read-only",
        Some(libc::ENOSPC) => "no space is left on the file system",
        Some(libc::EWOULDBLOCK) => "another process holds it and does not go on",
        Some(libc::EMFILE | libc::ENFILE) => "too many files are open",
        Some(libc::EDEADLK) => "another thread of this process is opening an arena and does not go on; try again",
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            return text.trim_start_matches("failed to lookup address information: ").to_owned();
        }
    };
    words.to_owned()
}

/// Why an arena could not be opened. The text says how to fix it.
#[non_exhaustive]
#[derive(Debug)]
pub enum OpenError {
    /// `memory` is out of range.
    Memory {
        /// Requested size, bytes.
        asked: u64,
    },
    /// The file or its folder could not be used.
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the kernel answered.
        source: io::Error,
    },
    /// There is not enough room on the file system.
    NoSpace {
        /// The arena's file.
        path: PathBuf,
        /// Bytes needed at once.
        needed: u64,
    },
    /// This process may not make files as large as the arena's.
    FileLimit {
        /// The arena's file.
        path: PathBuf,
        /// Its length, bytes.
        needed: u64,
        /// The limit, bytes.
        limit: u64,
    },
    /// The file is no arena, or was damaged.
    Foreign {
        /// The file.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// The file is an arena of another layout version.
    LayoutMismatch {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: u32,
        /// Version that this program reads.
        expected: u32,
    },
    /// The file is an arena that uses features of the layout that this program does not know.
    UnknownFeatures {
        /// The file.
        path: PathBuf,
        /// A bit for each of them.
        features: u64,
    },
    /// Another user owns the file, or could lead its name to another one.
    Untrusted {
        /// The file, or what leads to it.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// Another user owns the folder, or could replace files in it.
    UntrustedFolder {
        /// The folder.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// This process has made a time namespace without entering it, and cannot tell the machine's time.
    TimeNamespace(PathBuf),
    /// There is no such arena and none was to be made.
    Missing(PathBuf),
}

impl OpenError {
    /// Whether another folder would help. The text then ends with that advice; callers that know how a user sets the
    /// folder can add it.
    pub fn advises_another_folder(&self) -> bool {
        match self {
            OpenError::NoSpace { .. } | OpenError::UntrustedFolder { .. } => true,
            OpenError::Io { source, .. } => {
                matches!(source.raw_os_error(), Some(libc::EACCES | libc::EPERM | libc::ENOENT))
            }
            _ => false,
        }
    }
}

/// The failed operation, its file, and the kernel's error.
pub(crate) fn failed(doing: &'static str, path: &Path, error: impl Into<io::Error>) -> OpenError {
    OpenError::Io { doing, path: path.to_owned(), source: error.into() }
}

/// The smallest arena, bytes.
pub const MEMORY_MIN: u64 = 8 << 20;
/// The largest arena, bytes.
pub const MEMORY_MAX: u64 = 1 << 40;

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Memory { asked } => write!(f, "an arena of {asked} bytes is out of range: the memory is {} MiB to {} GiB", MEMORY_MIN >> 20, MEMORY_MAX >> 30),
            OpenError::Io { doing, path, source } => {
                write!(f, "cannot {doing} {}: {}", path.display(), reason(source))?;
                match source.raw_os_error() {
                    Some(libc::EACCES | libc::EPERM) => write!(f, "; this process runs as uid {}: give that user the right, or choose another folder", rustix::process::geteuid().as_raw()),
                    Some(libc::ELOOP) => write!(f, "; it is a symbolic link, which is refused: name the file itself"),
                    Some(libc::EISDIR) => write!(f, "; an arena is a file: remove the folder, or name another file"),
                    Some(libc::EWOULDBLOCK) => write!(f, "; end that process (fuser, lslocks): until then nothing is cached there"),
                    Some(libc::ENOENT) => write!(f, "; create the folder, or choose another"),
                    _ => Ok(()),
                }
            }
            OpenError::NoSpace { path, needed } => write!(
                f,
                "no space for {}: {} KiB are needed to begin with; make its file system larger (a container: --shm-size; tmpfs: mount -o remount,size=...) or choose another folder",
                path.display(),
                needed / 1024
            ),
            OpenError::FileLimit { path, needed, limit } => write!(
                f,
                "cannot make {}: the file has {} KiB, and this process may make files of at most {} KiB; raise that limit (ulimit -f; systemd: LimitFSIZE=) or ask for a smaller arena",
                path.display(),
                needed.div_ceil(1024),
                limit / 1024
            ),
            OpenError::Foreign { path, why } => write!(f, "{} is not an arena that can be used: {why}; remove it, or name another file", path.display()),
            OpenError::LayoutMismatch { path, found, expected } => {
                write!(f, "{} has layout version {found}, and this program reads up to version {expected}: stop its users and remove it, or run the version that made it", path.display())
            }
            OpenError::UnknownFeatures { path, features } => {
                let bits: Vec<String> = (0..64).filter(|bit| features >> bit & 1 != 0).map(|bit: u32| bit.to_string()).collect();
                write!(f, "{} uses layout features that this program does not know (number {}): stop its users and remove it, or run the version that made it", path.display(), bits.join(", "))
            }
            OpenError::Untrusted { path, why } | OpenError::UntrustedFolder { path, why } => write!(f, "{} is not to be trusted: {why}", path.display()),
            OpenError::TimeNamespace(path) => write!(
                f,
                "cannot compute which items of {} have expired: this process is in one time namespace, and its children will be in another; use the arena in a child process",
                path.display()
            ),
            OpenError::Missing(path) => write!(f, "there is no arena {}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_features_are_told_by_their_numbers() {
        for (features, want) in [(1, "(number 0)"), (1 << 63, "(number 63)"), (0b1010, "(number 1, 3)")] {
            let text = OpenError::UnknownFeatures { path: PathBuf::from("/x.arena"), features }.to_string();
            assert!(text.starts_with("/x.arena uses layout features") && text.contains(want), "{text}");
        }
    }
}

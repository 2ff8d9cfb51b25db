//! Usage of a file system: its largest files, and files without a name.
use crate::output::shown;
use crate::units::{bytes, counted};
use std::fs::{read_dir, symlink_metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Largest files that are named.
const SHOWN: usize = 3;
/// Files that are looked at: a /dev/shm may hold millions.
const LOOKED_AT_MAX: usize = 100_000;
/// Smaller files without a name are not reported.
const NAMELESS_MIN: u64 = 1 << 20;

/// `: /dev/shm/a takes 60.0 MiB, ...`, for the file system mounted here with `used` bytes in use.
pub fn of(mount: &Path, used: u64) -> String {
    let mut files = files(mount);
    files.sort_by(|a, b| b.cmp(a));
    let named: u64 = files.iter().map(|(size, _)| size).sum();
    let mut parts: Vec<String> = files
        .iter()
        .filter(|(size, _)| *size > 0)
        .take(SHOWN)
        .map(|(size, path)| format!("{} takes {}", shown(path.as_os_str().as_bytes()), bytes(*size)))
        .collect();
    if files.len() > SHOWN {
        parts.push(format!("{} more", counted((files.len() - SHOWN) as u64, "file")));
    }
    let nameless = used.saturating_sub(named);
    // On a disk the rest is in folders that this user cannot read, and in the file system's own tables.
    if mount.starts_with("/dev/shm") && nameless >= NAMELESS_MIN {
        parts.push(format!("{} are in removed files that a process has open until it is restarted", bytes(nameless)));
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(": {}", parts.join(", "))
    }
}

/// Every file of the same device below here, with the memory that it takes.
fn files(mount: &Path) -> Vec<(u64, PathBuf)> {
    let Ok(device) = symlink_metadata(mount).map(|stat| stat.dev()) else { return Vec::new() };
    let (mut files, mut folders, mut looked_at) = (Vec::new(), vec![mount.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > LOOKED_AT_MAX {
                return files;
            }
            let path = entry.path();
            match symlink_metadata(&path) {
                Ok(stat) if stat.dev() != device => {}
                Ok(stat) if stat.is_dir() => folders.push(path),
                // In units of 512 bytes on every file system.
                Ok(stat) => files.push((stat.blocks() * 512, path)),
                Err(_) => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_largest_files_are_named_and_the_rest_is_counted() {
        let dir = tempfile::Builder::new().tempdir_in("/dev/shm").expect("a folder");
        let below = dir.path().join("below");
        fs::create_dir(&below).expect("a folder");
        assert_eq!(of(dir.path(), 0), "");
        for (name, kib) in [("a", 8), ("below/b", 64), ("c", 32), ("below/d", 16), ("e", 4)] {
            fs::write(dir.path().join(name), vec![1; kib << 10]).expect("a file");
        }
        let name = |name: &str| dir.path().join(name).display().to_string();
        let want = format!(
            ": {} takes 64.0 KiB, {} takes 32.0 KiB, {} takes 16.0 KiB, 2 files more",
            name("below/b"),
            name("c"),
            name("below/d")
        );
        assert_eq!(of(dir.path(), 124 << 10), want);
        let nameless = of(dir.path(), (124 << 10) + (5 << 20));
        assert!(nameless.starts_with(&want) && nameless.contains("5.0 MiB are in removed files"), "{nameless}");
    }
}

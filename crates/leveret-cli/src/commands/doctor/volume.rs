//! The file system under the folder of the arenas: its kind, its options, its space.
use super::contents;
use super::known::KnownArena;
use super::{Finding, USUAL_MEMORY};
use crate::commands::stats::Summary;
use crate::units::bytes;
use rustix::fs::{statfs, statvfs, StatVfsMountFlags};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const SUBJECT: &str = "folder";
/// What the smallest arena takes.
const SMALLEST: u64 = leveret_engine::MEMORY_MIN;

/// What the kernel says of it.
pub struct Volume {
    /// Magic number of the file system.
    pub file_system: u64,
    pub read_only: bool,
    /// 0 = without a limit.
    pub size: u64,
    pub available: u64,
}

impl Volume {
    pub fn of(dir: &Path) -> io::Result<Volume> {
        let system = statfs(dir)?;
        let volume = statvfs(dir)?;
        Ok(Volume {
            file_system: system.f_type as u64,
            read_only: volume.f_flag.contains(StatVfsMountFlags::RDONLY),
            size: volume.f_blocks * volume.f_frsize,
            available: volume.f_bavail * volume.f_frsize,
        })
    }

    /// Whether an arena can take all the memory that it may.
    pub fn has_room_for(&self, stats: &Summary) -> bool {
        self.size == 0 || stats.memory.saturating_sub(stats.allocated) <= self.available
    }

    #[cfg(test)]
    pub fn healthy() -> Volume {
        Volume { file_system: TESTED[0].0, read_only: false, size: 8 << 30, available: 7 << 30 }
    }
}

pub fn judge(volume: &Volume, dir: &Path, known: &[KnownArena]) -> Vec<Finding> {
    file_system_finding(volume, dir).into_iter().chain(space_finding(volume, dir, known)).collect()
}

/// The file systems on which the engine's life signs and memory promises were tested.
const TESTED: [(u64, &str); 5] = [
    (0x0102_1994, "tmpfs"),
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0x9584_58f6, "hugetlbfs"),
];
const UNTESTED: [(u64, &str); 7] = [
    (0x6969, "NFS"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x794c_7630, "overlayfs"),
    (0xff53_4d42, "CIFS"),
    (0x2fc1_2fc1, "ZFS"),
    (0x8584_58f6, "ramfs"),
];

fn file_system_finding(volume: &Volume, dir: &Path) -> Option<Finding> {
    let dir = dir.display();
    match TESTED.iter().find(|(magic, _)| *magic == volume.file_system) {
        Some((_, "tmpfs" | "hugetlbfs")) => None,
        Some((_, name)) => Some(
            Finding::note(
                SUBJECT,
                format!("{dir} is on {name}, a disk"),
                "The kernel writes changed pages back to the disk; memory only is faster. The contents still end with a reboot.",
            )
            .fixed_by("Use a folder in /dev/shm unless you want it so."),
        ),
        None => {
            let name = UNTESTED
                .iter()
                .find(|(magic, _)| *magic == volume.file_system)
                .map_or_else(|| format!("file system 0x{:x}", volume.file_system), |(_, name)| (*name).to_owned());
            Some(Finding::warning(
                SUBJECT,
                format!("{dir} is on {name}"),
                "Arenas need locks that show whether a process is alive, and memory that can be reserved. Without these, writing is refused.",
                "Use a folder on tmpfs, ext4, xfs or btrfs, such as /dev/shm (LEVERET_DIR; PHP: leveret.dir).",
            ))
        }
    }
}

fn space_finding(volume: &Volume, dir: &Path, known: &[KnownArena]) -> Option<Finding> {
    if volume.size == 0 {
        // A tmpfs without a limit (size=0) does not say how much there is.
        return None;
    }
    let promised: u64 = known
        .iter()
        .filter_map(|arena| arena.summary())
        .map(|stats| stats.memory.saturating_sub(stats.allocated))
        .sum();
    let wanted = if known.is_empty() { USUAL_MEMORY } else { promised };
    let fix = enlarge(volume, dir, wanted);
    let space = || {
        let free = format!("{} has {} free of {}", dir.display(), bytes(volume.available), bytes(volume.size));
        format!("{free}{}", contents::of(mount_point(dir), volume.size.saturating_sub(volume.available)))
    };
    if known.is_empty() && volume.available < SMALLEST {
        return Some(Finding::problem(
            SUBJECT,
            space(),
            format!("Not even the smallest arena ({}) fits.", bytes(SMALLEST)),
            fix,
        ));
    }
    if wanted <= volume.available {
        return None;
    }
    let means = if known.is_empty() {
        format!("An arena of the usual {} would begin to evict items before its size is reached.", bytes(USUAL_MEMORY))
    } else {
        format!(
            "The arenas there may still grow by {}. Where the file system ends, items are evicted instead.",
            bytes(wanted)
        )
    };
    Some(Finding::warning(SUBJECT, space(), means, fix))
}

/// How to give a file system `wanted` more bytes than are in use now.
fn enlarge(volume: &Volume, dir: &Path, wanted: u64) -> String {
    if volume.file_system != TESTED[0].0 {
        return "Free some space, or choose another folder (LEVERET_DIR; PHP: leveret.dir).".to_owned();
    }
    let used = volume.size.saturating_sub(volume.available);
    // A quarter more than needed, in whole 64 MiB: numbers that one would write oneself.
    let mebibytes = ((used + wanted + wanted / 4) >> 20).next_multiple_of(64).max(128);
    let mount = mount_point(dir);
    let docker = format!("docker run --shm-size={mebibytes}m (compose: shm_size: {mebibytes}m)");
    match (mount == Path::new("/dev/shm"), Path::new("/.dockerenv").exists()) {
        (true, true) => format!("Start the container with more: {docker}"),
        (true, false) => format!("mount -o remount,size={mebibytes}m /dev/shm   # in a container: {docker}"),
        (false, _) => format!("mount -o remount,size={mebibytes}m {}", mount.display()),
    }
}

/// The topmost folder on the same file system.
pub fn mount_point(dir: &Path) -> &Path {
    let device = |path: &Path| fs::metadata(path).map(|stat| stat.dev()).ok();
    let ours = device(dir);
    dir.ancestors().take_while(|path| device(path) == ours).last().unwrap_or(dir)
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    fn worst(volume: Volume, known: &[KnownArena]) -> Option<Severity> {
        let findings = judge(&volume, Path::new("/"), known);
        assert!(findings.iter().all(|finding| finding.fix.is_some() && !finding.means.is_empty()), "{findings:?}");
        findings.iter().map(|finding| finding.level).max()
    }

    #[test]
    fn kinds_of_file_systems() {
        for (file_system, want) in [
            (TESTED[0].0, None),
            (0xef53, Some(Severity::Note)),
            (0x6969, Some(Severity::Warning)),
            (0x1234, Some(Severity::Warning)),
        ] {
            assert_eq!(worst(Volume { file_system, ..Volume::healthy() }, &[]), want, "{file_system:x}");
        }
    }

    #[test]
    fn too_little_space() {
        let small = |available| Volume { size: 64 << 20, available, ..Volume::healthy() };
        let arena = |memory, allocated| KnownArena {
            name: "a".to_owned(),
            path: "/a.arena".into(),
            servers: Vec::new(),
            file_len: 0,
            state: Ok(Summary { memory, allocated, ..Summary::default() }),
        };
        assert_eq!(worst(small(64 << 20), &[]), None);
        assert_eq!(worst(small(50 << 20), &[]), Some(Severity::Warning), "Docker's 64 MB, some of it used");
        assert_eq!(worst(small(1 << 20), &[]), Some(Severity::Problem));
        assert_eq!(worst(small(1 << 20), &[arena(8 << 20, 8 << 20)]), None, "it has all that it may ever claim");
        assert_eq!(worst(small(1 << 20), &[arena(8 << 20, 4 << 20)]), Some(Severity::Warning));
        assert_eq!(worst(Volume { size: 0, available: 0, ..Volume::healthy() }, &[]), None, "a tmpfs without a limit");
    }
}

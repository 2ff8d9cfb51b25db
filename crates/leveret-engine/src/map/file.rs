//! The arena's file. It is created in two steps (a file without a name, then a link), so that no process ever sees half
//! an arena, and it is checked before use.
//!
//! An arena without a name is a memfd: only the process that made it and its forks reach it, each by its descriptor,
//! and it ends with the last of them. Its path is that of the descriptor in /proc, through which each process opens it
//! once more for its own life sign.
use crate::error::{failed, OpenError};
use crate::fork::step;
use crate::map::file_lock::FileLock;
use crate::map::folder::Folder;
use crate::map::geometry::{Geometry, RegionId, Unfit, FORMAT, PAGE};
use crate::map::layout::{Control, Resize, Shard, BUCKET_SIZE};
use crate::map::name::{beside, name_of, DESCRIPTORS, FOUND};
use crate::policy::EvictionPolicy;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{self, AtFlags, FallocateFlags, MemfdFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Resource;
use std::io;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What to do when an arena is opened. Of one that this process has open already the first opening's `lock_timeout` and
/// `evict` stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    pub(crate) memory: u64,
    pub(crate) create: bool,
    pub(crate) lock_timeout: Duration,
    pub(crate) evict: bool,
    pub(crate) cores: u32,
    pub(crate) layout: u32,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions::new()
    }
}

impl OpenOptions {
    /// 64 MiB, made when there is none.
    pub const fn new() -> OpenOptions {
        OpenOptions {
            memory: 64 << 20,
            create: true,
            lock_timeout: Duration::from_secs(1),
            evict: true,
            cores: 0,
            layout: FORMAT,
        }
    }

    /// Size of a new arena, bytes: 8 MiB to 1 TiB. The size of an existing one wins.
    pub const fn memory(self, memory: u64) -> OpenOptions {
        OpenOptions { memory, ..self }
    }

    /// Whether to make the arena when there is none.
    pub const fn create(self, create: bool) -> OpenOptions {
        OpenOptions { create, ..self }
    }

    /// How long a writer waits for a living process that holds a shard's lock: a second, unless this says otherwise.
    pub const fn lock_timeout(self, lock_timeout: Duration) -> OpenOptions {
        OpenOptions { lock_timeout, ..self }
    }

    /// Whether this process evicts live items to make room. If not, a full arena answers `NoMemory`; dead items are
    /// reclaimed in any case. Also sets a new arena's policy, `All` or `None`, for all processes.
    pub const fn evict(self, evict: bool) -> OpenOptions {
        OpenOptions { evict, ..self }
    }

    /// For tests of upgrades: layout of a new arena, 1 or 2.
    #[doc(hidden)]
    pub const fn layout(self, layout: u32) -> OpenOptions {
        OpenOptions { layout, ..self }
    }

    /// Processors to shape a new arena for; 0 = those of this machine.
    pub const fn cores(self, cores: u32) -> OpenOptions {
        OpenOptions { cores, ..self }
    }
}

/// An arena's file, checked.
pub(crate) struct OpenedFile {
    pub file: OwnedFd,
    pub geometry: Geometry,
    pub identity: (u64, u64),
    pub created: bool,
}

impl OpenedFile {
    /// Files in memory belong to this boot, even if the identities differ: a process in a chroot may not know its own.
    fn is_of_an_earlier_boot(&self) -> bool {
        // The cheaper question first.
        !fs::fstatfs(&self.file).is_ok_and(|system| system.f_type == libc::TMPFS_MAGIC)
            && self.geometry.boot_id != boot_id()
    }
}

/// `fallocate` in steps: one call over a GiB takes a quarter of a second and is rolled back whole by a signal on old
/// kernels.
const STEP: u64 = 16 << 20;
/// Data that a new arena starts with; it grows on demand.
const FIRST: u64 = 1 << 20;

pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<OpenedFile, OpenError> {
    let folder = match Folder::of(path) {
        Err(OpenError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound && !options.create => {
            return Err(OpenError::Missing(path.to_owned()));
        }
        folder => folder?,
    };
    step();
    match attach(&folder, path) {
        Err(OpenError::Missing(_)) if options.create => {}
        Ok(opened) if opened.is_of_an_earlier_boot() => {
            if !options.create {
                return Err(OpenError::Missing(path.to_owned()));
            }
        }
        answer => return answer,
    }
    let patience = if MAKER_IS_STUCK.load(Ordering::Relaxed) { Duration::ZERO } else { making_takes(options.memory) };
    let lock = FileLock::wait(path, patience);
    let is_held =
        |error: &OpenError| matches!(error, OpenError::Io { source, .. } if source.kind() == io::ErrorKind::WouldBlock);
    MAKER_IS_STUCK.store(lock.as_ref().is_err_and(is_held), Ordering::Relaxed);
    let _lock = match lock {
        Ok(lock) => lock,
        // It may be there all the same.
        Err(error) => return attach(&folder, path).ok().filter(|found| !found.is_of_an_earlier_boot()).ok_or(error),
    };
    // Another process may have created it while this one waited.
    match attach(&folder, path) {
        // Locks, deadlines and life signs of an earlier boot are meaningless: such an arena starts empty.
        Ok(opened) if opened.is_of_an_earlier_boot() => {
            fs::unlinkat(&folder, name_of(path), AtFlags::empty()).map_err(|error| failed("replace", path, error))?;
        }
        Err(OpenError::Missing(_)) => {}
        answer => return answer,
    }
    let created = create(&folder, path, options)?;
    step();
    attach(&folder, path).map(|opened| OpenedFile { created, ..opened })
}

/// Set after waiting for a maker timed out. Until a lock file is free, no further maker is waited for: a page that
/// opens many arenas waits only once.
static MAKER_IS_STUCK: AtomicBool = AtomicBool::new(false);

/// How long to wait for the maker of an arena; a stopped maker must not block all others for ever. The kernel zeroes an
/// arena's first part, a 63rd of its memory: 512 GiB took 18 seconds on a busy machine, small arenas take milliseconds.
fn making_takes(memory: u64) -> Duration {
    Duration::from_secs(5 + (memory >> 33))
}

/// Makes an arena without a name, and the path that leads to it for as long as its descriptor is open.
pub(crate) fn open_nameless(options: &OpenOptions) -> Result<(PathBuf, OpenedFile), OpenError> {
    let folder = Path::new(DESCRIPTORS);
    let failed = |doing| move |error: Errno| failed(doing, folder, error);
    let make = |flags| fs::memfd_create("leveret", flags | MemfdFlags::CLOEXEC);
    // Kernels before 6.3 know no such flag; newer ones may refuse what could be executed.
    let file = make(MemfdFlags::NOEXEC_SEAL)
        .or_else(|_| make(MemfdFlags::empty()))
        .map_err(failed("make an arena without a name in"))?;
    // Of a process that began without a standard input it would take that place, and a script may close it.
    let file = rustix::io::fcntl_dupfd_cloexec(&file, 3).map_err(failed("keep an arena without a name in"))?;
    let geometry = new_geometry(options)?;
    let path = folder.join(file.as_raw_fd().to_string());
    fill(&file, &geometry, options, &path)?;
    let stat = fs::stat(&path).map_err(failed("find an arena without a name in"))?;
    Ok((path, OpenedFile { file, geometry, identity: (stat.st_dev, stat.st_ino), created: true }))
}

fn attach(folder: &Folder, path: &Path) -> Result<OpenedFile, OpenError> {
    let file = match fs::openat(folder, name_of(path), FOUND, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Err(OpenError::Missing(path.to_owned())),
        Err(error) => return Err(failed("open", path, error)),
    };
    let stat = fs::fstat(&file).map_err(|error| failed("look at", path, error))?;
    folder.check(name_of(path), &stat)?;
    let mut page = vec![0u8; PAGE as usize];
    let mut read = 0;
    while read < page.len() {
        match rustix::io::pread(&file, &mut page[read..], read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(failed("read", path, error)),
        }
    }
    let geometry = Geometry::decode(&page[..read], stat.st_size as u64).map_err(|unfit| match unfit {
        Unfit::Foreign(why) => OpenError::Foreign { path: path.to_owned(), why },
        Unfit::Layout(found) => OpenError::LayoutMismatch { path: path.to_owned(), found, expected: FORMAT },
        Unfit::Features(features) => OpenError::UnknownFeatures { path: path.to_owned(), features },
    })?;
    Ok(OpenedFile { file, geometry, identity: (stat.st_dev, stat.st_ino), created: false })
}

fn new_geometry(options: &OpenOptions) -> Result<Geometry, OpenError> {
    let cores = if options.cores == 0 {
        std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
    } else {
        options.cores
    };
    let created_unix =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let uuid = random();
    let seed = u64::from_ne_bytes(random()[..8].try_into().expect("eight bytes"));
    Ok(Geometry::new(options.memory, cores, seed, uuid, boot_id(), created_unix)?.of_layout(options.layout))
}

/// Creates the file. False: another process was faster, under another lock file, since an arena is removed together
/// with its lock file.
fn create(folder: &Folder, path: &Path, options: &OpenOptions) -> Result<bool, OpenError> {
    let geometry = new_geometry(options)?;
    // Without a name until it is complete: a killed process leaves nothing behind.
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let Ok(file) = fs::openat(folder, ".", flags, folder.mode()) else {
        return create_named(folder, path, &geometry, options);
    };
    step();
    fill(&file, &geometry, options, path)?;
    step();
    fs::fchmod(&file, folder.mode()).map_err(|error| failed("set the mode of", path, error))?;
    let own = Path::new(DESCRIPTORS).join(file.as_raw_fd().to_string());
    match fs::linkat(fs::CWD, &own, folder, name_of(path), AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // No /proc is mounted.
        Err(Errno::NOENT) => {
            drop(file);
            create_named(folder, path, &geometry, options)
        }
        Err(error) => Err(failed("publish", path, error)),
    }
}

/// Where a file must have a name from its beginning: one of its own, until it is whole.
fn create_named(folder: &Folder, path: &Path, geometry: &Geometry, options: &OpenOptions) -> Result<bool, OpenError> {
    with_temporary(folder, path, |temporary, file| {
        fill(file, geometry, options, path)?;
        fs::fchmod(file, folder.mode()).map_err(|error| failed("set the mode of", path, error))?;
        match fs::linkat(folder, name_of(temporary), folder, name_of(path), AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(failed("publish", path, error)),
        }
    })
}

/// A new file under a name of its own, which it has lost at the end.
fn with_temporary<T>(
    folder: &Folder,
    path: &Path,
    make: impl FnOnce(&Path, &OwnedFd) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    let temporary = beside(path, &format!(".{}.tmp", std::process::id()));
    let _ = fs::unlinkat(folder, name_of(&temporary), AtFlags::empty());
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = fs::openat(folder, name_of(&temporary), flags, folder.mode())
        .map_err(|error| failed("create", &temporary, error))?;
    let made = make(&temporary, &file);
    let _ = fs::unlinkat(folder, name_of(&temporary), AtFlags::empty());
    made
}

/// Replaces the arena at `path`, of any layout, by a new empty one with the size and other properties of `options`, and
/// the same owner. Processes that have the old arena open leave it at their next check (`Arena::check`).
pub fn renew(path: &Path, options: &OpenOptions) -> Result<(), OpenError> {
    let folder = Folder::of(path)?;
    look_at(&folder, path)?;
    let _lock = FileLock::wait(path, making_takes(options.memory))?;
    renew_under_lock(path, options)
}

/// The file at `path`, checked.
fn look_at(folder: &Folder, path: &Path) -> Result<fs::Stat, OpenError> {
    let found = match fs::statat(folder, name_of(path), AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Err(OpenError::Missing(path.to_owned())),
        found => found.map_err(|error| failed("look at", path, error))?,
    };
    folder.check(name_of(path), &found)?;
    Ok(found)
}

/// The same for a caller that holds the file lock.
pub(crate) fn renew_under_lock(path: &Path, options: &OpenOptions) -> Result<(), OpenError> {
    let folder = Folder::of(path)?;
    let old = look_at(&folder, path)?;
    let geometry = new_geometry(options)?;
    with_temporary(&folder, path, |temporary, file| {
        fill(file, &geometry, options, path)?;
        fs::fchmod(file, folder.mode()).map_err(|error| failed("set the mode of", path, error))?;
        let made = fs::fstat(file).map_err(|error| failed("look at", temporary, error))?;
        if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid) {
            let owner = (fs::Uid::from_raw(old.st_uid), fs::Gid::from_raw(old.st_gid));
            fs::fchown(file, Some(owner.0), Some(owner.1)).map_err(|error| failed("keep the owner of", path, error))?;
        }
        step();
        fs::renameat(&folder, name_of(temporary), &folder, name_of(path))
            .map_err(|error| failed("replace", path, error))
    })
}

pub(crate) fn fill(file: &OwnedFd, geometry: &Geometry, options: &OpenOptions, path: &Path) -> Result<(), OpenError> {
    let active = (FIRST.max(u64::from(geometry.shards()) << (geometry.segment_shift + 1)) >> geometry.segment_shift)
        .min((geometry.memory >> geometry.segment_shift) / 2);
    let index = geometry.region(RegionId::Index).off;
    let overflow = geometry.region(RegionId::Overflow).off;
    let chunk = u64::from(geometry.first_buckets()) * BUCKET_SIZE;
    let mut ranges = vec![(0, geometry.metadata_len())];
    for shard in 0..u64::from(geometry.shards()) {
        ranges.push((index + shard * u64::from(geometry.buckets_max) * BUCKET_SIZE, chunk));
        ranges.push((overflow + shard * u64::from(geometry.overflow_max()) * BUCKET_SIZE, chunk / 2));
    }
    ranges.push((geometry.region(RegionId::Data).off, active << geometry.segment_shift));
    let needed = ranges.iter().map(|(_, len)| len).sum();

    // Asked before: the kernel would end the process by SIGXFSZ.
    let limit = rustix::process::getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
    if geometry.file_len > limit {
        return Err(OpenError::FileLimit { path: path.to_owned(), needed: geometry.file_len, limit });
    }
    step();
    fs::ftruncate(file, geometry.file_len).map_err(|error| failed("size", path, error))?;
    for (off, len) in ranges {
        allocate(file, off, len).map_err(|error| match error {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => OpenError::NoSpace { path: path.to_owned(), needed },
            error => failed("allocate memory for", path, error),
        })?;
    }
    let write = |off: u64, bytes: &[u8]| match rustix::io::pwrite(file, bytes, off) {
        Ok(count) if count == bytes.len() => Ok(()),
        Ok(_) => Err(failed("write", path, io::Error::from(io::ErrorKind::WriteZero))),
        Err(error) => Err(failed("write", path, error)),
    };
    let shards = geometry.region(RegionId::Shards).off;
    for shard in 0..u64::from(geometry.shards()) {
        let at = shards + shard * size_of::<Shard>() as u64;
        write(at + offset_of!(Shard, buckets) as u64, &geometry.first_buckets().to_ne_bytes())?;
        write(at + offset_of!(Shard, chunks) as u64, &geometry.first_chunks().to_ne_bytes())?;
    }
    let control = geometry.region(RegionId::Control).off;
    write(control + offset_of!(Control, active_segments) as u64, &(active as u32).to_ne_bytes())?;
    if geometry.layout >= 2 {
        let policy = if options.evict { EvictionPolicy::All } else { EvictionPolicy::None };
        let at = offset_of!(Control, resize) + offset_of!(Resize, policy);
        write(control + at as u64, &policy.word().to_ne_bytes())?;
    }
    write(0, &geometry.encode())
}

/// Promises `off..off+len` of the file real memory, so that a full tmpfs is an error here and never a SIGBUS later.
pub(crate) fn allocate(file: impl AsFd, off: u64, len: u64) -> Result<(), Errno> {
    let mut done = 0;
    while done < len {
        let step = STEP.min(len - done);
        match fs::fallocate(&file, FallocateFlags::empty(), off + done, step) {
            Ok(()) => done += step,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn random() -> [u8; 16] {
    let mut bytes = [0u8; 16];
    // SAFETY: a live buffer of that length. Should the kernel refuse, it stays zero: a seed like any other, and no
    // secret hangs on it.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    bytes
}

/// This boot of the machine; zeros where /proc does not say.
pub(crate) fn boot_id() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: Vec<u8> =
        text.bytes().filter_map(|byte| char::from(byte).to_digit(16).map(|digit| digit as u8)).collect();
    let mut id = [0u8; 16];
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    id
}

/// Removes an arena's file and its lock file. Processes that have it open notice at their next request. The folder must
/// be one in which the arena could be opened; the file is removed whoever owns it.
pub fn remove(path: &Path) -> Result<(), OpenError> {
    let folder = Folder::of(path)?;
    fs::unlinkat(&folder, name_of(path), AtFlags::empty()).map_err(|error| failed("remove", path, error))?;
    let _ = fs::unlinkat(&folder, name_of(&beside(path, ".lock")), AtFlags::empty());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that only attached got an arena from before the reboot: values half written at the power failure, and
    /// deadlines on a clock that had started again.
    #[test]
    fn an_arena_of_an_earlier_boot_is_none() {
        let missing = |opened: Result<OpenedFile, OpenError>| matches!(opened, Err(OpenError::Missing(_)));
        let program = std::env::current_exe().expect("this program");
        let dir = tempfile::tempdir_in(program.parent().expect("its folder")).expect("a folder on a disk");
        let path = dir.path().join("old.arena");
        let options = OpenOptions::new().memory(8 << 20);
        let attach_only = options.create(false);
        assert!(missing(open(&path, &attach_only)));
        let mut made = open(&path, &options).expect("made");
        assert!(made.created && !open(&path, &attach_only).expect("of this boot").created);
        made.geometry.boot_id = [9; 16];
        rustix::io::pwrite(&made.file, &made.geometry.encode(), 0).expect("written");
        assert!(missing(open(&path, &attach_only)));
        assert!(open(&path, &options).expect("made anew").created);
    }

    /// In a chroot there may be no /proc to tell the boot. A process there and everybody outside took each other's arena
    /// for an old one.
    #[test]
    fn in_memory_no_arena_is_of_an_earlier_boot() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("same.arena");
        let options = OpenOptions::new().memory(8 << 20);
        let mut made = open(&path, &options).expect("made");
        made.geometry.boot_id = [0; 16];
        rustix::io::pwrite(&made.file, &made.geometry.encode(), 0).expect("written");
        assert!(!open(&path, &options).expect("the same").created);
    }
}

//! A whole arena: opening it, and operations on an open one.
use crate::leveret_status::{self, LEVERET_FAILED, LEVERET_LOST, LEVERET_MISS, LEVERET_OK};
use crate::types::{answer, moment};
use crate::{leveret_arena, leveret_bytes, leveret_program};
use leveret_engine::{Arena, Error, OpenOptions, Program, Stats};
use std::ffi::{c_char, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which arena to open, and how.
#[repr(C)]
pub struct leveret_open_options {
    /// "default", "arena:NAME", or an absolute path that ends in .arena.
    pub arena: leveret_bytes,
    /// The folder of named arenas; empty: $LEVERET_DIR, /dev/shm/leveret, /dev/shm/leveret-<uid>.
    pub dir: leveret_bytes,
    /// Size of a new arena, bytes; an existing one keeps its own.
    pub memory: u64,
    /// How long a writer waits for a living lock owner; 0 = 1000.
    pub lock_timeout_ms: u32,
    /// 0: attach only.
    pub create: u32,
    /// 1: the one private arena of this process and its forks, independent of `arena`, `dir` and `create`. Open it
    /// before the fork to share it with the child.
    pub nameless: u32,
}

/// Says what kind of program this process is, a leveret_program, for the statistics of arenas that it opens from now on.
/// Once, at its start: what its forks would have to find out is found out now. Any other number counts as
/// LEVERET_PROGRAM_OTHER.
#[no_mangle]
pub extern "C" fn leveret_declare(program: u32) {
    match leveret_program::of_number(program) {
        Some(leveret_program::LEVERET_PROGRAM_OTHER) | None => Program::Other,
        Some(leveret_program::LEVERET_PROGRAM_PHP) => Program::Php,
        Some(leveret_program::LEVERET_PROGRAM_RUBY) => Program::Ruby,
        Some(leveret_program::LEVERET_PROGRAM_SERVER) => Program::Server,
        Some(leveret_program::LEVERET_PROGRAM_TOOL) => Program::Tool,
    }
    .declare();
    leveret_engine::prepare_for_forks();
    // Its page is there, and each fork finds it empty.
    leveret_engine::process_id();
}

/// Opens an arena. OK: *arena is usable, *created says whether this call made it. FAILED: `message`, NUL-terminated and
/// cut to `message_len`, says why and how to fix it.
///
/// # Safety
/// Pointers are live; `message` has room for `message_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_open(
    options: *const leveret_open_options,
    arena: *mut *mut leveret_arena,
    created: *mut u32,
    message: *mut c_char,
    message_len: usize,
) -> leveret_status {
    // SAFETY: by contract.
    let (options, name, dir) = unsafe { (&*options, (*options).arena.as_slice(), (*options).dir.as_slice()) };
    let dir = Some(Path::new(OsStr::from_bytes(dir))).filter(|dir| !dir.as_os_str().is_empty());
    let open = || -> Result<(Arena, bool), leveret_place::PlaceError> {
        let lock_timeout =
            Duration::from_millis(if options.lock_timeout_ms == 0 { 1000 } else { u64::from(options.lock_timeout_ms) });
        let how = OpenOptions::new().memory(options.memory).create(options.create != 0).lock_timeout(lock_timeout);
        if options.nameless != 0 {
            return Ok(Arena::of_this_process(&how)?);
        }
        let path: PathBuf = leveret_place::resolve(&String::from_utf8_lossy(name), dir)?;
        Ok(Arena::open(&path, &how)?)
    };
    match open() {
        // SAFETY: by contract.
        Ok((opened, is_new)) => unsafe {
            leveret_place::note_older(&opened);
            created.write(u32::from(is_new));
            arena.write(Box::into_raw(Box::new(leveret_arena(opened))));
            LEVERET_OK
        },
        // SAFETY: by contract.
        Err(error) => unsafe {
            write_text(error.to_string().as_bytes(), message, message_len);
            LEVERET_FAILED
        },
    }
}

/// # Safety
/// `buffer` has room for `len` bytes.
pub(crate) unsafe fn write_text(text: &[u8], buffer: *mut c_char, len: usize) {
    if len == 0 {
        return;
    }
    let shown = text.len().min(len - 1);
    // SAFETY: `shown + 1` is at most `len`.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), shown);
        buffer.add(shown).write(0);
    }
}

/// Ends the use of an arena by this handle. The arena itself lives on. NULL is allowed.
///
/// # Safety
/// `arena` came from leveret_open and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn leveret_close(arena: *mut leveret_arena) {
    if !arena.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(arena) });
    }
}

/// OK, or LOST when the file was unlinked, replaced or truncated. One stat(2): call it once per request. Also measures
/// the time spent in suspend and publishes this process's read counts.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_check(arena: *const leveret_arena) -> leveret_status {
    // SAFETY: by contract.
    match unsafe { &(*arena).0 }.check() {
        Ok(()) => LEVERET_OK,
        Err(_) => LEVERET_LOST,
    }
}

/// Which of all the arenas that this process has opened: the same for all handles of one mapping. An address may come
/// back as another arena's, a number does not.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_arena_number(arena: *const leveret_arena) -> u64 {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.number()
}

/// The largest value, bytes: an eighth of the arena.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_value_max(arena: *const leveret_arena) -> u64 {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.value_max() as u64
}

/// The longest key, bytes: a quarter of a segment, at most 65,535.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_key_max(arena: *const leveret_arena) -> u64 {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.key_max() as u64
}

/// The arena's limit, bytes.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_memory(arena: *const leveret_arena) -> u64 {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.memory()
}

/// The arena's file, NUL-terminated and cut to `len`. Returns its full length.
///
/// # Safety
/// `buffer` has room for `len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_path(arena: *const leveret_arena, buffer: *mut c_char, len: usize) -> usize {
    // SAFETY: by contract.
    let path = unsafe { &(*arena).0 }.path().as_os_str().as_bytes();
    // SAFETY: by contract.
    unsafe { write_text(path, buffer, len) };
    path.len()
}

/// Forgets every item at once, in constant time: OK or LOST.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_flush(arena: *const leveret_arena) -> leveret_status {
    // SAFETY: by contract.
    answer(unsafe { &(*arena).0 }.flush().map(|()| true))
}

/// As leveret_flush, and counts hits, misses and stores from 0 again, as a new arena: OK or LOST.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_clear(arena: *const leveret_arena) -> leveret_status {
    // SAFETY: by contract.
    answer(unsafe { &(*arena).0 }.clear().map(|()| true))
}

/// Counts and sizes: OK or LOST. Takes no lock.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_get_stats(arena: *const leveret_arena, stats: *mut Stats) -> leveret_status {
    // SAFETY: by contract.
    let arena = unsafe { &(*arena).0 };
    // SAFETY: by contract.
    unsafe { stats.write(arena.stats()) };
    lost_or_ok(arena)
}

/// Reading is what finds out that the file was truncated.
fn lost_or_ok(arena: &Arena) -> leveret_status {
    if arena.is_lost() {
        LEVERET_LOST
    } else {
        LEVERET_OK
    }
}

/// As leveret_get_stats, without the living processes: `attached` and its kin are 0. With `room` 0 `memory_free`
/// assumes an unlimited file system. That saves several system calls.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_get_counts(
    arena: *const leveret_arena,
    room: u32,
    stats: *mut Stats,
) -> leveret_status {
    // SAFETY: by contract.
    let arena = unsafe { &(*arena).0 };
    // SAFETY: by contract.
    unsafe { stats.write(arena.counts(room != 0)) };
    lost_or_ok(arena)
}

/// Number of live items, and their bytes as leveret_item_size counts them, from existing counters. MISS: the counters
/// do not suffice, since some items may be past their deadline, or large. LOST.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_totals(
    arena: *const leveret_arena,
    now: u32,
    items: *mut u64,
    bytes: *mut u64,
) -> leveret_status {
    // SAFETY: by contract.
    let arena = unsafe { &(*arena).0 };
    let totals = arena.totals(moment(now));
    if let Some(totals) = totals {
        // SAFETY: by contract.
        unsafe {
            items.write(totals.0);
            bytes.write(totals.1);
        }
    }
    match lost_or_ok(arena) {
        LEVERET_OK if totals.is_none() => LEVERET_MISS,
        status => status,
    }
}

/// Names the calling process as a web-server master: call it before it forks.
#[no_mangle]
pub extern "C" fn leveret_master_token() -> u64 {
    leveret_engine::parent_token()
}

/// A worker of that master comes. OK: the arena was emptied, since this is the first worker of a new master and no
/// other listed master lives. MISS: nothing was to be done. BUSY. LOST: open it again; its file may have been replaced by
/// this call, since its layout was older and no other process used it.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_master_enter(arena: *const leveret_arena, token: u64) -> leveret_status {
    // SAFETY: by contract.
    let entered = unsafe { &(*arena).0 }.enter_parent(token);
    if entered == Err(Error::Lost) {
        // SAFETY: by contract.
        leveret_place::forget_older(unsafe { &(*arena).0 });
    }
    answer(entered)
}

/// What the log of this process should say of an arena that it has opened, leveret_open's or a pool's: that its layout is
/// older, what it lacks, and the command that replaces it. One arena for each call. Returns the length of the text, which
/// is cut to `message_len`; 0: nothing, or all was told before.
///
/// # Safety
/// `message` has room for `message_len` bytes.
#[no_mangle]
pub unsafe extern "C" fn leveret_older_arena(message: *mut c_char, message_len: usize) -> usize {
    let Some(text) = leveret_place::take_noted() else { return 0 };
    // SAFETY: by contract.
    unsafe { write_text(text.as_bytes(), message, message_len) };
    text.len()
}

/// Version of the layout of arenas that this library reads and writes.
#[no_mangle]
pub extern "C" fn leveret_layout_version() -> u32 {
    leveret_engine::LAYOUT_VERSION
}

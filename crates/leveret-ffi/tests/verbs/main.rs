//! The verbs of the ABI over their domains: what PHP, Ruby and C rely on, asked as they ask it.
use leveret_engine::Meta;
use leveret_ffi::*;
use std::ptr::null_mut;

mod call;
mod compute;
mod count;
mod deadlines;
mod reading;
mod walk;

/// An open arena of 8 MiB in a folder of its own.
struct Opened {
    arena: *mut leveret_arena,
    path: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

// SAFETY: any thread may call any function of the ABI.
unsafe impl Sync for Opened {}

impl Opened {
    fn new() -> Opened {
        let folder = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = folder.path().join("verbs.arena");
        Opened { arena: open(&path), path, _folder: folder }
    }

    /// A method, so that a closure takes the whole of this, which may go to another thread.
    fn arena(&self) -> *const leveret_arena {
        self.arena
    }

    /// As a mistaken administrator does: processes that have it mapped notice.
    fn truncate(&self) {
        std::fs::File::create(&self.path).expect("truncated");
    }

    fn store(&self, key: &[u8], value: &[u8], meta: Meta) {
        self.store_until(key, value, meta, LEVERET_NEVER);
    }

    fn store_until(&self, key: &[u8], value: &[u8], meta: Meta, deadline: u32) {
        let set = leveret_mode::LEVERET_SET as u32;
        // SAFETY: all pointers are live.
        let stored =
            unsafe { leveret_store(self.arena, bytes(key), bytes(value), &meta, deadline, set, 0, 0, null_mut()) };
        assert_eq!(stored, leveret_status::LEVERET_OK);
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: not used any more.
        unsafe { leveret_close(self.arena) };
    }
}

fn open(path: &std::path::Path) -> *mut leveret_arena {
    let options = leveret_open_options {
        arena: bytes(path.to_str().expect("text").as_bytes()),
        dir: bytes(b""),
        memory: 8 << 20,
        lock_timeout_ms: 0,
        create: 1,
        nameless: 0,
    };
    let (mut arena, mut created, mut message) = (null_mut(), 0, [0; 200]);
    // SAFETY: all pointers are live.
    let status = unsafe { leveret_open(&options, &mut arena, &mut created, message.as_mut_ptr(), message.len()) };
    assert_eq!(status, leveret_status::LEVERET_OK);
    arena
}

fn bytes(of: &[u8]) -> leveret_bytes {
    leveret_bytes { data: of.as_ptr(), len: of.len() }
}

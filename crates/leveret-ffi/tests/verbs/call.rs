use super::{bytes, Opened};
use leveret_client::codec::origin::PECL_MEMCACHED;
use leveret_engine::{Arena, Deadline, Encoding, Found, Meta, OpenOptions, Time};
use leveret_ffi::leveret_code::*;
use leveret_ffi::leveret_operation::*;
use leveret_ffi::*;
use std::mem::MaybeUninit;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Child, Command};
use std::ptr::null;
use std::time::Duration;

const NOTHING: leveret_bytes = leveret_bytes { data: null(), len: 0 };

/// A pool of one arena.
struct Pooled {
    opened: Opened,
    pool: *mut leveret_pool,
}

impl Pooled {
    fn new(protocol: leveret_protocol) -> Pooled {
        let pooled = Pooled { opened: Opened::new(), pool: leveret_pool_new() };
        let path = pooled.opened.path.to_str().expect("text");
        // SAFETY: all pointers are live.
        unsafe {
            let option = leveret_pool_option::LEVERET_POOL_PROTOCOL as u32;
            assert_eq!(leveret_pool_set_option(pooled.pool, option, protocol as i64), 0);
            assert_eq!(leveret_pool_add_server(pooled.pool, bytes(path.as_bytes()), 0, 0, 1, NOTHING), 0);
        }
        pooled
    }

    fn call(&self, request: &leveret_request) -> leveret_answer {
        let mut answer = MaybeUninit::uninit();
        // SAFETY: all pointers are live, and the answer is always filled.
        unsafe {
            let code = leveret_pool_call(self.pool, request, answer.as_mut_ptr());
            assert_eq!(answer.assume_init_ref().code, code);
            answer.assume_init()
        }
    }

    /// The code of the same request in a batch.
    fn batch(&self, request: &leveret_request) -> i32 {
        let mut answer = MaybeUninit::<leveret_answer>::uninit();
        // SAFETY: all pointers are live, and the answer is filled where that is told.
        unsafe {
            leveret_pool_begin(self.pool);
            let added = leveret_pool_add(self.pool, request);
            if added != 0 {
                return added;
            }
            let ran = leveret_pool_run(self.pool);
            if leveret_pool_next(self.pool, answer.as_mut_ptr()) == 0 {
                return ran;
            }
            answer.assume_init().code
        }
    }

    /// The item under the key: value, number, meta, deadline.
    fn item(&self, key: &[u8]) -> Kept {
        let mut found = Found::default();
        // SAFETY: all pointers are live, and there is room for the value.
        unsafe {
            if leveret_peek(self.opened.arena, bytes(key), 0, &mut found) != leveret_status::LEVERET_OK {
                return None;
            }
            let mut value = vec![0u8; found.value_len as usize];
            leveret_copy(self.opened.arena, &found, value.as_mut_ptr().cast());
            Some((value, found.number(), found.meta, found.deadline.second()))
        }
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        // SAFETY: not used any more.
        unsafe { leveret_pool_free(self.pool) };
    }
}

fn request(operation: leveret_operation, key: &[u8], value: &[u8]) -> leveret_request {
    leveret_request {
        operation: operation as u32,
        key: bytes(key),
        group: NOTHING,
        value: bytes(value),
        meta: Meta::default().with_origin(PECL_MEMCACHED),
        exptime: 0,
        number: 0,
        initial: 0,
        create: 0,
        with_cas: 0,
        quiet: 0,
        server: -1,
    }
}

#[test]
fn stores_do_what_a_batch_does() {
    use leveret_protocol::*;
    let integer = Meta::default().with_origin(PECL_MEMCACHED).with_flags(1).with_encoding(Encoding::INTEGER);
    let large = vec![b'v'; 2 << 20];
    for protocol in [LEVERET_PROTOCOL_TEXT, LEVERET_PROTOCOL_BINARY, LEVERET_PROTOCOL_META] {
        let (called, batched) = (Pooled::new(protocol), Pooled::new(protocol));
        for operation in [LEVERET_OP_SET, LEVERET_OP_ADD, LEVERET_OP_REPLACE, LEVERET_OP_CAS] {
            for (key, value, meta) in [
                (&b"key"[..], &b"value"[..], None),
                (b"key", b"", None),
                (b"key", b"-42", Some(integer)),
                (b"key", b"4 2", Some(integer)),
                (b"key", &large, None),
                (b"", b"value", None),
                (b"a key", b"value", None),
                (&[b'k'; 251], b"value", None),
            ] {
                for is_there in [false, true] {
                    for exptime in [0, 1000, 30 * 86_400 + 1, -1, i64::MAX, i64::MIN, 1 << 32] {
                        for number in [0, 77] {
                            let mut asked = request(operation, key, value);
                            (asked.exptime, asked.number) = (exptime, number);
                            asked.meta = meta.unwrap_or(asked.meta);
                            let [got, want] = [&called, &batched].map(|pooled| {
                                // SAFETY: all pointers are live.
                                unsafe { leveret_flush(pooled.opened.arena) };
                                if is_there {
                                    pooled.opened.store(b"key", b"before", Meta::default());
                                }
                                let code = match std::ptr::eq(pooled, &called) {
                                    true => pooled.call(&asked).code,
                                    false => pooled.batch(&asked),
                                };
                                (code, pooled.item(key))
                            });
                            let case = (asked.operation, key.len(), value.len(), is_there, exptime, number);
                            assert_eq!(got.0, want.0, "{case:?}");
                            assert!(are_equal(&got.1, &want.1), "{case:?}: {got:?} {want:?}");
                        }
                    }
                }
            }
        }
    }
}

type Kept = Option<(Vec<u8>, Option<i64>, Meta, u32)>;

/// Except a second that may have begun in between.
fn are_equal(one: &Kept, other: &Kept) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            (&one.0, one.1, one.2) == (&other.0, other.1, other.2) && one.3.abs_diff(other.3) <= 1
        }
        _ => false,
    }
}

#[test]
fn a_version_is_told_and_compared() {
    let pooled = Pooled::new(leveret_protocol::LEVERET_PROTOCOL_TEXT);
    let mut set = request(LEVERET_OP_SET, b"key", b"one");
    assert_eq!(pooled.call(&set).cas, 0);
    set.with_cas = 1;
    let told = pooled.call(&set).cas;
    assert_ne!(told, 0);
    let mut cas = request(LEVERET_OP_CAS, b"key", b"two");
    cas.number = told;
    let codes = [0; 2].map(|_| pooled.call(&cas).code);
    assert_eq!(codes, [LEVERET_CODE_SUCCESS as i32, LEVERET_CODE_DATA_EXISTS as i32]);
    cas.key = bytes(b"none");
    assert_eq!(pooled.call(&cas).code, LEVERET_CODE_NOTFOUND as i32);
}

#[test]
fn other_requests_go_by_a_batch() {
    let pooled = Pooled::new(leveret_protocol::LEVERET_PROTOCOL_TEXT);
    pooled.call(&request(LEVERET_OP_SET, b"key", b"41"));
    let get = pooled.call(&request(LEVERET_OP_GET, b"key", b""));
    // SAFETY: good until the next batch.
    let value = unsafe { std::slice::from_raw_parts(get.value.data, get.value.len) };
    assert_eq!((get.request, value), (0, &b"41"[..]));
    let miss = pooled.call(&request(LEVERET_OP_GET, b"none", b""));
    assert_eq!((miss.request, miss.code), (0, LEVERET_CODE_NOTFOUND as i32));
    let mut count = request(LEVERET_OP_INCREMENT, b"key", b"");
    count.number = 1;
    assert_eq!(pooled.call(&count).number, 42);
    count.quiet = 1;
    let quiet = pooled.call(&count);
    assert_eq!((quiet.request, quiet.code), (LEVERET_UNANSWERED, LEVERET_CODE_SUCCESS as i32));
    let bad = pooled.call(&request(LEVERET_OP_DELETE, b"a key", b""));
    assert_eq!((bad.request, bad.code), (LEVERET_UNANSWERED, LEVERET_CODE_BAD_KEY_PROVIDED as i32));
}

#[test]
fn a_server_that_was_marked_as_failed_is_not_stored_to() {
    let pooled = Pooled::new(leveret_protocol::LEVERET_PROTOCOL_TEXT);
    let set = request(LEVERET_OP_SET, b"key", b"value");
    let success = LEVERET_CODE_SUCCESS as i32;
    assert_eq!(pooled.call(&set).code, success);
    // SAFETY: the pool is live.
    unsafe { leveret_pool_mark_server(pooled.pool, 0, 0, -1) };
    assert_ne!(pooled.call(&set).code, success);
    // SAFETY: the pool is live.
    unsafe { leveret_pool_mark_server(pooled.pool, 0, 1, 0) };
    assert_eq!(pooled.call(&set).code, success);
}

#[test]
fn an_arena_that_was_lost_is_opened_anew() {
    let pooled = Pooled::new(leveret_protocol::LEVERET_PROTOCOL_TEXT);
    let set = request(LEVERET_OP_SET, b"key", b"value");
    assert_eq!(pooled.call(&set).code, LEVERET_CODE_SUCCESS as i32);
    pooled.opened.truncate();
    std::fs::remove_file(&pooled.opened.path).expect("removed");
    assert_eq!(pooled.call(&set).code, LEVERET_CODE_SUCCESS as i32);
    let get = pooled.call(&request(LEVERET_OP_GET, b"key", b""));
    assert_eq!((get.code, get.value.len), (LEVERET_CODE_SUCCESS as i32, 5));
}

const STORES_INTO: &str = "LEVERET_TEST_STORES_INTO";

/// Not a test of its own: another process, which stores into the shard of `key` until it is killed or alone. Most of its
/// time it holds the lock, since a value that fits into a segment is copied under it.
#[test]
fn storing() {
    let Some(path) = std::env::var_os(STORES_INTO) else { return };
    let (arena, _) = Arena::open(Path::new(&path), &OpenOptions::new()).expect("an arena");
    let value = vec![b'v'; 10_000];
    let parent = parent_id();
    while parent_id() == parent {
        let _ = arena.set(b"key", &value, Deadline::NEVER, Time::now());
    }
}

/// The process that holds the lock of `key`, stopped. Dropped, it is killed.
struct Holder(Child);

impl Holder {
    fn stopped(path: &Path) -> Holder {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let child = command.args(["--exact", "call::storing", "--nocapture"]).env(STORES_INTO, path).spawn();
        let holder = Holder(child.expect("started"));
        let (arena, _) = Arena::open(path, &OpenOptions::new()).expect("an arena");
        while arena.touch(b"key", Deadline::NEVER, Time::now()).is_ok() {
            holder.signal("-CONT");
            std::thread::sleep(Duration::from_millis(1));
            holder.signal("-STOP");
        }
        holder
    }

    fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.0.id().to_string()]).status().expect("kill").success());
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A single store said SERVER_ERROR where one of several said TIMEOUT: `set` and `setMulti` of PHP's Memcached.
#[test]
fn a_store_that_meets_a_held_lock_times_out_alone_as_among_others() {
    let pooled = Pooled::new(leveret_protocol::LEVERET_PROTOCOL_TEXT);
    let holder = Holder::stopped(&pooled.opened.path);
    for operation in [LEVERET_OP_SET, LEVERET_OP_ADD, LEVERET_OP_REPLACE, LEVERET_OP_CAS, LEVERET_OP_APPEND] {
        let mut asked = request(operation, b"key", b"value");
        asked.number = 1;
        for code in [pooled.call(&asked).code, pooled.batch(&asked)] {
            assert_eq!(code, LEVERET_CODE_TIMEOUT as i32, "{}", asked.operation);
        }
        let mut failure = MaybeUninit::<leveret_failure>::uninit();
        // SAFETY: all pointers are live, and the failure is filled if there is one.
        let told = unsafe {
            (leveret_pool_failure(pooled.pool, 0, failure.as_mut_ptr()) == 1).then(|| failure.assume_init().code)
        };
        assert_eq!(told, Some(LEVERET_CODE_TIMEOUT as i32));
    }
    drop(holder);
    assert_eq!(pooled.call(&request(LEVERET_OP_SET, b"key", b"value")).code, LEVERET_CODE_SUCCESS as i32);
}

//! Every function of the ABI, with numbers that no enum names, indexes that no server has, empty and wild bytes, and NULL
//! wherever the header permits it. Nothing crashes, and each wrong number has the answer that the header promises.
use leveret_engine::{Cursor, Found, Meta, Stats, Ticket};
use leveret_ffi::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};
use std::io::Write;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const NULL_BYTES: leveret_bytes = leveret_bytes { data: null(), len: 0 };
const ROUNDS: usize = 10_000;

/// xorshift64*: the same numbers in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number of an enum, one beside it, or any.
    fn number(&mut self) -> u32 {
        match self.below(4) {
            0 => self.next() as u32,
            1 => [u32::MAX, 1 << 31, (1 << 31) - 1, 77, 255, 256][self.below(6) as usize],
            _ => self.below(33) as u32,
        }
    }

    fn signed(&mut self) -> i64 {
        match self.below(3) {
            0 => self.next() as i64,
            1 => [i64::MIN, i64::MAX, -1, 1 << 32, i64::from(u32::MAX), 1 << 53][self.below(6) as usize],
            _ => self.below(40) as i64 - 4,
        }
    }

    fn bytes(&mut self, len_max: u64) -> Vec<u8> {
        let len = self.below(len_max + 1);
        match self.below(3) {
            0 => (0..len).map(|_| self.next() as u8).collect(),
            1 => b"a%\xff\0-:/.arena".iter().cycle().take(len as usize).copied().collect(),
            _ => vec![b'k'; len as usize],
        }
    }

    /// A struct that is made of integers only.
    fn any<T: Copy>(&mut self) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        for at in 0..size_of::<T>() {
            // SAFETY: inside the struct.
            unsafe { value.as_mut_ptr().cast::<u8>().add(at).write(self.next() as u8) };
        }
        // SAFETY: all bytes are written, and any bytes are valid for the integers that callers ask for.
        unsafe { value.assume_init() }
    }
}

fn bytes(of: &[u8]) -> leveret_bytes {
    if of.is_empty() {
        NULL_BYTES
    } else {
        leveret_bytes { data: of.as_ptr(), len: of.len() }
    }
}

thread_local! {
    static CALLED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Calls a function of the ABI and notes that it was called.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        CALLED.with_borrow_mut(|called| called.insert(stringify!($function)));
        #[allow(unused_unsafe)]
        // SAFETY: each argument is what the header asks for, except its numbers.
        unsafe { $function($($argument),*) }
    }};
}

fn opened(dir: &[u8], arena: &[u8], nameless: bool) -> *mut leveret_arena {
    let options = leveret_open_options {
        arena: bytes(arena),
        dir: bytes(dir),
        memory: 8 << 20,
        lock_timeout_ms: 0,
        create: 1,
        nameless: u32::from(nameless),
    };
    let (mut arena, mut created) = (null_mut(), 0);
    let mut message = [0 as c_char; 200];
    let status = call!(leveret_open(&options, &mut arena, &mut created, message.as_mut_ptr(), message.len()));
    assert_eq!(status, leveret_status::LEVERET_OK);
    arena
}

fn items(random: &mut Random, arena: *mut leveret_arena) {
    let (key, value) = (random.bytes(12), random.bytes(60));
    let (key, value) = (bytes(&key), bytes(&value));
    let now = [0, 1, u32::MAX, call!(leveret_now())][random.below(4) as usize];
    let (mut found, mut cas) = (random.any::<Found>(), 0);
    let meta: Meta = random.any();
    let mode = random.number();
    let new_cas = if random.below(2) == 0 { null_mut() } else { &raw mut cas };
    let (deadline, token) = (random.number(), random.next());
    let stored = call!(leveret_store(arena, key, value, &meta, deadline, mode, token, now, new_cas));
    assert!(mode <= leveret_mode::LEVERET_CAS as u32 || stored == leveret_status::LEVERET_FAILED, "mode {mode}");
    let mut hash = random.next();
    if random.below(2) == 0 {
        call!(leveret_ask_for(arena, &key, 1, &mut hash));
    }
    call!(leveret_ask_for(arena, null(), 0, null_mut()));
    let is_found = match random.below(5) {
        0 => call!(leveret_find(arena, key, now, &mut found)),
        1 => call!(leveret_find_hashed(arena, key, hash, now, &mut found)),
        2 => call!(leveret_find_cas(arena, key, now, &mut found)),
        3 => call!(leveret_peek_cas(arena, key, now, &mut found)),
        _ => call!(leveret_peek(arena, key, now, &mut found)),
    };
    if is_found == leveret_status::LEVERET_OK {
        let mut value = vec![0u8; found.value_len as usize];
        call!(leveret_copy(arena, &found, value.as_mut_ptr().cast()));
        call!(leveret_is_current(arena, &found.version, now));
        call!(leveret_item_size(&found, key.len));
        let mut form = leveret_form { encoding: 0, codec: 0 };
        call!(leveret_translate(&found.meta, random.number(), bytes(&value), &mut form));
    }
    reads(random, arena, key, now);
    let mut number = 0;
    let (step, create) = (random.signed(), random.number());
    match random.below(12) {
        0 => drop(call!(leveret_delete(arena, key, now))),
        1 => drop(call!(leveret_touch(arena, key, random.number(), now))),
        2 => drop(call!(leveret_add_integer(
            arena,
            key,
            random.signed(),
            random.number(),
            random.number(),
            now,
            &mut number
        ))),
        3 => drop(call!(leveret_cas_integer(arena, key, random.signed(), random.signed(), now))),
        4 => walks(random, arena, now),
        5 => {
            let mut ticket = random.any::<Ticket>();
            let waited = 1_000_000 + random.number() / 2;
            let granted = match random.below(2) {
                0 => call!(leveret_lease_acquire(arena, key, waited, &mut ticket)),
                _ => call!(leveret_lease_hold(arena, key, &mut ticket)),
            };
            if granted == leveret_status::LEVERET_OK {
                call!(leveret_lease_release(arena, &ticket));
            }
        }
        6 => {
            let mut compute = leveret_compute {
                ticket: random.any(),
                began_us: random.next() >> random.below(64),
                state: random.number(),
                unused: random.number(),
            };
            for _ in 0..2 {
                let step = call!(leveret_compute_next(arena, key, now, &mut compute));
                assert_ne!(step, leveret_step::LEVERET_STEP_AGAIN, "nobody else computes");
            }
            call!(leveret_compute_end(arena, &mut compute));
            call!(leveret_compute_end(arena, &mut compute));
        }
        7 => drop(call!(leveret_clear(arena))),
        8 => drop(call!(leveret_count(arena, key, step, random.number(), create, deadline, now, &mut number))),
        9 => drop(call!(leveret_swap_integer(arena, key, step, random.signed(), random.number(), now))),
        10 => drop(call!(leveret_master_enter(arena, call!(leveret_master_token()) ^ random.below(3)))),
        _ => drop(call!(leveret_flush(arena))),
    }
    call!(leveret_lease_release_all(arena));
}

fn reads(random: &mut Random, arena: *mut leveret_arena, key: leveret_bytes, now: u32) {
    let (how, hash) = (random.number(), random.next());
    let mut reading = leveret_reading { found: random.any(), how: 77, now: 77, tries: random.number(), unused: 77 };
    let status = call!(leveret_read_begin(arena, key, how, hash, now, &mut reading));
    assert!(how < 8 || status == leveret_status::LEVERET_FAILED, "how {how}");
    if status == leveret_status::LEVERET_OK {
        reading.tries = random.number();
        let mut value = vec![0u8; reading.found.value_len as usize];
        call!(leveret_read_copy(arena, key, &mut reading, value.as_mut_ptr().cast()));
    }
}

fn walks(random: &mut Random, arena: *mut leveret_arena, now: u32) {
    let (mut items, mut bytes) = (0, 0);
    call!(leveret_totals(arena, now, &mut items, &mut bytes));
    let (mut cursor, mut used) = (random.any::<Cursor>(), 0);
    let mut buffer = vec![0u64; random.below(40) as usize];
    for _ in 0..4 {
        call!(leveret_scan(arena, &mut cursor, now, buffer.as_mut_ptr().cast(), buffer.len() * 8, &mut used));
    }
    let mut record = null();
    let mut walk = leveret_walk {
        cursor: random.any(),
        buffer: if buffer.is_empty() { null_mut() } else { buffer.as_mut_ptr().cast() },
        len: buffer.len() * 8,
        needed: random.next() as usize,
        used: random.next() as usize >> random.below(64),
        at: random.next() as usize >> random.below(64),
        now,
        is_over: random.number(),
        keys_only: now % 2,
        unused: now,
    };
    for _ in 0..4 {
        if call!(leveret_walk_next(arena, &mut walk, &mut record)) == leveret_status::LEVERET_NO_MEMORY {
            buffer.resize(walk.needed.div_ceil(8), 0);
            (walk.buffer, walk.len) = (buffer.as_mut_ptr().cast(), buffer.len() * 8);
        }
    }
}

fn arenas(random: &mut Random, arena: *mut leveret_arena) {
    let (dir, name) = (random.bytes(10), random.bytes(80));
    let options = leveret_open_options {
        arena: bytes(&name),
        dir: bytes(&dir),
        memory: [0, 1, u64::MAX, 1 << 63, (8 << 20) - 1][random.below(5) as usize],
        lock_timeout_ms: random.number(),
        create: random.number(),
        nameless: 0,
    };
    let (mut refused, mut created) = (null_mut(), 0);
    let mut message = [1 as c_char; 8];
    let len = random.below(9) as usize;
    let place = if len == 0 { null_mut() } else { message.as_mut_ptr() };
    let status = call!(leveret_open(&options, &mut refused, &mut created, place, len));
    assert_eq!(status, leveret_status::LEVERET_FAILED);
    assert!(refused.is_null());
    call!(leveret_path(arena, place, len));
    call!(leveret_close(null_mut()));
    call!(leveret_pool_free(null_mut()));
    call!(leveret_pool_discard(null_mut()));
    call!(leveret_cipher_free(null_mut()));
    call!(leveret_declare(random.number()));
    let mut stats = Stats::default();
    call!(leveret_get_stats(arena, &mut stats));
    call!(leveret_get_counts(arena, random.number(), &mut stats));
    call!(leveret_check(arena));
    call!(leveret_arena_number(arena));
    call!(leveret_value_max(arena));
    call!(leveret_key_max(arena));
    call!(leveret_memory(arena));
    call!(leveret_layout_version());
    call!(leveret_unix_time(random.number()));
    call!(leveret_from_unix(random.signed()));
    call!(leveret_deadline_of_ttl(random.signed(), random.number()));
    call!(leveret_deadline_of_exptime(random.signed(), random.number()));
    call!(leveret_exptime_of_ttl(random.signed()));
}

fn values(random: &mut Random) {
    let value = random.bytes(100);
    let value = bytes(&value);
    let (codec, mut len) = (random.number(), random.below(200) as usize);
    let mut room = vec![0u8; 300];
    call!(leveret_has_codec(codec));
    let packed = call!(leveret_compress(codec, value, random.number() as i32, room.as_mut_ptr().cast(), &mut len));
    assert!(codec <= leveret_codec::LEVERET_CODEC_ZSTD as u32 || packed == 1, "codec {codec}");
    let mut long = 0;
    if call!(leveret_decompressed_len(codec, value, 1 << 20, &mut long)) == 0 {
        let mut target = vec![0u8; long];
        call!(leveret_decompress(codec, value, target.as_mut_ptr().cast(), long));
    }
    call!(leveret_decompress(codec, value, null_mut::<c_void>().wrapping_add(8), 0));
    let mut form = leveret_form { encoding: 0, codec: 0 };
    let meta: Meta = random.any();
    call!(leveret_translate(&meta, random.number(), value, &mut form));
    let key = random.bytes(40);
    let cipher = call!(leveret_cipher_new(bytes(&key)));
    assert!(call!(leveret_encrypted_len(random.signed() as usize)) > 0);
    let mut sealed = vec![0u8; call!(leveret_encrypted_len(value.len))];
    call!(leveret_encrypt(cipher, value, sealed.as_mut_ptr().cast()));
    let mut open = 0;
    assert_eq!(call!(leveret_decrypt(cipher, bytes(&sealed), room.as_mut_ptr().cast(), &mut open)), 0);
    call!(leveret_decrypt(cipher, value, room.as_mut_ptr().cast(), &mut open));
    call!(leveret_cipher_free(cipher));
}

extern "C" fn is_interrupted(context: *mut c_void) -> u32 {
    context as usize as u32
}

fn request(random: &mut Random, key: &[u8], group: &[u8], value: &[u8]) -> leveret_request {
    leveret_request {
        operation: random.number(),
        key: bytes(key),
        group: bytes(group),
        value: bytes(value),
        meta: random.any(),
        exptime: random.signed(),
        number: random.next(),
        initial: random.next(),
        create: random.number(),
        with_cas: random.number(),
        quiet: random.number(),
        server: random.number() as i32,
    }
}

fn pools(random: &mut Random, dir: &[u8]) {
    let pool = call!(leveret_pool_new());
    let invalid = leveret_code::LEVERET_CODE_INVALID_ARGUMENTS as i32;
    for _ in 0..random.below(3) {
        call!(leveret_pool_add_server(pool, bytes(b"arena:hostile"), 0, 0, random.number() % 9, bytes(dir)));
    }
    if random.below(4) == 0 {
        // No listener there.
        call!(leveret_pool_add_server(pool, bytes(b"127.0.0.1"), 1, 0, 1, NULL_BYTES));
    } else {
        for _ in 0..4 {
            // Time-outs are never short where a server might be waited for.
            let (option, value) = (random.number(), random.signed());
            let answer = call!(leveret_pool_set_option(pool, option, value));
            let last = leveret_pool_option::LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS as u32;
            assert!(option <= last || answer == invalid, "option {option}");
        }
    }
    let name = random.bytes(30);
    if random.below(8) == 0 {
        call!(leveret_pool_set_prefix(pool, bytes(&name)));
        call!(leveret_pool_set_tls(pool, bytes(&name), bytes(&name), NULL_BYTES, NULL_BYTES, random.number()));
        call!(leveret_pool_set_credentials(pool, random.number() as i32, bytes(&name), bytes(&name), random.number()));
    }
    if random.below(4) == 0 {
        let buckets: Vec<u32> = (0..random.below(5)).map(|_| random.number()).collect();
        let first = if buckets.is_empty() { null() } else { buckets.as_ptr() };
        call!(leveret_pool_set_buckets(pool, first, buckets.len()));
    }
    call!(leveret_pool_tune_server(pool, random.number(), random.number(), random.signed()));
    call!(leveret_pool_mark_server(pool, random.number(), random.number(), random.signed()));
    call!(leveret_pool_begin(pool));
    for _ in 0..random.below(5) {
        let (key, group, value) = (random.bytes(20), random.bytes(5), random.bytes(60));
        let request = request(random, &key, &group, &value);
        let answer = call!(leveret_pool_add(pool, &request));
        let last = leveret_operation::LEVERET_OP_KEYS as u32;
        assert!(request.operation <= last || answer == invalid, "operation {}", request.operation);
    }
    let mut answer = MaybeUninit::<leveret_answer>::uninit();
    match random.below(5) {
        0 => drop(call!(leveret_pool_run(pool))),
        1 => drop(call!(leveret_pool_start(pool))),
        2 => {
            let context = null_mut::<c_void>().wrapping_add(random.below(2) as usize);
            call!(leveret_pool_run_until_interrupted(pool, is_interrupted, context));
        }
        3 => {
            let (key, group, value) = (random.bytes(20), random.bytes(5), random.bytes(60));
            let request = request(random, &key, &group, &value);
            let code = call!(leveret_pool_call(pool, &request, answer.as_mut_ptr()));
            // SAFETY: it was written.
            assert_eq!(unsafe { answer.assume_init_ref() }.code, code);
            let last = leveret_operation::LEVERET_OP_KEYS as u32;
            assert!(request.operation <= last || code == invalid, "operation {}", request.operation);
        }
        _ => drop(call!(leveret_pool_flush_buffers(pool))),
    }
    let mut left = 10_000;
    while call!(leveret_pool_next(pool, answer.as_mut_ptr())) != 0 && left > 0 {
        left -= 1;
    }
    let (mut server, mut failure) = (MaybeUninit::<leveret_server>::uninit(), MaybeUninit::<leveret_failure>::uninit());
    call!(leveret_pool_failure(pool, random.number(), failure.as_mut_ptr()));
    call!(leveret_pool_server(pool, random.number(), server.as_mut_ptr()));
    call!(leveret_pool_servers(pool));
    call!(leveret_pool_locate(pool, bytes(&name)));
    call!(leveret_pool_route(pool, bytes(&name)));
    call!(leveret_pool_connect(pool, random.number()));
    call!(leveret_pool_arena(pool, random.number()));
    call!(leveret_pool_value_max(pool));
    let mut message = [0 as c_char; 60];
    call!(leveret_pool_arena_trouble(message.as_mut_ptr(), message.len()));
    call!(leveret_older_arena(message.as_mut_ptr(), message.len()));
    call!(leveret_pool_quit(pool));
    if random.below(2) == 0 {
        call!(leveret_pool_clear_servers(pool));
    }
    match random.below(2) {
        0 => call!(leveret_pool_free(pool)),
        _ => call!(leveret_pool_discard(pool)),
    }
}

/// A server that answers each connection with hostile bytes: its socket.
fn liar(dir: &[u8]) -> String {
    let path = format!("{}/liar.sock", String::from_utf8_lossy(dir));
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("bound");
    std::thread::spawn(move || {
        let mut random = Random(0x5a5a_1234);
        while let Ok((mut socket, _)) = listener.accept() {
            let said = [&b"$3\r\nabc\r\n"[..], b"*2\r\n:1\r\n", b"$99\r\nx", b"-ERR\r\n", b"*9999999\r\n", b"x"];
            for _ in 0..random.below(4) {
                let _ = socket.write_all(said[random.below(6) as usize]);
            }
        }
    });
    path
}

fn redis(random: &mut Random, liar: &str) {
    let redis = call!(leveret_redis_new());
    let name = random.bytes(30);
    let hosts = ["", "127.0.0.1", "/nowhere", "a\0b", liar, liar];
    let server = leveret_redis_server {
        host: bytes(hosts[random.below(6) as usize].as_bytes()),
        port: if random.below(4) == 0 { random.number() | 1 << 16 } else { 1 },
        is_persistent: random.number() % 2,
        persistent_id: bytes(&name),
        user: if random.below(2) == 0 { NULL_BYTES } else { bytes(&name) },
        password: if random.below(2) == 0 { NULL_BYTES } else { bytes(&name) },
        database: random.number(),
        short_cut: random.number() % 2,
        dir: if random.below(2) == 0 { NULL_BYTES } else { bytes(&name) },
        pool_limit: random.number(),
        tls_verify: random.number(),
        tls_peer_name: bytes(&name),
        tls_ca_file: bytes(&name),
        tls_certificate: NULL_BYTES,
        tls_key: NULL_BYTES,
    };
    let tuning = leveret_redis_tuning {
        connect_timeout_us: random.signed(),
        read_timeout_us: 1000,
        retry_interval_ms: 0,
        max_retries: 2,
        backoff: random.number(),
        backoff_base_ms: 0,
        backoff_cap_ms: random.number(),
        keepalive: random.number(),
    };
    call!(leveret_redis_set_tuning(redis, &tuning));
    call!(leveret_redis_set_server(redis, &server));
    if random.below(2) == 0 {
        call!(leveret_redis_connect(redis));
    }
    let words = [bytes(b"GET"), bytes(&name), NULL_BYTES];
    let mut turn = random.next();
    for _ in 0..random.below(4) {
        call!(leveret_redis_request(redis, words.as_ptr(), random.below(4) as usize, random.number()));
    }
    call!(leveret_redis_request(redis, null(), 0, 0));
    call!(leveret_redis_execute(redis, null(), 0, &mut turn));
    call!(leveret_redis_execute(redis, words.as_ptr(), random.below(4) as usize, &mut turn));
    call!(leveret_redis_arena(redis));
    match random.below(4) {
        0 => call!(leveret_redis_drop(redis)),
        1 => _ = call!(leveret_redis_auth(redis, NULL_BYTES, bytes(&name))),
        _ => {}
    }
    let mut token = MaybeUninit::<leveret_redis_token>::uninit();
    assert_ne!(call!(leveret_redis_next(redis, turn, token.as_mut_ptr())), leveret_redis_code::LEVERET_REDIS_OK);
    call!(leveret_redis_flush(redis, &mut turn));
    call!(leveret_redis_expect(redis, random.number() % 3));
    while call!(leveret_redis_next(redis, turn, token.as_mut_ptr())) == leveret_redis_code::LEVERET_REDIS_OK {
        // SAFETY: it was filled.
        let len = unsafe { token.assume_init_ref() }.text.len;
        let mut room = vec![0_u8; random.below(2) as usize * len.min(1 << 20)];
        call!(leveret_redis_copy(redis, turn, room.as_mut_ptr().cast(), room.len()));
        call!(leveret_redis_is_within(redis));
    }
    call!(leveret_redis_copy(redis, turn, null_mut(), 0));
    call!(leveret_redis_is_within(redis));
    call!(leveret_redis_error(redis));
    let mut state = MaybeUninit::<leveret_redis_state>::uninit();
    call!(leveret_redis_get_state(redis, state.as_mut_ptr()));
    call!(leveret_redis_clear_transferred(redis));
    call!(leveret_redis_is_alive(redis));
    if random.below(2) == 0 {
        call!(leveret_redis_close(redis));
    }
    call!(leveret_redis_free(redis));
}

/// `leveret_pool_set_option(pool, 77, 1)` ended the process: a Rust enum held a number that it has no name for.
#[test]
fn no_number_and_no_null_that_the_header_permits_crashes() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    // Where a relative path, which hostile bytes may be, leaves its file.
    std::env::set_current_dir(&dir).expect("entered");
    let dir = dir.path().to_str().expect("text").as_bytes();
    let mut random = Random(0x1e7e_4e71);
    let named = opened(dir, b"hostile", false);
    let nameless = opened(dir, b"", true);
    let liar = liar(dir);
    for round in 0..ROUNDS {
        if round % 8 == 0 {
            redis(&mut random, &liar);
        }
        let arena = if random.below(2) == 0 { named } else { nameless };
        items(&mut random, arena);
        arenas(&mut random, arena);
        values(&mut random);
        pools(&mut random, dir);
    }
    call!(leveret_close(named));
    call!(leveret_close(nameless));
    call!(leveret_redis_free(null_mut()));

    let header = include_str!("../include/leveret.h");
    let declared: BTreeSet<&str> = header
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(')
        .filter_map(|word| word.split_once('(').map(|(name, _)| name))
        .filter(|name| name.starts_with("leveret_"))
        .collect();
    let missed = CALLED
        .with_borrow(|called| declared.iter().filter(|name| !called.contains(**name)).copied().collect::<Vec<_>>());
    assert!(declared.len() > 60 && missed.is_empty(), "of {} functions never called: {missed:?}", declared.len());
}

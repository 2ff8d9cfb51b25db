use super::Opened;
use leveret_engine::{Cursor, Encoding, Found, Meta};
use leveret_ffi::leveret_status::*;
use leveret_ffi::*;
use std::collections::BTreeMap;
use std::ptr::{null, null_mut};

fn begin(now: u32) -> leveret_walk {
    leveret_walk {
        cursor: Cursor::default(),
        buffer: null_mut(),
        len: 0,
        needed: 0,
        used: 0,
        at: 0,
        now,
        is_over: 0,
        keys_only: 0,
        unused: 0,
    }
}

/// How often each key was visited. The buffer has room for `len` bytes at first, then for the requested size.
fn walk(opened: &Opened, len: usize) -> Result<BTreeMap<Vec<u8>, u32>, leveret_status> {
    let met = walk_with(opened, len, 0);
    assert_eq!(met, walk_with(opened, len, 1), "with keys only");
    met
}

fn walk_with(opened: &Opened, len: usize, keys_only: u32) -> Result<BTreeMap<Vec<u8>, u32>, leveret_status> {
    let (mut walk, mut met, mut record) = (begin(0), BTreeMap::new(), null());
    walk.keys_only = keys_only;
    let mut buffer = vec![0u64; len / 8];
    if len > 0 {
        (walk.buffer, walk.len) = (buffer.as_mut_ptr().cast(), len);
    }
    loop {
        // SAFETY: the pointers are live, and the buffer has room for `len` bytes.
        match unsafe { leveret_walk_next(opened.arena, &mut walk, &mut record) } {
            // SAFETY: the record is good until the next call, and its key follows it.
            LEVERET_OK => unsafe {
                let key = std::slice::from_raw_parts(record.add(1).cast::<u8>(), (*record).key_len as usize);
                *met.entry(key.to_vec()).or_default() += 1;
                let found = (*record).found;
                assert_eq!(found == Found::default(), keys_only != 0);
                assert!(keys_only != 0 || found.value_len == 5);
            },
            LEVERET_NO_MEMORY => {
                assert!(walk.needed > walk.len, "{} bytes were there, {} are needed", walk.len, walk.needed);
                buffer = vec![0; walk.needed.div_ceil(8)];
                (walk.buffer, walk.len) = (buffer.as_mut_ptr().cast(), walk.needed);
            }
            LEVERET_MISS => return Ok(met),
            failed => return Err(failed),
        }
    }
}

#[test]
fn each_item_is_met_once_whatever_the_buffer() {
    let opened = Opened::new();
    assert_eq!(walk(&opened, 0), Ok(BTreeMap::new()));
    let keys: Vec<Vec<u8>> =
        (0..3000u32).map(|number| number.to_string().repeat(number as usize % 40 + 1).into_bytes()).collect();
    // SAFETY: the arena is live.
    let long = vec![b'l'; unsafe { leveret_key_max(opened.arena) } as usize];
    let all = || keys.iter().chain([&long]);
    all().for_each(|key| opened.store(key, b"value", Meta::native(Encoding::RAW)));
    let want: BTreeMap<Vec<u8>, u32> = all().map(|key| (key.clone(), 1)).collect();
    for len in [0, 8, 200, 4096, 1 << 20] {
        assert!(walk(&opened, len).as_ref() == Ok(&want), "a buffer of {len} bytes");
    }
}

#[test]
fn a_walk_that_is_over_stays_over() {
    let opened = Opened::new();
    opened.store(b"key", b"value", Meta::native(Encoding::RAW));
    let (mut over, mut record) = (begin(0), null());
    over.is_over = 1;
    // SAFETY: the pointers are live.
    let mut next = || unsafe { leveret_walk_next(opened.arena, &mut over, &mut record) };
    assert_eq!([next(), next()], [LEVERET_MISS; 2]);
}

#[test]
fn items_that_are_dead_at_the_walks_moment_are_left_out() {
    let opened = Opened::new();
    let now = leveret_now();
    opened.store_until(b"short", b"value", Meta::native(Encoding::RAW), now + 100);
    let (mut buffer, mut record) = (vec![0u64; 512], null());
    for (at, want) in [(now, LEVERET_OK), (now + 99, LEVERET_OK), (now + 100, LEVERET_MISS)] {
        let mut walk = begin(at);
        (walk.buffer, walk.len) = (buffer.as_mut_ptr().cast(), buffer.len() * 8);
        // SAFETY: the pointers are live, and the buffer has room for `len` bytes.
        assert_eq!(unsafe { leveret_walk_next(opened.arena, &mut walk, &mut record) }, want, "{at}");
    }
}

#[test]
fn a_lost_arena_is_told() {
    let opened = Opened::new();
    opened.store(b"key", b"value", Meta::native(Encoding::RAW));
    opened.truncate();
    assert_eq!(walk(&opened, 0), Err(LEVERET_LOST));
}

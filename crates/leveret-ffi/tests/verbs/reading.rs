use super::{bytes, Opened};
use leveret_engine::{Encoding, Found, Meta, Stats};
use leveret_ffi::leveret_status::*;
use leveret_ffi::*;
use std::sync::atomic::{AtomicBool, Ordering};

const KEY: &[u8] = b"read";

fn blank() -> leveret_reading {
    leveret_reading { found: Found::default(), how: 0, now: 0, tries: 0, unused: 0 }
}

impl Opened {
    fn begin(&self, how: u32, hash: u64, reading: &mut leveret_reading) -> leveret_status {
        // SAFETY: all pointers are live.
        unsafe { leveret_read_begin(self.arena, bytes(KEY), how, hash, 0, reading) }
    }

    /// As a host does it: room, a copy, and both again where it is told to. MISS or what failed is the error.
    fn finish(&self, reading: &mut leveret_reading) -> Result<Vec<u8>, leveret_status> {
        loop {
            let mut value = vec![0; reading.found.value_len as usize];
            // SAFETY: all pointers are live, and there is room for the value.
            match unsafe { leveret_read_copy(self.arena, bytes(KEY), reading, value.as_mut_ptr().cast()) } {
                LEVERET_OK => return Ok(value),
                LEVERET_RETRY => assert!(reading.tries > 0),
                failed => return Err(failed),
            }
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        // SAFETY: all pointers are live. The first publishes this process's counters.
        unsafe {
            leveret_check(self.arena);
            leveret_get_stats(self.arena, &mut stats);
        }
        stats
    }

    /// Stores enough to recycle the segments of earlier items.
    fn recycle(&self) {
        let filler = vec![b'f'; 4000];
        (0..4000u32).for_each(|number| self.store(&number.to_ne_bytes(), &filler, Meta::native(Encoding::RAW)));
    }
}

#[test]
fn each_way_of_reading_finds_the_same() {
    let opened = Opened::new();
    let mut hash = 0;
    // SAFETY: all pointers are live.
    unsafe { leveret_ask_for(opened.arena, &bytes(KEY), 1, &mut hash) };
    for how in 0..8 {
        let mut reading = blank();
        assert_eq!(opened.begin(how, hash, &mut reading), LEVERET_MISS, "how {how}");
    }
    opened.store(KEY, b"value", Meta::native(Encoding::RAW));
    for how in 0..8 {
        let mut reading = blank();
        assert_eq!(opened.begin(how, hash, &mut reading), LEVERET_OK, "how {how}");
        assert_eq!(reading.found.cas != 0, how & LEVERET_READ_CAS != 0, "how {how}");
        assert_eq!(opened.finish(&mut reading), Ok(b"value".to_vec()), "how {how}");
    }
    let stats = opened.stats();
    assert_eq!((stats.hits, stats.misses), (4, 4), "half of them leave no trace");
    for how in [8, u32::MAX, 1 << 31] {
        assert_eq!(opened.begin(how, hash, &mut blank()), LEVERET_FAILED, "how {how}");
    }
}

#[test]
fn values_of_all_kinds_are_copied() {
    let opened = Opened::new();
    for value in [&b""[..], b"1", &[0xff; 1000], &vec![7; 900_000]] {
        opened.store(KEY, value, Meta::native(Encoding::RAW));
        let mut reading = blank();
        assert_eq!(opened.begin(0, 0, &mut reading), LEVERET_OK);
        assert!(opened.finish(&mut reading).as_deref() == Ok(value), "{} bytes", value.len());
    }
    opened.store(KEY, &(-5i64).to_ne_bytes(), Meta::native(Encoding::INTEGER));
    let mut reading = blank();
    assert_eq!(opened.begin(0, 0, &mut reading), LEVERET_OK);
    assert_eq!(opened.finish(&mut reading), Ok(b"-5".to_vec()), "a number is its text");
}

#[test]
fn what_was_recycled_is_read_as_it_is_now() {
    for (newer, want) in
        [(Some(&b"another, and longer"[..]), Ok(b"another, and longer".to_vec())), (None, Err(LEVERET_MISS))]
    {
        for how in [0, LEVERET_READ_CAS] {
            let opened = Opened::new();
            opened.store(KEY, b"value", Meta::native(Encoding::RAW));
            let mut reading = blank();
            assert_eq!(opened.begin(how, 0, &mut reading), LEVERET_OK);
            let cas = reading.found.cas;
            // SAFETY: all pointers are live.
            unsafe { leveret_delete(opened.arena, bytes(KEY), 0) };
            opened.recycle();
            if let Some(newer) = newer {
                opened.store(KEY, newer, Meta::native(Encoding::RAW));
            }
            let hits = opened.stats().hits;
            assert_eq!(opened.finish(&mut reading), want, "how {how}");
            assert_eq!((reading.tries, opened.stats().hits), (1, hits), "what was counted is counted");
            assert!(
                how == 0 || want.is_err() || ![0, cas].contains(&reading.found.cas),
                "the token is the newer version's"
            );
        }
    }
}

#[test]
fn tries_have_an_end() {
    let opened = Opened::new();
    opened.store(KEY, b"value", Meta::native(Encoding::RAW));
    let mut reading = blank();
    assert_eq!(opened.begin(0, 0, &mut reading), LEVERET_OK);
    // SAFETY: all pointers are live.
    unsafe { leveret_delete(opened.arena, bytes(KEY), 0) };
    opened.recycle();
    opened.store(KEY, b"value", Meta::native(Encoding::RAW));
    for tries in [64, u32::MAX] {
        reading.tries = tries;
        assert_eq!(opened.finish(&mut reading), Err(LEVERET_MISS), "{tries}");
    }
}

/// Each value is one byte, as often as that says: a reader that mixed two would see it.
#[test]
fn a_reader_beside_a_writer_that_recycles_sees_whole_values() {
    let (opened, is_over) = (Opened::new(), AtomicBool::new(false));
    let value = |number: usize| vec![number as u8; 1 + number * 37 % 9000];
    opened.store(KEY, &value(0), Meta::native(Encoding::RAW));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..40_000 {
                opened.store(KEY, &value(number), Meta::native(Encoding::RAW));
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let (mut read, mut retried) = (0u32, 0u32);
        while !is_over.load(Ordering::Relaxed) {
            let mut reading = blank();
            let how = [0, LEVERET_READ_UNTRACED][read as usize % 2];
            assert_eq!(opened.begin(how, 0, &mut reading), LEVERET_OK, "the key is never without a value");
            let value = opened.finish(&mut reading).expect("there is always a newer one");
            assert!(value.iter().all(|byte| *byte == value[0]), "torn after {read} reads");
            read += 1;
            retried += u32::from(reading.tries > 0);
        }
        println!("{read} reads, {retried} of them again");
    });
}

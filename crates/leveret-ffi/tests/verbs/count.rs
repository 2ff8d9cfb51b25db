use super::{bytes, Opened};
use leveret_client::codec::origin::{PECL_MEMCACHE, PECL_MEMCACHED, RUBY};
use leveret_engine::{Encoding, Found, Meta, Origin};
use leveret_ffi::leveret_status::*;
use leveret_ffi::*;
use std::sync::Barrier;

const NATIVE: u32 = leveret_origin::LEVERET_NATIVE as u32;
const MEMCACHED: u32 = leveret_origin::LEVERET_PECL_MEMCACHED as u32;

impl Opened {
    fn count(&self, key: &[u8], step: i64, create: bool) -> Result<i64, leveret_status> {
        self.count_as(NATIVE, key, step, create)
    }

    fn count_as(&self, reader: u32, key: &[u8], step: i64, create: bool) -> Result<i64, leveret_status> {
        let (create, deadline, mut result) = (u32::from(create), LEVERET_NEVER, 77);
        // SAFETY: all pointers are live.
        match unsafe { leveret_count(self.arena, bytes(key), step, reader, create, deadline, 0, &mut result) } {
            LEVERET_OK => Ok(result),
            failed => {
                assert_eq!(result, 77, "what is told only of OK");
                Err(failed)
            }
        }
    }

    fn swap(&self, key: &[u8], old: i64, new: i64) -> leveret_status {
        // SAFETY: all pointers are live.
        unsafe { leveret_swap_integer(self.arena, bytes(key), old, new, NATIVE, 0) }
    }

    fn found(&self, key: &[u8]) -> Found {
        let mut found = Found::default();
        // SAFETY: all pointers are live.
        assert_eq!(unsafe { leveret_peek(self.arena, bytes(key), 0, &mut found) }, LEVERET_OK);
        found
    }
}

/// What pecl/memcached marks as an integer, however it lies there.
fn long() -> Meta {
    Meta::default().with_origin(PECL_MEMCACHED).with_flags(1)
}

#[test]
fn a_missing_item_is_created_or_not() {
    let opened = Opened::new();
    assert_eq!(opened.count(b"key", 5, false), Err(LEVERET_MISS));
    assert_eq!(opened.count(b"key", 5, true), Ok(5));
    assert_eq!(opened.count(b"key", -7, false), Ok(-2));
    assert_eq!(opened.swap(b"none", 1, 2), LEVERET_MISS);
}

#[test]
fn integers_wrap_at_their_ends() {
    let opened = Opened::new();
    for (value, step, want) in [
        (i64::MAX, 1, i64::MIN),
        (i64::MIN, -1, i64::MAX),
        (0, i64::MIN, i64::MIN),
        (i64::MIN, i64::MIN, 0),
        (-1, 1, 0),
        (i64::MAX, i64::MAX, -2),
    ] {
        opened.store(b"kept", &value.to_ne_bytes(), Meta::native(Encoding::INTEGER));
        opened.store(b"text", value.to_string().as_bytes(), long());
        assert_eq!([b"kept", b"text"].map(|key| opened.count(key, step, false)), [Ok(want); 2], "{value} + {step}");
    }
}

#[test]
fn text_counts_for_whoever_reads_an_integer() {
    let opened = Opened::new();
    for (text, meta, want) in [
        // The classes tell its type by their flags, also with white space joined to it.
        ("5", long(), Ok(6)),
        ("5  ", long(), Ok(6)),
        ("5\n", long(), Ok(6)),
        (" 5", long(), Ok(6)),
        ("-5", long(), Ok(-4)),
        ("5", Meta::default().with_origin(PECL_MEMCACHE).with_flags(0x300), Ok(6)),
        // What came over a socket, where bytes and flags agree.
        ("5", Meta::default().with_flags(1), Ok(6)),
        ("5", Meta::default().with_flags(0x300), Ok(6)),
        ("5\n", Meta::default().with_flags(1), Err(LEVERET_NOT_NUMBER)),
        ("5", Meta::default(), Err(LEVERET_NOT_NUMBER)),
        // No integer, or one that is too large.
        ("5.0", long(), Err(LEVERET_NOT_NUMBER)),
        ("5 words", long(), Err(LEVERET_NOT_NUMBER)),
        ("", long(), Err(LEVERET_NOT_NUMBER)),
        ("9223372036854775808", long(), Err(LEVERET_NOT_NUMBER)),
        ("00000000000000000000000000000005", long(), Err(LEVERET_NOT_NUMBER)),
        ("5", long().with_flags(2), Err(LEVERET_NOT_NUMBER)),
        ("5", long().with_flags(1 | 1 << 4), Err(LEVERET_NOT_NUMBER)),
        // A string is no integer to the native entrances and to Ruby, whatever its bytes.
        ("5", Meta::native(Encoding::RAW), Err(LEVERET_NOT_NUMBER)),
        ("5", Meta::native(Encoding::DOUBLE), Err(LEVERET_NOT_NUMBER)),
        ("5", Meta::default().with_origin(RUBY).with_encoding(Encoding::RAW), Err(LEVERET_NOT_NUMBER)),
    ] {
        opened.store(b"key", text.as_bytes(), meta);
        assert_eq!(opened.count(b"key", 1, false), want, "{text:?} of {meta:?}");
        if want.is_err() {
            assert_eq!(opened.found(b"key").value_len, text.len() as u64, "{text:?} stays");
        }
        opened.store(b"key", text.as_bytes(), meta);
        let five = text.trim().parse().unwrap_or(5);
        let swapped = if want.is_ok() { LEVERET_OK } else { LEVERET_EXISTS };
        assert_eq!(opened.swap(b"key", five + 1, 9), LEVERET_EXISTS, "{text:?} of {meta:?}");
        assert_eq!(opened.swap(b"key", five, 9), swapped, "{text:?} of {meta:?}");
    }
    opened.store(b"key", b"5\n", Meta::default().with_flags(1));
    assert_eq!(opened.count_as(MEMCACHED, b"key", 1, false), Ok(6), "by the reader's own flags");
}

#[test]
fn text_that_was_counted_keeps_all_but_its_form() {
    let opened = Opened::new();
    let deadline = leveret_now() + 1000;
    opened.store_until(b"key", b"41 ", Meta::default().with_origin(Origin::WIRE).with_flags(1), deadline);
    assert_eq!(opened.count(b"key", 1, false), Ok(42));
    let found = opened.found(b"key");
    assert_eq!((found.number(), found.deadline.second(), found.meta.flags), (Some(42), deadline, 1));
    assert_eq!((found.meta.origin, found.meta.encoding), (Origin::WIRE, Encoding::INTEGER));
}

/// Where two counted the same text at once, one made an integer of it, and the other, which then met an integer in place of
/// the text, was told that it was none.
#[test]
fn who_counts_text_at_once_is_counted() {
    let (opened, both) = (Opened::new(), Barrier::new(2));
    for round in 0..2000 {
        opened.store(b"key", b"10", long());
        let count = || {
            both.wait();
            opened.count(b"key", 1, true)
        };
        let counted = std::thread::scope(|scope| {
            let other = scope.spawn(count);
            [count(), other.join().expect("no panic")]
        });
        assert!(matches!(counted, [Ok(11), Ok(12)] | [Ok(12), Ok(11)]), "round {round}: {counted:?}");
    }
}

/// Of two swaps from the same value one must succeed.
#[test]
fn who_swaps_text_at_once_wins_or_loses() {
    let (opened, both) = (Opened::new(), Barrier::new(2));
    for round in 0..2000 {
        opened.store(b"key", b"10", long());
        let swap = |new| {
            both.wait();
            opened.swap(b"key", 10, new)
        };
        let swapped = std::thread::scope(|scope| {
            let other = scope.spawn(|| swap(11));
            [swap(12), other.join().expect("no panic")]
        });
        assert!(matches!(swapped, [LEVERET_OK, LEVERET_EXISTS] | [LEVERET_EXISTS, LEVERET_OK]), "{round}: {swapped:?}");
    }
}

#[test]
fn keys_that_are_too_long_are_told() {
    let opened = Opened::new();
    let key = vec![b'k'; 70_000];
    assert_eq!(opened.count(&key, 1, true), Err(LEVERET_KEY_TOO_LONG));
    assert_eq!(opened.swap(&key, 1, 2), LEVERET_KEY_TOO_LONG);
}

//! A flush: items stored before it never return.
use super::world::{drain, explore, get, place_of, set, Grain};

const KEY: &[u8] = b"key";
const LEN: usize = 8;

#[test]
fn what_was_flushed_does_not_come_back() {
    explore("flush: beside a store", Grain::Header, |world| {
        let [writer, flusher] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        world.run([
            Box::new(|| set(&writer, KEY, b'b', LEN)),
            Box::new(|| {
                flusher.flush().expect("there");
                assert_ne!(get(&flusher, KEY), Some((b'a', LEN)), "flushed");
            }),
        ]);
        assert_ne!(get(&writer, KEY), Some((b'a', LEN)), "flushed");
        assert!(writer.verify().is_clean());
    });
}

/// A drain copies items: those of an epoch that ends meanwhile stay of that epoch.
#[test]
fn a_drain_brings_nothing_back() {
    explore("flush: beside a drain", Grain::Header, |world| {
        let [writer, flusher] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        let (segment, _) = place_of(&writer, KEY);
        world.run([
            Box::new(|| drain(&writer.core, segment)),
            Box::new(|| {
                flusher.flush().expect("there");
                assert_eq!(get(&flusher, KEY), None, "flushed");
            }),
        ]);
        assert_eq!(get(&writer, KEY), None, "flushed");
        set(&writer, b"new", b'c', LEN);
        assert_eq!(get(&writer, b"new"), Some((b'c', LEN)));
        assert!(writer.verify().is_clean());
    });
}

/// A store that was acknowledged after the flush is seen after it.
#[test]
fn what_is_stored_after_a_flush_stays() {
    explore("flush: store after it", Grain::Header, |world| {
        let [flusher, writer] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        world.run([
            Box::new(|| {
                flusher.flush().expect("there");
                set(&flusher, b"new", b'b', LEN);
                assert_eq!(get(&flusher, b"new"), Some((b'b', LEN)));
            }),
            Box::new(|| {
                if get(&writer, b"new").is_some() {
                    assert_eq!(get(&writer, KEY), None, "who sees what came after the flush sees the flush");
                }
            }),
        ]);
        assert_eq!(get(&writer, b"new"), Some((b'b', LEN)));
    });
}

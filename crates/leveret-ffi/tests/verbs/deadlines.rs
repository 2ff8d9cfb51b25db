use leveret_ffi::*;
use std::time::{SystemTime, UNIX_EPOCH};

const DAYS_30: i64 = 30 * 24 * 60 * 60;

#[test]
fn the_present_is_0() {
    let now = leveret_now();
    for secs in [-1, 0, 1, 1000] {
        assert!(leveret_deadline_of_ttl(secs, 0) - leveret_deadline_of_ttl(secs, now) <= 1, "{secs}");
    }
    assert!(leveret_deadline_of_exptime(5, 0) - (now + 5) <= 1);
    assert_eq!(leveret_deadline_of_exptime(0, 0), LEVERET_NEVER);
}

#[test]
fn a_ttl_always_has_an_end() {
    for now in [1, 1000, u32::MAX - 1, u32::MAX] {
        for secs in [i64::MIN, -1, 0, 1, i64::from(u32::MAX) - 1, i64::from(u32::MAX), 1 << 32, i64::MAX] {
            let deadline = leveret_deadline_of_ttl(secs, now);
            assert!(
                deadline < LEVERET_NEVER && deadline >= now.min(LEVERET_NEVER - 1),
                "{secs} from {now}: {deadline}"
            );
        }
    }
}

#[test]
fn long_ttls_are_moments_on_the_wire() {
    for secs in [i64::MIN, -1, 0, 1, DAYS_30] {
        assert_eq!(leveret_exptime_of_ttl(secs), secs);
    }
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as i64;
    assert!((0..=1).contains(&(leveret_exptime_of_ttl(DAYS_30 + 1) - unix - DAYS_30 - 1)));
    assert_eq!(leveret_exptime_of_ttl(i64::MAX), i64::MAX);
    // The way there and back.
    let deadline = leveret_deadline_of_exptime(leveret_exptime_of_ttl(DAYS_30 * 2), 0);
    assert!(deadline.abs_diff(leveret_deadline_of_ttl(DAYS_30 * 2, 0)) <= 1);
}

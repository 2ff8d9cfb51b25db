//! The arena's clock.
use crate::types::moment;
use leveret_engine::{Deadline, Time, EXPTIME_RELATIVE_MAX};
use std::time::{SystemTime, UNIX_EPOCH};

/// A deadline that never comes.
pub const LEVERET_NEVER: u32 = u32::MAX;

/// The arena's clock: seconds since boot, suspend included.
#[no_mangle]
pub extern "C" fn leveret_now() -> u32 {
    Time::now().0
}

/// A moment of the arena's clock as Unix time.
#[no_mangle]
pub extern "C" fn leveret_unix_time(arena_time: u32) -> i64 {
    Time(arena_time).to_unix()
}

/// A Unix time as a moment of the arena's clock; before boot becomes 0.
#[no_mangle]
pub extern "C" fn leveret_from_unix(unix_time: i64) -> u32 {
    Time::from_unix(unix_time).0
}

/// The deadline of a ttl as the native entrances know it: 0 or less is over at once. It always has an end:
/// LEVERET_NEVER is for the caller to say.
#[no_mangle]
pub extern "C" fn leveret_deadline_of_ttl(seconds: i64, now: u32) -> u32 {
    Deadline::of_ttl(seconds, moment(now)).second()
}

/// The deadline of an exptime as memcached's text protocol knows it: 0 never comes, a negative one has come, up to thirty
/// days are seconds from now, and more is a Unix time.
#[no_mangle]
pub extern "C" fn leveret_deadline_of_exptime(exptime: i64, now: u32) -> u32 {
    Deadline::of_exptime(exptime, moment(now)).second()
}

/// The exptime for a number of seconds from now in any protocol: more than thirty days become a Unix time. 0 and less
/// keep their meaning on the wire.
#[no_mangle]
pub extern "C" fn leveret_exptime_of_ttl(seconds: i64) -> i64 {
    if seconds <= EXPTIME_RELATIVE_MAX {
        return seconds;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    seconds.saturating_add(now)
}

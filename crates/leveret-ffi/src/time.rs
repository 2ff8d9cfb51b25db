//! The arena's clock.
use leveret_engine::Time;

/// A deadline that never comes.
pub const LEVERET_NEVER: u32 = u32::MAX;

/// 0 = now.
pub(crate) fn moment(now: u32) -> Time {
    if now == 0 {
        Time::now()
    } else {
        Time(now)
    }
}

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

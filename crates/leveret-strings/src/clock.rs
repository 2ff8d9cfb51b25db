//! Wall clock and deadlines.
use leveret_engine::{Deadline, Time};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The deadline of a Unix time in milliseconds. Beyond the range of the engine's clock it is the clock's last second; an
/// arena of layout 1 rounds it up to the second.
pub fn deadline_of(unix_ms: i64) -> Deadline {
    Deadline::at_unix_millis(unix_ms)
}

/// The Unix time of a deadline in milliseconds; None: never.
pub fn unix_ms_of(deadline: Deadline) -> Option<i64> {
    deadline.unix_millis()
}

/// A deadline that is past.
pub fn past(now: Time) -> Deadline {
    Deadline::at(now)
}

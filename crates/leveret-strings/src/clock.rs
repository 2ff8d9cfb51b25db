//! Wall clock and deadlines. The only file that knows in which unit the engine keeps time.
use leveret_engine::{Deadline, Time};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The deadline of a Unix time in milliseconds: never earlier. Beyond the range of the engine's clock it is the clock's
/// last second.
pub fn deadline_of(unix_ms: i64) -> Deadline {
    Deadline::at(Time::from_unix(unix_ms.div_euclid(1000) + i64::from(unix_ms.rem_euclid(1000) != 0)))
}

/// The Unix time of a deadline in milliseconds; None: never.
pub fn unix_ms_of(deadline: Deadline) -> Option<i64> {
    (deadline != Deadline::NEVER).then(|| Time(deadline.0).to_unix().saturating_mul(1000))
}

/// A deadline that is past.
pub fn past(now: Time) -> Deadline {
    Deadline::at(now)
}

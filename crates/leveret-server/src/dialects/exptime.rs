//! Exptimes of the wire as moments of the arena's clock.
use leveret_engine::{Deadline, Time};
use leveret_protocol::text::Ttl;

/// The wire protocol's own border between "in so many seconds" and a Unix time: thirty days.
const RELATIVE_MAX: i64 = 30 * 24 * 60 * 60;

/// 0 = never; negative = at once; up to thirty days = so many seconds from now; above = a Unix time.
pub fn deadline(exptime: i64, now: Time) -> Deadline {
    match exptime {
        0 => Deadline::NEVER,
        ..0 => Deadline::at(now),
        1..=RELATIVE_MAX => Deadline::after(now, exptime as u32),
        _ => Deadline::at(Time::from_unix(exptime)),
    }
}

/// What is left of an item's life.
pub fn ttl(deadline: Deadline, now: Time) -> Ttl {
    deadline.time().map_or(Ttl::Forever, |at| Ttl::Secs(u64::from(at.0.saturating_sub(now.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_thirty_days() {
        let now = Time(1_000_000);
        assert_eq!(deadline(0, now), Deadline::NEVER);
        assert!(deadline(-1, now).is_past(now));
        assert_eq!(deadline(RELATIVE_MAX, now), Deadline::after(now, RELATIVE_MAX as u32));
        // 31 days, given as seconds, is a moment in 1970.
        assert!(deadline(31 * 24 * 60 * 60, Time::now()).is_past(Time::now()));
        let soon = Time::now().to_unix() + 100;
        assert!((Time::now().0 + 99..=Time::now().0 + 101).contains(&deadline(soon, Time::now()).0));
        assert_eq!(ttl(Deadline::NEVER, now), Ttl::Forever);
        assert_eq!(ttl(Deadline::after(now, 5), now), Ttl::Secs(5));
    }
}

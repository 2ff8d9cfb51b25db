//! Exptimes of the wire as moments of the arena's clock.
use leveret_engine::{Deadline, Time};
use leveret_protocol::text::Ttl;

/// 0 = never; negative = at once; up to thirty days = seconds from now; above = a Unix time.
#[inline]
pub fn deadline(exptime: i64, now: Time) -> Deadline {
    Deadline::of_exptime(exptime, now)
}

/// The rest of an item's life.
pub fn ttl(deadline: Deadline, now: Time) -> Ttl {
    deadline.time().map_or(Ttl::Forever, |at| Ttl::Secs(u64::from(at.0.saturating_sub(now.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_in_seconds() {
        let now = Time(1_000_000);
        assert_eq!(ttl(Deadline::NEVER, now), Ttl::Forever);
        assert_eq!(ttl(Deadline::after(now, 5), now), Ttl::Secs(5));
        assert_eq!(ttl(deadline(-1, now), now), Ttl::Secs(0));
    }
}

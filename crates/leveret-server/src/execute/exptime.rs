//! Exptimes of the wire as moments of the arena's clock.
use leveret_engine::{Deadline, Time};
use leveret_protocol::text::{Returns, Ttl};

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

/// What becomes of a deadline where flags change it and tell it, one after the other.
#[derive(Clone, Copy)]
pub struct Course {
    /// In the end.
    pub last: Deadline,
    /// When `t` was done, or in the end.
    pub told: Deadline,
    /// When `R` was done.
    pub recached: Deadline,
}

impl Course {
    /// Of an item with this deadline. `N` means something for one that was just made, and is Some for that alone.
    pub fn of(from: Deadline, flags: Returns<'_>, vivify: Option<Deadline>, touch: Option<Deadline>) -> Course {
        let (mut last, mut told, mut recached) = (from, None, from);
        for letter in flags.letters() {
            match letter {
                b'N' => last = vivify.unwrap_or(last),
                b'T' => last = touch.unwrap_or(last),
                b'R' => recached = last,
                b't' => told = Some(last),
                _ => {}
            }
        }
        Course { last, told: told.unwrap_or(last), recached }
    }
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

//! Fate: whether an item in the arena is alive. Readers without a lock and writers under it judge it here, and nowhere
//! else.
use crate::core::Core;
use crate::item::View;
use crate::time::{Deadline, Moment};

/// State of an item that a slot points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Alive,
    /// Past its deadline.
    Expired,
    /// Stored before the last flush.
    Flushed,
}

/// The fate of an item with this deadline, in a segment of this flush epoch. `present` says which epoch it is now; an
/// expired item needs no answer to that.
#[inline(always)]
pub(crate) fn judge(deadline: Deadline, epoch: u32, present: impl FnOnce() -> u32, now: impl Moment) -> Fate {
    if deadline.is_past(now) {
        Fate::Expired
    } else if epoch != present() {
        Fate::Flushed
    } else {
        Fate::Alive
    }
}

/// The fate of an item in the arena. Its extension, if it has one, is read in its last second only.
#[inline(always)]
pub(crate) fn of_item(core: &Core, view: &View, epoch: u32, present: impl FnOnce() -> u32, now: impl Moment) -> Fate {
    let deadline = view.header.deadline;
    if deadline != Deadline::NEVER.second {
        let left = deadline.saturating_sub(now.time().0);
        if left == 0 || left == 1 && view.header.shape.has_extension() && is_over(core, *view, now) {
            return Fate::Expired;
        }
    }
    if epoch != present() {
        return Fate::Flushed;
    }
    Fate::Alive
}

/// By value, so that a caller's view needs no place in memory.
#[cold]
fn is_over(core: &Core, view: View, now: impl Moment) -> bool {
    core.items.deadline_of(&view).is_past(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    #[test]
    fn an_item_is_alive_before_its_deadline_and_in_its_epoch() {
        let fate = |deadline, epoch| judge(deadline, epoch, || 7, Time(100));
        for deadline in [Deadline::NEVER, Deadline::of_second(101)] {
            assert_eq!(fate(deadline, 7), Fate::Alive);
            assert_eq!([6, 8].map(|epoch| fate(deadline, epoch)), [Fate::Flushed; 2]);
        }
        for deadline in [Deadline::of_second(0), Deadline::of_second(100)] {
            assert_eq!(fate(deadline, 7), Fate::Expired);
            let unasked = || -> u32 { unreachable!("an expired item needs no answer") };
            assert_eq!(judge(deadline, 6, unasked, Time(100)), Fate::Expired);
        }
    }
}

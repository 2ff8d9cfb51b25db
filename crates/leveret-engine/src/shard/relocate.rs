//! The same item at another place: an item kept by a drain, or an amendment that cannot be made in place.
use crate::index::Spot;
use crate::item::{Change, Kind, View};
use crate::segment::{class_of, SegmentPool};
use crate::shard::allocate::{self, Place, Spare};
use crate::shard::{token, Locked};
use crate::sync::Ordering;

/// The cas that a copy of an item must have explicitly, since its place was its token until now.
pub(crate) fn told_cas(locked: &Locked<'_>, view: &View) -> Option<u64> {
    let is_told = view.kind != Kind::Number && view.header.shape.is_wanted() && !view.header.shape.has_cas();
    is_told.then(|| token::natural_cas(locked.core, view))
}

/// Copies an item, changed, into fresh room of a pool, and points its slot there. The caller handles the old place.
/// `None`: no room, nothing changed.
pub(crate) fn relocate(
    locked: &Locked<'_>,
    pool: SegmentPool,
    spot: &Spot<'_>,
    view: &View,
    change: &Change,
    spare: Spare,
) -> Option<(Place, u64)> {
    let size = locked.core.items.size_of_copy(view, change);
    let place = allocate::reserve(locked, pool, class_of(change.deadline, locked), size, spare)?;
    locked.core.items.write_copy(view, place.at, change);
    allocate::publish(locked, place, size, change.deadline.second);
    spot.cell().store(spot.word.moved_to(place.at).0, Ordering::Release);
    Some((place, size))
}

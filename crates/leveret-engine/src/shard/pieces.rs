//! The pieces of large values, and retiring an item: its pieces go with it.
use crate::core::Core;
use crate::error::Error;
use crate::hash;
use crate::item::{Kind, View};
use crate::segment::{Extent, SegmentId, SegmentPool, State, StateWord};
use crate::shard::{allocate, Locked};
use std::cell::Cell;

/// Segments that this process fills with a value, until they are handed over to the item that lists them.
#[derive(Default)]
pub(crate) struct Pieces {
    extents: Vec<Extent>,
    /// The state words under which the segments were taken, whole: other shards give out the same generations.
    words: Vec<StateWord>,
    handed_over: Cell<bool>,
}

impl Pieces {
    pub fn add(&mut self, segment: SegmentId, word: StateWord) {
        self.extents.push(Extent { segment: segment.0, generation: word.generation() as u32 });
        self.words.push(word);
    }

    pub fn extents(&self) -> &[Extent] {
        &self.extents
    }

    fn all(&self) -> impl Iterator<Item = (SegmentId, StateWord)> + '_ {
        self.extents.iter().map(|extent| SegmentId(extent.segment)).zip(self.words.iter().copied())
    }

    pub fn are_handed_over(&self) -> bool {
        self.handed_over.get()
    }

    /// Makes the pieces part of the arena. The commit of the item that lists them follows at once, under the same lock.
    pub fn hand_over(&self, locked: &Locked<'_>) {
        let segments = &locked.core.segments;
        for (segment, word) in self.all() {
            // Only a damaged file has another word there; then the piece is not ours, and readers of the value will see
            // that.
            if segments.change_state(segment, word, word.with(State::Large)) {
                segments.header(segment).set_filler(0);
            }
        }
        self.handed_over.set(true);
    }

    /// Frees them. A piece whose word has changed no longer belongs to this fill.
    pub fn give_back(&self, core: &Core) {
        self.all().for_each(|(segment, word)| core.segments.end_fill(segment, word));
    }
}

/// Takes segments of this shard for the value of a key with this hash, until there are as many as are needed or only
/// those are left that are kept back for drains. The first one tells others how many it will be.
pub(crate) fn take(locked: &Locked<'_>, hash: u64, pieces: &mut Pieces, needed: usize) -> Result<(), Error> {
    while pieces.extents.len() < needed && allocate::has_spare(locked, 0) {
        let Some((segment, word)) = take_piece(locked)? else { break };
        let header = locked.core.segments.header(segment);
        header.set_key_hash(hash);
        header.set_promised(if pieces.extents.is_empty() { needed as u32 } else { 0 });
        pieces.add(segment, word);
    }
    Ok(())
}

/// Under the lock, so that a segment being filled without a name is always the trace of a kill.
pub(crate) fn take_piece(locked: &Locked<'_>) -> Result<Option<(SegmentId, StateWord)>, Error> {
    let owner = locked.core.presence.owner()?;
    let word = StateWord::new(allocate::next_generation(locked), State::LargeFill, locked.index, SegmentPool::Small, 0);
    Ok(locked.core.segments.take_free(word, &locked.core.presence).map(|segment| {
        locked.core.segments.header(segment).set_filler(owner);
        (segment, word)
    }))
}

/// Frees the pieces of this shard's fills whose process is known to be dead. True: there were some.
pub(crate) fn sweep_fills(locked: &Locked<'_>) -> bool {
    let mut freed = false;
    for segment in locked.core.segments.all() {
        let word = locked.core.segments.state(segment);
        if word.kind() != Some(State::LargeFill) || word.shard() != locked.index {
            continue;
        }
        let name = locked.core.segments.header(segment).filler();
        if name != 0 && !locked.core.presence.is_known_dead(name) {
            continue;
        }
        // Both only if no other process was quicker: without the lock a living filler may be releasing it.
        locked.core.segments.header(segment).clear_filler(name);
        freed |= locked.core.segments.free_piece(segment, word);
    }
    freed
}

/// Frees the pieces of a large value that no slot reaches any more.
pub(crate) fn free_extents(locked: &Locked<'_>, view: &View) {
    for index in 0..view.pieces() {
        let extent = locked.core.items.extent_of(view, index);
        if locked.core.segments.is_extent(extent, locked.index) {
            locked.core.segments.set_free(SegmentId(extent.segment));
        }
    }
}

/// Frees pieces of this shard that no item lists: the traces of kills between filling, committing and freeing.
pub(crate) fn free_orphans(locked: &Locked<'_>) {
    for segment in locked.core.segments.all() {
        let word = locked.core.segments.state(segment);
        if word.kind() == Some(State::Large) && word.shard() == locked.index && !is_listed(locked, segment, word) {
            locked.core.segments.set_free(segment);
        }
    }
}

/// Whether a live item lists this piece.
pub(crate) fn is_listed(locked: &Locked<'_>, segment: SegmentId, word: StateWord) -> bool {
    let key_hash = locked.core.segments.header(segment).key_hash();
    let piece = Extent { segment: segment.0, generation: word.generation() as u32 };
    locked
        .core
        .index
        .spots(locked.index, locked.core.index.bucket_of(locked.index, key_hash))
        .filter(|spot| spot.word.tag() == hash::tag(key_hash))
        .any(|spot| {
            let Some(view) = locked.core.item_behind(locked.index, spot.word) else { return false };
            view.kind == Kind::Large
                && (0..view.pieces()).any(|index| locked.core.items.extent_of(&view, index) == piece)
        })
}

/// An item that no slot reaches any more: its bytes are dead, and what hangs on it is freed.
#[inline]
pub(crate) fn retire_item(locked: &Locked<'_>, view: &View) {
    allocate::unpublish(locked, view.segment, view.size());
    if view.kind == Kind::Large {
        free_extents(locked, view);
    }
}

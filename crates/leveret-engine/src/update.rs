//! The writing section of an operation on one key: lock, locate, and as often as it takes, make room.
use crate::core::Core;
use crate::error::Error;
use crate::make_room::{self, Search};
use crate::shard::edit::{self, Located};
use crate::shard::{self, sweep, Locked};
use crate::time::{Moment, Time};

/// How a writing section continues.
pub(crate) enum Step<T> {
    Done(T),
    /// Nothing was changed; room must be made first.
    NoRoom,
}

/// Runs a writing section on a key, as often as it takes to make room for it.
pub(crate) fn update<T>(
    core: &Core,
    key: &[u8],
    now: impl Moment,
    mut section: impl FnMut(&Locked<'_>, &Located<'_>) -> Result<Step<T>, Error>,
) -> Result<T, Error> {
    let hash = core.hasher.hash(key);
    let shard = core.hasher.shard_of(hash);
    let mut search = None;
    loop {
        let locked = match shard::lock(core, shard, now) {
            Ok(locked) => locked,
            Err(why) => return Err(make_room::refuse(core, why)),
        };
        if sweep::is_new_epoch(&locked) {
            sweep::begin_epoch(&locked);
        }
        let located = edit::locate(&locked, hash, key);
        if let Step::Done(done) = section(&locked, &located)? {
            let is_new = located.old.is_none();
            drop(locked);
            if is_new {
                make_room::prepare_index(core, shard, now.time());
            }
            return Ok(done);
        }
        let is_refused = edit::refuses(&locked, &located);
        drop(locked);
        if is_refused {
            return Err(make_room::refuse(core, Error::NoMemory));
        }
        search_on(&mut search, core, shard, now.time())?;
    }
}

/// Out of line, so that a write that finds room has none of it.
#[cold]
#[inline(never)]
fn search_on<'a>(search: &mut Option<Search<'a>>, core: &'a Core, shard: usize, now: Time) -> Result<(), Error> {
    search.get_or_insert_with(|| Search::new(core, shard, now, 1)).make_room()
}

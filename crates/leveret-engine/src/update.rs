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

/// How one round of it has ended.
enum Ended<T> {
    Done { done: T, is_new: bool },
    NoRoom { is_refused: bool },
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
        let ended = shard::under_lock(core, shard, now, |locked| {
            if sweep::is_new_epoch(locked) {
                sweep::begin_epoch(locked);
            }
            let located = edit::locate(locked, hash, key);
            Ok(match section(locked, &located)? {
                Step::Done(done) => Ended::Done { done, is_new: located.old.is_none() },
                Step::NoRoom => Ended::NoRoom { is_refused: edit::refuses(locked, &located) },
            })
        });
        match ended {
            Err(why) => return Err(make_room::refuse(core, why)),
            Ok(Err(why)) => return Err(why),
            Ok(Ok(Ended::Done { done, is_new })) => {
                if is_new {
                    make_room::prepare_index(core, shard, now.time());
                }
                return Ok(done);
            }
            Ok(Ok(Ended::NoRoom { is_refused: true })) => return Err(make_room::refuse(core, Error::NoMemory)),
            Ok(Ok(Ended::NoRoom { is_refused: false })) => search_on(&mut search, core, shard, now.time())?,
        }
    }
}

/// Out of line, so that a write that finds room has none of it.
#[cold]
#[inline(never)]
fn search_on<'a>(search: &mut Option<Search<'a>>, core: &'a Core, shard: usize, now: Time) -> Result<(), Error> {
    search.get_or_insert_with(|| Search::new(core, shard, now, 1)).make_room()
}

//! Databases: each is an arena of its own. Database 0 is the arena that memcached's clients have too; database n lies beside
//! it as `NAME.dbN`, is made by the first write, and until then reads as empty.
use crate::log::{self, Level};
use leveret_engine::{Arena, Error, OpenOptions};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, PoisonError};

/// The databases from 1 on.
pub(crate) struct DatabaseArenas {
    options: OpenOptions,
    open: Mutex<Vec<Option<Arena>>>,
    /// How often one of them was opened, replaced or given up.
    edition: AtomicU32,
}

impl std::fmt::Debug for DatabaseArenas {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("DatabaseArenas").field("edition", &self.edition).finish_non_exhaustive()
    }
}

impl DatabaseArenas {
    /// Opens those that are there beside the arena at `first`. `options` are for those that have to be made.
    pub fn open(first: &Path, count: u32, options: OpenOptions) -> Result<DatabaseArenas, leveret_place::PlaceError> {
        let mut open = vec![None];
        for number in 1..count.max(1) {
            let path = path_of(first, number);
            let there = if path.exists() { Some(Arena::open(&path, &options.create(false))?.0) } else { None };
            there.iter().for_each(log::tell_older);
            open.push(there);
        }
        Ok(DatabaseArenas { options, open: Mutex::new(open), edition: AtomicU32::new(0) })
    }

    /// How many there are, with database 0.
    pub fn count(&self) -> u32 {
        self.lock().len() as u32
    }

    /// How often one of them was opened, replaced or given up.
    pub fn edition(&self) -> u32 {
        self.edition.load(Acquire)
    }

    /// Database `number`, if it was made.
    pub fn get(&self, number: u32) -> Option<Arena> {
        self.lock().get(number as usize)?.clone()
    }

    /// Database `number`, which is made if it is not there, and whether this call has opened it. `first` is the path of
    /// database 0.
    pub fn get_or_make(&self, number: u32, first: &Path) -> Result<(Arena, bool), Error> {
        let mut open = self.lock();
        let place = open.get_mut(number as usize).ok_or(Error::NoMemory)?;
        if let Some(arena) = place {
            return Ok((arena.clone(), false));
        }
        let path = path_of(first, number);
        match Arena::open(&path, &self.options) {
            Ok((arena, is_new)) => {
                if is_new {
                    let memory = arena.memory() >> 20;
                    log::tell(
                        Level::Info,
                        format_args!("database {number} is made: {} ({memory} MiB)", path.display()),
                    );
                }
                log::tell_older(&arena);
                *place = Some(arena.clone());
                self.edition.fetch_add(1, Release);
                Ok((arena, true))
            }
            Err(error) => {
                let error = leveret_place::PlaceError::from(error);
                log::tell(Level::Error, format_args!("database {number} cannot be made: {error}"));
                Err(Error::NoMemory)
            }
        }
    }

    /// Those that were made, with their numbers.
    pub fn made(&self) -> Vec<(u32, Arena)> {
        let open = self.lock();
        (0..).zip(open.iter()).filter_map(|(number, arena)| Some((number, arena.clone()?))).collect()
    }

    /// Gives up those whose file was removed or replaced, and returns their numbers: the next write makes or opens what the
    /// name means now.
    pub fn check(&self) -> Vec<u32> {
        let mut given_up = Vec::new();
        for (number, place) in (0..).zip(self.lock().iter_mut()) {
            if place.as_ref().is_some_and(|arena| arena.check().is_err()) {
                log::tell(Level::Warning, format_args!("the arena of database {number} was removed or replaced"));
                *place = None;
                self.edition.fetch_add(1, Release);
                given_up.push(number);
            }
        }
        given_up
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Option<Arena>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where database `number` lies: `shop.arena` has `shop.db1.arena` beside it.
pub fn path_of(first: &Path, number: u32) -> PathBuf {
    let mut name = first.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".db{number}.arena"));
    first.with_file_name(name)
}

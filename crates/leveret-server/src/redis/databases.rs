//! Databases: each is an arena of its own. Database 0 is the arena that memcached's clients have too; database n lies beside
//! it as `NAME.dbN`, or where its settings say, is made by the first write, and until then reads as empty.
use super::settings::{policy_word, DatabaseSettings};
use crate::log::{self, Level};
use leveret_engine::{Arena, Error, EvictionPolicy, OpenOptions};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, PoisonError};

/// The databases from 1 on.
pub(crate) struct DatabaseArenas {
    options: OpenOptions,
    own: BTreeMap<u32, DatabaseSettings>,
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
    /// Opens those that are there, beside the arena at `first` or where `own` says. `options` are for those that have to be made.
    pub fn open(
        first: &Arena,
        count: u32,
        options: OpenOptions,
        own: BTreeMap<u32, DatabaseSettings>,
    ) -> Result<DatabaseArenas, DatabaseError> {
        let mut databases = DatabaseArenas { options, own, open: Mutex::new(vec![None]), edition: AtomicU32::new(0) };
        databases.settle(0, first).map_err(|why| DatabaseError::Policy(0, why))?;
        for number in 1..count.max(1) {
            let path = databases.path_of(first.path(), number);
            let mut there = None;
            if path.exists() {
                let opened = Arena::open(&path, &options.create(false));
                let (arena, _) = opened.map_err(|error| DatabaseError::Open(number, error.into()))?;
                databases.settle(number, &arena).map_err(|why| DatabaseError::Policy(number, why))?;
                log::tell_older(&arena);
                there = Some(arena);
            }
            databases.open.get_mut().unwrap_or_else(PoisonError::into_inner).push(there);
        }
        Ok(databases)
    }

    /// Where database `number` lies: `shop.arena` has `shop.db1.arena` beside it.
    fn path_of(&self, first: &Path, number: u32) -> PathBuf {
        let own = self.own.get(&number).and_then(|own| own.arena.clone());
        own.unwrap_or_else(|| path_of(first, number))
    }

    /// The policy that was set for a database where the server was started.
    pub fn policy_at_start(&self, number: u32) -> Option<EvictionPolicy> {
        self.own.get(&number)?.policy
    }

    /// Gives an arena the policy that its settings ask for. Err: why it cannot be.
    pub fn settle(&self, number: u32, arena: &Arena) -> Result<(), &'static str> {
        match self.policy_at_start(number) {
            Some(policy) => set_policy(arena, policy),
            None => Ok(()),
        }
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
        let path = self.path_of(first, number);
        let memory = self.own.get(&number).and_then(|own| own.memory);
        let options = memory.map_or(self.options, |memory| self.options.memory(memory));
        match Arena::open(&path, &options) {
            Ok((arena, is_new)) => {
                let settled = self.settle(number, &arena);
                if let Err(why) = settled {
                    log::tell(Level::Warning, format_args!("database {number} keeps its policy: {why}"));
                }
                if is_new {
                    let (memory, policy) = (arena.memory() >> 20, policy_word(arena.policy()));
                    let path = path.display();
                    log::tell(Level::Info, format_args!("database {number} is made: {path} ({memory} MiB, {policy})"));
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

/// Why the databases of a server cannot be opened.
#[derive(Debug)]
pub enum DatabaseError {
    /// The arena of this database.
    Open(u32, leveret_place::PlaceError),
    /// The policy of this one cannot be set.
    Policy(u32, &'static str),
}

impl std::fmt::Display for DatabaseError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DatabaseError::Open(number, error) => write!(to, "database {number}: {error}"),
            DatabaseError::Policy(number, why) => write!(to, "the policy of database {number}: {why}"),
        }
    }
}

/// Gives an arena a policy. Err: why it cannot be.
pub(crate) fn set_policy(arena: &Arena, policy: EvictionPolicy) -> Result<(), &'static str> {
    match arena.policy() == policy || arena.set_policy(policy) && arena.policy() == policy {
        true => Ok(()),
        false if arena.layout() < 2 => Err("the arena has layout 1, which has no policy: 'leveret renew' replaces it"),
        false => Err("the server was started without evictions (-M)"),
    }
}

/// Where database `number` lies unless its settings say so: `shop.arena` has `shop.db1.arena` beside it.
pub fn path_of(first: &Path, number: u32) -> PathBuf {
    let mut name = first.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".db{number}.arena"));
    first.with_file_name(name)
}

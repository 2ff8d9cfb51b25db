//! Environment of a command: databases, the clock, the reply.
use crate::key_walk::KeyWalk;
use crate::library::Scripts;
use crate::problem::Problem;
use crate::watch::{WatchGuard, WatchedState};
use leveret_engine::{Arena, Deadline, Error, EvictionPolicy, Found, Item, ReadOptions, Stored, Terms, Time};
use leveret_protocol::resp::ReplyWriter;

/// The databases of a server, as its commands see them.
pub trait Databases {
    /// The arena of a database. `None`: nothing was ever written to it.
    fn arena(&self, database: u32) -> Option<&Arena>;

    /// The same, made if there is none.
    fn make(&self, database: u32) -> Result<&Arena, Problem>;

    /// How many there are.
    fn count(&self) -> u32;

    /// What happens when memory runs out.
    fn policy(&self, database: u32) -> EvictionPolicy {
        self.arena(database).map_or(EvictionPolicy::All, Arena::policy)
    }

    /// Longest value in bytes: `proto-max-bulk-len`.
    fn value_max(&self) -> usize;

    /// Bytes of an answer that a client may have collected for it.
    fn answer_max(&self) -> usize {
        256 << 20
    }

    /// The scripts that clients have sent. None: they are not kept, and EVALSHA knows only those that it always knows.
    fn scripts(&self) -> Option<&Scripts> {
        None
    }

    /// Whether this client may flush (`-F`).
    fn may_flush(&self) -> bool {
        true
    }

    /// Has a key removed as soon as the lock that keeps it is free: a set that was refused is not run again, and must not
    /// leave the old value. False: the command is run again.
    fn forget_later(&self, _database: u32, _key: &[u8], _now: Time) -> bool {
        false
    }

    /// Stores the value of the request under way, which the host has received itself, and hands out the item that was there.
    /// None: the value stands in the request.
    fn store_received(&self, _store: &StoreByHost<'_>) -> Option<Result<(Stored, Option<Item>), Error>> {
        None
    }

    /// Takes the value at the end of a reply, to send it without a copy: after the output so far, which announces its
    /// length, and followed by `\r\n`. False: it must be copied into the output.
    fn send(&self, _arena: &Arena, _found: &Found) -> bool {
        false
    }
}

/// A store whose value does not stand in the request.
#[derive(Clone, Copy, Debug)]
pub struct StoreByHost<'s> {
    /// The key.
    pub key: &'s [u8],
    /// From when on the item is dead.
    pub deadline: Deadline,
    /// When it is stored.
    pub terms: &'s Terms,
    /// The clock of the command.
    pub now: Time,
    /// The old item is wanted.
    pub tells_old: bool,
}

/// One arena as the only database.
pub struct OneDatabase(pub Arena);

impl Databases for OneDatabase {
    fn arena(&self, database: u32) -> Option<&Arena> {
        (database == 0).then_some(&self.0)
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        self.arena(database).ok_or(Problem::NO_DATABASE)
    }

    fn count(&self) -> u32 {
        1
    }

    fn value_max(&self) -> usize {
        self.0.value_max()
    }
}

/// Effect of a command on the keys of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impact {
    /// Nothing.
    None,
    /// Some have another value or deadline.
    Changed,
    /// Some may be gone.
    Removed,
    /// All keys of the database are gone.
    Emptied,
    /// All keys of all databases are gone.
    AllEmptied,
}

/// Result of a command.
pub type Answered = Result<Impact, Problem>;

/// One command under way.
pub struct Call<'c> {
    /// The databases.
    pub host: &'c dyn Databases,
    /// The number of the selected one.
    pub database: u32,
    /// The selected one, if it was made.
    pub arena: Option<&'c Arena>,
    /// The clock, read once.
    pub now: Time,
    /// Where the answer goes.
    pub reply: ReplyWriter<'c>,
    /// The full name of the command, for texts.
    pub name: &'static str,
    /// In a transaction before its first write: the watched versions. Otherwise empty.
    pub guards: &'c [WatchGuard<'c>],
    /// The command is run again: its first run has counted its reads.
    pub is_again: bool,
    /// Where a walk over all keys goes on. None: it is done in one go.
    pub walk: Option<&'c mut KeyWalk>,
}

impl<'c> Call<'c> {
    /// In this database, now.
    pub fn new(host: &'c dyn Databases, database: u32, reply: ReplyWriter<'c>) -> Call<'c> {
        Call {
            host,
            database,
            arena: host.arena(database),
            now: Time::now(),
            reply,
            name: "",
            guards: &[],
            is_again: false,
            walk: None,
        }
    }

    /// What the transaction has seen of a key, if its writes depend on that.
    #[inline]
    pub fn guard_of(&self, key: &[u8]) -> Option<WatchedState> {
        self.guard_in(self.database, key)
    }

    /// The same of a key in another database.
    #[inline]
    pub fn guard_in(&self, database: u32, key: &[u8]) -> Option<WatchedState> {
        let is_it = |guard: &&WatchGuard<'_>| guard.database == database && guard.key == key;
        self.guards.iter().find(is_it).map(|guard| guard.state)
    }

    /// How an item is looked for.
    #[inline]
    pub fn read_options(&self) -> ReadOptions {
        match self.is_again {
            false => ReadOptions::new(),
            true => ReadOptions::new().untraced(),
        }
    }

    /// The selected database, made if there is none.
    #[inline]
    pub fn writable(&mut self) -> Result<&'c Arena, Problem> {
        match self.arena {
            Some(arena) => Ok(arena),
            None => self.make(),
        }
    }

    #[cold]
    fn make(&mut self) -> Result<&'c Arena, Problem> {
        let host = self.host;
        let arena = host.make(self.database)?;
        self.arena = Some(arena);
        Ok(arena)
    }
}

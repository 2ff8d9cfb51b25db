//! Environment of a command: databases, the clock, the reply.
use crate::library::Scripts;
use crate::problem::Problem;
use crate::watch::{WatchGuard, WatchedState};
use leveret_engine::{Arena, CountedSigned, Deadline, Error, EvictionPolicy, Found, Item, Stored, Terms, Time};
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
    /// In a transaction before its first write: the watched versions in this database. Otherwise empty.
    pub(crate) guards: &'c [WatchGuard<'c>],
    /// Set if there are guards.
    pub(crate) compared: Option<&'static ComparedCalls>,
}

/// Writes of keys that a transaction watches. A program that has no transactions is linked without them.
pub struct ComparedCalls {
    pub count: CountCompared,
    pub retime: RetimeCompared,
}

type CountCompared = fn(&Call<'_>, &Arena, &[u8], i64, WatchedState) -> Result<CountedSigned, Problem>;
type RetimeCompared = fn(&Call<'_>, &Arena, &[u8], Decide<'_>, WatchedState) -> Result<(), Problem>;

/// The deadline that an item is to have; None: it keeps its own.
pub type Decide<'d> = &'d mut dyn FnMut(&Found) -> Option<Deadline>;

impl<'c> Call<'c> {
    /// In this database, now.
    pub fn new(host: &'c dyn Databases, database: u32, reply: ReplyWriter<'c>) -> Call<'c> {
        let arena = host.arena(database);
        Call { host, database, arena, now: Time::now(), reply, name: "", guards: &[], compared: None }
    }

    /// What the transaction has seen of a key, if its writes depend on that.
    #[inline]
    pub fn guard_of(&self, key: &[u8]) -> Option<WatchedState> {
        self.guards.iter().find(|guard| guard.key == key).map(|guard| guard.state)
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

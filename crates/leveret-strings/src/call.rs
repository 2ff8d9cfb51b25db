//! What a command is executed with: databases, the clock, the reply.
use crate::library::Scripts;
use crate::problem::Problem;
use crate::watch::WatchedState;
use leveret_engine::{Arena, Found, Mode, Terms, Time};
use leveret_protocol::resp::ReplyWriter;

/// What happens to items when memory runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EvictionPolicy {
    /// `allkeys-lfu`.
    #[default]
    All,
    /// `volatile-lfu`: items without a deadline stay.
    Volatile,
    /// `noeviction`.
    None,
}

/// The databases of a server, as its commands see them.
pub trait Databases {
    /// The arena of a database. None: nobody has written to it yet.
    fn arena(&self, database: u32) -> Option<&Arena>;

    /// The same, made if there is none.
    fn make(&self, database: u32) -> Result<&Arena, Problem>;

    /// How many there are.
    fn count(&self) -> u32;

    /// What happens when memory runs out.
    fn policy(&self, _database: u32) -> EvictionPolicy {
        EvictionPolicy::All
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

    /// Takes a value that ends a reply, to send it from where it lies: behind the output so far, which says its length,
    /// and with `\r\n` behind it. False: it is copied into the output.
    fn send(&self, _arena: &Arena, _found: &Found) -> bool {
        false
    }
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

/// What a command has done to the keys of its request.
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

/// What a command answers with.
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
    /// What a transaction has found under the key that it watches, and must not overwrite if it has become something else.
    pub expected: Option<ExpectedKey<'c>>,
}

/// A watched key of the selected database, as it was found when the transaction began.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedKey<'c> {
    /// The key.
    pub key: &'c [u8],
    /// As it was found.
    pub state: WatchedState,
}

impl<'c> Call<'c> {
    /// In this database, now.
    pub fn new(host: &'c dyn Databases, database: u32, reply: ReplyWriter<'c>) -> Call<'c> {
        Call { host, database, arena: host.arena(database), now: Time::now(), reply, name: "", expected: None }
    }

    /// The selected database, made if there is none.
    #[inline]
    pub fn writable(&mut self) -> Result<&'c Arena, Problem> {
        match self.arena {
            Some(arena) => Ok(arena),
            None => self.make(),
        }
    }

    /// The terms on which the value of a key is set: nothing but what a transaction has found is overwritten.
    #[inline]
    pub fn terms_of_set(&self, key: &[u8]) -> Terms {
        let terms = Terms::new(Mode::Set);
        match &self.expected {
            Some(expected) if expected.key == key => match expected.state {
                WatchedState::Present { cas, .. } => terms.compare(Some(cas)),
                WatchedState::Absent => terms.mode(Mode::Add),
            },
            _ => terms,
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

//! A row of the command table.
use crate::call::{Answered, Call};
use leveret_protocol::resp::Arguments;

/// One command, or one subcommand.
#[derive(Clone, Copy)]
pub struct CommandRow {
    /// Lower case; of a subcommand the full name, `object|encoding`.
    pub name: &'static str,
    /// Number of arguments, including the name; negative: the minimum.
    pub arity: i32,
    /// As COMMAND INFO tells them.
    pub flags: CommandFlags,
    /// Which arguments are keys.
    pub keys: KeyPlaces,
    /// ACL categories besides those that follow from the flags.
    pub categories: &'static str,
    /// The version of Redis that had it first.
    pub since: &'static str,
    /// The family.
    pub group: CommandGroup,
    /// Its effect, in a sentence.
    pub summary: &'static str,
    /// Its implementation.
    pub handler: Handler,
}

/// Implementation of a command.
#[derive(Clone, Copy)]
pub enum Handler {
    /// This crate.
    Here(fn(&mut Call<'_>, &Arguments<'_>) -> Answered),
    /// The server.
    Host(ServerCommand),
    /// Its subcommands.
    Container(&'static [CommandRow]),
    /// The table, which describes itself.
    Table(Description),
    /// Runs or manages a script.
    Script(ScriptCommand),
    /// Not implemented, and why.
    Refused(Refusing),
}

/// What the table is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// `COMMAND`.
    All,
    /// `COMMAND COUNT`.
    Count,
    /// `COMMAND INFO`.
    Info,
    /// `COMMAND DOCS`.
    Docs,
    /// `COMMAND LIST`.
    List,
    /// `COMMAND GETKEYS`.
    GetKeys,
    /// `COMMAND GETKEYSANDFLAGS`.
    GetKeysAndFlags,
    /// `COMMAND HELP`.
    Help,
    /// `ACL CAT`.
    Categories,
}

/// Commands on scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ScriptCommand {
    Eval,
    EvalReadOnly,
    EvalSha,
    EvalShaReadOnly,
    Exists,
    Flush,
    Help,
    Kill,
    Load,
}

/// Commands of which only a server knows the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ServerCommand {
    Auth,
    Hello,
    Select,
    Quit,
    Reset,
    Multi,
    Exec,
    Discard,
    Watch,
    Unwatch,
    Info,
    ClientGetName,
    ClientGetRedir,
    ClientHelp,
    ClientId,
    ClientInfo,
    ClientKill,
    ClientList,
    ClientNoEvict,
    ClientNoTouch,
    ClientReply,
    ClientSetInfo,
    ClientSetName,
    ClientTrackingInfo,
    ClientUnblock,
    ConfigGet,
    ConfigHelp,
    ConfigResetStat,
    ConfigRewrite,
    ConfigSet,
    AclHelp,
    AclList,
    AclUsers,
    AclWhoAmI,
}

/// Why a command of Redis is not served. The text follows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusing {
    /// Lists, streams, messages.
    Queue,
    /// Hashes, sets, sorted sets, …
    Collection,
    /// Snapshots.
    Persistence,
    /// Serialized items.
    Dump,
    /// Replicas.
    Replication,
    /// Clusters.
    Cluster,
    /// `SWAPDB`.
    Swap,
    /// `DEBUG`.
    Debug,
    /// `MONITOR`.
    Monitor,
    /// `SHUTDOWN`.
    Shutdown,
    /// Functions.
    Function,
    /// Users at run time.
    Users,
    /// Modules.
    Module,
    /// All that has no use here.
    Rest,
}

impl Refusing {
    /// The text after `UNSUPPORTED NAME: `.
    pub const fn reason(self) -> &'static str {
        match self {
            Refusing::Queue => "leveret serve keeps no queues, a cache that evicts would lose jobs",
            Refusing::Collection => "leveret serve keeps strings",
            Refusing::Persistence => "a cache in memory is not written to disk; `leveret dump` saves one",
            Refusing::Dump => "items are not exchanged in Redis' own format; `leveret dump` saves them",
            Refusing::Replication => "leveret serve has no replicas",
            Refusing::Cluster => "leveret serve is no cluster",
            Refusing::Swap => "a database is an arena that other processes use by its name",
            Refusing::Debug => "it shows the inside of Redis",
            Refusing::Monitor => "`leveret watch` shows what clients do",
            Refusing::Shutdown => "stop the service instead",
            Refusing::Function => "leveret serve evaluates scripts on one string key, and keeps no functions",
            Refusing::Users => "users are set where the server is started",
            Refusing::Module => "leveret serve loads no modules",
            Refusing::Rest => "leveret serve has no use for it",
        }
    }
}

/// Where the keys of a request are: first, last (negative: from the end), step. 0: it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlaces {
    /// Index of the first key.
    pub first: u8,
    /// Index of the last one, from the end if negative.
    pub last: i8,
    /// From one key to the next.
    pub step: u8,
}

impl KeyPlaces {
    /// There is none.
    pub const NONE: KeyPlaces = KeyPlaces { first: 0, last: 0, step: 0 };
    /// The argument behind the name.
    pub const ONE: KeyPlaces = KeyPlaces { first: 1, last: 1, step: 1 };
    /// The two arguments behind the name.
    pub const TWO: KeyPlaces = KeyPlaces { first: 1, last: 2, step: 1 };
    /// All arguments.
    pub const ALL: KeyPlaces = KeyPlaces { first: 1, last: -1, step: 1 };
    /// Each second argument.
    pub const PAIRS: KeyPlaces = KeyPlaces { first: 1, last: -1, step: 2 };
    /// The argument behind a subcommand's name.
    pub const SECOND: KeyPlaces = KeyPlaces { first: 2, last: 2, step: 1 };
    /// The second argument and all behind it.
    pub const BEHIND_FIRST: KeyPlaces = KeyPlaces { first: 2, last: -1, step: 1 };

    /// The indices of the keys in a request of `len` arguments.
    pub fn of(self, len: usize) -> impl Iterator<Item = usize> {
        let last = match self.last {
            last @ 0.. => last as usize,
            from_end => len.saturating_sub(from_end.unsigned_abs() as usize),
        };
        let end = if self.first == 0 { 0 } else { (last + 1).min(len) };
        (self.first as usize..end).step_by(self.step.max(1) as usize)
    }
}

/// Families, as COMMAND DOCS names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CommandGroup {
    Bitmap,
    Connection,
    Generic,
    Scripting,
    Server,
    String,
    Transactions,
    /// Of a command that is not served.
    Unsupported,
}

impl CommandGroup {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            CommandGroup::Bitmap => "bitmap",
            CommandGroup::Connection => "connection",
            CommandGroup::Generic => "generic",
            CommandGroup::Scripting => "scripting",
            CommandGroup::Server => "server",
            CommandGroup::String => "string",
            CommandGroup::Transactions => "transactions",
            CommandGroup::Unsupported => "unsupported",
        }
    }
}

/// Properties of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandFlags(u32);

macro_rules! flags {
    ($($name:ident $bit:literal $text:literal,)*) => {
        #[allow(missing_docs)]
        impl CommandFlags {
            $(pub const $name: CommandFlags = CommandFlags(1 << $bit);)*
            const NAMES: &'static [(CommandFlags, &'static str)] = &[$((CommandFlags::$name, $text),)*];
        }
    };
}

flags! {
    WRITE 0 "write",
    READONLY 1 "readonly",
    DENY_OOM 2 "denyoom",
    ADMIN 3 "admin",
    NO_SCRIPT 4 "noscript",
    LOADING 5 "loading",
    STALE 6 "stale",
    SKIP_MONITOR 7 "skip_monitor",
    SKIP_SLOWLOG 8 "skip_slowlog",
    FAST 9 "fast",
    NO_AUTH 10 "no_auth",
    NO_MANDATORY_KEYS 11 "no_mandatory_keys",
    NO_MULTI 12 "no_multi",
    MOVABLE_KEYS 13 "movablekeys",
    ALLOW_BUSY 14 "allow_busy",
}

impl CommandFlags {
    /// None.
    pub const NONE: CommandFlags = CommandFlags(0);
    /// EXEC, MSET and others that are one step for all clients of a server: they run behind its gate. No flag of Redis.
    pub const GATE: CommandFlags = CommandFlags(1 << 31);

    /// A walk over all keys, or a script that may be one: it is run in pieces where there is a `KeyWalk`. No flag of Redis.
    pub const WALK: CommandFlags = CommandFlags(1 << 30);

    /// These and those.
    pub const fn with(self, other: CommandFlags) -> CommandFlags {
        CommandFlags(self.0 | other.0)
    }

    /// Whether all of these are among them.
    pub const fn has(self, other: CommandFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// As COMMAND INFO names them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        CommandFlags::NAMES.iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| *name)
    }
}

impl CommandRow {
    /// Whether a request with `len` arguments has the right number of them.
    #[inline]
    pub fn takes(&self, len: usize) -> bool {
        match self.arity {
            arity @ 0.. => len == arity as usize,
            at_least => len >= at_least.unsigned_abs() as usize,
        }
    }

    /// Whether it is served.
    pub fn is_served(&self) -> bool {
        !matches!(self.handler, Handler::Refused(_))
    }

    /// Its subcommands.
    pub fn subcommands(&self) -> &'static [CommandRow] {
        match self.handler {
            Handler::Container(rows) => rows,
            _ => &[],
        }
    }

    /// Its name without that of its container.
    pub fn own_name(&self) -> &'static str {
        self.name.rsplit_once('|').map_or(self.name, |(_, name)| name)
    }
}

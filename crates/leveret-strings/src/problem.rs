//! Why a command was not done, and the error that its client reads.
use leveret_engine::Error;
use leveret_protocol::resp::ReplyWriter;

/// A value that is longer than the database takes.
pub const STRING_TOO_LARGE: &str = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

/// What Redis says when nothing may be evicted. phpredis throws on this prefix.
pub const OUT_OF_MEMORY: &str = "OOM command not allowed when used memory > 'maxmemory'.";

/// A write that met a held lock until its time was over. phpredis throws on this prefix.
pub const BUSY: &str = "BUSY another process holds the lock or the memory that this command needs; it was not done";

/// Why a command was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// As it is told, prefix included.
    Text(&'static str),
    /// The same with words of the request in it.
    Told(Vec<u8>),
    /// `set`: arguments are missing, or too many.
    Arity(&'static str),
    /// `set`: a time that is not one.
    ExpireTime(&'static str),
    /// The engine refused.
    Engine(Error),
    /// The answer is longer than the server sends.
    LongAnswer,
    /// A watched key is not as EXEC has found it: nothing was written.
    Lost,
    /// This program is linked without that part of the command: nothing was done.
    ForOthers,
    /// The rest of a walk is still to be done.
    Unfinished,
}

impl Problem {
    /// `ERR syntax error`.
    pub const SYNTAX: Problem = Problem::Text("ERR syntax error");
    /// What should be a number is none.
    pub const NOT_INTEGER: Problem = Problem::Text("ERR value is not an integer or out of range");
    /// The database's number is too large.
    pub const NO_DATABASE: Problem = Problem::Text("ERR DB index is out of range");

    /// Writes the error.
    #[cold]
    pub fn write(&self, reply: &mut ReplyWriter<'_>) {
        match self {
            Problem::Text(text) => reply.error(text),
            Problem::Told(text) => reply.error_of(&[text]),
            // Wherever it stands, it ends a transaction.
            Problem::Arity("exec") => {
                reply.error("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
            }
            Problem::Arity(name) => {
                reply.error_of(&[b"ERR wrong number of arguments for '", name.as_bytes(), b"' command"]);
            }
            Problem::ExpireTime(name) => {
                reply.error_of(&[b"ERR invalid expire time in '", name.as_bytes(), b"' command"]);
            }
            Problem::Engine(error) => write_engine(reply, error),
            Problem::LongAnswer => reply.error("ERR the answer is longer than this server sends"),
            Problem::Lost => reply.nil_array(),
            Problem::ForOthers => reply.error("ERR not done here"),
            Problem::Unfinished => {}
        }
    }
}

fn write_engine(reply: &mut ReplyWriter<'_>, error: &Error) {
    match error {
        Error::ValueTooLarge { .. } => reply.error(STRING_TOO_LARGE),
        Error::KeyTooLong { .. } => reply.error(&format!("ERR {error}")),
        Error::NoMemory => reply.error(OUT_OF_MEMORY),
        Error::Busy => reply.error(BUSY),
        // The write was not done, which must not look like a miss: a prefix on which clients throw.
        other => reply.error(&format!("MISCONF {other}")),
    }
}

impl From<Error> for Problem {
    #[cold]
    fn from(error: Error) -> Problem {
        Problem::Engine(error)
    }
}

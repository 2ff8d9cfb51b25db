//! Redis' string commands on an arena: a request in, a reply out. No sockets, no threads; the server and the PHP class's
//! short cut both call it, so that bytes and error texts are the same.
//!
//! `find` looks a request's command up in the table and checks its arity; `run` executes it with a `Call`. What only a
//! server can do (AUTH, MULTI, INFO, …) comes back as a `ServerCommand`.
//!
//! ```
//! use leveret_engine::{Arena, OpenOptions};
//! use leveret_protocol::resp::{ArgumentsBuf, ReplyWriter, RespVersion};
//! use leveret_strings::{find, run, Call, OneDatabase, Ran};
//!
//! let (arena, _) = Arena::of_this_process(&OpenOptions::new())?;
//! let (database, mut output) = (OneDatabase(arena), Vec::new());
//! for words in [["SET", "greeting", "hello"].as_slice(), &["GET", "greeting"]] {
//!     let request: ArgumentsBuf = words.iter().collect();
//!     let mut call = Call::new(&database, 0, ReplyWriter::new(&mut output, RespVersion::Two));
//!     let row = find(&request.arguments()).expect("both are served");
//!     assert!(matches!(run(row, &mut call, &request.arguments()), Ran::Done(_)));
//! }
//! assert_eq!(output, b"+OK\r\n$5\r\nhello\r\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod call;
mod clock;
mod command;
mod commands;
mod cursor;
mod decimal;
mod describe;
mod engine_calls;
mod evaluate;
mod expiry;
mod glob;
mod guarded;
mod key_walk;
mod library;
mod options;
mod problem;
mod run;
mod script;
mod table;
mod walk;
mod watch;
mod words;

pub use call::{Call, Databases, Impact, OneDatabase, StoreByHost};
pub use command::{CommandFlags, CommandGroup, CommandRow, Handler, KeyPlaces, Refusing, ScriptCommand, ServerCommand};
pub use glob::matches as glob_matches;
pub use key_walk::KeyWalk;
pub use leveret_engine::EvictionPolicy;
pub use library::{sha1 as script_digest, Scripts};
pub use problem::Problem;
pub use run::{find, keys, run, written_keys, Ran};
pub use table::{is_known, key_command, lookup, rows, KeyCommand};
pub use watch::{WatchGuard, WatchedState};
pub use words::{c_text, database_number};

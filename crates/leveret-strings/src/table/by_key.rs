//! Commands on strings that need only the arena of their keys. A program that uses only these is linked without the others.
//! Commands that return values are left out, since such a program reads the arena itself; so are large, rare commands.
use super::{keyspace, server, strings};
use crate::call::{Answered, Call};
use crate::command::{CommandRow, Handler};
use crate::commands::set;
use crate::problem::Problem;
use leveret_engine::Error;
use leveret_protocol::resp::Arguments;

/// A command whose keys lie in one arena.
pub struct KeyCommand {
    name: &'static str,
    arity: i32,
    handler: fn(&mut Call<'_>, &Arguments<'_>) -> Answered,
}

/// In the order of the alphabet.
const NAMES: [&str; 23] = [
    "decr",
    "decrby",
    "del",
    "exists",
    "expire",
    "expireat",
    "expiretime",
    "incr",
    "incrby",
    "persist",
    "pexpire",
    "pexpireat",
    "pexpiretime",
    "ping",
    "psetex",
    "pttl",
    "set",
    "setex",
    "setnx",
    "touch",
    "ttl",
    "type",
    "unlink",
];

/// No name is longer.
const NAME_MAX: usize = 16;

static COMMANDS: [KeyCommand; NAMES.len()] = picked();

/// The command of that name, in upper or lower case, if it takes `len` words.
#[inline]
pub fn key_command(name: &[u8], len: usize) -> Option<&'static KeyCommand> {
    let mut room = [0; NAME_MAX];
    let lower = room.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let place = COMMANDS.binary_search_by(|command| command.name.as_bytes().cmp(lower)).ok()?;
    let command = &COMMANDS[place];
    let takes =
        if command.arity < 0 { len >= command.arity.unsigned_abs() as usize } else { len == command.arity as usize };
    takes.then_some(command)
}

impl KeyCommand {
    /// Executes a request. False: nothing was done and nothing is written to the reply; a server may still execute it.
    pub fn run(&self, call: &mut Call<'_>, request: &Arguments<'_>) -> bool {
        let begin = call.reply.len();
        call.name = self.name;
        let Err(problem) = (self.handler)(call, request) else { return true };
        call.reply.truncate(begin);
        let is_answer = match &problem {
            Problem::Engine(error) => {
                matches!(error, Error::ValueTooLarge { .. } | Error::KeyTooLong { .. } | Error::NoMemory)
            }
            Problem::LongAnswer | Problem::Lost | Problem::Unfinished | Problem::ForOthers => false,
            _ => true,
        };
        if is_answer {
            problem.write(&mut call.reply);
        }
        is_answer
    }
}

const fn picked() -> [KeyCommand; NAMES.len()] {
    let mut commands = [const { KeyCommand { name: "", arity: 0, handler: nothing } }; NAMES.len()];
    let mut place = 0;
    while place < NAMES.len() {
        let row = row_of(NAMES[place]);
        let Handler::Here(handler) = row.handler else { panic!("a server does it") };
        let handler = if is_same(row.name, "set") { set::set_silently } else { handler };
        commands[place] = KeyCommand { name: row.name, arity: row.arity, handler };
        place += 1;
    }
    commands
}

const fn nothing(_: &mut Call<'_>, _: &Arguments<'_>) -> Answered {
    Err(Problem::SYNTAX)
}

const fn row_of(name: &str) -> CommandRow {
    let families = [strings::ROWS, keyspace::ROWS, server::ROWS];
    let mut family = 0;
    while family < families.len() {
        let rows = families[family];
        let mut place = 0;
        while place < rows.len() {
            if is_same(rows[place].name, name) {
                return rows[place];
            }
            place += 1;
        }
        family += 1;
    }
    panic!("no row has this name")
}

const fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut place = 0;
    while place < left.len() && place < right.len() && left[place] == right[place] {
        place += 1;
    }
    place == left.len() && place == right.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::CommandFlags;
    use crate::table::lookup;

    #[test]
    fn each_is_the_commands_row_and_asks_for_no_gate() {
        assert!(NAMES.is_sorted());
        for name in NAMES {
            let row = lookup(name.as_bytes()).expect("a command");
            assert!(!row.flags.has(CommandFlags::GATE), "{name}");
            for len in 0..6 {
                for name in [name.to_owned(), name.to_uppercase()] {
                    assert_eq!(key_command(name.as_bytes(), len).is_some(), row.takes(len), "{name} {len}");
                }
            }
        }
        for name in
            ["mset", "rename", "info", "flushdb", "keys", "get", "expir", "", "averyveryverylongname", "append\0"]
        {
            assert!((0..6).all(|len| key_command(name.as_bytes(), len).is_none()), "{name}");
        }
    }
}

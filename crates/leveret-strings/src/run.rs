//! From a request to its answer: the row, the arity, the handler.
use crate::call::{Answered, Call, Impact};
use crate::command::{CommandRow, Handler, Refusing, ServerCommand};
use crate::problem::Problem;
use crate::words::c_text;
use crate::{describe, evaluate, guarded, table};
use leveret_engine::Error;
use leveret_protocol::resp::Arguments;

/// Bytes of a name, and of arguments, that an error shows.
const SHOWN: usize = 128;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// It is answered, perhaps with an error.
    Done(Impact),
    /// A lock was held for too long: nothing was answered, and the command may be run again. Callers that do not retry
    /// answer with `Problem::Engine(Error::Busy)`.
    Busy,
    /// The answer is longer than the server sends: nothing is answered, and the connection cannot go on.
    LongAnswer,
    /// The server does it.
    Server(ServerCommand),
    /// In a transaction: a direct writer has changed a watched key since EXEC looked at it. Nothing is written or
    /// answered; only a call with guards ends so.
    Lost,
    /// A piece of a walk is done, and nothing is answered: the command is run again with the same walk.
    Unfinished,
}

/// The command of a request, which has as many arguments as it takes.
#[inline]
pub fn find(request: &Arguments<'_>) -> Result<&'static CommandRow, Problem> {
    let row = table::lookup(request.name()).ok_or_else(|| unknown(request))?;
    match row.handler {
        Handler::Container(rows) if request.len() > 1 => find_subcommand(row, rows, request),
        Handler::Refused(why) => Err(unsupported(row, why)),
        _ if row.takes(request.len()) => Ok(row),
        _ => Err(Problem::Arity(row.name)),
    }
}

/// Executes what `find` has found.
#[inline]
pub fn run(row: &'static CommandRow, call: &mut Call<'_>, request: &Arguments<'_>) -> Ran {
    let begin = call.reply.len();
    call.name = row.name;
    let checked = if call.guards.is_empty() { Ok(()) } else { guarded::expect_all(call) };
    let outcome = match row.handler {
        _ if request.not_kept().too_large.is_some() => too_large(row, call, request),
        Handler::Host(command) => return Ran::Server(command),
        _ if checked.is_err() => checked.map(|()| Impact::None),
        Handler::Here(handler) => handler(call, request),
        Handler::Table(description) => describe::answer(call, request, description),
        Handler::Script(command) => evaluate::answer(call, request, command, table::lookup),
        Handler::Container(_) => describe::answer_alone(call, row),
        Handler::Refused(why) => Err(unsupported(row, why)),
    };
    match outcome {
        Ok(impact) => Ran::Done(impact),
        Err(problem) => failed(call, begin, &problem),
    }
}

/// The keys of a request.
pub fn keys<'r>(row: &CommandRow, request: &Arguments<'r>) -> impl Iterator<Item = &'r [u8]> {
    let request = *request;
    row.keys.of(request.len()).map(move |index| request.get(index))
}

/// Those of them that the command may write; the others it only reads.
pub fn written_keys<'r>(row: &CommandRow, request: &Arguments<'r>) -> impl Iterator<Item = &'r [u8]> {
    let (skipped, most) = match row.name {
        "bitop" => (0, 1),
        "copy" => (1, 1),
        _ => (0, usize::MAX),
    };
    keys(row, request).skip(skipped).take(most)
}

#[cold]
fn failed(call: &mut Call<'_>, begin: usize, problem: &Problem) -> Ran {
    call.reply.truncate(begin);
    match problem {
        Problem::Engine(Error::Busy) => return Ran::Busy,
        Problem::LongAnswer => return Ran::LongAnswer,
        Problem::Lost => return Ran::Lost,
        Problem::Unfinished => return Ran::Unfinished,
        _ => problem.write(&mut call.reply),
    }
    // A set that was refused takes the old item with it.
    match problem {
        Problem::Engine(Error::ValueTooLarge { .. } | Error::NoMemory) => Ran::Done(Impact::Removed),
        _ => Ran::Done(Impact::None),
    }
}

/// An argument was longer than the database takes, and was not kept. As a set of it would, it takes the old value along.
#[cold]
fn too_large(row: &CommandRow, call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (index, len) = request.not_kept().too_large.unwrap_or_default();
    let forgets = match row.name {
        "set" => index == 2 && request.len() == 3,
        "setex" | "psetex" => index == 3,
        "getset" => index == 2,
        _ => false,
    };
    if let Some(arena) = call.arena.filter(|_| forgets) {
        let key = request.get(1);
        match arena.delete(key, call.now) {
            Err(Error::Busy) if call.host.forget_later(call.database, key, call.now) => {}
            deleted => drop(deleted?),
        }
    }
    Err(Problem::Engine(Error::ValueTooLarge { len, max: call.host.value_max() }))
}

fn find_subcommand(
    row: &'static CommandRow,
    rows: &'static [CommandRow],
    request: &Arguments<'_>,
) -> Result<&'static CommandRow, Problem> {
    let name = request.get(1);
    let Some(subcommand) = rows.iter().find(|row| row.own_name().as_bytes().eq_ignore_ascii_case(name)) else {
        let container = row.name.to_ascii_uppercase();
        let shown = shown(name, SHOWN);
        let text = [b"ERR unknown subcommand '", shown, b"'. Try ", container.as_bytes(), b" HELP."].concat();
        return Err(Problem::Told(text));
    };
    match subcommand.handler {
        Handler::Refused(why) => Err(unsupported(subcommand, why)),
        _ if subcommand.takes(request.len()) => Ok(subcommand),
        _ => Err(Problem::Arity(subcommand.name)),
    }
}

#[cold]
fn unknown(request: &Arguments<'_>) -> Problem {
    let mut text = [b"ERR unknown command '", shown(request.name(), SHOWN), b"', with args beginning with: "].concat();
    let mut len = 0;
    for argument in request.iter().skip(1) {
        if len >= SHOWN {
            break;
        }
        let shown = shown(argument, SHOWN - len);
        text.extend_from_slice(&[b"'", shown, b"' "].concat());
        len += shown.len() + 3;
    }
    Problem::Told(text)
}

#[cold]
fn unsupported(row: &CommandRow, why: Refusing) -> Problem {
    let name = row.name.to_ascii_uppercase().replace('|', " ");
    Problem::Told(format!("UNSUPPORTED {name}: {}; see docs/redis.md", why.reason()).into_bytes())
}

/// The front of an argument, up to a zero byte, where C's strings end.
fn shown(argument: &[u8], len_max: usize) -> &[u8] {
    c_text(&argument[..argument.len().min(len_max)])
}

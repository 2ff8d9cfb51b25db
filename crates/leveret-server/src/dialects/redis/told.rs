//! What watchers are told of commands on keys: a look-up of each key, and what became of those that the command may write. It is
//! found by looking before and after, which is done only while somebody watches.
use super::state::{House, PlannedCommand};
use crate::commands::told::{event, tell, ttl_of};
use crate::context::Context;
use crate::watch::{cmd, status, Event, EventKind, Kinds};
use leveret_engine::{Found, ReadOptions, Time};
use leveret_protocol::resp::Arguments;
use leveret_strings::{CommandFlags, CommandGroup, CommandRow, Ran};

/// Leaves no trace, and tells the version.
const EXACT: ReadOptions = ReadOptions::new().untraced().with_cas();

/// A key of a command, as it was before.
struct KeyBefore<'k> {
    database: u32,
    key: &'k [u8],
    found: Option<Found>,
    is_written: bool,
}

/// Runs a command on the selected database, and tells of it.
#[cold]
pub(super) fn run<'r>(
    database: u32,
    cx: &mut Context<'_>,
    command: PlannedCommand<'r>,
    run: impl FnOnce(&mut Context<'_>, PlannedCommand<'r>) -> Ran,
) -> Ran {
    let PlannedCommand { house, row, request, .. } = command;
    let keys = keys_of(cx.now, house, database, row, &request);
    if !cx.is_again.get() {
        keys.iter().for_each(|key| tell_look(cx, key));
    }
    let begin = cx.output.len();
    let ran = run(cx, command);
    if let Ran::Done(_) = ran {
        let answer = cx.output.get(begin..).unwrap_or_default();
        let refused = refused(answer, row);
        keys.iter().filter(|key| key.is_written).for_each(|key| tell_change(cx, house, row, key, refused));
    }
    ran
}

fn keys_of<'r>(
    now: Time,
    house: House<'_>,
    database: u32,
    row: &CommandRow,
    request: &Arguments<'r>,
) -> Vec<KeyBefore<'r>> {
    let writes = row.flags.has(CommandFlags::WRITE) || row.group == CommandGroup::Scripting;
    let mut keys: Vec<(u32, &'r [u8])> = match row.group {
        CommandGroup::Scripting => script_keys(request).map(|key| (database, key)).collect(),
        _ => leveret_strings::keys(row, request).map(|key| (database, key)).collect(),
    };
    let mut written: Vec<(u32, &'r [u8])> = match row.group {
        _ if !writes => Vec::new(),
        CommandGroup::Scripting => keys.clone(),
        _ => leveret_strings::written_keys(row, request).map(|key| (database, key)).collect(),
    };
    if let Some(target) = target_database(house, row, request) {
        // MOVE writes the same key there, COPY its last one there alone.
        let there: Vec<_> = written.iter().map(|(_, key)| (target, *key)).collect();
        if row.name == "copy" {
            written.clear();
            keys.pop();
        }
        keys.extend(&there);
        written.extend(there);
    }
    keys.dedup();
    let before = |(database, key)| KeyBefore {
        database,
        key,
        found: look(now, house, database, key),
        is_written: written.contains(&(database, key)),
    };
    keys.into_iter().map(before).collect()
}

/// The database that a command writes into, if the request names one.
pub(super) fn target_database(house: House<'_>, row: &CommandRow, request: &Arguments<'_>) -> Option<u32> {
    let number = |at: usize| leveret_strings::database_number(request.get(at), house.redis.databases.count()).ok();
    match row.name {
        "move" => number(2),
        "copy" => {
            (3..request.len()).find(|at| request.get(*at).eq_ignore_ascii_case(b"db")).and_then(|at| number(at + 1))
        }
        _ => None,
    }
}

/// EVAL and EVALSHA tell how many of their words are keys.
fn script_keys<'r>(request: &Arguments<'r>) -> impl Iterator<Item = &'r [u8]> {
    let count = match request.len() {
        0..=3 => 0,
        _ => std::str::from_utf8(request.get(2)).ok().and_then(|count| count.parse().ok()).unwrap_or(0),
    };
    let request = *request;
    (3..request.len()).take(count).map(move |index| request.get(index))
}

fn look(now: Time, house: House<'_>, database: u32, key: &[u8]) -> Option<Found> {
    house.worker.database(database)?.find_with(key, EXACT, now).ok().flatten()
}

fn tell_look(cx: &Context<'_>, key: &KeyBefore<'_>) {
    if !cx.watched.has(Kinds::FETCHERS) {
        return;
    }
    let (status, size) = match &key.found {
        Some(found) => (status::FOUND, found.value_len),
        None => (status::NOT_FOUND, 0),
    };
    tell(cx, &Event { status, size, cfd: cx.cfd, database: key.database as u8, ..event(EventKind::Get, key.key) });
}

/// Tells of a key that was made, changed or removed; where it was not, perhaps why.
fn tell_change(cx: &Context<'_>, house: House<'_>, row: &CommandRow, key: &KeyBefore<'_>, refused: Option<u8>) {
    let after = look(cx.now, house, key.database, key.key);
    let version = |found: &Option<Found>| found.as_ref().map(|found| (found.cas, found.deadline));
    let base = Event { cfd: cx.cfd, database: key.database as u8, ..event(EventKind::Store, key.key) };
    if version(&key.found) != version(&after) {
        match (&key.found, &after) {
            (Some(found), None) if cx.watched.has(Kinds::DELETIONS) => {
                let cfd = 0;
                tell(cx, &Event { kind: EventKind::Deleted, cmd: cmd::DELETE, size: found.value_len, cfd, ..base });
            }
            (_, Some(found)) if cx.watched.has(Kinds::MUTATIONS) => {
                let ttl = ttl_of(found.deadline, cx.now);
                let event = Event { status: status::STORED, cmd: cmd_of(row), size: found.value_len, ttl, ..base };
                tell(cx, &event);
            }
            _ => {}
        }
    } else if let (Some(status), true) = (refused, cx.watched.has(Kinds::MUTATIONS)) {
        tell(cx, &Event { status, cmd: cmd_of(row), ..base });
    }
}

/// Why a store was not done, as the answer tells it.
fn refused(answer: &[u8], row: &CommandRow) -> Option<u8> {
    match answer {
        answer if answer.starts_with(b"-OOM ") => Some(status::NO_MEMORY),
        answer if answer.starts_with(b"-ERR string exceeds") => Some(status::TOO_LARGE),
        answer if answer.starts_with(b"-") => None,
        _ => {
            matches!(row.name, "set" | "setnx" | "msetnx" | "renamenx" | "copy" | "move").then_some(status::NOT_STORED)
        }
    }
}

fn cmd_of(row: &CommandRow) -> u8 {
    match row.name {
        "append" => cmd::APPEND,
        "setnx" | "msetnx" | "renamenx" => cmd::ADD,
        _ => cmd::SET,
    }
}

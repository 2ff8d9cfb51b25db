//! COMMAND and ACL CAT: the table, for clients. Only implemented commands are listed.
use crate::call::{Answered, Call, Impact};
use crate::command::{CommandFlags, CommandRow, Description, KeyPlaces};
use crate::glob;
use crate::problem::Problem;
use crate::table::{lookup, rows};
use crate::words::is_word;
use leveret_protocol::resp::{Arguments, ReplyWriter};

/// ACL categories that Redis knows.
const CATEGORIES: [&str; 21] = [
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

/// Answers a question about the table.
pub fn answer(call: &mut Call<'_>, request: &Arguments<'_>, description: Description) -> Answered {
    let reply = &mut call.reply;
    match description {
        Description::All => all(reply),
        Description::Count => reply.count(served().count()),
        Description::Info if request.len() == 2 => all(reply),
        Description::Info => {
            reply.array(request.len() - 2);
            request.iter().skip(2).for_each(|name| match named(name) {
                Some(row) => info(reply, row),
                None => reply.nil(),
            });
        }
        Description::Docs => {
            let rows: Vec<_> = match request.len() {
                2 => served().collect(),
                _ => request.iter().skip(2).filter_map(named).collect(),
            };
            reply.map(rows.len());
            rows.iter().for_each(|row| docs(reply, row));
        }
        Description::List => list(reply, request)?,
        Description::GetKeys => get_keys(reply, request, false)?,
        Description::GetKeysAndFlags => get_keys(reply, request, true)?,
        Description::Help => help(reply),
        Description::Categories => categories(reply, request)?,
    }
    Ok(Impact::None)
}

/// A container's name alone: `COMMAND`.
pub fn answer_alone(call: &mut Call<'_>, row: &'static CommandRow) -> Answered {
    if row.name != "command" {
        return Err(Problem::Arity(row.name));
    }
    all(&mut call.reply);
    Ok(Impact::None)
}

fn served() -> impl Iterator<Item = &'static CommandRow> {
    rows().filter(|row| row.is_served())
}

/// A command, or a subcommand as `object|encoding`.
fn named(name: &[u8]) -> Option<&'static CommandRow> {
    let container = name.split(|byte| *byte == b'|').next()?;
    let row = lookup(container).filter(|row| row.is_served())?;
    if container.len() == name.len() {
        return Some(row);
    }
    row.subcommands().iter().find(|row| row.is_served() && row.name.as_bytes().eq_ignore_ascii_case(name))
}

fn subcommands(row: &CommandRow) -> impl Iterator<Item = &'static CommandRow> {
    row.subcommands().iter().filter(|row| row.is_served())
}

fn all(reply: &mut ReplyWriter<'_>) {
    reply.array(served().count());
    served().for_each(|row| info(reply, row));
}

fn info(reply: &mut ReplyWriter<'_>, row: &CommandRow) {
    reply.array(10);
    reply.bulk(row.name.as_bytes());
    reply.integer(i64::from(row.arity));
    reply.set(row.flags.names().count());
    row.flags.names().for_each(|name| reply.simple(name));
    let KeyPlaces { first, last, step } = row.keys;
    [i64::from(first), i64::from(last), i64::from(step)].into_iter().for_each(|number| reply.integer(number));
    reply.set(categories_of(row).count());
    categories_of(row).for_each(|name| reply.simple(&format!("@{name}")));
    // Tips for proxies: none.
    reply.array(0);
    match row.keys {
        KeyPlaces::NONE => reply.array(0),
        keys => {
            reply.array(1);
            key_places(reply, row, keys);
        }
    }
    reply.array(subcommands(row).count());
    subcommands(row).for_each(|row| info(reply, row));
}

fn key_places(reply: &mut ReplyWriter<'_>, row: &CommandRow, keys: KeyPlaces) {
    reply.map(3);
    reply.bulk(b"flags");
    key_flags(reply, row);
    for (name, kind, facts) in [
        ("begin_search", "index", [("index", i64::from(keys.first)), ("", 0), ("", 0)]),
        ("find_keys", "range", {
            // Counted from the first key.
            let last = if keys.last < 0 { i64::from(keys.last) } else { i64::from(keys.last) - i64::from(keys.first) };
            [("lastkey", last), ("keystep", i64::from(keys.step)), ("limit", 0)]
        }),
    ] {
        reply.bulk(name.as_bytes());
        reply.map(2);
        reply.bulk(b"type");
        reply.bulk(kind.as_bytes());
        reply.bulk(b"spec");
        let facts: Vec<_> = facts.iter().filter(|(name, _)| !name.is_empty()).collect();
        reply.map(facts.len());
        for (name, number) in facts {
            reply.bulk(name.as_bytes());
            reply.integer(*number);
        }
    }
}

fn key_flags(reply: &mut ReplyWriter<'_>, row: &CommandRow) {
    let flags = if row.flags.has(CommandFlags::WRITE) { ["RW", "update"] } else { ["RO", "access"] };
    reply.set(flags.len());
    flags.into_iter().for_each(|flag| reply.simple(flag));
}

fn docs(reply: &mut ReplyWriter<'_>, row: &CommandRow) {
    reply.bulk(row.name.as_bytes());
    let subcommands: Vec<_> = subcommands(row).collect();
    reply.map(3 + usize::from(!subcommands.is_empty()));
    for (name, text) in [("summary", row.summary), ("since", row.since), ("group", row.group.name())] {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    if !subcommands.is_empty() {
        reply.bulk(b"subcommands");
        reply.map(subcommands.len());
        subcommands.iter().for_each(|row| docs(reply, row));
    }
}

fn list(reply: &mut ReplyWriter<'_>, request: &Arguments<'_>) -> Result<(), Problem> {
    let with_subcommands = || served().flat_map(|row| std::iter::once(row).chain(subcommands(row)));
    let names: Vec<&str> = match request.len() {
        2 => served().map(|row| row.name).collect(),
        5 if is_word(request.get(2), "FILTERBY") => {
            let filter = request.get(4);
            match request.get(3) {
                word if is_word(word, "MODULE") => Vec::new(),
                word if is_word(word, "ACLCAT") => with_subcommands()
                    .filter(|row| categories_of(row).any(|name| is_word(filter, name)))
                    .map(|row| row.name)
                    .collect(),
                word if is_word(word, "PATTERN") => with_subcommands()
                    .filter(|row| glob::matches_word(filter, row.name.as_bytes()))
                    .map(|row| row.name)
                    .collect(),
                _ => return Err(Problem::SYNTAX),
            }
        }
        _ => return Err(Problem::SYNTAX),
    };
    reply.array(names.len());
    names.iter().for_each(|name| reply.bulk(name.as_bytes()));
    Ok(())
}

fn get_keys(reply: &mut ReplyWriter<'_>, request: &Arguments<'_>, with_flags: bool) -> Result<(), Problem> {
    let asked = request.skip(2);
    let row = lookup(asked.name()).filter(|row| row.is_served());
    let row = row.ok_or(Problem::Text("ERR Invalid command specified"))?;
    let row = subcommands(row).find(|row| row.own_name().as_bytes().eq_ignore_ascii_case(asked.get(1))).unwrap_or(row);
    let has_keys = row.keys != KeyPlaces::NONE || row.flags.has(CommandFlags::MOVABLE_KEYS);
    if !has_keys {
        return Err(Problem::Text("ERR The command has no key arguments"));
    }
    if !row.takes(asked.len()) {
        return Err(Problem::Text("ERR Invalid number of arguments specified for command"));
    }
    let places = match row.flags.has(CommandFlags::MOVABLE_KEYS) {
        true => places_by_count(&asked).ok_or(Problem::Text("ERR Invalid arguments specified for command"))?,
        false => row.keys.of(asked.len()).collect(),
    };
    reply.array(places.len());
    for place in places {
        if with_flags {
            reply.array(2);
        }
        reply.bulk(asked.get(place));
        if with_flags {
            key_flags(reply, row);
        }
    }
    Ok(())
}

/// Of EVAL: as many keys as the third argument says.
fn places_by_count(request: &Arguments<'_>) -> Option<Vec<usize>> {
    let count = leveret_protocol::resp::parse_integer(request.get(2))?;
    let count = usize::try_from(count).ok().filter(|count| *count <= request.len() - 3)?;
    Some((3..3 + count).collect())
}

/// With those that follow from the flags, as in Redis.
fn categories_of(row: &CommandRow) -> impl Iterator<Item = &'static str> {
    let (flags, own) = (row.flags, row.categories);
    CATEGORIES.into_iter().filter(move |name| {
        own.split(' ').any(|own| own == *name)
            || match *name {
                "write" => flags.has(CommandFlags::WRITE),
                "read" => flags.has(CommandFlags::READONLY) && !own.contains("scripting"),
                "admin" | "dangerous" => flags.has(CommandFlags::ADMIN),
                "fast" => flags.has(CommandFlags::FAST),
                "slow" => !flags.has(CommandFlags::FAST),
                _ => false,
            }
    })
}

fn categories(reply: &mut ReplyWriter<'_>, request: &Arguments<'_>) -> Result<(), Problem> {
    let names: Vec<&str> = match request.len() {
        2 => CATEGORIES.to_vec(),
        3 => {
            let category = request.get(2);
            if !CATEGORIES.iter().any(|name| is_word(category, name)) {
                return Err(Problem::Told([b"ERR Unknown category '", category, b"'"].concat()));
            }
            let all = served().flat_map(|row| std::iter::once(row).chain(subcommands(row)));
            all.filter(|row| categories_of(row).any(|name| is_word(category, name))).map(|row| row.name).collect()
        }
        _ => return Err(Problem::Arity("acl|cat")),
    };
    reply.array(names.len());
    names.iter().for_each(|name| reply.bulk(name.as_bytes()));
    Ok(())
}

fn help(reply: &mut ReplyWriter<'_>) {
    reply.help(
        "COMMAND",
        &[
            "(no subcommand)",
            "    Describe all commands.",
            "COUNT",
            "    Count the commands.",
            "DOCS [<command-name> ...]",
            "    Describe commands for people.",
            "GETKEYS <full-command>",
            "    List the keys of a request.",
            "GETKEYSANDFLAGS <full-command>",
            "    List the keys of a request, and what is done to them.",
            "INFO [<command-name> ...]",
            "    Describe commands for programs.",
            "LIST [FILTERBY <MODULE <name>|ACLCAT <category>|PATTERN <pattern>>]",
            "    Name the commands.",
        ],
    );
}

//! Commands on keys with any value, and on databases.
use super::row::{row, ALL, DENY_OOM, FAST, GATE, LOADING, NONE, ONE, READONLY, SECOND, STALE, TWO, WALK, WRITE};
use crate::command::CommandGroup::{Generic, Server};
use crate::command::CommandRow;
use crate::command::Handler::{Container, Here};
use crate::commands::{delete, expire, keyspace, moving, object, ttl};

#[rustfmt::skip]
pub(super) const ROWS: &[CommandRow] = &[
    row("copy", -3, &[WRITE, DENY_OOM, GATE], TWO, "keyspace", "6.2.0", Generic, Here(moving::copy), "Copies a value to another key or database."),
    row("dbsize", 1, &[READONLY, FAST], NONE, "keyspace", "1.0.0", Server, Here(keyspace::dbsize), "Counts the keys of the database."),
    row("del", -2, &[WRITE], ALL, "keyspace", "1.0.0", Generic, Here(delete::delete), "Deletes keys."),
    row("exists", -2, &[READONLY, FAST], ALL, "keyspace", "1.0.0", Generic, Here(delete::exists), "Counts which of the keys are there."),
    row("expire", -3, &[WRITE, FAST], ONE, "keyspace", "1.0.0", Generic, Here(expire::expire), "Gives a key some seconds to live."),
    row("expireat", -3, &[WRITE, FAST], ONE, "keyspace", "1.2.0", Generic, Here(expire::expireat), "Gives a key a deadline in Unix seconds."),
    row("expiretime", 2, &[READONLY, FAST], ONE, "keyspace", "7.0.0", Generic, Here(ttl::expiretime), "Returns the deadline of a key in Unix seconds."),
    row("flushall", -1, &[WRITE], NONE, "keyspace dangerous", "1.0.0", Server, Here(keyspace::flushall), "Deletes the keys of all databases."),
    row("flushdb", -1, &[WRITE], NONE, "keyspace dangerous", "1.0.0", Server, Here(keyspace::flushdb), "Deletes the keys of the database."),
    row("keys", 2, &[READONLY, WALK], NONE, "keyspace dangerous", "1.0.0", Generic, Here(keyspace::keys), "Lists the keys that match a pattern."),
    row("move", 3, &[WRITE, FAST, GATE], ONE, "keyspace", "1.0.0", Generic, Here(moving::move_key), "Moves a key to another database."),
    row("object", -2, &[], NONE, "", "2.2.3", Generic, Container(OBJECT), "Looks into the server about a key."),
    row("persist", 2, &[WRITE, FAST], ONE, "keyspace", "2.2.0", Generic, Here(expire::persist), "Takes the deadline from a key."),
    row("pexpire", -3, &[WRITE, FAST], ONE, "keyspace", "2.6.0", Generic, Here(expire::pexpire), "Gives a key some milliseconds to live."),
    row("pexpireat", -3, &[WRITE, FAST], ONE, "keyspace", "2.6.0", Generic, Here(expire::pexpireat), "Gives a key a deadline in Unix milliseconds."),
    row("pexpiretime", 2, &[READONLY, FAST], ONE, "keyspace", "7.0.0", Generic, Here(ttl::pexpiretime), "Returns the deadline of a key in Unix milliseconds."),
    row("pttl", 2, &[READONLY, FAST], ONE, "keyspace", "2.6.0", Generic, Here(ttl::pttl), "Returns the milliseconds until a key expires."),
    row("randomkey", 1, &[READONLY], NONE, "keyspace", "1.0.0", Generic, Here(keyspace::randomkey), "Names any key."),
    row("rename", 3, &[WRITE, GATE], TWO, "keyspace", "1.0.0", Generic, Here(moving::rename), "Gives a value another key."),
    row("renamenx", 3, &[WRITE, FAST, GATE], TWO, "keyspace", "1.0.0", Generic, Here(moving::renamenx), "Gives a value another key if nothing is there."),
    row("scan", -2, &[READONLY], NONE, "keyspace", "2.8.0", Generic, Here(keyspace::scan), "Lists keys step by step."),
    row("touch", -2, &[READONLY, FAST], ALL, "keyspace", "3.2.1", Generic, Here(delete::touch), "Marks keys as used."),
    row("ttl", 2, &[READONLY, FAST], ONE, "keyspace", "1.0.0", Generic, Here(ttl::ttl), "Returns the seconds until a key expires."),
    row("type", 2, &[READONLY, FAST], ONE, "keyspace", "1.0.0", Generic, Here(delete::type_of), "Returns the type of a value."),
    row("unlink", -2, &[WRITE, FAST], ALL, "keyspace", "4.0.0", Generic, Here(delete::delete), "Deletes keys."),
];

#[rustfmt::skip]
const OBJECT: &[CommandRow] = &[
    row("object|encoding", 3, &[READONLY], SECOND, "keyspace", "2.2.3", Generic, Here(object::encoding), "Returns how Redis would encode a value."),
    row("object|freq", 3, &[READONLY], SECOND, "keyspace", "4.0.0", Generic, Here(object::freq), "Returns how often a key was read."),
    row("object|help", 2, &[LOADING, STALE], NONE, "keyspace", "6.2.0", Generic, Here(object::help), "Lists the subcommands."),
    row("object|idletime", 3, &[READONLY], SECOND, "keyspace", "2.2.3", Generic, Here(object::idletime), "Returns the seconds since a key was written."),
    row("object|refcount", 3, &[READONLY], SECOND, "keyspace", "2.2.3", Generic, Here(object::refcount), "Answers 1."),
];

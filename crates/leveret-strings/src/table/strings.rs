//! Commands on one string, or on many.
use super::row::{row, ALL, DENY_OOM, FAST, GATE, ONE, PAIRS, READONLY, TWO, WRITE};
use crate::command::CommandGroup::String;
use crate::command::CommandRow;
use crate::command::Handler::Here;
use crate::commands::{count, edit, get, lcs, many, set};

#[rustfmt::skip]
pub(super) const ROWS: &[CommandRow] = &[
    row("append", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "2.0.0", String, Here(edit::append), "Appends bytes to a value, which is made if there is none."),
    row("decr", 2, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(count::decr), "Takes one from a number."),
    row("decrby", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(count::decrby), "Takes a number from a number."),
    row("get", 2, &[READONLY, FAST], ONE, "string", "1.0.0", String, Here(get::get), "Reads a value."),
    row("getdel", 2, &[WRITE, FAST], ONE, "string", "6.2.0", String, Here(get::getdel), "Reads a value and deletes its key."),
    row("getex", -2, &[WRITE, FAST], ONE, "string", "6.2.0", String, Here(get::getex), "Reads a value and changes its deadline."),
    row("getrange", 4, &[READONLY], ONE, "string", "2.4.0", String, Here(get::getrange), "Reads a part of a value."),
    row("getset", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(set::getset), "Stores a value and answers the old one."),
    row("incr", 2, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(count::incr), "Adds one to a number."),
    row("incrby", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(count::incrby), "Adds a number to a number."),
    row("incrbyfloat", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "2.6.0", String, Here(count::incrbyfloat), "Adds a decimal fraction to a number."),
    row("lcs", -3, &[READONLY], TWO, "string", "7.0.0", String, Here(lcs::lcs), "Finds the longest common subsequence of two values."),
    row("mget", -2, &[READONLY, FAST], ALL, "string", "1.0.0", String, Here(get::mget), "Reads many values."),
    row("mset", -3, &[WRITE, DENY_OOM, GATE], PAIRS, "string", "1.0.1", String, Here(many::mset), "Stores many values."),
    row("msetnx", -3, &[WRITE, DENY_OOM, GATE], PAIRS, "string", "1.0.1", String, Here(many::msetnx), "Stores many values if none of the keys is there."),
    row("psetex", 4, &[WRITE, DENY_OOM], ONE, "string", "2.6.0", String, Here(set::psetex), "Stores a value that lives for some milliseconds."),
    row("set", -3, &[WRITE, DENY_OOM], ONE, "string", "1.0.0", String, Here(set::set), "Stores a value, on terms."),
    row("setex", 4, &[WRITE, DENY_OOM], ONE, "string", "2.0.0", String, Here(set::setex), "Stores a value that lives for some seconds."),
    row("setnx", 3, &[WRITE, DENY_OOM, FAST], ONE, "string", "1.0.0", String, Here(set::setnx), "Stores a value if there is none."),
    row("setrange", 4, &[WRITE, DENY_OOM], ONE, "string", "2.2.0", String, Here(edit::setrange), "Overwrites a part of a value."),
    row("strlen", 2, &[READONLY, FAST], ONE, "string", "2.2.0", String, Here(get::strlen), "Returns the length of a value."),
    row("substr", 4, &[READONLY], ONE, "string", "1.0.0", String, Here(get::getrange), "Reads a part of a value. The older name of GETRANGE."),
];

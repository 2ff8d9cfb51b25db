//! How rows are written down.
use crate::command::{CommandFlags, CommandGroup, CommandRow, Handler, KeyPlaces, Refusing};

macro_rules! short {
    ($type:ident: $($name:ident)*) => {
        $(pub(super) const $name: $type = $type::$name;)*
    };
}

short!(CommandFlags: WRITE READONLY DENY_OOM ADMIN NO_SCRIPT LOADING STALE SKIP_MONITOR SKIP_SLOWLOG FAST NO_AUTH
    NO_MANDATORY_KEYS MOVABLE_KEYS ALLOW_BUSY GATE WALK);
short!(KeyPlaces: NONE ONE TWO ALL PAIRS SECOND BEHIND_FIRST);

/// A row, with its parts in the order of COMMAND INFO.
#[allow(clippy::too_many_arguments)]
pub(super) const fn row(
    name: &'static str,
    arity: i32,
    flags: &[CommandFlags],
    keys: KeyPlaces,
    categories: &'static str,
    since: &'static str,
    group: CommandGroup,
    handler: Handler,
    summary: &'static str,
) -> CommandRow {
    let mut all = CommandFlags::NONE;
    let mut index = 0;
    while index < flags.len() {
        all = all.with(flags[index]);
        index += 1;
    }
    CommandRow { name, arity, flags: all, keys, categories, since, group, summary, handler }
}

/// A command of Redis that is not served.
pub(super) const fn refused(name: &'static str, why: Refusing) -> CommandRow {
    row(name, -1, &[], NONE, "", "", CommandGroup::Unsupported, Handler::Refused(why), "")
}

/// One that no transaction may have.
pub(super) const fn refused_apart(name: &'static str, why: Refusing) -> CommandRow {
    row(name, -1, &[CommandFlags::NO_MULTI], NONE, "", "", CommandGroup::Unsupported, Handler::Refused(why), "")
}

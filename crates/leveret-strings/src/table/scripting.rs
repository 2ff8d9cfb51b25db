//! Commands that evaluate scripts.
use super::row::{
    row, ALLOW_BUSY, LOADING, MOVABLE_KEYS, NONE, NO_MANDATORY_KEYS, NO_SCRIPT, READONLY, SKIP_MONITOR, STALE, WALK,
};
use crate::command::CommandGroup::Scripting;
use crate::command::Handler::{Container, Refused, Script};
use crate::command::{CommandRow, Refusing, ScriptCommand};

#[rustfmt::skip]
pub(super) const ROWS: &[CommandRow] = &[
    row("eval", -3, &[WALK, NO_SCRIPT, SKIP_MONITOR, NO_MANDATORY_KEYS, STALE, MOVABLE_KEYS], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::Eval), "Evaluates a script on one string key."),
    row("eval_ro", -3, &[WALK, NO_SCRIPT, SKIP_MONITOR, NO_MANDATORY_KEYS, STALE, READONLY, MOVABLE_KEYS], NONE, "scripting", "7.0.0", Scripting, Script(ScriptCommand::EvalReadOnly), "Evaluates a script that only reads."),
    row("evalsha", -3, &[WALK, NO_SCRIPT, SKIP_MONITOR, NO_MANDATORY_KEYS, STALE, MOVABLE_KEYS], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::EvalSha), "Evaluates a script by the SHA1 of its text."),
    row("evalsha_ro", -3, &[WALK, NO_SCRIPT, SKIP_MONITOR, NO_MANDATORY_KEYS, STALE, READONLY, MOVABLE_KEYS], NONE, "scripting", "7.0.0", Scripting, Script(ScriptCommand::EvalShaReadOnly), "Evaluates a script that only reads by its SHA1."),
    row("script", -2, &[], NONE, "", "2.6.0", Scripting, Container(SCRIPT), "Keeps scripts."),
];

#[rustfmt::skip]
const SCRIPT: &[CommandRow] = &[
    row("script|debug", 3, &[NO_SCRIPT], NONE, "scripting", "3.2.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("script|exists", -3, &[NO_SCRIPT], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::Exists), "Returns which scripts are known by their SHA1."),
    row("script|flush", -2, &[NO_SCRIPT], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::Flush), "Forgets the scripts that were loaded."),
    row("script|help", 2, &[LOADING, STALE], NONE, "scripting", "5.0.0", Scripting, Script(ScriptCommand::Help), "Lists the subcommands."),
    row("script|kill", 2, &[NO_SCRIPT, ALLOW_BUSY], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::Kill), "Answers that no script runs."),
    row("script|load", 3, &[NO_SCRIPT, STALE], NONE, "scripting", "2.6.0", Scripting, Script(ScriptCommand::Load), "Keeps a script by its SHA1."),
];

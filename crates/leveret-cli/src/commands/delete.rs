//! `leveret delete`: removes items.
use crate::json;
use crate::output::{self, CommandResult};
use crate::target::{self, TargetArgs};
use clap::Args;
use leveret_engine::Time;
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;

/// Delete items
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DeleteArgs {
    /// The keys
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<OsString>,

    /// The keys are URI-encoded, as 'leveret keys' prints them
    #[arg(long, short)]
    encoded: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret delete greeting
  leveret delete --arena apcu user:7 user:8
  leveret keys | sed -n 's/^key=\\(user%3A[^ ]*\\).*/\\1/p' | xargs -r leveret delete --encoded

Exit codes: 0 every key exists; 1 a key is missing; 3 cannot reach the arena.";

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    deleted: bool,
}

impl DeleteArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let keys = self.keys.into_iter().map(|key| target::key(key, self.encoded)).collect::<Result<Vec<_>, _>>()?;
        let arena = target.open()?;
        let mut out = output::raw();
        let mut missed = false;
        for key in &keys {
            let deleted = arena.delete(key, Time::now())?;
            missed |= !deleted;
            if as_json {
                output::json_line(&mut out, &Line { key: json::key(key), deleted })?;
            } else if !deleted {
                output::say_miss(key);
            }
        }
        out.flush()?;
        Ok((!missed).into())
    }
}

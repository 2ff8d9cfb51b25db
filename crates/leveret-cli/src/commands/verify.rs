//! `leveret verify`: the engine looks at every structure of an arena.
use crate::output::{self, CommandResult, LongWork, BAD, GOOD};
use crate::target::TargetArgs;
use crate::units;
use clap::Args;
use serde::Serialize;
use std::io::Write;

/// Check every structure of an arena; writers wait briefly, readers do not
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {}

const EXAMPLES: &str = "\
Examples:
  leveret verify
  leveret verify --arena apcu --json

Exit codes: 0 sound; 1 problems were found; 3 cannot reach the arena.";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    sound: bool,
    items: u64,
    problem_count: u64,
    /// The first hundred.
    problems: &'a [String],
}

impl VerifyArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let arena = target.open()?;
        let progress = LongWork::of("looking at every item");
        let report = arena.verify();
        drop(progress);
        let (sound, path) = (report.is_clean(), arena.path().display());
        if json {
            let mut out = output::raw();
            let line = Line {
                arena: &path.to_string(),
                sound,
                items: report.items,
                problem_count: report.problem_count,
                problems: &report.problems,
            };
            output::json_line(&mut out, &line)?;
            out.flush()?;
            return Ok(sound.into());
        }
        let mut out = output::text();
        for problem in &report.problems {
            writeln!(out, "{BAD}problem{BAD:#} {problem}")?;
        }
        let items = units::counted(report.items, "item");
        if sound {
            writeln!(out, "{GOOD}sound{GOOD:#}: {items} in {path}")?;
        } else {
            writeln!(out, "{}, {items} in {path}", units::counted(report.problem_count, "problem"))?;
            writeln!(out, "Should they be there again on a second look, please report them. 'leveret rm --force' makes all users begin with an empty arena.")?;
        }
        Ok(sound.into())
    }
}

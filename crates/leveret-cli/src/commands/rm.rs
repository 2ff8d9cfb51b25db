//! `leveret rm`: removes an arena's file.
use crate::output::{self, CommandResult, Exit, Failure};
use crate::target::{self, TargetArgs};
use crate::units::thousands;
use crate::users;
use clap::Args;
use leveret_engine::OpenError;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Remove arenas: their files, and with them all items
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RmArgs {
    /// The arenas: names, arena:NAME, or paths ending in .arena
    #[arg(value_name = "ARENA", conflicts_with = "arena")]
    named: Vec<String>,

    /// Also if processes use it or it cannot be opened. They notice at their next request and create a new one. The
    /// memory is freed when the last one has noticed: restart PHP to free it at once
    #[arg(long, short)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret rm pages
  leveret rm shop mail                      both, or none if one is missing or in use
  leveret rm default --force                then the next process creates it again, with its own size

Exit codes: 0 removed; 1 it is in use, nothing was removed; 3 there is no such arena.";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    removed: bool,
}

impl RmArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let names: Vec<&str> = self.named.iter().map(String::as_str).chain(target.arena.as_deref()).collect();
        if names.is_empty() {
            return Err(Failure::Usage("which arena? 'leveret rm NAME'; 'leveret list' shows the names".to_owned()));
        }
        let mut paths = Vec::new();
        for name in names {
            let path = target::resolve(name, target.dir())?;
            if let Err(error) = std::fs::symlink_metadata(&path) {
                if error.kind() == std::io::ErrorKind::NotFound {
                    return Err(OpenError::Missing(path).into());
                }
            }
            if !self.force {
                refuse_if_used(&path)?;
            }
            // The same arena by two names is removed once.
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths.iter().try_for_each(|path| self.remove(path, json))?;
        Ok(Exit::Yes)
    }

    fn remove(&self, path: &Path, json: bool) -> Result<(), Failure> {
        let left = if self.force { target::attach(path, None).map_or(0, |arena| arena.stats().attached) } else { 0 };
        leveret_engine::remove(path)?;
        if left > 0 && !json {
            let whose = if left == 1 {
                "A process has".to_owned()
            } else {
                format!("{} processes have", thousands(left.into()))
            };
            writeln!(
                std::io::stderr(),
                "{whose} {} still open: its memory is freed when they have noticed, each at its next request, or ended",
                path.display()
            )?;
        }
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &Line { arena: &path.to_string_lossy(), removed: true })?;
            out.flush()?;
        }
        Ok(())
    }
}

fn refuse_if_used(path: &Path) -> Result<(), Failure> {
    let arena = match target::attach(path, None) {
        Ok(arena) => arena,
        // Its file exists but is from an earlier boot, so it is not in use.
        Err(leveret_place::PlaceError::Open(OpenError::Missing(_))) => return Ok(()),
        Err(error) => {
            return Err(Failure::Refused(format!(
                "cannot check whether {} is in use: {error}. To remove it anyway: --force",
                path.display()
            )))
        }
    };
    let named = users::programs(&arena.attached_pids()).map_or(String::new(), |named| format!(" ({named})"));
    match arena.stats().attached {
        0 => Ok(()),
        1 => Err(Failure::Refused(format!("a process uses {}{named}: stop it first, or add --force", path.display()))),
        count => Err(Failure::Refused(format!(
            "{} processes use {}{named}: stop them first, or add --force",
            thousands(count.into()),
            path.display()
        ))),
    }
}

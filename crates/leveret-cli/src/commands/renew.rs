//! `leveret renew`: a new, empty arena in the place of one.
use crate::output::{self, CommandResult, Exit, Failure};
use crate::target::{self, TargetArgs};
use crate::units::{self, thousands};
use clap::Args;
use leveret_engine::{OpenOptions, LAYOUT_VERSION};
use serde::Serialize;
use std::io::Write;

/// Replace an arena by a new, empty one, with this version's layout or another size
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RenewArgs {
    /// The arena: a name, arena:NAME, or a path that ends in .arena
    #[arg(value_name = "ARENA")]
    named: Option<String>,

    /// Its new size: 64M, 2G, or bytes [default: its present size]
    #[arg(value_name = "SIZE", value_parser = units::parse_size)]
    size: Option<u64>,
}

const EXAMPLES: &str = "\
All items are lost. Processes that use the arena notice at their next request and use the new one. Processes of an older
Leveret that cannot read its layout work without a cache until they are restarted.

Examples:
  leveret renew pages                       after an upgrade, for features of the new layout
  leveret renew pages 512M                  with more memory

Exit codes: 0 renewed; 3 there is no such arena, or it cannot be replaced.";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    layout: u32,
    memory: u64,
    attached: u32,
}

impl RenewArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let Some(name) = self.named.as_deref().or(target.arena.as_deref()) else {
            return Err(Failure::Usage("which arena? 'leveret renew NAME'; 'leveret list' shows the names".to_owned()));
        };
        let path = target::resolve(name, target.dir())?;
        let old = target::attach(&path, None);
        let attached = old.as_ref().map_or(0, |arena| arena.stats().attached);
        let memory = match (self.size, &old) {
            (Some(size), _) => size,
            (None, Ok(arena)) => arena.memory(),
            (None, Err(_)) if path.exists() => {
                let why = format!(
                    "{} cannot be opened, so its size is unknown: name one, as 'leveret renew {name} 64M'",
                    path.display()
                );
                return Err(Failure::Usage(why));
            }
            (None, Err(_)) => return Err(leveret_engine::OpenError::Missing(path).into()),
        };
        drop(old);
        leveret_engine::renew(&path, &OpenOptions::new().memory(memory))?;
        if json {
            let mut out = output::raw();
            let arena = &path.to_string_lossy();
            output::json_line(&mut out, &Line { arena, layout: LAYOUT_VERSION, memory, attached })?;
            out.flush()?;
        } else if attached > 0 {
            let whose = if attached == 1 {
                "A process has".to_owned()
            } else {
                format!("{} processes have", thousands(attached.into()))
            };
            writeln!(
                std::io::stderr(),
                "{whose} the old {} still open: each notices at its next request",
                path.display()
            )?;
        }
        Ok(Exit::Yes)
    }
}

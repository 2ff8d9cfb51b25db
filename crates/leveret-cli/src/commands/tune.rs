//! `leveret tune`: an arena that is filled moves to huge pages.
use crate::output::{self, CommandResult, LongWork};
use crate::target::TargetArgs;
use crate::units;
use clap::Args;
use leveret_engine::HugePages;
use serde::Serialize;
use std::io::Write;

/// Move a filled arena to huge pages: faster random reads of millions of items
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TuneArgs {}

const EXAMPLES: &str = "\
Needs Linux 6.1 and an arena in memory (/dev/shm). Takes about 10 milliseconds for each 2 MiB. Accesses to those 2 MiB wait
meanwhile, others do not. Memory that the arena uses later is moved by the next run. It may be stopped at any time.

Examples:
  leveret tune
  leveret tune --arena apcu --json

Exit codes: 0 moved; 1 a part could not be moved now; 3 cannot reach the arena, or there are no huge pages for it.";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    /// Bytes.
    moved: u64,
    refused: u64,
}

/// Bytes of a piece.
const PIECE: u64 = 2 << 20;

impl TuneArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let arena = target.open()?;
        let mut progress = None;
        let HugePages { done, refused, .. } = arena.use_huge_pages(|so_far| {
            progress.get_or_insert_with(|| LongWork::of_pieces(so_far.pieces as u64)).reached(so_far.done as u64);
            true
        })?;
        drop(progress);
        let (moved, refused, path) = ((done - refused) as u64 * PIECE, refused as u64 * PIECE, arena.path().display());
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &Line { arena: &path.to_string(), moved, refused })?;
            out.flush()?;
            return Ok((refused == 0).into());
        }
        let mut out = output::text();
        writeln!(out, "{} of {path} on huge pages", units::bytes(moved))?;
        if refused > 0 {
            writeln!(out, "{} could not be moved now: the machine has no free 2 MiB of memory in one piece, or a process used them; try again later", units::bytes(refused))?;
        }
        Ok((refused == 0).into())
    }
}

//! Shell completions and man pages, for packages.
use crate::output::{self, Answer, Failure, Outcome};
use crate::Cli;
use clap::{Args, CommandFactory};
use leveret_engine::reason;
use std::io::Write;
use std::path::PathBuf;

/// Write a completion script to standard output
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell that is to complete
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> Outcome {
        // Into memory first: where it cannot write, it panics.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "leveret", &mut script);
        let mut out = output::raw();
        out.write_all(&script)?;
        out.flush()?;
        Ok(Answer::Yes)
    }
}

/// Write leveret.1 and a page for each sub-command into a folder
#[derive(Args, Debug)]
pub struct Man {
    /// A folder that exists
    dir: PathBuf,
}

impl Man {
    pub fn run(self) -> Outcome {
        clap_mangen::generate_to(Cli::command(), &self.dir).map_err(|error| {
            Failure::Unreachable(format!("cannot write man pages into {}: {}", self.dir.display(), reason(&error)))
        })?;
        Ok(Answer::Yes)
    }
}

//! Shell completions and man pages, for packages.
use crate::output::{Answer, Failure, Outcome};
use crate::Cli;
use clap::{Args, CommandFactory};
use leveret_engine::reason;
use std::path::PathBuf;

/// Write a completion script to standard output
#[derive(Args, Debug)]
pub struct Completions {
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> Outcome {
        clap_complete::generate(self.shell, &mut Cli::command(), "leveret", &mut std::io::stdout());
        Ok(Answer::Yes)
    }
}

/// Write leveret.1 and a page for each sub-command into a folder
#[derive(Args, Debug)]
pub struct Man {
    dir: PathBuf,
}

impl Man {
    pub fn run(self) -> Outcome {
        clap_mangen::generate_to(Cli::command(), &self.dir)
            .map_err(|error| Failure::Unreachable(format!("cannot write man pages into {}: {}", self.dir.display(), reason(&error))))?;
        Ok(Answer::Yes)
    }
}

//! Shell completions and man pages, for packages.
use crate::output::{self, CommandResult, Exit, Failure};
use crate::Cli;
use clap::{Args, CommandFactory};
use leveret_engine::reason;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Write a completion script to standard output
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell that is to complete
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub fn run(self) -> CommandResult {
        // Into memory first: where it cannot write, it panics.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "leveret", &mut script);
        let mut out = output::raw();
        out.write_all(&script)?;
        out.flush()?;
        Ok(Exit::Yes)
    }
}

const FILES: &str = "\
.SH FILES
.TP
/dev/shm/leveret
The folder of the arenas, for the group leveret; /dev/shm/leveret\\-UID for a user who is not in it.
.TP
/etc/leveret.toml
Settings of leveret serve, as a service starts it.
.TP
/usr/share/doc/leveret
README, installation, applications, metrics.
";

/// Write leveret.1 and a page for each sub-command into a folder
#[derive(Args, Debug)]
pub struct ManArgs {
    /// A folder that exists
    dir: PathBuf,
}

impl ManArgs {
    pub fn run(self) -> CommandResult {
        let failed = |error: io::Error| {
            Failure::Unreachable(format!("cannot write man pages into {}: {}", self.dir.display(), reason(&error)))
        };
        clap_mangen::generate_to(Cli::command(), &self.dir).map_err(failed)?;
        for page in fs::read_dir(&self.dir).map_err(failed)? {
            let path = page.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("leveret") && name.ends_with(".1") {
                // The text after the options has a meaningless heading there.
                let text = fs::read_to_string(&path).map_err(failed)?.replace(".SH EXTRA", ".SH EXAMPLES");
                fs::write(&path, format!("{text}{FILES}")).map_err(failed)?;
            }
        }
        Ok(Exit::Yes)
    }
}

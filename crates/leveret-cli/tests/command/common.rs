//! A folder of arenas that only this test knows, and the command run in it.
use leveret_engine::{Arena, OpenOptions};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Host {
    dir: TempDir,
}

/// What a command left.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub bytes: Vec<u8>,
    pub error: String,
}

impl Said {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("UTF-8")
    }

    /// The one object that it printed.
    pub fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self:?}");
        lines.remove(0)
    }

    pub fn json_lines(&self) -> Vec<Value> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}")))
            .collect()
    }

    /// The exit code must be this; gives itself back.
    #[track_caller]
    pub fn ends(self, code: i32) -> Said {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// An error is one line that begins with the program's name.
    #[track_caller]
    pub fn complains(self, code: i32, part: &str) {
        let said = self.ends(code);
        assert!(
            said.error.starts_with("leveret: ")
                && said.error.trim_end().lines().count() == 1
                && said.error.contains(part),
            "{said:?}"
        );
    }
}

impl Host {
    pub fn new() -> Host {
        Host {
            dir: tempfile::Builder::new()
                .prefix("leveret-cli-test-")
                .tempdir_in("/dev/shm")
                .expect("a folder in /dev/shm"),
        }
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    /// The command, with the folder in its environment and nothing else that could steer it.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leveret"));
        command.args(arguments).env("LEVERET_DIR", self.dir()).current_dir(self.dir()).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Said {
        run(self.command(arguments), b"")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Said {
        run(self.command(arguments), input)
    }

    /// The arena as another process has it open: this test. It counts as attached once it has written.
    pub fn arena(&self, name: &str) -> Arena {
        Arena::open(&self.file(&format!("{name}.arena")), &OpenOptions::new().memory(8 << 20)).expect("an arena").0
    }
}

pub fn run(mut command: Command, input: &[u8]) -> Said {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
    child.stdin.take().expect("a pipe").write_all(input).expect("input taken");
    let output = child.wait_with_output().expect("an end");
    Said {
        code: output.status.code().expect("an exit code"),
        bytes: output.stdout,
        error: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

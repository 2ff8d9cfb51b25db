//! A side of a row: a process that lives through all rounds. It reads a JSON command a line and answers each with one JSON line.
use crate::commands::bench::place::{Running, TurnTrouble};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long a side may take to end once nobody asks it any more.
const END_PATIENCE: Duration = Duration::from_secs(20);
/// What an answer may have.
const ANSWER_MAX: usize = 1 << 20;

#[derive(Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Ask<'a> {
    Prepare {
        workload: &'a str,
        size: &'a serde_json::Value,
        /// Host and port of each server, or a path and 0.
        servers: &'a [(String, u16)],
        /// Servers' programs by name, for sides that start them.
        programs: &'a BTreeMap<String, PathBuf>,
    },
    Measure {
        /// Which of a round's pieces.
        piece: usize,
    },
    Count,
}

/// What a side says of a measurement.
#[derive(Clone, Debug, Deserialize)]
pub struct SideAnswer {
    /// In the row's unit, and for one call.
    pub figure: f64,
    #[serde(default)]
    pub client_cpu: Option<f64>,
    /// Where the side compares with itself: what should be 1.
    #[serde(default)]
    pub control: Option<f64>,
    /// What else it has measured, in the row's unit.
    #[serde(default)]
    pub beside: Vec<(String, f64)>,
    pub asked: u64,
    pub right: u64,
    /// All sides have to say the same of a piece.
    #[serde(default)]
    pub same: Option<String>,
    #[serde(default)]
    pub said: Option<String>,
}

/// Files of callgrind.
#[derive(Deserialize)]
pub struct CountFiles {
    pub counts: Vec<String>,
    #[serde(default)]
    pub same: Option<String>,
}

pub struct SideProcess {
    running: Running,
    commands: Option<ChildStdin>,
    answers: ChildStdout,
    came: Vec<u8>,
}

impl SideProcess {
    pub fn new(mut running: Running) -> Result<SideProcess, TurnTrouble> {
        let (commands, answers) = running.pipes().ok_or_else(|| failed("it has no pipes".to_owned()))?;
        Ok(SideProcess { running, commands: Some(commands), answers, came: Vec::new() })
    }

    /// The answer, or what it said when it ended without one. `check`: whether somebody wants to end the run.
    pub fn ask<A: for<'a> Deserialize<'a>>(
        &mut self,
        ask: &Ask<'_>,
        patience: Duration,
        check: &dyn Fn() -> Result<(), TurnTrouble>,
    ) -> Result<A, TurnTrouble> {
        let mut line = serde_json::to_vec(ask).map_err(|error| failed(error.to_string()))?;
        line.push(b'\n');
        match self.commands.as_mut().map(|commands| commands.write_all(&line)) {
            Some(Ok(())) => {}
            Some(Err(error)) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
            _ => return Err(self.ended()),
        }
        let line = self.line(Instant::now() + patience, patience, check)?;
        serde_json::from_slice(&line).map_err(|error| {
            failed(format!("its answer is not understood ({error}): {}", String::from_utf8_lossy(&line).trim()))
        })
    }

    fn line(
        &mut self,
        end: Instant,
        patience: Duration,
        check: &dyn Fn() -> Result<(), TurnTrouble>,
    ) -> Result<Vec<u8>, TurnTrouble> {
        let mut seen = 0;
        loop {
            if let Some(place) = self.came[seen..].iter().position(|byte| *byte == b'\n') {
                let rest = self.came.split_off(seen + place + 1);
                return Ok(std::mem::replace(&mut self.came, rest));
            }
            seen = self.came.len();
            if seen > ANSWER_MAX {
                return Err(failed("its answer has no end".to_owned()));
            }
            check()?;
            if Instant::now() > end {
                return Err(failed(format!("hung: no answer after {} s", patience.as_secs())));
            }
            let mut ready = [PollFd::new(&self.answers, PollFlags::IN)];
            let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_EVERY.as_nanos() as _ };
            match poll(&mut ready, Some(&wait)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
            let mut buffer = [0; 4096];
            match self.answers.read(&mut buffer) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => self.came.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn ended(&mut self) -> TurnTrouble {
        self.commands = None;
        self.running.wait(END_PATIENCE);
        failed(self.running.ended().unwrap_or_else(|| "it no longer answers".to_owned()))
    }

    /// Waits until it has ended by itself, so that it can write what it has to; whatever is left is killed.
    pub fn end(mut self) {
        self.commands = None;
        self.running.wait(END_PATIENCE);
    }
}

fn failed(why: String) -> TurnTrouble {
    TurnTrouble::Failed(why)
}

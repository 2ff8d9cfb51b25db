//! Child processes: forked, watched, and told apart by how they ended.

use std::fmt;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::panic;

use nix::sys::signal::{self, Signal};
use nix::sys::wait::{waitpid, WaitPidFlag, WaitStatus};
use nix::unistd::{alarm, fork, pipe, ForkResult, Pid};

/// How long a child may take before the harness calls it hung. Nothing here needs more than milliseconds of work; the
/// rest is patience with a loaded machine.
pub const HANG_SECS: u32 = 60;

/// The exit code of a child that returned an error.
const FAILED: i32 = 86;

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildEnd {
    /// It succeeded; the text is its report.
    Done(String),
    /// It found something wrong and says what.
    Wrong(String),
    /// A signal ended it. SIGALRM is the watchdog: it hung.
    Signal(Signal),
    /// It left by an exit code that is not ours.
    Exit(i32),
}

impl ChildEnd {
    /// `Ok` for a child that did its work, else a sentence about what happened.
    pub fn into_result(self) -> Result<String, String> {
        match self {
            ChildEnd::Done(report) => Ok(report),
            other => Err(other.to_string()),
        }
    }
}

impl fmt::Display for ChildEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChildEnd::Done(report) => write!(out, "done: {report}"),
            ChildEnd::Wrong(what) => write!(out, "{what}"),
            ChildEnd::Signal(Signal::SIGALRM) => write!(out, "hung: no end after {HANG_SECS} s"),
            ChildEnd::Signal(signal) => write!(out, "died of {signal}"),
            ChildEnd::Exit(code) => write!(out, "exited with code {code}"),
        }
    }
}

/// A running child. Dropping it kills and reaps it, so that nothing outlives the harness.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    report: Option<OwnedFd>,
}

/// Forks a child that runs `work`, reports its result and exits. A child that hangs dies of SIGALRM after `HANG_SECS`.
///
/// Panics when this process has a second thread: a fork would copy any lock that thread holds.
pub fn spawn(work: impl FnOnce() -> Result<String, String>) -> Child {
    assert_eq!(threads(), 1, "only a single-threaded process may fork here");
    let (read, write) = pipe().expect("a pipe");
    // SAFETY: this process has one thread (asserted above), so the child is a complete copy and may do anything that
    // the parent may.
    #[allow(unsafe_code)]
    let forked = unsafe { fork() }.expect("a process");
    match forked {
        ForkResult::Parent { child } => Child { pid: child, report: Some(read) },
        ForkResult::Child => {
            drop(read);
            alarm::set(HANG_SECS);
            // To unwind would be to end the parent's other children, which are known here too.
            panic::set_hook(Box::new(|panic| {
                eprintln!("{panic}");
                std::process::abort();
            }));
            let (code, text) = match work() {
                Ok(text) => (0, text),
                Err(text) => (FAILED, text),
            };
            // A reader that is gone needs no report.
            let _ = std::fs::File::from(write).write_all(text.as_bytes());
            std::process::exit(code);
        }
    }
}

/// Runs `work` in a child and waits for its end.
pub fn run(work: impl FnOnce() -> Result<String, String>) -> ChildEnd {
    spawn(work).wait()
}

impl Child {
    /// The child's process id.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits for the end.
    pub fn wait(mut self) -> ChildEnd {
        // Read first: a report longer than the pipe's buffer would keep the child from its end.
        let report = self.take_report();
        loop {
            if let Some(ending) = ending(waitpid(self.pid, None), &report) {
                return ending;
            }
        }
    }

    /// The end, if it has come.
    pub fn try_wait(&mut self) -> Option<ChildEnd> {
        match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => None,
            status => {
                let report = self.take_report();
                ending(status, &report)
            }
        }
    }

    /// The report of a child that another `waitpid` has already reaped.
    pub fn last_words(mut self) -> String {
        self.take_report()
    }

    /// Reads what the child says, up to its death at the latest.
    fn take_report(&mut self) -> String {
        let mut report = String::new();
        if let Some(fd) = self.report.take() {
            let _ = std::fs::File::from(fd).read_to_string(&mut report);
        }
        report
    }

    /// SIGKILL.
    pub fn kill(&self) {
        // Already dead is as good.
        let _ = signal::kill(self.pid, Signal::SIGKILL);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // `wait` took the pipe: then the child is reaped, and its number may belong to another process.
        if self.report.is_some() {
            self.kill();
            let _ = waitpid(self.pid, None);
        }
    }
}

fn ending(status: nix::Result<WaitStatus>, report: &str) -> Option<ChildEnd> {
    match status {
        Ok(WaitStatus::Exited(_, 0)) => Some(ChildEnd::Done(report.to_owned())),
        Ok(WaitStatus::Exited(_, FAILED)) => Some(ChildEnd::Wrong(report.to_owned())),
        Ok(WaitStatus::Exited(_, code)) => Some(ChildEnd::Exit(code)),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(ChildEnd::Signal(signal)),
        Ok(_) | Err(nix::errno::Errno::EINTR) => None,
        Err(error) => Some(ChildEnd::Wrong(format!("waitpid: {error}"))),
    }
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

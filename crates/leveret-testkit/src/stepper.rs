//! Runs a child one instruction at a time. The child says where the stepped part begins and ends by stopping itself;
//! between the two stops the parent looks at the world after every instruction.

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::{raise, Signal};
use nix::sys::wait::{waitpid, WaitStatus};
use nix::unistd::{alarm, Pid};
use rustix::thread::{sched_getcpu, sched_setaffinity, CpuSet};

use crate::process::{self, Child, ChildEnd};

/// Keeps this process, and all that it forks from now on, on the CPU where it runs. Only one of parent and child ever
/// runs, and handing over to another CPU, which sleeps, made a step take four times as long on a virtual machine.
/// Where the system does not allow it, steps are only slower.
pub fn stay_on_one_cpu() {
    let mut here = CpuSet::new();
    here.set(sched_getcpu());
    let _ = sched_setaffinity(None, &here);
}

/// A child that stands at the beginning of its stepped part.
#[derive(Debug)]
pub struct Stepped {
    child: Child,
    steps: u64,
}

/// Where the child is after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildStep {
    /// One more instruction has run.
    Ran {
        /// Instructions run in the stepped part.
        steps: u64,
        /// Address of the next instruction. The same address twice in a row is one repeated string instruction in its
        /// middle.
        at: u64,
    },
    /// The stepped part is over; the child stands behind it.
    Over,
}

/// Forks a child that runs `prepare` freely and `stepped` under the stepper; `after` runs freely again.
pub fn start<T>(
    prepare: impl FnOnce() -> Result<T, String>,
    stepped: impl FnOnce(&T) -> Result<(), String>,
    after: impl FnOnce(T) -> Result<String, String>,
) -> Result<Stepped, String> {
    let child = process::spawn(|| {
        let state = prepare()?;
        // Stepping takes as long as it takes: it is the parent that would hang, and it never waits for more than a
        // step.
        alarm::cancel();
        ptrace::traceme().map_err(|error| format!("ptrace: {error}"))?;
        mark()?;
        let result = stepped(&state);
        mark()?;
        alarm::set(process::HANG_SECS);
        result?;
        after(state)
    });
    match wait(child.pid())? {
        WaitStatus::Stopped(_, Signal::SIGSTOP) => {
            ptrace::setoptions(child.pid(), ptrace::Options::PTRACE_O_EXITKILL)
                .map_err(|error| format!("ptrace options: {error}"))?;
            Ok(Stepped { child, steps: 0 })
        }
        status => Err(format!("the child did not reach its stepped part ({status:?}): {}", drain(child, status))),
    }
}

fn mark() -> Result<(), String> {
    raise(Signal::SIGSTOP).map_err(|error| format!("raise: {error}"))
}

fn wait(pid: Pid) -> Result<WaitStatus, String> {
    loop {
        match waitpid(pid, None) {
            Err(Errno::EINTR) => {}
            status => return status.map_err(|error| format!("waitpid: {error}")),
        }
    }
}

/// The words of a child that has ended before its time.
fn drain(child: Child, status: WaitStatus) -> String {
    match status {
        WaitStatus::Exited(..) | WaitStatus::Signaled(..) => child.last_words(),
        _ => String::new(),
    }
}

impl Stepped {
    /// The child's process id.
    pub fn pid(&self) -> Pid {
        self.child.pid()
    }

    /// Runs one instruction.
    pub fn step(&mut self) -> Result<ChildStep, String> {
        let pid = self.pid();
        ptrace::step(pid, None).map_err(|error| format!("ptrace step: {error}"))?;
        match wait(pid)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {
                self.steps += 1;
                Ok(ChildStep::Ran { steps: self.steps, at: instruction_pointer(pid)? })
            }
            WaitStatus::Stopped(_, Signal::SIGSTOP) => Ok(ChildStep::Over),
            status => Err(format!(
                "the stepped child stopped in a way of its own after {} instructions: {status:?}",
                self.steps
            )),
        }
    }

    /// Runs up to `count` instructions; false when the part was over before.
    pub fn step_many(&mut self, count: u64) -> Result<bool, String> {
        for _ in 0..count {
            if self.step()? == ChildStep::Over {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets the child go on freely to its end.
    pub fn finish(self) -> ChildEnd {
        match ptrace::detach(self.pid(), None) {
            Ok(()) => self.child.wait(),
            Err(error) => ChildEnd::Wrong(format!("ptrace detach: {error}")),
        }
    }

    /// SIGKILL, here and now; returns when the kernel has taken the process down.
    pub fn kill(self) -> ChildEnd {
        self.child.kill();
        self.child.wait()
    }
}

#[cfg(target_arch = "x86_64")]
fn instruction_pointer(pid: Pid) -> Result<u64, String> {
    Ok(ptrace::getregs(pid).map_err(|error| format!("ptrace registers: {error}"))?.rip)
}

#[cfg(target_arch = "aarch64")]
fn instruction_pointer(pid: Pid) -> Result<u64, String> {
    let registers = ptrace::getregset::<ptrace::regset::NT_PRSTATUS>(pid);
    Ok(registers.map_err(|error| format!("ptrace registers: {error}"))?.pc)
}

/// The function and line of an address in a child that was forked from this process: both have the same code at the
/// same place.
pub fn symbol(address: u64) -> String {
    let mut found = format!("{address:#x}");
    backtrace::resolve(address as *mut std::ffi::c_void, |symbol| {
        if let Some(name) = symbol.name() {
            found = format!("{address:#x} {name:#}");
        }
        if let (Some(file), Some(line)) = (symbol.filename().and_then(|path| path.file_name()), symbol.lineno()) {
            found.push_str(&format!(" ({}:{line})", file.to_string_lossy()));
        }
    });
    found
}

/// The function alone, without its address and its line.
pub fn function(address: u64) -> String {
    let mut found = "?".to_owned();
    backtrace::resolve(address as *mut std::ffi::c_void, |symbol| {
        if let Some(name) = symbol.name() {
            found = format!("{name:#}");
        }
    });
    found
}

//! Processor time, from the kernel.

use std::fs;
use std::time::Duration;

use crate::failure::LoadFailure;

/// What threads have had of the CPUs.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Time in which they ran.
    pub cpu: Duration,
    /// Time in which they could have run and something else did.
    pub waited: Duration,
}

impl Usage {
    /// Sum over the threads in `tasks`, a folder of /proc, in steps of a nanosecond (/proc/PID/stat has steps of 10
    /// ms).
    pub fn of(tasks: &str) -> Result<Usage, LoadFailure> {
        Usage::of_named(tasks, |_| true)
    }

    /// Of the threads whose names are meant.
    pub fn of_named(tasks: &str, is_meant: impl Fn(&str) -> bool) -> Result<Usage, LoadFailure> {
        let (mut cpu, mut waited) = (0, 0);
        for task in fs::read_dir(tasks)? {
            let task = task?.path();
            let name = fs::read_to_string(task.join("comm"))?;
            if !is_meant(name.trim_end()) {
                continue;
            }
            let line = fs::read_to_string(task.join("schedstat"))?;
            let mut numbers = line.split_whitespace().map_while(|number| number.parse::<u64>().ok());
            let (Some(ran), Some(was_ready)) = (numbers.next(), numbers.next()) else {
                return Err(LoadFailure::Trouble(
                    "this kernel does not count CPU time by thread (schedstat is empty)".into(),
                ));
            };
            cpu += ran;
            waited += was_ready;
        }
        Ok(Usage { cpu: Duration::from_nanos(cpu), waited: Duration::from_nanos(waited) })
    }

    /// Of this process.
    pub fn own() -> Result<Usage, LoadFailure> {
        Usage::of("/proc/self/task")
    }

    /// What came after `before`.
    pub fn since(self, before: Usage) -> Usage {
        Usage { cpu: self.cpu.saturating_sub(before.cpu), waited: self.waited.saturating_sub(before.waited) }
    }
}

//! What kind of program this process is, for statistics of reads and of attached processes.
use crate::sync::Ordering;
use std::sync::atomic::AtomicU32;

/// A kind of program. Numbers are part of the layout: never reuse one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum Program {
    /// One that has not said what it is.
    #[default]
    Other = 0,
    /// PHP: php-fpm, Apache, the command line.
    Php = 1,
    /// Ruby.
    Ruby = 2,
    /// A server of other protocols.
    Server = 3,
    /// A tool that inspects or repairs.
    Tool = 4,
}

/// Kinds that there are.
pub(crate) const PROGRAMS: usize = 5;

static THIS: AtomicU32 = AtomicU32::new(Program::Other as u32);

impl Program {
    /// All, in the order of their numbers.
    pub const ALL: [Program; PROGRAMS] = [Program::Other, Program::Php, Program::Ruby, Program::Server, Program::Tool];

    /// Says what this process is, for all arenas. It is told before the first one is opened, once.
    pub fn declare(self) {
        THIS.store(self as u32, Ordering::Relaxed);
    }

    /// What this process has declared.
    pub(crate) fn of_this_process() -> Program {
        Program::of_number(THIS.load(Ordering::Relaxed))
    }

    /// What shared memory says of another one.
    pub(crate) fn of_number(number: u32) -> Program {
        Program::ALL.get(number as usize).copied().unwrap_or_default()
    }
}

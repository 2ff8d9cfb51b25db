//! Kind of program of this process, for statistics on readers and registered processes.
use crate::sync::Ordering;
use std::sync::atomic::AtomicU32;

/// A kind of program. Numbers are part of the layout: never reuse one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum Program {
    /// Not declared.
    #[default]
    Other = 0,
    /// PHP: php-fpm, Apache, the command line.
    Php = 1,
    /// Ruby.
    Ruby = 2,
    /// A server of other protocols.
    Server = 3,
    /// An inspection or repair tool.
    Tool = 4,
}

/// Kinds that there are.
pub(crate) const PROGRAMS: usize = 5;

static THIS: AtomicU32 = AtomicU32::new(Program::Other as u32);

impl Program {
    /// All, in the order of their numbers.
    pub const ALL: [Program; PROGRAMS] = [Program::Other, Program::Php, Program::Ruby, Program::Server, Program::Tool];

    /// Declares this process's kind for all arenas. Called once, before the first one is opened.
    pub fn declare(self) {
        THIS.store(self as u32, Ordering::Relaxed);
    }

    /// This process's declared kind.
    pub(crate) fn of_this_process() -> Program {
        Program::of_number(THIS.load(Ordering::Relaxed))
    }

    /// What shared memory says of another one.
    pub(crate) fn of_number(number: u32) -> Program {
        Program::ALL.get(number as usize).copied().unwrap_or_default()
    }
}

//! Why a measurement ended, and Ctrl-C.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What ended it.
#[derive(Debug)]
pub enum Failure {
    /// A server gave another answer than the right one.
    Wrong(String),
    /// It could not be measured.
    Trouble(String),
    /// SIGINT or SIGTERM.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Wrong(what) => write!(f, "wrong answer: {what}"),
            Failure::Trouble(what) => f.write_str(what),
            Failure::Stopped => f.write_str("stopped"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Trouble(error.to_string())
    }
}

impl From<rustix::io::Errno> for Failure {
    fn from(error: rustix::io::Errno) -> Failure {
        io::Error::from(error).into()
    }
}

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on SIGINT and SIGTERM end the run at the next `check_stop`, so that servers and folders are cleared away.
pub fn watch_signals() -> io::Result<()> {
    let stop = STOP.get_or_init(Arc::default);
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(stop))?;
    }
    Ok(())
}

/// An error once a signal has come.
pub fn check_stop() -> Result<(), Failure> {
    match STOP.get() {
        Some(stop) if stop.load(Ordering::Relaxed) => Err(Failure::Stopped),
        _ => Ok(()),
    }
}

//! Why a measurement ended, and Ctrl-C.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What ended it.
#[derive(Debug)]
pub enum LoadFailure {
    /// A server gave another answer than the right one.
    Wrong(String),
    /// It could not be measured.
    Trouble(String),
    /// SIGINT or SIGTERM.
    Stopped,
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadFailure::Wrong(what) => write!(f, "wrong answer: {what}"),
            LoadFailure::Trouble(what) => f.write_str(what),
            LoadFailure::Stopped => f.write_str("stopped"),
        }
    }
}

impl From<io::Error> for LoadFailure {
    fn from(error: io::Error) -> LoadFailure {
        LoadFailure::Trouble(error.to_string())
    }
}

impl From<rustix::io::Errno> for LoadFailure {
    fn from(error: rustix::io::Errno) -> LoadFailure {
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
pub fn check_stop() -> Result<(), LoadFailure> {
    match STOP.get() {
        Some(stop) if stop.load(Ordering::Relaxed) => Err(LoadFailure::Stopped),
        _ => Ok(()),
    }
}

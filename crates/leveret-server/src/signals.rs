//! Signals, as bytes in a pipe that the accepting thread polls.
use crate::serve_error::ServeError;
use rustix::io::{read, Errno};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level, SigId};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

/// Meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// SIGTERM, SIGINT: answer received requests, and exit.
    End,
    /// SIGUSR1: as `End`, for a restart with the same memory.
    Restart,
    /// SIGHUP: read the settings and the files of users and certificates again.
    Reload,
}

/// The signals of a server. Dropped, they are its no more.
#[derive(Debug)]
pub struct Signals {
    pipe: UnixStream,
    wishes: [(Wish, Arc<AtomicBool>); 3],
    ids: Vec<SigId>,
}

impl Signals {
    /// From now on signals arrive here.
    pub fn new() -> Result<Signals, ServeError> {
        Signals::register().map_err(|source| ServeError::System { doing: "handle signals", source })
    }

    fn register() -> io::Result<Signals> {
        let (pipe, writer) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let wishes = [Wish::End, Wish::Restart, Wish::Reload].map(|wish| (wish, Arc::default()));
        let mut signals = Signals { pipe, wishes, ids: Vec::new() };
        for (signal, wish) in [(SIGTERM, 0), (SIGINT, 0), (SIGUSR1, 1), (SIGHUP, 2)] {
            // In this order: a thread woken by the pipe must see the flag.
            signals.ids.push(flag::register(signal, signals.wishes[wish].1.clone())?);
            signals.ids.push(low_level::pipe::register(signal, writer.try_clone()?)?);
        }
        Ok(signals)
    }

    /// Readable when a signal has come.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Signals since the last call.
    pub fn wishes(&self) -> impl Iterator<Item = Wish> + '_ {
        let mut bytes = [0; 64];
        while matches!(read(&self.pipe, &mut bytes), Ok(1..) | Err(Errno::INTR)) {}
        self.wishes.iter().filter(|(_, came)| came.swap(false, Relaxed)).map(|&(wish, _)| wish)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            low_level::unregister(id);
        }
    }
}

//! Notifications to systemd: ready, and alive.
use crate::inbox::Inbox;
use std::env;
use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tells systemd, where it started us with Type=notify. Nothing depends on it being heard.
pub fn notify(state: &str) {
    let Some(address) = env::var_os("NOTIFY_SOCKET").and_then(|name| notify_address(&name)) else { return };
    if let Ok(socket) = UnixDatagram::unbound() {
        let _ = socket.send_to_addr(state.as_bytes(), &address);
    }
}

/// A path, or after an `@` a name without a file.
fn notify_address(name: &OsStr) -> Option<UnixAddr> {
    match name.as_bytes() {
        [b'@', name @ ..] => UnixAddr::from_abstract_name(name).ok(),
        [b'/', ..] => UnixAddr::from_pathname(name).ok(),
        _ => None,
    }
}

/// `WatchdogSec=`: systemd hears that we live only as long as each worker answers.
pub(crate) struct Watchdog {
    patience: Option<Duration>,
    told: Instant,
}

impl Watchdog {
    pub fn of_environment() -> Watchdog {
        let is_ours = env::var("WATCHDOG_PID").map_or(true, |pid| pid == std::process::id().to_string());
        let micros = env::var("WATCHDOG_USEC").ok().and_then(|micros| micros.parse().ok());
        Watchdog { patience: micros.filter(|_| is_ours).map(Duration::from_micros), told: Instant::now() }
    }

    /// Once a second: three times before patience ends all workers are asked, and if all have answered, systemd is told.
    pub fn tick(&mut self, workers: &[Arc<Inbox>]) {
        let Some(patience) = self.patience else { return };
        if self.told.elapsed() < patience / 3 || !workers.iter().all(|worker| worker.has_answered()) {
            return;
        }
        notify("WATCHDOG=1");
        self.told = Instant::now();
        workers.iter().for_each(|worker| worker.ask());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_socket() {
        assert!(notify_address(OsStr::new("/run/systemd/notify")).is_some());
        assert!(notify_address(OsStr::new("@abstract")).is_some_and(|address| address.as_abstract_name().is_some()));
        assert!(notify_address(OsStr::new("vsock:2:1")).is_none());
    }
}

//! Where a server is: its name as it was added, and which of its addresses is connected or tried.
use super::fault::{Address, Fault};
use super::names::{self, TLS};
use std::path::PathBuf;

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// TCP.
    Tcp,
    /// A socket in the file system.
    Unix,
    /// Shared memory of this host.
    Arena,
}

impl ServerKind {
    fn of(host: &str) -> ServerKind {
        let path = names::path_of(host);
        if host.starts_with("arena:") || (path.starts_with('/') && path.ends_with(".arena")) {
            ServerKind::Arena
        } else if path.starts_with('/') || host.starts_with("unix://") {
            ServerKind::Unix
        } else {
            ServerKind::Tcp
        }
    }
}

pub(crate) struct ServerEndpoint {
    pub host: String,
    pub port: u16,
    pub kind: ServerKind,
    /// Of named arenas; None = the usual one.
    pub dir: Option<PathBuf>,
    addresses: Vec<Address>,
    /// Which of them is connected, or tried.
    address: usize,
}

impl ServerEndpoint {
    pub fn new(host: String, port: u16) -> ServerEndpoint {
        ServerEndpoint { kind: ServerKind::of(&host), host, port, dir: None, addresses: Vec::new(), address: 0 }
    }

    /// It is spoken with through TLS.
    pub fn is_secured(&self) -> bool {
        self.host.starts_with(TLS)
    }

    /// Of a socket in the file system, or an arena.
    pub fn path(&self) -> &str {
        names::path_of(&self.host)
    }

    /// As people write it.
    pub fn name(&self) -> String {
        let has_port = names::secured_host(&self.host).is_none_or(|host| self.host.len() > TLS.len() + host.len());
        if has_port {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Asks for its addresses, if they are not known.
    pub fn resolve(&mut self) -> Result<(), Fault> {
        if self.addresses.is_empty() {
            (self.addresses, self.address) = (names::resolve(&self.host, self.port)?, 0);
        }
        Ok(())
    }

    /// The address that is connected or tried; the first of several at first.
    pub fn address(&mut self) -> Result<Address, Fault> {
        self.resolve()?;
        Ok(self.tried().clone())
    }

    /// As `address`, once it is resolved.
    pub fn tried(&self) -> &Address {
        &self.addresses[self.address]
    }

    /// Turns to the next address. False: there is none; the name may have another one next time.
    pub fn try_next(&mut self) -> bool {
        if self.address + 1 < self.addresses.len() {
            self.address += 1;
            return true;
        }
        self.addresses.clear();
        false
    }
}

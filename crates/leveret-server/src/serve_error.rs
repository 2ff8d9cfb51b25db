//! Why a server cannot run.
use leveret_engine::reason;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Why a server cannot run. One line that names the place and, where there is one, the cure.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// An address could not be bound.
    Bind {
        /// As given.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A host name means nothing.
    Resolve {
        /// As given.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// The Unix socket's path cannot be used, or is taken by a living server or by another kind of file.
    Occupied {
        /// The path.
        path: PathBuf,
        /// By what, or why not.
        by: String,
    },
    /// An address asks for TLS or for certificates of clients, and the settings lack what that needs.
    Insecure {
        /// The address or the socket.
        address: String,
        /// The missing setting, and its option.
        why: &'static str,
    },
    /// The settings leave no socket.
    NoAddress,
    /// A file that the server writes or reads.
    File {
        /// "write" or "read".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The `.meta` file of `-e` was not written by a server.
    BadMeta {
        /// The file.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// Threads, epoll, signals.
    System {
        /// The failed operation.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Bind { address, source } if source.kind() == ErrorKind::AddrInUse => {
                // The address names its purpose, unless it is the protocol's own port.
                let others = [("(--metrics)", "--metrics"), ("(UDP)", "-U"), ("(--redis)", "--redis")];
                let option = others.iter().find(|(end, _)| address.ends_with(end)).map_or("-p", |(_, option)| option);
                write!(f, "cannot listen on {address}: in use already (another server? choose another port with {option}, or stop it)")
            }
            ServeError::Bind { address, source } if source.kind() == ErrorKind::PermissionDenied => {
                write!(f, "cannot listen on {address}: permission denied (ports below 1024 need root and -u USER)")
            }
            ServeError::Bind { address, source } if source.kind() == ErrorKind::AddrNotAvailable => {
                write!(f, "cannot listen on {address}: no interface of this machine has this address (-l)")
            }
            ServeError::Bind { address, source } => write!(f, "cannot listen on {address}: {}", reason(source)),
            ServeError::Resolve { host, source } => write!(f, "-l {host}: no such host ({})", reason(source)),
            ServeError::Occupied { path, by } => {
                write!(f, "cannot listen on {}: {by} (choose another path with -s)", path.display())
            }
            ServeError::Insecure { address, why } => write!(f, "cannot listen on {address}: {why}"),
            ServeError::NoAddress => write!(f, "nothing to listen on: -p 0, -U 0 and no -s"),
            ServeError::File { doing, path, source } => {
                write!(f, "cannot {doing} {}: {}", path.display(), reason(source))
            }
            ServeError::BadMeta { path, why } => {
                write!(
                    f,
                    "{}: {why}; the cache itself is in the arena: remove this file and start again",
                    path.display()
                )
            }
            ServeError::System { doing, source } => write!(f, "cannot {doing}: {}", reason(source)),
        }
    }
}

impl std::error::Error for ServeError {}

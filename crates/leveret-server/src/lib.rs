//! `leveret serve`: an arena as a memcached server. Worker threads own their connections and an epoll loop each;
//! nothing is shared between them but the arena, the settings and counters.
//!
//! The way of a request: `worker` (a socket is readable) -> `connection` (its bytes) -> `execute` (`Session::take`:
//! parse, do, write the answer) -> `connection` (send). `execute` knows nothing of sockets, so the command `leveret`
//! holds the same conversation with an arena that no server serves.
#![forbid(unsafe_code)]

mod budget;
mod connection;
mod desk;
pub mod execute;
mod listen;
mod live;
pub mod log;
mod memory_file;
pub mod metrics;
pub mod network;
pub mod printable;
mod secret;
mod server;
pub mod settings;
mod shared;
mod signals;
pub mod small_file;
pub mod stats;
mod stream;
pub mod systemd;
mod tls;
mod udp;
mod uri;
mod watch;
mod worker;

pub use desk::Desk;
pub use listen::ServeError;
pub use server::{bind, Bound, GUARDED};
pub use settings::Settings;
pub use shared::{Shared, StartError};
pub use tls::TlsError;

/// The version that clients are told: that of the memcached whose behaviour is kept. Some clients want a minimum.
pub const VERSION: &str = "1.6.45";

//! `leveret serve`: an arena as a server for clients of memcached and of Redis. Each worker thread owns its connections
//! and an epoll loop; workers share only the arena, the settings and counters.
//!
//! The way of a request: `net::event_loop` (a socket is readable) -> `net::connection` (its bytes) -> `session` (the
//! loop over requests) -> `dialects` (reads a request, writes its answer) -> `commands` (carries it out on the engine).
//! Redis' commands on strings are carried out by the crate `leveret-strings`, those on the connection and the server by
//! the files beside `dialects::redis`.
//! `session` and the modules below it do not know sockets, so the command `leveret` uses the same code on an arena
//! without a server.
#![forbid(unsafe_code)]

mod announcing;
mod auth;
mod commands;
mod context;
mod conversation;
mod counters;
mod dialects;
mod entrance;
mod inbox;
mod live;
pub mod log;
mod memcached;
pub mod metrics;
mod net;
mod next;
mod overdue;
pub mod printable;
mod receive;
pub mod redis;
mod release;
mod serve_error;
mod server;
mod session;
pub mod settings;
mod shared;
mod signals;
pub mod small_file;
mod stats;
pub mod systemd;
mod tls;
mod transport;
mod verbose;
mod warm_restart;
mod watch;
mod worker;

pub use entrance::Entrance;
pub use memcached::VERSION;
pub use next::Next;
pub use release::RELEASE;
pub use serve_error::ServeError;
pub use server::{bind, Bound};
pub use session::Session;
pub use settings::Settings;
pub use shared::{Shared, StartError};
pub use tls::TlsError;
pub use transport::Transport;
pub use worker::Worker;

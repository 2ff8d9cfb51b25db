//! Sockets: listeners, the accepting thread, the event loop of each worker, and the bytes of each connection.
pub(crate) mod accept;
pub(crate) mod buffers;
pub(crate) mod connection;
pub(crate) mod event_loop;
pub(crate) mod listen;
pub(crate) mod passed;
pub(crate) mod stream;
pub(crate) mod udp;

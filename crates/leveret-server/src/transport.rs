//! How a client reaches the server: it decides what the client may ask for.

/// How a client reaches us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// A Unix socket.
    Unix,
    /// One datagram: a conversation that ends with its answer.
    Udp,
    /// No socket: this process itself.
    Local,
}

//! The entrances of a server: which clients a listener is for.

/// Whose clients come here. It decides which protocols a conversation may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entrance {
    /// memcached's: text, meta commands and binary.
    #[default]
    Memcached,
    /// Redis': RESP.
    Redis,
}

/// Prefix of the announced address of a Redis listener: database 0.
pub(crate) const RESP_ENDPOINT: &str = "resp 0 ";

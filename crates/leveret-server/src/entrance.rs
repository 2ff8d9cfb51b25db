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

/// What stands before the place of a listener for clients of Redis: they find database 0 there.
pub(crate) const RESP_ENDPOINT: &str = "resp 0 ";

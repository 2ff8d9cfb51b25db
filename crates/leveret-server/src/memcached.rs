//! What the server tells of itself where a client expects memcached.

/// The version that clients are told: that of the memcached whose behaviour is kept. Some clients want a minimum.
pub const VERSION: &str = "1.6.45";

/// The class of all items: an arena has no slab classes, and tools expect at least one.
pub const ITEMS_CLASS: u32 = 1;

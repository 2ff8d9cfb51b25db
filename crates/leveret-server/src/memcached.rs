//! What the server tells of itself where a client expects memcached.

/// The version reported to clients: that of the memcached that this server follows. Some clients require a minimum.
pub const VERSION: &str = "1.6.45";

/// The class of all items: an arena has no slab classes, and tools expect at least one.
pub const ITEMS_CLASS: u32 = 1;

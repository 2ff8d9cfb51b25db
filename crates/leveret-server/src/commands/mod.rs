//! What requests do, a file for each family: plain functions, which take the operands of the engine and give its outcomes.
//! They know no protocol; how something is said is the dialect's.
pub(crate) mod count;
pub(crate) mod delete;
pub(crate) mod dump;
pub(crate) mod flush;
pub(crate) mod get;
pub(crate) mod recache;
pub(crate) mod stats;
pub(crate) mod store;
pub(crate) mod told;
pub(crate) mod touch;
pub(crate) mod watch;

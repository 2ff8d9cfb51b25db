//! What is counted. Each worker writes its own numbers only, so no cache line travels between cores for the sake of
//! statistics.
pub mod baseline;
pub mod budget;
pub mod latency;
pub mod prefixes;
pub mod requests;
pub mod traffic;

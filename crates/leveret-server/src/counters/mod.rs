//! Counters. Each worker writes only its own, so no cache line moves between cores for statistics.
pub mod baseline;
pub mod budget;
pub mod latency;
pub mod prefixes;
pub mod requests;
pub mod traffic;

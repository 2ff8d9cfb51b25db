//! The load that `leveret-bench` and `leveret bench` put on servers: [`workload`] says what is asked and what must come back, [`load`] asks
//! and compares.
pub mod failure;
pub mod load;
mod random;
pub mod script;
pub mod socket;
pub mod usage;
pub mod workload;

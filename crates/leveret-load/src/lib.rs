//! The load that `leveret-bench` and `leveret bench` put on servers: [`workload`] defines requests and their right
//! answers, [`load`] sends and compares.
pub mod failure;
pub mod load;
mod random;
pub mod script;
pub mod socket;
pub mod usage;
pub mod workload;

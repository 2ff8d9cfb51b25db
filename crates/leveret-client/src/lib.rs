//! A pool of memcached servers behind a ring: which server a key lives on, and how to talk to it.
#![forbid(unsafe_code)]

mod code;
pub mod codec;
mod link;
mod memory;
pub mod pool;
pub mod redis;
pub mod ring;
mod try_lock;
mod wire;

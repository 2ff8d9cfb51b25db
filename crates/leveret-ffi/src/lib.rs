//! The C ABI: find, allocate, copy. The host language makes the string, between two calls that hold nothing; no
//! callback, no borrowed pointer, no Rust value that lives across a call into the host. `include/leveret.h` is
//! generated from this file.
#![allow(non_camel_case_types)]

mod arena;
mod cipher;
mod codec;
mod compact;
mod compute;
mod count;
mod item;
mod lease;
mod numbers;
mod pool;
mod reading;
mod redis;
mod redis_arena;
mod time;
mod types;
mod walk;

pub use arena::*;
pub use cipher::*;
pub use codec::*;
pub use compact::*;
pub use compute::*;
pub use count::*;
pub use item::*;
pub use lease::*;
pub use pool::*;
pub use reading::*;
pub use redis::*;
pub use redis_arena::*;
pub use time::*;
pub use types::*;
pub use walk::*;

/// One arena; opaque.
pub struct leveret_arena(pub(crate) leveret_engine::Arena);

//! The only file that names atomics, so that a model checker can take their place one day.
pub(crate) use core::sync::atomic::{
    compiler_fence, fence, AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicU8, AtomicUsize, Ordering,
};

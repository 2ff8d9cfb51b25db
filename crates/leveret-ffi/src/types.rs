//! Types of the ABI: bytes, items, results.
use leveret_engine::{Error, Mode, Stored, Time};

/// Bytes of the caller. `data` may be NULL when `len` is 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct leveret_bytes {
    /// First byte.
    pub data: *const u8,
    /// How many.
    pub len: usize,
}

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum leveret_status {
    /// Done: hit, stored, deleted, granted.
    LEVERET_OK = 0,
    /// There is no live item.
    LEVERET_MISS,
    /// Add: there is one already. Cas: another version or value is there.
    LEVERET_EXISTS,
    /// The item is not a number that this operation may count.
    LEVERET_NOT_NUMBER,
    /// Copy: the version was recycled meanwhile; find again.
    LEVERET_RETRY,
    /// The shard's lock was not to be had within the lock timeout.
    LEVERET_BUSY,
    /// The value is above leveret_value_max(); a plain set has removed the old item.
    LEVERET_TOO_LARGE,
    /// The key is above leveret_key_max().
    LEVERET_KEY_TOO_LONG,
    /// No room could be made, and a plain set has removed the old item; for a walk: the buffer is too small.
    LEVERET_NO_MEMORY,
    /// The arena's file was truncated, replaced or unlinked: close it and open it again.
    LEVERET_LOST,
    /// Open: the message says why and how to fix it. Otherwise: this process cannot write to the arena (process table
    /// full, no life sign, no descriptor left).
    LEVERET_FAILED,
    /// Lease: another process computes; up to 20 ms have passed. Look for the value, then ask again.
    LEVERET_WAIT,
    /// Lease: compute without one.
    LEVERET_NO_LEASE,
}

use leveret_status::*;

/// Format of an item's bytes.
#[repr(C)]
pub enum leveret_encoding {
    /// A string, as it is.
    LEVERET_RAW = 0,
    /// A signed 64-bit integer, kept as a number.
    LEVERET_INTEGER = 1,
    /// The text of a float, in the shortest form that reads back equal.
    LEVERET_DOUBLE = 2,
    /// "1" or nothing.
    LEVERET_BOOL = 3,
    /// Nothing.
    LEVERET_NULL = 4,
    /// PHP's serialize().
    LEVERET_PHP = 5,
    /// igbinary.
    LEVERET_IGBINARY = 6,
    /// msgpack.
    LEVERET_MSGPACK = 7,
    /// JSON.
    LEVERET_JSON = 8,
    /// Ruby's Marshal.
    LEVERET_MARSHAL = 9,
}

/// Which family of entrances wrote an item.
#[repr(C)]
pub enum leveret_origin {
    /// It came over a socket.
    LEVERET_WIRE = 0,
    /// The classes of pecl/memcached.
    LEVERET_PECL_MEMCACHED = 1,
    /// The classes of pecl/memcache.
    LEVERET_PECL_MEMCACHE = 2,
    /// Leveret\Cache, apcu_*, the command. They compress nothing, and rely on it when they read.
    LEVERET_NATIVE = 3,
    /// The Ruby gems.
    LEVERET_RUBY = 4,
    /// Unknown: it is a server's answer. No item of an arena has it.
    LEVERET_REMOTE = 15,
}

/// A kind of program, for statistics.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum leveret_program {
    /// Not declared.
    LEVERET_PROGRAM_OTHER = 0,
    /// PHP.
    LEVERET_PROGRAM_PHP = 1,
    /// Ruby.
    LEVERET_PROGRAM_RUBY = 2,
    /// A server of other protocols.
    LEVERET_PROGRAM_SERVER = 3,
    /// An inspection or repair tool.
    LEVERET_PROGRAM_TOOL = 4,
}

/// When a value is stored.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum leveret_mode {
    /// Always.
    LEVERET_SET = 0,
    /// When there is no item.
    LEVERET_ADD,
    /// When there is one.
    LEVERET_REPLACE,
    /// Behind the value that is there.
    LEVERET_APPEND,
    /// Before it.
    LEVERET_PREPEND,
    /// When the item has the token given.
    LEVERET_CAS,
}

impl leveret_mode {
    /// The mode of a number, with the token of a cas. None: it has no name.
    #[inline]
    pub(crate) fn of_number(number: u32, cas: u64) -> Option<Mode> {
        const SET: u32 = leveret_mode::LEVERET_SET as u32;
        const ADD: u32 = leveret_mode::LEVERET_ADD as u32;
        const REPLACE: u32 = leveret_mode::LEVERET_REPLACE as u32;
        const APPEND: u32 = leveret_mode::LEVERET_APPEND as u32;
        const PREPEND: u32 = leveret_mode::LEVERET_PREPEND as u32;
        const CAS: u32 = leveret_mode::LEVERET_CAS as u32;
        Some(match number {
            SET => Mode::Set,
            ADD => Mode::Add,
            REPLACE => Mode::Replace,
            APPEND => Mode::Append,
            PREPEND => Mode::Prepend,
            CAS => Mode::Cas(cas),
            _ => return None,
        })
    }
}

/// 0 = now.
pub(crate) fn moment(now: u32) -> Time {
    if now == 0 {
        Time::now()
    } else {
        Time(now)
    }
}

impl leveret_bytes {
    /// # Safety
    /// `data..data+len` is readable for as long as the slice is used.
    pub(crate) unsafe fn as_slice<'a>(self) -> &'a [u8] {
        // SAFETY: by contract.
        unsafe { slice(self.data, self.len) }
    }
}

/// # Safety
/// `first` is aligned, and `count` values from there on can be read for as long as the slice is used; with 0 it may be NULL.
pub(crate) unsafe fn slice<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by contract.
    unsafe { std::slice::from_raw_parts(first, count) }
}

pub(crate) fn failure(error: &Error) -> leveret_status {
    match error {
        Error::ValueTooLarge { .. } => LEVERET_TOO_LARGE,
        Error::KeyTooLong { .. } => LEVERET_KEY_TOO_LONG,
        Error::NoMemory => LEVERET_NO_MEMORY,
        Error::Busy => LEVERET_BUSY,
        Error::Lost => LEVERET_LOST,
        _ => LEVERET_FAILED,
    }
}

pub(crate) fn answer(result: Result<bool, Error>) -> leveret_status {
    match result {
        Ok(true) => LEVERET_OK,
        Ok(false) => LEVERET_MISS,
        Err(error) => failure(&error),
    }
}

pub(crate) fn outcome(result: Result<Stored, Error>) -> leveret_status {
    match result {
        Ok(Stored::Stored { .. }) => LEVERET_OK,
        Ok(Stored::Exists) => LEVERET_EXISTS,
        Ok(Stored::Missing) => LEVERET_MISS,
        Err(error) => failure(&error),
    }
}

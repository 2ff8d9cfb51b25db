//! A pool of servers, as a host language's client classes need it.
//!
//! One pool is used by one thread at a time. Nothing is held across calls but what leveret_pool_free frees.
mod batch;
mod call;
mod servers;
mod settings;

pub use batch::*;
pub use call::*;
pub use servers::*;
pub use settings::*;

use crate::{leveret_arena, leveret_bytes};
use leveret_client::pool::{Options, Pool, Validity};
use std::sync::Arc;
use std::time::Duration;

/// Servers behind a ring, and one batch of requests; opaque.
pub struct leveret_pool {
    pool: Pool,
    ring: leveret_ring,
    hash: u32,
    /// For LEVERET_RING_VIRTUAL_BUCKET, also while another ring is chosen.
    buckets: Arc<[u32]>,
    ejects: [bool; 2],
    /// What leveret_pool_arena gives.
    arena: Option<leveret_arena>,
    /// The longest value that is stored in it without a batch; None: it takes a batch for any.
    stores: Option<usize>,
    /// How long without asking the pool. None: it is asked the next time.
    validity: Option<Validity>,
}

/// Codes are libmemcached's numbers, which PHP shows as Memcached::RES_*.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum leveret_code {
    /// Done, or found.
    LEVERET_CODE_SUCCESS = 0,
    /// It failed, and nothing says why.
    LEVERET_CODE_FAILURE = 1,
    /// The host's name has no address.
    LEVERET_CODE_HOST_LOOKUP_FAILURE = 2,
    /// The server cannot be reached.
    LEVERET_CODE_CONNECTION_FAILURE = 3,
    /// Sending failed.
    LEVERET_CODE_WRITE_FAILURE = 5,
    /// The connection ended before the answer.
    LEVERET_CODE_UNKNOWN_READ_FAILURE = 7,
    /// The server does not know the command, or cannot be understood.
    LEVERET_CODE_PROTOCOL_ERROR = 8,
    /// The server refused the request.
    LEVERET_CODE_CLIENT_ERROR = 9,
    /// The server could not do it.
    LEVERET_CODE_SERVER_ERROR = 10,
    /// Another version is there.
    LEVERET_CODE_DATA_EXISTS = 12,
    /// Add found something; replace, append and prepend found nothing.
    LEVERET_CODE_NOTSTORED = 14,
    /// There is no such item.
    LEVERET_CODE_NOTFOUND = 16,
    /// Some requests of the batch failed.
    LEVERET_CODE_SOME_ERRORS = 19,
    /// The pool has no server.
    LEVERET_CODE_NO_SERVERS = 20,
    /// The end of a server's statistics or keys.
    LEVERET_CODE_END = 21,
    /// One line of a server's statistics, or one of its keys.
    LEVERET_CODE_STAT = 24,
    /// A system call failed; `number` is the errno.
    LEVERET_CODE_ERRNO = 26,
    /// The protocol cannot do that.
    LEVERET_CODE_NOT_SUPPORTED = 28,
    /// The server did not answer in time.
    LEVERET_CODE_TIMEOUT = 31,
    /// The write waits in a buffer.
    LEVERET_CODE_BUFFERED = 32,
    /// The key cannot be sent.
    LEVERET_CODE_BAD_KEY_PROVIDED = 33,
    /// The server failed too often and is out of the ring.
    LEVERET_CODE_SERVER_MARKED_DEAD = 35,
    /// The item is too large for the server.
    LEVERET_CODE_E2BIG = 37,
    /// A setting has a value that it cannot have.
    LEVERET_CODE_INVALID_ARGUMENTS = 38,
    /// The server takes no user names and passwords.
    LEVERET_CODE_AUTH_PROBLEM = 40,
    /// The server refuses this name and password, or requires a sign-in.
    LEVERET_CODE_AUTH_FAILURE = 41,
    /// The server failed a moment ago and rests.
    LEVERET_CODE_SERVER_TEMPORARILY_DISABLED = 47,
    /// The server has no memory left for the item.
    LEVERET_CODE_SERVER_MEMORY_ALLOCATION_FAILURE = 48,
}

/// A pool without servers, with php-memcached's defaults.
#[no_mangle]
pub extern "C" fn leveret_pool_new() -> *mut leveret_pool {
    let pool = Pool::new(Options::default());
    Box::into_raw(Box::new(leveret_pool {
        pool,
        ring: leveret_ring::LEVERET_RING_MODULA,
        hash: 0,
        buckets: Arc::default(),
        ejects: [false; 2],
        arena: None,
        stores: None,
        validity: None,
    }))
}

/// Closes all connections and frees the pool. NULL is allowed.
///
/// # Safety
/// `pool` came from leveret_pool_new and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_free(pool: *mut leveret_pool) {
    if !pool.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(pool) });
    }
}

/// Frees the pool as leveret_pool_free does, but sends nothing and waits for nothing: for a garbage collector. Writes
/// that waited in buffers are lost. NULL: nothing happens.
///
/// # Safety
/// `pool` is NULL, or came from leveret_pool_new and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn leveret_pool_discard(pool: *mut leveret_pool) {
    if !pool.is_null() {
        // SAFETY: by contract.
        unsafe { Box::from_raw(pool) }.pool.discard();
    }
}

fn bytes(slice: &[u8]) -> leveret_bytes {
    leveret_bytes { data: slice.as_ptr(), len: slice.len() }
}

/// Negative = practically no limit.
fn millis(value: i64) -> Duration {
    const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);
    u64::try_from(value).map_or(FOR_EVER, |millis| Duration::from_millis(millis).min(FOR_EVER))
}

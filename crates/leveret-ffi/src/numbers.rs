//! Numbers of the ABI. C may pass any number where the header names an enum, and a Rust enum must not hold another one than
//! its own: so functions take u32 and ask `of_number`. Numbers that go through as they are have enums in the header that
//! the compiler compares with those of the crates below.
use crate::{
    leveret_code, leveret_encoding, leveret_operation, leveret_origin, leveret_pool_option, leveret_program,
    leveret_ring,
};
use leveret_client::codec::{encoding, origin};
use leveret_client::pool::Code;
use leveret_engine::{Encoding, Origin};

macro_rules! of_number {
    ($of:ident: $($name:ident)+) => {
        impl $of {
            /// The name of a number; None: it has none.
            pub(crate) fn of_number(number: u32) -> Option<$of> {
                // A name that is missing below does not compile.
                const fn is_listed(name: $of) {
                    match name { $($of::$name => (),)+ }
                }
                const ALL: &[$of] = &[$($of::$name),+];
                const _: () = is_listed(ALL[0]);
                ALL.iter().copied().find(|name| *name as u32 == number)
            }
        }
    };
}

of_number! { leveret_program: LEVERET_PROGRAM_OTHER LEVERET_PROGRAM_PHP LEVERET_PROGRAM_RUBY LEVERET_PROGRAM_SERVER LEVERET_PROGRAM_TOOL }

of_number! {
    leveret_ring: LEVERET_RING_MODULA LEVERET_RING_CONSISTENT LEVERET_RING_KETAMA LEVERET_RING_PECL_CONSISTENT
    LEVERET_RING_PECL_STANDARD LEVERET_RING_DALLI LEVERET_RING_VIRTUAL_BUCKET
}

of_number! {
    leveret_operation: LEVERET_OP_GET LEVERET_OP_SET LEVERET_OP_ADD LEVERET_OP_REPLACE LEVERET_OP_APPEND LEVERET_OP_PREPEND
    LEVERET_OP_CAS LEVERET_OP_DELETE LEVERET_OP_INCREMENT LEVERET_OP_DECREMENT LEVERET_OP_TOUCH LEVERET_OP_GET_AND_TOUCH
    LEVERET_OP_FLUSH LEVERET_OP_VERSION LEVERET_OP_STATS LEVERET_OP_KEYS
}

of_number! {
    leveret_pool_option: LEVERET_POOL_PROTOCOL LEVERET_POOL_RING LEVERET_POOL_HASH LEVERET_POOL_CONNECT_TIMEOUT_MS
    LEVERET_POOL_POLL_TIMEOUT_MS LEVERET_POOL_RETRY_TIMEOUT_S LEVERET_POOL_DEAD_TIMEOUT_S LEVERET_POOL_FAILURE_LIMIT
    LEVERET_POOL_TIMEOUT_LIMIT LEVERET_POOL_AUTO_EJECT LEVERET_POOL_REMOVE_FAILED LEVERET_POOL_HASH_WITH_PREFIX
    LEVERET_POOL_UDP LEVERET_POOL_REPLICAS LEVERET_POOL_RANDOM_REPLICA LEVERET_POOL_REDUNDANCY LEVERET_POOL_SHORT_CUT
    LEVERET_POOL_KEEPALIVE LEVERET_POOL_SEND_SIZE LEVERET_POOL_RECV_SIZE LEVERET_POOL_NOREPLY LEVERET_POOL_BUFFER_WRITES
    LEVERET_POOL_VERIFY_KEY LEVERET_POOL_SORT_HOSTS LEVERET_POOL_FAILOVER_ATTEMPTS LEVERET_POOL_ELSEWHERE
    LEVERET_POOL_ARENA_MEMORY LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS
}

macro_rules! are_the_same {
    ($($number:path = $meaning:expr;)+) => { $(const _: () = assert!($number as i64 == $meaning as i64);)+ };
}

are_the_same! {
    leveret_encoding::LEVERET_RAW = Encoding::RAW.number();
    leveret_encoding::LEVERET_INTEGER = Encoding::INTEGER.number();
    leveret_encoding::LEVERET_DOUBLE = Encoding::DOUBLE.number();
    leveret_encoding::LEVERET_BOOL = Encoding::BOOL.number();
    leveret_encoding::LEVERET_NULL = encoding::NULL.number();
    leveret_encoding::LEVERET_PHP = encoding::PHP.number();
    leveret_encoding::LEVERET_IGBINARY = encoding::IGBINARY.number();
    leveret_encoding::LEVERET_MSGPACK = encoding::MSGPACK.number();
    leveret_encoding::LEVERET_JSON = encoding::JSON.number();
    leveret_encoding::LEVERET_MARSHAL = encoding::MARSHAL.number();
}

are_the_same! {
    leveret_origin::LEVERET_WIRE = Origin::WIRE.number();
    leveret_origin::LEVERET_PECL_MEMCACHED = origin::PECL_MEMCACHED.number();
    leveret_origin::LEVERET_PECL_MEMCACHE = origin::PECL_MEMCACHE.number();
    leveret_origin::LEVERET_NATIVE = Origin::NATIVE.number();
    leveret_origin::LEVERET_RUBY = origin::RUBY.number();
    leveret_origin::LEVERET_REMOTE = origin::REMOTE.number();
}

are_the_same! {
    leveret_code::LEVERET_CODE_SUCCESS = Code::Success;
    leveret_code::LEVERET_CODE_FAILURE = Code::Failure;
    leveret_code::LEVERET_CODE_HOST_LOOKUP_FAILURE = Code::HostLookupFailure;
    leveret_code::LEVERET_CODE_CONNECTION_FAILURE = Code::ConnectionFailure;
    leveret_code::LEVERET_CODE_WRITE_FAILURE = Code::WriteFailure;
    leveret_code::LEVERET_CODE_UNKNOWN_READ_FAILURE = Code::UnknownReadFailure;
    leveret_code::LEVERET_CODE_PROTOCOL_ERROR = Code::ProtocolError;
    leveret_code::LEVERET_CODE_CLIENT_ERROR = Code::ClientError;
    leveret_code::LEVERET_CODE_SERVER_ERROR = Code::ServerError;
    leveret_code::LEVERET_CODE_DATA_EXISTS = Code::DataExists;
    leveret_code::LEVERET_CODE_NOTSTORED = Code::NotStored;
    leveret_code::LEVERET_CODE_NOTFOUND = Code::NotFound;
    leveret_code::LEVERET_CODE_SOME_ERRORS = Code::SomeErrors;
    leveret_code::LEVERET_CODE_NO_SERVERS = Code::NoServers;
    leveret_code::LEVERET_CODE_END = Code::End;
    leveret_code::LEVERET_CODE_STAT = Code::Stat;
    leveret_code::LEVERET_CODE_ERRNO = Code::Errno;
    leveret_code::LEVERET_CODE_NOT_SUPPORTED = Code::NotSupported;
    leveret_code::LEVERET_CODE_TIMEOUT = Code::Timeout;
    leveret_code::LEVERET_CODE_BUFFERED = Code::Buffered;
    leveret_code::LEVERET_CODE_BAD_KEY_PROVIDED = Code::BadKey;
    leveret_code::LEVERET_CODE_SERVER_MARKED_DEAD = Code::ServerMarkedDead;
    leveret_code::LEVERET_CODE_E2BIG = Code::TooBig;
    leveret_code::LEVERET_CODE_INVALID_ARGUMENTS = Code::InvalidArguments;
    leveret_code::LEVERET_CODE_AUTH_PROBLEM = Code::AuthProblem;
    leveret_code::LEVERET_CODE_AUTH_FAILURE = Code::AuthFailure;
    leveret_code::LEVERET_CODE_SERVER_TEMPORARILY_DISABLED = Code::ServerTemporarilyDisabled;
    leveret_code::LEVERET_CODE_SERVER_MEMORY_ALLOCATION_FAILURE = Code::ServerMemoryAllocationFailure;
}

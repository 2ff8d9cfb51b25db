//! Numbers that go through the ABI as they are: the header needs enums of its own, and the compiler sees to it that
//! they say the same.
use crate::{leveret_code, leveret_encoding, leveret_origin};
use leveret_client::codec::{encoding, origin};
use leveret_client::pool::Code;
use leveret_engine::{Encoding, Origin};

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

//! How requests end, in the numbers of libmemcached.

/// How a request ended. The numbers are libmemcached's, which PHP shows as `Memcached::RES_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// Done, or found.
    Success = 0,
    /// It failed, and nothing says why.
    Failure = 1,
    /// The host's name has no address.
    HostLookupFailure = 2,
    /// The server cannot be reached.
    ConnectionFailure = 3,
    /// Sending failed.
    WriteFailure = 5,
    /// The connection ended before the answer.
    UnknownReadFailure = 7,
    /// The server does not know the command, or its answer cannot be understood.
    ProtocolError = 8,
    /// The server refused the request.
    ClientError = 9,
    /// The server could not do it.
    ServerError = 10,
    /// Another version is there.
    DataExists = 12,
    /// Add found something; replace, append and prepend found nothing.
    NotStored = 14,
    /// There is no such item.
    NotFound = 16,
    /// Some requests of the batch failed.
    SomeErrors = 19,
    /// The pool has no server.
    NoServers = 20,
    /// The end of a server's statistics or keys.
    End = 21,
    /// One line of a server's statistics, or one of its keys.
    Stat = 24,
    /// A system call failed; the answer's number is its errno.
    Errno = 26,
    /// The protocol cannot do that.
    NotSupported = 28,
    /// The server did not answer in time.
    Timeout = 31,
    /// The write waits in a buffer.
    Buffered = 32,
    /// The key cannot be sent.
    BadKey = 33,
    /// The server failed too often and is taken out of the ring.
    ServerMarkedDead = 35,
    /// The item is too large for the server.
    TooBig = 37,
    /// A setting has a value that it cannot have.
    InvalidArguments = 38,
    /// The server takes no user names and passwords.
    AuthProblem = 40,
    /// The server refuses this name and password, or requires a sign-in.
    AuthFailure = 41,
    /// The server failed a moment ago and is not tried until its retry time-out is over.
    ServerTemporarilyDisabled = 47,
    /// The server has no memory left for the item.
    ServerMemoryAllocationFailure = 48,
}

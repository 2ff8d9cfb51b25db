//! How calls fail, in the words that applications match.
use crate::code::Code;
use crate::link::fault::Fault;

/// Why a call on a link to Redis failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RedisCode {
    /// No server was named.
    NoServer = 1,
    /// The server cannot be reached.
    Connect,
    /// It refuses this user and password.
    Auth,
    /// It has no such database.
    Select,
    /// The connection has ended.
    Lost,
    /// A reply did not come, or not whole.
    Read,
    /// What came is no reply.
    Protocol,
    /// A request is longer than may be sent.
    TooLarge,
    /// The replies that are asked for are those of another request by now, or there are no more.
    Turn,
}

/// The code, and the text of an exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisFailure {
    /// What went wrong.
    pub code: RedisCode,
    /// For people, and for applications that look for it.
    pub text: Vec<u8>,
}

impl RedisFailure {
    pub(crate) fn new(code: RedisCode, text: impl Into<Vec<u8>>) -> RedisFailure {
        RedisFailure { code, text: text.into() }
    }

    pub(crate) fn no_server() -> RedisFailure {
        RedisFailure::new(RedisCode::NoServer, "Redis server went away")
    }

    pub(crate) fn lost() -> RedisFailure {
        RedisFailure::new(RedisCode::Lost, "Connection lost")
    }

    pub(crate) fn lost_with_state() -> RedisFailure {
        RedisFailure::new(RedisCode::Lost, "Connection lost and socket is in MULTI/watching mode")
    }

    pub(crate) fn turn() -> RedisFailure {
        RedisFailure::new(RedisCode::Turn, "Connection lost")
    }

    /// The beginning of a reply did not come. `name` is the server's.
    pub(crate) fn read(name: &str) -> RedisFailure {
        RedisFailure::new(RedisCode::Read, format!("read error on connection to {name}"))
    }

    pub(crate) fn cut() -> RedisFailure {
        RedisFailure::new(RedisCode::Read, "socket error on read socket")
    }

    pub(crate) fn protocol(byte: u8) -> RedisFailure {
        RedisFailure::new(
            RedisCode::Protocol,
            [b"protocol error, got '", &[byte][..], b"' as reply type byte\n"].concat(),
        )
    }

    pub(crate) fn too_large(what: &str) -> RedisFailure {
        RedisFailure::new(RedisCode::TooLarge, what)
    }
}

/// What the system says of a failure to connect.
pub(super) fn told_by_system(fault: Fault, host: &str) -> String {
    match fault.code {
        Code::HostLookupFailure => {
            format!("php_network_getaddresses: getaddrinfo for {host} failed: Name or service not known")
        }
        _ if fault.errno != 0 => {
            // Rust puts the number behind the text.
            let text = std::io::Error::from_raw_os_error(fault.errno).to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
        _ => "Connection timed out".to_owned(),
    }
}

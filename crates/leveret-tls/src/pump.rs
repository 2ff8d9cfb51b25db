//! From rustls to the socket.
use rustix::io::Errno;
use rustls::ConnectionCommon;
use std::io::{ErrorKind, Write};

/// Sends a connection's encrypted bytes. AGAIN: the socket has not accepted all of them.
pub fn flush<Side>(connection: &mut ConnectionCommon<Side>, socket: &mut dyn Write) -> Result<(), Errno> {
    while connection.wants_write() {
        match connection.write_tls(socket) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }
    Ok(())
}

//! Sign-in of a command at a server with users (`-Y`): the name is in its TARGET, the password in a file, since other
//! users can see command lines and environment variables.
use crate::output::Failure;
use leveret_engine::reason;
use leveret_protocol::resp::write_arguments;
use leveret_tls::wipe;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The variable that names the file: `user:password` a line, as the server's own.
const VARIABLE: &str = "LEVERET_PASSWORD_FILE";

/// A server's file of users is not longer.
const FILE_MAX: u64 = 64 << 10;

/// Advice after a refused request without a user.
pub const ADVICE: &str =
    "write USER@ before the target, and name a file of user:password lines in LEVERET_PASSWORD_FILE";

/// The request that signs a user in: the first `set` of a connection, with any key.
pub fn request(user: &str) -> Result<Vec<u8>, Failure> {
    with_password(user, |password| {
        let len = user.len() + 1 + password.len();
        [format!("set user 0 0 {len}\r\n{user} ").as_bytes(), password, b"\r\n"].concat()
    })
}

/// The same for a server that speaks RESP.
pub fn redis_request(user: &str) -> Result<Vec<u8>, Failure> {
    with_password(user, |password| {
        let mut request = Vec::new();
        write_arguments(&mut request, &[b"AUTH", user.as_bytes(), password]);
        request
    })
}

fn with_password(user: &str, write: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<Vec<u8>, Failure> {
    let path = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from).ok_or_else(|| {
        Failure::Usage(format!(
            "the target names the user {user}: {VARIABLE} must name a file with the line {user}:PASSWORD"
        ))
    })?;
    let mut users = contents(&path).map_err(|error| {
        Failure::Unreachable(format!("the file of passwords {} ({VARIABLE}): {}", path.display(), reason(&error)))
    })?;
    let request = password_of(&users, user).map(write);
    wipe(&mut users);
    request.ok_or_else(|| {
        Failure::Unreachable(format!(
            "the file of passwords {} ({VARIABLE}) has no line {user}:PASSWORD",
            path.display()
        ))
    })
}

/// Each connection reads it again, so it cannot be a pipe.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_MAX {
        wipe(&mut bytes);
        return Err(io::Error::other(format!("it has more than {FILE_MAX} bytes")));
    }
    Ok(bytes)
}

fn password_of<'a>(users: &'a [u8], user: &str) -> Option<&'a [u8]> {
    let lines = users.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter_map(|line| line.strip_prefix(user.as_bytes())?.strip_prefix(b":")).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_user_has_its_password() {
        let users = b"annabel:other\nann:a:b \r\nann:second\nbob:";
        assert_eq!(password_of(users, "ann"), Some(&b"a:b "[..]));
        assert_eq!(password_of(users, "bob"), Some(&b""[..]));
        assert_eq!(password_of(users, "eve"), None);
    }

    #[test]
    fn folders_and_endless_files_are_refused() {
        assert!(contents(Path::new("/dev/zero")).is_err());
        assert!(contents(Path::new("/tmp")).is_err());
    }
}

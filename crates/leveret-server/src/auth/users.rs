//! `-Y`: the file of `user:password` lines.
use super::secret::is_equal;
use crate::log::{self, Level};

use leveret_engine::reason;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Users who may talk to the server.
#[derive(Debug)]
pub struct Users {
    /// `user password`, as the value of the first `set` must be.
    credentials: Vec<Vec<u8>>,
}

/// Why a file of users is refused.
#[derive(Debug)]
pub struct UserError {
    path: PathBuf,
    why: String,
}

impl fmt::Display for UserError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "the file of users {}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for UserError {}

impl UserError {
    pub(super) fn new(path: &Path, why: String) -> UserError {
        UserError { path: path.to_owned(), why }
    }
}

/// memcached's limits of such a file: its size and the number of its lines.
const BYTES_MAX: usize = 65536;
const USERS_MAX: usize = 8;

impl Users {
    /// Reads the file. The last line may lack its end.
    pub fn read(path: &Path) -> Result<Users, UserError> {
        let failed = |why: String| UserError { path: path.to_owned(), why };
        let bytes = std::fs::read(path).map_err(|error| failed(reason(&error)))?;
        tell_open(path);
        if bytes.len() > BYTES_MAX {
            return Err(failed(format!("it has {} bytes, at most {BYTES_MAX} are allowed", bytes.len())));
        }
        let mut credentials = Vec::new();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let colon = line.iter().position(|byte| *byte == b':');
            let colon =
                colon.ok_or_else(|| failed(format!("line {} has no ':' between user and password", number + 1)))?;
            credentials.push([&line[..colon], b" ", &line[colon + 1..]].concat());
        }
        if credentials.is_empty() || credentials.len() > USERS_MAX {
            return Err(failed(format!("it names {} users, 1 to {USERS_MAX} are allowed", credentials.len())));
        }
        Ok(Users { credentials })
    }

    /// Whether this is the name and the password of a user. Takes the same time wherever the first difference is.
    pub fn admit(&self, given: &[u8]) -> bool {
        self.credentials.iter().fold(false, |admitted, wanted| admitted | is_equal(wanted, given))
    }
}

/// memcached accepts such a file silently, so this server accepts it too.
pub(super) fn tell_open(path: &Path) {
    let mode = std::fs::metadata(path).map_or(0, |found| found.mode());
    let what = match mode & 0o006 {
        0 => return,
        0o004 => "read the passwords in",
        _ => "write to",
    };
    log::tell(
        Level::Warning,
        format_args!("every user may {what} the file of users {}; chmod o-rw it", path.display()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_users() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("users");
        std::fs::write(&path, "ann:secret\nbob:a:b").expect("written");
        let users = Users::read(&path).expect("two users");
        assert!(users.admit(b"ann secret") && users.admit(b"bob a:b"));
        assert!(!users.admit(b"ann") && !users.admit(b"ann secret ") && !users.admit(b""));
        std::fs::write(&path, "ann\n").expect("written");
        assert!(Users::read(&path).expect_err("no colon").to_string().contains("line 1"));
        std::fs::write(&path, "").expect("written");
        assert!(Users::read(&path).is_err());
    }
}

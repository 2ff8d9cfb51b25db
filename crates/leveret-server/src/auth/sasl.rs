//! `-S`: SASL PLAIN over the binary protocol. memcached hands this to Cyrus' library; the answers, also to requests
//! that come twice or in the wrong order, were observed with Debian's memcached and are the same here. Of its password
//! sources, two are supported: memcached's own, the file named by MEMCACHED_SASL_PWDB, and sasldb.
use super::sasldb;
use super::secret::is_equal;
use super::users::{self, UserError};
use crate::log::{self, Level};
use leveret_engine::reason;
use leveret_tls::wipe;
use rustix::fs::OFlags;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const PLAIN: &[u8] = b"PLAIN";

/// memcached's bound of a name and its password together.
const CREDENTIALS_MAX: usize = 252;

/// Enough for tens of thousands of users, and a limit on how much an unknown client can have read.
const FILE_MAX: u64 = 1 << 20;

/// SASL state of one connection.
#[derive(Debug, Default)]
pub(crate) struct SaslSignIn {
    /// A mechanism was started, so a step may follow.
    has_begun: bool,
    /// It has let the client in. What follows is refused, until a beginning was refused.
    is_over: bool,
}

/// How a message was taken.
pub(crate) enum SaslAnswer {
    Right,
    /// The mechanism was named and no message sent: it comes with a step.
    More,
    Wrong,
}

/// The file of `user:password` lines, or a sasldb. It is read at each sign-in, as by memcached: what changes in it counts at once,
/// and no password stays in memory.
#[derive(Debug)]
pub struct PasswordFile {
    path: PathBuf,
    /// It could not be read the last time, which was said.
    is_lost: AtomicBool,
}

impl SaslSignIn {
    /// The names of all mechanisms.
    pub const MECHANISMS: &[u8] = PLAIN;

    /// memcached's longest name of a mechanism.
    pub const MECHANISM_MAX: usize = 32;

    /// Longer than any valid message (PLAIN may contain the name twice): unknown clients must not make a server collect
    /// more.
    pub const MESSAGE_MAX: usize = 1024;

    /// A message was refused before it was read.
    pub fn give_up(&mut self) {
        self.has_begun = false;
    }

    /// A mechanism is named, perhaps with its message.
    pub fn begin(&mut self, file: &PasswordFile, mechanism: &[u8], message: &[u8]) -> SaslAnswer {
        // To Cyrus' library it ends at a zero.
        let mechanism = mechanism.split(|byte| *byte == 0).next().unwrap_or_default();
        let said = if !mechanism.eq_ignore_ascii_case(PLAIN) {
            SaslAnswer::Wrong
        } else if message.is_empty() {
            SaslAnswer::More
        } else {
            self.hear(file, message)
        };
        self.has_begun = !matches!(said, SaslAnswer::Wrong);
        self.is_over &= self.has_begun;
        said
    }

    /// The message of the mechanism that was named.
    pub fn step(&mut self, file: &PasswordFile, message: &[u8]) -> SaslAnswer {
        if self.has_begun {
            self.hear(file, message)
        } else {
            SaslAnswer::Wrong
        }
    }

    fn hear(&mut self, file: &PasswordFile, message: &[u8]) -> SaslAnswer {
        if self.is_over || !plain(message).is_some_and(|(user, password)| file.admit(user, password)) {
            return SaslAnswer::Wrong;
        }
        self.is_over = true;
        SaslAnswer::Right
    }
}

/// The name and the password in a message of PLAIN: the identity to act as (here only the user itself), the user, the
/// password, separated by zeros. Space around names is ignored, as by Cyrus' library.
fn plain(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut parts = message.split(|byte| *byte == 0);
    let (acts_for, user, password) = (parts.next()?.trim_ascii(), parts.next()?.trim_ascii(), parts.next()?);
    let is_self = acts_for.is_empty() || acts_for == user;
    (parts.next().is_none() && is_self).then_some((user, password))
}

impl PasswordFile {
    /// Checks that the file exists and contains a user.
    pub fn open(path: &Path) -> Result<PasswordFile, UserError> {
        let failed = |why: String| UserError::new(path, why);
        let mut text = read(path).map_err(|error| failed(reason(&error)))?;
        let is_database = sasldb::is_one(&text);
        let count = if is_database { sasldb::users(&text).count() } else { users(&text).count() };
        let has_more = !is_database && users(&text).any(|(_, password)| password.contains(&b':'));
        wipe(&mut text);
        if count == 0 {
            return Err(failed(
                "it names no user; a line is user:password, and saslpasswd2 writes a sasldb".to_owned(),
            ));
        }
        users::tell_open(path);
        if has_more {
            let path = path.display();
            log::tell(Level::Warning, format_args!("a line of {path} has more than one ':'; as with memcached, what stands between the first two is enough as its password"));
        }
        Ok(PasswordFile { path: path.to_owned(), is_lost: AtomicBool::new(false) })
    }

    /// Whether this is the name and the password of a user. Every line is compared, so that the time tells nothing.
    fn admit(&self, user: &[u8], password: &[u8]) -> bool {
        if user.is_empty() || password.is_empty() || user.len() + password.len() > CREDENTIALS_MAX {
            return false;
        }
        let mut text = match read(&self.path) {
            Ok(text) => text,
            Err(error) => {
                if !self.is_lost.swap(true, Relaxed) {
                    let why = UserError::new(&self.path, reason(&error));
                    log::tell(Level::Error, format_args!("{why}; until it can be read, no client can sign in"));
                }
                return false;
            }
        };
        self.is_lost.store(false, Relaxed);
        let mut known = None;
        let host = host_name();
        for other in sasldb::users(&text) {
            let is_right = is_equal(other.password, password);
            if other.is_named(user, &host) & known.is_none() {
                known = Some(is_right);
            }
        }
        let lines: &[u8] = if sasldb::is_one(&text) { &[] } else { &text };
        for (name, expected) in users(lines) {
            let is_right = is_password(expected, password);
            if is_equal(name, user) & known.is_none() {
                known = Some(is_right);
            }
        }
        wipe(&mut text);
        known == Some(true)
    }
}

/// To which the names of users belong that say no realm.
fn host_name() -> Vec<u8> {
    std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default().trim_ascii().to_vec()
}

/// memcached takes a password up to any further colon, behind which there may be other things.
fn is_password(expected: &[u8], given: &[u8]) -> bool {
    let front = expected.get(..given.len()).unwrap_or(expected);
    is_equal(front, given) & matches!(expected.get(given.len()), None | Some(b':'))
}

/// The lines of names and passwords; others have no meaning.
fn users(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| *byte == b'\n').filter_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((&line[..colon], &line[colon + 1..]))
    })
}

/// Whole, without waiting (a worker reads it), and without leaving a copy anywhere, as `read_to_end` does.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > FILE_MAX {
        return Err(io::Error::other(format!("it has more than {FILE_MAX} bytes")));
    }
    let mut text = vec![0; metadata.len() as usize];
    let read = file.read_exact(&mut text);
    if read.is_err() {
        wipe(&mut text);
    }
    read.map(|()| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(text: &str) -> (tempfile::TempDir, PasswordFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passwords");
        std::fs::write(&path, text).unwrap();
        let file = PasswordFile::open(&path).unwrap();
        (folder, file)
    }

    #[test]
    fn lines_as_memcached_reads_them() {
        let (_folder, file) = file_of("# users\nann:secret\r\nbob:one:two\nann:other\nnobody:\n:empty\nlast:line");
        for (user, password, want) in [
            ("ann", "secret", true),
            // The first line of a name decides.
            ("ann", "other", false),
            ("ann", "secre", false),
            ("ann", "secret\r", false),
            ("ann", "", false),
            ("bob", "one", true),
            ("bob", "one:two", true),
            ("bob", "one:", false),
            ("bob", "on", false),
            ("bob:one", "two", false),
            ("nobody", "", false),
            ("", "empty", false),
            ("Ann", "secret", false),
            ("last", "line", true),
        ] {
            assert_eq!(file.admit(user.as_bytes(), password.as_bytes()), want, "{user} {password}");
        }
    }

    #[test]
    fn a_name_and_a_password_have_252_bytes_at_most() {
        let (longest, longer) = ("p".repeat(249), "p".repeat(250));
        let (_folder, file) = file_of(&format!("ann:{longest}\nbob:{longer}\n"));
        assert!(file.admit(b"ann", longest.as_bytes()));
        assert!(!file.admit(b"bob", longer.as_bytes()));
    }

    #[test]
    fn what_changes_counts_at_once_and_what_is_gone_lets_nobody_in() {
        let (_folder, file) = file_of("ann:old\n");
        assert!(file.admit(b"ann", b"old"));
        std::fs::write(&file.path, "ann:new\n").unwrap();
        assert!(!file.admit(b"ann", b"old") && file.admit(b"ann", b"new"));
        std::fs::remove_file(&file.path).unwrap();
        assert!(!file.admit(b"ann", b"new"));
        std::fs::write(&file.path, "ann:new\n").unwrap();
        assert!(file.admit(b"ann", b"new"));
    }

    #[test]
    fn a_file_that_cannot_be_one_refuses_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passwords");
        let error = |path: &Path| PasswordFile::open(path).unwrap_err().to_string();
        assert!(error(&path).contains("no such file") || error(&path).contains("No such file"), "{}", error(&path));
        assert!(error(folder.path()).contains("not a regular file"));
        std::fs::write(&path, "nobody here\n").unwrap();
        assert!(error(&path).contains("it names no user"));
        std::fs::write(&path, vec![b':'; FILE_MAX as usize + 1]).unwrap();
        assert!(error(&path).contains("more than"));
    }

    #[test]
    fn messages_of_plain() {
        for (message, want) in [
            ("\0ann\0secret", Some(("ann", "secret"))),
            ("ann\0ann\0secret", Some(("ann", "secret"))),
            (" ann\0ann \0secret ", Some(("ann", "secret "))),
            ("bob\0ann\0secret", None),
            ("\0ann\0secret\0", None),
            ("\0ann", None),
            ("ann", None),
            ("", None),
            ("\0\0", Some(("", ""))),
        ] {
            let want = want.map(|(user, password)| (user.as_bytes(), password.as_bytes()));
            assert_eq!(plain(message.as_bytes()), want, "{message:?}");
        }
    }
}

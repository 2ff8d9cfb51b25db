//! The process that the server lives in: its user, its limits, its place in the background.
use crate::output::Failure;
use crate::users::{Account, AccountFiles};
use leveret_engine::reason;
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use rustix::{stdio, thread};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Set in the process that `-d` leaves behind.
const DETACHED: &str = "LEVERET_DETACHED";
const READY: &str = "ready";
/// Descriptors beside the connections: listeners, an epoll and a waker for each thread, the arena, standard streams.
const OTHER_FILES: u64 = 64;

pub fn is_detached() -> bool {
    env::var_os(DETACHED).is_some()
}

/// `-d`, first half: starts this program again, without a terminal, and waits until it listens or gives up.
///
/// A new program instead of a fork: it inherits no state that threads or locks could have left half done. Errors at the
/// start are printed here, and set the exit code, since the caller still waits.
pub fn detach() -> Result<ExitStatus, Failure> {
    let failed =
        |error: io::Error| Failure::Unreachable(format!("-d: cannot start in the background: {}", reason(&error)));
    let mut words = env::args_os();
    let name = words.next().unwrap_or_else(|| "leveret".into());
    let mut child = Command::new("/proc/self/exe")
        .arg0(name)
        .args(words)
        .env(DETACHED, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut said = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut said).map_err(failed)?;
    }
    if said.trim_end() == READY {
        return Ok(ExitStatus::default());
    }
    child.wait().map_err(failed)
}

/// `-d`, in the new process: leaves the caller's session.
pub fn leave_session() -> Result<(), Failure> {
    env::remove_var(DETACHED);
    rustix::process::setsid()
        .map(drop)
        .map_err(|error| Failure::Unreachable(format!("-d: cannot leave the session: {}", reason(&error.into()))))
}

/// `-d`, second half: the server listens. The terminal goes; with a log file, or with -v, errors are still heard.
pub fn let_go(logfile: Option<&Path>, stays_verbose: bool, dumps_core: bool) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::Unreachable(format!("-d: cannot let go of the terminal: {}", reason(&error)));
    println!("{READY}");
    io::stdout().flush().map_err(failed)?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null").map_err(failed)?;
    stdio::dup2_stdout(&null).map_err(|error| failed(error.into()))?;
    match logfile {
        Some(path) => {
            let log = OpenOptions::new().append(true).create(true).open(path);
            let log = log.map_err(|error| {
                Failure::Unreachable(format!("cannot write the log file {}: {}", path.display(), reason(&error)))
            })?;
            stdio::dup2_stderr(&log).map_err(|error| failed(error.into()))?;
        }
        None if stays_verbose => {}
        None => stdio::dup2_stderr(&null).map_err(|error| failed(error.into()))?,
    }
    // The folder that we were started in can be unmounted; but that is where a core file would go.
    if !dumps_core {
        env::set_current_dir("/").map_err(failed)?;
    }
    Ok(())
}

/// `-c` and `-r`.
pub fn raise_limits(connections: usize, threads: usize, dumps_core: bool) -> Result<(), Failure> {
    if dumps_core {
        let unlimited = Rlimit { current: None, maximum: None };
        let highest = getrlimit(Resource::Core).maximum;
        setrlimit(Resource::Core, unlimited)
            .or_else(|_| setrlimit(Resource::Core, Rlimit { current: highest, maximum: highest }))
            .map_err(|error| {
                Failure::Unreachable(format!("-r: failed to ensure corefile creation: {}", reason(&error.into())))
            })?;
    }
    let needed = connections as u64 + 2 * threads as u64 + OTHER_FILES;
    let files = getrlimit(Resource::Nofile);
    let is_enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if is_enough(files.current) {
        return Ok(());
    }
    let maximum = if is_enough(files.maximum) { files.maximum } else { Some(needed) };
    setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum }).map_err(|_| {
        Failure::Unreachable(format!(
            "-c: {connections} connections need {needed} open files, and the limit is {}; raise it (ulimit -n, LimitNOFILE=) or lower -c",
            files.maximum.unwrap_or(u64::MAX)
        ))
    })
}

/// `-k`, still as root: raises the limit of locked memory. The server then locks its memory.
pub fn allow_locked_memory() {
    // Not allowed: then the limit that is there decides, and the server says so.
    let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
}

/// The account to switch to, looked up first. memcached's rule: root must name one, others cannot.
pub fn account(user: Option<&str>) -> Result<Option<Account>, Failure> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let user = user.ok_or_else(|| {
        Failure::Usage("can't run as root without the -u switch; -u NAME chooses the user, -u root stays".to_owned())
    })?;
    if user == "root" {
        return Ok(None);
    }
    match AccountFiles::read().account(user) {
        Some(account) => Ok(Some(account)),
        None => Err(Failure::Usage(format!("can't find the user {user} to switch to"))),
    }
}

/// `-u`. These calls change one thread, which is the only one yet; those to come inherit from it.
pub fn become_user(account: &Account) -> Result<(), Failure> {
    let failed = |error: rustix::io::Errno| {
        Failure::Unreachable(format!(
            "-u: failed to assume identity of user {}: {}",
            account.name,
            reason(&error.into())
        ))
    };
    thread::set_thread_groups(&account.groups).map_err(failed)?;
    thread::set_thread_res_gid(account.gid, account.gid, account.gid).map_err(failed)?;
    thread::set_thread_res_uid(account.uid, account.uid, account.uid).map_err(failed)
}

/// `-P`: the file, as long as this lives.
pub struct PidFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl PidFile {
    /// Err: why there is none, for the log.
    pub fn write(path: &Path) -> Result<PidFile, String> {
        let written = std::path::absolute(path).and_then(|path| {
            let file =
                leveret_server::small_file::write(&path, format!("{}\n", std::process::id()).as_bytes())?.metadata()?;
            Ok(PidFile { path, identity: (file.dev(), file.ino()) })
        });
        written.map_err(|error| {
            let user = rustix::process::geteuid().as_raw();
            format!(
                "the server runs without its pid file (-P): could not write {}: {}; its folder must be writable for the \
                 user with the id {user}, whom the server runs as",
                path.display(),
                reason(&error)
            )
        })
    }
}

impl Drop for PidFile {
    /// Another server's stays.
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

//! `leveret serve`: an arena as a server for clients of memcached and Redis, with memcached's options.
mod arena;
mod debian;
mod extended;
mod hangup;
mod options;
mod process;
mod settings;
mod sources;
mod values;

use crate::output::{CommandResult, Exit, Failure};
use crate::units::bytes;
use arena::Choice;
use clap::{ArgMatches, Args};
use leveret_engine::reason;
use leveret_server::log::{self, Level};
use leveret_server::redis::settings::RedisPlace;
use leveret_server::{systemd, Shared};
use options::{LogFormat, ServeOptions};
use sources::{Gathered, Sources};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Serve an arena to clients of memcached and Redis: TCP, UDP and Unix sockets; all of memcached's options
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    #[command(flatten)]
    options: ServeOptions,
}

const EXAMPLES: &str = "\
Examples:
  leveret serve                                          the arena 'default' on 127.0.0.1:11211
  leveret serve -m 1024 -l 0.0.0.0 -c 10000 -t 4         as you would start memcached
  leveret serve -p 11212                                 another cache, the arena 'port-11212'
  leveret serve -s /run/leveret/cache.sock -a 770        a Unix socket instead of TCP; 'unix-run-leveret-cache.sock'
  sudo leveret serve -d -u memcache -P /run/leveret.pid  in the background, as another user
  sudo leveret serve --memcached-conf /etc/memcached.conf
  leveret serve --arena apcu -p 11212                    the items of PHP's apcu_* functions, for every client
  LEVERET_MEMORY_LIMIT=512 leveret serve                 every long option has such a variable
  leveret serve --metrics 9150                           metrics for Prometheus at http://localhost:9150/metrics
  leveret serve --redis                                  clients of Redis on 127.0.0.1:6379, the arena 'redis'
  leveret ping localhost && leveret stats localhost      health and statistics

The command line overrides the environment, and that overrides a file. The cache outlives the server: after a restart, also
after kill -9, the items are there, except with --fresh. On SIGTERM the server answers received requests and exits.

Exit codes: 0 stopped on request; 2 wrong options; 3 cannot listen, or cannot open the arena.";

impl ServeArgs {
    /// `given` is the same as `self`, as clap has it: it remembers what came from the command line.
    pub fn run(self, given: ArgMatches) -> CommandResult {
        let sources = Sources::of(given)?;
        let mut started = sources.gather()?;
        if started.options.log_format == Some(LogFormat::Json) {
            log::write_json();
        }
        if started.options.daemon {
            make_absolute(&mut started.options)?;
        }
        match serve(&sources, &started) {
            Err(failure) if log::is_json() => Err(tell(failure)),
            ended => ended,
        }
    }
}

fn serve(sources: &Sources, started: &Gathered) -> CommandResult {
    let Gathered { options, logfile, .. } = started;
    // `--version` with the options of a service also checks these.
    let (settings, noted) = settings::of(options)?;
    if options.version || options.license {
        print!("{}", tell_program(options.license));
        return Ok(Exit::Yes);
    }
    let account = process::account(options.user.as_deref())?;
    if options.daemon && !process::is_detached() {
        let status = process::detach()?;
        return match status.code() {
            Some(0) => Ok(Exit::Yes),
            // It has said why.
            Some(code) => Err(Failure::Said(code.try_into().unwrap_or(3))),
            None => Err(Failure::Unreachable(format!("-d: the server ended at its start: {status}"))),
        };
    }
    if options.daemon {
        process::leave_session()?;
    }
    tell_noted(&noted);
    for key in &started.left_out {
        log::tell(Level::Info, format_args!("{key} is for the server on the file's own port, and not taken"));
    }
    process::raise_limits(settings.conn_limit, settings.threads, options.enable_coredumps)?;
    // Still as root: ports below 1024. A Unix socket belongs to the server's user, as memcached's does, since the owner
    // decides who may connect.
    let bind = || leveret_server::bind(&settings).map_err(unreachable);
    let is_redis_path = settings.redis.as_ref().is_some_and(|redis| matches!(redis.place, RedisPlace::Unix(_)));
    let bound = (settings.unix_path.is_none() && !is_redis_path).then(bind).transpose()?;
    if options.lock_memory {
        process::allow_locked_memory();
    }
    if let Some(account) = &account {
        process::become_user(account)?;
    }
    // As the user that the server runs as, which must remove it in the end; without it the server runs all the same. Both
    // as in memcached.
    let pid_file = options.pidfile.as_deref().and_then(|path| match process::PidFile::write(path) {
        Ok(file) => Some(file),
        Err(why) => {
            log::tell(Level::Error, why);
            None
        }
    });
    let mut bound = bound.map_or_else(bind, Ok)?;
    let choice = Choice::of(options, &settings, &bound)?;
    arena::check_databases(&choice, &settings)?;
    let (arena, passing) = arena::open(&choice, options, &settings)?;
    let shown = format!("{} ({})", arena.path().display(), bytes(arena.memory()));
    // Reads the file of -Y: the last thing that can stop the start.
    let shared = Arc::new(Shared::new(arena, settings).map_err(|error| Failure::Usage(error.to_string()))?);
    bound.announce(&shared);
    if !options.share {
        // Once more: of two that start at the same moment at least one sees the other.
        shared.arenas().iter().try_for_each(arena::refuse_if_served)?;
    }
    if options.daemon {
        process::let_go(logfile.as_deref(), options.verbose > 0, options.enable_coredumps)?;
    } else if options.verbose > 0 {
        log::tell(Level::Info, format_args!("{shown} on {}", bound.endpoints().join(", ")));
    }
    systemd::notify("READY=1");
    let latest = RefCell::new(None);
    let ended = bound.run_with(shared, || hangup::reread(sources, started, &latest));
    systemd::notify("STOPPING=1");
    drop(passing);
    drop(pid_file);
    ended.map(|()| Exit::Yes).map_err(unreachable)
}

/// Writes to the log, for log collectors.
fn tell(failure: Failure) -> Failure {
    let code = match &failure {
        Failure::Refused(_) => 1,
        Failure::Usage(_) => 2,
        Failure::Unreachable(_) => 3,
        Failure::Said(_) | Failure::ReaderLeft => return failure,
    };
    log::tell(Level::Error, &failure);
    Failure::Said(code)
}

fn unreachable(error: leveret_server::ServeError) -> Failure {
    Failure::Unreachable(error.to_string())
}

/// A server in the background lives in the root folder.
fn make_absolute(options: &mut ServeOptions) -> Result<(), Failure> {
    let paths = [
        &mut options.unix_socket,
        &mut options.memory_file,
        &mut options.pidfile,
        &mut options.auth_file,
        &mut options.sasl_pwdb,
        &mut options.dir,
    ];
    for path in paths.into_iter().flatten() {
        *path = absolute(path)?;
    }
    Ok(())
}

/// As seen from the folder that the server was started in: in the background it leaves that.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();
    let failed = |error| Failure::Unreachable(format!("cannot read the current folder: {}", reason(&error)));
    if STARTED_IN.get().is_none() {
        let _ = STARTED_IN.set(std::env::current_dir().map_err(failed)?);
    }
    std::path::absolute(STARTED_IN.get().map_or_else(|| path.to_owned(), |folder| folder.join(path))).map_err(failed)
}

/// Under memcached's name the first line is memcached's, for scripts that read the version.
fn tell_program(license: bool) -> String {
    let ours = format!("leveret {} (memcached-compatible {})\n", leveret_server::RELEASE, leveret_server::VERSION);
    let license = if license { "MIT or Apache-2.0, as you like: see LICENSE-MIT and LICENSE-APACHE.\n" } else { "" };
    memcached_line().unwrap_or_default() + &ours + license
}

/// `memcached 1.6.45`, if that is the name under which the command was started.
pub fn memcached_line() -> Option<String> {
    is_memcached(std::env::args_os().next()?).then(|| format!("memcached {}\n", leveret_server::VERSION))
}

/// Whether a program that is started by this name is to be `leveret serve`: a link to the command, in memcached's
/// place.
pub fn is_memcached(name: impl AsRef<Path>) -> bool {
    name.as_ref().file_name() == Some(OsStr::new("memcached"))
}

fn tell_noted(noted: &[String]) {
    if !noted.is_empty() {
        let noted = noted.join(", ");
        log::tell(Level::Warning, format_args!("accepted without effect, since an arena tunes itself: {noted}"));
    }
}

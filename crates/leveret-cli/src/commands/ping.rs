//! `leveret ping`: whether an arena can be opened, written, read and deleted from, or a server answers, in time. Made
//! for health checks.
use crate::conversation::{within, Exchange};
use crate::output::{self, CommandResult, Exit, Failure, BAD, GOOD};
use crate::peer::Peer;
use crate::redis::RedisPeer;
use crate::target::{self, TargetArgs};
use crate::units;
use clap::Args;
use leveret_engine::{Arena, Deadline, Encoding, Meta, Mode, ReadOptions, Time, Value};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Open an arena, then store, read and delete a probe item; or ask a server for its version
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PingArgs {
    /// A server, [user@][tls://]host[:port], [user@]/path/to/socket or redis://[user@]host[:port], or arena:NAME; without
    /// it the arena
    target: Option<String>,

    /// Time-out of the whole check
    #[arg(long, value_name = "DURATION", value_parser = parse_timeout, default_value = "1s")]
    timeout: Duration,

    /// Print nothing; only set the exit code
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret ping
  leveret ping localhost:11211 && echo it answers
  leveret ping redis://localhost            a server for clients of Redis
  HEALTHCHECK CMD [\"leveret\", \"ping\", \"--timeout\", \"500ms\", \"--quiet\"]

Exit codes: 0 healthy; 1 it opened, but an answer was wrong or late; 3 cannot reach the arena.";

/// A cache may forget: the probe can be flushed or evicted between its set and its get. Not three times in a row.
const ROUNDS: u32 = 3;
/// Should we be killed in the middle, the probe goes away by itself.
const PROBE_TTL_SECS: u32 = 10;

fn parse_timeout(text: &str) -> Result<Duration, String> {
    units::parse_duration(text).and_then(|timeout| {
        if timeout.is_zero() {
            Err("nothing answers in no time".to_owned())
        } else {
            Ok(timeout)
        }
    })
}

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    healthy: bool,
    micros: u64,
    why: Option<&'a String>,
}

impl PingArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let begun = Instant::now();
        if let Some(redis) = self.target.as_deref().and_then(RedisPeer::of).transpose()? {
            let (asked, timeout) = (redis.clone(), self.timeout);
            let verdict = match within(timeout, move || asked.ping(timeout)) {
                Some(verdict) => verdict?,
                None => Err(format!("no answer within {} ms", timeout.as_millis())),
            };
            return self.end(Path::new(redis.shown()), &verdict, begun, json);
        }
        let peer = Peer::of(self.target.as_deref(), target)?;
        let (probed, timeout) = (peer.clone(), self.timeout);
        let verdict = match within(timeout, move || match &probed {
            Peer::Arena { path, .. } => probe(path, timeout),
            server => ask_version(server, timeout),
        }) {
            Some(verdict) => verdict?,
            None => Err(format!("no answer within {} ms", timeout.as_millis())),
        };
        let path = peer.arena().map_or_else(|| peer.shown().into(), Path::to_path_buf);
        self.end(&path, &verdict, begun, json)
    }

    fn end(&self, path: &Path, verdict: &Result<(), String>, begun: Instant, json: bool) -> CommandResult {
        if !self.quiet {
            report(path, verdict, begun.elapsed().as_micros() as u64, json)?;
        }
        Ok(if verdict.is_ok() { Exit::Yes } else { Exit::No })
    }
}

/// Whether a server says its version, as every memcached does.
fn ask_version(peer: &Peer, timeout: Duration) -> Result<Result<(), String>, Failure> {
    let mut conversation = Exchange::begin(peer, timeout)?;
    conversation.say(b"version\r\n")?;
    let line = conversation.line()?;
    conversation.check(&line)?;
    if line.starts_with(b"VERSION ") {
        Ok(Ok(()))
    } else {
        Err(conversation.nonsense(&line))
    }
}

/// Outer error: the arena cannot be reached. Inner error: it is unhealthy, and why.
fn probe(path: &Path, timeout: Duration) -> Result<Result<(), String>, Failure> {
    let arena = target::attach(path, Some(timeout))?;
    for _ in 0..ROUNDS {
        match round(&arena) {
            Ok(true) => return Ok(Ok(())),
            Ok(false) => {}
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
    Ok(Err(format!(
        "a probe item was gone right after it was stored, {ROUNDS} times in a row: the arena is far too small, or is flushed without end"
    )))
}

/// Whether the probe came back.
fn round(arena: &Arena) -> Result<bool, leveret_engine::Error> {
    let now = Time::now();
    let key = format!("leveret:ping:{}", std::process::id());
    let deadline = Deadline::after(now, PROBE_TTL_SECS);
    arena.store(key.as_bytes(), Value::Bytes(key.as_bytes()), Meta::native(Encoding::RAW), deadline, Mode::Set, now)?;
    let came_back =
        arena.get_with(key.as_bytes(), ReadOptions::new(), now)?.is_some_and(|item| item.value == key.as_bytes());
    let deleted = arena.delete(key.as_bytes(), now)?;
    Ok(came_back && deleted && arena.get_with(key.as_bytes(), ReadOptions::new(), now)?.is_none())
}

fn report(path: &Path, verdict: &Result<(), String>, micros: u64, json: bool) -> Result<(), Failure> {
    if json {
        let mut out = output::raw();
        let line =
            Line { arena: &path.to_string_lossy(), healthy: verdict.is_ok(), micros, why: verdict.as_ref().err() };
        output::json_line(&mut out, &line)?;
        return Ok(out.flush()?);
    }
    let mut out = output::text();
    match verdict {
        Ok(()) => {
            writeln!(out, "{GOOD}healthy{GOOD:#}: {} answered in {:.1} ms", path.display(), micros as f64 / 1000.0)?
        }
        Err(why) => writeln!(out, "{BAD}unhealthy{BAD:#}: {}: {why}", path.display())?,
    }
    Ok(())
}

//! `leveret set`: stores a value, from the command line or from standard input.
use crate::output::{self, CommandResult, Exit, Failure};
use crate::target::{self, TargetArgs};
use crate::units;
use clap::Args;
use leveret_engine::{reason, Deadline, Encoding, Meta, Mode, Origin, Stored, Terms, Time, Value};
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

/// Store a value
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SetArgs {
    /// The key
    key: OsString,

    /// The value; - reads it from standard input
    value: OsString,

    /// Lifetime: 30s, 5m, 2h, 1d; 0 = until it is evicted
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = units::parse_duration,
        allow_negative_numbers = true,
        default_value = "0",
        hide_default_value = true
    )]
    ttl: Duration,

    /// Only if the key does not exist
    #[arg(long, group = "mode")]
    add: bool,

    /// Only if the key exists
    #[arg(long, group = "mode")]
    replace: bool,

    /// Only if the item still has this cas (see get --json)
    #[arg(long, group = "mode", value_name = "CAS", value_parser = |text: &str| units::parse_number::<u64>(text, 0, u64::MAX))]
    cas: Option<u64>,

    /// Append to the existing value
    #[arg(long, group = "mode")]
    append: bool,

    /// Prepend to the existing value
    #[arg(long, group = "mode")]
    prepend: bool,

    /// An integer, so that apcu_inc() and others can count it
    #[arg(long)]
    integer: bool,

    /// The 32 bits of flags that memcached clients store with a value
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = |text: &str| units::parse_number::<u32>(text, 0, u32::MAX.into()),
        allow_negative_numbers = true,
        default_value_t = 0,
        hide_default_value = true
    )]
    flags: u32,

    /// The key is URI-encoded, as 'leveret keys' prints it
    #[arg(long, short)]
    encoded: bool,

    /// Memory of the arena, if this call creates it [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    memory: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  leveret set greeting hello --ttl 5m
  leveret set logo.png - < logo.png
  leveret set lock:import \"$$\" --add --ttl 10m && run-import
  leveret set --arena apcu visits 0 --integer
  leveret set --arena pages --memory 1G start now        makes the arena 'pages' with 1 GiB

Exit codes: 0 stored; 1 not stored; 3 cannot reach the arena.";

impl SetArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let (mode, meta, ttl_secs) = (self.mode(), self.meta(), whole_ttl(self.ttl)?);
        let key = target::key(self.key, self.encoded)?;
        let value = if self.value == OsStr::new("-") { read_input()? } else { self.value.into_vec() };
        let number = if self.integer { Some(parse_integer(&value)?) } else { None };
        let arena = target.open_or_create(self.memory)?;
        let now = Time::now();
        let value = number.map_or(Value::Bytes(&value), Value::Integer);
        let deadline = ttl_secs.map_or(Deadline::NEVER, |secs| Deadline::after(now, secs));
        // Only JSON shows the new item's cas.
        let terms = Terms::new(mode).want_cas(json);
        report(arena.store_if(&key, value, meta, deadline, &terms, now)?, mode, json)
    }

    fn mode(&self) -> Mode {
        match self.cas {
            Some(cas) => Mode::Cas(cas),
            None if self.add => Mode::Add,
            None if self.replace => Mode::Replace,
            None if self.append => Mode::Append,
            None if self.prepend => Mode::Prepend,
            None => Mode::Set,
        }
    }

    fn meta(&self) -> Meta {
        let encoding = if self.integer { Encoding::INTEGER } else { Encoding::RAW };
        let meta = Meta::native(encoding).with_flags(self.flags);
        // With a client's flags it is what that client would have sent: all read it by them.
        if self.flags != 0 && !self.integer {
            meta.with_origin(Origin::WIRE)
        } else {
            meta
        }
    }
}

fn read_input() -> Result<Vec<u8>, Failure> {
    let mut value = Vec::new();
    io::stdin().lock().read_to_end(&mut value).map_err(|error| {
        Failure::Unreachable(format!("cannot read the value from standard input: {}", reason(&error)))
    })?;
    Ok(value)
}

fn parse_integer(value: &[u8]) -> Result<i64, Failure> {
    let text = String::from_utf8_lossy(value);
    text.trim()
        .parse()
        .map_err(|_| Failure::Usage(format!("'{}' is no whole number of 64 bits, as --integer wants", text.trim())))
}

/// None: no expiry.
fn whole_ttl(ttl: Duration) -> Result<Option<u32>, Failure> {
    let secs = u32::try_from(units::whole_secs(ttl))
        .map_err(|_| Failure::Usage("--ttl is longer than 136 years: 0 means no expiry".to_owned()))?;
    Ok((secs > 0).then_some(secs))
}

#[derive(Serialize)]
struct Line {
    stored: bool,
    cas: Option<u64>,
    /// "exists" or "missing".
    why: Option<&'static str>,
}

fn report(answer: Stored, mode: Mode, json: bool) -> CommandResult {
    let (stored, cas, why) = match answer {
        Stored::Stored { cas } => (true, Some(cas), None),
        Stored::Exists => (false, None, Some("exists")),
        Stored::Missing => (false, None, Some("missing")),
    };
    if json {
        let mut out = output::raw();
        output::json_line(&mut out, &Line { stored, cas, why })?;
        out.flush()?;
    } else if let Some(why) = why {
        let reason = match (why, mode) {
            ("exists", Mode::Cas(_)) => "the item has another cas: it was stored meanwhile",
            ("exists", _) => "the key is already there",
            _ => "there is no such key",
        };
        let _ = writeln!(anstream::stderr(), "leveret: not stored: {reason}");
    }
    Ok(if stored { Exit::Yes } else { Exit::No })
}

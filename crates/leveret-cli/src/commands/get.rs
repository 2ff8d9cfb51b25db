//! `leveret get`: values, byte for byte.
use crate::json;
use crate::output::{self, CommandResult, Failure};
use crate::target::{self, TargetArgs};
use clap::Args;
use leveret_engine::{Item, ReadOptions, Time};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

/// Write the values of keys to standard output, byte for byte
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct GetArgs {
    /// The keys; several values follow each other without a separator
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<OsString>,

    /// The keys are URI-encoded, as 'leveret keys' prints them
    #[arg(long, short)]
    encoded: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret get greeting
  leveret get logo.png > logo.png
  leveret get --json greeting user:7        value, flags, encoding, cas and deadline, one object a line
  leveret get --encoded 'a%20key%00'        a key that a shell cannot write

Exit codes: 0 every key exists; 1 a key is missing; 3 cannot reach the arena.";

impl GetArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let keys = self.keys.into_iter().map(|key| target::key(key, self.encoded)).collect::<Result<Vec<_>, _>>()?;
        let arena = target.open()?;
        let mut out = output::raw();
        let mut missed = false;
        for key in &keys {
            // Only JSON shows the cas, which is asked for under a lock.
            let options = if as_json { ReadOptions::new().with_cas() } else { ReadOptions::new() };
            let item = arena.get_with(key, options, Time::now())?;
            missed |= item.is_none();
            match item {
                Some(item) if as_json => output::json_line(&mut out, &Line::of(&item))?,
                Some(item) => write_value(&mut out, &served(item))?,
                None if as_json => output::json_line(&mut out, &Miss { key: json::key(key), found: false })?,
                None => output::say_miss(key),
            }
        }
        out.flush()?;
        // Hands in the reads just counted, which a process this short would take to its grave.
        arena.check()?;
        Ok((!missed).into())
    }
}

/// The value as a client of a server gets it; its bytes where they are damaged.
fn served(item: Item) -> Vec<u8> {
    leveret_compact::served(&item.meta, item.value.clone()).unwrap_or(item.value)
}

fn write_value(out: &mut impl Write, value: &[u8]) -> Result<(), Failure> {
    out.write_all(value)?;
    // For eyes only: a file or a pipe gets the value and nothing else.
    if io::stdout().is_terminal() && !value.ends_with(b"\n") {
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The words for encodings, by their numbers (`leveret_client::codec::encoding`).
pub const ENCODINGS: [&str; 10] =
    ["raw", "integer", "double", "bool", "null", "php", "igbinary", "msgpack", "json", "marshal"];
/// The words for origins, by their numbers (`leveret_client::codec::origin`).
pub const ORIGINS: [&str; 5] = ["wire", "memcached", "memcache", "native", "ruby"];

/// An item with all that is known of it; also a line of `leveret dump --json`.
#[derive(Serialize)]
pub struct Line<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    found: bool,
    #[serde(flatten)]
    value: json::Bytes<'a>,
    /// The value, when counters may count it.
    number: Option<i64>,
    /// Bytes of the value.
    size: usize,
    flags: u32,
    encoding: Name,
    origin: Name,
    codec: u8,
    /// 0 in a dump.
    cas: u64,
    /// Unix time of the last store.
    stored: i64,
    /// Unix time of the deadline, or null.
    dies: Option<i64>,
    /// Exact up to 15.
    hits: u8,
}

impl<'a> Line<'a> {
    pub fn of(item: &'a Item) -> Line<'a> {
        Line {
            key: json::key(&item.key),
            found: true,
            value: json::value(&item.value),
            number: item.number,
            size: item.value.len(),
            flags: item.meta.flags,
            encoding: Name::of(item.meta.encoding.number(), &ENCODINGS),
            origin: Name::of(item.meta.origin.number(), &ORIGINS),
            codec: item.meta.codec.number(),
            cas: item.cas,
            stored: item.mtime.to_unix(),
            dies: item.deadline.time().map(Time::to_unix),
            hits: item.hits,
        }
    }
}

#[derive(Serialize)]
struct Miss<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    found: bool,
}

/// The field's word for an encoding or an origin; a number that this version does not know stays a number.
#[derive(Serialize)]
#[serde(untagged)]
enum Name {
    Known(&'static str),
    Unknown(u8),
}

impl Name {
    fn of(number: u8, names: &[&'static str]) -> Name {
        names.get(usize::from(number)).map_or(Name::Unknown(number), |name| Name::Known(name))
    }
}

//! `leveret restore`: stores what `leveret dump` or memcached-tool has written, in an arena or in a server.
mod reader;

use crate::commands::dump::{is_wire_key, on_wire_end};
use crate::conversation::Exchange;
use crate::output::{self, CommandResult, Exit, Failure, LongWork};
use crate::peer::{Peer, Reach};
use crate::target::TargetArgs;
use crate::units::{self, counted};
use clap::Args;
use leveret_compact::{served, served_flags};
use leveret_engine::{Arena, Deadline, Encoding, Error, Mode, OpenOptions, Stored, Time, Value};
use reader::{DumpReader, Dumped};
use serde::Serialize;
use std::io::{self, BufReader, Write};

/// Store the items of a dump, read from standard input
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RestoreArgs {
    #[command(flatten)]
    reach: Reach,

    /// Create the arena if it does not exist
    #[arg(long)]
    create: bool,

    /// Size of a created arena [default: 64 MiB]
    #[arg(long, short, value_name = "SIZE", value_parser = units::parse_size, requires = "create")]
    memory: Option<u64>,

    /// Replace existing items (dumps use add)
    #[arg(long)]
    replace: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret dump --json > cache.json; leveret restore < cache.json    a backup, and back: every item as it was
  leveret restore < cache.dump
  leveret dump localhost:11211 | leveret restore --create            take over the contents of a memcached
  leveret restore localhost:11211 --replace < cache.dump
  leveret dump --json --arena old | leveret restore --arena new --create --memory 1G     into a larger arena

Reads both forms of 'leveret dump': add commands, and the lines of --json. An arena gets the same items from --json; add commands
have no types, so PHP's numbers, true and null come back as text. A server gets values as bytes and types as flags; items with
keys above 250 bytes, spaces or control characters are left out, and counted on standard error. Expired items are not stored.

Exit codes: 0 all items are stored; 1 some were not stored (counted on standard error); 2 not a dump; 3 cannot reach the target.";

#[derive(Default, Serialize)]
struct Summary {
    stored: u64,
    /// Dead by now: it was not stored.
    expired: u64,
    /// There was an item already, and it was kept.
    there: u64,
    /// The target had no room, or the value was too large for it.
    refused: u64,
    /// memcached's protocol cannot say its key.
    left_out: u64,
}

/// Where the items go.
enum Sink {
    /// Straight into memory, with all that a dump knows of them.
    Arena(Arena),
    Server(Exchange),
}

impl RestoreArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let peer = Peer::of(self.reach.target.as_deref(), target)?;
        let mut sink = match peer.arena() {
            Some(path) => {
                // A mistyped name would create a cache that no program reads.
                if !self.create && !path.exists() {
                    return Err(Failure::Unreachable(format!(
                        "there is no arena {}: 'leveret list' shows the arenas, --create creates this one",
                        path.display()
                    )));
                }
                let options = self.memory.map_or(OpenOptions::new(), |memory| OpenOptions::new().memory(memory));
                Sink::Arena(Arena::open(path, &options)?.0)
            }
            None => Sink::Server(Exchange::begin(&peer, self.reach.patience.timeout)?),
        };
        let mut reader = DumpReader::new(BufReader::with_capacity(64 << 10, io::stdin().lock()));
        let progress = LongWork::of_items(0);
        let mut summary = Summary::default();
        while let Some(item) = reader.next_item()? {
            progress.advance(1);
            if item.is_expired() {
                summary.expired += 1;
                continue;
            }
            match &mut sink {
                Sink::Arena(arena) => self.store(arena, &item, &mut summary)?,
                Sink::Server(conversation) => self.send(conversation, &item, &mut summary)?,
            }
        }
        drop(progress);
        report(&summary, json)?;
        Ok(if summary.there + summary.refused + summary.left_out == 0 { Exit::Yes } else { Exit::No })
    }

    fn store(&self, arena: &Arena, item: &Dumped, summary: &mut Summary) -> Result<(), Failure> {
        let is_integer = item.meta.encoding == Encoding::INTEGER;
        let integer = std::str::from_utf8(&item.value).ok().and_then(|text| text.parse().ok()).filter(|_| is_integer);
        let value = integer.map_or(Value::Bytes(&item.value), Value::Integer);
        let deadline = item.dies.map_or(Deadline::NEVER, |unix| Deadline::at(Time::from_unix(unix)));
        let mode = if self.replace { Mode::Set } else { Mode::Add };
        match arena.store(&item.key, value, item.meta, deadline, mode, Time::now()) {
            Ok(Stored::Stored { .. }) => summary.stored += 1,
            Ok(_) => summary.there += 1,
            Err(Error::ValueTooLarge { .. } | Error::KeyTooLong { .. } | Error::NoMemory) => summary.refused += 1,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn send(&self, conversation: &mut Exchange, item: &Dumped, summary: &mut Summary) -> Result<(), Failure> {
        if !is_wire_key(&item.key) {
            summary.left_out += 1;
            return Ok(());
        }
        let Some(value) = served(&item.meta, item.value.clone()) else {
            summary.refused += 1;
            return Ok(());
        };
        let verb: &[u8] = if self.replace { b"set " } else { b"add " };
        let numbers = format!(" {} {} {}\r\n", served_flags(&item.meta), item.dies.map_or(0, on_wire_end), value.len());
        conversation.say(&[verb, &item.key, numbers.as_bytes(), &value, b"\r\n"].concat())?;
        let line = conversation.line()?;
        match line.trim_ascii_end() {
            b"STORED" => summary.stored += 1,
            b"NOT_STORED" => summary.there += 1,
            said if said.starts_with(b"SERVER_ERROR") => summary.refused += 1,
            _ => {
                conversation.check(&line)?;
                return Err(conversation.nonsense(&line));
            }
        }
        Ok(())
    }
}

fn report(summary: &Summary, json: bool) -> Result<(), Failure> {
    if json {
        let mut out = output::raw();
        output::json_line(&mut out, summary)?;
        return Ok(out.flush()?);
    }
    let mut text = format!("leveret: {} stored", counted(summary.stored, "item"));
    for (count, what) in [
        (summary.expired, "expired"),
        (summary.there, "kept as they were (--replace stores over them)"),
        (summary.refused, "refused: too large, or no room"),
        (summary.left_out, "left out: memcached's protocol cannot say their keys"),
    ] {
        if count > 0 {
            text += &format!(", {} {what}", units::thousands(count));
        }
    }
    let _ = writeln!(io::stderr(), "{text}");
    Ok(())
}

//! `leveret keys`: every key with its item's attributes, in the lines of memcached's `lru_crawler metadump`.
use crate::conversation::Exchange;
use crate::json;
use crate::output::{self, CommandResult, Exit};
use crate::peer::{Listing, Peer};
use crate::target::{attach, TargetArgs};
use crate::walk::walk;
use clap::Args;
use leveret_engine::{Found, Time};
use leveret_protocol::percent;
use serde::Serialize;
use std::io::{self, Write};

/// List the keys, in the format of 'memcached-tool keys'
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct KeysArgs {
    #[command(flatten)]
    listing: Listing,

    /// Print keys as they are instead of URI-encoded
    #[arg(short, long)]
    unescape: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret keys
  leveret keys 100 --arena apcu
  leveret keys localhost:11211 100          of a server, by its lru_crawler metadump
  leveret keys | sed 's/^key=\\([^ ]*\\).*/\\1/'        the keys alone, URI-encoded
  leveret keys --json | jq -r .key

A line: key=KEY exp=UNIX_TIME|-1 la=UNIX_TIME cas=N fetch=yes|no cls=1 size=BYTES
  la is the time of the last store (reading writes no time); cas is always 0, since a walk gives out no tokens;
  cls is always 1 (an arena has no size classes); size is the item's bytes in the arena.";

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    dies: Option<i64>,
    stored: i64,
    cas: u64,
    fetched: bool,
    hits: u8,
    value_size: u64,
    size: u64,
}

impl KeysArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let (peer, limit) = self.listing.words()?;
        let peer = Peer::of(peer, target)?;
        let Some(path) = peer.arena() else { return self.ask(&peer, limit, as_json) };
        let arena = attach(path, None)?;
        if !as_json {
            announce("keys", limit);
        }
        let mut out = output::lines();
        walk(&arena, limit, |key, found| {
            if as_json {
                output::json_line(&mut out, &line(key, found))?;
            } else {
                self.write(&mut out, &line(key, found))?;
            }
            Ok(true)
        })?;
        out.flush()?;
        Ok(Exit::Yes)
    }

    /// The lines of a server's own dump, as it writes them.
    fn ask(&self, peer: &Peer, limit: Option<u64>, as_json: bool) -> CommandResult {
        let mut conversation = Exchange::begin(peer, self.listing.patience.timeout)?;
        if !as_json {
            announce("keys", limit);
        }
        let mut out = output::lines();
        let mut left = limit.unwrap_or(u64::MAX);
        conversation.metadump(|entry, line| {
            if as_json {
                output::json_line(&mut out, &entry.json(None))?;
            } else if self.unescape {
                let (_, rest) = line.split_at(line.iter().position(|byte| *byte == b' ').unwrap_or(line.len()));
                out.write_all(b"key=")?;
                out.write_all(&entry.key)?;
                out.write_all(rest)?;
            } else {
                out.write_all(line)?;
            }
            left -= 1;
            Ok(left > 0)
        })?;
        out.flush()?;
        Ok(Exit::Yes)
    }

    fn write(&self, out: &mut impl Write, line: &Line) -> io::Result<()> {
        out.write_all(b"key=")?;
        if self.unescape {
            out.write_all(line.key.bytes)?;
        } else {
            let mut key = Vec::with_capacity(3 * line.key.bytes.len());
            percent::encode(&mut key, line.key.bytes);
            out.write_all(&key)?;
        }
        let fetched = if line.fetched { "yes" } else { "no" };
        writeln!(
            out,
            " exp={} la={} cas={} fetch={fetched} cls=1 size={}",
            line.dies.unwrap_or(-1),
            line.stored,
            line.cas,
            line.size
        )
    }
}

fn line<'a>(key: &'a [u8], found: &Found) -> Line<'a> {
    Line {
        key: json::key(key),
        dies: found.deadline.time().map(Time::to_unix),
        stored: found.mtime.to_unix(),
        cas: found.cas,
        fetched: found.is_fetched(),
        hits: found.hits,
        value_size: found.value_len,
        size: found.size(key.len()),
    }
}

/// The line on stderr with which memcached-tool begins.
pub fn announce(what: &str, limit: Option<u64>) {
    let limit = limit.map_or(String::new(), |limit| format!(" (limiting to {limit} keys)"));
    let _ = writeln!(io::stderr(), "Dumping memcache {what}{limit}");
}

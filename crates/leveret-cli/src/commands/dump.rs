//! `leveret dump`: every item as the `add` command that would store it in a memcached-compatible server.
use crate::commands::get::Line;
use crate::commands::keys::announce;
use crate::conversation::{DumpLine, Exchange};
use crate::output::{self, CommandResult, Exit, Failure};
use crate::peer::{Listing, Peer};
use crate::target::{attach, TargetArgs};
use crate::units::counted;
use crate::walk::walk;
use clap::Args;
use leveret_engine::{Item, Time};
use std::io::{self, Write};

/// Write every item, in the format of 'memcached-tool dump'
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DumpArgs {
    #[command(flatten)]
    listing: Listing,
}

const EXAMPLES: &str = "\
Examples:
  leveret dump --json > cache.json                           a backup; to restore it: leveret restore < cache.json
  leveret dump > cache.dump                                  for memcached: types of PHP and Ruby are lost
  leveret dump localhost:11211 > cache.dump                  of a server
  leveret dump | nc -q1 localhost 11211 | sort | uniq -c     copy everything into a memcached
  leveret dump 10 --json
  leveret dump --json --arena old | leveret restore --arena new     every item, with any key and type

An item: add KEY FLAGS EXPTIME LENGTH, its value on the next line, both ended by CR LF. EXPTIME is a Unix time, or 0.
Keys of more than 250 bytes or with spaces or control characters do not fit this format: they are left out, and counted on
standard error. --json writes every item with its type, flags and deadline, and 'leveret restore' makes the same items from it.

Exit codes: 0 all items; 1 some were left out; 3 cannot reach the arena.";

/// The border that memcached's protocol sets.
const WIRE_KEY_MAX: usize = 250;

impl DumpArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let (peer, limit) = self.listing.words()?;
        let peer = Peer::of(peer, target)?;
        let Some(path) = peer.arena() else { return self.ask(&peer, limit, as_json) };
        let arena = attach(path, None)?;
        if !as_json {
            announce("contents", limit);
        }
        let mut out = output::raw();
        let mut left_out = 0u64;
        walk(&arena, limit, |key, found| {
            // An item that cannot be read ends the dump: left out of it, it would look like one that was never there.
            let Some(item) = arena.walked(key, found, Time::now())? else { return Ok(false) };
            if as_json {
                output::json_line(&mut out, &Line::of(&item))?;
            } else if is_wire_key(key) {
                write_add(&mut out, &item)?;
            } else {
                left_out += 1;
                return Ok(false);
            }
            Ok(true)
        })?;
        out.flush()?;
        Ok(told_of(left_out, "use 'leveret dump --json'"))
    }
}

/// Of keys that memcached's protocol cannot say.
fn told_of(left_out: u64, advice: &str) -> Exit {
    if left_out == 0 {
        return Exit::Yes;
    }
    let _ = writeln!(
        io::stderr(),
        "leveret: {} left out, since memcached's protocol cannot say such keys; {advice}",
        counted(left_out, "item")
    );
    Exit::No
}

/// Keys requested from a server together: a round trip for each would take most of the time. Few enough that the
/// requests fit into any socket's buffer while the answers are unread.
const BATCH: usize = 50;

impl DumpArgs {
    /// Fetches each key of a server's dump. Items that expired or were evicted in between are missing.
    fn ask(&self, peer: &Peer, limit: Option<u64>, as_json: bool) -> CommandResult {
        let timeout = self.listing.patience.timeout;
        let mut out = output::raw();
        let mut fetching = Exchange::begin(peer, timeout)?;
        if !as_json {
            announce("contents", limit);
        }
        let mut left = limit.unwrap_or(u64::MAX);
        let mut left_out = 0u64;
        let mut batch = Vec::new();
        let mut fetch = |batch: &mut Vec<DumpLine>, left: &mut u64| {
            let keys: Vec<&[u8]> = batch.iter().map(|entry| &entry.key[..]).collect();
            for (entry, item) in batch.iter().zip(fetching.get_all(&keys)?) {
                let Some((flags, value)) = item else { continue };
                write_entry(&mut out, entry, flags, &value, as_json)?;
                *left -= 1;
            }
            batch.clear();
            Ok::<(), Failure>(())
        };
        Exchange::begin(peer, timeout)?.metadump(|entry, _| {
            if is_wire_key(&entry.key) {
                batch.push(entry);
            } else {
                left_out += 1;
            }
            // Never more than are wanted: a limit counts items that are there.
            if batch.len() as u64 == left.min(BATCH as u64) {
                fetch(&mut batch, &mut left)?;
            }
            Ok(left > 0)
        })?;
        fetch(&mut batch, &mut left)?;
        out.flush()?;
        Ok(told_of(left_out, "dump the arena itself, with --arena and --json"))
    }
}

fn write_entry(out: &mut impl Write, entry: &DumpLine, flags: u32, value: &[u8], as_json: bool) -> io::Result<()> {
    if as_json {
        return output::json_line(out, &entry.json(Some((flags, value))));
    }
    out.write_all(b"add ")?;
    out.write_all(&entry.key)?;
    write!(out, " {flags} {} {}\r\n", on_wire_end(entry.exp.max(0)), value.len())?;
    out.write_all(value)?;
    out.write_all(b"\r\n")
}

/// Damaged values are skipped.
fn write_add(out: &mut impl Write, item: &Item) -> io::Result<()> {
    let Some(value) = leveret_compact::served(&item.meta, item.value.clone()) else { return Ok(()) };
    out.write_all(b"add ")?;
    out.write_all(&item.key)?;
    let exptime = item.deadline.time().map_or(0, |time| on_wire_end(time.to_unix()));
    write!(out, " {} {exptime} {}\r\n", leveret_compact::served_flags(&item.meta), value.len())?;
    out.write_all(&value)?;
    out.write_all(b"\r\n")
}

/// The end of an item as the protocol says it, in 32 bits: what lives longer ends in January 2038, where memcached would take it for over.
pub fn on_wire_end(unix: i64) -> i64 {
    unix.min(i32::MAX.into())
}

pub fn is_wire_key(key: &[u8]) -> bool {
    (1..=WIRE_KEY_MAX).contains(&key.len()) && key.iter().all(|byte| *byte > b' ' && *byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_fits_into_the_protocol() {
        assert_eq!((on_wire_end(1_900_000_000), on_wire_end(4_000_000_000)), (1_900_000_000, 2_147_483_647));
    }

    #[test]
    fn keys_that_the_protocol_can_say() {
        for key in [&b"a"[..], b"user:7", "ü".as_bytes(), &[b'k'; 250]] {
            assert!(is_wire_key(key), "{key:?}");
        }
        for key in [&b""[..], b"a b", b"a\r\nflush_all", b"\0", b"\x7f", &[b'k'; 251]] {
            assert!(!is_wire_key(key), "{key:?}");
        }
    }
}

//! `leveret restore`: stores what `leveret dump` or memcached-tool has written, in an arena or in a server.
use crate::conversation::{arena_of, Conversation, VALUE_MAX};
use crate::output::{self, Answer, Failure, Outcome, Progress};
use crate::peer::{Peer, Reach};
use crate::target::Target;
use crate::units::counted;
use clap::Args;
use leveret_engine::Arena;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};

/// Store the items of a dump, read from standard input
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Restore {
    #[command(flatten)]
    reach: Reach,

    /// Store also where there is an item already (dumps say add)
    #[arg(long)]
    replace: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret restore < cache.dump
  leveret dump localhost:11211 | leveret restore            take over the contents of a memcached
  leveret restore localhost:11211 --replace < cache.dump

What has expired since the dump is not stored.

Exit codes: 0 all items are there; 1 some were not stored (counted on standard error); 2 that is no dump; 3 cannot reach the target.";

/// Longer than any line of a dump.
const LINE_MAX: u64 = 4096;

/// One item of a dump.
#[derive(Debug, PartialEq)]
struct Block {
    key: Vec<u8>,
    flags: u32,
    exptime: u64,
    value: Vec<u8>,
}

#[derive(Default, Serialize)]
struct Summary {
    stored: u64,
    /// There was an item already.
    there: u64,
    /// The target had no room, or the value was too large for it.
    refused: u64,
}

impl Restore {
    pub fn run(self, target: &Target, json: bool) -> Outcome {
        let peer = Peer::of(self.reach.target.as_deref(), target)?;
        if let Some(path) = arena_of(&peer) {
            // As `leveret set` does: an arena that is not there yet is made.
            Arena::open(path, &leveret_engine::OpenOptions::default())?;
        }
        let mut conversation = Conversation::begin(&peer, self.reach.patience.timeout)?;
        let mut input = BufReader::with_capacity(64 << 10, io::stdin().lock());
        let progress = Progress::of_items(0);
        let mut summary = Summary::default();
        let mut number = 0;
        while let Some(block) = next_block(&mut input, number)? {
            number += 1;
            self.store(&mut conversation, &block, &mut summary)?;
            progress.advance(1);
        }
        drop(progress);
        report(&summary, json)?;
        Ok(if summary.there + summary.refused == 0 { Answer::Yes } else { Answer::No })
    }

    fn store(&self, conversation: &mut Conversation, block: &Block, summary: &mut Summary) -> Result<(), Failure> {
        let verb: &[u8] = if self.replace { b"set " } else { b"add " };
        let numbers = format!(" {} {} {}\r\n", block.flags, block.exptime, block.value.len());
        conversation.say(&[verb, &block.key, numbers.as_bytes(), &block.value, b"\r\n"].concat())?;
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
    for (count, what) in
        [(summary.there, "were there already (--replace stores over them)"), (summary.refused, "were refused: too large, or no room")]
    {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    let _ = writeln!(io::stderr(), "{text}");
    Ok(())
}

/// The next `add KEY FLAGS EXPTIME LEN`, its value and their line ends. None: the dump is over.
fn next_block(input: &mut impl BufRead, number: u64) -> Result<Option<Block>, Failure> {
    let broken =
        |why: &str| Failure::Usage(format!("item {} of the dump: {why}; a dump has lines 'add KEY FLAGS EXPTIME LENGTH'", number + 1));
    let failed = |error: io::Error| Failure::Unreachable(format!("cannot read the dump: {error}"));
    let mut line = Vec::new();
    input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line).map_err(failed)?;
    if line.is_empty() {
        return Ok(None);
    }
    let words: Vec<&[u8]> = line.trim_ascii_end().split(|byte| *byte == b' ').collect();
    let number_of = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
    let &[b"add" | b"set", key, flags, exptime, len] = &words[..] else { return Err(broken("it begins with another line")) };
    let (Some(flags), Some(exptime), Some(len)) =
        (number_of(flags).and_then(|flags| u32::try_from(flags).ok()), number_of(exptime), number_of(len))
    else {
        return Err(broken("flags, exptime and length are numbers"));
    };
    if len > VALUE_MAX {
        return Err(broken("its value is longer than any item"));
    }
    let mut value = Vec::new();
    input.by_ref().take(len + 2).read_to_end(&mut value).map_err(failed)?;
    if value.len() as u64 != len + 2 || !value.ends_with(b"\r\n") {
        return Err(broken("its value does not end where its length says"));
    }
    value.truncate(len as usize);
    Ok(Some(Block { key: key.to_vec(), flags, exptime, value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(mut dump: &[u8]) -> Result<Vec<Block>, Failure> {
        let mut blocks = Vec::new();
        while let Some(block) = next_block(&mut dump, blocks.len() as u64)? {
            blocks.push(block);
        }
        Ok(blocks)
    }

    #[test]
    fn a_dump_is_read_whole_or_not_believed() {
        let read = blocks(b"add a 7 0 3\r\nx\r\n\r\nadd b 0 100 0\r\n\r\n").expect("a dump");
        assert_eq!(read[0], Block { key: b"a".to_vec(), flags: 7, exptime: 0, value: b"x\r\n".to_vec() });
        assert_eq!((read[1].exptime, read.len()), (100, 2));
        assert_eq!(blocks(b"").expect("an empty dump"), []);
        for bad in [&b"nonsense\r\n"[..], b"add a 0 0\r\n", b"add a x 0 1\r\ny\r\n", b"add a 0 0 9\r\ny\r\n", b"add a 0 0 1\r\nyy\r\n"] {
            assert!(matches!(blocks(bad), Err(Failure::Usage(_))), "{:?}", String::from_utf8_lossy(bad));
        }
    }
}

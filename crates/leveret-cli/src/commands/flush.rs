//! `leveret flush`: empties an arena or a server, now or later.
use crate::conversation::Exchange;
use crate::output::{self, CommandResult, Exit, Failure};
use crate::peer::{Peer, Reach};
use crate::target::{attach, TargetArgs};
use crate::units;
use clap::Args;
use leveret_engine::Time;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// Empty an arena or a server: every item, at once
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct FlushArgs {
    #[command(flatten)]
    reach: Reach,

    /// Empty it after this time: items stay until then, and items stored meanwhile are removed too
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, allow_negative_numbers = true)]
    delay: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  leveret flush --arena default
  leveret flush --arena apcu                what apcu_clear_cache() does, also for php-fpm
  leveret flush --arena shop --delay 30s
  leveret flush localhost:11211             a memcached; for 'leveret serve' the arena is emptied";

#[derive(Serialize)]
struct Line<'a> {
    arena: Option<&'a str>,
    server: Option<&'a str>,
    delay_secs: u64,
}

impl FlushArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        if self.reach.target.is_none() && target.arena.is_none() {
            return Err(Failure::Usage(
                "which cache? 'leveret flush --arena NAME' or 'leveret flush HOST'; 'leveret list' shows the names"
                    .to_owned(),
            ));
        }
        let peer = Peer::of(self.reach.target.as_deref(), target)?;
        let delay_secs = self.delay.map_or(0, units::whole_secs);
        let delay =
            u32::try_from(delay_secs).map_err(|_| Failure::Usage("--delay is longer than 136 years".to_owned()))?;
        // A server's answer has no count.
        let mut items = None;
        match peer.arena() {
            Some(path) => {
                let arena = attach(path, None)?;
                items = Some(arena.stats().items);
                match delay {
                    0 => arena.flush()?,
                    _ => arena.flush_at(Time(Time::now().0.saturating_add(delay)))?,
                }
            }
            None => self.ask(&peer, delay)?,
        }
        if json {
            let arena = peer.arena().map(|path| path.to_string_lossy());
            let server = peer.arena().is_none().then(|| peer.shown());
            let mut out = output::raw();
            output::json_line(&mut out, &Line { arena: arena.as_deref(), server: server.as_deref(), delay_secs })?;
            out.flush()?;
        } else {
            let which = peer.shown();
            let items = items.map_or(String::new(), |items| format!(": {}", units::counted(items, "item")));
            let done = match delay_secs {
                0 => format!("emptied {which}{items}"),
                secs => format!("{which} will be emptied in {}{items} now", units::span(secs)),
            };
            writeln!(output::text(), "{done}")?;
        }
        Ok(Exit::Yes)
    }

    fn ask(&self, peer: &Peer, delay: u32) -> Result<(), Failure> {
        let mut conversation = Exchange::begin(peer, self.reach.patience.timeout)?;
        conversation.say(format!("flush_all {delay}\r\n").as_bytes())?;
        let line = conversation.line()?;
        if line.trim_ascii_end() == b"OK" {
            return Ok(());
        }
        conversation.check(&line)?;
        Err(conversation.nonsense(&line))
    }
}

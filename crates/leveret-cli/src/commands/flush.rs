//! `leveret flush`: empties an arena, now or later.
use crate::output::{self, Answer, Failure, Outcome};
use crate::target::Target;
use crate::units;
use clap::Args;
use leveret_engine::Time;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// Empty an arena: every item, at once
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Flush {
    /// Empty it later: the items stay until then, and what is stored meanwhile goes as well
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, allow_negative_numbers = true)]
    delay: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  leveret flush
  leveret flush --arena apcu                what apcu_clear_cache() does, also for php-fpm
  leveret flush --delay 30s";

#[derive(Serialize)]
struct Line<'a> {
    arena: &'a str,
    delay_secs: u64,
}

impl Flush {
    pub fn run(self, target: &Target, json: bool) -> Outcome {
        let arena = target.open()?;
        let delay_secs = self.delay.map_or(0, units::whole_secs);
        if delay_secs == 0 {
            arena.flush()?;
        } else {
            let delay =
                u32::try_from(delay_secs).map_err(|_| Failure::Usage("--delay is longer than 136 years".to_owned()))?;
            arena.flush_at(Time(Time::now().0.saturating_add(delay)))?;
        }
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &Line { arena: &arena.path().to_string_lossy(), delay_secs })?;
            out.flush()?;
        }
        Ok(Answer::Yes)
    }
}

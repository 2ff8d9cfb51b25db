//! Commands that concern the server itself.
use super::{exptime, Done, Next, Turn};
use crate::log::{self, Level};
use crate::stats;
use leveret_engine::Error;
use leveret_protocol::text::{write_stat, Command, Lru, Slabs, Words};

/// Why nothing was flushed.
pub(super) enum Unflushed {
    /// By `-F`.
    Forbidden,
    /// By the arena.
    Failed(Error),
}

impl Turn<'_> {
    pub(super) fn administer(&mut self, command: Command<'_>) -> Done {
        match command {
            Command::Version => self.say(&format!("VERSION {}", crate::VERSION)),
            Command::RefreshCerts => match self.shared.tls().map(|tls| tls.refresh(None)) {
                Some(Ok(())) => self.say("OK"),
                Some(Err(error)) => {
                    log::tell(
                        Level::Error,
                        format_args!("refresh_certs: {error}; the certificates from before stay in use"),
                    );
                    self.say(&format!("SERVER_ERROR {error}"));
                }
                None => self.say("Error TLS not enabled"),
            },
            Command::Verbosity { level, noreply } => {
                self.shared.set_verbosity(level);
                self.reply(noreply, "OK");
            }
            Command::Shutdown { graceful } => {
                if self.shared.live.shutdown() {
                    return Done::Over(Next::Stop { graceful });
                }
                self.say("SERVER_ERROR: shutdown not enabled");
            }
            // An arena keeps its size: what it has already is granted, everything else is out of bounds.
            Command::CacheMemlimit { megabytes, noreply } => {
                let is_so = megabytes.checked_mul(1 << 20) == Some(self.arena.memory());
                self.reply(
                    noreply,
                    match is_so {
                        true => "OK",
                        false if megabytes < 8 => "MEMLIMIT_TOO_SMALL cannot set maxbytes to less than 8m",
                        false => "MEMLIMIT_ADJUST_FAILED out of bounds or unable to adjust",
                    },
                );
            }
            // There are no slab classes whose pages could move; what only tunes them is accepted and changes nothing.
            Command::Slabs { change, noreply } => self.reply(
                noreply,
                match change {
                    Slabs::Reassign { from, to } if from == to => "SAME src and dst class are identical",
                    Slabs::Reassign { .. } => "BADCLASS invalid src or dst class id",
                    Slabs::Automove { level } if level > 2 => "ERROR",
                    Slabs::Automove { .. } => "OK",
                },
            ),
            Command::Lru { change, noreply } => self.reply(
                noreply,
                match change {
                    Lru::Tune { hot_percent, warm_percent, .. } if hot_percent.saturating_add(warm_percent) > 80 => {
                        "ERROR hot and warm pcts must not exceed 80"
                    }
                    Lru::Tune { hot_factor, warm_factor, .. } if hot_factor <= 0.0 || warm_factor <= 0.0 => {
                        "ERROR hot/warm age factors must be greater than 0"
                    }
                    _ => "OK",
                },
            ),
            _ => self.say("ERROR"),
        }
        Done::Answered
    }

    pub(super) fn flush_all(&mut self, exptime: Option<i64>) -> &'static str {
        match self.flush(exptime) {
            Ok(()) => "OK",
            Err(Unflushed::Forbidden) => "CLIENT_ERROR flush_all not allowed",
            Err(Unflushed::Failed(error)) => self.line_of(&error),
        }
    }

    pub(super) fn flush(&mut self, exptime: Option<i64>) -> Result<(), Unflushed> {
        if !self.shared.live.flush() {
            return Err(Unflushed::Forbidden);
        }
        let at = exptime::deadline(exptime.unwrap_or(0), self.now);
        let flushed = match at.time() {
            Some(at) if at > self.now => self.arena.flush_at(at),
            _ => self.arena.flush(),
        };
        flushed.map_err(Unflushed::Failed)
    }

    /// The answer to `stats WORDS`, in which this connection is the one that asks.
    pub(super) fn stats_of(&self, words: &[&[u8]]) -> Option<stats::Answer> {
        let mut answer = stats::answer(self.shared, words)?;
        if words.first() == Some(&&b"conns"[..]) {
            let own = format!("{}:state", self.cfd);
            answer
                .lines
                .iter_mut()
                .filter(|(name, _)| *name == own)
                .for_each(|(_, state)| "conn_parse_cmd".clone_into(state));
        }
        Some(answer)
    }

    pub(super) fn stats(&mut self, words: Words<'_>) {
        let words: Vec<&[u8]> = words.collect();
        let Some(answer) = self.stats_of(&words) else { return self.say("ERROR") };
        for (name, value) in &answer.lines {
            write_stat(self.output, name.as_bytes(), value.as_bytes());
        }
        self.output.extend_from_slice(answer.text.as_bytes());
        if !answer.end.is_empty() {
            self.say(answer.end);
        }
    }
}

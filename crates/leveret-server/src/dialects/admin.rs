//! The text commands that concern the server itself.
use super::lines::line_of;
use crate::commands::dump::{self, Dump, DumpForm, TENDED_AT_ONCE};
use crate::commands::flush::{flush, Unflushed};
use crate::commands::stats::stats;
use crate::commands::watch::{watch, Unwatched};
use crate::context::Context;
use crate::conversation::{Conversation, Pending};
use crate::log::{self, Level};
use crate::memcached::VERSION;
use crate::next::{Done, Next};
use crate::transport::Transport;
use leveret_engine::Deadline;
use leveret_protocol::text::{write_stat, LruCrawler, LruTuning, Slabs, TextCommand, Words};

pub(super) fn administer(cx: &mut Context<'_>, command: TextCommand<'_>) -> Done {
    match command {
        TextCommand::Version => cx.say(&format!("VERSION {}", VERSION)),
        TextCommand::RefreshCerts => match cx.shared.tls().map(|tls| tls.refresh(None)) {
            Some(Ok(())) => cx.say("OK"),
            Some(Err(error)) => {
                log::tell(
                    Level::Error,
                    format_args!("refresh_certs: {error}; the certificates from before stay in use"),
                );
                cx.say(&format!("SERVER_ERROR {error}"));
            }
            None => cx.say("Error TLS not enabled"),
        },
        TextCommand::Verbosity { level, noreply } => {
            cx.shared.set_verbosity(level);
            cx.reply(noreply, "OK");
        }
        TextCommand::Shutdown { graceful } => {
            if cx.shared.live.shutdown() {
                return Done::Over(Next::Stop { graceful });
            }
            cx.say("SERVER_ERROR: shutdown not enabled");
        }
        // An arena's size is fixed: a request for its present size is accepted, any other is out of bounds.
        TextCommand::CacheMemlimit { megabytes, noreply } => {
            let is_so = megabytes.checked_mul(1 << 20) == Some(cx.arena.memory());
            cx.reply(
                noreply,
                match is_so {
                    true => "OK",
                    false if megabytes < 8 => "MEMLIMIT_TOO_SMALL cannot set maxbytes to less than 8m",
                    false => "MEMLIMIT_ADJUST_FAILED out of bounds or unable to adjust",
                },
            );
        }
        // There are no slab classes whose pages could move; what only tunes them is accepted and changes nothing.
        TextCommand::Slabs { change, noreply } => cx.reply(
            noreply,
            match change {
                Slabs::Reassign { from, to } if from == to => "SAME src and dst class are identical",
                Slabs::Reassign { .. } => "BADCLASS invalid src or dst class id",
                Slabs::Automove { level } if level > 2 => "ERROR",
                Slabs::Automove { .. } => "OK",
            },
        ),
        TextCommand::Lru { change, noreply } => cx.reply(
            noreply,
            match change {
                LruTuning::Tune { hot_percent, warm_percent, .. } if hot_percent.saturating_add(warm_percent) > 80 => {
                    "ERROR hot and warm pcts must not exceed 80"
                }
                LruTuning::Tune { hot_factor, warm_factor, .. } if hot_factor <= 0.0 || warm_factor <= 0.0 => {
                    "ERROR hot/warm age factors must be greater than 0"
                }
                _ => "OK",
            },
        ),
        _ => cx.say("ERROR"),
    }
    Done::Answered
}

pub(super) fn flush_all(cx: &Context<'_>, at: Deadline) -> &'static str {
    match flush(cx, at) {
        Ok(()) => "OK",
        Err(Unflushed::Forbidden) => "CLIENT_ERROR flush_all not allowed",
        Err(Unflushed::Failed(error)) => line_of(cx, &error),
    }
}

pub(super) fn say_stats(cx: &mut Context<'_>, transport: Transport, words: Words<'_>) {
    let words: Vec<&[u8]> = words.collect();
    let Some(answer) = stats(cx, transport, &words) else { return cx.say("ERROR") };
    for (name, value) in &answer.lines {
        write_stat(cx.output, name.as_bytes(), value.as_bytes());
    }
    cx.output.extend_from_slice(answer.text.as_bytes());
    if !answer.end.is_empty() {
        cx.say(answer.end);
    }
}

pub(super) fn begin_to_watch(talk: &mut Conversation, cx: &mut Context<'_>, words: Words<'_>) -> Done {
    match watch(cx, talk.transport, words) {
        Ok(watching) => {
            talk.watching = Some(watching);
            cx.say("OK");
            return Done::Over(Next::Watch);
        }
        Err(Unwatched::Forbidden) => cx.say("CLIENT_ERROR watch commands not allowed"),
        Err(Unwatched::Unknown) => cx.say("ERROR"),
        Err(Unwatched::TooMany) => cx.say("WATCHER_TOO_MANY log watcher limit reached"),
        Err(Unwatched::Impossible) => cx.say("WATCHER_FAILED failed to add log watcher"),
    }
    Done::Answered
}

pub(super) fn crawl(talk: &mut Conversation, cx: &mut Context<'_>, command: LruCrawler<'_>) -> Done {
    let (form, classes) = match command {
        LruCrawler::Metadump { classes } => (DumpForm::Metadump, classes),
        LruCrawler::Mgdump { classes } => (DumpForm::Mgdump, classes),
        LruCrawler::Crawl { classes } => {
            let known = dump::names_our_class(classes);
            if known {
                // The accepting thread goes on with the rest.
                cx.arena.tend(cx.now, TENDED_AT_ONCE);
            }
            cx.say(if known { "OK" } else { "BADCLASS invalid class id" });
            return Done::Answered;
        }
        LruCrawler::Sleep { micros } if micros > 1_000_000 => {
            cx.say("CLIENT_ERROR sleep must be one second or less");
            return Done::Answered;
        }
        LruCrawler::Enable | LruCrawler::Disable | LruCrawler::Sleep { .. } | LruCrawler::ToCrawl { .. } => {
            cx.say("OK");
            return Done::Answered;
        }
    };
    if !cx.shared.live.dump() {
        cx.say("ERROR metadump not allowed");
    } else if talk.transport == Transport::Udp {
        // One small datagram with a forged sender must not send megabytes to another host.
        cx.say("CLIENT_ERROR no dumps over UDP");
    } else if !dump::names_our_class(classes) {
        cx.say("BADCLASS invalid class id");
    } else {
        talk.pending = Pending::Dump(Box::new(Dump::new(form)));
    }
    Done::Answered
}

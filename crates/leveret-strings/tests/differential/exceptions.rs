//! What may differ from redis-server, by name.
use crate::generate::Said;
use leveret_protocol::resp::{parse_reply, ReplyBounds, ReplyValue};
use leveret_protocol::Received;
use std::time::Duration;

/// Not said at all: answers that no two servers share, or that this crate gives by design.
pub const NOT_COMPARED: &[&str] = &[
    // As sets, over whole walks: `walks.rs`.
    "keys",
    "scan",
    "randomkey",
    // The clock.
    "time",
    // It blocks.
    "wait",
    // Of the server.
    "role",
];

pub enum Verdict {
    Same,
    /// It differs as it may.
    Excepted,
    /// It differs as it may, and the key's value does now.
    Mended(Vec<u8>),
    Different,
}

/// How far off a time may be, beside how long after each other the servers look at the clock: its tick.
const SLACK: Duration = Duration::from_millis(10);

/// `apart`: how long after each other both servers may have looked at the clock.
pub fn compare(said: &Said, got: &[u8], want: &[u8], apart: Duration) -> Verdict {
    if got == want {
        return Verdict::Same;
    }
    // This redis-server's limit is that of the arena, which LCS here does not have.
    if said.name == "lcs" && want.starts_with(b"-ERR Insufficient memory") {
        return Verdict::Excepted;
    }
    // How a value is kept and how often it is read differs by design; a key is named by chance alone.
    if said.name == "object" {
        return Verdict::Excepted;
    }
    let (Some(got), Some(want)) = (value(got), value(want)) else { return Verdict::Different };
    let name = said.name.as_str();
    match (&got, &want) {
        (ReplyValue::Integer(got), ReplyValue::Integer(want)) if *got >= 0 && *want >= 0 => {
            let slack = match name {
                "ttl" | "expiretime" => (SLACK + apart).as_secs() + 1,
                "pttl" | "pexpiretime" => (SLACK + apart).as_millis() as u64,
                _ => return Verdict::Different,
            };
            // Beyond the engine's 136 years.
            let far = if name.starts_with('p') { 4_000_000_000_000 } else { 4_000_000_000 };
            match got.abs_diff(*want) <= slack || *got.min(want) >= far {
                true => Verdict::Excepted,
                false => Verdict::Different,
            }
        }
        (ReplyValue::Bulk(got), ReplyValue::Bulk(want)) if name == "incrbyfloat" => {
            let number = |text: &[u8]| String::from_utf8_lossy(text).parse::<f64>().unwrap_or(f64::NAN);
            let (got, want) = (number(got), number(want));
            let is_near = got == want || (got - want).abs() <= want.abs().max(1.0) * 1e-15;
            if is_near {
                Verdict::Mended(said.arguments[1].clone())
            } else {
                Verdict::Different
            }
        }
        _ => Verdict::Different,
    }
}

fn value(reply: &[u8]) -> Option<ReplyValue> {
    match parse_reply(reply, &ReplyBounds::default()) {
        Received::Answer { answer, .. } => Some(answer),
        _ => None,
    }
}

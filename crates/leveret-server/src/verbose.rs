//! `-vv`: requests and answers in the log, as in memcached. Keys and lines are logged, never values or credentials.
use crate::conversation::{Conversation, Pending};
use crate::dialects::Dialect;
use crate::log::{self, Level};
use crate::printable::shown;
use leveret_protocol::binary;

/// Longest part of a line that is logged.
const TOLD_MAX: usize = 300;

/// Of the binary protocol.
const HEADER_LEN: usize = 24;

/// Whether `input` begins with a request that was not told of. A line is told of once it is whole, before its data
/// block has come.
#[cold]
pub(crate) fn is_new_request<D: Dialect>(talk: &Conversation, input: &[u8]) -> bool {
    match talk.pending {
        Pending::Nothing => !D::HAS_LINES || input.contains(&b'\n'),
        Pending::Line(scanned) => scanned > 0 && input.contains(&b'\n'),
        _ => false,
    }
}

/// Tells of the request at the front of `input`.
#[cold]
pub(crate) fn tell_request<D: Dialect>(talk: &Conversation, input: &[u8]) {
    let cfd = talk.cfd;
    if !D::HAS_LINES {
        let header = &input[..input.len().min(HEADER_LEN)];
        let is_sign_in = binary::parse_head(input).is_some_and(|head| head.is_sign_in());
        let key = if is_sign_in { None } else { binary_key(input) };
        let key = key.map_or(String::new(), |key| format!(" key {}", shown(key)));
        return log::tell(Level::Debug, format_args!("<{cfd} {}{key}", hexadecimal(header)));
    }
    // An unknown client may have sent a password where a line is expected.
    if !talk.is_known {
        let word = input.split(|byte| !byte.is_ascii_lowercase()).next().filter(|word| *word == b"set");
        return log::tell(Level::Debug, format_args!("<{cfd} {}", word.map_or("…", |_| "set …")));
    }
    log::tell(Level::Debug, format_args!("<{cfd} {}", line(input)));
}

/// Tells of an answer. The lines of values were told before.
#[cold]
pub(crate) fn tell_answer<D: Dialect>(cfd: i32, answer: &[u8]) {
    if answer.is_empty() {
        return;
    }
    if !D::HAS_LINES {
        let header = &answer[..answer.len().min(HEADER_LEN)];
        return log::tell(Level::Debug, format_args!(">{cfd} {}", hexadecimal(header)));
    }
    if !answer.starts_with(b"VALUE ") {
        return log::tell(Level::Debug, format_args!(">{cfd} {}", line(answer)));
    }
    if answer.ends_with(b"END\r\n") {
        log::tell(Level::Debug, format_args!(">{cfd} END"));
    }
}

fn line(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.get(..TOLD_MAX) {
        Some(front) if line.len() > TOLD_MAX => format!("{} (and {} bytes)", shown(front), line.len() - TOLD_MAX),
        _ => shown(line),
    }
}

/// The key of a binary request, if its header is plausible.
fn binary_key(input: &[u8]) -> Option<&[u8]> {
    let key_len = usize::from(u16::from_be_bytes([*input.get(2)?, *input.get(3)?]));
    let begin = HEADER_LEN + usize::from(*input.get(4)?);
    input.get(begin..begin + key_len).filter(|key| !key.is_empty())
}

/// A header of the binary protocol.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .chunks(4)
        .map(|four| four.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

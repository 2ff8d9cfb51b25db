//! `stats`.
use crate::context::Context;
use crate::stats::{self, StatsList};
use crate::transport::Transport;

/// The answer to `stats WORDS` for the asking connection. `None`: no such subject, or not over this transport: one
/// small datagram with a forged sender must not send megabytes to another host.
pub(crate) fn stats(cx: &Context<'_>, transport: Transport, words: &[&[u8]]) -> Option<StatsList> {
    if transport == Transport::Udp && words.first().is_some_and(|subject| walks(subject)) {
        return None;
    }
    let mut answer = stats::answer(cx.shared, words)?;
    if words.first() == Some(&&b"conns"[..]) {
        let own = format!("{}:state", cx.cfd);
        let states = answer.lines.iter_mut().filter(|(name, _)| *name == own);
        states.for_each(|(_, state)| "conn_parse_cmd".clone_into(state));
    }
    Some(answer)
}

/// Whether the answer is as long as the arena is full, or the subject switches that on.
fn walks(subject: &[u8]) -> bool {
    subject == b"cachedump" || subject.starts_with(b"sizes")
}

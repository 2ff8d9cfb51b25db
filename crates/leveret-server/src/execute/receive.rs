//! Stores whose value is so long that it is received into the arena, and not collected beside it.
use super::session::{Pending, Session, Spoken, Step};
use super::{Done, Next, Turn};
use leveret_engine::Incoming;
use leveret_protocol::{binary, text, Limits, Parsed, Verb, KEY_MAX};
use std::mem;

/// If so much of a value has not come yet, it is received into the arena and not collected beside it.
const RECEIVED_DIRECTLY: usize = 64 << 10;

/// A store that has begun: what stands before its value, and that as far as it has come.
#[derive(Debug)]
pub(super) struct Receiving {
    front: Vec<u8>,
    pub incoming: Incoming,
    /// Bytes behind the value: a line end, in text.
    end_len: usize,
}

impl Receiving {
    /// Nothing has to come any more.
    pub fn is_whole(&self) -> bool {
        self.incoming.missing() == 0 && self.end_len == 0
    }
}

impl Session {
    /// Has a large value, of which only the front has come, received into the arena. Returns how much of the input is
    /// done with; None: it is collected as any other.
    pub(super) fn begin_to_receive(
        &mut self,
        turn: &mut Turn<'_>,
        rest: &[u8],
        total: usize,
        limits: &Limits,
    ) -> Option<usize> {
        if total - rest.len() < RECEIVED_DIRECTLY || !turn.is_stream || self.is_stranger(turn.shared) {
            return None;
        }
        let mut room = [0; KEY_MAX];
        let (front_len, end_len, verb, key) = if self.spoken == Some(Spoken::Binary) {
            let (request, front_len) = binary::parse_front(rest)?;
            let binary::Command::Store { verb, key, .. } = request.command else { return None };
            (front_len, 0, verb, key)
        } else {
            let line_len = rest.iter().position(|byte| *byte == b'\n')? + 1;
            match text::parse_line(&rest[..line_len], *b"\r\n", limits) {
                Parsed::Request { request: text::Command::Store { verb, key, .. }, .. } => (line_len, 2, verb, key),
                Parsed::Request { request: text::Command::MetaStore(store), .. } => {
                    (line_len, 2, store.verb, store.key.decode(&mut room))
                }
                _ => return None,
            }
        };
        if matches!(verb, Verb::Append | Verb::Prepend) {
            return None;
        }
        let (front, begun) = rest.split_at(front_len);
        let mut incoming = turn.arena.incoming(key, total - front_len - end_len, turn.now)?;
        let taken = incoming.append(begun);
        self.pending = Pending::Store(Box::new(Receiving { front: front.to_vec(), incoming, end_len }));
        Some(front_len + taken)
    }

    /// Executes the store whose value was received, once what stands behind it is there too.
    pub(super) fn go_on_receiving(&mut self, turn: &mut Turn<'_>, rest: &[u8], limits: &Limits) -> Step {
        let mut receiving = match mem::take(&mut self.pending) {
            Pending::Store(receiving) => receiving,
            other => {
                self.pending = other;
                return Step::Read { taken: 0, total: 1 };
            }
        };
        let taken = receiving.incoming.append(rest);
        let is_missing = receiving.incoming.missing() > 0;
        let Some(end) = rest.get(taken..taken + receiving.end_len).filter(|_| !is_missing) else {
            let total = if is_missing { 1 } else { receiving.end_len };
            self.pending = Pending::Store(receiving);
            return Step::Read { taken, total };
        };
        let Receiving { front, incoming, end_len } = *receiving;
        let begin = turn.output.len();
        turn.incoming = Some(incoming);
        let done = match *end {
            [first, second] => match text::parse_line(&front, [first, second], limits) {
                Parsed::Request { request, .. } => self.execute_text(turn, request),
                Parsed::Refused { refusal, .. } => turn.refuse_text(&refusal, false),
                // The line was whole when this began.
                Parsed::More { .. } => Done::Over(Next::Close),
            },
            _ => match binary::parse_front(&front) {
                Some((request, _)) => self.execute_binary(turn, &request),
                None => Done::Over(Next::Close),
            },
        };
        let incoming = turn.incoming.take();
        // The value is no longer in the input: to be tried again, it is kept.
        if let Some(incoming) = incoming.filter(|_| turn.has_met_busy()) {
            turn.output.truncate(begin);
            self.pending = Pending::Store(Box::new(Receiving { front, incoming, end_len }));
            return Step::Read { taken, total: 1 };
        }
        Step::Done(taken + end_len, done)
    }
}

//! Receives large values straight into the arena.
use crate::context::Context;
use crate::conversation::{Conversation, Pending, ReceivedStore};
use crate::dialects::Dialect;
use crate::next::{Consumed, Done, Next};
use leveret_protocol::{Limits, Parsed, StoreMode, KEY_MAX};

/// Values with at least this many bytes outstanding are received straight into the arena.
const RECEIVED_DIRECTLY: usize = 64 << 10;

/// Begins to receive a large value into the arena. Returns how many bytes of the input are processed; None: the value is
/// buffered like any other.
pub(crate) fn begin<D: Dialect>(
    talk: &mut Conversation,
    cx: &Context<'_>,
    rest: &[u8],
    total: usize,
    limits: &Limits,
) -> Option<usize> {
    if total - rest.len() < RECEIVED_DIRECTLY || !cx.is_stream || !talk.is_known {
        return None;
    }
    let mut room = [0; KEY_MAX];
    let front = D::front(rest, &mut room, limits)?;
    if matches!(front.verb, StoreMode::Append | StoreMode::Prepend) {
        return None;
    }
    let end_len = front.end_len;
    let mut incoming = cx.arena.incoming(front.key, total - front.len - end_len, cx.now)?;
    let (front, begun) = rest.split_at(front.len);
    let taken = front.len() + incoming.append(begun);
    talk.pending = Pending::Store(Box::new(ReceivedStore { front: front.to_vec(), incoming, end_len }));
    Some(taken)
}

/// Executes the store whose value was received, once the bytes after the value are complete.
#[cold]
pub(crate) fn go_on<D: Dialect>(
    dialect: &mut D,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    rest: &[u8],
    limits: &Limits,
) -> Consumed {
    let Some(mut receiving) = talk.pending.take_store() else { return Consumed::Read { taken: 0, total: 1 } };
    let taken = receiving.incoming.append(rest);
    let is_missing = receiving.incoming.missing() > 0;
    let Some(end) = rest.get(taken..taken + receiving.end_len).filter(|_| !is_missing) else {
        let total = if is_missing { 1 } else { receiving.end_len };
        talk.pending = Pending::Store(receiving);
        return Consumed::Read { taken, total };
    };
    let ReceivedStore { front, incoming, end_len } = *receiving;
    let begin = cx.output.len();
    cx.incoming = Some(incoming);
    let done = match D::rejoin(&front, end, limits) {
        Parsed::Request { request, .. } => dialect.answer(talk, cx, request),
        Parsed::Refused { refusal, .. } => D::refuse(cx, &refusal, false),
        // It was whole when this began.
        Parsed::More { .. } => Done::Over(Next::Close),
    };
    let incoming = cx.incoming.take();
    // The value is no longer in the input: to be tried again, it is kept.
    if let Some(incoming) = incoming.filter(|_| cx.has_met_busy()) {
        cx.output.truncate(begin);
        talk.pending = Pending::Store(Box::new(ReceivedStore { front, incoming, end_len }));
        return Consumed::Read { taken, total: 1 };
    }
    Consumed::Done(taken + end_len, done)
}

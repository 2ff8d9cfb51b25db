//! MULTI, EXEC, DISCARD, WATCH, UNWATCH. Commands are queued in their order. EXEC waits at the gate until no other
//! worker is in a turn, compares the watched keys, and executes all commands.
use super::state::{House, RespState};
use super::waiting::{Transaction, Watched};
use leveret_engine::Time;
use leveret_protocol::resp::{Arguments, ReplyWriter};
use leveret_strings::WatchedState;
use std::sync::atomic::Ordering::Relaxed;

/// MULTI.
pub(super) fn multi(state: &mut RespState, reply: &mut ReplyWriter<'_>) {
    if state.transaction.is_some() {
        return reply.error("ERR MULTI calls can not be nested");
    }
    state.transaction = Some(Transaction::default());
    state.client.queued.store(0, Relaxed);
    reply.ok();
}

/// Queues a command in the open transaction. EXEC executes it.
pub(super) fn queue(state: &mut RespState, request: Arguments<'_>, reply: &mut ReplyWriter<'_>) {
    let Some(transaction) = &mut state.transaction else { return };
    if !transaction.push(request) {
        return reply.error("ERR the transaction is too long: at most 64 MiB and 1048576 commands wait for EXEC");
    }
    state.client.queued.fetch_add(1, Relaxed);
    reply.simple("QUEUED");
}

/// A command was refused before it was executed: within a transaction EXEC will refuse the whole.
pub(super) fn spoil(state: &mut RespState) {
    if let Some(transaction) = &mut state.transaction {
        transaction.is_spoiled = true;
    }
}

/// DISCARD.
pub(super) fn discard_told(state: &mut RespState, house: House<'_>, reply: &mut ReplyWriter<'_>) {
    if state.transaction.is_none() {
        return reply.error("ERR DISCARD without MULTI");
    }
    discard(state, house);
    reply.ok();
}

/// Drops the queued commands and the watched keys.
pub(super) fn discard(state: &mut RespState, house: House<'_>) {
    state.transaction = None;
    state.client.queued.store(-1, Relaxed);
    unwatch(state, house);
}

/// UNWATCH.
pub(super) fn unwatch(state: &mut RespState, house: House<'_>) {
    if !state.watched.is_empty() {
        state.watched.clear();
        house.redis.writes.watch(false);
    }
    state.client.watched.store(0, Relaxed);
}

/// WATCH key...
pub(super) fn watch(
    state: &mut RespState,
    house: House<'_>,
    request: Arguments<'_>,
    now: Time,
    reply: &mut ReplyWriter<'_>,
) -> Result<(), leveret_engine::Error> {
    if state.transaction.is_some() {
        reply.error("ERR WATCH inside MULTI is not allowed");
        return Ok(());
    }
    let mut found = Vec::new();
    for key in request.iter().skip(1) {
        let database = state.database;
        if state.watched.iter().chain(&found).any(|watched| watched.is_of(database, key)) {
            continue;
        }
        if state.watched.is_empty() && found.is_empty() {
            // First, so that no write from here on is missed.
            house.redis.writes.watch(true);
        }
        let writes = house.redis.writes.of(database, key);
        let seen = match WatchedState::of(house.worker.database(database), key, now) {
            Ok(seen) => seen,
            Err(error) => {
                if state.watched.is_empty() {
                    house.redis.writes.watch(false);
                }
                return Err(error);
            }
        };
        found.push(Watched::new(database, key, seen, writes));
    }
    state.watched.append(&mut found);
    state.client.watched.store(state.watched.len() as u32, Relaxed);
    reply.ok();
    Ok(())
}

/// Whether EXEC may execute what waits: no watched key has changed.
pub(super) fn holds(state: &RespState, house: House<'_>, now: Time) -> bool {
    state.watched.iter().all(|watched| watched.holds(house.worker, house.redis, now))
}

//! A worker's part in the server's budget for clients (`counters/budget.rs`): parked connections, and connections
//! closed for the memory that they hold.
use super::{reason_of, EventLoop};
use crate::counters::budget::{Budget, PATIENCE_SECS};
use crate::log::{self, Level};
use crate::net::connection::Connection;
use std::sync::atomic::Ordering::Relaxed;

/// A share of the budget that is freed at once, so that connections are seldom compared.
const FREED_SHARE: u64 = 16;

impl EventLoop {
    pub(super) fn budget(&self) -> &Budget {
        &self.worker.shared.network.budget
    }

    /// Counts the memory held by a connection after its turn. If all connections together hold too much, those of this
    /// worker that have held memory longest are closed, perhaps including this one.
    pub(super) fn note_held(&mut self, key: usize, before: u64, now: u32) {
        let Some(connection) = self.connections.get_mut(key) else { return };
        let after = connection.kept_bytes();
        if connection.has_got_on() || before == 0 {
            connection.held_since_secs = now;
        }
        if before == after {
            return;
        }
        self.held = self.held.wrapping_add(after.wrapping_sub(before));
        let sum = self.budget().change(before, after);
        let limit = self.worker.client_bytes_max;
        if after > before && sum > limit {
            self.close_holders(sum - limit + limit / FREED_SHARE, 0);
        }
    }

    /// A connection needs a buffer for which there is no room.
    pub(super) fn park(&mut self, key: usize) {
        let now = self.worker.shared.network.uptime_secs();
        let connection = &mut self.connections[key];
        if connection.parked_secs.is_none() {
            connection.parked_secs = Some(now);
            self.parked.push_back(key);
            self.budget().waits.fetch_add(1, Relaxed);
        }
    }

    /// Gives parked connections their turn, in the order in which they came, while there is room.
    pub(super) fn unpark(&mut self) {
        for _ in 0..self.parked.len() {
            let Some(&key) = self.parked.front() else { return };
            // Its place may be another's by now.
            if self.connections.get(key).is_none_or(|connection| connection.parked_secs.is_none()) {
                self.parked.pop_front();
                continue;
            }
            if self.budget().room(self.worker.client_bytes_max) == 0 {
                return;
            }
            self.turn(key, true);
            if self.connections.get(key).is_some_and(|connection| connection.parked_secs.is_some()) {
                return;
            }
            self.unparked_secs = self.worker.shared.network.uptime_secs();
        }
    }

    /// Once a second: says that a parked connection starves, and makes room if one does, of whichever worker.
    pub(super) fn sweep_held(&mut self) {
        let now = self.worker.shared.network.uptime_secs();
        if now == self.swept_held_secs {
            return;
        }
        self.swept_held_secs = now;
        let first = self.parked.front().and_then(|key| self.connections.get(*key)?.parked_secs);
        if first.is_some_and(|since| now.saturating_sub(since.max(self.unparked_secs)) >= PATIENCE_SECS) {
            self.budget().starve(now);
        }
        if self.held > 0 && self.budget().is_starving(now) {
            self.close_holders(self.worker.client_bytes_max / FREED_SHARE, PATIENCE_SECS);
        }
    }

    /// Closes connections that have held memory for `at_least_secs` until `bytes` are free, longest first. Parked ones
    /// hold little and wait for the others: they are closed only if no other connection holds memory.
    fn close_holders(&mut self, bytes: u64, at_least_secs: u32) {
        let now = self.worker.shared.network.uptime_secs();
        let mut holders: Vec<_> = self
            .connections
            .iter()
            .filter(|(_, connection)| connection.kept_bytes() > 0)
            .filter(|(_, connection)| now.saturating_sub(connection.held_since_secs) >= at_least_secs)
            .map(|(key, connection)| (connection.parked_secs.is_some(), connection.held_since_secs, key))
            .collect();
        holders.sort_unstable();
        let is_held_by_others =
            |connection: &Connection| connection.kept_bytes() > 0 && connection.parked_secs.is_none();
        if self.connections.iter().any(|(_, connection)| is_held_by_others(connection)) {
            holders.retain(|(is_parked, ..)| !is_parked);
        }
        let (mut freed, mut count) = (0, 0);
        for (_, _, key) in holders {
            if freed >= bytes {
                break;
            }
            freed += self.connections[key].kept_bytes();
            count += 1;
            self.close(key, reason_of::ERROR);
        }
        if count == 0 {
            return;
        }
        self.budget().closed.fetch_add(count, Relaxed);
        if std::mem::replace(&mut self.told_held_secs, now) != now {
            let mebibytes = self.worker.client_bytes_max >> 20;
            log::tell(
                Level::Error,
                format_args!(
                    "clients hold {mebibytes} MiB of unfinished requests and unread answers: connections that have \
                     held most of it for the longest are closed"
                ),
            );
        }
    }
}

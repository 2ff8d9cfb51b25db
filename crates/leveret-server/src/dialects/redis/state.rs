//! State of a RESP conversation between requests.
use super::waiting::{Transaction, Watched};
use crate::redis::clients::Client;
use crate::redis::Redis;
use crate::{Shared, Worker};
use leveret_engine::{Incoming, Outgoing};
use leveret_protocol::resp::{Arguments, RespVersion};
use leveret_strings::{CommandRow, KeyWalk, WatchGuard};
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::Duration;

/// The server around a command: what requests are executed with, all of it shared with others. It gives the commands of
/// `leveret-strings` their databases.
#[derive(Clone, Copy)]
pub(super) struct House<'h> {
    pub worker: &'h Worker,
    pub shared: &'h Shared,
    pub redis: &'h Redis,
    /// Where a large value is put that is sent from where it lies. None: it cannot be.
    pub tail: Option<&'h Cell<Option<Outgoing>>>,
    /// A request that meets a held lock is run again.
    pub may_retry: bool,
    /// The value of the request under way, if it lies in the arena already.
    pub received: Option<&'h RefCell<Incoming>>,
}

impl<'h> House<'h> {
    /// Whether a client must sign in.
    pub fn asks_for_passwords(self) -> bool {
        self.shared.users().is_some() || self.redis.password().is_some()
    }
}

/// A command that is about to be executed.
pub(super) struct PlannedCommand<'r> {
    pub house: House<'r>,
    pub row: &'static CommandRow,
    pub request: Arguments<'r>,
    /// The versions that its first write compares with.
    pub guards: &'r [WatchGuard<'r>],
    /// How far it has walked, if it walks over all keys.
    pub walk: Option<&'r mut KeyWalk>,
}

impl<'r> PlannedCommand<'r> {
    pub fn new(house: House<'r>, row: &'static CommandRow, request: Arguments<'r>) -> PlannedCommand<'r> {
        PlannedCommand { house, row, request, guards: &[], walk: None }
    }
}

/// State of a conversation.
#[derive(Debug)]
pub(super) struct RespState {
    pub client: Arc<Client>,
    pub version: RespVersion,
    /// The server's nonce when this client was let in.
    pub nonce: u128,
    /// The selected database.
    pub database: u32,
    pub transaction: Option<Transaction>,
    pub watched: Vec<Watched>,
    pub answers: Answers,
    /// A large value on its way into the arena.
    pub receiving: Option<Incoming>,
    /// A command of which a piece is done, and how long that took.
    pub walking: Option<(KeyWalk, Duration)>,
}

/// Which requests are answered (CLIENT REPLY).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Answers {
    #[default]
    All,
    None,
    /// All but the next one.
    SkipNext,
}

impl RespState {
    pub fn new(client: Arc<Client>, nonce: u128) -> RespState {
        RespState {
            client,
            nonce,
            version: RespVersion::Two,
            database: 0,
            transaction: None,
            watched: Vec::new(),
            answers: Answers::All,
            receiving: None,
            walking: None,
        }
    }

    pub fn select(&mut self, database: u32) {
        self.database = database;
        self.client.database.store(database, Relaxed);
    }

    pub fn speak(&mut self, version: RespVersion) {
        self.version = version;
        self.client.protocol.store(version.number() as u8, Relaxed);
    }

    /// Whether the present request's answer is sent unchanged.
    #[inline]
    pub fn answers_at_once(&self) -> bool {
        self.answers == Answers::All && self.transaction.is_none()
    }

    /// Bytes that it keeps for its client.
    pub fn kept_bytes(&self) -> usize {
        let walked = self.walking.as_ref().map_or(0, |(walk, _)| walk.kept_bytes());
        walked + self.transaction.as_ref().map_or(0, Transaction::kept_bytes)
    }
}

//! The short cut: commands on strings are executed in the arena of a `leveret serve --redis` of this host, and their replies
//! lie in the link's input as if they had come.
//!
//! The arena is used only while the server would answer the same. All of this must hold:
//! - no request or reply is under way on the socket;
//! - the connection has no state that only the server knows (MULTI, WATCH, a raw command);
//! - a living server at the link's address announces this arena as the selected database (`memory/short_cut.rs`);
//! - if the server asks for a password, it has accepted the link's credentials from this process (`admitted.rs`).
use super::target::RedisCredentials;
use super::{admitted, RedisLink};
use crate::link::endpoint::ServerKind;
use crate::memory::short_cut::{FoundArena, ShortCut, Validity};
use leveret_engine::Arena;
use leveret_protocol::resp::{parse_integer, ArgumentsBuf, ReplyWriter, RespVersion};
use leveret_strings::{key_command, Call, Databases, KeyCommand, Problem};

/// Bytes of a request that stay allocated after it.
const REQUEST_KEPT: usize = 64 << 10;

/// The way to the arena of the selected database.
#[derive(Default)]
pub(super) struct DirectWay {
    short_cut: ShortCut,
    /// The database that `short_cut` leads to.
    database: Option<u32>,
    request: ArgumentsBuf,
}

/// A command that needs no server.
enum DirectCommand {
    Keys(&'static KeyCommand),
    /// The connection gets its SELECT before its next request.
    Select,
}

/// The database that the commands of a link are executed in.
struct OneArena<'a> {
    arena: &'a Arena,
    number: u32,
    databases: u32,
}

impl Databases for OneArena<'_> {
    fn arena(&self, database: u32) -> Option<&Arena> {
        (database == self.number).then_some(self.arena)
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        self.arena(database).ok_or(Problem::NO_DATABASE)
    }

    fn count(&self) -> u32 {
        self.databases
    }

    fn value_max(&self) -> usize {
        self.arena.value_max()
    }
}

impl RedisLink {
    /// The arena of the selected database, if keys may be read and written there in the server's place now.
    pub fn arena(&mut self) -> Option<&Arena> {
        if self.is_vain() || !self.is_plain() {
            return None;
        }
        let nonce = self.look()?.listener.as_ref()?.nonce;
        let is_let_in = match (nonce, &self.wanted.credentials) {
            (None, None) => true,
            (Some(nonce), Some(credentials)) => admitted::is_known(nonce, credentials) || self.ask_nonce(nonce),
            // The server decides whether it accepts these credentials, or none.
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !is_let_in {
            return None;
        }
        self.is_connected_here |= self.socket.is_none();
        self.direct.short_cut.found().map(|found| &found.arena)
    }

    /// How long the result of `arena` is valid, if the link is not used meanwhile.
    pub fn arena_validity(&self) -> Option<Validity> {
        self.direct.short_cut.found().map(FoundArena::validity)
    }

    /// Executes a request of `len` words in the arena. The number is the turn for `next`. None: nothing was done; send the
    /// request to the server.
    pub fn execute<'w>(&mut self, word: &impl Fn(usize) -> &'w [u8], len: usize) -> Option<u64> {
        if self.is_vain() {
            return None;
        }
        let command = match key_command(word(0), len) {
            Some(command) => DirectCommand::Keys(command),
            None if word(0) == b"SELECT" && len == 2 => DirectCommand::Select,
            None => return None,
        };
        self.arena()?;
        self.end_reply()?;
        let is_done = match command {
            DirectCommand::Keys(command) => self.execute_on_keys(command, word, len),
            DirectCommand::Select => self.select(word(1)),
        };
        if !is_done {
            self.input.clear();
            return None;
        }
        self.turn += 1;
        self.replies_sent += 1;
        self.is_answered_here = true;
        Some(self.turn)
    }

    fn execute_on_keys<'w>(&mut self, command: &KeyCommand, word: &impl Fn(usize) -> &'w [u8], len: usize) -> bool {
        let Some(found) = self.direct.short_cut.found() else { return false };
        let databases = found.listener.as_ref().map_or(0, |listener| listener.databases);
        let host = OneArena { arena: &found.arena, number: self.wanted.database, databases };
        let request = &mut self.direct.request;
        request.clear();
        // The server refuses what is too long for the arena.
        let fits = (0..len).all(|index| word(index).len() <= found.value_max && request.push(word(index)));
        let mut is_done = false;
        if fits {
            let request = request.arguments();
            self.input.replace(&mut |reply| {
                let reply = ReplyWriter::new(reply, RespVersion::Two);
                is_done = command.run(&mut Call::new(&host, host.number, reply), &request);
            });
        }
        if request.size() > REQUEST_KEPT {
            self.direct.request = ArgumentsBuf::new();
        }
        is_done
    }

    /// Selects a database that the server has. False: the server refuses the number.
    fn select(&mut self, number: &[u8]) -> bool {
        let listener = self.direct.short_cut.found().and_then(|found| found.listener.as_ref());
        let number = parse_integer(number).and_then(|number| u32::try_from(number).ok());
        let (Some(listener), Some(number)) = (listener, number) else { return false };
        if number >= listener.databases {
            return false;
        }
        self.wanted.database = number;
        self.input.replace(&mut |reply| reply.extend_from_slice(b"+OK\r\n"));
        true
    }

    /// Whether a living server of this host was found, so that a connection can be opened later.
    pub(super) fn is_within_reach(&mut self) -> bool {
        if !self.is_plain() {
            return false;
        }
        let Some(Some(nonce)) = self.look().map(|found| found.listener.as_ref().map(|listener| listener.nonce)) else {
            return false;
        };
        match (nonce, &self.wanted.credentials) {
            (_, None) => true,
            (Some(nonce), Some(credentials)) => admitted::is_known(nonce, credentials),
            (None, Some(_)) => false,
        }
    }

    /// Whether the server has accepted these credentials from this process.
    pub(super) fn is_admitted(&mut self, credentials: &RedisCredentials) -> bool {
        if !self.is_plain() {
            return false;
        }
        let nonce = self.look().and_then(|found| found.listener.as_ref()?.nonce);
        nonce.is_some_and(|nonce| admitted::is_known(nonce, credentials))
    }

    /// No request is under way, and the server has no state of the connection that the link does not have.
    #[inline]
    fn is_plain(&self) -> bool {
        self.queue.len == 0
            && (self.is_answered_here || self.owed() == 0)
            && !self.talk.has_state()
            && self.socket.as_ref().is_none_or(|socket| !socket.is_opaque)
    }

    /// `look` would find nothing. Towards another server nothing else is asked for each command.
    #[inline]
    fn is_vain(&self) -> bool {
        self.direct.database == Some(self.wanted.database) && !self.direct.short_cut.is_due()
    }

    fn look(&mut self) -> Option<&FoundArena> {
        self.server.as_ref().filter(|server| server.has_short_cut)?;
        let endpoint = self.endpoint.as_mut()?;
        if endpoint.is_secured() || endpoint.kind == ServerKind::Arena {
            return None;
        }
        let DirectWay { short_cut, database, .. } = &mut self.direct;
        if *database != Some(self.wanted.database) {
            *short_cut = ShortCut::to_database(self.wanted.database);
            *database = Some(self.wanted.database);
        }
        short_cut.find(endpoint)
    }

    /// Skips the rest of the last reply. None: the server has sent more than was requested.
    pub(super) fn end_reply(&mut self) -> Option<()> {
        if self.is_answered_here {
            self.forget_replies();
            self.is_answered_here = false;
        }
        self.settle().ok()?;
        (self.input.len() == 0).then_some(())
    }

    /// Asks the server under which nonce it has accepted this connection's credentials. True: it is the announced one, so this
    /// process may use the server's arenas with them.
    #[cold]
    fn ask_nonce(&mut self, nonce: u128) -> bool {
        let Some(credentials) = self.wanted.credentials.clone() else { return false };
        let is_signed_in = self.socket.as_ref().is_some_and(|socket| {
            socket.is_own()
                && socket.asked_nonce != Some(nonce)
                && socket.identity.credentials.as_ref() == Some(&credentials)
        });
        if !is_signed_in || self.end_reply().is_none() {
            return false;
        }
        match self.told_nonce(nonce) {
            Some(told) if told == nonce => {
                admitted::add(nonce, credentials);
                true
            }
            _ => false,
        }
    }
}

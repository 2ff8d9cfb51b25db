//! Identity and protocol of a client: AUTH, HELLO, RESET, SELECT.
use super::state::{House, RespState};
use super::{info, transaction};
use crate::auth::secret::is_equal;
use crate::conversation::Conversation;
use leveret_protocol::resp::{parse_integer, Arguments, ReplyWriter, RespVersion};
use leveret_strings::{c_text, database_number};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::PoisonError;

const WRONG: &str = "WRONGPASS invalid username-password pair or user is disabled.";
const NO_PASSWORD: &str = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?";
const UNAUTHENTICATED: &str = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time";

/// The user without a name.
const DEFAULT: &[u8] = b"default";

/// Whether this is the name and the password of a user, and whether any password is asked for at all.
fn admits(house: House<'_>, user: &[u8], password: &[u8]) -> bool {
    let users = house.shared.users().map(|users| users.read().unwrap_or_else(PoisonError::into_inner));
    if users.is_some_and(|users| users.admit(&[user, b" ", password].concat())) {
        return true;
    }
    match house.redis.password() {
        Some(wanted) => (user == DEFAULT) & is_equal(&wanted, password),
        // Without a configured password, the default user may sign in with any password.
        None => user == DEFAULT && house.shared.users().is_none(),
    }
}

/// AUTH [user] password.
pub(super) fn auth(
    state: &mut RespState,
    talk: &mut Conversation,
    house: House<'_>,
    request: Arguments<'_>,
    reply: &mut ReplyWriter<'_>,
) {
    talk.heard_secret = true;
    let (user, password) = match request.len() {
        2 => (DEFAULT, request.get(1)),
        3 => (request.get(1), request.get(2)),
        _ => return reply.error("ERR syntax error"),
    };
    if request.len() == 2 && !house.asks_for_passwords() {
        return reply.error(NO_PASSWORD);
    }
    let nonce = house.redis.announced.nonce();
    if admits(house, user, password) {
        let_in(state, talk, user, nonce);
        reply.ok();
    } else {
        reply.error(WRONG);
    }
}

/// `nonce` is that from before the password was compared.
fn let_in(state: &mut RespState, talk: &mut Conversation, user: &[u8], nonce: u128) {
    talk.is_known = true;
    state.nonce = nonce;
    state.client.texts().user = user.to_vec();
    state.client.is_known.store(true, Relaxed);
}

/// HELLO [2|3 [AUTH user password] [SETNAME name]].
pub(super) fn hello(
    state: &mut RespState,
    talk: &mut Conversation,
    house: House<'_>,
    request: Arguments<'_>,
    reply: &mut ReplyWriter<'_>,
) {
    let version = match request.len() {
        1 => None,
        _ => match parse_integer(request.get(1)) {
            Some(2) => Some(RespVersion::Two),
            Some(3) => Some(RespVersion::Three),
            Some(_) => return reply.error("NOPROTO unsupported protocol version"),
            None => return reply.error("ERR Protocol version is not an integer or out of range"),
        },
    };
    let (mut user, mut name) = (None, None);
    let mut at = 2;
    while at < request.len() {
        let option = request.get(at);
        if option.eq_ignore_ascii_case(b"AUTH") && at + 2 < request.len() {
            talk.heard_secret = true;
            user = Some((request.get(at + 1), request.get(at + 2)));
            at += 3;
        } else if option.eq_ignore_ascii_case(b"SETNAME") && at + 1 < request.len() {
            name = Some(request.get(at + 1));
            at += 2;
        } else {
            return reply.error_of(&[b"ERR Syntax error in HELLO option '", c_text(option), b"'"]);
        }
    }
    if let Some((user, password)) = user {
        let nonce = house.redis.announced.nonce();
        if !admits(house, user, password) {
            return reply.error(WRONG);
        }
        let_in(state, talk, user, nonce);
    }
    if !talk.is_known {
        return reply.error(UNAUTHENTICATED);
    }
    if let Some(name) = name {
        if let Err(text) = super::client::set_name(state, name) {
            return reply.error(text);
        }
    }
    if let Some(version) = version {
        state.speak(version);
        reply.set_version(version);
    }
    reply.map(7);
    for (field, value) in [("server", "redis"), ("version", info::VERSION)] {
        reply.bulk(field.as_bytes());
        reply.bulk(value.as_bytes());
    }
    reply.bulk(b"proto");
    reply.integer(state.version.number());
    reply.bulk(b"id");
    reply.integer(state.client.id as i64);
    for (field, value) in [("mode", "standalone"), ("role", "master")] {
        reply.bulk(field.as_bytes());
        reply.bulk(value.as_bytes());
    }
    reply.bulk(b"modules");
    reply.array(0);
}

/// RESET: as if the client had just connected.
pub(super) fn reset(state: &mut RespState, talk: &mut Conversation, house: House<'_>, reply: &mut ReplyWriter<'_>) {
    transaction::discard(state, house);
    state.select(0);
    state.speak(RespVersion::Two);
    reply.set_version(RespVersion::Two);
    *state.client.texts() = Default::default();
    state.client.is_no_evict.store(false, Relaxed);
    state.client.is_no_touch.store(false, Relaxed);
    state.answers = Default::default();
    state.nonce = house.redis.announced.nonce();
    talk.is_known = !house.asks_for_passwords();
    state.client.is_known.store(talk.is_known, Relaxed);
    reply.simple("RESET");
}

/// SELECT n.
pub(super) fn select(state: &mut RespState, house: House<'_>, request: Arguments<'_>, reply: &mut ReplyWriter<'_>) {
    match database_number(request.get(1), house.redis.databases.count()) {
        Ok(number) => {
            state.select(number);
            reply.ok();
        }
        Err(problem) => problem.write(reply),
    }
}

//! CLIENT: inspects connections and controls them.
use super::state::{Answers, House, RespState};
use crate::redis::clients::Client;
use leveret_protocol::resp::{parse_integer, Arguments, ReplyWriter};
use leveret_strings::{c_text, ServerCommand};
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;

const NAME: &str = "ERR Client names cannot contain spaces, newlines or special characters.";

/// CLIENT GETREDIR: nothing is tracked.
const NOT_TRACKED: i64 = -1;

const HELP: [&str; 24] = [
    "GETNAME",
    "    Return the name of the current connection.",
    "GETREDIR",
    "    Return -1: nothing is tracked.",
    "ID",
    "    Return the ID of the current connection.",
    "INFO",
    "    Return information about the current client connection.",
    "KILL <ip:port>",
    "KILL <option> <value> [<option> <value> [...]]",
    "    Kill connections. Options are: ADDR, LADDR, TYPE, USER, SKIPME, ID, MAXAGE.",
    "LIST [options ...]",
    "    Return information about client connections. Options: TYPE (NORMAL|MASTER|REPLICA|PUBSUB), ID <id> [<id>...].",
    "NO-EVICT (ON|OFF)",
    "    Protect current client connection from eviction.",
    "NO-TOUCH (ON|OFF)",
    "    Will not touch LRU/LFU stats when this mode is on.",
    "REPLY (ON|OFF|SKIP)",
    "    RunState the replies sent to the current connection.",
    "SETINFO <option> <value>",
    "    Set client meta attr. Options are: LIB-NAME, LIB-VER.",
    "SETNAME <name>",
    "    Assign the name <name> to the current connection.",
    "UNBLOCK <clientid> [TIMEOUT|ERROR]",
];

/// Executes a subcommand. False: the connection has ended itself.
pub(super) fn client(
    state: &mut RespState,
    house: House<'_>,
    command: ServerCommand,
    request: Arguments<'_>,
    reply: &mut ReplyWriter<'_>,
) -> bool {
    match command {
        ServerCommand::ClientId => reply.integer(state.client.id as i64),
        ServerCommand::ClientGetName => match &state.client.texts().name {
            name if name.is_empty() => reply.nil(),
            name => reply.bulk(name),
        },
        ServerCommand::ClientSetName => say(reply, set_name(state, request.get(2))),
        ServerCommand::ClientSetInfo => set_info(state, request.get(2), request.get(3), reply),
        ServerCommand::ClientInfo => {
            let line = line(&state.client, true);
            reply.verbatim("txt", line.as_bytes());
        }
        ServerCommand::ClientList => list(state, house, request, reply),
        ServerCommand::ClientKill => return kill(state, house, request, reply),
        ServerCommand::ClientNoEvict => switch(&state.client.is_no_evict, request.get(2), reply),
        ServerCommand::ClientNoTouch => switch(&state.client.is_no_touch, request.get(2), reply),
        ServerCommand::ClientReply => answers(state, request.get(2), reply),
        ServerCommand::ClientGetRedir => reply.integer(NOT_TRACKED),
        ServerCommand::ClientTrackingInfo => tracking_info(reply),
        ServerCommand::ClientUnblock => match parse_integer(request.get(2)) {
            // No client is ever blocked.
            Some(_) => reply.integer(0),
            None => reply.error("ERR value is not an integer or out of range"),
        },
        _ => reply.help("CLIENT", &HELP),
    }
    true
}

fn say(reply: &mut ReplyWriter<'_>, done: Result<(), &str>) {
    match done {
        Ok(()) => reply.ok(),
        Err(text) => reply.error(text),
    }
}

/// Whether a text can stand in a line of CLIENT LIST.
fn is_word(text: &[u8]) -> bool {
    text.iter().all(|byte| (b'!'..=b'~').contains(byte))
}

/// Names the connection.
pub(super) fn set_name(state: &RespState, name: &[u8]) -> Result<(), &'static str> {
    if !is_word(name) {
        return Err(NAME);
    }
    state.client.texts().name = name.to_vec();
    Ok(())
}

fn set_info(state: &RespState, option: &[u8], value: &[u8], reply: &mut ReplyWriter<'_>) {
    let mut texts = state.client.texts();
    let (place, name) = match option.to_ascii_uppercase().as_slice() {
        b"LIB-NAME" => (&mut texts.library, "lib-name"),
        b"LIB-VER" => (&mut texts.version, "lib-ver"),
        _ => return reply.error_of(&[b"ERR Unrecognized option '", c_text(option), b"'"]),
    };
    if !is_word(value) {
        return reply.error(&format!("ERR {name} cannot contain spaces, newlines or special characters."));
    }
    *place = value.to_vec();
    reply.ok();
}

fn switch(flag: &std::sync::atomic::AtomicBool, word: &[u8], reply: &mut ReplyWriter<'_>) {
    match word.to_ascii_uppercase().as_slice() {
        b"ON" => flag.store(true, Relaxed),
        b"OFF" => flag.store(false, Relaxed),
        _ => return reply.error("ERR syntax error"),
    }
    reply.ok();
}

fn answers(state: &mut RespState, word: &[u8], reply: &mut ReplyWriter<'_>) {
    match word.to_ascii_uppercase().as_slice() {
        b"ON" => {
            state.answers = Answers::All;
            reply.ok();
        }
        b"OFF" => state.answers = Answers::None,
        b"SKIP" if state.answers == Answers::All => state.answers = Answers::SkipNext,
        b"SKIP" => {}
        _ => reply.error("ERR syntax error"),
    }
}

fn tracking_info(reply: &mut ReplyWriter<'_>) {
    reply.map(3);
    reply.bulk(b"flags");
    reply.set(1);
    reply.bulk(b"off");
    reply.bulk(b"redirect");
    reply.integer(NOT_TRACKED);
    reply.bulk(b"prefixes");
    reply.array(0);
}

fn list(state: &RespState, house: House<'_>, request: Arguments<'_>, reply: &mut ReplyWriter<'_>) {
    let option = request.get(2).to_ascii_uppercase();
    let mut wanted = house.redis.clients.all();
    match (&option[..], request.len()) {
        (b"", 2) => {}
        (b"TYPE", 4) => match request.get(3).to_ascii_lowercase().as_slice() {
            b"normal" => {}
            b"master" | b"replica" | b"slave" | b"pubsub" => wanted.clear(),
            _ => return reply.error_of(&[b"ERR Unknown client type '", c_text(request.get(3)), b"'"]),
        },
        (b"ID", 4..) => {
            let ids: Option<Vec<i64>> = request.iter().skip(3).map(parse_integer).collect();
            let Some(ids) = ids else { return reply.error("ERR Invalid client ID") };
            // In the order of the request, twice where it says so.
            let of = |id: i64| wanted.iter().find(|client| client.id as i64 == id).cloned();
            wanted = ids.into_iter().filter_map(of).collect();
        }
        _ => return reply.error("ERR syntax error"),
    }
    let mut text = String::new();
    for client in wanted {
        text += &line(&client, client.id == state.client.id);
    }
    reply.verbatim("txt", text.as_bytes());
}

/// A line of CLIENT LIST, with all fields of 7.2.
fn line(client: &Client, is_own: bool) -> String {
    let texts = client.texts();
    let age = client.since.elapsed();
    let idle = if is_own { 0 } else { age.as_secs().saturating_sub(client.asked_ms.load(Relaxed) / 1000) };
    let queued = client.queued.load(Relaxed);
    let flags = if queued >= 0 { "x" } else { "N" };
    let command = client.command().unwrap_or("NULL");
    let user = if texts.user.is_empty() { b"default" } else { texts.user.as_slice() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut line = String::new();
    let _ = writeln!(
        line,
        "id={} addr={} laddr={} fd={} name={} age={} idle={idle} flags={flags} db={} sub=0 psub=0 ssub=0 multi={queued} watch={} qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd={command} user={} redir=-1 resp={} lib-name={} lib-ver={}",
        client.id,
        client.address,
        client.local,
        client.fd,
        text(&texts.name),
        age.as_secs(),
        client.database.load(Relaxed),
        client.watched.load(Relaxed),
        text(user),
        client.protocol.load(Relaxed),
        text(&texts.library),
        text(&texts.version),
    );
    line
}

/// CLIENT KILL, in its old form with an address and in the new one with filters. False: it has killed itself.
fn kill(state: &RespState, house: House<'_>, request: Arguments<'_>, reply: &mut ReplyWriter<'_>) -> bool {
    if request.len() == 3 {
        let address = request.get(2);
        let all = house.redis.clients.all();
        let Some(client) = all.iter().find(|client| client.address.as_bytes() == address) else {
            reply.error("ERR No such client");
            return true;
        };
        reply.ok();
        return end(state, house, client);
    }
    let filter = match Filter::of(request) {
        Ok(filter) => filter,
        Err(text) => {
            reply.error(&text);
            return true;
        }
    };
    let wanted: Vec<_> = house.redis.clients.all().into_iter().filter(|client| filter.takes(client, state)).collect();
    reply.count(wanted.len());
    let mut stays = true;
    for client in wanted {
        stays &= end(state, house, &client);
    }
    stays
}

/// Ends a connection. False: it is one's own, which ends behind its answer.
fn end(state: &RespState, house: House<'_>, client: &Client) -> bool {
    if client.id == state.client.id {
        return false;
    }
    house.redis.clients.kill(client);
    true
}

/// Which connections CLIENT KILL means.
#[derive(Default)]
struct Filter {
    id: Option<u64>,
    address: Option<Vec<u8>>,
    local: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
    max_age: Option<u64>,
    takes_none: bool,
    takes_self: bool,
}

impl Filter {
    fn of(request: Arguments<'_>) -> Result<Filter, String> {
        let mut filter = Filter::default();
        if request.len() % 2 != 0 {
            return Err("ERR syntax error".to_owned());
        }
        for at in (2..request.len()).step_by(2) {
            let value = request.get(at + 1);
            match request.get(at).to_ascii_uppercase().as_slice() {
                b"ID" => match parse_integer(value) {
                    Some(id) if id > 0 => filter.id = Some(id as u64),
                    _ => return Err("ERR client-id should be greater than 0".to_owned()),
                },
                b"ADDR" => filter.address = Some(value.to_vec()),
                b"LADDR" => filter.local = Some(value.to_vec()),
                b"USER" => filter.user = Some(value.to_vec()),
                b"MAXAGE" => match parse_integer(value) {
                    Some(age) if age >= 0 => filter.max_age = Some(age as u64),
                    _ => return Err("ERR syntax error".to_owned()),
                },
                b"TYPE" => match value.to_ascii_lowercase().as_slice() {
                    b"normal" => {}
                    b"master" | b"replica" | b"slave" | b"pubsub" => filter.takes_none = true,
                    other => return Err(format!("ERR Unknown client type '{}'", String::from_utf8_lossy(other))),
                },
                b"SKIPME" => match value.to_ascii_lowercase().as_slice() {
                    b"yes" => filter.takes_self = false,
                    b"no" => filter.takes_self = true,
                    _ => return Err("ERR syntax error".to_owned()),
                },
                _ => return Err("ERR syntax error".to_owned()),
            }
        }
        Ok(filter)
    }

    fn takes(&self, client: &Client, state: &RespState) -> bool {
        let user = client.texts().user.clone();
        let user = if user.is_empty() { b"default".to_vec() } else { user };
        !self.takes_none
            && (self.takes_self || client.id != state.client.id)
            && self.id.is_none_or(|id| id == client.id)
            && self.address.as_ref().is_none_or(|address| *address == client.address.as_bytes())
            && self.local.as_ref().is_none_or(|local| *local == client.local.as_bytes())
            && self.user.as_ref().is_none_or(|wanted| *wanted == user)
            && self.max_age.is_none_or(|age| client.since.elapsed().as_secs() >= age)
    }
}

//! What operators, tools and clients ask of the server itself: CONFIG, INFO, ACL.
use super::config::Selected;
use super::state::{House, RespState};
use super::{config, info};
use leveret_protocol::resp::{Arguments, ReplyWriter};
use leveret_strings::{Databases, ServerCommand};

/// CONFIG GET, SET, RESETSTAT.
pub(super) fn config(
    state: &RespState,
    house: House<'_>,
    command: ServerCommand,
    request: Arguments<'_>,
    reply: &mut ReplyWriter<'_>,
) {
    let House { shared, redis, worker, .. } = house;
    let make = || worker.database_to_write(state.database).ok().cloned();
    let selected = Selected { make: &make, policy: house.policy(state.database) };
    match command {
        ServerCommand::ConfigGet => {
            let patterns: Vec<&[u8]> = request.iter().skip(2).collect();
            let found = config::get(shared, redis, selected, &patterns);
            reply.map(found.len());
            for (name, value) in found {
                reply.bulk(name.as_bytes());
                reply.bulk(value.as_bytes());
            }
        }
        ServerCommand::ConfigSet if request.len() % 2 != 0 => {
            reply.error("ERR wrong number of arguments for 'config|set' command");
        }
        ServerCommand::ConfigSet => {
            let words: Vec<&[u8]> = request.iter().skip(2).collect();
            let pairs: Vec<(&[u8], &[u8])> = words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            match config::set(shared, redis, selected, &pairs) {
                Ok(()) => reply.ok(),
                Err(text) => reply.error(&text),
            }
        }
        ServerCommand::ConfigResetStat => {
            config::reset_counts(shared, redis);
            reply.ok();
        }
        ServerCommand::ConfigRewrite => reply.error("ERR The server is running without a config file"),
        _ => reply.help(
            "CONFIG",
            &[
                "GET <pattern>",
                "    Return parameters matching the glob-like <pattern> and their values.",
                "SET <directive> <value>",
                "    Set the configuration <directive> to <value>.",
                "RESETSTAT",
                "    Reset statistics reported by the INFO command.",
            ],
        ),
    }
}

/// INFO [section...].
pub(super) fn info(state: &RespState, house: House<'_>, request: Arguments<'_>, reply: &mut ReplyWriter<'_>) {
    let policy = house.policy(state.database);
    let sections: Vec<&[u8]> = request.iter().skip(1).collect();
    let text = info::text(house.shared, house.redis, policy, state.nonce, &sections);
    reply.verbatim("txt", text.as_bytes());
}

/// ACL, as far as it tells: users are set at the start.
pub(super) fn acl(state: &RespState, house: House<'_>, command: ServerCommand, reply: &mut ReplyWriter<'_>) {
    let user = match &state.client.texts().user {
        user if user.is_empty() => b"default".to_vec(),
        user => user.clone(),
    };
    let mut users = vec![b"default".to_vec()];
    if !users.contains(&user) {
        users.push(user.clone());
    }
    match command {
        ServerCommand::AclWhoAmI => reply.bulk(&user),
        ServerCommand::AclUsers => {
            reply.array(users.len());
            users.iter().for_each(|user| reply.bulk(user));
        }
        ServerCommand::AclList => {
            let password = if house.asks_for_passwords() { "#hidden" } else { "nopass" };
            reply.array(users.len());
            for user in users {
                let name = String::from_utf8_lossy(&user).into_owned();
                reply.bulk(format!("user {name} on {password} ~* &* +@all").as_bytes());
            }
        }
        _ => reply.help(
            "ACL",
            &[
                "CAT [<category>]",
                "    List all commands that belong to <category>, or all command categories.",
                "LIST",
                "    Show users details in config file format.",
                "USERS",
                "    List all the registered usernames.",
                "WHOAMI",
                "    Return the current connection username.",
            ],
        ),
    }
}

//! CONFIG: the parameters in force. A parameter that cannot be changed, or would have no effect, is refused: OK always
//! means that the change took effect.
use crate::entrance::RESP_ENDPOINT;
use crate::redis::databases::set_policy;
use crate::redis::settings::{policy_of, policy_word, RedisPlace, POLICIES};
use crate::redis::Redis;
use crate::Shared;
use leveret_engine::{Arena, EvictionPolicy};
use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;

/// What became of a CONFIG SET.
pub(super) type ConfigSet = Result<(), Cow<'static, str>>;

/// One parameter.
struct Parameter {
    name: &'static str,
    get: fn(&View<'_>) -> String,
    set: Setter,
}

/// How a parameter is set.
enum Setter {
    /// At the start alone.
    Never,
    /// Accepts only its present value; any other is refused with this reason.
    AsItIs(&'static str),
    To(fn(&View<'_>, &[u8]) -> ConfigSet),
}

/// What parameters are read from.
struct View<'s> {
    shared: &'s Shared,
    redis: &'s Redis,
    selected: Selected<'s>,
}

/// The database that the connection has selected.
#[derive(Clone, Copy)]
pub(super) struct Selected<'s> {
    /// Its arena, made where a policy is set.
    pub make: &'s dyn Fn() -> Option<Arena>,
    /// Its policy, that of its making if it was not made yet.
    pub policy: EvictionPolicy,
}

use Setter::{AsItIs, Never, To};

/// All of them, by name.
const PARAMETERS: [Parameter; 24] = [
    Parameter { name: "appendonly", get: |_| "no".to_owned(), set: AsItIs("nothing is written to disks") },
    Parameter { name: "bind", get: bind, set: Never },
    Parameter { name: "cluster-enabled", get: |_| "no".to_owned(), set: Never },
    Parameter { name: "databases", get: |view| view.redis.databases.count().to_string(), set: Never },
    Parameter { name: "dir", get: folder, set: Never },
    Parameter { name: "hz", get: |_| "10".to_owned(), set: AsItIs("there is nothing to tune") },
    Parameter { name: "latency-monitor-threshold", get: |_| "0".to_owned(), set: AsItIs("latencies are not recorded") },
    Parameter { name: "logfile", get: |_| String::new(), set: Never },
    Parameter { name: "loglevel", get: |_| "notice".to_owned(), set: AsItIs("-v at the start says more") },
    Parameter { name: "maxclients", get: |view| view.shared.live.conn_limit().to_string(), set: To(max_clients) },
    Parameter { name: "maxmemory", get: |view| memory(view).to_string(), set: To(max_memory) },
    Parameter { name: "maxmemory-policy", get: |view| policy_word(view.selected.policy).to_owned(), set: To(policy) },
    Parameter { name: "maxmemory-samples", get: |_| "5".to_owned(), set: AsItIs("nothing is sampled") },
    Parameter { name: "notify-keyspace-events", get: |_| String::new(), set: AsItIs("there are no keyspace events") },
    Parameter { name: "port", get: |view| tcp_port(view.shared).to_string(), set: Never },
    Parameter { name: "proto-max-bulk-len", get: |_| "536870912".to_owned(), set: Never },
    Parameter { name: "requirepass", get: |_| String::new(), set: To(password) },
    Parameter { name: "save", get: |_| String::new(), set: AsItIs("nothing is written to disks") },
    Parameter { name: "slowlog-log-slower-than", get: |_| "-1".to_owned(), set: AsItIs("there is no slow log") },
    Parameter { name: "slowlog-max-len", get: |_| "128".to_owned(), set: AsItIs("there is no slow log") },
    Parameter { name: "tcp-keepalive", get: |_| "300".to_owned(), set: AsItIs("the kernel's times hold") },
    Parameter { name: "timeout", get: |view| view.shared.live.idle_timeout_secs().to_string(), set: To(timeout) },
    Parameter { name: "unixsocket", get: unix_socket, set: Never },
    Parameter { name: "unixsocketperm", get: |view| format!("{:o}", view.shared.settings.unix_mode), set: Never },
];

/// Names and values of the parameters that match any of these patterns.
pub(super) fn get(
    shared: &Shared,
    redis: &Redis,
    selected: Selected<'_>,
    patterns: &[&[u8]],
) -> Vec<(&'static str, String)> {
    let view = View { shared, redis, selected };
    let is_wanted = |name: &str| {
        patterns.iter().any(|pattern| leveret_strings::glob_matches(&pattern.to_ascii_lowercase(), name.as_bytes()))
    };
    let wanted = PARAMETERS.iter().filter(|parameter| is_wanted(parameter.name));
    wanted.map(|parameter| (parameter.name, (parameter.get)(&view))).collect()
}

/// Sets parameters, all or none. The error is the text of the answer.
pub(super) fn set(
    shared: &Shared,
    redis: &Redis,
    selected: Selected<'_>,
    pairs: &[(&[u8], &[u8])],
) -> Result<(), String> {
    let view = View { shared, redis, selected };
    let mut found = Vec::new();
    for (name, value) in pairs {
        let shown = String::from_utf8_lossy(name);
        let parameter = PARAMETERS.iter().find(|parameter| parameter.name.as_bytes().eq_ignore_ascii_case(name));
        let failed = |why: &str| format!("ERR CONFIG SET failed (possibly related to argument '{shown}') - {why}");
        let Some(parameter) = parameter else {
            return Err(format!("ERR Unknown option or number of arguments for CONFIG SET - '{shown}'"));
        };
        if found.iter().any(|(other, _, _): &(&Parameter, _, _)| other.name == parameter.name) {
            return Err(failed("duplicate parameter"));
        }
        match parameter.set {
            Never => return Err(failed("can't set immutable config")),
            AsItIs(why) if (parameter.get)(&view).as_bytes() != *value => return Err(failed(why)),
            _ => found.push((parameter, *value, (parameter.get)(&view))),
        }
    }
    for (done, (parameter, value, _)) in found.iter().enumerate() {
        let To(set) = parameter.set else { continue };
        if let Err(why) = set(&view, value) {
            // Restores the parameters that were set before the refused one.
            for (parameter, _, before) in &found[..done] {
                if let To(set) = parameter.set {
                    let _ = set(&view, before.as_bytes());
                }
            }
            let name = parameter.name;
            return Err(format!("ERR CONFIG SET failed (possibly related to argument '{name}') - {why}"));
        }
    }
    Ok(())
}

/// The policy of the selected database, which is made if it is not there.
fn policy(view: &View<'_>, value: &[u8]) -> ConfigSet {
    let Some(wanted) = policy_of(value) else {
        let words = POLICIES.map(|(word, _)| word).join(", ");
        return Err(format!("argument(s) must be one of the following: {words}").into());
    };
    let arena = (view.selected.make)().ok_or("the database cannot be made: see the log of the server")?;
    Ok(set_policy(&arena, wanted)?)
}

fn memory(view: &View<'_>) -> u64 {
    let others = view.redis.databases.made().iter().map(|(_, arena)| arena.memory()).sum::<u64>();
    view.shared.arena().memory() + others
}

fn max_memory(view: &View<'_>, value: &[u8]) -> ConfigSet {
    if memory(view).to_string().as_bytes() == value {
        return Ok(());
    }
    Err("an arena keeps its size: 'leveret renew' replaces it with another size".into())
}

fn max_clients(view: &View<'_>, value: &[u8]) -> ConfigSet {
    let most = view.shared.settings.conn_limit;
    let wanted = number(value).and_then(|wanted| usize::try_from(wanted).ok()).filter(|wanted| *wanted >= 1);
    let Some(wanted) = wanted else { return Err("argument must be between 1 and 4294967295 inclusive".into()) };
    if wanted > most {
        return Err(format!("the server was started for {most} (-c)").into());
    }
    view.shared.live.set_conn_limit(wanted);
    Ok(())
}

fn timeout(view: &View<'_>, value: &[u8]) -> ConfigSet {
    let wanted =
        number(value).and_then(|wanted| u32::try_from(wanted).ok()).filter(|wanted| *wanted <= i32::MAX as u32);
    let Some(wanted) = wanted else { return Err("argument must be between 0 and 2147483647 inclusive".into()) };
    view.shared.live.set_idle_timeout(wanted);
    Ok(())
}

fn password(view: &View<'_>, value: &[u8]) -> ConfigSet {
    let settings = &view.shared.settings;
    let asks = settings.asks_for_passwords();
    let is_memcached = |(_, endpoint): &(_, std::sync::Arc<str>)| !endpoint.starts_with(RESP_ENDPOINT);
    let is_first = !value.is_empty() && view.redis.password().is_none();
    if is_first && !asks && view.shared.network.listeners().iter().any(is_memcached) {
        return Err("clients of memcached would need no password for the same cache: start the server with -Y or -S, or without -p, -U and -s".into());
    }
    if value.is_empty() && asks && view.shared.users().is_none() {
        return Err("clients of memcached are asked for a password (-S), and clients of Redis would need none for the same cache".into());
    }
    view.redis.set_password(value, view.shared.users().is_some());
    Ok(())
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The port of the entrance; 0: it is a Unix socket.
pub(super) fn tcp_port(shared: &Shared) -> u16 {
    let listeners = shared.network.listeners();
    let ours = listeners.iter().filter_map(|(_, endpoint)| endpoint.strip_prefix(RESP_ENDPOINT));
    let ports = ours.filter_map(|place| place.rsplit_once(':')?.1.parse().ok());
    ports.min().unwrap_or(0)
}

fn bind(view: &View<'_>) -> String {
    let listeners = view.shared.network.listeners();
    let ours = listeners.iter().filter_map(|(_, endpoint)| endpoint.strip_prefix(RESP_ENDPOINT));
    let hosts: Vec<&str> =
        ours.filter_map(|place| place.split_once(' ')?.1.rsplit_once(':')).map(|(host, _)| host).collect();
    hosts.join(" ")
}

fn folder(view: &View<'_>) -> String {
    view.shared.arena().path().parent().map_or_else(String::new, |folder| folder.display().to_string())
}

fn unix_socket(view: &View<'_>) -> String {
    match &view.redis.settings.place {
        RedisPlace::Unix(path) => path.display().to_string(),
        RedisPlace::Tcp { .. } => String::new(),
    }
}

/// CONFIG RESETSTAT.
pub(super) fn reset_counts(shared: &Shared, redis: &Redis) {
    shared.reset_stats();
    redis.counters.reset();
    redis.peak.store(0, Relaxed);
}

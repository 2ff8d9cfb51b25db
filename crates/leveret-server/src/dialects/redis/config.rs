//! CONFIG: the parameters in force. A parameter that cannot be changed, or would have no effect, is refused: OK always
//! means that the change took effect.
use crate::entrance::RESP_ENDPOINT;
use crate::redis::settings::RedisPlace;
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
    selected: &'s Arena,
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
    Parameter { name: "maxmemory-policy", get: |view| policy_of(view.selected).to_owned(), set: To(policy) },
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
pub(super) fn get(shared: &Shared, redis: &Redis, selected: &Arena, patterns: &[&[u8]]) -> Vec<(&'static str, String)> {
    let view = View { shared, redis, selected };
    let is_wanted = |name: &str| {
        patterns.iter().any(|pattern| leveret_strings::glob_matches(&pattern.to_ascii_lowercase(), name.as_bytes()))
    };
    let wanted = PARAMETERS.iter().filter(|parameter| is_wanted(parameter.name));
    wanted.map(|parameter| (parameter.name, (parameter.get)(&view))).collect()
}

/// Sets parameters, all or none. The error is the text of the answer.
pub(super) fn set(shared: &Shared, redis: &Redis, selected: &Arena, pairs: &[(&[u8], &[u8])]) -> Result<(), String> {
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

/// The policy of a database, in Redis' word for it.
pub(super) fn policy_of(arena: &Arena) -> &'static str {
    match arena.policy() {
        EvictionPolicy::All => "allkeys-lfu",
        EvictionPolicy::Volatile => "volatile-lfu",
        EvictionPolicy::None => "noeviction",
    }
}

/// The policy of the selected database; one that was not made yet will have that of database 0.
fn policy(view: &View<'_>, value: &[u8]) -> ConfigSet {
    let wanted = match value.to_ascii_lowercase().as_slice() {
        b"allkeys-lfu" => EvictionPolicy::All,
        b"volatile-lfu" => EvictionPolicy::Volatile,
        b"noeviction" => EvictionPolicy::None,
        _ => {
            return Err("argument(s) must be one of the following: allkeys-lfu, volatile-lfu, noeviction".into());
        }
    };
    let is_set =
        view.selected.policy() == wanted || view.selected.set_policy(wanted) && view.selected.policy() == wanted;
    match is_set {
        true => Ok(()),
        false if view.selected.layout() < 2 => {
            Err("the arena has layout 1, which has no policy: 'leveret renew' replaces it".into())
        }
        false => Err("the server was started without evictions (-M)".into()),
    }
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

//! A look at a server that speaks RESP: what INFO tells of it.
use super::numbers::{gone, printable, SampledCounters, Shown, TargetNumbers};
use crate::conversation::Exchange;
use crate::output::Failure;
use crate::redis::RedisPeer;
use leveret_server::printable::steers;
use std::collections::BTreeMap;
use std::time::Instant;

/// Commands that store, and that delete: what is counted of them is calls.
const SETS: [&str; 13] = [
    "set", "setex", "psetex", "setnx", "getset", "mset", "msetnx", "append", "setrange", "incr", "incrby", "decr",
    "decrby",
];
const DELETES: [&str; 3] = ["del", "unlink", "getdel"];

type Fields = BTreeMap<String, String>;

pub fn look(peer: &RedisPeer, conversation: &mut Exchange) -> Result<TargetNumbers, Failure> {
    let asked = Instant::now();
    peer.line(conversation, &[b"PING"])?;
    let latency = asked.elapsed();
    let info = peer.info_of(conversation, &[])?;
    let calls = peer.info_of(conversation, &[b"commandstats"])?;
    Ok(TargetNumbers { latency: Some(latency), ..numbers(&info, &calls) })
}

fn numbers(info: &Fields, calls: &Fields) -> TargetNumbers {
    let text = |name: &str| {
        let value = info.get(name).map_or("", |value| value.trim_end());
        value.chars().filter(|letter| !steers(*letter)).collect::<String>()
    };
    let number = |name: &str| text(name).parse::<u64>().unwrap_or(0);
    let called = |names: &[&str]| {
        let of = |name: &&str| part(calls.get(&format!("cmdstat_{name}")), "calls");
        names.iter().map(of).sum()
    };
    let databases: Vec<(&String, &String)> = info.iter().filter(|(name, _)| is_database(name)).collect();
    let keys = |of: &(&String, &String)| part(Some(of.1), "keys");
    let version = match text("leveret_version") {
        ours if !ours.is_empty() => format!("leveret {ours}, for clients as of {}", text("redis_version")),
        _ => text("redis_version"),
    };
    let named = databases.iter().map(|of| format!("{} {}", of.0, crate::units::counted(keys(of), "key")));
    let dataset = number("used_memory_dataset");
    TargetNumbers {
        items: databases.iter().map(keys).sum(),
        bytes: number("used_memory"),
        limit: number("maxmemory"),
        connections: number("connected_clients"),
        counters: SampledCounters {
            hits: number("keyspace_hits"),
            misses: number("keyspace_misses"),
            sets: called(&SETS),
            deletes: called(&DELETES),
            evictions: number("evicted_keys"),
            expired: number("expired_keys"),
            refused: part(info.get("errorstat_OOM"), "count"),
        },
        latency: None,
        notes: vec![
            ("version", version),
            ("process", text("process_id")),
            ("uptime", crate::units::span(number("uptime_in_seconds"))),
            ("connections", format!("{} of {}", text("connected_clients"), text("maxclients"))),
            ("policy", text("maxmemory_policy")),
            ("databases", named.collect::<Vec<_>>().join(", ")),
        ],
        memory: vec![("items".to_owned(), dataset), ("rest".to_owned(), number("used_memory").saturating_sub(dataset))],
        hot: None,
        item: None,
    }
}

/// `db0`
fn is_database(name: &str) -> bool {
    name.strip_prefix("db").is_some_and(|digits| digits.parse::<u32>().is_ok())
}

/// A number of a field that has several: `keys=5,expires=0`.
fn part(field: Option<&String>, name: &str) -> u64 {
    let parts = field.map_or("", |field| field.trim_end()).split(',');
    let value = parts.filter_map(|part| part.split_once('=')).find(|(known, _)| *known == name);
    value.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

/// An item of database 0.
pub fn item(peer: &RedisPeer, conversation: &mut Exchange, key: Vec<u8>) -> Result<Shown, Failure> {
    let kind = peer.line(conversation, &[b"TYPE", &key])?;
    let lines = match kind.as_slice() {
        b"none" => gone(),
        b"string" => match peer.bulk(conversation, &[b"GET", &key])? {
            None => gone(),
            Some(value) => {
                let left = peer.line(conversation, &[b"TTL", &key])?;
                let left = std::str::from_utf8(&left).ok().and_then(|left| left.parse::<u64>().ok());
                vec![
                    ("size", crate::units::bytes(value.len() as u64)),
                    ("dies", left.map_or("never".to_owned(), |secs| format!("in {}", crate::units::span(secs)))),
                    ("value", printable(&value)),
                ]
            }
        },
        other => vec![("type", printable(other))],
    };
    Ok(Shown { key, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Fields {
        let field = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned()));
        text.lines().filter_map(field).collect()
    }

    #[test]
    fn numbers_are_those_of_info() {
        let info = fields(
            "redis_version:7.2.4\nleveret_version:1.0.0\nused_memory:1000\nused_memory_dataset:600\nmaxmemory:4000\nconnected_clients:3\nmaxclients:1024\n\
             keyspace_hits:10\nkeyspace_misses:5\nevicted_keys:2\nexpired_keys:1\nerrorstat_OOM:count=7\ndb0:keys=5,expires=1,avg_ttl=0\ndb12:keys=1,expires=0\ndbx:keys=9\n\
             process_id:7\u{1b}[1m\n",
        );
        let calls = fields(
            "cmdstat_set:calls=4,usec=9\ncmdstat_incr:calls=2,usec=1\ncmdstat_del:calls=3\ncmdstat_get:calls=99\n",
        );
        let seen = numbers(&info, &calls);
        assert_eq!((seen.items, seen.bytes, seen.limit, seen.connections), (6, 1000, 4000, 3));
        let SampledCounters { hits, misses, sets, deletes, evictions, expired, refused } = seen.counters;
        assert_eq!((hits, misses, sets, deletes, evictions, expired, refused), (10, 5, 6, 3, 2, 1, 7));
        let note = |name: &str| seen.notes.iter().find(|(known, _)| *known == name).expect("noted").1.clone();
        assert_eq!(note("version"), "leveret 1.0.0, for clients as of 7.2.4");
        assert_eq!(note("databases"), "db0 5 keys, db12 1 key");
        assert_eq!(note("process"), "7[1m", "what steers a terminal is left out");
        assert_eq!(numbers(&fields("redis_version:6.0.16\n"), &Fields::new()).notes[0].1, "6.0.16");
    }
}

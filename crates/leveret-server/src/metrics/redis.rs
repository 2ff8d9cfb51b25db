//! The numbers of `--redis` by the names of redis_exporter, so that its dashboards and alerts work.
use super::families::{escaped, head, FamilyKind};
use crate::counters::traffic::Traffic;
use crate::redis::counters::Sums;
use crate::redis::Redis;
use crate::Shared;
use leveret_engine::Stats;
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use FamilyKind::{Counter, Gauge};

/// A sample: its labels beside that of the arena, and its value.
type Sample = (String, Number);

/// A value, as it is written.
enum Number {
    Whole(u64),
    Seconds(Duration),
}

/// A family: its name, its kind, what HELP says, and its samples.
struct Family(&'static str, FamilyKind, &'static str, Samples);

/// Where the samples of a family come from.
enum Samples {
    /// One.
    One(fn(&View<'_>) -> u64),
    /// One, the sum over all databases.
    Sum(fn(&Stats) -> u64),
    /// One of each database.
    Databases(fn(&View<'_>, u32, &Stats) -> u64),
    /// One of each command that was called.
    Commands(fn(&Sums) -> Number),
    /// One of each prefix of errors.
    Errors,
}

use Samples::{Commands, Databases, Errors, One, Sum};

static FAMILIES: [Family; 23] = [
    Family("redis_up", Gauge, "Whether clients of Redis are served: 1.", One(|_| 1)),
    Family(
        "redis_uptime_in_seconds",
        Gauge,
        "Seconds since the server's start.",
        One(|view| view.shared.uptime_secs()),
    ),
    Family(
        "redis_connected_clients",
        Gauge,
        "Open connections of clients of Redis.",
        One(|view| view.redis.clients.count() as u64),
    ),
    Family(
        "redis_max_clients",
        Gauge,
        "Connections that may be open (-c).",
        One(|view| view.shared.live.conn_limit() as u64),
    ),
    Family(
        "redis_connections_received_total",
        Counter,
        "Connections that were taken, memcached's included.",
        One(|view| view.shared.network.total_connections.load(Relaxed)),
    ),
    Family(
        "redis_rejected_connections_total",
        Counter,
        "Connections that were sent away because of -c.",
        One(|view| view.shared.network.rejected_connections.load(Relaxed)),
    ),
    Family(
        "redis_net_input_bytes_total",
        Counter,
        "Bytes that clients sent, memcached's included.",
        One(|view| view.traffic.bytes_read),
    ),
    Family(
        "redis_net_output_bytes_total",
        Counter,
        "Bytes that clients were sent, memcached's included.",
        One(|view| view.traffic.bytes_written),
    ),
    Family(
        "redis_commands_processed_total",
        Counter,
        "Commands that were executed.",
        One(|view| view.calls.iter().map(|(_, sums)| sums.calls).sum()),
    ),
    Family("redis_commands_total", Counter, "The same by command.", Commands(|sums| Number::Whole(sums.calls))),
    Family(
        "redis_commands_duration_seconds_total",
        Counter,
        "Seconds that they took, as a sample of them tells.",
        Commands(|sums| Number::Seconds(sums.took)),
    ),
    Family(
        "redis_commands_rejected_calls_total",
        Counter,
        "Commands that were refused before they were executed.",
        Commands(|sums| Number::Whole(sums.rejected)),
    ),
    Family(
        "redis_commands_failed_calls_total",
        Counter,
        "Commands that were answered with an error.",
        Commands(|sums| Number::Whole(sums.failed)),
    ),
    Family("redis_errors_total", Counter, "Errors by their prefix.", Errors),
    Family(
        "redis_keyspace_hits_total",
        Counter,
        "Reads of all entrances that found an item, of all databases.",
        Sum(|stats| stats.hits),
    ),
    Family(
        "redis_keyspace_misses_total",
        Counter,
        "Reads of all entrances that found none, of all databases.",
        Sum(|stats| stats.misses),
    ),
    Family(
        "redis_evicted_keys_total",
        Counter,
        "Items that were dropped alive because the memory was needed, of all databases.",
        Sum(|stats| stats.evicted),
    ),
    Family(
        "redis_expired_keys_total",
        Counter,
        "Expired and deleted items whose memory was reused, of all databases.",
        Sum(|stats| stats.expired),
    ),
    Family(
        "redis_memory_used_bytes",
        Gauge,
        "Memory that the arenas of all databases have claimed.",
        Sum(|stats| stats.memory_allocated),
    ),
    Family("redis_memory_max_bytes", Gauge, "Memory that they may have.", Sum(|stats| stats.memory_limit)),
    Family("redis_db_keys", Gauge, "Items of a database.", Databases(|_, _, stats| stats.items)),
    Family(
        "redis_db_keys_expiring",
        Gauge,
        "Those that have a deadline, as of the last whole sweep.",
        Databases(|view, number, stats| view.redis.sweeper.mortal(number).0.min(stats.items)),
    ),
    Family(
        "redis_db_avg_ttl_seconds",
        Gauge,
        "Seconds that were left to these in the mean.",
        Databases(|view, number, _| view.redis.sweeper.mortal(number).1 / 1000),
    ),
];

/// What the samples are made of.
struct View<'s> {
    shared: &'s Shared,
    redis: &'s Redis,
    traffic: Traffic,
    databases: Vec<(u32, Stats)>,
    calls: Vec<(&'static str, Sums)>,
}

/// All families, with their samples.
pub(super) struct RedisFamilies(Vec<(&'static Family, Vec<Sample>)>);

impl RedisFamilies {
    /// Of this server.
    pub fn of(shared: &Shared, redis: &Redis) -> RedisFamilies {
        let first = [(0, shared.arena().stats())];
        let others = redis.databases.made().into_iter().map(|(number, arena)| (number, arena.stats()));
        let is_known = |(_, sums): &(&str, Sums)| sums.calls > 0 || sums.rejected > 0;
        let view = View {
            shared,
            redis,
            traffic: shared.network.traffic(),
            databases: first.into_iter().chain(others).collect(),
            calls: redis.counters.sums().into_iter().filter(is_known).collect(),
        };
        RedisFamilies(FAMILIES.iter().map(|family| (family, family.3.of(&view))).collect())
    }

    /// Appends them; `label` says which arena they are about.
    pub fn write(&self, to: &mut String, label: &str) {
        for (Family(name, kind, help, _), samples) in &self.0 {
            if samples.is_empty() {
                continue;
            }
            head(to, name, *kind, help);
            for (more, value) in samples {
                let comma = if more.is_empty() { "" } else { "," };
                let _ = match value {
                    Number::Whole(value) => writeln!(to, "{name}{{{label}{comma}{more}}} {value}"),
                    Number::Seconds(value) => writeln!(to, "{name}{{{label}{comma}{more}}} {}", value.as_secs_f64()),
                };
            }
        }
    }
}

impl Samples {
    fn of(&self, view: &View<'_>) -> Vec<Sample> {
        let one = |value: u64| vec![(String::new(), Number::Whole(value))];
        match self {
            One(of) => one(of(view)),
            Sum(of) => one(view.databases.iter().map(|(_, stats)| of(stats)).sum()),
            Databases(of) => {
                let sample = |(number, stats): &(u32, Stats)| {
                    (format!("db=\"db{number}\""), Number::Whole(of(view, *number, stats)))
                };
                view.databases.iter().map(sample).collect()
            }
            Commands(of) => view.calls.iter().map(|(name, sums)| (format!("cmd=\"{name}\""), of(sums))).collect(),
            Errors => {
                let label = |prefix: &[u8]| format!("err=\"{}\"", escaped(&String::from_utf8_lossy(prefix)));
                let errors = view.redis.counters.errors().into_iter();
                errors.map(|(prefix, count)| (label(&prefix), Number::Whole(count))).collect()
            }
        }
    }
}

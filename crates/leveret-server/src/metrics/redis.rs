//! The numbers of `--redis` by the names of redis_exporter, so that its dashboards and alerts work.
use super::families::{escaped, head, FamilyKind};
use crate::redis::Redis;
use crate::Shared;
use leveret_engine::Stats;
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;
use FamilyKind::{Counter, Gauge};

/// A family: its name, its kind, what HELP says, and its samples: labels beside that of the arena, and a value.
type Sampled = (&'static str, FamilyKind, &'static str, Vec<(String, u64)>);

/// All of them.
pub(super) struct RedisFamilies(Vec<Sampled>);

impl RedisFamilies {
    /// Of this server.
    pub fn of(shared: &Shared, redis: &Redis) -> RedisFamilies {
        let first = [(0, shared.arena().stats())];
        let others = redis.databases.made().into_iter().map(|(number, arena)| (number, arena.stats()));
        let databases: Vec<(u32, Stats)> = first.into_iter().chain(others).collect();
        let (network, traffic) = (&shared.network, shared.network.traffic());
        let sum = |of: fn(&Stats) -> u64| vec![(String::new(), databases.iter().map(|(_, stats)| of(stats)).sum())];
        let one = |value: u64| vec![(String::new(), value)];
        let each = |of: &dyn Fn(u32, &Stats) -> u64| {
            let sample = |(number, stats): &(u32, Stats)| (format!("db=\"db{number}\""), of(*number, stats));
            databases.iter().map(sample).collect::<Vec<_>>()
        };
        let calls = redis.counters.sums().into_iter().filter(|(_, sums)| sums.calls > 0);
        let calls: Vec<_> = calls.map(|(name, sums)| (format!("cmd=\"{name}\""), sums)).collect();
        let errors = redis.counters.errors().into_iter();
        let errors =
            errors.map(|(prefix, count)| (format!("err=\"{}\"", escaped(&String::from_utf8_lossy(&prefix))), count));
        RedisFamilies(vec![
            ("redis_up", Gauge, "Whether clients of Redis are served: 1.", one(1)),
            ("redis_uptime_in_seconds", Gauge, "Seconds since the server's start.", one(shared.uptime_secs())),
            (
                "redis_connected_clients",
                Gauge,
                "Open connections of clients of Redis.",
                one(redis.clients.count() as u64),
            ),
            ("redis_max_clients", Gauge, "Connections that may be open (-c).", one(shared.live.conn_limit() as u64)),
            (
                "redis_connections_received_total",
                Counter,
                "Connections that were taken, memcached's included.",
                one(network.total_connections.load(Relaxed)),
            ),
            (
                "redis_rejected_connections_total",
                Counter,
                "Connections that were sent away because of -c.",
                one(network.rejected_connections.load(Relaxed)),
            ),
            (
                "redis_net_input_bytes_total",
                Counter,
                "Bytes that clients sent, memcached's included.",
                one(traffic.bytes_read),
            ),
            (
                "redis_net_output_bytes_total",
                Counter,
                "Bytes that clients were sent, memcached's included.",
                one(traffic.bytes_written),
            ),
            (
                "redis_commands_processed_total",
                Counter,
                "Commands that were executed.",
                one(calls.iter().map(|(_, sums)| sums.calls).sum()),
            ),
            (
                "redis_commands_total",
                Counter,
                "The same by command.",
                calls.iter().map(|(label, sums)| (label.clone(), sums.calls)).collect(),
            ),
            (
                "redis_commands_failed_calls_total",
                Counter,
                "Commands that were answered with an error.",
                calls.iter().map(|(label, sums)| (label.clone(), sums.failed)).collect(),
            ),
            ("redis_errors_total", Counter, "Errors by their prefix.", errors.collect()),
            (
                "redis_keyspace_hits_total",
                Counter,
                "Reads of all entrances that found an item, of all databases.",
                sum(|stats| stats.hits),
            ),
            (
                "redis_keyspace_misses_total",
                Counter,
                "Reads of all entrances that found none, of all databases.",
                sum(|stats| stats.misses),
            ),
            (
                "redis_evicted_keys_total",
                Counter,
                "Items that were dropped alive because the memory was needed, of all databases.",
                sum(|stats| stats.evicted),
            ),
            (
                "redis_expired_keys_total",
                Counter,
                "Expired and deleted items whose memory was reused, of all databases.",
                sum(|stats| stats.expired),
            ),
            (
                "redis_memory_used_bytes",
                Gauge,
                "Memory that the arenas of all databases have claimed.",
                sum(|stats| stats.memory_allocated),
            ),
            ("redis_memory_max_bytes", Gauge, "Memory that they may have.", sum(|stats| stats.memory_limit)),
            ("redis_db_keys", Gauge, "Items of a database.", each(&|_, stats| stats.items)),
            (
                "redis_db_keys_expiring",
                Gauge,
                "Those that have a deadline, as of the last whole sweep.",
                each(&|number, stats| redis.sweeper.mortal(number).0.min(stats.items)),
            ),
            (
                "redis_db_avg_ttl_seconds",
                Gauge,
                "Seconds that were left to these in the mean.",
                each(&|number, _| redis.sweeper.mortal(number).1 / 1000),
            ),
        ])
    }

    /// Appends them; `label` says which arena they are about.
    pub fn write(&self, to: &mut String, label: &str) {
        for (name, kind, help, samples) in &self.0 {
            if samples.is_empty() {
                continue;
            }
            head(to, name, *kind, help);
            for (more, value) in samples {
                let comma = if more.is_empty() { "" } else { "," };
                let _ = writeln!(to, "{name}{{{label}{comma}{more}}} {value}");
            }
        }
    }
}

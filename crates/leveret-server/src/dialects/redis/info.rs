//! INFO: what sites, clients and tools read of a server.
use super::config;
use crate::redis::counters::Sums;
use crate::redis::settings::policy_word;
use crate::redis::Redis;
use crate::release::RELEASE;
use crate::Shared;
use leveret_engine::{EvictionPolicy, Stats, LAYOUT_VERSION};
use std::fmt::{Display, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of Redis that clients may take this for: the last one whose rules they all know.
pub(super) const VERSION: &str = "7.2.4";

/// A section: its name, whether a plain INFO has it, and what writes it.
type Section = (&'static str, bool, fn(&mut Lines, &View<'_>));

/// Sections, in Redis' order.
const SECTIONS: [Section; 14] = [
    ("Server", true, server),
    ("Clients", true, clients),
    ("Memory", true, memory),
    ("Persistence", true, persistence),
    ("Stats", true, stats),
    ("Replication", true, replication),
    ("CPU", true, cpu),
    ("Modules", true, |_, _| {}),
    ("Commandstats", false, command_stats),
    ("Errorstats", true, error_stats),
    ("Latencystats", false, latency_stats),
    ("Cluster", true, |lines, _| lines.add("cluster_enabled", 0)),
    ("Keyspace", true, keyspace),
    (OWN, false, own),
];

/// A section for Leveret's own clients. Only shown when requested by name: people paste INFO into reports.
const OWN: &str = "Leveret";

/// What the sections are made of.
struct View<'s> {
    shared: &'s Shared,
    redis: &'s Redis,
    /// That of the database that the connection has selected.
    policy: EvictionPolicy,
    /// That of the moment at which the client was let in.
    nonce: u128,
    databases: Vec<(u32, Stats)>,
}

/// The text: `key:value` lines.
struct Lines(String);

impl Lines {
    fn add(&mut self, key: &str, value: impl Display) {
        let _ = write!(self.0, "{key}:{value}\r\n");
    }
}

/// The text of these sections; without any: those of a plain INFO. Unknown names are skipped.
pub(super) fn text(shared: &Shared, redis: &Redis, policy: EvictionPolicy, nonce: u128, wanted: &[&[u8]]) -> String {
    let first = [(0, shared.arena().stats())];
    let others = redis.databases.made().into_iter().map(|(number, arena)| (number, arena.stats()));
    let view = View { shared, redis, policy, nonce, databases: first.into_iter().chain(others).collect() };
    let has = |name: &str| wanted.iter().any(|word| word.eq_ignore_ascii_case(name.as_bytes()));
    let (has_all, has_default) = (has("all") || has("everything"), wanted.is_empty() || has("default"));
    let mut lines = Lines(String::new());
    for (name, is_default, write) in SECTIONS {
        if !(has_all && name != OWN || has_default && is_default || has(name)) {
            continue;
        }
        if !lines.0.is_empty() {
            lines.0.push_str("\r\n");
        }
        let _ = write!(lines.0, "# {name}\r\n");
        write(&mut lines, &view);
    }
    lines.0
}

fn server(lines: &mut Lines, view: &View<'_>) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let uptime = view.shared.uptime_secs();
    let executable = std::env::current_exe().map_or_else(|_| String::new(), |path| path.display().to_string());
    lines.add("redis_version", VERSION);
    lines.add("server_name", "leveret");
    lines.add("leveret_version", RELEASE);
    lines.add("leveret_layout", view.databases.first().map_or(LAYOUT_VERSION, |(_, stats)| stats.layout));
    lines.add("leveret_shared", u8::from(view.shared.arena().services().iter().any(|service| !service.is_own)));
    lines.add("redis_git_sha1", "00000000");
    lines.add("redis_git_dirty", 0);
    lines.add("redis_build_id", "0");
    lines.add("redis_mode", "standalone");
    lines.add("os", format_args!("{} {}", uname("ostype"), uname("osrelease")));
    lines.add("arch_bits", usize::BITS);
    lines.add("multiplexing_api", "epoll");
    lines.add("process_id", std::process::id());
    lines.add("process_supervised", if std::env::var_os("NOTIFY_SOCKET").is_some() { "systemd" } else { "no" });
    lines.add("run_id", &view.redis.run_id);
    lines.add("tcp_port", config::tcp_port(view.shared));
    lines.add("server_time_usec", now.as_micros());
    lines.add("uptime_in_seconds", uptime);
    lines.add("uptime_in_days", uptime / 86_400);
    lines.add("hz", 10);
    lines.add("configured_hz", 10);
    lines.add("lru_clock", now.as_secs() & 0xff_ffff);
    lines.add("executable", executable);
    lines.add("config_file", "");
}

fn uname(what: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/sys/kernel/{what}")).unwrap_or_default();
    text.trim_end().to_owned()
}

fn clients(lines: &mut Lines, view: &View<'_>) {
    lines.add("connected_clients", view.redis.clients.count());
    lines.add("cluster_connections", 0);
    lines.add("maxclients", view.shared.live.conn_limit());
    lines.add("watching_clients", view.redis.writes.watchers());
    for name in ["blocked_clients", "tracking_clients", "clients_in_timeout_table"] {
        lines.add(name, 0);
    }
}

fn memory(lines: &mut Lines, view: &View<'_>) {
    let sum = |of: fn(&Stats) -> u64| view.databases.iter().map(|(_, stats)| of(stats)).sum::<u64>();
    let (used, dataset) = (sum(|stats| stats.memory_allocated), sum(|stats| stats.item_bytes));
    let limit = sum(|stats| stats.memory_limit);
    let peak = view.redis.peak.fetch_max(used, Relaxed).max(used);
    let total = total_memory();
    lines.add("used_memory", used);
    lines.add("used_memory_human", human(used));
    lines.add("used_memory_rss", used);
    lines.add("used_memory_rss_human", human(used));
    lines.add("used_memory_peak", peak);
    lines.add("used_memory_peak_human", human(peak));
    lines.add("used_memory_peak_perc", format_args!("{:.2}%", used as f64 * 100.0 / peak.max(1) as f64));
    lines.add("used_memory_overhead", used.saturating_sub(dataset));
    lines.add("used_memory_startup", 0);
    lines.add("used_memory_dataset", dataset);
    lines.add("total_system_memory", total);
    lines.add("total_system_memory_human", human(total));
    for name in [
        "used_memory_lua",
        "used_memory_vm_eval",
        "used_memory_scripts_eval",
        "number_of_cached_scripts",
        "number_of_functions",
        "used_memory_functions",
        "used_memory_scripts",
    ] {
        lines.add(name, 0);
    }
    lines.add("maxmemory", limit);
    lines.add("maxmemory_human", human(limit));
    lines.add("maxmemory_policy", policy_word(view.policy));
    lines.add("mem_fragmentation_ratio", format_args!("{:.2}", used as f64 / dataset.max(1) as f64));
    lines.add("mem_fragmentation_bytes", used.saturating_sub(dataset));
    lines.add("mem_clients_normal", view.shared.network.budget.held());
    lines.add("mem_allocator", "segments");
}

fn persistence(lines: &mut Lines, view: &View<'_>) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    lines.add("loading", 0);
    lines.add("async_loading", 0);
    for name in ["rdb_changes_since_last_save", "rdb_bgsave_in_progress"] {
        lines.add(name, 0);
    }
    lines.add("rdb_last_save_time", now.saturating_sub(view.shared.uptime_secs()));
    lines.add("rdb_last_bgsave_status", "ok");
    lines.add("aof_enabled", 0);
    lines.add("aof_rewrite_in_progress", 0);
    lines.add("aof_last_bgrewrite_status", "ok");
    lines.add("aof_last_write_status", "ok");
}

fn stats(lines: &mut Lines, view: &View<'_>) {
    let baseline = view.shared.baseline();
    let sum = |of: fn(&Stats) -> u64| {
        let each = view
            .databases
            .iter()
            .map(|(number, stats)| if *number == 0 { baseline.since(stats, of) } else { of(stats) });
        each.sum::<u64>()
    };
    let (network, traffic) = (&view.shared.network, view.shared.network.traffic());
    let errors: u64 = view.redis.counters.errors().iter().map(|(_, count)| count).sum();
    lines.add("total_connections_received", network.total_connections.load(Relaxed));
    lines.add("total_commands_processed", view.redis.counters.calls());
    lines.add("instantaneous_ops_per_sec", view.redis.counters.per_second());
    lines.add("total_net_input_bytes", traffic.bytes_read);
    lines.add("total_net_output_bytes", traffic.bytes_written);
    lines.add("rejected_connections", network.rejected_connections.load(Relaxed));
    lines.add("expired_keys", sum(|stats| stats.expired));
    lines.add("evicted_keys", sum(|stats| stats.evicted));
    lines.add("keyspace_hits", sum(|stats| stats.hits));
    lines.add("keyspace_misses", sum(|stats| stats.misses));
    for name in ["pubsub_channels", "pubsub_patterns", "pubsubshard_channels", "latest_fork_usec", "total_forks"] {
        lines.add(name, 0);
    }
    lines.add("total_error_replies", errors);
}

fn replication(lines: &mut Lines, view: &View<'_>) {
    lines.add("role", "master");
    lines.add("connected_slaves", 0);
    lines.add("master_failover_state", "no-failover");
    lines.add("master_replid", &view.redis.run_id);
    lines.add("master_replid2", "0".repeat(40));
    lines.add("master_repl_offset", 0);
    lines.add("second_repl_offset", -1);
    lines.add("repl_backlog_active", 0);
}

fn cpu(lines: &mut Lines, _: &View<'_>) {
    let usage = crate::stats::ProcessorTime::of_this_process();
    lines.add("used_cpu_sys", usage.system);
    lines.add("used_cpu_user", usage.user);
}

fn command_stats(lines: &mut Lines, view: &View<'_>) {
    for (name, Sums { calls, failed, rejected, took, .. }) in counted(view) {
        let (usec, mean) = (took.as_micros(), took.as_nanos() as f64 / 1000.0 / calls.max(1) as f64);
        lines.add(
            &format!("cmdstat_{name}"),
            format_args!(
                "calls={calls},usec={usec},usec_per_call={mean:.2},rejected_calls={rejected},failed_calls={failed}"
            ),
        );
    }
}

/// Commands that were called or refused, by name.
fn counted(view: &View<'_>) -> Vec<(&'static str, Sums)> {
    let mut sums = view.redis.counters.sums();
    sums.retain(|(_, sums)| sums.calls > 0 || sums.rejected > 0);
    sums.sort_unstable_by_key(|(name, _)| *name);
    sums
}

fn latency_stats(lines: &mut Lines, view: &View<'_>) {
    for (name, percentiles) in counted(view).into_iter().filter_map(|(name, sums)| Some((name, sums.percentiles?))) {
        let [half, most, nearly_all] = percentiles.map(|time| time.as_nanos() as f64 / 1000.0);
        let name = format!("latency_percentiles_usec_{name}");
        lines.add(&name, format_args!("p50={half:.3},p99={most:.3},p99.9={nearly_all:.3}"));
    }
}

fn error_stats(lines: &mut Lines, view: &View<'_>) {
    for (prefix, count) in view.redis.counters.errors() {
        let name = format!("errorstat_{}", String::from_utf8_lossy(&prefix));
        lines.add(&name, format_args!("count={count}"));
    }
}

fn keyspace(lines: &mut Lines, view: &View<'_>) {
    for (number, stats) in &view.databases {
        if stats.items > 0 {
            let name = format!("db{number}");
            let (mortal, mean_millis) = view.redis.sweeper.mortal(*number);
            let mortal = mortal.min(stats.items);
            lines.add(&name, format_args!("keys={},expires={mortal},avg_ttl={mean_millis}", stats.items));
        }
    }
}

/// By the nonce a client of this host learns that it was let in by the server that the arenas announce.
fn own(lines: &mut Lines, view: &View<'_>) {
    lines.add("leveret_nonce", format_args!("{:032x}", view.nonce));
    lines.add("leveret_databases", view.redis.databases.count());
}

/// `12.34M`, as Redis writes it.
fn human(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, letter)) => format!("{:.2}{letter}", bytes as f64 / *unit as f64),
        None => format!("{bytes}B"),
    }
}

fn total_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0_u64) * 1024
}

//! Which number has which name. Those that memcached_exporter has are named as there, so that its dashboards and alerts
//! work; all others begin with `leveret_`. Each sample says which arena it is about.
use super::{Numbers, Served, Source};
use crate::counters::latency::{BOUNDS_NS, EACH};
use crate::counters::requests::Count;
use crate::memcached::VERSION;
use crate::release::RELEASE;
use leveret_engine::Stats;
use std::fmt::Write;

#[derive(Clone, Copy)]
pub(super) enum FamilyKind {
    Counter,
    Gauge,
    Histogram,
}

use FamilyKind::{Counter, Gauge};

/// In the order of `leveret_engine::Program`.
const PROGRAMS: [&str; 5] = ["other", "php", "ruby", "server", "tool"];

/// Where the samples of a family come from.
enum Origin {
    /// From `stats` of the server.
    Stat(&'static str),
    /// From the arena, whether this process serves it or not.
    Arena(fn(&Stats) -> u64),
    /// Several samples, or one that is more than a number.
    Samples(fn(&Numbers, Give<'_>)),
}

/// Takes a sample: its labels beside that of the arena, and its value.
type Give<'a> = &'a mut dyn FnMut(&str, String);

use Origin::{Arena, Samples, Stat};

/// Name, kind, what HELP says, and where from.
type Family = (&'static str, FamilyKind, &'static str, Origin);

const FAMILIES: &[Family] = &[
    // memcached_exporter's names.
    ("memcached_version", Gauge, "The memcached that is followed.", Samples(version)),
    ("memcached_uptime_seconds", Gauge, "Seconds since the server's start.", Stat("uptime")),
    ("memcached_time_seconds", Gauge, "Unix time of the server.", Stat("time")),
    ("memcached_process_user_cpu_seconds_total", Counter, "CPU time of the server's process in user mode.", Stat("rusage_user")),
    ("memcached_process_system_cpu_seconds_total", Counter, "CPU time of the server's process in the kernel.", Stat("rusage_system")),
    ("memcached_current_connections", Gauge, "Open connections.", Stat("curr_connections")),
    ("memcached_max_connections", Gauge, "Connections that may be open (-c).", Stat("max_connections")),
    ("memcached_connections_total", Counter, "Connections that were taken.", Stat("total_connections")),
    ("memcached_connections_rejected_total", Counter, "Connections that were sent away because of -c.", Stat("rejected_connections")),
    ("memcached_connections_yielded_total", Counter, "How often a connection had used up its turn (-R).", Stat("conn_yields")),
    ("memcached_connections_listener_disabled_total", Counter, "How often no connection was taken for want of file descriptors or because of -c.", Stat("listen_disabled_num")),
    ("memcached_accepting_connections", Gauge, "Whether connections are taken: 1 or 0.", Stat("accepting_conns")),
    ("memcached_read_bytes_total", Counter, "Bytes that clients sent.", Stat("bytes_read")),
    ("memcached_written_bytes_total", Counter, "Bytes that clients were sent.", Stat("bytes_written")),
    ("memcached_commands_total", Counter, "Requests by command and outcome. Hits are counted in the arena, for all programs; without a server, misses of gets only.", Samples(commands)),
    ("memcached_current_items", Gauge, "Items that are alive.", Arena(|stats| stats.items)),
    ("memcached_items_total", Counter, "Items that were stored.", Samples(items_total)),
    ("memcached_items_evicted_total", Counter, "Items that were dropped alive because the memory was needed.", Samples(evicted)),
    ("memcached_items_reclaimed_total", Counter, "Expired and deleted items whose memory was reused.", Samples(reclaimed)),
    ("memcached_current_bytes", Gauge, "Bytes of the items, with keys and headers.", Arena(|stats| stats.item_bytes)),
    ("memcached_limit_bytes", Gauge, "Bytes that the arena may have.", Arena(|stats| stats.memory_limit)),
    // What memcached does not have.
    ("leveret_build_info", Gauge, "Version of the program that says this.", Samples(build)),
    ("leveret_arena_info", Gauge, "Version of the file's layout.", Samples(layout)),
    ("leveret_arena_created_timestamp_seconds", Gauge, "When the arena was made, or its counts were cleared with it.", Samples(created)),
    ("leveret_memory_bytes", Gauge, "The arena's memory by state; the sum is its limit. unclaimed: the file has not grown there yet; free: empty segments; items: alive; expired: dead and not reclaimed yet; other: index, headers, ghosts, and room in segments that are in use.", Samples(memory)),
    ("leveret_memory_available_bytes", Gauge, "What can be stored before items are evicted, an estimate.", Arena(|stats| stats.memory_free)),
    ("leveret_segments", Gauge, "Segments by state.", Samples(segments)),
    ("leveret_items", Gauge, "Items that are alive.", Arena(|stats| stats.items)),
    ("leveret_reads_total", Counter, "Reads of all entrances, as processes hand them in: the last 63 of each may be missing.", Samples(reads)),
    ("leveret_program_reads_total", Counter, "Reads by the kind of program that has read; what older builds read is not in it.", Samples(program_reads)),
    ("leveret_decoded_reads_total", Counter, "Of the hits, those of values that the process had decoded before (decoded-value cache) and found unchanged.", Samples(decoded_reads)),
    ("leveret_stores_total", Counter, "Stores of all entrances.", Arena(|stats| stats.sets)),
    ("leveret_deletes_total", Counter, "Deletes that found an item.", Arena(|stats| stats.deletes)),
    ("leveret_counts_total", Counter, "Increments and decrements that found a number.", Arena(|stats| stats.increments)),
    ("leveret_touches_total", Counter, "Touches that found an item.", Arena(|stats| stats.touches)),
    ("leveret_flushes_total", Counter, "Flushes of the whole arena.", Arena(|stats| stats.flushes)),
    ("leveret_evictions_total", Counter, "Items that were dropped alive because the memory was needed.", Arena(|stats| stats.evicted)),
    ("leveret_evictions_by_age_total", Counter, "Items that were dropped alive because the memory was needed, by how long ago they were stored: less than a minute, an hour, a day, or longer. Many young ones: the memory is too small.", Samples(evictions_by_age)),
    ("leveret_returned_items_total", Counter, "Stores of keys that had been evicted not long before: with more memory the reads before them would have been hits.", Arena(|stats| stats.returned)),
    ("leveret_reclaimed_items_total", Counter, "Expired and deleted items whose memory was reused.", Arena(|stats| stats.expired)),
    ("leveret_stored_bytes_total", Counter, "Bytes of items that were written for callers.", Arena(|stats| stats.written_bytes)),
    ("leveret_moved_bytes_total", Counter, "Bytes of items that were copied to make room.", Arena(|stats| stats.moved_bytes)),
    ("leveret_lock_waits_total", Counter, "How often a writer slept for a lock.", Arena(|stats| stats.lock_waits)),
    ("leveret_lock_recoveries_total", Counter, "Locks that were taken over from processes that had died.", Arena(|stats| stats.recoveries)),
    ("leveret_abandoned_reads_total", Counter, "Reads that were given up because the index changed each time.", Arena(|stats| stats.retries)),
    ("leveret_mended_slots_total", Counter, "Damaged slots of the index that were cleared: 0 unless the file was damaged.", Arena(|stats| stats.mended)),
    ("leveret_attached_processes", Gauge, "Living processes that have written to the arena, by kind of program.", Samples(attached)),
    ("leveret_endpoints", Gauge, "Addresses where running servers serve the arena.", Samples(endpoints)),
    ("leveret_refused_writes_total", Counter, "Writes of all entrances that found no room: nothing could be evicted, or other processes held what could be.", Samples(refused)),
    ("leveret_store_failures_total", Counter, "Stores through this server that were refused.", Samples(failures)),
    ("leveret_get_misses_total", Counter, "Reads through this server that found an expired or flushed item, by reason.", Samples(dead)),
    ("leveret_meta_commands_total", Counter, "Meta commands.", Samples(meta_commands)),
    ("leveret_authentications_total", Counter, "Names and passwords that were given.", Stat("auth_cmds")),
    ("leveret_authentication_failures_total", Counter, "Those that were wrong.", Stat("auth_errors")),
    ("leveret_client_memory_bytes", Gauge, "Memory that is held for clients: unfinished requests and unread answers.", Stat("client_memory")),
    ("leveret_client_memory_limit_bytes", Gauge, "Memory that may be held for clients.", Stat("client_memory_limit")),
    ("leveret_client_memory_waits_total", Counter, "How often a connection was not read from until there was memory for its request.", Stat("client_memory_waits")),
    ("leveret_client_memory_closed_total", Counter, "Connections that were closed for the memory they held.", Stat("client_memory_closed")),
    ("leveret_idle_disconnects_total", Counter, "Connections that were closed because nothing came for too long.", Stat("idle_kicks")),
    ("leveret_workers", Gauge, "Threads that answer requests (-t).", Stat("threads")),
    ("leveret_watchers", Gauge, "Connections that watch.", Stat("log_watchers")),
    ("leveret_watcher_lines_skipped_total", Counter, "Lines that watchers were too slow for.", Stat("log_watcher_skipped")),
    ("leveret_tls_handshake_failures_total", Counter, "TLS connections that did not come about.", Stat("ssl_handshake_errors")),
    ("leveret_tls_certificate_age_seconds", Gauge, "Seconds since the certificates were read.", Stat("time_since_server_cert_refresh")),
];

pub fn text(sources: &[Source]) -> String {
    let mut to = String::with_capacity(16 << 10);
    let labels: Vec<String> = sources.iter().map(|source| format!("arena=\"{}\"", escaped(&source.arena))).collect();
    head(&mut to, "memcached_up", Gauge, "Whether the arena can be opened: 1 or 0.");
    for (source, label) in sources.iter().zip(&labels) {
        let _ = writeln!(to, "memcached_up{{{label}}} {}", u8::from(source.numbers.is_some()));
    }
    for (name, kind, help, from) in FAMILIES {
        let mut is_first = true;
        for (source, label) in sources.iter().zip(&labels) {
            let Some(numbers) = &source.numbers else { continue };
            from.samples(numbers, &mut |more, value| {
                if std::mem::take(&mut is_first) {
                    head(&mut to, name, *kind, help);
                }
                let comma = if more.is_empty() { "" } else { "," };
                let _ = writeln!(to, "{name}{{{label}{comma}{more}}} {value}");
            });
        }
    }
    lock_waits(&mut to, sources, &labels);
    lock_holds(&mut to, sources, &labels);
    latencies(&mut to, sources, &labels);
    for (source, label) in sources.iter().zip(&labels) {
        if let Some(redis) = source.numbers.as_ref().and_then(|numbers| numbers.served.as_ref()?.redis.as_ref()) {
            redis.write(&mut to, label);
        }
    }
    to
}

/// Of writers of all entrances.
fn lock_waits(to: &mut String, sources: &[Source], labels: &[String]) {
    const NAME: &str = "leveret_lock_wait_seconds";
    head(
        to,
        NAME,
        FamilyKind::Histogram,
        "How long writers slept for a lock; those that had it at once or after a moment are not counted.",
    );
    for (source, label) in sources.iter().zip(labels) {
        let Some(Numbers { counts, .. }) = &source.numbers else { continue };
        let slow = [counts.lock_waits_of_ms, counts.lock_waits_of_10ms, counts.lock_waits_of_100ms];
        let quick = counts.lock_waits.saturating_sub(slow.iter().sum());
        let sum = counts.lock_wait_us as f64 / 1e6;
        histogram(to, NAME, label, &[0.001, 0.01, 0.1], [quick].into_iter().chain(slow), sum);
    }
}

/// Likewise.
fn lock_holds(to: &mut String, sources: &[Source], labels: &[String]) {
    const NAME: &str = "leveret_lock_hold_seconds";
    let help = "How long writers held a lock: a store, and what it has to do to make room. One in 64 is timed.";
    head(to, NAME, FamilyKind::Histogram, help);
    for (source, label) in sources.iter().zip(labels) {
        let Some(Numbers { counts, .. }) = &source.numbers else { continue };
        let bounds = [1e-6, 1e-5, 5e-5, 1e-4, 0.001, 0.01, 0.1];
        histogram(to, NAME, label, &bounds, counts.lock_holds, counts.lock_hold_ns as f64 / 1e9);
    }
}

/// Of the server's commands.
fn latencies(to: &mut String, sources: &[Source], labels: &[String]) {
    const NAME: &str = "leveret_command_duration_seconds";
    let served = |source: &'_ Source| source.numbers.as_ref().is_some_and(|numbers| numbers.served.is_some());
    if !sources.iter().any(served) {
        return;
    }
    let help = format!("What a command takes in the server, its socket not counted. One in {EACH} is timed.");
    head(to, NAME, FamilyKind::Histogram, &help);
    for (source, label) in sources.iter().zip(labels) {
        let Some(served) = source.numbers.as_ref().and_then(|numbers| numbers.served.as_ref()) else { continue };
        for (command, taken) in &served.latencies {
            let label = format!("{label},command=\"{command}\"");
            let bounds = BOUNDS_NS.map(|bound| bound as f64 / 1e9);
            histogram(to, NAME, &label, &bounds, taken.buckets, taken.sum_ns as f64 / 1e9);
        }
    }
}

/// One more bucket than bounds; each is written with those below it.
fn histogram(
    to: &mut String,
    name: &str,
    label: &str,
    bounds: &[f64],
    buckets: impl IntoIterator<Item = u64>,
    sum: f64,
) {
    let mut count = 0;
    let bounds = bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    for (bound, so_many) in bounds.zip(buckets) {
        count += so_many;
        let _ = writeln!(to, "{name}_bucket{{{label},le=\"{bound}\"}} {count}");
    }
    let _ = writeln!(to, "{name}_sum{{{label}}} {sum}\n{name}_count{{{label}}} {count}");
}

pub(super) fn head(to: &mut String, name: &str, kind: FamilyKind, help: &str) {
    let kind = match kind {
        Counter => "counter",
        Gauge => "gauge",
        FamilyKind::Histogram => "histogram",
    };
    let _ = writeln!(to, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Origin {
    fn samples(&self, numbers: &Numbers, give: Give<'_>) {
        match self {
            Stat(name) => {
                if let Some(value) = numbers.served.as_ref().and_then(|served| served.stats.get(*name)) {
                    give("", value.clone());
                }
            }
            Arena(of) => give("", of(&numbers.counts).to_string()),
            Samples(of) => of(numbers, give),
        }
    }
}

impl Numbers {
    /// Of the server's `stats`, which count from its start or the last `stats reset`; without it the arena's own.
    fn stat(&self, name: &str, otherwise: u64) -> String {
        let told = self.served.as_ref().and_then(|served| served.stats.get(name).cloned());
        told.unwrap_or_else(|| otherwise.to_string())
    }
}

fn version(_: &Numbers, give: Give<'_>) {
    give(&format!("version=\"{}\"", VERSION), "1".to_owned());
}

fn build(_: &Numbers, give: Give<'_>) {
    give(&format!("version=\"{RELEASE}\""), "1".to_owned());
}

fn layout(numbers: &Numbers, give: Give<'_>) {
    give(&format!("layout=\"{}\"", numbers.counts.layout), "1".to_owned());
}

fn created(numbers: &Numbers, give: Give<'_>) {
    give("", numbers.counts.created_unix.to_string());
}

fn commands(numbers: &Numbers, give: Give<'_>) {
    let counts = &numbers.counts;
    let mut say = |command: &str, status: &str, value: String| {
        give(&format!("command=\"{command}\",status=\"{status}\""), value);
    };
    say("get", "hit", numbers.stat("get_hits", counts.hits));
    say("get", "miss", numbers.stat("get_misses", counts.misses));
    say("set", "hit", sets_without_cas(numbers).to_string());
    say("delete", "hit", numbers.stat("delete_hits", counts.deletes));
    say("incr", "hit", numbers.stat("incr_hits", counts.increments.saturating_sub(counts.decrements)));
    say("decr", "hit", numbers.stat("decr_hits", counts.decrements));
    say("touch", "hit", numbers.stat("touch_hits", counts.touches));
    say("flush", "hit", numbers.stat("cmd_flush", counts.flushes));
    let Some(Served { stats, .. }) = &numbers.served else { return };
    for (command, status, name) in [
        ("delete", "miss", "delete_misses"),
        ("incr", "miss", "incr_misses"),
        ("decr", "miss", "decr_misses"),
        ("touch", "miss", "touch_misses"),
        ("cas", "hit", "cas_hits"),
        ("cas", "miss", "cas_misses"),
        ("cas", "badval", "cas_badval"),
    ] {
        if let Some(value) = stats.get(name) {
            say(command, status, value.clone());
        }
    }
}

/// As memcached_exporter: cas is a command of its own, which `cmd_set` counts as well.
fn sets_without_cas(numbers: &Numbers) -> u64 {
    let stat = |name: &str| numbers.stat(name, 0).parse::<u64>().unwrap_or(0);
    let sets = numbers.stat("cmd_set", numbers.counts.sets).parse::<u64>().unwrap_or(0);
    sets.saturating_sub(["cas_hits", "cas_misses", "cas_badval"].into_iter().map(stat).sum())
}

fn meta_commands(numbers: &Numbers, give: Give<'_>) {
    let Some(served) = &numbers.served else { return };
    give("", served.total(Count::MetaCommands).to_string());
}

fn items_total(numbers: &Numbers, give: Give<'_>) {
    give("", numbers.stat("total_items", numbers.counts.sets));
}

fn evicted(numbers: &Numbers, give: Give<'_>) {
    give("", numbers.stat("evictions", numbers.counts.evicted));
}

fn reclaimed(numbers: &Numbers, give: Give<'_>) {
    give("", numbers.stat("reclaimed", numbers.counts.expired));
}

fn memory(numbers: &Numbers, give: Give<'_>) {
    let counts = &numbers.counts;
    let mut left = counts.memory_limit;
    // Numbers that others change while they are read: no state may take more than there is.
    let mut state = |state: &str, bytes: u64| {
        let bytes = bytes.min(left);
        left -= bytes;
        give(&format!("state=\"{state}\""), bytes.to_string());
    };
    state("unclaimed", counts.memory_limit.saturating_sub(counts.memory_allocated));
    state("free", counts.segments_free * counts.segment_bytes);
    state("items", counts.item_bytes.saturating_sub(counts.expired_bytes));
    state("expired", counts.expired_bytes);
    state("other", u64::MAX);
}

fn segments(numbers: &Numbers, give: Give<'_>) {
    let counts = &numbers.counts;
    give("state=\"free\"", counts.segments_free.to_string());
    give("state=\"used\"", counts.segments.saturating_sub(counts.segments_free).to_string());
}

fn reads(numbers: &Numbers, give: Give<'_>) {
    give("status=\"hit\"", numbers.counts.hits.to_string());
    give("status=\"miss\"", numbers.counts.misses.to_string());
}

fn program_reads(numbers: &Numbers, give: Give<'_>) {
    let counts = &numbers.counts;
    for (status, by_program) in [("hit", &counts.hits_by_program), ("miss", &counts.misses_by_program)] {
        for (program, count) in PROGRAMS.iter().zip(by_program) {
            give(&format!("program=\"{program}\",status=\"{status}\""), count.to_string());
        }
    }
}

fn decoded_reads(numbers: &Numbers, give: Give<'_>) {
    for (program, count) in PROGRAMS.iter().zip(numbers.counts.decoded_by_program) {
        give(&format!("program=\"{program}\""), count.to_string());
    }
}

fn evictions_by_age(numbers: &Numbers, give: Give<'_>) {
    let counts = &numbers.counts;
    let young = [counts.evicted_in_minute, counts.evicted_in_hour, counts.evicted_in_day];
    let older = counts.evicted.saturating_sub(young.iter().sum());
    for (age, count) in ["minute", "hour", "day", "older"].iter().zip(young.into_iter().chain([older])) {
        give(&format!("age=\"{age}\""), count.to_string());
    }
}

fn refused(numbers: &Numbers, give: Give<'_>) {
    give("reason=\"no_memory\"", numbers.counts.refused_no_memory.to_string());
    give("reason=\"busy\"", numbers.counts.refused_busy.to_string());
}

fn attached(numbers: &Numbers, give: Give<'_>) {
    for (program, count) in PROGRAMS.iter().zip(numbers.counts.attached_by_program) {
        give(&format!("program=\"{program}\""), count.to_string());
    }
}

fn endpoints(numbers: &Numbers, give: Give<'_>) {
    give("", numbers.endpoints.to_string());
}

fn failures(numbers: &Numbers, give: Give<'_>) {
    let Some(served) = &numbers.served else { return };
    let too_large = served.total(Count::StoreTooLarge) + served.total(Count::BinaryTooLarge);
    give("reason=\"too_large\"", too_large.to_string());
    give("reason=\"no_memory\"", served.total(Count::StoreNoMemory).to_string());
}

fn dead(numbers: &Numbers, give: Give<'_>) {
    let Some(served) = &numbers.served else { return };
    give("reason=\"expired\"", served.total(Count::GetExpired).to_string());
    give("reason=\"flushed\"", served.total(Count::GetFlushed).to_string());
}

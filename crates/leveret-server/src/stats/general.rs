//! The general list, and the connections. Reads, stores and evictions are the arena's: what PHP does without the server
//! counts too, from the server's start or the last `stats reset` on.
use super::usage::ProcessorTime;
use super::List;
use crate::counters::budget::Budget;
use crate::counters::requests::{Count, Totals};
use crate::memcached::VERSION;
use crate::Shared;
use leveret_engine::Stats;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn list(shared: &Shared) -> Vec<(String, String)> {
    let stats = shared.arena().stats();
    let baseline = shared.baseline();
    let totals = Totals::over(shared.all_counters());
    let since = |counter: Count| totals.since(&baseline.totals, counter);
    let (network, traffic) = (&shared.network, shared.network.traffic());
    let arena = |of: fn(&Stats) -> u64| baseline.since(&stats, of);
    let hits = arena(|stats| stats.hits) + since(Count::GetHits);
    let misses = arena(|stats| stats.misses) + since(Count::GetMisses);
    let deletes = arena(|stats| stats.deletes) + since(Count::DeleteHits);
    let sets = arena(|stats| stats.sets);
    let usage = ProcessorTime::of_this_process();
    let watch = shared.watch.figures();
    let value_max = shared.settings.value_max().min(shared.arena().value_max());
    let mut list = List::new();
    list.add("pid", std::process::id())
        .add("uptime", shared.uptime_secs())
        .add("time", SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
        .add("version", VERSION)
        .add("libevent", "none")
        .add("pointer_size", usize::BITS)
        .add("rusage_user", usage.user)
        .add("rusage_system", usage.system)
        .add("max_connections", shared.live.conn_limit())
        .add("curr_connections", network.curr_connections.load(Relaxed))
        .add("total_connections", network.total_connections.load(Relaxed))
        .add("rejected_connections", network.rejected_connections.load(Relaxed))
        .add("connection_structures", network.curr_connections.load(Relaxed))
        .add("response_obj_oom", 0)
        .add("response_obj_count", 0)
        .add("response_obj_bytes", 0)
        .add("read_buf_count", 0)
        .add("read_buf_bytes", 0)
        .add("read_buf_bytes_free", 0)
        .add("read_buf_oom", 0)
        .add("reserved_fds", 20)
        .add("cmd_get", hits + misses)
        .add("cmd_set", (sets + since(Count::SetsRefused)).saturating_sub(since(Count::SetsByGet)))
        .add("cmd_flush", arena(|stats| stats.flushes))
        .add("cmd_touch", since(Count::CmdTouch))
        .add("cmd_meta", since(Count::CmdMeta))
        .add("get_hits", hits)
        .add("get_misses", misses)
        .add("get_expired", since(Count::GetExpired))
        .add("get_flushed", since(Count::GetFlushed))
        .add("delete_misses", since(Count::DeleteMisses))
        .add("delete_hits", deletes.saturating_sub(since(Count::Forgotten)))
        .add("incr_misses", since(Count::IncrMisses))
        .add("incr_hits", arena(|stats| stats.increments.saturating_sub(stats.decrements)))
        .add("decr_misses", since(Count::DecrMisses))
        .add("decr_hits", arena(|stats| stats.decrements))
        .add("cas_misses", since(Count::CasMisses))
        .add("cas_hits", since(Count::CasHits))
        .add("cas_badval", since(Count::CasBadval))
        .add("touch_hits", arena(|stats| stats.touches) + since(Count::TouchHits))
        .add("touch_misses", since(Count::TouchMisses))
        .add("store_too_large", since(Count::StoreTooLarge))
        .add("store_no_memory", since(Count::StoreNoMemory))
        .add("auth_cmds", since(Count::AuthCmds))
        .add("auth_errors", since(Count::AuthErrors));
    if let Some(tls) = shared.tls() {
        if tls.keeps_sessions() {
            list.add("ssl_new_sessions", tls.new_sessions.load(Relaxed));
        }
        list.add("ssl_handshake_errors", tls.handshake_errors.load(Relaxed))
            .add("time_since_server_cert_refresh", tls.secs_since_refresh());
    }
    list.add("bytes_read", traffic.bytes_read)
        .add("bytes_written", traffic.bytes_written)
        .add("limit_maxbytes", stats.memory_limit)
        .add("accepting_conns", u8::from(network.is_accepting.load(Relaxed)))
        .add("listen_disabled_num", network.listen_disabled.load(Relaxed))
        .add("time_in_listen_disabled_us", network.listen_disabled_us.load(Relaxed))
        .add("threads", shared.settings.threads)
        .add("conn_yields", traffic.conn_yields)
        .add("hash_power_level", stats.buckets.max(1).ilog2())
        .add("hash_bytes", stats.buckets * 64)
        .add("hash_is_expanding", 0)
        .add("slab_reassign_rescues", 0)
        .add("slab_reassign_chunk_rescues", 0)
        .add("slab_reassign_inline_reclaim", 0)
        .add("slab_reassign_busy_items", 0)
        .add("slab_reassign_busy_nomem", 0)
        .add("slab_reassign_busy_deletes", 0)
        .add("slab_reassign_last_busy_status", "none")
        .add("slab_reassign_running", 0)
        .add("slabs_moved", 0)
        .add("lru_crawler_running", 0)
        .add("lru_crawler_starts", 0)
        .add("lru_maintainer_juggles", 0)
        .add("lru_bumps_dropped", 0)
        .add("malloc_fails", 0)
        .add("log_worker_dropped", watch.dropped)
        .add("log_worker_written", watch.written)
        .add("log_watcher_skipped", watch.skipped)
        .add("log_watcher_sent", watch.sent)
        .add("log_watchers", watch.watchers)
        .add("unexpected_napi_ids", 0)
        .add("round_robin_fallback", 0)
        .add("bytes", stats.item_bytes)
        .add("curr_items", stats.items)
        .add("total_items", sets + since(Count::ItemsMade))
        .add("slab_global_page_pool", stats.segments_free)
        .add("expired_unfetched", 0)
        .add("evicted_unfetched", 0)
        .add("evicted_active", 0)
        .add("evictions", arena(|stats| stats.evicted))
        .add("reclaimed", arena(|stats| stats.expired))
        .add("crawler_reclaimed", 0)
        .add("crawler_items_checked", 0)
        .add("lrutail_reflocked", 0)
        .add("moves_to_cold", 0)
        .add("moves_to_warm", 0)
        .add("moves_within_lru", 0)
        .add("direct_reclaims", 0)
        .add("idle_kicks", traffic.idle_kicks)
        .add("client_memory", network.budget.held())
        .add("client_memory_limit", Budget::limit(stats.memory_limit, value_max))
        .add("client_memory_waits", network.budget.waits.load(Relaxed))
        .add("client_memory_closed", network.budget.closed.load(Relaxed))
        .add("lock_recoveries", stats.recoveries)
        .add("attached_processes", stats.attached);
    list.0
}

pub fn connections(shared: &Shared) -> Vec<(String, String)> {
    let mut list = List::new();
    for (fd, endpoint) in shared.network.listeners() {
        let is_udp = endpoint.starts_with("udp ");
        if is_udp {
            list.add(format!("{fd}:UDP"), "UDP");
        }
        list.add(format!("{fd}:addr"), listen_addr(&endpoint))
            .add(format!("{fd}:state"), if is_udp { "conn_read" } else { "conn_listening" })
            .add(format!("{fd}:secs_since_last_cmd"), shared.uptime_secs());
    }
    for connection in shared.network.connections() {
        let fd = connection.fd;
        list.add(format!("{fd}:addr"), connection.peer.map_or_else(|| "unix".to_owned(), |peer| of_kind("tcp", peer)))
            .add(format!("{fd}:listen_addr"), listen_addr(&connection.endpoint))
            .add(format!("{fd}:state"), connection.state.name())
            .add(
                format!("{fd}:secs_since_last_cmd"),
                shared.uptime_secs().saturating_sub(u64::from(connection.last_active_secs)),
            );
    }
    list.0
}

/// As memcached writes them: `tcp:127.0.0.1:11211`, `tcp6:[::1]:11211`.
fn of_kind(kind: &str, address: SocketAddr) -> String {
    format!("{kind}{}:{address}", if address.is_ipv6() { "6" } else { "" })
}

/// The same of an endpoint as it is announced: `tcp 127.0.0.1:11211 net:[4026531840]`, `unix /path`.
fn listen_addr(endpoint: &str) -> String {
    let (kind, place) = endpoint.split_once(' ').unwrap_or(("", endpoint));
    let place = place.rsplit_once(" net:").map_or(place, |(place, _)| place);
    // TLS is TCP there.
    let kind = if kind == "tls" { "tcp" } else { kind };
    place.parse().map_or_else(|_| format!("{kind}:{place}"), |address| of_kind(kind, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_memcached_writes_them() {
        for (endpoint, want) in [
            ("tcp 127.0.0.1:11211 net:[4026531840]", "tcp:127.0.0.1:11211"),
            ("tcp [::1]:11211 net:[1]", "tcp6:[::1]:11211"),
            ("udp [::1]:11211 net:[1]", "udp6:[::1]:11211"),
            ("tls 127.0.0.1:11211 net:[1]", "tcp:127.0.0.1:11211"),
            ("unix /run/a b", "unix:/run/a b"),
        ] {
            assert_eq!(listen_addr(endpoint), want);
        }
    }
}

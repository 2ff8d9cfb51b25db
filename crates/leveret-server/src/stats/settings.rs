//! `stats settings`: what the server was told at its start, or since by SIGHUP, in memcached's names.
use super::List;
use crate::settings::{AllowedProtocol, TlsSettings};
use crate::watch::{FEED_MAX, RING_MAX};
use crate::Shared;
use std::path::PathBuf;

pub fn list(shared: &Shared) -> Vec<(String, String)> {
    let settings = &shared.settings;
    let yes = |is: bool| if is { "yes" } else { "no" };
    let on = |is: bool| if is { "on" } else { "off" };
    let port = |port: Option<u16>| port.map_or(-1, i32::from);
    let inter: Vec<String> = settings.listen.iter().map(|listen| listen.to_string()).collect();
    let mut list = List::new();
    list.add("maxbytes", shared.arena().memory())
        .add("maxconns", shared.live.conn_limit())
        .add("tcpport", if settings.unix_path.is_some() { 0 } else { port(settings.tcp_port) })
        .add("udpport", port(settings.udp_port))
        .add("inter", if inter.is_empty() { "127.0.0.1".to_owned() } else { inter.join(",") })
        .add("verbosity", shared.verbosity())
        .add("oldest", 0)
        .add("evictions", on(settings.evictions))
        .add("domain_socket", settings.unix_path.as_ref().map_or("NULL".to_owned(), |path| path.display().to_string()))
        .add("umask", format!("{:o}", settings.unix_mode))
        .add("shutdown_command", yes(shared.live.shutdown()))
        .add("growth_factor", "1.25")
        .add("chunk_size", 48)
        .add("num_threads", settings.threads)
        .add("num_threads_per_udp", settings.threads)
        .add("stat_key_prefix", char::from(settings.prefix_delimiter))
        .add("detail_enabled", yes(shared.prefixes.is_on()))
        .add("reqs_per_event", shared.live.requests_per_turn())
        .add("cas_enabled", yes(settings.cas))
        .add("tcp_backlog", settings.backlog)
        .add(
            "binding_protocol",
            match settings.protocol {
                AllowedProtocol::Auto => "auto-negotiate",
                AllowedProtocol::Ascii => "ascii",
                AllowedProtocol::Binary => "binary",
            },
        )
        .add("auth_enabled_sasl", yes(settings.sasl_pwdb.is_some()))
        .add(
            "auth_enabled_ascii",
            settings.auth_file.as_ref().map_or("no".to_owned(), |path| path.display().to_string()),
        )
        .add("item_size_max", settings.item_size_max)
        .add("maxconns_fast", yes(shared.live.maxconns_fast()))
        .add("hashpower_init", 0)
        .add("slab_reassign", "no")
        .add("slab_automove", 0)
        .add("slab_automove_ratio", "0.80")
        .add("slab_automove_window", 10)
        .add("slab_chunk_max", shared.arena().stats().segment_bytes)
        .add("lru_crawler", "no")
        .add("lru_crawler_sleep", 100)
        .add("lru_crawler_tocrawl", 0)
        .add("tail_repair_time", 0)
        .add("flush_enabled", yes(shared.live.flush()))
        .add("dump_enabled", yes(shared.live.dump()))
        .add("hash_algorithm", "xxh3")
        .add("lru_maintainer_thread", "no")
        .add("lru_segmented", "no")
        .add("hot_lru_pct", 0)
        .add("warm_lru_pct", 0)
        .add("hot_max_factor", "0.00")
        .add("warm_max_factor", "0.00")
        .add("temp_lru", "no")
        .add("temporary_ttl", 0)
        .add("idle_timeout", shared.live.idle_timeout_secs())
        .add("watcher_logbuf_size", FEED_MAX)
        .add("worker_logbuf_size", RING_MAX)
        .add("read_buf_mem_limit", 0)
        .add("track_sizes", yes(shared.shows_sizes()))
        .add("inline_ascii_response", "no")
        .add("ssl_enabled", yes(settings.tls.is_some()));
    let none = TlsSettings { wbuf_kib: 16, ..TlsSettings::default() };
    let live = shared.tls().map(|tls| tls.settings());
    let tls = live.as_ref().unwrap_or(&none);
    let path = |path: Option<&PathBuf>, none: &str| path.map_or(none.to_owned(), |path| path.display().to_string());
    list.add("ssl_chain_cert", path(live.as_ref().map(|tls| &tls.chain_cert), "(null)"))
        .add("ssl_key", path(tls.key.as_ref(), "(null)"))
        .add("ssl_verify_mode", tls.verify_mode)
        .add("ssl_keyformat", 1)
        .add("ssl_ciphers", tls.ciphers.as_deref().unwrap_or("NULL"))
        .add("ssl_ca_cert", path(tls.ca_cert.as_ref(), "NULL"))
        .add("ssl_wbuf_size", u64::from(tls.wbuf_kib) << 10)
        .add("ssl_session_cache", yes(tls.session_cache))
        .add("ssl_kernel_tls", "no")
        .add("ssl_min_version", if tls.is_min_tls13 { "tlsv1.3" } else { "tlsv1.2" })
        .add("slab_automove_freeratio", "0.000")
        // What there is no such thing of here, as memcached names it.
        .add("ext_item_size", 0)
        .add("ext_item_age", 0)
        .add("ext_low_ttl", 0)
        .add("ext_recache_rate", 0)
        .add("ext_wbuf_size", 0)
        .add("ext_compact_under", 0)
        .add("ext_drop_under", 0)
        .add("ext_max_sleep", 0)
        .add("ext_max_frag", "0.00")
        .add("ext_drop_unread", "no")
        .add("proxy_enabled", "no")
        .add("proxy_uring_enabled", "no")
        .add("num_napi_ids", 0)
        .add(
            "memory_file",
            settings.memory_file.as_ref().map_or("(null)".to_owned(), |path| path.display().to_string()),
        )
        .add("client_flags_size", 4)
        .add("arena", shared.arena().path().display());
    list.0
}

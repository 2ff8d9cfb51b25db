//! `stats items` and `stats slabs`: one class for all items, whose pages are the arena's segments.
use super::List;
use crate::memcached::ITEMS_CLASS;
use crate::Shared;
use leveret_engine::Stats;

pub fn items(shared: &Shared) -> Vec<(String, String)> {
    let (stats, baseline) = (shared.arena().stats(), shared.baseline());
    let since = |of: fn(&Stats) -> u64| baseline.since(&stats, of);
    let mut list = List::new();
    if stats.items == 0 {
        return list.0;
    }
    let mut add = |name: &str, value: u64| {
        list.add(format!("items:{ITEMS_CLASS}:{name}"), value);
    };
    add("number", stats.items);
    add("number_hot", 0);
    add("number_warm", 0);
    add("number_cold", stats.items);
    add("age_hot", 0);
    add("age_warm", 0);
    add("age", 0);
    add("mem_requested", stats.item_bytes);
    add("evicted", since(|stats| stats.evicted));
    add("evicted_nonzero", 0);
    add("evicted_time", 0);
    add("outofmemory", since(|stats| stats.refused_no_memory + stats.refused_busy));
    add("tailrepairs", 0);
    add("reclaimed", since(|stats| stats.expired));
    for name in [
        "expired_unfetched",
        "evicted_unfetched",
        "evicted_active",
        "crawler_reclaimed",
        "crawler_items_checked",
        "lrutail_reflocked",
        "moves_to_cold",
        "moves_to_warm",
        "moves_within_lru",
        "direct_reclaims",
        "hits_to_hot",
        "hits_to_warm",
    ] {
        add(name, 0);
    }
    add("hits_to_cold", since(|stats| stats.hits));
    add("hits_to_temp", 0);
    list.0
}

pub fn slabs(shared: &Shared) -> Vec<(String, String)> {
    let (stats, baseline) = (shared.arena().stats(), shared.baseline());
    let since = |of: fn(&Stats) -> u64| baseline.since(&stats, of);
    let used = stats.segments - stats.segments_free.min(stats.segments);
    let mut list = List::new();
    if stats.items > 0 {
        let mut add = |name: &str, value: u64| {
            list.add(format!("{ITEMS_CLASS}:{name}"), value);
        };
        // Average size of an item, by which a page is divided.
        let chunk = stats.item_bytes.div_ceil(stats.items).max(1);
        add("chunk_size", chunk);
        add("chunks_per_page", (stats.segment_bytes / chunk).max(1));
        add("total_pages", used);
        add("total_chunks", stats.items);
        add("used_chunks", stats.items);
        add("free_chunks", 0);
        add("free_chunks_end", 0);
        add("get_hits", since(|stats| stats.hits));
        add("cmd_set", since(|stats| stats.sets));
        add("delete_hits", since(|stats| stats.deletes));
        add("incr_hits", since(|stats| stats.increments.saturating_sub(stats.decrements)));
        add("decr_hits", since(|stats| stats.decrements));
        add("cas_hits", 0);
        add("cas_badval", 0);
        add("touch_hits", since(|stats| stats.touches));
    }
    list.add("active_slabs", u8::from(stats.items > 0)).add("total_malloced", stats.memory_allocated);
    list.0
}

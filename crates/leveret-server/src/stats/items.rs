//! `stats items` and `stats slabs`: one class for all items, whose pages are the arena's segments.
use super::{List, ITEMS_CLASS};
use crate::Shared;

pub fn items(shared: &Shared) -> Vec<(String, String)> {
    let stats = shared.arena().stats();
    let evicted = stats.evicted.saturating_sub(shared.baseline().arena.evicted);
    let reclaimed = stats.expired.saturating_sub(shared.baseline().arena.expired);
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
    add("evicted", evicted);
    add("evicted_nonzero", 0);
    add("evicted_time", 0);
    add("outofmemory", 0);
    add("tailrepairs", 0);
    add("reclaimed", reclaimed);
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
    add("hits_to_cold", stats.hits.saturating_sub(shared.baseline().arena.hits));
    add("hits_to_temp", 0);
    list.0
}

pub fn slabs(shared: &Shared) -> Vec<(String, String)> {
    let stats = shared.arena().stats();
    let baseline = shared.baseline();
    let used = stats.segments - stats.segments_free.min(stats.segments);
    let mut list = List::new();
    if stats.items > 0 {
        let mut add = |name: &str, value: u64| {
            list.add(format!("{ITEMS_CLASS}:{name}"), value);
        };
        // What an item takes on average, so that a page holds so many of them.
        let chunk = stats.item_bytes.div_ceil(stats.items).max(1);
        add("chunk_size", chunk);
        add("chunks_per_page", (stats.segment_bytes / chunk).max(1));
        add("total_pages", used);
        add("total_chunks", stats.items);
        add("used_chunks", stats.items);
        add("free_chunks", 0);
        add("free_chunks_end", 0);
        add("get_hits", stats.hits.saturating_sub(baseline.arena.hits));
        add("cmd_set", stats.sets.saturating_sub(baseline.arena.sets));
        add("delete_hits", stats.deletes.saturating_sub(baseline.arena.deletes));
        let decrements = stats.decrements.saturating_sub(baseline.arena.decrements);
        add("incr_hits", stats.increments.saturating_sub(baseline.arena.increments).saturating_sub(decrements));
        add("decr_hits", decrements);
        add("cas_hits", 0);
        add("cas_badval", 0);
        add("touch_hits", stats.touches.saturating_sub(baseline.arena.touches));
    }
    list.add("active_slabs", u8::from(stats.items > 0)).add("total_malloced", stats.memory_allocated);
    list.0
}

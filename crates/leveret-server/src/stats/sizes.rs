//! `stats sizes`: number of items of each size, in steps of 32 bytes. memcached counts stores from the moment that it
//! is enabled; here the request walks the arena: a tenth of a second for a million items.
use super::StatsList;
use crate::Shared;
use leveret_engine::{Cursor, Found, Time};
use std::collections::BTreeMap;

const STEP: u64 = 32;

pub fn answer(shared: &Shared) -> StatsList {
    if !shared.shows_sizes() {
        return StatsList::list(status(false));
    }
    let (mut counts, mut cursor, now) = (BTreeMap::<u64, u64>::new(), Cursor::default(), Time::now());
    let arena = shared.arena();
    let mut count = |key: &[u8], found: &Found| {
        *counts.entry(found.size(key.len()).next_multiple_of(STEP)).or_default() += 1;
    };
    while arena.scan(&mut cursor, now, &mut count).unwrap_or(false) {}
    StatsList::list(counts.iter().map(|(size, count)| (size.to_string(), count.to_string())).collect())
}

/// `stats sizes_enable` and `sizes_disable`. As in memcached, nothing stands behind the one line.
pub fn switch(shared: &Shared, on: bool) -> StatsList {
    shared.show_sizes(on);
    StatsList { lines: status(on), text: String::new(), end: "" }
}

fn status(on: bool) -> Vec<(String, String)> {
    vec![("sizes_status".to_owned(), if on { "enabled" } else { "disabled" }.to_owned())]
}

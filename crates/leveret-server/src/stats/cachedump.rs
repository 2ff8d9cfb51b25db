//! `stats cachedump CLASS LIMIT`: some keys, for old tools (memcdump, php-memcached's getAllKeys). `lru_crawler
//! metadump` lists all.
use super::StatsList;
use crate::memcached::ITEMS_CLASS;
use crate::Shared;
use leveret_engine::{Cursor, Time};
use std::fmt::Write;

/// memcached's limit of this answer.
const TEXT_MAX: usize = 2 << 20;
/// memcached's highest class.
const CLASS_MAX: u32 = 63;

pub fn answer(shared: &Shared, words: &[&[u8]]) -> StatsList {
    let number = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok());
    if !shared.live.dump() {
        return StatsList::word("CLIENT_ERROR stats cachedump not allowed");
    }
    let [class, limit, ..] = words else { return StatsList::word("CLIENT_ERROR bad command line") };
    match (number(class), number(limit)) {
        (Some(CLASS_MAX..), Some(_)) => StatsList::word("CLIENT_ERROR Illegal slab id"),
        (Some(class), Some(limit)) => {
            let text = if class == ITEMS_CLASS {
                list(shared, if limit == 0 { u32::MAX } else { limit })
            } else {
                String::new()
            };
            StatsList { lines: Vec::new(), text, end: "END" }
        }
        _ => StatsList::word("CLIENT_ERROR bad command line format"),
    }
}

/// `ITEM key [bytes b; exptime s]`, a line each.
fn list(shared: &Shared, limit: u32) -> String {
    let (mut text, mut cursor, mut left, now) = (String::new(), Cursor::default(), limit, Time::now());
    let arena = shared.arena();
    let mut more = true;
    while more && left > 0 && text.len() < TEXT_MAX {
        let step = arena.scan(&mut cursor, now, &mut |key, found| {
            // What PHP stored under a key that the wire cannot say would forge lines of the answer.
            let Some(key) = std::str::from_utf8(key).ok().filter(|key| is_sayable(key)) else { return };
            if left > 0 && text.len() < TEXT_MAX {
                left -= 1;
                let exptime = found.deadline.time().map_or(0, Time::to_unix);
                // Writing to memory does not fail.
                let _ = write!(text, "ITEM {key} [{} b; {exptime} s]\r\n", found.value_len);
            }
        });
        more = step.unwrap_or(false);
    }
    text
}

fn is_sayable(key: &str) -> bool {
    (1..=leveret_protocol::KEY_MAX).contains(&key.len()) && !key.bytes().any(|byte| byte <= b' ' || byte == 0x7f)
}

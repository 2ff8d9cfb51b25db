//! What a cache makes of memory: how much of it an item takes, and how many items it keeps that are asked for again.
use super::{Chart, Language, Unit, ONE};

pub static MEMORY: Chart = Chart {
    name: "memory",
    title: "Memory per item ({keys} items of 20 to 500 bytes)",
    means: "What the host pays for an item, of which 278 bytes are key and value: by how much the server's own memory grew that is \
            resident (anonymous memory of memcached, Redis and leveret serve), the resident pages of the memory that PHP processes \
            share (APCu), and the blocks of arenas (Leveret), divided by the number of items. Another process has then read every item.",
    fairness: "Everybody stores each item once, into a cache that is empty, and has room for twice as much as they are. Of servers, what they had \
               taken before the first item does not count; of shared memory and arenas everything counts, also what was \
               prepared. What processes of PHP take for themselves does not count for anybody. APCu is told how many items to expect. Items \
               have no end, were never changed, and none was deleted: what that leaves behind is not seen here.",
    unit: Unit::Bytes,
    keys: 100_000,
    keys_if_quick_max: 5_000,
    memory_mib: |keys| 16 + keys / 2048,
    language: Language::Php,
    program: &[include_str!("resp.php"), include_str!("memory.php")],
    words: &[],
    peers: include_str!("memory.toml"),
    takes_added: true,
    variants: &ONE,
    published: &[],
};

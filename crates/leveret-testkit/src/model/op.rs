//! The operations: what they are, and how they are drawn.

use crate::rng::Rng;

/// One operation. Small numbers, so that a failing sequence can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Store bytes; `mode` 0 to 4 is set, add, replace, append, prepend.
    Store { key: u8, len: usize, fill: u8, mode: u8, flags: u32, ttl: Option<u32> },
    /// Store text that is a number.
    Text { key: u8, number: u64 },
    /// Store an integer.
    Integer { key: u8, value: i64 },
    /// Remember the item's cas token.
    Gets { key: u8 },
    /// Store with the token remembered last.
    Cas { key: u8, len: usize, fill: u8 },
    /// Store on the token remembered last; `stale`: also over a later version. `fixed`: under a cas of our own.
    StoreIf { key: u8, len: usize, fill: u8, stale: bool, fixed: bool },
    /// Count up; `compare`: only the version whose token was remembered last. `fixed`: under a cas of our own.
    CountIf { key: u8, by: u64, compare: bool, fixed: bool, ttl: Option<u32> },
    /// Other marks, deadline and cas: 0 keeps it, 1 draws the next, 2 is one of our own.
    Amend { key: u8, ttl: Option<u32>, marks: u8, cas: u8, drop_value: bool },
    /// Read.
    Get { key: u8 },
    /// Delete.
    Delete { key: u8 },
    /// Delete the version whose token was remembered last.
    DeleteVersion { key: u8 },
    /// Another deadline; `read`: and give the item.
    Touch { key: u8, ttl: Option<u32>, read: bool },
    /// memcached's counting.
    Count { key: u8, up: bool, by: u64, initial: Option<u64> },
    /// APCu's counting.
    AddInteger { key: u8, step: i64, create: bool },
    /// APCu's cas.
    CasInteger { key: u8, old: i64, new: i64 },
    /// Walk over everything.
    Walk,
    /// Forget everything.
    Flush,
    /// Forget everything in so many seconds.
    FlushLater { secs: u32 },
    /// Reclaim what has died.
    Tend,
    /// Time passes.
    Wait { secs: u32 },
    /// Close and open again.
    Reopen,
}

pub const KEYS: u8 = 40;

/// The bytes of a key: some of them are as odd as keys may be.
pub fn key_bytes(key: u8) -> Vec<u8> {
    match key {
        0 => Vec::new(),
        1 => vec![0, 255, b'\n', b' ', 128],
        2 => vec![b'k'; 300],
        3 => vec![7; 8192],
        key => format!("key {key}").into_bytes(),
    }
}

fn draw_len(rng: &mut Rng) -> usize {
    match rng.below(40) {
        0 => rng.below(1 << 20) as usize,
        1 => rng.between(32_700, 32_800) as usize,
        2 => (1 << 20) + rng.below(2) as usize,
        3..=6 => rng.below(20_000) as usize,
        7 => 0,
        _ => rng.below(200) as usize,
    }
}

fn draw_ttl(rng: &mut Rng) -> Option<u32> {
    // 0: past at once. Whoever reads and touches so gets the item for the last time.
    rng.one_in(3).then(|| if rng.one_in(4) { 0 } else { rng.below(20) as u32 })
}

/// Draws an operation.
pub fn draw(rng: &mut Rng) -> Op {
    let key = rng.below(u64::from(KEYS)) as u8;
    let fill = rng.bits() as u8;
    match rng.below(100) {
        0..=29 => {
            let flags = if rng.one_in(2) { 0 } else { rng.bits() as u32 };
            Op::Store { key, len: draw_len(rng), fill, mode: rng.below(5) as u8, flags, ttl: draw_ttl(rng) }
        }
        30..=34 => Op::Text { key, number: *rng.pick(&[0, 9, 99, 100, u64::MAX - 1, u64::MAX]) },
        35..=38 => Op::Integer { key, value: *rng.pick(&[0, -1, 5, i64::MAX, i64::MIN]) },
        39..=44 => Op::Gets { key },
        45..=47 => Op::Cas { key, len: draw_len(rng), fill },
        48..=49 => Op::StoreIf { key, len: draw_len(rng), fill, stale: rng.one_in(2), fixed: rng.one_in(3) },
        50..=52 => Op::Amend {
            key,
            ttl: draw_ttl(rng),
            marks: rng.below(4) as u8,
            cas: rng.below(3) as u8,
            drop_value: rng.one_in(5),
        },
        53..=55 => {
            let by = *rng.pick(&[0, 1, 7, u64::MAX]);
            Op::CountIf { key, by, compare: rng.one_in(2), fixed: rng.one_in(3), ttl: draw_ttl(rng) }
        }
        56..=59 => Op::Get { key },
        60..=65 => Op::Delete { key },
        66..=67 => Op::DeleteVersion { key },
        68..=70 => Op::Touch { key, ttl: draw_ttl(rng), read: false },
        71..=73 => Op::Touch { key, ttl: draw_ttl(rng), read: true },
        74..=81 => Op::Count {
            key,
            up: rng.one_in(2),
            by: *rng.pick(&[0, 1, 7, u64::MAX]),
            initial: rng.one_in(3).then(|| rng.below(200)),
        },
        82..=86 => Op::AddInteger { key, step: *rng.pick(&[1, -1, i64::MAX]), create: rng.one_in(2) },
        87..=88 => Op::CasInteger { key, old: *rng.pick(&[0, 5, -1]), new: rng.below(10) as i64 },
        89 => Op::Walk,
        90 if rng.one_in(4) => Op::Flush,
        91 if rng.one_in(4) => Op::FlushLater { secs: rng.between(1, 8) as u32 },
        92 | 93 => Op::Tend,
        94 => Op::Reopen,
        _ => Op::Wait { secs: rng.below(4) as u32 },
    }
}

impl Op {
    /// The key that it works on.
    pub fn key(&self) -> Option<u8> {
        match *self {
            Op::Store { key, .. }
            | Op::Text { key, .. }
            | Op::Integer { key, .. }
            | Op::Gets { key }
            | Op::Cas { key, .. }
            | Op::StoreIf { key, .. }
            | Op::CountIf { key, .. }
            | Op::Amend { key, .. }
            | Op::Get { key }
            | Op::Delete { key }
            | Op::DeleteVersion { key }
            | Op::Touch { key, .. }
            | Op::Count { key, .. }
            | Op::AddInteger { key, .. }
            | Op::CasInteger { key, .. } => Some(key),
            Op::Walk | Op::Flush | Op::FlushLater { .. } | Op::Tend | Op::Wait { .. } | Op::Reopen => None,
        }
    }
}

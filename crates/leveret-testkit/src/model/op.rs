//! The operations, and their random generation.

use super::shape::ShapeLimits;
use crate::rng::Rng;

/// A cas that a caller gives to a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewToken {
    /// None: the arena draws one.
    Drawn,
    /// One above all that were given before.
    Own,
    /// This one, independent of earlier ones.
    Odd(u64),
}

/// One operation. Small numbers, so that a failing sequence can be read. A `ttl` counts from the run's clock: None is
/// never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Store bytes; `mode` 0 to 4 is set, add, replace, append, prepend. `comes`: as from a socket, if it is long enough.
    Store { key: u8, len: usize, fill: u8, mode: u8, flags: u32, ttl: Option<i64>, comes: bool },
    /// Store text that is a number, or nearly.
    Text { key: u8, text: &'static str },
    /// Store an integer.
    Integer { key: u8, value: i64, ttl: Option<i64> },
    /// Remember the item's cas token.
    Gets { key: u8 },
    /// Store with the token remembered last, or with `odd`.
    Cas { key: u8, len: usize, fill: u8, odd: Option<u64> },
    /// Store on the token remembered last, or on `odd`; `stale`: also over a later version.
    StoreIf { key: u8, len: usize, fill: u8, odd: Option<u64>, stale: bool, cas: NewToken },
    /// Count; `compare`: only the version whose token was remembered last, or with `odd`.
    CountIf { key: u8, up: bool, by: u64, compare: bool, odd: Option<u64>, cas: NewToken, ttl: Option<i64> },
    /// Other marks, deadline and cas: None keeps it.
    Amend { key: u8, ttl: Option<i64>, marks: u8, cas: Option<NewToken>, drop_value: bool },
    /// Read.
    Get { key: u8 },
    /// Delete.
    Delete { key: u8 },
    /// Delete the version whose token was remembered last, or with `odd`.
    DeleteVersion { key: u8, odd: Option<u64> },
    /// Another deadline; `read`: and give the item.
    Touch { key: u8, ttl: Option<i64>, read: bool },
    /// memcached's counting.
    Count { key: u8, up: bool, by: u64, initial: Option<u64>, ttl: Option<i64> },
    /// APCu's counting.
    AddInteger { key: u8, step: i64, create: bool, ttl: Option<i64> },
    /// APCu's cas.
    CasInteger { key: u8, old: i64, new: i64 },
    /// Delete, and be given the item.
    Take { key: u8 },
    /// Store and be given the item that was there; `mode` 0 to 2 is set, add, replace. `keep`: its deadline stays.
    Swap { key: u8, len: usize, fill: u8, mode: u8, keep: bool, ttl: Option<i64> },
    /// Another deadline, by Redis' rules; `read`: and give the item.
    Retime { key: u8, ttl: Option<i64>, read: bool },
    /// Redis' counting.
    CountSigned { key: u8, delta: i64 },
    /// Remove expired items.
    Sweep,
    /// Everything, with a key that is a byte too long.
    LongKey,
    /// Walk over everything.
    Walk,
    /// Forget everything.
    Flush,
    /// Flush in this many seconds.
    FlushLater { secs: u32 },
    /// Reclaim dead items.
    Tend,
    /// Time passes.
    Wait { secs: u32 },
    /// Close and open again.
    Reopen,
}

pub const KEYS: u8 = 40;

/// Lengths of keys: the ends, the borders of memcached's rule, and those at which the hash takes another way.
const KEY_LENGTHS: [usize; 20] = [1, 2, 3, 4, 7, 8, 9, 16, 17, 128, 129, 240, 241, 249, 250, 251, 255, 256, 512, 513];

/// The bytes of a key: some of them are as odd as keys may be.
pub fn key_bytes(key: u8, key_max: usize) -> Vec<u8> {
    match usize::from(key) {
        0 => Vec::new(),
        1 => vec![7; key_max],
        2 => vec![7; key_max - 1],
        3 => vec![0, 255, b'\n', b' ', 128],
        index @ 4..24 => (0..KEY_LENGTHS[index - 4]).map(|at| (at * 31 + index) as u8).collect(),
        index => format!("key {index}").into_bytes(),
    }
}

/// The bytes of a value: no part of it is like another, so one in a wrong place is seen.
pub fn value_bytes(len: usize, fill: u8) -> Vec<u8> {
    (0..len as u64).map(|at| fill.wrapping_add((at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)).collect()
}

/// Integers at the ends, and where another digit is needed.
const INTEGERS: [i64; 13] = [0, 1, -1, 5, 9, 10, -9, -10, 99, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1];

/// Operands and initial values of counters.
const NUMBERS: [u64; 13] = [
    0,
    1,
    7,
    9,
    10,
    90,
    199,
    i64::MAX as u64,
    1 << 63,
    9_999_999_999_999_999_999,
    10_000_000_000_000_000_000,
    u64::MAX - 1,
    u64::MAX,
];

/// Numbers, and texts that are none.
const TEXTS: [&str; 30] = [
    "0",
    "9",
    "10",
    "99",
    "100",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551614",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "00000000000000000009",
    "000000000000000000009",
    "00000000000000000000",
    "+5",
    "+",
    " 12",
    "\t\n\u{b}12",
    "12 ",
    "12 and more",
    "12\r\n",
    "12x",
    "-1",
    "1.5",
    "1e3",
    "",
    " ",
    "                   9",
    "                    9",
    "\0",
];

/// Tokens that no arena draws.
pub fn is_odd(token: u64) -> bool {
    token <= 1 || token == u64::MAX
}

fn draw_odd(rng: &mut Rng) -> u64 {
    *rng.pick(&[0, 1, u64::MAX])
}

fn draw_token(rng: &mut Rng) -> NewToken {
    match rng.below(6) {
        0..=2 => NewToken::Drawn,
        3 | 4 => NewToken::Own,
        _ => NewToken::Odd(draw_odd(rng)),
    }
}

fn draw_ttl(rng: &mut Rng) -> Option<i64> {
    // 0: past at once. A touching read then returns the item for the last time. The longest ends at the last moment
    // before never; those around 300 and 7,200 are limits for sharing a segment.
    let any = |rng: &mut Rng| match rng.below(10) {
        0 | 1 => 0,
        2 => -1,
        3 => *rng.pick(&[i64::from(u32::MAX), i64::from(u32::MAX) - 100, -i64::from(u32::MAX)]),
        4 => *rng.pick(&[299, 300, 301, 7199, 7200, 7201]),
        _ => rng.below(20) as i64,
    };
    rng.one_in(3).then(|| any(rng))
}

/// Draws an operation.
pub fn draw(rng: &mut Rng, limits: &ShapeLimits) -> Op {
    let key = rng.below(u64::from(KEYS)) as u8;
    let fill = rng.bits() as u8;
    let odd = rng.one_in(5).then(|| draw_odd(rng));
    let by = *rng.pick(&NUMBERS);
    let ttl = draw_ttl(rng);
    match rng.below(114) {
        100..=101 => Op::Take { key },
        102..=104 => {
            let (len, mode, keep) = (limits.draw_len(rng), rng.below(3) as u8, rng.one_in(2));
            Op::Swap { key, len, fill, mode, keep, ttl }
        }
        105..=108 => Op::Retime { key, ttl, read: rng.one_in(2) },
        109..=112 => Op::CountSigned { key, delta: *rng.pick(&INTEGERS) },
        113 => Op::Sweep,
        0..=29 => {
            let flags = *rng.pick(&[0, 0, 0, 1, u32::MAX, 0x8000_0001]);
            let (len, mode, comes) = (limits.draw_len(rng), rng.below(5) as u8, rng.one_in(3));
            Op::Store { key, len, fill, mode, flags, ttl, comes }
        }
        30..=34 => Op::Text { key, text: rng.pick::<&str>(&TEXTS) },
        35..=38 => Op::Integer { key, value: *rng.pick(&INTEGERS), ttl },
        39..=44 => Op::Gets { key },
        45..=47 => Op::Cas { key, len: limits.draw_len(rng), fill, odd },
        48..=49 => {
            let (len, stale, cas) = (limits.draw_len(rng), rng.one_in(2), draw_token(rng));
            Op::StoreIf { key, len, fill, odd, stale, cas }
        }
        50..=52 => {
            let cas = rng.one_in(2).then(|| draw_token(rng));
            Op::Amend { key, ttl, marks: rng.below(4) as u8, cas, drop_value: rng.one_in(5) }
        }
        53..=55 => {
            let (up, compare, cas) = (rng.one_in(2), rng.one_in(2), draw_token(rng));
            Op::CountIf { key, up, by, compare, odd, cas, ttl }
        }
        56..=58 => Op::Get { key },
        59 => Op::LongKey,
        60..=65 => Op::Delete { key },
        66..=67 => Op::DeleteVersion { key, odd },
        68..=73 => Op::Touch { key, ttl, read: rng.one_in(2) },
        74..=81 => {
            let (up, initial) = (rng.one_in(2), rng.one_in(3).then(|| *rng.pick(&NUMBERS)));
            Op::Count { key, up, by, initial, ttl }
        }
        82..=86 => Op::AddInteger { key, step: *rng.pick(&INTEGERS), create: rng.one_in(2), ttl },
        87..=88 => Op::CasInteger { key, old: *rng.pick(&INTEGERS), new: *rng.pick(&INTEGERS) },
        89 => Op::Walk,
        90 if rng.one_in(4) => Op::Flush,
        91 if rng.one_in(4) => Op::FlushLater { secs: rng.between(1, 8) as u32 },
        92 | 93 => Op::Tend,
        94 => Op::Reopen,
        // Now and then for as long as items live that share a segment, and for years.
        95 if rng.one_in(4) => Op::Wait { secs: *rng.pick(&[300, 7200, 1 << 28]) },
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
            | Op::DeleteVersion { key, .. }
            | Op::Touch { key, .. }
            | Op::Count { key, .. }
            | Op::AddInteger { key, .. }
            | Op::CasInteger { key, .. }
            | Op::Take { key }
            | Op::Swap { key, .. }
            | Op::Retime { key, .. }
            | Op::CountSigned { key, .. } => Some(key),
            Op::LongKey
            | Op::Walk
            | Op::Flush
            | Op::FlushLater { .. }
            | Op::Sweep
            | Op::Tend
            | Op::Wait { .. }
            | Op::Reopen => None,
        }
    }
}

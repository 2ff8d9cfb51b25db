//! libmemcached's distributions, as php-memcached offers them.
use super::hash::md5_words;
use super::{Distribution, KeyHash, Point, RingServer, Table};

// memcached's own port is left out of the names that are hashed, as the first ketama did.
const DEFAULT_PORT: u16 = 11211;

// A server of average weight has this many points, four from each MD5 sum.
const KETAMA_POINTS: u32 = 160;
const POINTS_PER_SUM: u32 = 4;

const CONSISTENT_POINTS: u32 = 100;

pub(super) fn table(distribution: &Distribution, servers: &[RingServer], alive: &[u32]) -> Table {
    match distribution {
        // Ejected or not, a server keeps its place here: the remainder must not change.
        Distribution::Modula => Table::Remainder((0..servers.len() as u32).collect()),
        // Nor do buckets: the further servers of `setBucket`, its forward map, are kept by libmemcached and never
        // asked.
        Distribution::VirtualBucket(buckets) if buckets.is_empty() => {
            Table::Masked((0..servers.len() as u32).collect())
        }
        Distribution::VirtualBucket(buckets) => Table::Masked(buckets.to_vec()),
        Distribution::Consistent { points, is_weighted: false } => in_order(consistent(*points, servers, alive)),
        Distribution::Consistent { .. } | Distribution::Ketama => in_order(ketama(servers, alive)),
    }
}

fn consistent(hash: KeyHash, servers: &[RingServer], alive: &[u32]) -> Vec<Point> {
    let points = |server: &u32| {
        let (server, name) = (*server, name(&servers[*server as usize]));
        (0..CONSISTENT_POINTS).map(move |index| Point { value: hash.of(format!("{name}-{index}").as_bytes()), server })
    };
    alive.iter().flat_map(points).collect()
}

fn ketama(servers: &[RingServer], alive: &[u32]) -> Vec<Point> {
    let total: u64 = alive.iter().map(|server| u64::from(servers[*server as usize].shares())).sum();
    let points = |server: &u32| {
        let (server, name) = (*server, name(&servers[*server as usize]));
        (0..sums(servers[server as usize].shares(), total, alive.len()))
            .flat_map(move |index| md5_words(format!("{name}-{index}").as_bytes()).map(|value| Point { value, server }))
    };
    alive.iter().flat_map(points).collect()
}

/// How many MD5 sums a weight is worth. The share is a `float` in libmemcached, and so it must be here: a share rounded
/// otherwise gives another number of points.
fn sums(weight: u32, total: u64, servers: usize) -> u32 {
    let share = weight as f32 / total as f32;
    (share * KETAMA_POINTS as f32 / POINTS_PER_SUM as f32 * servers as f32 + 0.000_000_000_1).floor() as u32
}

fn name(server: &RingServer) -> String {
    let host = server.socket().unwrap_or(&server.host);
    match server.port {
        _ if server.is_arena() => host.to_string(),
        DEFAULT_PORT => host.to_string(),
        port => format!("{host}:{port}"),
    }
}

fn in_order(mut points: Vec<Point>) -> Table {
    points.sort_by_key(|point| point.value);
    Table::Points(points)
}

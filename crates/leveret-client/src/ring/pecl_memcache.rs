//! pecl/memcache's strategies.
use super::{first_at_or_above, PeclHash, Point, RingServer, Strategy, Table};

const POINTS: u32 = 160;
const BUCKETS: u32 = 1024;

/// A larger weight counts as this one: a server has 160 points for each unit of it.
const WEIGHT_MAX: u32 = 8192;

pub(super) fn table(strategy: Strategy, hash: PeclHash, servers: &[RingServer], alive: &[u32]) -> Table {
    let shares = |server: u32| servers[server as usize].shares().min(WEIGHT_MAX);
    match strategy {
        Strategy::Standard => {
            Table::Remainder(alive.iter().flat_map(|server| (0..shares(*server)).map(move |_| *server)).collect())
        }
        Strategy::Consistent => {
            let points = |server: &u32| {
                let server = *server;
                let name = name(&servers[server as usize]);
                (0..shares(server) * POINTS)
                    .map(move |index| Point { value: hash.of(format!("{name}-{index}").as_bytes()), server })
            };
            let mut points: Vec<Point> = alive.iter().flat_map(points).collect();
            points.sort_by_key(|point| point.value);
            let buckets =
                (0..BUCKETS).map(|bucket| first_at_or_above(&points, u32::MAX / BUCKETS * bucket) as u32).collect();
            Table::Buckets(points, buckets)
        }
    }
}

/// A Unix socket is hashed as the URL that pecl/memcache uses for it.
fn name(server: &RingServer) -> String {
    match server.socket() {
        Some(path) => format!("unix://{path}:0"),
        None if server.is_arena() => format!("{}:0", server.host),
        None => format!("{}:{}", server.host, server.port),
    }
}

pub(super) fn key_hash(strategy: Strategy, hash: u32) -> u32 {
    match strategy {
        Strategy::Consistent => hash,
        // Fifteen bits, as PHP's first sessions in memcached had them.
        Strategy::Standard => hash >> 16 & 0x7fff,
    }
}

/// The key that is hashed in place of `key` to find another server.
pub(super) fn other_key(key: &[u8], attempt: u32) -> Vec<u8> {
    let mut other = key.to_vec();
    other.extend_from_slice(format!("-{attempt}").as_bytes());
    other
}

//! Dalli's ring.
use super::{Point, RingServer, Table};
use sha1::{Digest, Sha1};

// A server of average weight has this many points.
const POINTS: u64 = 160;

pub(super) fn table(servers: &[RingServer], alive: &[u32]) -> Table {
    let shares = |server: u32| u64::from(servers[server as usize].shares());
    let total: u64 = alive.iter().map(|server| shares(*server)).sum();
    let points = |server: &u32| {
        let (server, name) = (*server, name(&servers[*server as usize]));
        // Dalli divides in floating point, which is exact for any number of servers that exists.
        let count = alive.len() as u64 * POINTS * shares(server) / total;
        (0..count).map(move |index| Point { value: first_word(format!("{name}:{index}").as_bytes()), server })
    };
    let mut points: Vec<Point> = alive.iter().flat_map(points).collect();
    points.sort_by_key(|point| point.value);
    Table::Points(points)
}

fn name(server: &RingServer) -> String {
    match server.port {
        port if port > 0 && server.socket().is_none() => format!("{}:{port}", server.host),
        _ => server.host.clone(),
    }
}

fn first_word(bytes: &[u8]) -> u32 {
    let sum = Sha1::digest(bytes);
    u32::from_be_bytes([sum[0], sum[1], sum[2], sum[3]])
}

/// The key that is hashed in place of `key` to find another server.
pub(super) fn other_key(key: &[u8], attempt: u32) -> Vec<u8> {
    let mut other = attempt.to_string().into_bytes();
    other.extend_from_slice(key);
    other
}

//! Which server a key lives on. Clients disagree about it, each by its own rule, and a client that shares a cluster
//! with another must follow the other's: a `Preset` names the rule. tests/client/rings.rs holds all of them against the
//! real clients.
mod dalli;
mod explain;
mod hash;
mod libmemcached;
mod names;
mod pecl_memcache;

pub use explain::{Explanation, Rule};
pub use hash::KeyHash;
pub use names::PRESETS;
use std::sync::Arc;

/// A server as a ring sees it. The text of host and port is hashed: "localhost" and "127.0.0.1" are different servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingServer {
    /// Host name, address, or the path of a Unix socket.
    pub host: String,
    /// Of a Unix socket it is no more than a part of its name for libmemcached: 11211 where it was added by itself, 0
    /// in a list.
    pub port: u16,
    /// Its share of the keys; 0 counts as 1.
    pub weight: u32,
}

impl RingServer {
    fn shares(&self) -> u32 {
        self.weight.max(1)
    }

    /// The path of a Unix socket.
    fn socket(&self) -> Option<&str> {
        Some(self.host.strip_prefix("unix://").unwrap_or(&self.host)).filter(|path| path.starts_with('/'))
    }

    fn is_arena(&self) -> bool {
        self.host.starts_with("arena:") || self.socket().is_some_and(|path| path.ends_with(".arena"))
    }
}

/// Whose rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preset {
    /// php-memcached's, which is libmemcached's: `OPT_DISTRIBUTION` and `OPT_HASH`.
    Libmemcached {
        /// How the hash leads to a server.
        distribution: Distribution,
        /// What hashes the key.
        hash: KeyHash,
    },
    /// pecl/memcache's: `memcache.hash_strategy` and `memcache.hash_function`.
    PeclMemcache {
        /// How the hash leads to a server.
        strategy: Strategy,
        /// What hashes the key and the servers' names.
        hash: PeclHash,
    },
    /// Dalli's, which it has from memcache-client.
    Dalli,
}

impl Distribution {
    /// `Consistent`, as it is when it has just been chosen.
    pub fn consistent(points: KeyHash) -> Distribution {
        Distribution::Consistent { points, is_weighted: false }
    }
}

impl Preset {
    /// libmemcached has rebuilt its points, with the present hash of keys; later changes of the hash do not move them.
    pub fn settle(&mut self) {
        if let Preset::Libmemcached { distribution: Distribution::Consistent { points, .. }, hash } = self {
            *points = *hash;
        }
    }

    /// A server of this weight has come. Those that were there before libmemcached's distribution was chosen weigh
    /// nothing, until one comes that does.
    pub fn weigh(&mut self, weight: u32) {
        self.settle();
        if let Preset::Libmemcached { distribution: Distribution::Consistent { is_weighted, .. }, .. } = self {
            *is_weighted |= weight > 1;
        }
    }

    /// As it is when these servers are added after it was chosen.
    pub fn with(mut self, servers: &[RingServer]) -> Preset {
        servers.iter().for_each(|server| self.weigh(server.weight));
        self
    }

    /// Has a table of its own, independent of the servers.
    fn has_buckets(&self) -> bool {
        matches!(self, Preset::Libmemcached { distribution: Distribution::VirtualBucket(buckets), .. } if !buckets.is_empty())
    }
}

/// libmemcached's distributions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Remainder by the number of servers; weights are not looked at.
    Modula,
    /// A hundred points a server.
    Consistent {
        /// What hashes them: what hashed keys when libmemcached last built them.
        points: KeyHash,
        /// A server with a weight above 1 has come since it was chosen. Then it is as Ketama.
        is_weighted: bool,
    },
    /// `OPT_LIBKETAMA_COMPATIBLE`: points by MD5, as many as a server's weight is worth.
    Ketama,
    /// `setBucket`: each bucket's server. Without any, each server is a bucket.
    VirtualBucket(Arc<[u32]>),
}

/// pecl/memcache's strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Points on a ring, looked up through 1024 buckets.
    Consistent,
    /// Remainder by the sum of all weights.
    Standard,
}

/// pecl/memcache's hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeclHash {
    /// CRC-32.
    Crc32,
    /// FNV-1a, 32 bits.
    Fnv,
}

impl PeclHash {
    fn of(self, bytes: &[u8]) -> u32 {
        match self {
            PeclHash::Crc32 => leveret_engine::crc32(bytes),
            PeclHash::Fnv => KeyHash::Fnv1ax32.of(bytes),
        }
    }
}

/// One point of a ring: what hashes up to here (or from here, as the rule says) lives on this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    value: u32,
    server: u32,
}

/// Maps keys to servers. Built once for a list of servers; a look-up allocates nothing.
#[derive(Clone, Debug)]
pub struct Ring {
    preset: Preset,
    servers: Vec<RingServer>,
    table: Table,
}

#[derive(Clone, Debug)]
enum Table {
    /// No server at all.
    Empty,
    /// Every key lives on the only server; no client hashes then.
    Single,
    /// The remainder of a hash leads to an entry.
    Remainder(Vec<u32>),
    /// The bits of the hash that the last entry's number has lead to an entry, which may name no server.
    Masked(Vec<u32>),
    /// Points in rising order.
    Points(Vec<Point>),
    /// Points, and buckets that lead to them.
    Buckets(Vec<Point>, Vec<u32>),
}

impl Ring {
    /// The ring of these servers, in the order in which a client was given them.
    pub fn new(preset: Preset, servers: Vec<RingServer>) -> Ring {
        let alive: Vec<u32> = (0..servers.len() as u32).collect();
        let table = match servers.len() {
            0 => Table::Empty,
            1 if !preset.has_buckets() => Table::Single,
            _ => table(&preset, &servers, &alive),
        };
        Ring { preset, servers, table }
    }

    /// The ring that is left when only the servers for which `alive` is true take part; a server keeps its index. This
    /// is how libmemcached goes on after it has ejected one.
    pub fn without_dead(&self, alive: impl Fn(usize) -> bool) -> Ring {
        let left: Vec<u32> =
            (0..self.servers.len()).filter(|server| alive(*server)).map(|server| server as u32).collect();
        let table = if left.is_empty() { Table::Empty } else { table(&self.preset, &self.servers, &left) };
        Ring { preset: self.preset.clone(), servers: self.servers.clone(), table }
    }

    /// The servers, in their order.
    pub fn servers(&self) -> &[RingServer] {
        &self.servers
    }

    /// The rule.
    pub fn preset(&self) -> &Preset {
        &self.preset
    }

    /// Index of the server where `key` lives; None when there is no server.
    pub fn server(&self, key: &[u8]) -> Option<usize> {
        match &self.table {
            Table::Empty => None,
            Table::Single => Some(0),
            _ => Some(self.find(self.hash(key)).server as usize).filter(|server| *server < self.servers.len()),
        }
    }

    /// Where the key goes after `attempt` servers (counted from 0) did not answer, or None when the rule knows no other
    /// place by itself: libmemcached changes the ring instead (`without_dead`).
    pub fn other_server(&self, key: &[u8], attempt: u32) -> Option<usize> {
        if self.servers.len() < 2 {
            return None;
        }
        let hash = match &self.preset {
            Preset::Libmemcached { .. } => return None,
            Preset::PeclMemcache { .. } => self.hash(&pecl_memcache::other_key(key, attempt)),
            Preset::Dalli => self.hash(&dalli::other_key(key, attempt)),
        };
        Some(self.find(hash).server as usize)
    }

    fn hash(&self, key: &[u8]) -> u32 {
        match &self.preset {
            Preset::Libmemcached { hash, .. } => hash.of(key),
            Preset::PeclMemcache { strategy, hash } => pecl_memcache::key_hash(*strategy, hash.of(key)),
            Preset::Dalli => leveret_engine::crc32(key),
        }
    }

    fn find(&self, hash: u32) -> Found {
        match &self.table {
            Table::Empty | Table::Single => Found { server: 0, point: None, bucket: None },
            Table::Remainder(entries) => {
                let bucket = hash % entries.len() as u32;
                Found { server: entries[bucket as usize], point: None, bucket: Some(bucket) }
            }
            Table::Masked(entries) => {
                let bucket = hash & (entries.len() as u32 - 1);
                Found { server: entries[bucket as usize], point: None, bucket: Some(bucket) }
            }
            Table::Points(points) => {
                let point = points[match self.preset {
                    Preset::Dalli => last_at_or_below(points, hash),
                    _ => first_at_or_above(points, hash),
                }];
                Found { server: point.server, point: Some(point.value), bucket: None }
            }
            Table::Buckets(points, buckets) => {
                let bucket = hash % buckets.len() as u32;
                let point = points[buckets[bucket as usize] as usize];
                Found { server: point.server, point: Some(point.value), bucket: Some(bucket) }
            }
        }
    }
}

/// Where a hash leads.
struct Found {
    server: u32,
    point: Option<u32>,
    bucket: Option<u32>,
}

fn table(preset: &Preset, servers: &[RingServer], alive: &[u32]) -> Table {
    match preset {
        Preset::Libmemcached { distribution, .. } => libmemcached::table(distribution, servers, alive),
        Preset::PeclMemcache { strategy, hash } => pecl_memcache::table(*strategy, *hash, servers, alive),
        Preset::Dalli => dalli::table(servers, alive),
    }
}

/// Index of the first point at `value` or above; behind the last one the ring begins again.
fn first_at_or_above(points: &[Point], value: u32) -> usize {
    points.partition_point(|point| point.value < value) % points.len()
}

/// Index of the last point at `value` or below; before the first one the ring ends.
fn last_at_or_below(points: &[Point], value: u32) -> usize {
    points.partition_point(|point| point.value <= value).checked_sub(1).unwrap_or(points.len() - 1)
}

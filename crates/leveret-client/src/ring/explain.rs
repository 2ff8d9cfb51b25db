//! Why a key lives where it lives.
use super::{Ring, Table};

/// The steps from a key to its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The hash of the key, as the rule uses it; None when there is nothing to choose.
    pub hash: Option<u32>,
    /// How the hash leads to the server.
    pub rule: Rule,
    /// Index of the server where the key lives.
    pub server: usize,
    /// Where it goes, in this order and without repetition, when the servers before do not answer and fail-over is on.
    pub others: Vec<usize>,
}

/// How a hash leads to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// There is one server.
    OnlyServer,
    /// The remainder of the hash.
    Remainder {
        /// The divisor.
        of: u32,
        /// The remainder.
        entry: u32,
    },
    /// The lower bits of the hash.
    Mask {
        /// Number of entries. Where that is no power of two, libmemcached leaves some of them out.
        of: u32,
        /// The entry that the bits lead to.
        entry: u32,
    },
    /// The nearest point of the ring.
    Point {
        /// The point's value.
        point: u32,
        /// Points on the ring, of all servers.
        of: u32,
    },
    /// The remainder leads to a bucket, which leads to a point of the ring.
    Bucket {
        /// The bucket.
        bucket: u32,
        /// Number of buckets.
        of: u32,
        /// The point's value.
        point: u32,
    },
}

// pecl/memcache and Dalli try as often as this.
const ATTEMPTS: u32 = 20;

impl Ring {
    /// The steps from `key` to its server; None when there is no server.
    pub fn explain(&self, key: &[u8]) -> Option<Explanation> {
        let server = self.server(key)?;
        let hash = self.hash(key);
        let found = self.find(hash);
        let rule = match (&self.table, found.bucket, found.point) {
            (Table::Remainder(entries), Some(entry), _) => Rule::Remainder { of: entries.len() as u32, entry },
            (Table::Masked(entries), Some(entry), _) => Rule::Mask { of: entries.len() as u32, entry },
            (Table::Points(points), _, Some(point)) => Rule::Point { point, of: points.len() as u32 },
            (Table::Buckets(_, buckets), Some(bucket), Some(point)) => {
                Rule::Bucket { bucket, of: buckets.len() as u32, point }
            }
            _ => Rule::OnlyServer,
        };
        let hash = (rule != Rule::OnlyServer).then_some(hash);
        Some(Explanation { hash, rule, server, others: self.others(key, server) })
    }

    fn others(&self, key: &[u8], first: usize) -> Vec<usize> {
        let mut tried = vec![first];
        if self.other_server(key, 0).is_some() {
            for attempt in 0..ATTEMPTS {
                let next = self.other_server(key, attempt);
                tried.extend(next.filter(|server| !tried.contains(server)));
            }
        } else {
            // libmemcached takes the dead server out of its ring; the remainder method cannot do that.
            while let Some(next) = self.without_dead(|server| !tried.contains(&server)).server(key) {
                if tried.contains(&next) {
                    break;
                }
                tried.push(next);
            }
        }
        tried.split_off(1)
    }
}

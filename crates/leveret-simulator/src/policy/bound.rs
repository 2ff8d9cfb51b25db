//! A lower bound for all policies. Belady's rule is optimal for items of one size; for different sizes the optimum is
//! hard to compute, and this is its usual lower bound, PFOO-L (Berger, Beckmann, Harchol-Balter: "Practical Bounds on
//! Optimal Caching with Variable Object Sizes", 2018). To answer a get, its item must have been kept since the request
//! before: its bytes, for the number of requests in between. The cheapest gets are answered until all bytes of all
//! times are spent.

use super::charge;
use crate::outcome::ReplayOutcome;
use crate::trace::{Trace, TraceOp};

/// The costs of a trace's gets, cheapest first.
#[derive(Debug)]
pub struct Intervals {
    /// Bytes times requests for each get that could be a hit.
    by_cost: Vec<u64>,
    /// `(requests, bytes of key and value)`, shortest first: for the bytes' sake an item's size does not matter.
    by_length: Vec<(u32, u32)>,
    requests: u64,
    gets: u64,
    get_bytes: u64,
}

impl Intervals {
    /// Looks through a trace.
    pub fn of(trace: &Trace) -> Intervals {
        // When the key's item was last stored or read, and when it dies.
        let mut seen: Vec<Option<(u32, u32)>> = vec![None; trace.keys as usize];
        let (mut by_cost, mut by_length) = (Vec::new(), Vec::new());
        let (mut gets, mut get_bytes) = (0, 0);
        for (number, request) in trace.requests.iter().enumerate() {
            let number = number as u32;
            let bytes = u32::from(request.key_len) + request.value_len;
            let last = &mut seen[request.key as usize];
            let dies = if request.ttl_secs == 0 { u32::MAX } else { request.at_secs.saturating_add(request.ttl_secs) };
            match request.op {
                TraceOp::Delete => *last = None,
                TraceOp::Set => *last = Some((number, dies)),
                TraceOp::Get => {
                    gets += 1;
                    get_bytes += u64::from(bytes);
                    match *last {
                        Some((since, until)) if until > request.at_secs => {
                            let cost = charge(u64::from(request.key_len), u64::from(request.value_len));
                            by_cost.push(cost * u64::from(number - since));
                            by_length.push((number - since, bytes));
                            *last = Some((number, until));
                        }
                        _ => *last = Some((number, dies)),
                    }
                }
            }
        }
        by_cost.sort_unstable();
        by_length.sort_unstable();
        Intervals { by_cost, by_length, requests: trace.requests.len() as u64, gets, get_bytes }
    }

    /// What the best cache of `capacity` bytes misses at least, of gets and, if it cares for these instead, of bytes.
    pub fn bound(&self, capacity: u64) -> ReplayOutcome {
        let mut left = u128::from(capacity) * u128::from(self.requests);
        let hits = self.by_cost.iter().take_while(|cost| spend(&mut left, u128::from(**cost))).count() as u64;
        let mut left = u128::from(capacity) * u128::from(self.requests);
        let hit_bytes: u64 = self
            .by_length
            .iter()
            .take_while(|(length, bytes)| {
                spend(&mut left, u128::from(*length) * u128::from(charge(0, u64::from(*bytes))))
            })
            .map(|(_, bytes)| u64::from(*bytes))
            .sum();
        ReplayOutcome {
            gets: self.gets,
            misses: self.gets - hits,
            bytes: self.get_bytes,
            missed_bytes: self.get_bytes - hit_bytes,
        }
    }
}

fn spend(left: &mut u128, cost: u128) -> bool {
    match left.checked_sub(cost) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::TraceRequest;

    #[test]
    fn the_cheapest_gets_are_hits_until_the_bytes_are_spent() {
        let get =
            |key, value_len| TraceRequest { at_secs: 0, key, value_len, ttl_secs: 0, key_len: 8, op: TraceOp::Get };
        let trace = Trace::collect([get(0, 100), get(1, 100), get(1, 100), get(0, 100), get(2, 10)]);
        let intervals = Intervals::of(&trace);
        let one = charge(8, 100);
        // Five requests long, room for one item: five item-requests. Key 1 costs one, key 0 three.
        assert_eq!(intervals.bound(one).misses, 3);
        assert_eq!(intervals.bound(one / 2).misses, 4);
        assert_eq!(intervals.bound(0), ReplayOutcome { gets: 5, misses: 5, bytes: 450, missed_bytes: 450 });
    }

    #[test]
    fn the_dead_and_the_deleted_are_misses_in_any_memory() {
        let get = |at_secs, op| TraceRequest { at_secs, key: 0, value_len: 9, ttl_secs: 10, key_len: 8, op };
        let trace = Trace::collect([
            get(0, TraceOp::Get),
            get(9, TraceOp::Get),
            get(10, TraceOp::Get),
            get(11, TraceOp::Delete),
            get(12, TraceOp::Get),
        ]);
        assert_eq!(Intervals::of(&trace).bound(u64::MAX).misses, 3);
    }
}

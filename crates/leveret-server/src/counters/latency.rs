//! How long requests take, of each kind of command: one request in `EACH` of a worker is timed, so that no other reads a
//! clock. Timed is what the server does, from the request in its buffer to the answer in its buffer, not the sockets.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// One of this many requests is timed.
pub const EACH: u32 = 64;

/// Upper bounds of the buckets, in nanoseconds; above the last one there is another bucket.
pub const BOUNDS_NS: [u64; 13] =
    [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000, 100_000_000];

/// Kinds of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum CommandKind {
    /// Reads, of one key or many, those that touch among them.
    Get,
    /// Stores of all modes.
    Set,
    /// Deletes.
    Delete,
    /// Increments and decrements.
    Count,
    /// Touches.
    Touch,
    /// All others.
    Other,
}

/// With their names.
pub const KINDS: [(CommandKind, &str); 6] = [
    (CommandKind::Get, "get"),
    (CommandKind::Set, "set"),
    (CommandKind::Delete, "delete"),
    (CommandKind::Count, "incr"),
    (CommandKind::Touch, "touch"),
    (CommandKind::Other, "other"),
];

/// The latencies of one worker, which alone writes them.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Latencies([Cells; KINDS.len()]);

#[derive(Debug, Default)]
struct Cells {
    buckets: [AtomicU64; BOUNDS_NS.len() + 1],
    sum_ns: AtomicU64,
}

impl Latencies {
    /// Notes one request.
    pub fn note(&self, kind: CommandKind, took: Duration) {
        let cells = &self.0[kind as usize];
        let ns = took.as_nanos() as u64;
        let add = |cell: &AtomicU64, by: u64| cell.store(cell.load(Relaxed).wrapping_add(by), Relaxed);
        add(&cells.buckets[BOUNDS_NS.partition_point(|bound| *bound < ns)], 1);
        add(&cells.sum_ns, ns);
    }
}

/// The requests of one kind, over all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Requests in each bucket.
    pub buckets: [u64; BOUNDS_NS.len() + 1],
    /// All of their time.
    pub sum_ns: u64,
}

impl Histogram {
    /// Adds up.
    pub fn over(workers: &[Latencies], kind: CommandKind) -> Histogram {
        let mut sum = Histogram::default();
        for cells in workers.iter().map(|worker| &worker.0[kind as usize]) {
            for (all, one) in sum.buckets.iter_mut().zip(&cells.buckets) {
                *all += one.load(Relaxed);
            }
            sum.sum_ns = sum.sum_ns.wrapping_add(cells.sum_ns.load(Relaxed));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_what_took_as_long_as_its_bound() {
        let workers = [Latencies::default(), Latencies::default()];
        workers[0].note(CommandKind::Get, Duration::from_nanos(250));
        workers[1].note(CommandKind::Get, Duration::from_nanos(251));
        workers[1].note(CommandKind::Get, Duration::from_secs(1));
        let all = Histogram::over(&workers, CommandKind::Get);
        assert_eq!((all.buckets[0], all.buckets[1], all.buckets[BOUNDS_NS.len()]), (1, 1, 1));
        assert_eq!(all.sum_ns, 1_000_000_501);
        assert_eq!(Histogram::over(&workers, CommandKind::Set), Histogram::default());
    }
}

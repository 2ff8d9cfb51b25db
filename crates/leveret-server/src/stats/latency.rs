//! How long requests take, of each kind of command: one request in `EACH` of a worker is timed, so that no other reads a
//! clock. Timed is what the server does, from the request in its buffer to the answer in its buffer, not the sockets.
use leveret_protocol::BINARY_REQUEST;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// One request in so many is timed.
pub const EACH: u32 = 64;

/// Upper bounds of the buckets, in nanoseconds; above the last one there is another bucket.
pub const BOUNDS_NS: [u64; 13] =
    [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000, 100_000_000];

/// Kinds of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Command {
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
pub const COMMANDS: [(Command, &str); 6] = [
    (Command::Get, "get"),
    (Command::Set, "set"),
    (Command::Delete, "delete"),
    (Command::Count, "incr"),
    (Command::Touch, "touch"),
    (Command::Other, "other"),
];

impl Command {
    /// Of the request at the front of `input`.
    pub fn of(input: &[u8]) -> Command {
        if input.first() == Some(&BINARY_REQUEST) {
            return match input.get(1) {
                Some(0x00 | 0x09 | 0x0c | 0x0d | 0x1d | 0x1e | 0x23 | 0x24) => Command::Get,
                Some(0x01..=0x03 | 0x0e | 0x0f | 0x11..=0x13 | 0x19 | 0x1a) => Command::Set,
                Some(0x04 | 0x14) => Command::Delete,
                Some(0x05 | 0x06 | 0x15 | 0x16) => Command::Count,
                Some(0x1c) => Command::Touch,
                _ => Command::Other,
            };
        }
        match input.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default() {
            b"get" | b"gets" | b"gat" | b"gats" | b"mg" => Command::Get,
            b"set" | b"add" | b"replace" | b"append" | b"prepend" | b"cas" | b"ms" => Command::Set,
            b"delete" | b"md" => Command::Delete,
            b"incr" | b"decr" | b"ma" => Command::Count,
            b"touch" => Command::Touch,
            _ => Command::Other,
        }
    }
}

/// Those of one worker, who alone writes to it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Latencies([Cells; COMMANDS.len()]);

#[derive(Debug, Default)]
struct Cells {
    buckets: [AtomicU64; BOUNDS_NS.len() + 1],
    sum_ns: AtomicU64,
}

impl Latencies {
    /// Notes one request.
    pub fn note(&self, command: Command, took: Duration) {
        let cells = &self.0[command as usize];
        let ns = took.as_nanos() as u64;
        let add = |cell: &AtomicU64, by: u64| cell.store(cell.load(Relaxed).wrapping_add(by), Relaxed);
        add(&cells.buckets[BOUNDS_NS.partition_point(|bound| *bound < ns)], 1);
        add(&cells.sum_ns, ns);
    }
}

/// The requests of one kind, over all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// How many took so long and not less.
    pub buckets: [u64; BOUNDS_NS.len() + 1],
    /// All of their time.
    pub sum_ns: u64,
}

impl Histogram {
    /// Adds up.
    pub fn over(workers: &[Latencies], command: Command) -> Histogram {
        let mut sum = Histogram::default();
        for cells in workers.iter().map(|worker| &worker.0[command as usize]) {
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
    fn requests_are_told_apart_by_their_front() {
        for (front, want) in [
            (&b"get a\r\n"[..], Command::Get),
            (b"mg a v\r\n", Command::Get),
            (b"gats 5 a\r\n", Command::Get),
            (b"cas a 0 0 1 1\r\n", Command::Set),
            (b"ms a 1\r\n", Command::Set),
            (b"md a\r\n", Command::Delete),
            (b"decr a 1\r\n", Command::Count),
            (b"touch a 1\r\n", Command::Touch),
            (b"getx\r\n", Command::Other),
            (b"\r\n", Command::Other),
            (b"", Command::Other),
            (b"\x80\x0d", Command::Get),
            (b"\x80\x11", Command::Set),
            (b"\x80\x14", Command::Delete),
            (b"\x80\x1c", Command::Touch),
            (b"\x80", Command::Other),
        ] {
            assert_eq!(Command::of(front), want, "{front:?}");
        }
    }

    #[test]
    fn a_bucket_holds_what_took_as_long_as_its_bound() {
        let workers = [Latencies::default(), Latencies::default()];
        workers[0].note(Command::Get, Duration::from_nanos(250));
        workers[1].note(Command::Get, Duration::from_nanos(251));
        workers[1].note(Command::Get, Duration::from_secs(1));
        let all = Histogram::over(&workers, Command::Get);
        assert_eq!((all.buckets[0], all.buckets[1], all.buckets[BOUNDS_NS.len()]), (1, 1, 1));
        assert_eq!(all.sum_ns, 1_000_000_501);
        assert_eq!(Histogram::over(&workers, Command::Set), Histogram::default());
    }
}

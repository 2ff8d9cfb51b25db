//! How a trace went on a cache.

use crate::trace::Trace;

/// How a replay went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReplayOutcome {
    /// Gets.
    pub gets: u64,
    /// Of these, misses.
    pub misses: u64,
    /// Bytes of keys and values that were asked for.
    pub bytes: u64,
    /// Of these, bytes that were missed.
    pub missed_bytes: u64,
}

impl ReplayOutcome {
    /// Share of the gets that missed.
    pub fn miss_ratio(&self) -> f64 {
        self.misses as f64 / self.gets.max(1) as f64
    }

    /// Share of the bytes asked for that were missed.
    pub fn byte_miss_ratio(&self) -> f64 {
        self.missed_bytes as f64 / self.bytes.max(1) as f64
    }

    /// Counts gets that a recording has left out, as hits: a key is left out only while it is there.
    #[must_use]
    pub fn with_gets_of(self, trace: &Trace) -> ReplayOutcome {
        let Some(gets) = trace.gets else { return self };
        let gets = ((gets as f64 * trace.sample.unwrap_or(1.0)) as u64).max(self.gets);
        let bytes = (self.bytes as f64 * gets as f64 / self.gets.max(1) as f64) as u64;
        ReplayOutcome { gets, bytes, ..self }
    }
}

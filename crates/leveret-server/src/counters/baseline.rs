//! What had been counted when counting began: `stats reset` sets it.
use super::requests::Totals;
use leveret_engine::Stats;

/// What had been counted when counting began.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// By the arena.
    pub arena: Stats,
    /// By the workers.
    pub totals: Totals,
}

impl Baseline {
    /// An arena's count since the baseline.
    pub fn since(&self, stats: &Stats, of: impl Fn(&Stats) -> u64) -> u64 {
        of(stats).saturating_sub(of(&self.arena))
    }
}

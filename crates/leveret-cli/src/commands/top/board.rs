//! State of all targets: the last sample of each, the rates between two samples, and their history.
use super::numbers::{SampledCounters, TargetNumbers};
use super::sample::{Sample, Wanted};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks that are remembered: five minutes of seconds.
const HISTORY: usize = 300;

pub struct Board {
    pub interval: Duration,
    pub rows: Vec<BoardRow>,
}

pub struct BoardRow {
    pub name: String,
    pub wanted: Arc<Wanted>,
    pub last: Option<(Instant, TargetNumbers)>,
    /// Why it does not answer now.
    pub error: Option<String>,
    pub rates: Option<Rates>,
    /// Gets a second, and the share of hits in tenths of a per cent.
    pub gets: VecDeque<u64>,
    pub hit_ratios: VecDeque<u64>,
    looks: u32,
}

/// Events a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    pub gets: f64,
    pub hits: f64,
    pub sets: f64,
    pub deletes: f64,
    pub evictions: f64,
    pub expired: f64,
    pub refused: f64,
}

impl Rates {
    /// `None`: the counters were reset in between.
    fn between(before: SampledCounters, after: SampledCounters, secs: f64) -> Option<Rates> {
        let rate = |before: u64, after: u64| Some(after.checked_sub(before)? as f64 / secs);
        let hits = rate(before.hits, after.hits)?;
        Some(Rates {
            gets: hits + rate(before.misses, after.misses)?,
            hits,
            sets: rate(before.sets, after.sets)?,
            deletes: rate(before.deletes, after.deletes)?,
            evictions: rate(before.evictions, after.evictions)?,
            expired: rate(before.expired, after.expired)?,
            refused: rate(before.refused, after.refused)?,
        })
    }

    /// 0 to 1; None: nothing was read.
    pub fn hit_ratio(&self) -> Option<f64> {
        (self.gets > 0.0).then(|| self.hits / self.gets)
    }
}

impl Board {
    pub fn new(interval: Duration) -> Board {
        Board { interval, rows: Vec::new() }
    }

    pub fn add(&mut self, name: String, wanted: Arc<Wanted>) {
        self.rows.push(BoardRow {
            name,
            wanted,
            last: None,
            error: None,
            rates: None,
            gets: VecDeque::new(),
            hit_ratios: VecDeque::new(),
            looks: 0,
        });
    }

    pub fn take(&mut self, sample: Sample) {
        let Some(row) = self.rows.get_mut(sample.target) else { return };
        row.looks += 1;
        match sample.seen {
            Ok(seen) => {
                row.error = None;
                row.rates = row.last.as_ref().and_then(|(at, before)| {
                    let secs = sample.at.duration_since(*at).as_secs_f64();
                    Rates::between(before.counters, seen.counters, secs.max(0.001))
                });
                if let Some(rates) = row.rates {
                    remember(&mut row.gets, rates.gets.round() as u64);
                    // A second without a read says nothing about the cache: the line goes on as it was.
                    let before = row.hit_ratios.back().copied().unwrap_or(0);
                    remember(&mut row.hit_ratios, rates.hit_ratio().map_or(before, |ratio| (ratio * 1000.0) as u64));
                }
                row.last = Some((sample.at, seen));
            }
            Err(why) => {
                row.error = Some(why);
                row.rates = None;
                row.last = None;
                remember(&mut row.gets, 0);
            }
        }
    }

    /// A sample requested after the pause began; the numbers stay.
    pub fn take_asked(&mut self, sample: Sample) {
        let last = self.rows.get_mut(sample.target).and_then(|row| row.last.as_mut());
        let (Some((_, seen)), Ok(now)) = (last, sample.seen) else { return };
        if seen.hot.is_none() {
            seen.hot = now.hot;
        }
        if now.item.as_ref().is_some_and(|now| seen.item.as_ref().is_none_or(|item| item.key != now.key)) {
            seen.item = now.item;
        }
    }

    /// Whether each target has been looked at twice, or could not be.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.looks > 1 || row.error.is_some())
    }

    /// Takes a target off the board; its place stays, since targets are known by it.
    pub fn dismiss(&mut self, index: usize) {
        self.rows[index].wanted.is_over.store(true, Relaxed);
    }
}

impl BoardRow {
    pub fn seen(&self) -> Option<&TargetNumbers> {
        self.last.as_ref().map(|(_, seen)| seen)
    }

    pub fn is_dismissed(&self) -> bool {
        self.wanted.is_over.load(Relaxed)
    }

    /// Its share of the memory that it may have, 0 to 1.
    pub fn fill(&self) -> Option<f64> {
        self.seen().filter(|seen| seen.limit > 0).map(|seen| seen.bytes as f64 / seen.limit as f64)
    }
}

fn remember(history: &mut VecDeque<u64>, value: u64) {
    if history.len() == HISTORY {
        history.pop_front();
    }
    history.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(board: &mut Board, at: Instant, hits: u64, misses: u64) {
        let counters = SampledCounters { hits, misses, ..SampledCounters::default() };
        board.take(Sample { target: 0, at, seen: Ok(TargetNumbers { counters, ..TargetNumbers::default() }) });
    }

    #[test]
    fn rates_are_what_the_counters_gained() {
        let (mut board, start) = (Board::new(Duration::from_secs(1)), Instant::now());
        board.add("x".to_owned(), Arc::default());
        look(&mut board, start, 1000, 0);
        assert!(board.rows[0].rates.is_none() && !board.is_complete());
        look(&mut board, start + Duration::from_secs(2), 1300, 100);
        let rates = board.rows[0].rates.expect("two looks");
        assert_eq!((rates.gets, rates.hits, rates.hit_ratio()), (200.0, 150.0, Some(0.75)));
        // It was restarted.
        look(&mut board, start + Duration::from_secs(3), 5, 5);
        assert!(board.rows[0].rates.is_none());
        board.take(Sample { target: 0, at: start, seen: Err("gone".to_owned()) });
        assert_eq!(board.rows[0].error.as_deref(), Some("gone"));
        look(&mut board, start + Duration::from_secs(5), 10, 5);
        assert!(board.rows[0].error.is_none() && board.rows[0].rates.is_none());
    }
}

//! What measurements in alternating rounds share: whose turn it is, medians with their spread, the control, the verdict.
#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};

/// How far the median of a control may lie from 1, whatever its spread: less than this nobody should conclude anything from.
const CONTROL_TOLERANCE: f64 = 0.05;

/// The order of one round. Whoever is first in a round has the coldest machine, so each is first in turn.
pub fn order(sides: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..sides).map(move |place| (place + round) % sides)
}

/// Median and the range that four fifths of the values lie in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the values are no greater.
    pub median: f64,
    /// One value in ten is smaller.
    pub p10: f64,
    /// One value in ten is greater.
    pub p90: f64,
}

impl Spread {
    /// None of no values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Some(Spread {
            median: percentile(&sorted, 50.0)?,
            p10: percentile(&sorted, 10.0)?,
            p90: percentile(&sorted, 90.0)?,
        })
    }

    /// Of a control, the ratio of a peer to itself: false where the rounds say that it differs from itself.
    pub fn is_even(&self) -> bool {
        (self.p10..=self.p90).contains(&1.0) || (self.median - 1.0).abs() <= CONTROL_TOLERANCE
    }

    /// Whether the two have no value in common: what differs by less may be chance.
    pub fn is_apart_from(&self, other: &Spread) -> bool {
        self.p10 > other.p90 || self.p90 < other.p10
    }
}

fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? as f64 * percent / 100.0;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    Some(sorted[low] + (sorted[high] - sorted[low]) * place.fract())
}

/// What a ratio of ours to the peer's must be.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Of throughput, for one.
    AtLeast(f64),
    /// Of time, for one.
    AtMost(f64),
}

impl Target {
    /// In words. `control` is the spread of what should have given 1; `floor` what a server without a cache reached.
    pub fn verdict(self, ratio: &Spread, control: &Spread, floor: Option<&Spread>) -> &'static str {
        // Equal: no further from 1 than the control, and rounds on both sides of the limit. On a busy machine the
        // control alone would excuse anything.
        let (met, equal) = match self {
            Target::AtLeast(limit) => {
                (ratio.median >= limit, limit <= 1.0 && ratio.median >= control.p10 && ratio.p90 >= limit)
            }
            Target::AtMost(limit) => {
                (ratio.median <= limit, limit >= 1.0 && ratio.median <= control.p90 && ratio.p10 <= limit)
            }
        };
        match (self, floor) {
            _ if met => "met",
            // Equality can be shown only to a target that asks for no more than that.
            _ if equal => "equal within control",
            (Target::AtLeast(limit), Some(floor)) if floor.median < limit => "missed: the kernel alone costs more",
            _ => "missed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn spread(median: f64, p10: f64, p90: f64) -> Spread {
        Spread { median, p10, p90 }
    }

    #[test]
    fn percentiles_lie_between_their_neighbours() {
        let spread = Spread::of([3.0, 1.0, 2.0, 5.0, 4.0]).unwrap();
        assert_eq!((3.0, 1.4, 4.6), (spread.median, spread.p10, spread.p90));
        assert!(Spread::of([]).is_none());
    }

    #[test]
    fn each_side_is_first_in_turn() {
        let rounds: Vec<Vec<usize>> = (0..3).map(|round| order(3, round).collect()).collect();
        assert_eq!(rounds, [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
    }

    #[test]
    fn a_control_that_differs_from_itself_is_noticed() {
        for (control, want) in [
            (spread(1.0, 0.9, 1.1), true),
            (spread(1.3, 0.9, 1.6), true),
            (spread(1.04, 1.01, 1.06), true),
            (spread(1.2, 1.1, 1.3), false),
            (spread(0.8, 0.7, 0.9), false),
        ] {
            assert_eq!(want, control.is_even(), "{control:?}");
        }
        assert!(spread(1.0, 0.9, 1.1).is_apart_from(&spread(2.0, 1.2, 3.0)));
        assert!(!spread(1.0, 0.9, 1.1).is_apart_from(&spread(2.0, 1.0, 3.0)));
    }

    #[test]
    fn verdicts() {
        let control = spread(1.0, 0.97, 1.03);
        let (low, high) = (spread(1.05, 1.0, 1.1), spread(2.0, 1.9, 2.1));
        for (target, ratio, floor, want) in [
            (Target::AtLeast(1.3), 1.31, Some(&high), "met"),
            (Target::AtLeast(1.3), 1.29, Some(&high), "missed"),
            (Target::AtLeast(1.1), 1.02, Some(&low), "missed: the kernel alone costs more"),
            (Target::AtLeast(1.0), 0.98, Some(&high), "equal within control"),
            (Target::AtLeast(1.0), 0.96, Some(&high), "missed"),
            (Target::AtMost(1.0), 0.8, None, "met"),
            (Target::AtMost(1.0), 1.02, None, "equal within control"),
            (Target::AtMost(1.0), 1.04, None, "missed"),
        ] {
            assert_eq!(
                want,
                target.verdict(&spread(ratio, ratio - 0.05, ratio + 0.05), &control, floor),
                "{target:?} {ratio}"
            );
        }
        let wide = spread(1.0, 0.6, 1.6);
        assert_eq!("missed", Target::AtLeast(1.0).verdict(&spread(0.81, 0.78, 0.86), &wide, None));
        assert_eq!("missed", Target::AtMost(1.0).verdict(&spread(1.3, 1.2, 1.4), &wide, None));
    }
}

//! What measurements in alternating rounds share: whose turn it is, medians with their spread, the control, the verdict.
#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};

/// Largest distance of a control's median from 1, at any spread: beyond it no conclusion is possible.
const CONTROL_TOLERANCE: f64 = 0.05;

/// The order of one round. The first one meets a cold machine, so each is first in turn.
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

/// Target for the ratio of ours to the peer's.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatioTarget {
    /// Of throughput, for one.
    AtLeast(f64),
    /// Of time, for one.
    AtMost(f64),
}

impl RatioTarget {
    /// Whether the median reaches the limit.
    pub fn is_met(self, ratio: &Spread) -> bool {
        match self {
            RatioTarget::AtLeast(limit) => ratio.median >= limit,
            RatioTarget::AtMost(limit) => ratio.median <= limit,
        }
    }

    /// In words. `control`: the spread of a ratio that should be 1; `floor`: the result of a side that
    /// no other can be better than.
    pub fn verdict(self, ratio: &Spread, control: Option<&Spread>, floor: Option<&Spread>) -> &'static str {
        // Equal: no further from 1 than the control, and rounds on both sides of the limit. On a busy machine the
        // control alone would excuse anything.
        let equal = control.is_some_and(|control| match self {
            RatioTarget::AtLeast(limit) => limit <= 1.0 && ratio.median >= control.p10 && ratio.p90 >= limit,
            RatioTarget::AtMost(limit) => limit >= 1.0 && ratio.median <= control.p90 && ratio.p10 <= limit,
        });
        let met = self.is_met(ratio);
        match (self, floor) {
            _ if met => "met",
            // Equality can be shown only to a target that asks for no more than that.
            _ if equal => "equal within control",
            (RatioTarget::AtLeast(limit), Some(floor)) if floor.median < limit => "missed: the kernel alone costs more",
            (RatioTarget::AtMost(limit), Some(floor)) if floor.median > limit => "missed: the kernel alone costs more",
            _ => "missed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RatioTarget::{AtLeast, AtMost};

    const fn spread(median: f64, p10: f64, p90: f64) -> Spread {
        Spread { median, p10, p90 }
    }

    #[test]
    fn percentiles_lie_between_their_neighbours() {
        let down: Vec<f64> = (1..=11).rev().map(f64::from).collect();
        for (values, want) in [
            (&[3.0, 1.0, 2.0, 5.0, 4.0][..], spread(3.0, 1.4, 4.6)),
            (&down, spread(6.0, 2.0, 10.0)),
            (&[2.0, 4.0], spread(3.0, 2.2, 3.8)),
            (&[7.0], spread(7.0, 7.0, 7.0)),
        ] {
            assert_eq!(Some(want), Spread::of(values.iter().copied()), "{values:?}");
        }
        assert!(Spread::of([]).is_none());
    }

    #[test]
    fn each_side_is_first_in_turn() {
        for (sides, round, want) in
            [(3, 0, &[0, 1, 2][..]), (3, 1, &[1, 2, 0]), (3, 2, &[2, 0, 1]), (3, 7, &[1, 2, 0]), (1, 5, &[0])]
        {
            assert_eq!(want, order(sides, round).collect::<Vec<_>>(), "{sides} sides, round {round}");
        }
    }

    #[test]
    fn a_control_that_differs_from_itself_is_noticed() {
        for (control, even) in [
            (spread(1.0, 0.9, 1.1), true),
            (spread(1.3, 0.9, 1.6), true),
            (spread(1.04, 1.01, 1.06), true),
            (spread(0.96, 0.94, 0.99), true),
            (spread(1.2, 1.1, 1.3), false),
            (spread(0.8, 0.7, 0.9), false),
        ] {
            assert_eq!(even, control.is_even(), "{control:?}");
        }
        assert!(spread(1.0, 0.9, 1.1).is_apart_from(&spread(2.0, 1.2, 3.0)));
        assert!(!spread(1.0, 0.9, 1.1).is_apart_from(&spread(2.0, 1.0, 3.0)));
    }

    #[test]
    fn verdicts() {
        let (quiet, busy) = (spread(1.0, 0.97, 1.03), spread(1.0, 0.6, 1.6));
        for (target, ratio, control, want) in [
            (AtLeast(1.3), spread(1.31, 1.26, 1.36), quiet, "met"),
            (AtLeast(1.3), spread(1.29, 1.24, 1.34), quiet, "missed"),
            (AtLeast(1.0), spread(0.98, 0.93, 1.03), quiet, "equal within control"),
            (AtLeast(1.0), spread(0.96, 0.91, 1.01), quiet, "missed"),
            (AtLeast(1.0), spread(0.81, 0.78, 0.86), busy, "missed"),
            (AtMost(1.0), spread(0.8, 0.75, 0.85), quiet, "met"),
            (AtMost(1.0), spread(1.02, 0.97, 1.07), quiet, "equal within control"),
            (AtMost(1.0), spread(1.04, 0.99, 1.09), quiet, "missed"),
            (AtMost(1.0), spread(1.3, 1.2, 1.4), busy, "missed"),
            (AtMost(0.8), spread(0.81, 0.76, 0.86), quiet, "missed"),
        ] {
            assert_eq!(want, target.verdict(&ratio, Some(&control), None), "{target:?}, {ratio:?}");
            // Without a control nothing is equal within it.
            let alone = if want == "met" { "met" } else { "missed" };
            assert_eq!(alone, target.verdict(&ratio, None, None), "{target:?}, {ratio:?}");
        }
    }

    #[test]
    fn a_floor_beyond_the_limit_explains_a_miss() {
        let (ratio, control) = (spread(1.02, 0.97, 1.07), spread(1.0, 0.97, 1.03));
        for (floor, want) in
            [(spread(1.05, 1.0, 1.1), "missed: the kernel alone costs more"), (spread(2.0, 1.9, 2.1), "missed")]
        {
            assert_eq!(want, AtLeast(1.1).verdict(&ratio, Some(&control), Some(&floor)));
        }
        for (floor, want) in
            [(spread(0.85, 0.8, 0.9), "missed: the kernel alone costs more"), (spread(0.7, 0.6, 0.75), "missed")]
        {
            assert_eq!(want, AtMost(0.8).verdict(&spread(0.9, 0.85, 0.95), Some(&control), Some(&floor)));
        }
    }
}

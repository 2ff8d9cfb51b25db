//! The arena of a run: its size and form, how old it is, and when the run takes place. All is drawn, from the ends of
//! what an arena may be and from between.

use std::path::Path;

use leveret_engine::{Arena, OpenOptions, Time};

use crate::rng::Rng;
use crate::seeded::{self, Age};

/// What the arena of a run is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaShape {
    pub memory: u64,
    pub cores: u32,
    pub layout: u32,
    pub age: Age,
    /// The moment at which the run begins.
    pub start: u32,
}

/// Limits of an arena of this shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapeLimits {
    pub segment: usize,
    pub key_max: usize,
    pub value_max: usize,
}

/// Sizes of arenas, bytes: the smallest one, odd ones, and both sides of where segments become larger.
const MEMORY: [u64; 8] =
    [8 << 20, 8 << 20, (9 << 20) + 4096, (12 << 20) - 1, 16 << 20, 33 << 20, (64 << 20) - 4096, 64 << 20];

impl ArenaShape {
    pub fn draw(rng: &mut Rng) -> ArenaShape {
        // A large one takes long to fill, and its values to compare: seldom.
        let memory = if rng.one_in(30) { 256 << 20 } else { *rng.pick(&MEMORY) };
        let cores = *rng.pick(&[1, 2, 3, 16, 64, 256]);
        let age = if rng.one_in(2) {
            Age::default()
        } else {
            // Lists of pieces keep 32 bits of a generation, state words 40.
            let generation = *rng.pick(&[0, (1 << 32) - 20, (1 << 40) - 20]);
            Age { flushes: *rng.pick(&[0, u32::MAX - 1, u32::MAX]), generation, cas: *rng.pick(&[0, (1 << 32) - 9]) }
        };
        // Ahead of the real clock, so that a delayed flush is due by the run's clock and not before; or at an end.
        let ahead = Time::now().0 + 1_000_000;
        let start = *rng.pick(&[ahead, ahead, 0, 1, u32::MAX - 40, u32::MAX - 1]);
        let layout = *rng.pick(&[1, 2, 2]);
        ArenaShape { memory, cores, layout, age, start }
    }

    pub fn options(&self) -> OpenOptions {
        OpenOptions::new().memory(self.memory).cores(self.cores).layout(self.layout)
    }

    /// A fresh arena of this shape.
    pub fn create(&self, path: &Path, seed: u64) -> Result<Arena, String> {
        seeded::create_aged(path, &self.options(), seed, &self.age).map_err(|error| error.to_string())?;
        Arena::open(path, &self.options()).map(|(arena, _)| arena).map_err(|error| error.to_string())
    }
}

impl ShapeLimits {
    pub fn of(arena: &Arena) -> ShapeLimits {
        let segment = arena.stats().segment_bytes as usize;
        ShapeLimits { segment, key_max: arena.key_max(), value_max: arena.value_max() }
    }

    /// A length of a value: mostly short, else around a border between two ways in which a value may lie.
    pub fn draw_len(&self, rng: &mut Rng) -> usize {
        let ShapeLimits { segment, value_max, .. } = *self;
        let around = |rng: &mut Rng, at: usize| (at + 64).saturating_sub(rng.below(160) as usize);
        let len = match rng.below(60) {
            0 => rng.below(value_max as u64 + 1) as usize,
            // What fits into one segment depends on the key, too: the longest has a quarter of it.
            1..=3 => around(rng, segment),
            4 => around(rng, segment - self.key_max),
            // This many of these fill a segment.
            5 => {
                let items = rng.between(2, 4) as usize;
                around(rng, segment / items)
            }
            6 | 7 => {
                let whole = rng.between(1, (value_max / segment) as u64) as usize * segment;
                whole - 1 + rng.below(3) as usize
            }
            // Whole segments, and behind them what nearly fills another, which may go with their list or alone.
            8 => {
                let whole = rng.between(2, (value_max / segment) as u64) as usize * segment;
                around(rng, whole)
            }
            9 => value_max - 1 + rng.below(3) as usize,
            10..=15 => rng.below(20_000) as usize,
            16..=19 => rng.below(3) as usize,
            _ => rng.below(200) as usize,
        };
        len.min(value_max + 1)
    }
}

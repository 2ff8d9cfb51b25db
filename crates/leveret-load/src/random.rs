//! Repeatable random numbers (xorshift64*, after Vigna): the same keys in the same order for each compared cache.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // A state of zero would stay zero, and small seeds would begin alike.
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() & 0xFFFF_FFFF) * u64::from(bound)) >> 32) as u32
    }

    /// The time to the next of events that come independently of each other, in units of their mean distance.
    pub fn gap(&mut self) -> f64 {
        let uniform = (self.next() & ((1 << 53) - 1)) as f64 / (1u64 << 53) as f64;
        -(1.0 - uniform).ln()
    }
}

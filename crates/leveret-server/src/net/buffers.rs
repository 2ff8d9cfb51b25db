//! The buffers that all connections of a worker share, and those that they borrow.

/// Length of the shared input buffer: over a thousand short requests in one recv.
pub(super) const INPUT_LEN: usize = 64 << 10;

/// Up to here an unfinished request is copied to the front of the shared input and received together with what follows
/// it. A longer one is collected in a buffer of its own, which each byte enters once.
pub(super) const SHARED_REST_MAX: usize = 16 << 10;

/// A worker's buffers.
pub struct Buffers {
    pub(super) input: Box<[u8]>,
    /// As received by a TLS socket; empty if none ever did.
    pub(super) encrypted: Vec<u8>,
    pub(super) out: Out,
}

/// Output under way, and buffers for unsent output.
pub(super) struct Out {
    pub output: Vec<u8>,
    pub spares: Spares,
}

/// Large buffers that connections borrow. A fresh one costs a page fault for every 4 KiB each time.
#[derive(Default)]
pub(super) struct Spares(Vec<Vec<u8>>);

impl Buffers {
    /// Nothing is in them.
    pub fn new() -> Buffers {
        Buffers {
            input: vec![0; INPUT_LEN].into(),
            encrypted: Vec::new(),
            out: Out { output: Vec::with_capacity(INPUT_LEN), spares: Spares::default() },
        }
    }
}

impl Spares {
    const COUNT_MAX: usize = 4;
    pub const LEN_MAX: usize = 4 << 20;

    pub fn take(&mut self) -> Vec<u8> {
        self.0.pop().unwrap_or_default()
    }

    /// A buffer for `len` bytes. A far larger one would count as held in its whole length.
    pub fn take_for(&mut self, len: usize) -> Vec<u8> {
        let place = self.0.iter().position(|buffer| buffer.capacity() <= 2 * len);
        place.map_or_else(Vec::new, |place| self.0.swap_remove(place))
    }

    pub fn give(&mut self, mut buffer: Vec<u8>) {
        if self.0.len() < Spares::COUNT_MAX && (SHARED_REST_MAX..=Spares::LEN_MAX).contains(&buffer.capacity()) {
            buffer.clear();
            self.0.push(buffer);
        }
    }
}

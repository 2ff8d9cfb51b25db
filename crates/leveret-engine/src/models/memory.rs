//! Atomics by address. These have the layout of plain integers, so that they can lie in a map of bytes; while a model
//! runs, each access of its threads to the arena's memory goes to the checker. Everywhere else, and before and after the
//! threads run, they are what they look like.
//!
//! In the data region, whose bytes are a header at one time and part of a value at another, an address means nothing:
//! there each `grain` of bytes is a word, and shorter or longer accesses read and write parts of one or several.
//! Elsewhere two sizes at one address are a mistake of the model, and end it.
use super::checker::part;
use super::death;
use core::sync::atomic as plain;
use std::cell::Cell;
use std::ops::Range;

pub(crate) use core::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize, Ordering};

/// The memory of the model that this thread takes part in.
#[derive(Clone, Copy)]
pub(crate) struct Laid {
    pub base: usize,
    pub len: usize,
    pub data: (usize, usize),
    pub grain: usize,
}

thread_local! {
    static LAID: Cell<Laid> = const { Cell::new(Laid { base: 0, len: 0, data: (0, 0), grain: 8 }) };
}

/// The calling thread works in this memory from here on.
pub(crate) fn work_in(laid: Laid) {
    LAID.set(laid);
}

/// Which model object an address belongs to.
enum Place {
    Memory,
    Word,
    /// Bytes of words.
    Bytes,
}

fn place(address: usize, size: usize) -> Place {
    let laid = LAID.get();
    let offset = address.wrapping_sub(laid.base);
    if offset >= laid.len || part().is_none() {
        Place::Memory
    } else if (laid.data.0..laid.data.1).contains(&offset) && (size != laid.grain || offset % laid.grain != 0) {
        Place::Bytes
    } else {
        Place::Word
    }
}

/// A word as the checker knows it: where it lies, how long it is, what memory held there before the threads ran.
#[derive(Clone, Copy)]
struct Word {
    address: usize,
    size: usize,
}

impl Word {
    fn first(self) -> u64 {
        let mut bytes = [0; 8];
        // SAFETY: inside the model's memory; no thread writes there while threads run.
        unsafe { (self.address as *const u8).copy_to(bytes.as_mut_ptr(), self.size) };
        u64::from_ne_bytes(bytes)
    }

    /// The address and, in its unused high bits, the size: two sizes at one address would be two words.
    fn name(self) -> usize {
        self.address | self.size << 56
    }

    #[track_caller]
    fn load(self, ordering: Ordering) -> u64 {
        let (checker, thread) = part().expect("asked by `place`");
        checker.load(thread, self.name(), || self.first(), ordering)
    }

    #[track_caller]
    fn store(self, value: u64, ordering: Ordering) {
        let (checker, thread) = part().expect("asked by `place`");
        checker.store(thread, self.name(), || self.first(), value, ordering);
    }
}

/// Copies the final value of a word back into memory when the threads have ended.
pub(crate) fn keep(name: usize, value: u64) {
    let (address, size) = (name & ((1 << 56) - 1), name >> 56);
    // SAFETY: a word of the model's memory, whose threads have ended.
    unsafe { (address as *mut u8).copy_from(value.to_ne_bytes().as_ptr(), size) };
}

#[track_caller]
pub(crate) fn fence(ordering: Ordering) {
    match part() {
        Some((checker, thread)) => checker.fence(thread, ordering),
        None => death::note_fence(ordering),
    }
}

/// Only the end of a run may make its effect visible.
#[track_caller]
pub(crate) fn compiler_fence(ordering: Ordering) {
    death::note_fence(ordering);
}

/// The words that `len` bytes are part of, each with which of its bytes those are.
fn words(address: usize, len: usize) -> impl Iterator<Item = (Word, Range<usize>)> {
    let grain = LAID.get().grain;
    (address / grain..(address + len).div_ceil(grain)).map(move |number| {
        let begin = address.max(number * grain) - number * grain;
        let end = (address + len).min((number + 1) * grain) - number * grain;
        (Word { address: number * grain, size: grain }, begin..end)
    })
}

#[track_caller]
fn load_bytes(address: usize, into: &mut [u8], ordering: Ordering) {
    let mut into = into;
    for (word, range) in words(address, into.len()) {
        let (here, rest) = into.split_at_mut(range.len());
        here.copy_from_slice(&word.load(ordering).to_ne_bytes()[range]);
        into = rest;
    }
}

#[track_caller]
fn store_bytes(address: usize, bytes: &[u8], ordering: Ordering) {
    let mut bytes = bytes;
    for (word, range) in words(address, bytes.len()) {
        let (here, rest) = bytes.split_at(range.len());
        // A writer here has the lock or the segment: it has seen the bytes that it does not overwrite.
        let mut value = if range.len() == word.size { [0; 8] } else { word.load(Ordering::Relaxed).to_ne_bytes() };
        value[range].copy_from_slice(here);
        word.store(u64::from_ne_bytes(value), ordering);
        bytes = rest;
    }
}

/// Copies bytes out of the arena, or from anywhere else.
///
/// # Safety
/// `from..from+into.len()` is mapped.
#[track_caller]
pub(crate) unsafe fn read_bytes(from: *const u8, into: &mut [u8]) {
    match place(from as usize, 0) {
        Place::Memory => {
            // SAFETY: by contract.
            unsafe { from.copy_to(into.as_mut_ptr(), into.len()) }
        }
        _ => load_bytes(from as usize, into, Ordering::Relaxed),
    }
}

/// Copies private bytes into the arena, or to other memory.
///
/// # Safety
/// `to..to+bytes.len()` is mapped, and no other thread writes there.
#[track_caller]
pub(crate) unsafe fn write_bytes(to: *mut u8, bytes: &[u8]) {
    match place(to as usize, 0) {
        Place::Memory => {
            for (at, piece) in bytes.chunks(8).enumerate() {
                if death::allows_a_store() {
                    // SAFETY: by contract.
                    unsafe {
                        death::note_store(to.add(8 * at), piece.len(), Ordering::Relaxed);
                        to.add(8 * at).copy_from(piece.as_ptr(), piece.len());
                    }
                }
            }
        }
        _ => store_bytes(to as usize, bytes, Ordering::Relaxed),
    }
}

/// The low half of a word, as the kernel compares it before a sleep.
pub(crate) fn low_half_of(word: &AtomicU32) -> u32 {
    let long = Word { address: word.as_ptr() as usize, size: 8 };
    let half = Word { size: 4, ..long };
    let newest = part().and_then(|(checker, _)| checker.newest(long.name()).or_else(|| checker.newest(half.name())));
    newest.map_or_else(|| word.0.load(Ordering::Relaxed), |value| value as u32)
}

macro_rules! atomic_by_address {
    ($name:ident, $int:ty) => {
        #[repr(transparent)]
        #[derive(Default, Debug)]
        pub(crate) struct $name(plain::$name);

        #[allow(dead_code)]
        impl $name {
            pub const fn new(value: $int) -> $name {
                $name(plain::$name::new(value))
            }

            pub const fn as_ptr(&self) -> *mut $int {
                self.0.as_ptr()
            }

            /// # Safety
            /// As that of the real one.
            pub unsafe fn from_ptr<'a>(pointer: *mut $int) -> &'a $name {
                // SAFETY: by contract; the layouts are the same.
                unsafe { &*pointer.cast() }
            }

            fn word(&self) -> Word {
                Word { address: self.as_ptr() as usize, size: size_of::<$int>() }
            }

            fn place(&self) -> Place {
                place(self.as_ptr() as usize, size_of::<$int>())
            }

            #[track_caller]
            pub fn load(&self, ordering: Ordering) -> $int {
                match self.place() {
                    Place::Memory => self.0.load(ordering),
                    Place::Word => self.word().load(ordering) as $int,
                    Place::Bytes => {
                        let mut bytes = [0; size_of::<$int>()];
                        load_bytes(self.as_ptr() as usize, &mut bytes, ordering);
                        <$int>::from_ne_bytes(bytes)
                    }
                }
            }

            #[track_caller]
            pub fn store(&self, value: $int, ordering: Ordering) {
                if !death::allows_a_store() {
                    return;
                }
                match self.place() {
                    Place::Memory => {
                        death::note_store(self.as_ptr().cast(), size_of::<$int>(), ordering);
                        self.0.store(value, ordering)
                    }
                    Place::Word => self.word().store(value.into(), ordering),
                    Place::Bytes => store_bytes(self.as_ptr() as usize, &value.to_ne_bytes(), ordering),
                }
            }

            #[track_caller]
            pub fn compare_exchange(
                &self,
                seen: $int,
                next: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                if !death::allows_a_store() {
                    return Err(self.0.load(Ordering::Relaxed));
                }
                match self.place() {
                    Place::Memory => {
                        if self.0.load(Ordering::Relaxed) == seen {
                            death::note_store(self.as_ptr().cast(), size_of::<$int>(), success);
                        }
                        self.0.compare_exchange(seen, next, success, failure)
                    }
                    Place::Word => {
                        let word = self.word();
                        let (checker, thread) = part().expect("asked by `place`");
                        let pair = (seen.into(), next.into());
                        checker
                            .compare_exchange(thread, word.name(), || word.first(), pair, (success, failure))
                            .map(|value| value as $int)
                            .map_err(|value| value as $int)
                    }
                    Place::Bytes => unimplemented!("a compare-exchange of a part of a word"),
                }
            }

            #[track_caller]
            fn change(&self, change: impl Fn($int) -> $int, ordering: Ordering) -> $int {
                if !death::allows_a_store() {
                    return self.0.load(Ordering::Relaxed);
                }
                match self.place() {
                    Place::Memory => {
                        death::note_store(self.as_ptr().cast(), size_of::<$int>(), ordering);
                        let before = self.0.load(ordering_of_load(ordering));
                        self.0.store(change(before), Ordering::Relaxed);
                        before
                    }
                    Place::Word => {
                        let word = self.word();
                        let (checker, thread) = part().expect("asked by `place`");
                        let change = |value: u64| change(value as $int).into();
                        checker.change(thread, word.name(), || word.first(), change, ordering) as $int
                    }
                    // Only the owner of the lock changes an item's bytes in place.
                    Place::Bytes => {
                        let mut bytes = [0; size_of::<$int>()];
                        load_bytes(self.as_ptr() as usize, &mut bytes, ordering_of_load(ordering));
                        let before = <$int>::from_ne_bytes(bytes);
                        store_bytes(self.as_ptr() as usize, &change(before).to_ne_bytes(), ordering);
                        before
                    }
                }
            }

            #[track_caller]
            pub fn swap(&self, value: $int, ordering: Ordering) -> $int {
                self.change(|_| value, ordering)
            }

            #[track_caller]
            pub fn fetch_add(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value.wrapping_add(by), ordering)
            }

            #[track_caller]
            pub fn fetch_sub(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value.wrapping_sub(by), ordering)
            }

            #[track_caller]
            pub fn fetch_and(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value & by, ordering)
            }

            #[track_caller]
            pub fn fetch_or(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value | by, ordering)
            }

            #[track_caller]
            pub fn fetch_xor(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value ^ by, ordering)
            }

            #[track_caller]
            pub fn fetch_max(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value.max(by), ordering)
            }

            #[track_caller]
            pub fn fetch_min(&self, by: $int, ordering: Ordering) -> $int {
                self.change(|value| value.min(by), ordering)
            }
        }
    };
}

/// Outside of a model one thread works in a memory at a time.
fn ordering_of_load(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}

atomic_by_address!(AtomicU8, u8);
atomic_by_address!(AtomicU32, u32);
atomic_by_address!(AtomicU64, u64);

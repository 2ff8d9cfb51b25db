//! Bytes between private and shared memory. Others may write the shared side at any moment, so no reference or slice is
//! ever formed over it, and the compiler must not see what the copy reads: volatile words below 16 bytes, 16-byte moves
//! in assembly above. `rep movsb` is as fast at its best, but up to twenty times slower on current AMD processors when
//! the target lies a little behind the source modulo the page; a loop of volatile words takes five times as long.

/// Eight bytes at any address.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Word(u64);

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Half(u32);

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Quarter(u16);

/// Copies `len` bytes; either side may be shared memory that another process writes meanwhile. Should the two overlap,
/// which they do in damaged files only, the target's bytes are any of the source's.
///
/// # Safety
/// `src..src+len` is mapped and readable, `dst..dst+len` mapped and writable.
#[inline]
pub(crate) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    if len > 64 {
        // SAFETY: by our own contract.
        unsafe { copy_long(dst, src, len) };
        return;
    }
    // SAFETY: every access below lies in the first or the last `size_of::<T>()` bytes of a range that is at least that
    // long.
    unsafe {
        // The words read from the front and from the end may overlap in the middle.
        if len >= 16 {
            copy_middling(dst, src, len);
        } else if len >= 8 {
            let head = src.cast::<Word>().read_volatile();
            let tail = src.add(len - 8).cast::<Word>().read_volatile();
            dst.cast::<Word>().write_volatile(head);
            dst.add(len - 8).cast::<Word>().write_volatile(tail);
        } else if len >= 4 {
            let head = src.cast::<Half>().read_volatile();
            let tail = src.add(len - 4).cast::<Half>().read_volatile();
            dst.cast::<Half>().write_volatile(head);
            dst.add(len - 4).cast::<Half>().write_volatile(tail);
        } else if len >= 2 {
            let head = src.cast::<Quarter>().read_volatile();
            let tail = src.add(len - 2).cast::<Quarter>().read_volatile();
            dst.cast::<Quarter>().write_volatile(head);
            dst.add(len - 2).cast::<Quarter>().write_volatile(tail);
        } else if len == 1 {
            dst.write_volatile(src.read_volatile());
        }
    }
}

/// 16 to 64 bytes.
#[inline(always)]
unsafe fn copy_middling(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the first and the last 16 bytes, and above 32 also the 16 behind and before them, lie inside both ranges.
    unsafe {
        wide::copy_pair(dst, src, 0, len - 16);
        if len > 32 {
            wide::copy_pair(dst, src, 16, len - 32);
        }
    }
}

#[inline]
unsafe fn copy_long(dst: *mut u8, src: *const u8, len: usize) {
    // Long copies go on from where the target is aligned: a string's bytes begin behind its header, anywhere in a
    // line, and stores that straddle two lines cost a sixth more.
    let skew = if len >= 1024 { 64 - dst as usize % 64 } else { 0 };
    if skew != 0 {
        // SAFETY: the first 64 of more than a thousand bytes.
        unsafe { copy(dst, src, 64) };
    }
    // SAFETY: at most 64 bytes on, inside both ranges. Whole blocks of 64 bytes, then the last 64, which may overlap the
    // block before.
    unsafe {
        let (dst, src, len) = (dst.add(skew), src.add(skew), len - skew);
        wide::copy_blocks(dst, src, (len - 1) / 64, len - 64);
    }
}

/// Moves of 16 bytes. The assembly is opaque, so a concurrent writer is no data race in the eyes of the compiler.
#[cfg(target_arch = "x86_64")]
mod wide {
    use core::arch::asm;

    /// Two times 16 bytes, at these offsets.
    ///
    /// # Safety
    /// Both lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_pair(dst: *mut u8, src: *const u8, first: usize, second: usize) {
        // SAFETY: by contract.
        unsafe {
            asm!(
                "movdqu {a}, [{from} + {first}]",
                "movdqu {b}, [{from} + {second}]",
                "movdqu [{to} + {first}], {a}",
                "movdqu [{to} + {second}], {b}",
                from = in(reg) src,
                to = in(reg) dst,
                first = in(reg) first,
                second = in(reg) second,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
    }

    /// `count` blocks of 64 bytes, at least one, and 64 at `last`.
    ///
    /// # Safety
    /// All of them lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_blocks(dst: *mut u8, src: *const u8, blocks: usize, last: usize) {
        // SAFETY: by contract.
        unsafe {
            asm!(
                "2:",
                "movdqu {a}, [{from}]",
                "movdqu {b}, [{from} + 16]",
                "movdqu {c}, [{from} + 32]",
                "movdqu {d}, [{from} + 48]",
                "movdqu [{to}], {a}",
                "movdqu [{to} + 16], {b}",
                "movdqu [{to} + 32], {c}",
                "movdqu [{to} + 48], {d}",
                "add {from}, 64",
                "add {to}, 64",
                "dec {blocks}",
                "jnz 2b",
                "movdqu {a}, [{from_last}]",
                "movdqu {b}, [{from_last} + 16]",
                "movdqu {c}, [{from_last} + 32]",
                "movdqu {d}, [{from_last} + 48]",
                "movdqu [{to_last}], {a}",
                "movdqu [{to_last} + 16], {b}",
                "movdqu [{to_last} + 32], {c}",
                "movdqu [{to_last} + 48], {d}",
                from = inout(reg) src => _,
                to = inout(reg) dst => _,
                blocks = inout(reg) blocks => _,
                from_last = in(reg) src.add(last),
                to_last = in(reg) dst.add(last),
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack),
            );
        }
    }
}

/// The same with NEON, which every aarch64 has.
#[cfg(target_arch = "aarch64")]
mod wide {
    use core::arch::asm;

    /// Two times 16 bytes, at these offsets.
    ///
    /// # Safety
    /// Both lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_pair(dst: *mut u8, src: *const u8, first: usize, second: usize) {
        // SAFETY: by contract.
        unsafe {
            asm!(
                "ldr {a:q}, [{from}, {first}]",
                "ldr {b:q}, [{from}, {second}]",
                "str {a:q}, [{to}, {first}]",
                "str {b:q}, [{to}, {second}]",
                from = in(reg) src,
                to = in(reg) dst,
                first = in(reg) first,
                second = in(reg) second,
                a = out(vreg) _,
                b = out(vreg) _,
                options(nostack, preserves_flags),
            );
        }
    }

    /// `count` blocks of 64 bytes, at least one, and 64 at `last`.
    ///
    /// # Safety
    /// All of them lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_blocks(dst: *mut u8, src: *const u8, blocks: usize, last: usize) {
        // SAFETY: by contract.
        unsafe {
            asm!(
                "2:",
                "ldp {a:q}, {b:q}, [{from}]",
                "ldp {c:q}, {d:q}, [{from}, #32]",
                "stp {a:q}, {b:q}, [{to}]",
                "stp {c:q}, {d:q}, [{to}, #32]",
                "add {from}, {from}, #64",
                "add {to}, {to}, #64",
                "subs {blocks}, {blocks}, #1",
                "b.ne 2b",
                "ldp {a:q}, {b:q}, [{from_last}]",
                "ldp {c:q}, {d:q}, [{from_last}, #32]",
                "stp {a:q}, {b:q}, [{to_last}]",
                "stp {c:q}, {d:q}, [{to_last}, #32]",
                from = inout(reg) src => _,
                to = inout(reg) dst => _,
                blocks = inout(reg) blocks => _,
                from_last = in(reg) src.add(last),
                to_last = in(reg) dst.add(last),
                a = out(vreg) _,
                b = out(vreg) _,
                c = out(vreg) _,
                d = out(vreg) _,
                options(nostack),
            );
        }
    }
}

/// Words of eight bytes, where no assembly is written: right, and several times slower.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod wide {
    use super::Word;

    /// Two times 16 bytes, at these offsets.
    ///
    /// # Safety
    /// Both lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_pair(dst: *mut u8, src: *const u8, first: usize, second: usize) {
        for at in [first, first + 8, second, second + 8] {
            // SAFETY: by contract.
            unsafe { dst.add(at).cast::<Word>().write_volatile(src.add(at).cast::<Word>().read_volatile()) };
        }
    }

    /// `count` blocks of 64 bytes, at least one, and 64 at `last`.
    ///
    /// # Safety
    /// All of them lie inside both ranges.
    #[inline(always)]
    pub unsafe fn copy_blocks(dst: *mut u8, src: *const u8, blocks: usize, last: usize) {
        for block in (0..blocks).map(|block| block * 64).chain([last]) {
            for at in (block..block + 64).step_by(8) {
                // SAFETY: by contract.
                unsafe { dst.add(at).cast::<Word>().write_volatile(src.add(at).cast::<Word>().read_volatile()) };
            }
        }
    }
}

/// Whether shared memory holds exactly `key`.
///
/// # Safety
/// `shared..shared+key.len()` is mapped and readable.
#[inline(always)]
pub(crate) unsafe fn equals(shared: *const u8, key: &[u8]) -> bool {
    let len = key.len();
    let private = key.as_ptr();
    // SAFETY: each access lies within `len` bytes of its side, as in `copy`.
    unsafe {
        if len >= 8 {
            let mut at = 0;
            while len - at > 32 {
                if differ::<4>(shared.add(at), private.add(at)) {
                    return false;
                }
                at += 32;
            }
            // The rest, in whole words from both ends.
            let (shared, private, left) = (shared.add(at), private.add(at), len - at);
            if left >= 16 {
                return !differ::<2>(shared, private) && !differ::<2>(shared.add(left - 16), private.add(left - 16));
            }
            // The last word may begin before the rest: those bytes were compared already, which is harmless.
            return (left < 8 || !differ::<1>(shared, private))
                && !differ::<1>(shared.add(left).sub(8), private.add(left).sub(8));
        }
        if len >= 4 {
            return shared.cast::<Half>().read_volatile().0 == private.cast::<Half>().read().0
                && shared.add(len - 4).cast::<Half>().read_volatile().0
                    == private.add(len - 4).cast::<Half>().read().0;
        }
        key.iter().enumerate().all(|(at, byte)| shared.add(at).read_volatile() == *byte)
    }
}

/// # Safety
/// `N` words are readable on both sides.
#[inline(always)]
unsafe fn differ<const N: usize>(shared: *const u8, private: *const u8) -> bool {
    // SAFETY: by contract.
    let bits =
        |at| unsafe { shared.add(at).cast::<Word>().read_volatile().0 ^ private.add(at).cast::<Word>().read().0 };
    (0..N).fold(0, |sum, index| sum | bits(8 * index)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_compares_every_length() {
        let source: Vec<u8> = (0..4096u32).map(|i| (i * 7 + 3) as u8).collect();
        for len in (0..300).chain([511, 512, 513, 1000, 4000]) {
            // Each alignment of both, and each of one to the other.
            for (from, to) in [(0, 0), (1, 0), (2, 7), (3, 3), (4, 1), (5, 2), (6, 4), (7, 5), (0, 6)] {
                let shared = &source[from..from + len];
                let mut target = vec![0u8; to + len + 1];
                // SAFETY: both buffers are at least `len` long behind these places, and distinct.
                unsafe { copy(target.as_mut_ptr().add(to), shared.as_ptr(), len) };
                assert_eq!(&target[to..to + len], shared, "length {len} from {from} to {to}");
                assert!(target[..to].iter().chain(&target[to + len..]).all(|byte| *byte == 0), "nothing beyond {len}");
                // SAFETY: as above.
                assert!(unsafe { equals(shared.as_ptr(), &target[to..to + len]) });
                for at in to..to + len {
                    target[at] ^= 1;
                    // SAFETY: as above.
                    assert!(!unsafe { equals(shared.as_ptr(), &target[to..to + len]) }, "length {len}, byte {at}");
                    target[at] ^= 1;
                }
            }
        }
    }
}

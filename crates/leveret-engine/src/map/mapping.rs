//! The mapping of an arena's file, and typed views of its regions. Structs of atomics may be borrowed, since other
//! processes may write them at any time by the rules of atomics; plain bytes never are.
use crate::map::copy;
use crate::map::guard::FaultGuard;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use rustix::fd::BorrowedFd;
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::io;
use std::ptr;

/// Bytes of a huge page, on x86, and on aarch64 with pages of 4 KiB.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

const ACCESS: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// The kernel's number on both; the libc crate has it for glibc only.
const MADV_COLLAPSE: libc::c_int = 25;

/// One shared, writable mapping of a whole file, guarded against SIGBUS.
pub(crate) struct Mapping {
    // Before the pages: fields are dropped in this order, and no range may be guarded that is not ours any more.
    guard: FaultGuard,
    pages: Pages,
}

struct Pages {
    /// The file's pages, with padding before and behind for alignment. Memory of models stays mapped.
    #[cfg_attr(model, allow(dead_code))]
    reserved: *mut u8,
    #[cfg_attr(model, allow(dead_code))]
    reserved_len: usize,
    base: *mut u8,
    len: usize,
}

// SAFETY: the pointer is to memory that every thread may use; all access goes through atomics or volatile copies.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// The file's pages at an address that suits huge pages, where nothing is mapped mostly: far below the libraries, which
    /// lie elsewhere in each process. None: they would lie elsewhere.
    #[cfg(all(not(model), target_pointer_width = "64"))]
    fn suggest(file: BorrowedFd<'_>, len: usize) -> Option<Pages> {
        use crate::sync::AtomicUsize;
        const DISTANCE: usize = 64 << 30;
        static TAKEN: AtomicUsize = AtomicUsize::new(DISTANCE);
        let here = ptr::from_ref(&TAKEN).addr();
        let end = here.checked_sub(TAKEN.fetch_add(len.next_multiple_of(HUGE_PAGE), Ordering::Relaxed))?;
        let wanted = end.checked_sub(len)? & !(HUGE_PAGE - 1);
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        // SAFETY: the address is a wish, in the place of nothing that exists.
        let base = unsafe { mm::mmap(ptr::without_provenance_mut(wanted), len, ACCESS, flags, file, 0) }.ok()?;
        let pages = Pages { reserved: base.cast(), reserved_len: len, base: base.cast(), len };
        (base.addr() == wanted).then_some(pages)
    }

    #[cfg(any(model, not(target_pointer_width = "64")))]
    fn suggest(_file: BorrowedFd<'_>, _len: usize) -> Option<Pages> {
        None
    }

    fn anywhere(file: BorrowedFd<'_>, len: usize) -> io::Result<Pages> {
        let pages = Pages::reserve(len)?;
        let flags = MapFlags::SHARED | MapFlags::NORESERVE | MapFlags::FIXED;
        // SAFETY: in place of pages that are ours and that nobody has seen.
        unsafe { mm::mmap(pages.base.cast(), len, ACCESS, flags, file, 0)? };
        Ok(pages)
    }

    /// Address space without memory for so many bytes, at an address that suits huge pages.
    fn reserve(len: usize) -> io::Result<Pages> {
        let reserved_len = len.checked_add(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
        let reserved =
            unsafe { mm::mmap_anonymous(ptr::null_mut(), reserved_len, ProtFlags::empty(), flags)? }.cast::<u8>();
        let base = reserved.wrapping_add(reserved.align_offset(HUGE_PAGE));
        Ok(Pages { reserved, reserved_len, base, len })
    }
}

impl Drop for Pages {
    #[cfg(model)]
    fn drop(&mut self) {}

    #[cfg(not(model))]
    fn drop(&mut self) {
        // SAFETY: the range is ours, and every view of it lives no longer than the `Map` that owns this mapping.
        let _ = unsafe { mm::munmap(self.reserved.cast(), self.reserved_len) };
    }
}

impl Mapping {
    pub fn new(file: BorrowedFd<'_>, len: u64) -> io::Result<Mapping> {
        let len = usize::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // Reserving and mapping takes twice as long.
        let pages = Pages::suggest(file, len).map_or_else(|| Pages::anywhere(file, len), Ok)?;
        let base = pages.base;
        // A crash of the host process must not write the whole cache, values included, into its core file.
        // SAFETY: exactly the range that was mapped just now.
        unsafe { mm::madvise(base.cast(), len, Advice::LinuxDontDump)? };
        Ok(Mapping { guard: FaultGuard::new(base as usize, len)?, pages })
    }

    /// Memory that is there already, for models.
    ///
    /// # Safety
    /// `base..base+len` is mapped for ever.
    #[cfg(all(model, test))]
    pub unsafe fn over(base: *mut u8, len: usize) -> Mapping {
        let guard = FaultGuard::new(base as usize, len).expect("few at a time");
        Mapping { guard, pages: Pages { reserved: base, reserved_len: len, base, len } }
    }

    /// Has the kernel move the huge page's length at `off` into one huge page. Concurrent readers and writers are only
    /// delayed.
    pub fn collapse(&self, off: u64) -> io::Result<()> {
        assert!(off % HUGE_PAGE as u64 == 0 && off + HUGE_PAGE as u64 <= self.pages.len as u64);
        // SAFETY: in bounds by the assertion. The bytes do not change.
        let answer = unsafe {
            let begin = self.pages.base.add(off as usize);
            libc::madvise(begin.cast(), HUGE_PAGE, MADV_COLLAPSE)
        };
        if answer == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Whether the file was truncated under us: since then this process sees private zeros.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.guard.is_lost()
    }

    /// `count` structs of type `T` at `off`.
    ///
    /// # Safety
    /// `T` consists of atomics only, so that any bytes are a valid `T` and others may write it.
    pub unsafe fn table<T>(&self, off: u64, count: usize) -> Table<T> {
        let off = off as usize;
        assert!(
            off % align_of::<T>() == 0
                && count
                    .checked_mul(size_of::<T>())
                    .and_then(|len| len.checked_add(off))
                    .is_some_and(|end| end <= self.pages.len)
        );
        // SAFETY: in bounds by the assertion.
        Table { first: unsafe { self.pages.base.add(off) }.cast(), len: count }
    }

    /// The plain bytes at `off..off+len`.
    pub fn data(&self, off: u64, len: u64) -> Data {
        assert!(off.checked_add(len).is_some_and(|end| end <= self.pages.len as u64));
        // SAFETY: in bounds by the assertion.
        Data { base: unsafe { self.pages.base.add(off as usize) }, len }
    }
}

/// A row of structs of atomics in shared memory. Lives inside the `Core` that owns the map.
pub(crate) struct Table<T> {
    first: *const T,
    len: usize,
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Table<T> {}

// SAFETY: only structs of atomics are reached through it.
unsafe impl<T> Send for Table<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Table<T> {}

impl<T> Table<T> {
    #[inline]
    pub fn at(&self, index: usize) -> &T {
        assert!(index < self.len, "an index that was not checked");
        // SAFETY: in bounds by the assertion; mapped as long as the `Core` that holds this table.
        unsafe { &*self.first.add(index) }
    }

    /// Asks for the cache line of an entry.
    #[inline]
    pub fn ask_for(&self, index: usize) {
        ask_for(self.first.wrapping_add(index).cast());
    }

    pub fn len(&self) -> usize {
        self.len
    }
}

/// Asks the processor for the cache line at an address, and waits for nothing.
#[inline]
fn ask_for(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint to the processor, which reads no byte for the program and ignores an address that is not mapped.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{at}]", at = in(reg) address, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// The data region: items at 8-byte aligned offsets, segments one after the other.
pub(crate) struct Data {
    base: *mut u8,
    len: u64,
}

// SAFETY: all access goes through atomics or volatile copies.
unsafe impl Send for Data {}
// SAFETY: as above.
unsafe impl Sync for Data {}

impl Data {
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    #[inline]
    fn range(&self, off: u64, len: u64) -> *mut u8 {
        assert!(off <= self.len && len <= self.len - off, "a range that was not checked");
        // SAFETY: in bounds by the assertion.
        unsafe { self.base.add(off as usize) }
    }

    /// The 4-byte word at `off`, which is a multiple of 4.
    #[inline]
    pub fn word(&self, off: u64) -> &AtomicU32 {
        assert!(off % 4 == 0);
        // SAFETY: in bounds and aligned; an atomic may be shared with other processes.
        unsafe { AtomicU32::from_ptr(self.range(off, 4).cast()) }
    }

    /// The 8-byte word at `off`, which is a multiple of 8.
    #[inline]
    pub fn long(&self, off: u64) -> &AtomicU64 {
        assert!(off % 8 == 0);
        // SAFETY: in bounds and aligned; an atomic may be shared with other processes.
        unsafe { AtomicU64::from_ptr(self.range(off, 8).cast()) }
    }

    /// The four words at `off`, read once.
    ///
    /// # Safety
    /// `off` is a multiple of 8, and `off + 16` lies in the region.
    #[inline]
    pub unsafe fn words(&self, off: u64) -> [u32; 4] {
        debug_assert!(off % 8 == 0 && off + 16 <= self.len);
        // SAFETY: by contract; read through atomics since others may write.
        unsafe {
            let first = self.base.add(off as usize).cast::<u32>();
            let word = |index| AtomicU32::from_ptr(first.add(index)).load(Ordering::Relaxed);
            [word(0), word(1), word(2), word(3)]
        }
    }

    /// Stores the four words at `off`, which is a multiple of 4.
    #[inline]
    pub fn set_words(&self, off: u64, words: [u32; 4]) {
        assert!(off % 4 == 0);
        let first = self.range(off, 16).cast::<u32>();
        for (index, word) in words.into_iter().enumerate() {
            // SAFETY: in bounds and aligned; an atomic may be shared with other processes.
            unsafe { AtomicU32::from_ptr(first.add(index)) }.store(word, Ordering::Relaxed);
        }
    }

    /// Asks for the cache lines of a short item at `off`.
    #[inline]
    pub fn ask_for(&self, off: u64) {
        self.ask_for_range(off, 64);
    }

    /// Asks for the cache lines of the header and a short key of the item at `off`.
    #[inline]
    pub fn ask_for_key(&self, off: u64) {
        self.ask_for_range(off, 48);
    }

    #[inline]
    fn ask_for_range(&self, off: u64, len: usize) {
        let first = self.base.wrapping_add(off as usize);
        ask_for(first);
        ask_for(first.wrapping_add(len - 1));
    }

    /// Copies bytes out to private memory.
    ///
    /// # Safety
    /// `dst..dst+len` is writable private memory.
    #[inline]
    pub unsafe fn copy_out(&self, off: u64, dst: *mut u8, len: usize) {
        // SAFETY: the source is in bounds, the target by contract.
        unsafe { copy::copy(dst, self.range(off, len as u64), len) };
    }

    /// Appends `len` bytes to `out`.
    pub fn append_to(&self, off: u64, len: usize, out: &mut Vec<u8>) {
        out.reserve(len);
        // SAFETY: `reserve` made `len` writable bytes behind the vector's end, and they are initialised before
        // `set_len`.
        unsafe {
            self.copy_out(off, out.as_mut_ptr().add(out.len()), len);
            out.set_len(out.len() + len);
        }
    }

    /// Where `len` bytes at `off` lie, for the kernel to read or write them.
    pub fn address(&self, off: u64, len: usize) -> *const u8 {
        self.range(off, len as u64)
    }

    /// Writes private bytes into the arena. The caller holds the lock or owns the segment.
    #[inline]
    pub fn copy_in(&self, off: u64, src: &[u8]) {
        // SAFETY: the target is in bounds, the source is a live slice.
        unsafe { copy::copy(self.range(off, src.len() as u64), src.as_ptr(), src.len()) };
    }

    /// Copies within the arena, into freshly reserved room beyond all that is published: only in a damaged file do the
    /// two ranges overlap, and then the copy is damaged too.
    pub fn copy_within(&self, from: u64, to: u64, len: u64) {
        // SAFETY: both are in bounds.
        unsafe { copy::copy(self.range(to, len), self.range(from, len), len as usize) };
    }

    /// Maps the pages of a range for writing. Only a hint: the first write would do it too, page by page.
    #[cold]
    pub fn populate(&self, off: u64, len: u64) {
        let len = len.min(self.len.saturating_sub(off));
        // SAFETY: in bounds; populating changes no byte. Kernels before 5.14 answer EINVAL, and an owner of room never
        // asks for a range beyond the allocated one.
        let _ = unsafe { rustix::mm::madvise(self.range(off, len).cast(), len as usize, Advice::LinuxPopulateWrite) };
    }

    /// Whether the bytes at `off` are exactly `key`.
    #[inline(always)]
    pub fn equals(&self, off: u64, key: &[u8]) -> bool {
        // SAFETY: in bounds.
        unsafe { copy::equals(self.range(off, key.len() as u64), key) }
    }
}

//! An item in a segment: its format is in `layout.rs`, reads are here, writes in `write.rs`.
//!
//! Published items never change, except for whole aligned words: the deadline and its fraction in the extension (touch,
//! under the lock, only ever later), a number, its cas and its width (incr), and the bit `wanted` in the shape.
mod division;
pub(crate) mod layout;
mod write;

use crate::map::geometry::Geometry;
use crate::map::mapping::Data;
use crate::meta::{Codec, Encoding, Marks, Meta, Origin};
use crate::segment::{Extent, SegmentId, Segments};
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::time::Deadline;
pub(crate) use division::Division;
pub(crate) use layout::Kind;
use layout::{Layout, Shape, DEADLINE, EXTENT, HEADER, NUMBER_CAS};
pub(crate) use write::{Body, Change, NewItem};

/// A header, read once into private memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub shape: Shape,
    pub names: u32,
    pub mtime: u32,
    pub deadline: u32,
}

impl Header {
    #[inline]
    pub fn value_len(self) -> u64 {
        self.shape.value_len()
    }

    #[inline]
    pub fn key_len(self) -> usize {
        (self.names & 0xffff) as usize
    }

    #[inline]
    pub fn meta(self, flags: u32, marks: Marks) -> Meta {
        let names = self.names >> 16;
        Meta {
            flags,
            origin: Origin((names & 15) as u8),
            encoding: Encoding((names >> 4 & 15) as u8),
            codec: Codec((names >> 8 & 15) as u8),
            marks,
        }
    }
}

/// One item in the arena: its header and where its parts lie. All of it is inside its segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub at: u64,
    pub segment: SegmentId,
    pub header: Header,
    pub kind: Kind,
    // Of `Layout`, in 32 bits each: a segment has at most 1 MiB.
    key_off: u32,
    /// Where the value begins, from the item's first byte.
    pub value_off: u32,
    size: u32,
}

impl View {
    /// Offset of the number or the table of extents, if it has one.
    #[inline]
    pub fn payload(&self) -> u64 {
        self.at + self.header.shape.payload()
    }

    /// Bytes of a number or of the table of extents, from the private copy, so that no other process can change it
    /// meanwhile.
    fn payload_len(&self) -> u64 {
        let empty = Layout::new(self.header.shape, 0, 0, 0);
        u64::from(self.key_off) - empty.key
    }

    /// The layout of a copy of this item that has another shape.
    fn layout_as(&self, shape: Shape) -> Layout {
        let stored = layout::stored_len(self.kind, self.header.value_len());
        Layout::new(shape, self.payload_len(), self.header.key_len() as u64, stored)
    }

    #[inline]
    pub fn key(&self) -> u64 {
        self.at + u64::from(self.key_off)
    }

    #[inline]
    pub fn value(&self) -> u64 {
        self.at + u64::from(self.value_off)
    }

    /// How many extents a large value has room for.
    pub fn pieces(&self) -> usize {
        layout::extents_in(self.payload_len())
    }

    /// Bytes up to the next item.
    #[inline]
    pub fn size(&self) -> u64 {
        u64::from(self.size)
    }
}

/// The items of an arena: the data region, and where its segments end.
pub(crate) struct Items {
    pub data: Data,
    segment_shift: u32,
    memory: u64,
    /// Whether the extension holds what layout 2 has put there.
    pub has_millis: bool,
}

impl Items {
    pub fn new(data: Data, geometry: &Geometry) -> Items {
        let Geometry { segment_shift, memory, layout, .. } = *geometry;
        Items { data, segment_shift, memory, has_millis: layout >= 2 }
    }

    /// The item at `at`, if it fits into its segment. For any bytes the result lies inside the segment.
    #[inline]
    pub fn view(&self, segments: &Segments, segment: SegmentId, at: u64) -> Option<View> {
        let end = segments.end(segment);
        if at % 8 != 0 || at + HEADER > end || segment.0 as usize >= segments.len() {
            return None;
        }
        // SAFETY: aligned, and inside a segment of the data region, by the test above.
        let [shape, names, mtime, deadline] = unsafe { self.data.words(at) };
        let header = Header { shape: Shape(shape), names, mtime, deadline };
        // Most items are header, key and bytes, or a plain number: then these places are constants.
        let key_len = header.key_len() as u64;
        let (kind, layout) = match header.shape.options() {
            Shape::PLAIN_BYTES => (Kind::Bytes, Layout::new(Shape::PLAIN_BYTES, 0, key_len, header.value_len())),
            Shape::PLAIN_NUMBER => {
                (Kind::Number, Layout::new(Shape::PLAIN_NUMBER, layout::payload_len(Kind::Number, 0), key_len, 0))
            }
            _ => self.layout_with_options(at, end, header)?,
        };
        if at + layout.size > end {
            return None;
        }
        Some(View {
            at,
            segment,
            header,
            kind,
            key_off: layout.key as u32,
            value_off: layout.value as u32,
            size: layout.size as u32,
        })
    }

    /// Of an item that is more than header, key and bytes. Kept out of the way of those that are not.
    #[inline(never)]
    fn layout_with_options(&self, at: u64, end: u64, header: Header) -> Option<(Kind, Layout)> {
        let kind = header.shape.kind()?;
        let payload = at + header.shape.payload();
        let mut extents = 0;
        if matches!(kind, Kind::Number | Kind::Large) {
            if payload + layout::payload_len(kind, 0) > end {
                return None;
            }
            if kind == Kind::Large {
                extents = u64::from(self.data.word(payload + 8).load(Ordering::Relaxed));
            }
        }
        let stored = layout::stored_len(kind, header.value_len());
        let payload_len = layout::payload_len(kind, extents);
        Some((kind, Layout::new(header.shape, payload_len, header.key_len() as u64, stored)))
    }

    /// Flags, origin, encoding, codec and marks of an item.
    #[inline]
    pub fn meta_of(&self, view: &View) -> Meta {
        self.told_of(view).0
    }

    /// The same, and from when on it is dead, as one look at the extension shows them: beside a touch the deadline may be
    /// as much as a second earlier than both the old one and the new one. `deadline_of` says what counts.
    #[inline(always)]
    pub fn told_of(&self, view: &View) -> (Meta, Deadline) {
        let (shape, key) = (view.header.shape, view.key());
        let extension = self.extension_of(view);
        let flags = if shape.has_flags() {
            self.data.word(layout::flags_before(shape, key)).load(Ordering::Relaxed)
        } else {
            0
        };
        let fraction = (extension & layout::FRACTION) >> layout::FRACTION_SHIFT;
        let deadline = Deadline { second: view.header.deadline, fraction };
        (view.header.meta(flags, Marks::from_bits(extension as u8)), deadline)
    }

    /// The explicit cas of an item that has one.
    pub fn explicit_cas(&self, view: &View) -> Option<u64> {
        view.header.shape.has_cas().then(|| self.data.long(view.at + HEADER).load(Ordering::Relaxed))
    }

    pub fn number_of(&self, view: &View) -> u64 {
        self.number_cell(view).load(Ordering::Acquire)
    }

    /// A number's value.
    pub fn number_cell(&self, view: &View) -> &AtomicU64 {
        self.data.long(view.payload())
    }

    /// A number's cas; 0 = none.
    pub fn number_cas_cell(&self, view: &View) -> &AtomicU64 {
        self.data.long(view.payload() + NUMBER_CAS)
    }

    pub fn shape_cell(&self, view: &View) -> &AtomicU32 {
        self.data.word(view.at)
    }

    pub fn deadline_cell(&self, view: &View) -> &AtomicU32 {
        self.data.word(view.at + DEADLINE)
    }

    /// The extension of an item that has one.
    #[inline]
    pub fn extension_cell(&self, view: &View) -> &AtomicU32 {
        self.data.word(layout::extension_before(view.key()))
    }

    /// The extension; 0 where there is none.
    #[inline(always)]
    fn extension_of(&self, view: &View) -> u32 {
        if view.header.shape.has_extension() {
            self.extension_cell(view).load(Ordering::Relaxed)
        } else {
            0
        }
    }

    /// From when on an item is dead.
    #[inline(always)]
    pub fn deadline_of(&self, view: &View) -> Deadline {
        if view.header.shape.has_extension() {
            self.exact_deadline_of(view)
        } else {
            Deadline::of_second(view.header.deadline)
        }
    }

    /// A touch stores the deadline, then the fraction. In this order no deadline is read that is earlier than both the old
    /// one and the new one.
    #[inline(never)]
    fn exact_deadline_of(&self, view: &View) -> Deadline {
        let extension = self.extension_cell(view).load(Ordering::Acquire);
        let second = self.deadline_cell(view).load(Ordering::Relaxed);
        let fraction = (extension & layout::FRACTION) >> layout::FRACTION_SHIFT;
        // Clamped, since the file may be damaged: below a second, and zero without a deadline.
        Deadline { second, fraction: if second == Deadline::NEVER.second { 0 } else { fraction.min(999) } }
    }

    /// Moves the deadline of an item back, under the lock. False: it has no extension, and this deadline needs one.
    pub fn set_deadline(&self, view: &View, deadline: Deadline) -> bool {
        let has_extension = view.header.shape.has_extension();
        let fraction = self.kept_fraction(deadline);
        if fraction != 0 && !has_extension {
            return false;
        }
        self.deadline_cell(view).store(deadline.second, Ordering::Release);
        if has_extension {
            let cell = self.extension_cell(view);
            let extension = cell.load(Ordering::Relaxed);
            // Release: pairs with the Acquire in `exact_deadline_of`.
            cell.store(extension & !layout::FRACTION | fraction, Ordering::Release);
        }
        true
    }

    /// Whether an item has bits that its arena's layout reserves, or a fraction that is none.
    pub fn has_reserved(&self, view: &View) -> bool {
        let extension = self.extension_of(view);
        let fraction = (extension & layout::FRACTION) >> layout::FRACTION_SHIFT;
        let fractions = if self.has_millis { 999 } else { 0 };
        view.header.names >> 28 != 0
            || extension & !(layout::MARKS | layout::FRACTION) != 0
            || fraction > fractions
            || view.kind == Kind::Typed && !self.has_millis
    }

    /// A deadline as this arena keeps it.
    pub fn kept(&self, deadline: Deadline) -> Deadline {
        if self.has_millis {
            deadline
        } else {
            Deadline::of_second(deadline.second)
        }
    }

    /// The fraction of a deadline as the extension holds it. An arena of layout 1 rounds deadlines up.
    #[inline(always)]
    fn kept_fraction(&self, deadline: Deadline) -> u32 {
        if deadline.fraction != 0 && self.has_millis {
            deadline.fraction << layout::FRACTION_SHIFT
        } else {
            0
        }
    }

    /// Division of a large value; `None` if its numbers contradict each other or exceed an arena's limits.
    pub fn division_of(&self, view: &View) -> Option<Division> {
        let total = self.data.long(view.payload()).load(Ordering::Relaxed);
        Division::new(total, view.pieces(), view.header.value_len(), 1 << self.segment_shift)
            .filter(|_| total <= self.memory / 8)
    }

    /// A piece of a large value; `index` is below `View::pieces`.
    pub fn extent_of(&self, view: &View, index: usize) -> Extent {
        let at = view.payload() + layout::payload_len(Kind::Large, index as u64);
        Extent {
            segment: self.data.word(at).load(Ordering::Relaxed),
            generation: self.data.word(at + EXTENT / 2).load(Ordering::Relaxed),
        }
    }
}

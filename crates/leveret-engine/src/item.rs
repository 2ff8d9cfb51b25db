//! An item in a segment: 16 bytes of header, then what its bits announce, key, value, padded to 8 bytes.
//!
//! ```text
//!  0        4        8       12       16
//!  | shape  | names  | mtime | deadline | [cas u64] [number: value u64, cas u64 | large: total u64, count u32, 0 u32, extents]
//!  | [flags u32] [extension u32] key bytes, value bytes (large: the tail), zeros up to a multiple of 8
//!
//!  shape:  value_len:24 | kind:2 | cas:1 | flags:1 | wanted:1 | extension:1 | 0:2
//!  names:  key_len:16 | origin:4 | encoding:4 | codec:4 | 0:4
//! ```
//!
//! Published items never change, except for whole aligned words: the deadline (touch, under the lock, only ever later),
//! a number, its cas and its width (incr), and the bit `wanted` in the shape.
use crate::core::Core;
use crate::large::Division;
use crate::meta::{Meta, STALE, WON};
use crate::segment::SegmentId;
use crate::sync::Ordering;
use crate::time::Deadline;

/// How the value lies in the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Bytes = 0,
    /// A 64-bit word that counts in place. `value_len` is the width of the text it came from: memcached pads a number
    /// that became shorter with spaces.
    Number = 1,
    /// Whole segments and a tail.
    Large = 2,
}

pub(crate) const HEADER: u64 = 16;
/// Bits of the shape word.
pub(crate) const VALUE_LEN: u32 = (1 << 24) - 1;
const KIND_SHIFT: u32 = 24;
const HAS_CAS: u32 = 1 << 26;
const HAS_FLAGS: u32 = 1 << 27;
/// Somebody has been told this item's cas, so a copy of it must keep it.
pub(crate) const WANTED: u32 = 1 << 28;
const HAS_EXTENSION: u32 = 1 << 29;
const PLAIN_NUMBER: u32 = (Kind::Number as u32) << KIND_SHIFT;
/// What moves the key away from its usual place.
const OPTIONS: u32 = 3 << KIND_SHIFT | HAS_CAS | HAS_FLAGS | HAS_EXTENSION;

/// A header, read once into private memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub shape: u32,
    pub names: u32,
    pub mtime: u32,
    pub deadline: u32,
}

impl Header {
    #[inline]
    pub fn value_len(self) -> u64 {
        u64::from(self.shape & VALUE_LEN)
    }

    #[inline]
    pub fn key_len(self) -> usize {
        (self.names & 0xffff) as usize
    }

    #[inline]
    pub fn kind(self) -> Option<Kind> {
        match self.shape >> KIND_SHIFT & 3 {
            0 => Some(Kind::Bytes),
            1 => Some(Kind::Number),
            2 => Some(Kind::Large),
            _ => None,
        }
    }

    pub fn has_cas(self) -> bool {
        self.shape & HAS_CAS != 0
    }

    pub fn is_wanted(self) -> bool {
        self.shape & WANTED != 0
    }

    #[inline]
    fn has_flags(self) -> bool {
        self.shape & HAS_FLAGS != 0
    }

    #[inline]
    pub fn has_extension(self) -> bool {
        self.shape & HAS_EXTENSION != 0
    }

    #[inline]
    pub fn meta(self, flags: u32, marks: u8) -> Meta {
        let names = self.names >> 16;
        Meta {
            flags,
            origin: (names & 15) as u8,
            encoding: (names >> 4 & 15) as u8,
            codec: (names >> 8 & 15) as u8,
            marks,
        }
    }

    pub fn deadline(self) -> Deadline {
        Deadline(self.deadline)
    }
}

/// One item in the arena: its header and where its parts lie. All of it is inside its segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub at: u64,
    pub segment: SegmentId,
    pub header: Header,
    pub kind: Kind,
    key_off: u32,
    /// Where the value begins, from the item's first byte.
    pub value_off: u32,
    size: u32,
}

impl View {
    /// Bytes of the key and of what is stored behind it.
    pub fn rest_len(&self) -> u64 {
        self.header.key_len() as u64 + if self.kind == Kind::Number { 0 } else { self.header.value_len() }
    }

    /// Bytes between the header's words and the flags: a number, or the table of extents.
    pub fn payload_len(&self) -> u64 {
        u64::from(self.key_off)
            - HEADER
            - 8 * u64::from(self.header.has_cas())
            - 4 * u64::from(self.header.has_flags())
            - 4 * u64::from(self.header.has_extension())
    }

    /// Offset of the number or the table of extents, if it has one.
    #[inline]
    pub fn payload(&self) -> u64 {
        self.at + HEADER + 8 * u64::from(self.header.has_cas())
    }

    #[inline]
    pub fn key(&self) -> u64 {
        self.at + u64::from(self.key_off)
    }

    #[inline]
    pub fn value(&self) -> u64 {
        self.at + u64::from(self.value_off)
    }

    /// How many extents a large value has room for: counted from the private copy, so that nobody can change it
    /// meanwhile.
    pub fn pieces(&self) -> usize {
        let optional = 4 * (u64::from(self.header.has_flags()) + u64::from(self.header.has_extension()));
        (self.key() - self.payload() - optional).saturating_sub(16) as usize / 8
    }

    /// Bytes up to the next item.
    #[inline]
    pub fn size(&self) -> u64 {
        u64::from(self.size)
    }
}

/// One segment that holds a piece of a large value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub segment: u32,
    pub generation: u32,
}

/// What a new item is made of.
#[derive(Clone, Copy)]
pub(crate) struct NewItem<'a> {
    pub key: &'a [u8],
    pub meta: Meta,
    pub mtime: u32,
    pub deadline: u32,
    /// The cas that it must have. Otherwise it has one if that was asked for.
    pub cas: Option<u64>,
    pub body: Body<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    Bytes(&'a [u8]),
    Number {
        value: u64,
        width: u32,
    },
    Large {
        total: u64,
        extents: &'a [Extent],
        tail: &'a [u8],
    },
    /// The parts of an append or prepend: bytes of an old item in the arena, and new ones before or behind.
    Joined {
        before: &'a [u8],
        old: (u64, u64),
        after: &'a [u8],
    },
}

/// How the bytes of a new item lie.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    shape: u32,
    /// Offset of a number or the table of extents.
    payload: u64,
    key: u64,
    value: u64,
    /// All bytes, with the padding.
    pub size: u64,
}

impl NewItem<'_> {
    /// A number has room for its cas in any case.
    #[inline(always)]
    pub fn plan(&self, has_cas: bool) -> Plan {
        // The length that goes into the header, the bytes of a number or the extents, and those behind the key.
        let (kind, value_len, payload_len, stored_len) = match &self.body {
            Body::Bytes(bytes) => (Kind::Bytes, bytes.len() as u64, 0, bytes.len() as u64),
            Body::Number { width, .. } => (Kind::Number, u64::from(*width), 16, 0),
            Body::Large { extents, tail, .. } => {
                (Kind::Large, tail.len() as u64, 16 + 8 * extents.len() as u64, tail.len() as u64)
            }
            Body::Joined { before, old, after } => {
                let len = before.len() as u64 + old.1 + after.len() as u64;
                (Kind::Bytes, len, 0, len)
            }
        };
        let has_cas = has_cas && kind != Kind::Number;
        let (has_flags, has_marks) = (self.meta.flags != 0, self.meta.marks != 0);
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        let shape = value_len as u32
            | (kind as u32) << KIND_SHIFT
            | bit(has_cas, HAS_CAS)
            | bit(has_flags, HAS_FLAGS)
            | bit(has_marks, HAS_EXTENSION);
        let payload = HEADER + 8 * u64::from(has_cas);
        let key = payload + payload_len + 4 * u64::from(has_flags) + 4 * u64::from(has_marks);
        let value = key + self.key.len() as u64;
        Plan { shape, payload, key, value, size: (value + stored_len).next_multiple_of(8) }
    }
}

impl Core {
    /// The item at `at`, if what lies there fits into its segment. Whatever the bytes are, the answer is inside of it.
    #[inline]
    pub fn view(&self, segment: SegmentId, at: u64) -> Option<View> {
        let end = self.end(segment);
        if at % 8 != 0 || at + HEADER > end || segment.0 as usize >= self.states.len() {
            return None;
        }
        // SAFETY: aligned, and inside a segment of the data region, by the test above.
        let [shape, names, mtime, deadline] = unsafe { self.data.words(at) };
        let header = Header { shape, names, mtime, deadline };
        // Most items are header, key and bytes, or a plain number: then these places are constants.
        let (kind, key_off, stored) = match shape & OPTIONS {
            0 => (Kind::Bytes, HEADER, header.value_len()),
            PLAIN_NUMBER => (Kind::Number, HEADER + 16, 0),
            _ => self.optional_parts(at, end, header)?,
        };
        let value_off = key_off + header.key_len() as u64;
        let size = (value_off + stored).next_multiple_of(8);
        if at + size > end {
            return None;
        }
        // These fit: a segment has at most 1 MiB.
        Some(View {
            at,
            segment,
            header,
            kind,
            key_off: key_off as u32,
            value_off: value_off as u32,
            size: size as u32,
        })
    }

    /// Kind, offset of the key and bytes behind it, of an item that is more than header, key and bytes. Kept out of the
    /// way of those that are not.
    #[inline(never)]
    fn optional_parts(&self, at: u64, end: u64, header: Header) -> Option<(Kind, u64, u64)> {
        let kind = header.kind()?;
        let mut key_off = HEADER
            + 8 * u64::from(header.has_cas())
            + 4 * u64::from(header.has_flags())
            + 4 * u64::from(header.has_extension());
        let mut stored = header.value_len();
        if kind != Kind::Bytes {
            if at + HEADER + 24 > end {
                return None;
            }
            if kind == Kind::Number {
                key_off += 16;
                stored = 0;
            } else {
                let extents = self.data.word(at + HEADER + 8 * u64::from(header.has_cas()) + 8).load(Ordering::Relaxed);
                key_off += 16 + 8 * u64::from(extents);
            }
        }
        Some((kind, key_off, stored))
    }

    #[inline]
    pub fn flags_of(&self, view: &View) -> u32 {
        if !view.header.has_flags() {
            return 0;
        }
        self.data.word(view.key() - 4 - 4 * u64::from(view.header.has_extension())).load(Ordering::Relaxed)
    }

    /// Flags, origin, encoding, codec and marks of an item.
    #[inline]
    pub fn meta_of(&self, view: &View) -> Meta {
        let marks =
            if view.header.has_extension() { self.data.word(view.key() - 4).load(Ordering::Relaxed) as u8 } else { 0 };
        view.header.meta(self.flags_of(view), marks & (STALE | WON))
    }

    /// The explicit cas of an item that has one.
    pub fn explicit_cas(&self, view: &View) -> Option<u64> {
        view.header.has_cas().then(|| self.data.long(view.at + HEADER).load(Ordering::Relaxed))
    }

    pub fn number_of(&self, view: &View) -> u64 {
        self.data.long(view.payload()).load(Ordering::Acquire)
    }

    /// How a large value is divided, unless its numbers contradict each other or what an arena can hold.
    pub fn division_of(&self, view: &View) -> Option<Division> {
        let total = self.data.long(view.payload()).load(Ordering::Relaxed);
        Division::new(total, view.pieces(), view.header.value_len(), self.map.geometry.segment_size())
            .filter(|_| total <= self.map.geometry.memory / 8)
    }

    /// A piece of a large value; `index` is below `View::pieces`.
    pub fn extent_of(&self, view: &View, index: usize) -> Extent {
        let at = view.payload() + 16 + 8 * index as u64;
        Extent {
            segment: self.data.word(at).load(Ordering::Relaxed),
            generation: self.data.word(at + 4).load(Ordering::Relaxed),
        }
    }

    /// Writes an item into room that nobody else sees yet, as its plan says.
    #[inline(always)]
    pub fn write_item(&self, at: u64, item: &NewItem<'_>, plan: &Plan, cas: Option<u64>) {
        let (data, meta) = (&self.data, item.meta);
        let names = item.key.len() as u32
            | u32::from(meta.origin & 15) << 16
            | u32::from(meta.encoding & 15) << 20
            | u32::from(meta.codec & 15) << 24;
        // The padding is part of the item's bytes; zero, so that no earlier value shows through.
        data.long(at + plan.size - 8).store(0, Ordering::Relaxed);
        data.set_words(at, [plan.shape, names, item.mtime, item.deadline]);
        let (payload, key, value) = (at + plan.payload, at + plan.key, at + plan.value);
        let mut before_key = key;
        if meta.marks != 0 {
            before_key -= 4;
            data.word(before_key).store(u32::from(meta.marks), Ordering::Relaxed);
        }
        if meta.flags != 0 {
            data.word(before_key - 4).store(meta.flags, Ordering::Relaxed);
        }
        data.copy_in(key, item.key);
        if plan.shape & HAS_CAS != 0 {
            data.long(at + HEADER).store(cas.unwrap_or(0), Ordering::Relaxed);
        }
        match item.body {
            Body::Bytes(bytes) => data.copy_in(value, bytes),
            Body::Number { value, .. } => {
                data.long(payload).store(value, Ordering::Relaxed);
                data.long(payload + 8).store(cas.unwrap_or(0), Ordering::Relaxed);
            }
            Body::Large { total, extents, tail } => {
                data.long(payload).store(total, Ordering::Relaxed);
                data.word(payload + 8).store(extents.len() as u32, Ordering::Relaxed);
                data.word(payload + 12).store(0, Ordering::Relaxed);
                for (index, extent) in extents.iter().enumerate() {
                    data.word(payload + 16 + 8 * index as u64).store(extent.segment, Ordering::Relaxed);
                    data.word(payload + 20 + 8 * index as u64).store(extent.generation, Ordering::Relaxed);
                }
                data.copy_in(value, tail);
            }
            Body::Joined { before, old, after } => {
                data.copy_in(value, before);
                data.copy_within(old.0, value + before.len() as u64, old.1);
                data.copy_in(value + before.len() as u64 + old.1, after);
            }
        }
    }

    /// The size of a copy of `view` that keeps its cas.
    pub fn copy_size(view: &View, cas: Option<u64>) -> u64 {
        if cas.is_some() && !view.header.has_cas() {
            view.size() + 8
        } else {
            view.size()
        }
    }

    /// The size of a copy of `view` with these marks; its cas becomes or stays explicit.
    pub fn marked_size(view: &View, marks: u8) -> u64 {
        let cas = 8 * u64::from(view.kind != Kind::Number);
        let flags = 4 * u64::from(view.header.has_flags());
        let payload = view.payload_len();
        (HEADER + cas + payload + flags + 4 * u64::from(marks != 0) + view.rest_len()).next_multiple_of(8)
    }

    /// Copies an item into room that nobody else sees yet, with other marks, deadline and cas.
    pub fn copy_marked(&self, view: &View, to: u64, deadline: u32, cas: u64, marks: u8) {
        let size = Core::marked_size(view, marks);
        self.data.long(to + size - 8).store(0, Ordering::Relaxed);
        let explicit = view.kind != Kind::Number;
        let shape = view.header.shape & !(WANTED | HAS_CAS | HAS_EXTENSION)
            | if explicit { HAS_CAS } else { 0 }
            | if marks != 0 { HAS_EXTENSION } else { 0 };
        self.data.set_words(to, [shape, view.header.names, view.header.mtime, deadline]);
        let mut off = to + HEADER;
        if explicit {
            self.data.long(off).store(cas, Ordering::Relaxed);
            off += 8;
        }
        self.data.copy_within(view.payload(), off, view.payload_len());
        if !explicit {
            self.data.long(off + 8).store(cas, Ordering::Relaxed);
        }
        off += view.payload_len();
        if view.header.has_flags() {
            self.data.word(off).store(self.flags_of(view), Ordering::Relaxed);
            off += 4;
        }
        if marks != 0 {
            self.data.word(off).store(u32::from(marks), Ordering::Relaxed);
            off += 4;
        }
        self.data.copy_within(view.key(), off, view.rest_len());
    }

    /// Copies an item into room that nobody else sees yet, with another deadline and an explicit cas if one is given.
    pub fn copy_item(&self, view: &View, to: u64, deadline: u32, cas: Option<u64>) {
        let has_cas = view.header.has_cas() || cas.is_some();
        let shape = view.header.shape & !WANTED | if has_cas { HAS_CAS } else { 0 };
        self.data.set_words(to, [shape, view.header.names, view.header.mtime, deadline]);
        if let Some(cas) = cas.or_else(|| self.explicit_cas(view)) {
            self.data.long(to + HEADER).store(cas, Ordering::Relaxed);
        }
        let from = view.at + HEADER + 8 * u64::from(view.header.has_cas());
        self.data.copy_within(from, to + HEADER + 8 * u64::from(has_cas), view.at + view.size() - from);
    }
}

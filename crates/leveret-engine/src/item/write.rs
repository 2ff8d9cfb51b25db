//! Writes items into memory that no other process sees yet: new items, and copies of existing ones.
use super::layout::{self, Kind, Layout, Shape, EXTENT, HEADER, NUMBER_CAS};
use super::{Items, View};
use crate::meta::{Marks, Meta};
use crate::segment::Extent;
use crate::sync::Ordering;
use crate::time::Deadline;

/// Parts of a new item.
#[derive(Clone, Copy)]
pub(crate) struct NewItem<'a> {
    pub key: &'a [u8],
    pub meta: Meta,
    pub mtime: u32,
    pub deadline: Deadline,
    /// The cas that it must have. Otherwise it has one if that was asked for.
    pub cas: Option<u64>,
    pub body: Body<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    Bytes(&'a [u8]),
    Typed(&'a [u8]),
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

/// The shape of a new item, and where its parts will lie.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    shape: Shape,
    layout: Layout,
    extension: u32,
}

impl Plan {
    /// All bytes, with the padding.
    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.layout.size
    }
}

impl Items {
    /// A number has room for its cas in any case.
    #[inline(always)]
    pub fn plan(&self, item: &NewItem<'_>, has_cas: bool) -> Plan {
        // With a constant kind in each arm.
        let parts = |kind, value_len, extents| {
            (kind, value_len, layout::payload_len(kind, extents), layout::stored_len(kind, value_len))
        };
        let (kind, value_len, payload, stored) = match &item.body {
            Body::Bytes(bytes) => parts(Kind::Bytes, bytes.len() as u64, 0),
            Body::Typed(bytes) => parts(Kind::Typed, bytes.len() as u64, 0),
            Body::Number { width, .. } => parts(Kind::Number, u64::from(*width), 0),
            Body::Large { extents, tail, .. } => parts(Kind::Large, tail.len() as u64, extents.len() as u64),
            Body::Joined { before, old, after } => {
                parts(Kind::Bytes, before.len() as u64 + old.1 + after.len() as u64, 0)
            }
        };
        let extension = u32::from(item.meta.marks.0) | self.kept_fraction(item.deadline);
        let shape = Shape::new(kind, value_len)
            .with_cas(has_cas && kind != Kind::Number)
            .with_flags(item.meta.flags != 0)
            .with_extension(extension != 0);
        Plan { shape, layout: Layout::new(shape, payload, item.key.len() as u64, stored), extension }
    }
}

/// Differences between an item and its copy.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub deadline: Deadline,
    /// A cas that the copy has explicitly.
    pub cas: Option<u64>,
    pub marks: Option<Marks>,
}

impl Items {
    /// The shape and the extension of a changed copy.
    fn changed(&self, view: &View, change: &Change) -> (Shape, u32) {
        let old = self.extension_of(view);
        let marks = change.marks.map_or(old & layout::MARKS, |marks| u32::from(marks.0));
        let extension = old & !(layout::MARKS | layout::FRACTION) | marks | self.kept_fraction(change.deadline);
        let shape = view.header.shape;
        let has_cas = shape.has_cas() || change.cas.is_some() && view.kind != Kind::Number;
        (shape.unwanted().with_cas(has_cas).with_extension(extension != 0), extension)
    }

    /// Bytes of a changed copy.
    pub fn size_of_copy(&self, view: &View, change: &Change) -> u64 {
        view.layout_as(self.changed(view, change).0).size
    }

    /// Writes a new item as its plan says.
    #[inline(always)]
    pub fn write(&self, at: u64, item: &NewItem<'_>, plan: &Plan, cas: Option<u64>) {
        let (data, meta, shape) = (&self.data, item.meta, plan.shape);
        let names = item.key.len() as u32
            | u32::from(meta.origin.0 & 15) << 16
            | u32::from(meta.encoding.0 & 15) << 20
            | u32::from(meta.codec.0 & 15) << 24;
        // The padding is part of the item's bytes; zero, so that no earlier value shows through.
        data.long(at + plan.layout.size - 8).store(0, Ordering::Relaxed);
        data.set_words(at, [shape.0, names, item.mtime, item.deadline.second]);
        let (payload, key, value) = (at + shape.payload(), at + plan.layout.key, at + plan.layout.value);
        if shape.has_extension() {
            data.word(layout::extension_before(key)).store(plan.extension, Ordering::Relaxed);
        }
        if shape.has_flags() {
            data.word(layout::flags_before(shape, key)).store(meta.flags, Ordering::Relaxed);
        }
        data.copy_in(key, item.key);
        if shape.has_cas() {
            data.long(at + HEADER).store(cas.unwrap_or(0), Ordering::Relaxed);
        }
        match item.body {
            Body::Bytes(bytes) | Body::Typed(bytes) => data.copy_in(value, bytes),
            Body::Number { value, .. } => {
                data.long(payload).store(value, Ordering::Relaxed);
                data.long(payload + NUMBER_CAS).store(cas.unwrap_or(0), Ordering::Relaxed);
            }
            Body::Large { total, extents, tail } => {
                data.long(payload).store(total, Ordering::Relaxed);
                data.word(payload + 8).store(extents.len() as u32, Ordering::Relaxed);
                data.word(payload + 12).store(0, Ordering::Relaxed);
                for (index, extent) in extents.iter().enumerate() {
                    let at = payload + layout::payload_len(Kind::Large, index as u64);
                    data.word(at).store(extent.segment, Ordering::Relaxed);
                    data.word(at + EXTENT / 2).store(extent.generation, Ordering::Relaxed);
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

    /// Copies an item, changed.
    pub fn write_copy(&self, view: &View, to: u64, change: &Change) {
        let (data, old, (new, extension)) = (&self.data, view.header.shape, self.changed(view, change));
        let layout = view.layout_as(new);
        data.long(to + layout.size - 8).store(0, Ordering::Relaxed);
        data.set_words(to, [new.0, view.header.names, view.header.mtime, change.deadline.second]);
        if new.has_cas() {
            let cas = change.cas.or_else(|| self.explicit_cas(view)).unwrap_or(0);
            data.long(to + HEADER).store(cas, Ordering::Relaxed);
        }
        // Payload and flags, then key and value: one run of bytes, unless an extension comes or goes between them.
        let (payload, key) = (to + new.payload(), to + layout.key);
        if old.has_extension() == new.has_extension() {
            data.copy_within(view.payload(), payload, view.at + view.size() - view.payload());
        } else {
            let before_key = view.payload_len() + 4 * u64::from(old.has_flags());
            data.copy_within(view.payload(), payload, before_key);
            let rest = u64::from(view.size) - u64::from(view.key_off);
            data.copy_within(view.key(), key, rest.min(to + layout.size - key));
        }
        if new.has_extension() {
            data.word(layout::extension_before(key)).store(extension, Ordering::Relaxed);
        }
        if let Some(cas) = change.cas.filter(|_| view.kind == Kind::Number) {
            data.long(payload + NUMBER_CAS).store(cas, Ordering::Relaxed);
        }
    }
}

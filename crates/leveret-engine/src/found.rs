//! Result of a look-up: a version, the item's attributes before its bytes are copied, and the whole item copied out.
use crate::item::layout::{payload_len, stored_len, Layout, Shape};
use crate::item::Kind;
use crate::meta::{Encoding, Meta};
use crate::time::{Deadline, Time};

/// Proof of one version of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Version {
    /// Hash of the key.
    pub(crate) hash: u64,
    /// The slot word.
    pub(crate) slot: u64,
    /// State word of the segment.
    pub(crate) segment: u64,
    /// Its deadline when it was found.
    pub(crate) deadline: Deadline,
    /// Flush epoch.
    pub(crate) epoch: u32,
}

impl Version {
    /// Identity of the version; the deadline is not part of it.
    #[inline(always)]
    pub(crate) fn name(&mut self, hash: u64, slot: u64, segment: u64, epoch: u32) {
        (self.hash, self.slot, self.segment, self.epoch) = (hash, slot, segment, epoch);
    }
}

/// Attributes known before an item's bytes are copied.
// Bytes in place of booleans and of `Kind`: a caller across the C ABI may hand back any bit pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Found {
    /// Which version this is.
    pub version: Version,
    /// Bytes that `copy` writes; for a number the length of its decimal text.
    pub value_len: u64,
    /// The value, when `is_number`.
    pub(crate) number: i64,
    /// The cas token; 0 unless asked for.
    pub cas: u64,
    /// Flags, origin, encoding, codec.
    pub meta: Meta,
    /// When it was stored, on the arena's clock.
    pub mtime: Time,
    /// From when on it is dead, on the arena's clock.
    pub deadline: Deadline,
    /// Where the value begins in the item. Private.
    pub(crate) value_off: u32,
    /// 1 when the value is `number`.
    pub(crate) is_number: u8,
    /// Reads since it was stored: exact up to 15, an estimate above.
    pub hits: u8,
    /// 1 when it was read since it was stored; after a miss a `Missed`.
    pub(crate) fetched: u8,
    /// How the value lies in the item. Private.
    pub(crate) kind: u8,
}

/// Why a look-up found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Missed {
    /// There was no item under the key, or none any more.
    Absent = 0,
    /// An item was there, past its deadline.
    Expired = 1,
    /// An item was there, stored before the last flush.
    Flushed = 2,
}

/// One item, copied out whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// The key.
    pub key: Vec<u8>,
    /// The value; a number as its decimal text.
    pub value: Vec<u8>,
    /// The value as a number, if it is stored as one.
    pub number: Option<i64>,
    /// Flags, origin, encoding, codec.
    pub meta: Meta,
    /// The cas token; 0 unless asked for.
    pub cas: u64,
    /// When it was stored.
    pub mtime: Time,
    /// From when on it is dead.
    pub deadline: Deadline,
    /// Reads since it was stored: exact up to 15, an estimate above.
    pub hits: u8,
    /// Whether it was read since it was stored.
    pub fetched: bool,
}

/// Digits of a number's decimal text.
pub(crate) fn decimal_len(number: u64) -> u32 {
    number.checked_ilog10().map_or(1, |log| log + 1)
}

impl Found {
    /// The value as a number, if it is stored as one.
    pub fn number(&self) -> Option<i64> {
        (self.is_number != 0).then_some(self.number)
    }

    /// Whether it is a typed item (`Arena::store_typed`).
    pub fn is_typed(&self) -> bool {
        self.kind == Kind::Typed as u8
    }

    /// Why the look-up found nothing. A dead item is reported only until a write meets it.
    pub fn missed(&self) -> Missed {
        match self.fetched {
            1 => Missed::Expired,
            2 => Missed::Flushed,
            _ => Missed::Absent,
        }
    }

    /// Whether it was read since it was stored.
    pub fn is_fetched(&self) -> bool {
        self.fetched != 0
    }

    /// The same with the reads that `other` saw: looking at an item again counts for neither.
    pub fn with_reads_of(self, other: &Found) -> Found {
        Found { hits: other.hits, fetched: other.fetched, ..self }
    }

    /// Bytes that the item takes up in the arena: header, optional words, its key of `key_len` bytes, its value,
    /// padding. An explicit cas and the extents of a large value are left out.
    pub fn size(&self, key_len: usize) -> u64 {
        let kind = if self.is_number != 0 { Kind::Number } else { Kind::Bytes };
        let has_extension = !self.meta.marks.is_empty() || self.deadline.fraction != 0;
        let shape = Shape::new(kind, 0).with_flags(self.meta.flags != 0).with_extension(has_extension);
        Layout::new(shape, payload_len(kind, 0), key_len as u64, stored_len(kind, self.value_len)).size
    }

    /// An item stored as an integer is signed, all others are unsigned.
    fn is_signed(&self) -> bool {
        self.meta.encoding == Encoding::INTEGER
    }

    /// Characters of the number's decimal text.
    pub(crate) fn digit_count(&self) -> u32 {
        let minus = u32::from(self.is_signed() && self.number < 0);
        let magnitude = if self.is_signed() { self.number.unsigned_abs() } else { self.number as u64 };
        minus + decimal_len(magnitude)
    }

    /// A number's decimal text, padded to its width.
    pub(crate) fn number_text(&self) -> String {
        let digits = if self.is_signed() { self.number.to_string() } else { (self.number as u64).to_string() };
        format!("{digits:<width$}", width = self.value_len as usize)
    }

    /// The item, with the value that was copied of it.
    pub fn into_item(self, key: &[u8], value: Vec<u8>) -> Item {
        Item {
            key: key.to_vec(),
            value,
            number: self.number(),
            meta: self.meta,
            cas: self.cas,
            mtime: self.mtime,
            deadline: self.deadline,
            hits: self.hits,
            fetched: self.is_fetched(),
        }
    }
}

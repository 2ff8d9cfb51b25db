//! Terms of a store: the value, its conditions, and the result.

/// The value to store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Bytes, as they are.
    Bytes(&'a [u8]),
    /// A signed integer that can count in place.
    Integer(i64),
}

/// When a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Always.
    Set,
    /// When there is no item.
    Add,
    /// When there is one.
    Replace,
    /// Behind the value that is there; flags and deadline stay.
    Append,
    /// Before it.
    Prepend,
    /// When the item has this cas token.
    Cas(u64),
}

/// How a store ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The value is there. `cas` is its token if that was asked for, else 0.
    Stored {
        /// The token.
        cas: u64,
    },
    /// Add: there is an item. Cas: another version is there.
    Exists,
    /// Replace, append, prepend, cas: there is no item.
    Missing,
}

/// All that a store may ask for: `Terms::new(Mode::Set).want_cas(true)`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// When it stores.
    pub mode: Mode,
    /// Only over the version with this cas: `Missing` when there is none, `Exists` when it is another one. `Mode::Cas`
    /// compares with its own unless one is given here.
    pub compare: Option<u64>,
    /// A `compare` below the item's cas stores all the same, and the new item is marked stale; it keeps the old item's
    /// deadline and its mark of the winner.
    pub older_is_stale: bool,
    /// The cas of the new version, in place of one that the arena draws; 0 is none.
    pub cas: Option<u64>,
    /// Whether `Stored` tells the cas.
    pub want_cas: bool,
    /// The longest value that append and prepend may make, below what the arena takes anyway.
    pub value_max: usize,
    /// The new item gets the deadline of the one that it replaces. Where there is none, that of the store.
    pub keep_deadline: bool,
}

impl From<Mode> for Terms {
    fn from(mode: Mode) -> Terms {
        Terms::new(mode)
    }
}

impl Terms {
    /// Terms with a mode only.
    pub const fn new(mode: Mode) -> Terms {
        Terms {
            mode,
            compare: None,
            older_is_stale: false,
            cas: None,
            want_cas: false,
            value_max: usize::MAX,
            keep_deadline: false,
        }
    }

    /// With another `mode`.
    pub const fn mode(self, mode: Mode) -> Terms {
        Terms { mode, ..self }
    }

    /// With another `compare`.
    pub const fn compare(self, compare: Option<u64>) -> Terms {
        Terms { compare, ..self }
    }

    /// With another `older_is_stale`.
    pub const fn older_is_stale(self, older_is_stale: bool) -> Terms {
        Terms { older_is_stale, ..self }
    }

    /// With another `cas`.
    pub const fn cas(self, cas: Option<u64>) -> Terms {
        Terms { cas, ..self }
    }

    /// With another `want_cas`.
    pub const fn want_cas(self, want_cas: bool) -> Terms {
        Terms { want_cas, ..self }
    }

    /// With another `value_max`.
    pub const fn value_max(self, value_max: usize) -> Terms {
        Terms { value_max, ..self }
    }

    /// With another `keep_deadline`.
    pub const fn keep_deadline(self, keep_deadline: bool) -> Terms {
        Terms { keep_deadline, ..self }
    }

    /// The cas that the item must have.
    pub(crate) fn token(&self) -> Option<u64> {
        let of_mode = if let Mode::Cas(token) = self.mode { Some(token) } else { None };
        self.compare.or(of_mode)
    }
}

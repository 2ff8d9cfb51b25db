//! Which living items may make way for others.

/// What a full arena evicts. Stored in the arena: every process that needs room follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvictionPolicy {
    /// The items of least worth.
    All,
    /// Only items that have a deadline.
    Volatile,
    /// Nothing that lives: stores are refused (`Error::NoMemory`).
    None,
}

impl EvictionPolicy {
    /// The policy that a word of the control page names. 0: the arena was made without one, and each process goes by its own
    /// option. A policy that this program does not know drops nothing.
    pub(crate) fn of_word(word: u32) -> EvictionPolicy {
        match word {
            0 | 1 => EvictionPolicy::All,
            2 => EvictionPolicy::Volatile,
            _ => EvictionPolicy::None,
        }
    }

    pub(crate) fn word(self) -> u32 {
        match self {
            EvictionPolicy::All => 1,
            EvictionPolicy::Volatile => 2,
            EvictionPolicy::None => 3,
        }
    }
}

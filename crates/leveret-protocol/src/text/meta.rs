//! Meta commands: two letters, a key, flags. Each flag is one letter, with an argument behind it or none.
use crate::{Verb, WireKey};

/// `mg`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaGet<'a> {
    /// The key.
    pub key: WireKey<'a>,
    /// `v`: the answer has the value.
    pub value: bool,
    /// `q`: a miss is not answered.
    pub quiet: bool,
    /// `u`: reading leaves no trace in the item.
    pub no_bump: bool,
    /// `C`: the value is not sent if the item is still this version.
    pub unless_cas: Option<u64>,
    /// `E`: the cas number of an item that this command makes or changes.
    pub cas: Option<u64>,
    /// `N`: on a miss an empty item with this exptime is made, and its maker has won.
    pub vivify: Option<i64>,
    /// `R`: who reads it with fewer seconds left has won.
    pub recache: Option<i64>,
    /// `T`: the new exptime.
    pub touch: Option<i64>,
    /// What the answer tells.
    pub returns: Returns<'a>,
}

/// `ms`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaStore<'a> {
    /// The key.
    pub key: WireKey<'a>,
    /// `M`.
    pub verb: Verb,
    /// `C`: only this version.
    pub compare: Option<u64>,
    /// `I`: a `C` older than the item stores all the same, and the item is stale.
    pub older_is_stale: bool,
    /// `E`: the cas number of the new version.
    pub cas: Option<u64>,
    /// `F`: the client's flags.
    pub flags: u32,
    /// `T`: when it dies.
    pub exptime: i64,
    /// `N`: append and prepend make a missing item, with this exptime.
    pub vivify: Option<i64>,
    /// The data block, whole.
    pub value: &'a [u8],
    /// `q`: success is not answered.
    pub quiet: bool,
    /// What the answer tells.
    pub returns: Returns<'a>,
}

/// `md`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaDelete<'a> {
    /// The key.
    pub key: WireKey<'a>,
    /// `C`: only this version.
    pub compare: Option<u64>,
    /// `I`: the item stays, marked stale, with a new cas number.
    pub stale: bool,
    /// `E`: that cas number.
    pub cas: Option<u64>,
    /// `T`: the new exptime; means something with `I` only.
    pub touch: Option<i64>,
    /// `x`: the item stays, but its value and client flags go.
    pub drop_value: bool,
    /// `q`: success and absence are not answered.
    pub quiet: bool,
    /// What the answer tells.
    pub returns: Returns<'a>,
}

/// `ma`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaCount<'a> {
    /// The key.
    pub key: WireKey<'a>,
    /// `M`.
    pub is_decrement: bool,
    /// `D`, else 1.
    pub delta: u64,
    /// `N`: a missing number is made, with this exptime.
    pub vivify: Option<i64>,
    /// `J`, else 0: what it is made with.
    pub initial: u64,
    /// `T`: the new exptime.
    pub touch: Option<i64>,
    /// `C`: only this version.
    pub compare: Option<u64>,
    /// `E`: the cas number of the new version.
    pub cas: Option<u64>,
    /// `v`: the answer has the number.
    pub value: bool,
    /// `q`: success and absence are not answered.
    pub quiet: bool,
    /// What the answer tells.
    pub returns: Returns<'a>,
}

/// One thing that a meta answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Return<'a> {
    /// `b`: the key is base64.
    Base64,
    /// `c`: the cas number.
    Cas,
    /// `f`: the client's flags.
    Flags,
    /// `h`: 1 if it was read before.
    Hit,
    /// `k`: the key.
    Key,
    /// `l`: seconds since it was last read.
    LastAccess,
    /// `O`: the client's own token, whole, without the letter.
    Opaque(&'a [u8]),
    /// `s`: length of the value.
    Size,
    /// `t`: seconds left, -1 for ever.
    Ttl,
}

/// What an answer tells, in the order of the request. Flags that only change what is done are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returns<'a>(pub(crate) super::Words<'a>);

impl<'a> Iterator for Returns<'a> {
    type Item = Return<'a>;

    fn next(&mut self) -> Option<Return<'a>> {
        loop {
            let flag = self.0.next()?;
            return Some(match flag[0] {
                b'b' => Return::Base64,
                b'c' => Return::Cas,
                b'f' => Return::Flags,
                b'h' => Return::Hit,
                b'k' => Return::Key,
                b'l' => Return::LastAccess,
                b'O' => Return::Opaque(&flag[1..]),
                b's' => Return::Size,
                b't' => Return::Ttl,
                _ => continue,
            });
        }
    }
}

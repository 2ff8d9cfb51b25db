//! Meta commands: two letters, a key, flags. Each flag is one letter, with an argument behind it or none.
use super::line::{block_len, ParsedText, RequestLine, BAD_FORMAT};
use super::{TextCommand, Words};
use crate::{number, StoreMode, WireKey, KEY_MAX};

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
    /// `R`: a reader who finds fewer seconds left wins.
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
    pub verb: StoreMode,
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
    /// `J`, else 0: initial value.
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
    /// `c`: the cas number.
    Cas,
    /// `f`: the client's flags.
    Flags,
    /// `h`: 1 if it was read before.
    Hit,
    /// `k`: the key, and a `b` behind it if it is written in base64.
    Key,
    /// `l`: seconds since it was last read.
    LastAccess,
    /// `O`: the client's own token, whole, without the letter.
    Opaque(&'a [u8]),
    /// `s`: length of the value.
    Size,
    /// `t`: seconds left, -1 for no expiry.
    Ttl,
}

/// Facts to return, in the order of the request. Flags that only change the operation are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returns<'a>(pub(crate) super::Words<'a>);

impl<'a> Iterator for Returns<'a> {
    type Item = Return<'a>;

    fn next(&mut self) -> Option<Return<'a>> {
        loop {
            let flag = self.0.next()?;
            return Some(match flag[0] {
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

impl<'a> Returns<'a> {
    /// The letters of all flags, in the order of the request: those that tell a deadline and those that change it are
    /// done one after the other.
    pub fn letters(self) -> impl Iterator<Item = u8> + use<'a> {
        self.0.map(|flag| flag[0])
    }
}

const BAD_TOKEN: &str = "CLIENT_ERROR bad token in command line format";
const BAD_KEY: &str = "CLIENT_ERROR error decoding key";
const BAD_DELTA: &str = "CLIENT_ERROR invalid numeric delta value";
const BAD_INITIAL: &str = "CLIENT_ERROR invalid numeric initial value";
const BAD_FLAG: &str = "CLIENT_ERROR invalid flag";
const TWICE: &str = "CLIENT_ERROR duplicate flag";
const BAD_FLAG_OR_TWICE: &str = "CLIENT_ERROR invalid or duplicate flag";
const LONG_OPAQUE: &str = "CLIENT_ERROR opaque token too long";
const BAD_STORE_MODE: &str = "CLIENT_ERROR invalid mode for ms M token";
const BAD_COUNT_MODE: &str = "CLIENT_ERROR invalid mode for ma M token";

/// Longest opaque flag, its letter included.
const OPAQUE_MAX: usize = 32;

/// The flags of a line, checked. All commands accept the letters of all; each ignores those that do not apply.
#[derive(Default)]
struct Flags {
    /// Bit n: the letter `A` + n is there.
    seen: u64,
    mode: u8,
    client_flags: u32,
    touch: i64,
    vivify: i64,
    recache: i64,
    compare: u64,
    cas: u64,
    delta: u64,
    initial: u64,
    /// The error in a flag's argument.
    wrong: Option<&'static str>,
}

impl Flags {
    /// The flags and the key, or the first error: letters first, then the key, then arguments, as in memcached.
    fn read<'a>(key: &'a [u8], words: Words<'a>) -> Result<(WireKey<'a>, Flags), &'static str> {
        let mut flags = Flags::default();
        are_flags(words)?;
        for word in words {
            let (letter, argument) = (word[0], &word[1..]);
            if !letter.is_ascii_alphabetic() {
                return Err(BAD_FLAG);
            }
            if flags.has(letter) {
                return Err(TWICE);
            }
            flags.seen |= bit(letter);
            flags.read_argument(letter, argument)?;
        }
        let key = flags.key(key)?;
        match flags.wrong {
            None => Ok((key, flags)),
            Some(answer) => Err(answer),
        }
    }

    fn read_argument(&mut self, letter: u8, argument: &[u8]) -> Result<(), &'static str> {
        match letter {
            b'b' | b'c' | b'f' | b'h' | b'k' | b'l' | b'q' | b's' | b't' | b'u' | b'v' | b'x' | b'I' => {}
            // Paths for proxies; a server has no use for them.
            b'L' | b'P' => {}
            b'C' => self.compare = self.good(number::unsigned(argument), BAD_TOKEN),
            b'D' => self.delta = self.good(number::unsigned(argument), BAD_DELTA),
            b'E' => self.cas = self.good(number::unsigned(argument), BAD_TOKEN),
            b'J' => self.initial = self.good(number::unsigned(argument), BAD_INITIAL),
            b'N' => self.vivify = self.good(number::exptime(argument), BAD_TOKEN),
            b'R' => self.recache = self.good(number::exptime(argument), BAD_TOKEN),
            b'T' => self.touch = self.good(number::exptime(argument), BAD_TOKEN),
            // Only the first character counts; without one there is no mode, which only stores and counts mind.
            b'M' => self.mode = argument.first().copied().unwrap_or_default(),
            b'F' => match number::unsigned_32(argument) {
                Some(flags) => self.client_flags = flags,
                None => self.wrong = self.wrong.or(Some(BAD_FORMAT)),
            },
            b'O' if argument.len() >= OPAQUE_MAX => self.wrong = self.wrong.or(Some(LONG_OPAQUE)),
            b'O' => {}
            _ => return Err(BAD_FLAG),
        }
        Ok(())
    }

    fn good<N: Default>(&mut self, number: Option<N>, answer: &'static str) -> N {
        if number.is_none() {
            self.wrong = Some(answer);
        }
        number.unwrap_or_default()
    }

    fn has(&self, letter: u8) -> bool {
        self.seen & bit(letter) != 0
    }

    fn key<'a>(&self, word: &'a [u8]) -> Result<WireKey<'a>, &'static str> {
        if self.has(b'b') {
            WireKey::base64(word).ok_or(BAD_KEY)
        } else {
            Ok(WireKey::plain(word))
        }
    }

    fn compare(&self) -> Option<u64> {
        self.has(b'C').then_some(self.compare)
    }

    fn cas(&self) -> Option<u64> {
        self.has(b'E').then_some(self.cas)
    }

    fn touch(&self) -> Option<i64> {
        self.has(b'T').then_some(self.touch)
    }

    fn vivify(&self) -> Option<i64> {
        self.has(b'N').then_some(self.vivify)
    }
}

/// Whether each word begins with a digit or a character from `A` to `z`: memcached checks this first.
fn are_flags(mut words: Words<'_>) -> Result<(), &'static str> {
    let is_flag = |word: &[u8]| word[0].is_ascii_digit() || (b'A'..=b'z').contains(&word[0]);
    if words.all(is_flag) {
        Ok(())
    } else {
        Err(BAD_FORMAT)
    }
}

/// Letters lie between `A` and `z`, 58 places.
fn bit(letter: u8) -> u64 {
    1 << (letter - b'A')
}

pub(super) fn get<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let Some(word) = words.next().filter(|word| word.len() <= KEY_MAX) else {
        return line.refuse(BAD_FORMAT);
    };
    let (key, flags) = match Flags::read(word, words) {
        Ok(found) => found,
        Err(answer) => return line.refuse(answer),
    };
    line.request(TextCommand::MetaGet(MetaGet {
        key,
        value: flags.has(b'v'),
        quiet: flags.has(b'q'),
        no_bump: flags.has(b'u'),
        unless_cas: flags.compare(),
        cas: flags.cas(),
        vivify: flags.vivify(),
        recache: flags.has(b'R').then_some(flags.recache),
        touch: flags.touch(),
        returns: Returns(words),
    }))
}

pub(super) fn store<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let (Some(word), Some(len)) = (words.next(), words.next()) else {
        return line.refuse(BAD_FORMAT);
    };
    let len = block_len(len);
    let (Some(len), true) = (len, word.len() <= KEY_MAX) else {
        return line.refuse_store(BAD_FORMAT, false, len);
    };
    let read = Flags::read(word, words).and_then(|(key, flags)| Ok((key, store_verb(&flags)?, flags)));
    let (key, verb, flags) = match read {
        Ok(found) => found,
        Err(answer) => return line.refuse_store(answer, false, Some(len)),
    };
    let forget = (verb == StoreMode::Set && flags.compare().is_none()).then_some(key);
    line.store(len, false, forget, |value| {
        TextCommand::MetaStore(MetaStore {
            key,
            verb,
            compare: flags.compare(),
            older_is_stale: flags.has(b'I'),
            cas: flags.cas(),
            flags: flags.client_flags,
            exptime: flags.touch,
            vivify: flags.vivify(),
            value,
            quiet: flags.has(b'q'),
            returns: Returns(words),
        })
    })
}

fn store_verb(flags: &Flags) -> Result<StoreMode, &'static str> {
    if !flags.has(b'M') {
        return Ok(StoreMode::Set);
    }
    match flags.mode {
        b'S' => Ok(StoreMode::Set),
        b'E' => Ok(StoreMode::Add),
        b'R' => Ok(StoreMode::Replace),
        b'A' => Ok(StoreMode::Append),
        b'P' => Ok(StoreMode::Prepend),
        _ => Err(BAD_STORE_MODE),
    }
}

pub(super) fn delete<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let Some(word) = words.next().filter(|word| word.len() <= KEY_MAX) else {
        return line.refuse(BAD_FORMAT);
    };
    let (key, flags) = match Flags::read(word, words) {
        Ok(found) => found,
        Err(answer) => return line.refuse(answer),
    };
    line.request(TextCommand::MetaDelete(MetaDelete {
        key,
        compare: flags.compare(),
        stale: flags.has(b'I'),
        cas: flags.cas(),
        touch: flags.touch(),
        drop_value: flags.has(b'x'),
        quiet: flags.has(b'q'),
        returns: Returns(words),
    }))
}

pub(super) fn count<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let Some(word) = words.next() else { return line.refuse(BAD_FORMAT) };
    if word.len() > KEY_MAX {
        return line.refuse(BAD_FLAG_OR_TWICE);
    }
    let (key, flags) = match Flags::read(word, words) {
        Ok(found) => found,
        Err(answer @ LONG_OPAQUE) => return line.refuse(answer),
        Err(_) if are_flags(words).is_err() => return line.refuse(BAD_FORMAT),
        Err(_) => return line.refuse(BAD_FLAG_OR_TWICE),
    };
    let is_decrement = match (flags.has(b'M'), flags.mode) {
        (false, _) | (true, b'I' | b'+') => false,
        (true, b'D' | b'-') => true,
        _ => return line.refuse(BAD_COUNT_MODE),
    };
    line.request(TextCommand::MetaCount(MetaCount {
        key,
        is_decrement,
        delta: if flags.has(b'D') { flags.delta } else { 1 },
        vivify: flags.vivify(),
        initial: flags.initial,
        touch: flags.touch(),
        compare: flags.compare(),
        cas: flags.cas(),
        value: flags.has(b'v'),
        quiet: flags.has(b'q'),
        returns: Returns(words),
    }))
}

pub(super) fn debug<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let Some(word) = words.next().filter(|word| word.len() <= KEY_MAX) else {
        return line.refuse(BAD_FORMAT);
    };
    if let Err(answer) = are_flags(words) {
        return line.refuse(answer);
    }
    let key = if words.next() == Some(b"b") { WireKey::base64(word) } else { Some(WireKey::plain(word)) };
    match key {
        Some(key) => line.request(TextCommand::MetaDebug { key }),
        None => line.refuse(BAD_FORMAT),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::{Limits, Parsed};

    fn request(input: &str) -> TextCommand<'_> {
        match parse(input.as_bytes(), &Limits { value_max: 1 << 20 }) {
            Parsed::Request { request, consumed } if consumed == input.len() => request,
            other => panic!("{input:?}: {other:?}"),
        }
    }

    #[test]
    fn flags_are_told_in_the_order_of_the_request() {
        let TextCommand::MetaGet(get) = request("mg foo s v c q Pa/b f h k l Oxyz t u E7 N30 R5 T-1 Lx\r\n") else {
            panic!()
        };
        let returns: Vec<_> = get.returns.collect();
        use Return::*;
        assert_eq!(returns, [Size, Cas, Flags, Hit, Key, LastAccess, Opaque(b"xyz"), Ttl]);
        assert!(get.value && get.quiet && get.no_bump);
        assert_eq!(
            (get.vivify, get.recache, get.touch, get.cas, get.unless_cas),
            (Some(30), Some(5), Some(-1), Some(7), None)
        );
    }

    #[test]
    fn keys_may_be_base64() {
        let TextCommand::MetaGet(get) = request("mg Zm9v v b k\r\n") else { panic!() };
        assert_eq!(get.key.decode(&mut [0; KEY_MAX]), b"foo");
        assert_eq!((get.key.as_written(), get.key.is_base64()), (b"Zm9v".as_slice(), true));
        for (input, key) in [("me Zm9v b\r\n", "foo"), ("me Zm9v x b\r\n", "Zm9v"), ("me Zm9v bx\r\n", "Zm9v")] {
            let TextCommand::MetaDebug { key: found } = request(input) else { panic!() };
            assert_eq!(found.decode(&mut [0; KEY_MAX]), key.as_bytes(), "{input:?}");
        }
    }

    #[test]
    fn stores_deletes_and_counts() {
        let TextCommand::MetaStore(store) = request("ms foo 2 ME C5 I E9 F32 T60 N0 q c\r\nhi\r\n") else { panic!() };
        assert_eq!((store.verb, store.compare, store.cas, store.flags), (StoreMode::Add, Some(5), Some(9), 32));
        assert_eq!((store.exptime, store.vivify, store.value), (60, Some(0), b"hi".as_slice()));
        assert!(store.older_is_stale && store.quiet);
        let TextCommand::MetaDelete(delete) = request("md foo I T30 C1 E2 x\r\n") else { panic!() };
        assert_eq!((delete.compare, delete.cas, delete.touch), (Some(1), Some(2), Some(30)));
        assert!(delete.stale && delete.drop_value && !delete.quiet);
        let TextCommand::MetaCount(count) = request("ma n M- D5 J7 N60 T1 v t\r\n") else { panic!() };
        assert_eq!(
            (count.is_decrement, count.delta, count.initial, count.vivify, count.touch),
            (true, 5, 7, Some(60), Some(1))
        );
        let TextCommand::MetaCount(count) = request("ma n\r\n") else { panic!() };
        assert_eq!(
            (count.is_decrement, count.delta, count.initial, count.vivify, count.value),
            (false, 1, 0, None, false)
        );
    }
}

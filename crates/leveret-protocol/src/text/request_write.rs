//! What a client writes. Keys come checked (`TextKey`), so that no key can end a line and start another command.
use super::answer_write::write_number;
use crate::{Verb, WireKey, KEY_MAX};

/// A key that may stand in a line as it is: 1 to 250 bytes, no space and no control character below it (DEL is one that
/// memcached takes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextKey<'a>(&'a [u8]);

impl<'a> TextKey<'a> {
    /// Checks it.
    pub fn new(key: &'a [u8]) -> Option<TextKey<'a>> {
        let is_valid = (1..=KEY_MAX).contains(&key.len()) && is_text(key);
        is_valid.then_some(TextKey(key))
    }

    /// A key that has been checked before.
    pub fn again(key: &'a [u8]) -> TextKey<'a> {
        debug_assert!(TextKey::new(key).is_some(), "it was checked");
        TextKey(key)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// Whether no byte is a space or a control character below it. Eight bytes at a time: a client asks this of every key.
fn is_text(key: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH_BITS: u64 = ONES << 7;
    let is_text = |eight: &[u8; 8]| {
        let word = u64::from_le_bytes(*eight);
        // A byte below 0x21 borrows into its high bit, which it has not set itself. What borrows further up has found
        // one already.
        word.wrapping_sub(ONES * 0x21) & !word & HIGH_BITS == 0
    };
    match key.last_chunk() {
        // The last eight overlap the ones before them where the length is no multiple of eight.
        Some(last) => is_text(last) && key.chunks_exact(8).all(|eight| eight.try_into().is_ok_and(is_text)),
        None => key.iter().all(|byte| *byte > b' '),
    }
}

/// The front of a `get` or `gets`; with an exptime of `gat` or `gats`. Keys follow by `add_key`, at least one, then
/// `end_keys`: a client that spreads keys over servers has several such lines open at a time.
pub fn begin_keys(out: &mut Vec<u8>, with_cas: bool, touch: Option<i64>) {
    match (touch, with_cas) {
        (None, false) => out.extend_from_slice(b"get"),
        (None, true) => out.extend_from_slice(b"gets"),
        (Some(_), false) => out.extend_from_slice(b"gat"),
        (Some(_), true) => out.extend_from_slice(b"gats"),
    }
    if let Some(exptime) = touch {
        write_signed_word(out, exptime);
    }
}

/// One more key of the line that `begin_keys` began.
pub fn add_key(out: &mut Vec<u8>, key: TextKey<'_>) {
    write_word(out, key.0);
}

/// The end of the line that `begin_keys` began.
pub fn end_keys(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\r\n");
}

/// A store, as a client asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store<'a> {
    /// How it treats what is there.
    pub verb: Verb,
    /// Only this version: `cas`, whatever the verb.
    pub compare: Option<u64>,
    /// The key.
    pub key: TextKey<'a>,
    /// The client's flags.
    pub flags: u32,
    /// When the item dies.
    pub exptime: i64,
    /// The value.
    pub value: &'a [u8],
    /// No answer is wanted.
    pub noreply: bool,
}

/// `set` and its kin.
pub fn write_store(out: &mut Vec<u8>, store: &Store<'_>) {
    out.extend_from_slice(match (store.compare, store.verb) {
        (Some(_), _) => b"cas".as_slice(),
        (None, Verb::Set) => b"set",
        (None, Verb::Add) => b"add",
        (None, Verb::Replace) => b"replace",
        (None, Verb::Append) => b"append",
        (None, Verb::Prepend) => b"prepend",
    });
    write_word(out, store.key.0);
    write_number_word(out, u64::from(store.flags));
    write_signed_word(out, store.exptime);
    write_number_word(out, store.value.len() as u64);
    if let Some(cas) = store.compare {
        write_number_word(out, cas);
    }
    end_line(out, store.noreply);
    out.extend_from_slice(store.value);
    out.extend_from_slice(b"\r\n");
}

/// `delete`
pub fn write_delete(out: &mut Vec<u8>, key: TextKey<'_>, noreply: bool) {
    out.extend_from_slice(b"delete");
    write_word(out, key.0);
    end_line(out, noreply);
}

/// `incr` and `decr`
pub fn write_count(out: &mut Vec<u8>, key: TextKey<'_>, delta: u64, is_decrement: bool, noreply: bool) {
    out.extend_from_slice(if is_decrement { b"decr" } else { b"incr" });
    write_word(out, key.0);
    write_number_word(out, delta);
    end_line(out, noreply);
}

/// `touch`
pub fn write_touch(out: &mut Vec<u8>, key: TextKey<'_>, exptime: i64, noreply: bool) {
    out.extend_from_slice(b"touch");
    write_word(out, key.0);
    write_signed_word(out, exptime);
    end_line(out, noreply);
}

/// `flush_all`
pub fn write_flush_all(out: &mut Vec<u8>, exptime: Option<i64>, noreply: bool) {
    out.extend_from_slice(b"flush_all");
    if let Some(exptime) = exptime {
        write_signed_word(out, exptime);
    }
    end_line(out, noreply);
}

/// `verbosity`
pub fn write_verbosity(out: &mut Vec<u8>, level: u32, noreply: bool) {
    out.extend_from_slice(b"verbosity");
    write_number_word(out, u64::from(level));
    end_line(out, noreply);
}

/// `stats`, with the words of a subject or none. A subject that could end the line is left out, and false is the
/// answer.
#[must_use]
pub fn write_stats(out: &mut Vec<u8>, subject: &[u8]) -> bool {
    if subject.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
        return false;
    }
    out.extend_from_slice(b"stats");
    if !subject.is_empty() {
        write_word(out, subject);
    }
    out.extend_from_slice(b"\r\n");
    true
}

/// A meta command that is being written: its line grows by flags until `end`.
#[derive(Debug)]
#[must_use = "without its end it is half a line"]
pub struct MetaRequest<'o>(&'o mut Vec<u8>);

impl<'o> MetaRequest<'o> {
    /// `mg`
    pub fn get(out: &'o mut Vec<u8>, key: &WireKey<'_>) -> MetaRequest<'o> {
        MetaRequest::begin(out, b"mg", key, None)
    }

    /// `ms`: `end_with` this many bytes.
    pub fn store(out: &'o mut Vec<u8>, key: &WireKey<'_>, len: usize) -> MetaRequest<'o> {
        MetaRequest::begin(out, b"ms", key, Some(len))
    }

    /// `md`
    pub fn delete(out: &'o mut Vec<u8>, key: &WireKey<'_>) -> MetaRequest<'o> {
        MetaRequest::begin(out, b"md", key, None)
    }

    /// `ma`
    pub fn count(out: &'o mut Vec<u8>, key: &WireKey<'_>) -> MetaRequest<'o> {
        MetaRequest::begin(out, b"ma", key, None)
    }

    fn begin(out: &'o mut Vec<u8>, name: &[u8; 2], key: &WireKey<'_>, len: Option<usize>) -> MetaRequest<'o> {
        out.extend_from_slice(name);
        write_word(out, key.as_written());
        if let Some(len) = len {
            write_number_word(out, len as u64);
        }
        let request = MetaRequest(out);
        if key.is_base64() {
            request.flag(b'b')
        } else {
            request
        }
    }

    /// A flag that is one letter.
    pub fn flag(self, letter: u8) -> MetaRequest<'o> {
        self.0.extend_from_slice(&[b' ', letter]);
        self
    }

    /// A flag with a number.
    pub fn number(self, letter: u8, number: u64) -> MetaRequest<'o> {
        let request = self.flag(letter);
        write_number(request.0, number);
        request
    }

    /// A flag with a number that may be negative.
    pub fn signed(self, letter: u8, number: i64) -> MetaRequest<'o> {
        let request = self.flag(letter);
        request.0.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        request
    }

    /// `M`, the mode of a store.
    pub fn verb(self, verb: Verb) -> MetaRequest<'o> {
        let mode = match verb {
            Verb::Set => b'S',
            Verb::Add => b'E',
            Verb::Replace => b'R',
            Verb::Append => b'A',
            Verb::Prepend => b'P',
        };
        let request = self.flag(b'M');
        request.0.push(mode);
        request
    }

    /// `MD`, the mode of a count that goes down.
    pub fn decrement(self) -> MetaRequest<'o> {
        let request = self.flag(b'M');
        request.0.push(b'D');
        request
    }

    /// The line is complete.
    pub fn end(self) {
        self.0.extend_from_slice(b"\r\n");
    }

    /// The line is complete, and this is the data block: as many bytes as `store` said.
    pub fn end_with(self, value: &[u8]) {
        self.0.extend_from_slice(b"\r\n");
        self.0.extend_from_slice(value);
        self.0.extend_from_slice(b"\r\n");
    }
}

fn write_word(out: &mut Vec<u8>, word: &[u8]) {
    out.push(b' ');
    out.extend_from_slice(word);
}

fn write_number_word(out: &mut Vec<u8>, number: u64) {
    out.push(b' ');
    write_number(out, number);
}

fn write_signed_word(out: &mut Vec<u8>, number: i64) {
    write_word(out, itoa::Buffer::new().format(number).as_bytes());
}

fn end_line(out: &mut Vec<u8>, noreply: bool) {
    out.extend_from_slice(if noreply { b" noreply\r\n" } else { b"\r\n" });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn key(key: &str) -> TextKey<'_> {
        TextKey::new(key.as_bytes()).unwrap()
    }

    fn keys(out: &mut Vec<u8>, keys: &[&str], with_cas: bool, touch: Option<i64>) {
        begin_keys(out, with_cas, touch);
        keys.iter().for_each(|name| add_key(out, key(name)));
        end_keys(out);
    }

    #[test]
    fn keys_that_would_break_a_line_are_no_text_keys() {
        let long = [b'k'; KEY_MAX + 1];
        for bad in [b"".as_slice(), b"a b", b"a\r\nflush_all", b"a\0", &long] {
            assert_eq!(TextKey::new(bad), None, "{bad:?}");
        }
        assert!(TextKey::new(&long[1..]).is_some());
        assert!(TextKey::new("schlüssel".as_bytes()).is_some());
        assert!(!write_stats(&mut Vec::new(), b"items\r\nquit"));
    }

    #[test]
    fn one_bad_byte_anywhere_is_found_and_no_good_one_is_blamed() {
        for len in 1..40 {
            assert!(TextKey::new(&vec![b'!'; len]).is_some());
            for (at, byte) in (0..len).flat_map(|at| (0..=255).map(move |byte| (at, byte))) {
                for other in [b'!', b'~', 0x7f, 0x80, 0xff] {
                    let mut key = vec![other; len];
                    key[at] = byte;
                    assert_eq!(TextKey::new(&key).is_some(), byte > b' ', "{byte} at {at} of {len} {other}");
                }
            }
        }
    }

    #[test]
    fn classic_lines() {
        let store = Store {
            verb: Verb::Set,
            compare: None,
            key: key("k"),
            flags: 5,
            exptime: -1,
            value: b"vv",
            noreply: false,
        };
        for (line, want) in [
            (text(|out| keys(out, &["a", "b"], false, None)), "get a b\r\n"),
            (text(|out| keys(out, &["a"], true, Some(-1))), "gats -1 a\r\n"),
            (text(|out| write_store(out, &store)), "set k 5 -1 2\r\nvv\r\n"),
            (
                text(|out| write_store(out, &Store { compare: Some(9), noreply: true, ..store })),
                "cas k 5 -1 2 9 noreply\r\nvv\r\n",
            ),
            (text(|out| write_delete(out, key("k"), true)), "delete k noreply\r\n"),
            (text(|out| write_count(out, key("n"), u64::MAX, true, false)), "decr n 18446744073709551615\r\n"),
            (text(|out| write_touch(out, key("k"), 60, false)), "touch k 60\r\n"),
            (text(|out| write_flush_all(out, None, false)), "flush_all\r\n"),
            (text(|out| write_flush_all(out, Some(9), true)), "flush_all 9 noreply\r\n"),
            (text(|out| write_verbosity(out, 1, false)), "verbosity 1\r\n"),
            (text(|out| assert!(write_stats(out, b"detail on"))), "stats detail on\r\n"),
        ] {
            assert_eq!(line, want);
        }
    }

    #[test]
    fn meta_lines() {
        let mut room = [0; KEY_MAX];
        let plain = WireKey::for_meta(b"foo", &mut room).unwrap();
        assert_eq!(text(|out| MetaRequest::get(out, &plain).flag(b'v').signed(b'T', -1).end()), "mg foo v T-1\r\n");
        let spaced = WireKey::for_meta(b"a b", &mut room).unwrap();
        let line = text(|out| MetaRequest::store(out, &spaced, 2).verb(Verb::Add).number(b'F', 3).end_with(b"hi"));
        assert_eq!(line, "ms YSBi 2 b ME F3\r\nhi\r\n");
        assert_eq!(text(|out| MetaRequest::delete(out, &spaced).flag(b'q').end()), "md YSBi b q\r\n");
        assert_eq!(
            text(|out| MetaRequest::count(out, &spaced).decrement().number(b'D', 1).end()),
            "ma YSBi b MD D1\r\n"
        );
    }
}

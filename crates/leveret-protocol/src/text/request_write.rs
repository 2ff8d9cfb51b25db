//! Requests, as a client writes them. Keys are checked (`TextKey`), so that no key can end a line and start another
//! command.
use super::answer_write::write_number;
use crate::key::TextKey;
use crate::{StoreMode, WireKey};

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
    write_word(out, key.as_bytes());
}

/// The end of the line that `begin_keys` began.
pub fn end_keys(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\r\n");
}

/// A store, as a client asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreRequest<'a> {
    /// How it treats an existing item.
    pub verb: StoreMode,
    /// Only this version: `cas`, with any verb.
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
pub fn write_store(out: &mut Vec<u8>, store: &StoreRequest<'_>) {
    out.extend_from_slice(match (store.compare, store.verb) {
        (Some(_), _) => b"cas".as_slice(),
        (None, StoreMode::Set) => b"set",
        (None, StoreMode::Add) => b"add",
        (None, StoreMode::Replace) => b"replace",
        (None, StoreMode::Append) => b"append",
        (None, StoreMode::Prepend) => b"prepend",
    });
    write_word(out, store.key.as_bytes());
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
    write_word(out, key.as_bytes());
    end_line(out, noreply);
}

/// `incr` and `decr`
pub fn write_count(out: &mut Vec<u8>, key: TextKey<'_>, delta: u64, is_decrement: bool, noreply: bool) {
    out.extend_from_slice(if is_decrement { b"decr" } else { b"incr" });
    write_word(out, key.as_bytes());
    write_number_word(out, delta);
    end_line(out, noreply);
}

/// `touch`
pub fn write_touch(out: &mut Vec<u8>, key: TextKey<'_>, exptime: i64, noreply: bool) {
    out.extend_from_slice(b"touch");
    write_word(out, key.as_bytes());
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
    pub fn verb(self, verb: StoreMode) -> MetaRequest<'o> {
        let mode = match verb {
            StoreMode::Set => b'S',
            StoreMode::Add => b'E',
            StoreMode::Replace => b'R',
            StoreMode::Append => b'A',
            StoreMode::Prepend => b'P',
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
    use crate::KEY_MAX;

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
    fn classic_lines() {
        let store = StoreRequest {
            verb: StoreMode::Set,
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
                text(|out| write_store(out, &StoreRequest { compare: Some(9), noreply: true, ..store })),
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
    fn a_subject_that_would_break_its_line_is_not_written() {
        assert!(!write_stats(&mut Vec::new(), b"items\r\nquit"));
    }

    #[test]
    fn meta_lines() {
        let mut room = [0; KEY_MAX];
        let plain = WireKey::for_meta(b"foo", &mut room).unwrap();
        assert_eq!(text(|out| MetaRequest::get(out, &plain).flag(b'v').signed(b'T', -1).end()), "mg foo v T-1\r\n");
        let spaced = WireKey::for_meta(b"a b", &mut room).unwrap();
        let line = text(|out| MetaRequest::store(out, &spaced, 2).verb(StoreMode::Add).number(b'F', 3).end_with(b"hi"));
        assert_eq!(line, "ms YSBi 2 b ME F3\r\nhi\r\n");
        assert_eq!(text(|out| MetaRequest::delete(out, &spaced).flag(b'q').end()), "md YSBi b q\r\n");
        assert_eq!(
            text(|out| MetaRequest::count(out, &spaced).decrement().number(b'D', 1).end()),
            "ma YSBi b MD D1\r\n"
        );
    }
}

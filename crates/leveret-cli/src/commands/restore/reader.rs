//! The two forms of a dump: memcached-tool's add commands, and the lines of `leveret dump --json`.
use crate::commands::get::{ENCODINGS, ORIGINS};
use crate::conversation::VALUE_MAX;
use crate::json;
use crate::output::Failure;
use leveret_engine::{reason, Codec, Encoding, Meta, Origin};
use serde_json::Value;
use std::io::{self, BufRead, Read};
use std::time::{SystemTime, UNIX_EPOCH};

/// Longer than any line of a dump of add commands.
const LINE_MAX: u64 = 4096;
/// Longer than any line of JSON: six letters for a byte are the most.
const JSON_MAX: u64 = 7 * VALUE_MAX;

/// One item of a dump.
#[derive(Debug, PartialEq)]
pub struct Dumped {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
    pub meta: Meta,
    /// Unix time of its end.
    pub dies: Option<i64>,
}

impl Dumped {
    pub fn is_expired(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        self.dies.is_some_and(|dies| dies <= now)
    }
}

pub struct DumpReader<R> {
    input: R,
    number: u64,
}

impl<R: BufRead> DumpReader<R> {
    pub fn new(input: R) -> DumpReader<R> {
        DumpReader { input, number: 0 }
    }

    /// None: the dump is over.
    pub fn next_item(&mut self) -> Result<Option<Dumped>, Failure> {
        self.number += 1;
        let first = self.input.fill_buf().map_err(failed)?.first().copied();
        match first {
            None => Ok(None),
            Some(b'{') => self.next_line().map(Some),
            Some(_) => self.next_block().map(Some),
        }
    }

    fn broken(&self, why: &str) -> Failure {
        let number = self.number;
        Failure::Usage(format!(
            "item {number} of the dump: {why}; a dump has lines 'add KEY FLAGS EXPTIME LENGTH' and values, or lines of JSON"
        ))
    }

    /// `add KEY FLAGS EXPTIME LEN`, its value and their line ends.
    fn next_block(&mut self) -> Result<Dumped, Failure> {
        let mut line = Vec::new();
        (&mut self.input).take(LINE_MAX).read_until(b'\n', &mut line).map_err(failed)?;
        let words: Vec<&[u8]> = line.trim_ascii_end().split(|byte| *byte == b' ').collect();
        let number_of = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
        let &[b"add" | b"set", key, flags, exptime, len] = &words[..] else {
            return Err(self.broken("it begins with another line"));
        };
        let (Some(flags), Some(exptime), Some(len)) = (
            number_of(flags).and_then(|flags| u32::try_from(flags).ok()),
            number_of(exptime).and_then(|unix| i64::try_from(unix).ok()),
            number_of(len),
        ) else {
            return Err(self.broken("flags, exptime and length are numbers"));
        };
        if len > VALUE_MAX {
            return Err(self.broken("its value is longer than any item"));
        }
        let mut value = Vec::new();
        (&mut self.input).take(len + 2).read_to_end(&mut value).map_err(failed)?;
        if value.len() as u64 != len + 2 || !value.ends_with(b"\r\n") {
            return Err(self.broken("its value does not end where its length says"));
        }
        value.truncate(len as usize);
        let meta = Meta::default().with_flags(flags).with_origin(Origin::WIRE);
        Ok(Dumped { key: key.to_vec(), value, meta, dies: Some(exptime).filter(|unix| *unix > 0) })
    }

    /// An object with key and value, and what else was known of the item. A server's items have flags alone.
    fn next_line(&mut self) -> Result<Dumped, Failure> {
        let mut line = Vec::new();
        (&mut self.input).take(JSON_MAX).read_until(b'\n', &mut line).map_err(failed)?;
        let object: Value =
            serde_json::from_slice(&line).map_err(|error| self.broken(&format!("no JSON ({error})")))?;
        let (Some(key), Some(value)) = (json::bytes_of(&object, "key"), json::bytes_of(&object, "value")) else {
            return Err(self.broken("it has no key or no value"));
        };
        let number = |name: &str, max: u64| match object.get(name) {
            None => Ok(0),
            Some(number) => number
                .as_u64()
                .filter(|number| *number <= max)
                .ok_or_else(|| self.broken(&format!("its {name} is no number that can be"))),
        };
        let word = |name: &str, words: &[&str], max: u8| match object.get(name).and_then(Value::as_str) {
            None => number(name, u64::from(max)).map(|number| number as u8),
            Some(word) => words
                .iter()
                .position(|known| *known == word)
                .map(|at| at as u8)
                .ok_or_else(|| self.broken(&format!("unknown {name} '{}'", word.escape_debug()))),
        };
        let encoding = Encoding::new(word("encoding", &ENCODINGS, Encoding::MAX.number())?);
        let meta = Meta::native(encoding)
            .with_origin(Origin::new(word("origin", &ORIGINS, Origin::MAX.number())?))
            .with_codec(Codec::new(number("codec", u64::from(Codec::MAX.number()))? as u8))
            .with_flags(number("flags", u64::from(u32::MAX))? as u32);
        let dies = match ["dies", "exp"].iter().find_map(|name| object.get(*name)) {
            None | Some(Value::Null) => None,
            // memcached dumps -1 for items without an end.
            Some(end) => end
                .as_i64()
                .map(|unix| (unix > 0).then_some(unix))
                .ok_or_else(|| self.broken("its end is no Unix time"))?,
        };
        Ok(Dumped { key, value, meta, dies })
    }
}

fn failed(error: io::Error) -> Failure {
    Failure::Unreachable(format!("cannot read the dump: {}", reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_client::codec::encoding;

    fn items(dump: &[u8]) -> Result<Vec<Dumped>, Failure> {
        let mut reader = DumpReader::new(dump);
        std::iter::from_fn(|| reader.next_item().transpose()).collect()
    }

    #[test]
    fn a_dump_is_read_whole_or_not_believed() {
        let read = items(b"add a 7 0 3\r\nx\r\n\r\nadd b 0 100 0\r\n\r\n").expect("a dump");
        let meta = Meta::default().with_flags(7);
        assert_eq!(read[0], Dumped { key: b"a".to_vec(), value: b"x\r\n".to_vec(), meta, dies: None });
        assert_eq!((read[1].dies, read.len()), (Some(100), 2));
        assert_eq!(items(b"").expect("an empty dump"), []);
        for bad in [
            &b"nonsense\r\n"[..],
            b"add a 0 0\r\n",
            b"add a x 0 1\r\ny\r\n",
            b"add a 0 0 9\r\ny\r\n",
            b"add a 0 0 1\r\nyy\r\n",
            b"{\"key\":",
            b"{\"key\":\"a\"}\n",
            b"{\"key\":\"a\",\"value_base64\":\"!\"}\n",
            b"{\"key\":\"a\",\"value\":\"\",\"encoding\":\"cobol\"}\n",
            b"{\"key\":\"a\",\"value\":\"\",\"flags\":4294967296}\n",
            b"{\"key\":\"a\",\"value\":\"\",\"origin\":16}\n",
            b"{\"key\":\"a\",\"value\":\"\",\"encoding\":16}\n",
            b"{\"key\":\"a\",\"value\":\"\",\"codec\":16}\n",
        ] {
            assert!(matches!(items(bad), Err(Failure::Usage(_))), "{:?}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn lines_of_json_keep_what_an_arena_knows() {
        let read = items(
            b"{\"key_base64\":\"/w==\",\"found\":true,\"value\":\"a:0:{}\",\"flags\":0,\"encoding\":\"php\",\"origin\":\"native\",\"codec\":3,\"dies\":null}\n\
              {\"key\":\"of a server\",\"value\":\"v\",\"flags\":5,\"exp\":9000000000}\n",
        )
        .expect("a dump");
        let meta = Meta::native(encoding::PHP).with_codec(Codec::new(3));
        assert_eq!(read[0], Dumped { key: vec![0xff], value: b"a:0:{}".to_vec(), meta, dies: None });
        assert_eq!((read[1].meta, read[1].dies), (Meta::default().with_flags(5), Some(9_000_000_000)));
    }
}

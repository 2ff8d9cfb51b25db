//! Traces: requests in the order in which they came, kept in memory, keys as small numbers.

mod csv;
mod oracle_general;

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

pub use csv::Column;

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOp {
    /// Looks the key up and stores the item after a miss: the usual use of a cache.
    Get,
    /// Stores the item unconditionally.
    Set,
    /// Removes the item.
    Delete,
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// Seconds since the trace began.
    pub at_secs: u32,
    /// Number of the key, below `Trace::keys`.
    pub key: u32,
    /// Bytes of the value.
    pub value_len: u32,
    /// Lifetime of the item in seconds; 0 = none.
    pub ttl_secs: u32,
    /// Bytes of the key.
    pub key_len: u16,
    /// Kind.
    pub op: TraceOp,
}

/// A trace.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The requests, oldest first.
    pub requests: Vec<TraceRequest>,
    /// How many keys there are.
    pub keys: u32,
    /// The share of a cache's keys that the trace was made of; 1 = all of them.
    pub sample: Option<f64>,
    /// The gets that the cache answered while a sample was taken of it. A recording notes a key that is read all the
    /// time less often than it is read.
    pub gets: Option<u64>,
}

/// How a file's requests are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As its first bytes look.
    #[default]
    Auto,
    /// Lines of text.
    Csv,
    /// libCacheSim's binary records of 24 bytes.
    OracleGeneral,
}

/// How to read a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// How it is written.
    pub format: Format,
    /// Columns of a text without a line that names them.
    pub columns: Option<Vec<Option<Column>>>,
    /// Read at most this many requests.
    pub limit: Option<u64>,
}

/// Why a trace could not be read: place and reason.
#[derive(Debug)]
pub struct TraceError(pub String);

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TraceError {}

/// Requests are numbered, and their keys, in 32 bits.
const REQUESTS_MAX: usize = u32::MAX as usize - 1;

impl Trace {
    /// Reads the trace in a file; `progress` gets the number of requests read.
    pub fn open(path: &Path, options: &TraceOptions, progress: &mut dyn FnMut(u64)) -> Result<Trace, TraceError> {
        let failed = |error: io::Error| TraceError(format!("cannot read {}: {error}", path.display()));
        let file = File::open(path).map_err(failed)?;
        Trace::read(file, options, progress)
            .map_err(|TraceError(what)| TraceError(format!("{}: {what}", path.display())))
    }

    /// Reads a trace, unpacking it if it is zstd.
    pub fn read(source: impl Read, options: &TraceOptions, progress: &mut dyn FnMut(u64)) -> Result<Trace, TraceError> {
        let mut source = BufReader::with_capacity(1 << 16, source);
        if first_bytes(&mut source)?.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let decoder = ruzstd::decoding::StreamingDecoder::new(source)
                .map_err(|error| TraceError(format!("it begins as zstd, and cannot be unpacked: {error}")))?;
            Trace::read_plain(BufReader::with_capacity(1 << 16, decoder), options, progress)
        } else {
            Trace::read_plain(source, options, progress)
        }
    }

    fn read_plain(
        mut source: impl BufRead,
        options: &TraceOptions,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Trace, TraceError> {
        let format = match options.format {
            Format::Auto if looks_binary(first_bytes(&mut source)?) => Format::OracleGeneral,
            Format::Auto => Format::Csv,
            ref given => given.clone(),
        };
        let mut builder = Builder::new(options.limit);
        match format {
            Format::OracleGeneral => oracle_general::read(source, &mut builder, progress)?,
            _ => csv::read(source, options.columns.as_deref(), &mut builder, progress)?,
        }
        if builder.trace.requests.is_empty() {
            return Err(TraceError("there is no request in it".into()));
        }
        Ok(builder.trace)
    }

    /// A trace of the given requests; their keys are numbered again.
    pub fn collect(requests: impl IntoIterator<Item = TraceRequest>) -> Trace {
        let mut builder = Builder::new(None);
        for request in requests {
            let key = builder.key(&request.key.to_ne_bytes());
            builder.push(TraceRequest { key, ..request });
        }
        builder.trace
    }

    /// Bytes of all keys and values, with each key's last value: the size of a cache of everything.
    pub fn footprint(&self) -> u64 {
        let mut sizes = vec![0u32; self.keys as usize];
        for request in self.requests.iter().filter(|request| request.op != TraceOp::Delete) {
            sizes[request.key as usize] = request.value_len + u32::from(request.key_len);
        }
        sizes.iter().map(|size| u64::from(*size)).sum()
    }

    /// Seconds from the first request to the last.
    pub fn span_secs(&self) -> u32 {
        self.requests.last().map_or(0, |last| last.at_secs)
    }
}

/// The part of a trace read so far.
struct Builder {
    trace: Trace,
    limit: usize,
    begin: Option<u64>,
    /// Keys by their hash: 64 bits, so that one in a million traces of ten million keys takes two keys for one.
    known: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Builder {
    fn new(limit: Option<u64>) -> Builder {
        let limit = limit.map_or(REQUESTS_MAX, |limit| (limit as usize).min(REQUESTS_MAX));
        Builder { trace: Trace::default(), limit, begin: None, known: HashMap::new(), hasher: RandomState::new() }
    }

    fn is_full(&self) -> bool {
        self.trace.requests.len() >= self.limit
    }

    fn key(&mut self, bytes: &[u8]) -> u32 {
        let next = self.trace.keys;
        let number = *self.known.entry(self.hasher.hash_one(bytes)).or_insert(next);
        self.trace.keys += u32::from(number == next);
        number
    }

    /// Seconds since the first request. A clock that goes back stands still here.
    fn moment(&mut self, secs: u64) -> u32 {
        let begin = *self.begin.get_or_insert(secs);
        let last = self.trace.requests.last().map_or(0, |request| request.at_secs);
        (secs.saturating_sub(begin).min(u64::from(u32::MAX / 4)) as u32).max(last)
    }

    fn push(&mut self, request: TraceRequest) {
        self.trace.requests.push(request);
    }
}

fn first_bytes(source: &mut impl BufRead) -> Result<&[u8], TraceError> {
    source.fill_buf().map_err(|error| TraceError(format!("cannot be read: {error}")))
}

/// The last byte of the first record's last word is 0 or 255, and so is none in a text.
fn looks_binary(begin: &[u8]) -> bool {
    begin.iter().take(24).any(|byte| *byte == 0 || *byte == 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Trace, String> {
        Trace::read(bytes, &TraceOptions::default(), &mut |_| {}).map_err(|error| error.to_string())
    }

    fn request(at_secs: u32, key: u32, key_len: u16, value_len: u32, ttl_secs: u32, op: TraceOp) -> TraceRequest {
        TraceRequest { at_secs, key, value_len, ttl_secs, key_len, op }
    }

    #[test]
    fn text_with_and_without_names_of_columns() {
        let bare = read(b"100,a,10\n100.9,bb,20,60\n\n103,a,10,,get\n104,a,0,0,delete\n").expect("a trace");
        assert_eq!(bare.keys, 2);
        assert_eq!(
            bare.requests,
            [
                request(0, 0, 1, 10, 0, TraceOp::Get),
                request(0, 1, 2, 20, 60, TraceOp::Get),
                request(3, 0, 1, 10, 0, TraceOp::Get),
                request(4, 0, 1, 0, 0, TraceOp::Delete)
            ]
        );
        let named =
            read(b"# sample=0.25 gets=1000\r\nop,key,time,size,key_size,who\r\nset,x,5,7,40,me\r\n").expect("a trace");
        assert_eq!(named.requests, [request(0, 0, 40, 7, 0, TraceOp::Set)]);
        assert_eq!((named.sample, named.gets), (Some(0.25), Some(1000)));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, want) in [
            ("1,a,10\n1,a\n", "line 2: there is no size"),
            ("1,a,ten\n", "line 1: the size 'ten' is no whole number"),
            ("1,a,10\nyesterday,a,10\n", "line 2: the time 'yesterday' is no number of seconds"),
            ("1,a,10,1,eat\n", "line 1: the operation 'eat' is none of"),
            ("key,size\n", "line 1: no column is called 'time'"),
            ("1,,10\n", "line 1: the key is empty"),
            ("", "there is no request in it"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert!(error.contains(want), "{text:?}: {error}");
        }
    }

    #[test]
    fn records_of_24_bytes() {
        let record = |at: u32, id: u64, size: u32| {
            [&at.to_le_bytes()[..], &id.to_le_bytes(), &size.to_le_bytes(), &(-1i64).to_le_bytes()].concat()
        };
        let mut bytes = [record(7, 1 << 40, 108), record(9, 5, 3), record(9, 1 << 40, 108)].concat();
        let trace = read(&bytes).expect("a trace");
        assert_eq!(
            trace.requests,
            [
                request(0, 0, 8, 100, 0, TraceOp::Get),
                request(2, 1, 8, 0, 0, TraceOp::Get),
                request(2, 0, 8, 100, 0, TraceOp::Get)
            ]
        );
        bytes.pop();
        assert!(read(&bytes).expect_err("cut off").contains("record 3 is cut off: 23 of 24 bytes"));
    }

    #[test]
    fn what_zstd_has_packed_is_unpacked() {
        // `printf '1,a,10\n2,a,10\n' | zstd`
        let packed = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 14, 113, 0, 0, b'1', b',', b'a', b',', b'1', b'0', b'\n', b'2', b',', b'a',
            b',', b'1', b'0', b'\n',
        ];
        assert_eq!(read(&packed).expect("a trace").requests.len(), 2);
        assert!(read(&packed[..12]).is_err());
    }
}

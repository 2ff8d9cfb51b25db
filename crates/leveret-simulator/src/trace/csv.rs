//! Requests as lines of text: `time,key,size[,ttl][,op]`, or other columns if a first line names them.

use super::{Builder, TraceError, TraceOp, TraceRequest};
use std::io::BufRead;

/// Contents of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Seconds, of any beginning; fractions are dropped.
    Time,
    /// Any bytes but commas and line ends.
    Key,
    /// Bytes of the key, if the trace has only an id in its place.
    KeySize,
    /// Bytes of the value.
    Size,
    /// Seconds that the item may live; 0 or nothing: until it is evicted.
    Ttl,
    /// `get`, `set`, `delete` and what memcached calls them; nothing: a get.
    Op,
}

const NAMES: [(&str, Column); 6] = [
    ("time", Column::Time),
    ("key", Column::Key),
    ("key_size", Column::KeySize),
    ("size", Column::Size),
    ("ttl", Column::Ttl),
    ("op", Column::Op),
];

/// The columns of a file that does not name them.
const PLAIN: [Option<Column>; 5] =
    [Some(Column::Time), Some(Column::Key), Some(Column::Size), Some(Column::Ttl), Some(Column::Op)];

impl Column {
    /// The columns that a line names, in its order; None stands for those that nothing is known of.
    pub fn parse_all(line: &str) -> Result<Vec<Option<Column>>, String> {
        let columns: Vec<_> = line
            .split(',')
            .map(|name| {
                NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim())).map(|(_, column)| *column)
            })
            .collect();
        for needed in [Column::Time, Column::Key, Column::Size] {
            if !columns.contains(&Some(needed)) {
                return Err(format!(
                    "no column is called '{}'; known are time, key, key_size, size, ttl and op",
                    needed.name()
                ));
            }
        }
        Ok(columns)
    }

    fn name(self) -> &'static str {
        NAMES.iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }
}

/// Longer lines are no requests.
const LINE_MAX: u64 = 1 << 20;

pub(super) fn read(
    mut source: impl BufRead,
    columns: Option<&[Option<Column>]>,
    builder: &mut Builder,
    progress: &mut dyn FnMut(u64),
) -> Result<(), TraceError> {
    let mut columns: Vec<_> = columns.unwrap_or(&PLAIN).to_vec();
    let mut line = Vec::new();
    let mut number = 0u64;
    while !builder.is_full() {
        number += 1;
        line.clear();
        let failed = |what: String| TraceError(format!("line {number}: {what}"));
        let mut limited = std::io::Read::take(&mut source, LINE_MAX);
        let count = limited.read_until(b'\n', &mut line).map_err(|error| failed(error.to_string()))?;
        if count == 0 {
            return Ok(());
        }
        if count as u64 == LINE_MAX {
            return Err(failed(format!("it is longer than {LINE_MAX} bytes: this is no CSV")));
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if let Some(comment) = text.strip_prefix(b"#") {
            note(comment, builder);
            continue;
        }
        if builder.trace.requests.is_empty() && names_columns(text) {
            columns = Column::parse_all(&String::from_utf8_lossy(text)).map_err(failed)?;
            continue;
        }
        let request = parse(text, &columns, builder).map_err(failed)?;
        builder.push(request);
        if number % 65_536 == 0 {
            progress(number);
        }
    }
    Ok(())
}

fn names_columns(line: &[u8]) -> bool {
    line.split(|byte| *byte == b',').any(|field| {
        field.trim_ascii().eq_ignore_ascii_case(b"time") || field.trim_ascii().eq_ignore_ascii_case(b"key")
    })
}

/// Reads the comment of a sample: `# sample=0.01 gets=123456`.
fn note(comment: &[u8], builder: &mut Builder) {
    for (name, value) in String::from_utf8_lossy(comment).split_whitespace().filter_map(|word| word.split_once('=')) {
        match name {
            "sample" => builder.trace.sample = value.parse().ok().filter(|sample| *sample > 0.0 && *sample <= 1.0),
            "gets" => builder.trace.gets = value.parse().ok(),
            _ => {}
        }
    }
}

fn parse(line: &[u8], columns: &[Option<Column>], builder: &mut Builder) -> Result<TraceRequest, String> {
    let mut fields: [&[u8]; NAMES.len()] = [&[]; NAMES.len()];
    for (field, column) in line.split(|byte| *byte == b',').zip(columns) {
        if let Some(column) = column {
            fields[*column as usize] = field.trim_ascii();
        }
    }
    let field = |column: Column| fields[column as usize];
    let key = field(Column::Key);
    if key.is_empty() {
        return Err("the key is empty".into());
    }
    let key_len = match field(Column::KeySize) {
        [] => key.len() as u64,
        text => number(Column::KeySize, text)?,
    };
    if key_len > u64::from(u16::MAX) {
        return Err(format!("a key of {key_len} bytes; the longest there can be has {}", u16::MAX));
    }
    let op = operation(field(Column::Op))?;
    let value_len = match (field(Column::Size), op) {
        ([], TraceOp::Delete) => 0,
        ([], _) => return Err("there is no size".into()),
        (text, _) => number(Column::Size, text)?,
    };
    let ttl_secs = match field(Column::Ttl) {
        [] => 0,
        text => number(Column::Ttl, text)?,
    };
    let at_secs = builder.moment(seconds(field(Column::Time))?);
    Ok(TraceRequest {
        at_secs,
        key: builder.key(key),
        value_len: u32::try_from(value_len).map_err(|_| format!("a value of {value_len} bytes"))?,
        ttl_secs: ttl_secs.min(u64::from(u32::MAX / 4)) as u32,
        key_len: key_len as u16,
        op,
    })
}

fn number(column: Column, text: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(text);
    text.parse().map_err(|_| format!("the {} '{text}' is no whole number", column.name()))
}

fn seconds(text: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(text);
    let secs: f64 = text.parse().unwrap_or(-1.0);
    if !(0.0..1e18).contains(&secs) {
        return Err(format!("the time '{text}' is no number of seconds"));
    }
    Ok(secs as u64)
}

fn operation(text: &[u8]) -> Result<TraceOp, String> {
    Ok(match text.to_ascii_lowercase().as_slice() {
        b"" | b"get" | b"gets" | b"read" | b"gat" => TraceOp::Get,
        b"set" | b"add" | b"replace" | b"cas" | b"append" | b"prepend" | b"incr" | b"decr" | b"write" => TraceOp::Set,
        b"delete" | b"del" => TraceOp::Delete,
        _ => {
            return Err(format!(
                "the operation '{}' is none of get, gets, set, add, replace, cas, append, prepend, incr, decr, delete",
                String::from_utf8_lossy(text)
            ))
        }
    })
}

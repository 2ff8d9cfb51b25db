//! The tables of memcached-tool that show one `STAT name value` a row: stats, settings, sizes. Byte for byte as it
//! prints them, down to the carriage return that it leaves at the end of a value.
use crate::conversation::Exchange;
use crate::output::{self, CommandResult, Exit, Failure};
use crate::peer::{Peer, Reach};
use crate::target::TargetArgs;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// More names than any memcached has, sizes included.
const ROWS_MAX: usize = 1 << 20;

/// One of the three.
pub struct ToolTable {
    /// What the server is asked.
    pub request: &'static [u8],
    /// Heading of the first column.
    pub heading: &'static str,
    /// Widths of the heading's three parts and the row's two.
    pub widths: [usize; 5],
}

pub const STATS: ToolTable = ToolTable { request: b"stats\r\n", heading: "Field", widths: [22, 5, 13, 29, 14] };
pub const SETTINGS: ToolTable =
    ToolTable { request: b"stats settings\r\n", heading: "Field", widths: [17, 5, 11, 24, 12] };
pub const SIZES: ToolTable = ToolTable { request: b"stats sizes\r\n", heading: "Size", widths: [17, 5, 11, 24, 12] };

impl ToolTable {
    pub fn run(&self, reach: &Reach, target: &TargetArgs, as_json: bool) -> CommandResult {
        let peer = Peer::of(reach.target.as_deref(), target)?;
        let mut conversation = Exchange::begin(&peer, reach.patience.timeout)?;
        let rows = ask(&mut conversation, self.request)?;
        let mut out = output::lines();
        if as_json {
            output::json_line(&mut out, &object(&rows))?;
        } else {
            self.print(&mut out, conversation.who(), &rows)?;
        }
        out.flush()?;
        Ok(Exit::Yes)
    }

    fn print(&self, out: &mut impl Write, who: &str, rows: &Rows) -> io::Result<()> {
        let [first, second, third, name_width, value_width] = self.widths;
        let last = if self.heading == "Size" { "Count" } else { "Value" };
        writeln!(out, "#{who:<first$} {:>second$} {last:>third$}", self.heading)?;
        for (name, value) in rows {
            pad(out, name, name_width)?;
            out.write_all(b" ")?;
            pad(out, value, value_width)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// INFO of a server for clients of Redis, as `stats` of one for memcached.
pub fn print_info(who: &str, info: &BTreeMap<String, String>, as_json: bool) -> CommandResult {
    let bytes = |text: &String| text.clone().into_bytes();
    let rows: Rows = info.iter().map(|(name, value)| (bytes(name), bytes(value))).collect();
    let mut out = output::lines();
    if as_json {
        output::json_line(&mut out, &object(&rows))?;
    } else {
        STATS.print(&mut out, who, &rows)?;
    }
    out.flush()?;
    Ok(Exit::Yes)
}

/// Names with their values, as bytes: they need not be UTF-8.
pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// The `STAT` lines of an answer.
pub fn ask(conversation: &mut Exchange, request: &[u8]) -> Result<Rows, Failure> {
    let mut rows = Rows::new();
    conversation.say(request)?;
    let who = conversation.who().to_owned();
    let mut lines = 0;
    conversation.lines(|line| {
        rows.extend(row(line));
        lines += 1;
        if lines > ROWS_MAX {
            return Err(Failure::Unreachable(format!("{who} answers without end: more than {ROWS_MAX} names")));
        }
        Ok(true)
    })?;
    Ok(rows)
}

/// As memcached-tool finds name and value: /^STAT\s+(\S*)\s+(.*)/ on the line without its line feed.
fn row(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let rest = after_spaces(line.strip_prefix(b"STAT")?)?;
    let name_len = rest.iter().position(|byte| is_space(*byte))?;
    let (name, rest) = rest.split_at(name_len);
    Some((name.to_vec(), after_spaces(rest)?.to_vec()))
}

fn after_spaces(text: &[u8]) -> Option<&[u8]> {
    let spaces = text.iter().take_while(|byte| is_space(**byte)).count();
    (spaces > 0).then(|| &text[spaces..])
}

/// Perl's \s.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Right-justified, as %29s: in bytes.
fn pad(out: &mut impl Write, text: &[u8], width: usize) -> io::Result<()> {
    write!(out, "{:1$}", "", width.saturating_sub(text.len()))?;
    out.write_all(text)
}

/// One object; numbers become JSON numbers.
fn object(rows: &Rows) -> Map<String, Value> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned();
    rows.iter().map(|(name, value)| (text(name), typed(text(value)))).collect()
}

fn typed(text: String) -> Value {
    let is_number = |text: &str| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'))
    };
    match text.parse::<Number>() {
        Ok(number) if is_number(&text) => Value::Number(number),
        _ => Value::String(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_as_perl_finds_them() {
        for (line, want) in [
            ("STAT pid 17\r\n", Some(("pid", "17\r"))),
            ("STAT version 1.6.45 x\r\n", Some(("version", "1.6.45 x\r"))),
            ("STAT \t a  b \n", Some(("a", "b "))),
            ("STAT a \r\n", Some(("a", ""))),
            ("STATa 1\r\n", None),
            ("STAT a\n", None),
            ("END\r\n", None),
        ] {
            let found = row(line.as_bytes());
            let found = found.as_ref().map(|(name, value)| {
                (std::str::from_utf8(name).expect("text"), std::str::from_utf8(value).expect("text"))
            });
            assert_eq!(found, want, "{line:?}");
        }
    }

    #[test]
    fn numbers_are_numbers_and_versions_are_not() {
        for (text, want) in [
            ("17", "17"),
            ("18446744073709551615", "18446744073709551615"),
            ("0.25", "0.25"),
            ("-1", "-1"),
            ("1.6.18", "\"1.6.18\""),
            ("1e5", "\"1e5\""),
            ("007", "\"007\""),
            ("NULL", "\"NULL\""),
            ("", "\"\""),
        ] {
            assert_eq!(typed(text.to_owned()).to_string(), want);
        }
    }
}

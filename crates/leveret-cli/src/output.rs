//! What every command says in the same way: its answer and exit code, its errors, colours, JSON lines and progress.
use crate::units::counted;
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use leveret_engine::{reason, Error, OpenError};
use leveret_server::printable;
use serde::Serialize;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Exit code 0.
    Yes,
    /// Exit code 1: a miss, not stored, unhealthy. What there is to say has been said.
    No,
}

impl From<bool> for Exit {
    fn from(yes: bool) -> Exit {
        if yes {
            Exit::Yes
        } else {
            Exit::No
        }
    }
}

/// Why a command failed. The text says how to fix it.
#[derive(Debug)]
pub enum Failure {
    /// Exit code 1: the arena refuses, and would again.
    Refused(String),
    /// Exit code 2: the command line makes no sense.
    Usage(String),
    /// Exit code 3: the arena, a file or a program cannot be reached or does not answer.
    Unreachable(String),
    /// This exit code; the process that we waited for has said why.
    Said(u8),
    /// The reader of our output has enough (`leveret keys | head -1`): the end, and no error.
    ReaderLeft,
}

pub type CommandResult = Result<Exit, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(why) | Failure::Usage(why) | Failure::Unreachable(why) => to.write_str(why),
            Failure::Said(_) | Failure::ReaderLeft => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::ValueTooLarge { .. } | Error::KeyTooLong { .. } | Error::NoMemory => {
                Failure::Refused(error.to_string())
            }
            _ => Failure::Unreachable(error.to_string()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        leveret_place::PlaceError::from(error).into()
    }
}

impl From<leveret_place::PlaceError> for Failure {
    fn from(error: leveret_place::PlaceError) -> Failure {
        use leveret_place::PlaceError::{Name, Open};
        match error {
            Name(_) | Open(OpenError::Memory { .. }) => Failure::Usage(error.to_string()),
            Open(OpenError::Missing(_)) => Failure::Unreachable(format!(
                "{error}; 'leveret list' shows those that exist, and 'leveret set' or the first PHP script that uses it makes it"
            )),
            _ => Failure::Unreachable(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderLeft,
            _ => Failure::Unreachable(format!("cannot write the answer: {}", reason(&error))),
        }
    }
}

/// The last act of the process: says what went wrong, if anything did, and gives the exit code.
pub fn conclude(outcome: CommandResult, json: bool) -> ExitCode {
    let (code, text) = match outcome {
        Ok(Exit::Yes) | Err(Failure::ReaderLeft) => return ExitCode::SUCCESS,
        Ok(Exit::No) => return ExitCode::from(1),
        Err(Failure::Said(code)) => return ExitCode::from(code),
        Err(Failure::Refused(text)) => (1, text),
        Err(Failure::Usage(text)) => (2, text),
        Err(Failure::Unreachable(text)) => (3, text),
    };
    // Nothing is left to do should stderr be closed as well.
    let _ = if json {
        writeln!(io::stderr(), "{}", serde_json::json!({ "error": text, "code": code }))
    } else {
        writeln!(anstream::stderr(), "{BAD}leveret:{BAD:#} {text}")
    };
    ExitCode::from(code)
}

pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARNING: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// Standard output for data: bytes go out as they are, in large pieces.
pub fn raw() -> Printer<StdoutLock<'static>> {
    Printer { to: BufWriter::with_capacity(1 << 16, io::stdout().lock()), is_for_eyes: false, partial: Vec::new() }
}

/// Standard output for lines with foreign bytes: unchanged to files and pipes; on a terminal, control characters are
/// escaped.
pub fn lines() -> Printer<StdoutLock<'static>> {
    Printer { is_for_eyes: io::stdout().is_terminal(), ..raw() }
}

/// One type for both: what writes JSON is compiled for each.
pub struct Printer<W: Write> {
    to: BufWriter<W>,
    is_for_eyes: bool,
    /// The front of a character whose rest has not come.
    partial: Vec<u8>,
}

impl<W: Write> Printer<W> {
    /// Writes an incomplete or invalid character so that it cannot control a terminal.
    fn write_partial(&mut self) -> io::Result<()> {
        let mut text = String::new();
        match std::str::from_utf8(&self.partial) {
            Ok(letters) => letters.chars().for_each(|letter| printable::push(letter, &mut text)),
            Err(_) => text.extend(self.partial.escape_ascii().map(char::from)),
        }
        self.partial.clear();
        self.to.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_for_eyes {
            return self.to.write(bytes);
        }
        for byte in bytes {
            let goes_on = (0x80..0xc0).contains(byte) && !self.partial.is_empty();
            if !goes_on && !self.partial.is_empty() {
                self.write_partial()?;
            }
            if b"\t\r\n".contains(byte) || byte.is_ascii() && !byte.is_ascii_control() {
                self.to.write_all(&[*byte])?;
                continue;
            }
            self.partial.push(*byte);
            let is_front = std::str::from_utf8(&self.partial).is_err_and(|error| error.error_len().is_none());
            if !is_front {
                self.write_partial()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Standard output for people: colours are dropped where they do not belong (NO_COLOR, --color, a pipe).
pub fn text() -> anstream::AutoStream<StdoutLock<'static>> {
    anstream::stdout().lock()
}

/// A miss, for eyes only: scripts have the exit code.
pub fn say_miss(key: &[u8]) {
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "leveret: no item under '{}'", shown(key));
    }
}

/// One JSON value on a line of its own.
pub fn json_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Long work, shown on stderr while it lasts, if that is a terminal.
pub struct LongWork(ProgressBar);

impl LongWork {
    /// Work on about `total` items, each of which is written to stdout: a terminal there shows progress enough.
    pub fn of_items(total: u64) -> LongWork {
        if io::stdout().is_terminal() {
            return LongWork(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{bar:32} {human_pos}/{human_len} items, {eta} left")
            .expect("a fixed template");
        LongWork(ProgressBar::new(total).with_style(style))
    }

    /// Work on `total` requests. The bar hides itself where stderr is no terminal.
    pub fn of_requests(total: u64) -> LongWork {
        let style = ProgressStyle::with_template("{bar:32} {percent} % of {human_len} requests, {eta} left")
            .expect("a fixed template");
        LongWork(ProgressBar::new(total).with_style(style))
    }

    /// Work on `total` pieces of memory. The bar hides itself where stderr is no terminal.
    pub fn of_pieces(total: u64) -> LongWork {
        let style = ProgressStyle::with_template("{bar:32} {percent} % of {human_len} pieces of 2 MiB, {eta} left")
            .expect("a fixed template");
        LongWork(ProgressBar::new(total).with_style(style))
    }

    /// Progress of a measurement with `total` turns. The bar is hidden if stderr is no terminal.
    pub fn of_turns(total: u64) -> LongWork {
        let style = ProgressStyle::with_template("{bar:32} {pos} of {len} turns, {eta} left, now {msg}")
            .expect("a fixed template");
        let bar = ProgressBar::new(total).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(500));
        LongWork(bar)
    }

    /// Writes something while the bar is not there.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// The present step.
    pub fn now(&self, what: String) {
        self.0.set_message(what);
    }

    /// Progress of work of unknown length. The bar is hidden if stderr is no terminal.
    pub fn of(what: &'static str) -> LongWork {
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.enable_steady_tick(Duration::from_millis(120));
        LongWork(bar)
    }

    /// Progress of a recording, for a time or until it is ended. The line is hidden if stderr is no terminal.
    pub fn of_recording(at_most: Option<Duration>) -> LongWork {
        let end = at_most.map_or("Ctrl-C ends it".to_owned(), |most| format!("of {} s", most.as_secs()));
        let style =
            ProgressStyle::with_template(&format!("{{spinner}} {{elapsed}} {end}: {{msg}}")).expect("a fixed template");
        let bar = ProgressBar::new_spinner().with_style(style).with_message("looking at what is there");
        bar.enable_steady_tick(Duration::from_millis(120));
        LongWork(bar)
    }

    /// Counts of a recording.
    pub fn recorded(&self, requests: u64, keys: u64) {
        self.0.set_message(format!("{} for {}", counted(requests, "request"), counted(keys, "key")));
    }

    /// Progress of work of unknown length: `items` are done.
    pub fn reached(&self, items: u64) {
        self.0.set_position(items);
    }

    pub fn advance(&self, items: u64) {
        self.0.inc(items);
    }
}

/// Foreign bytes for display: control characters are escaped.
pub use leveret_server::printable::shown;

/// A path as a word of bash, with any characters in its name.
pub fn shell_word(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    if bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:".contains(byte)) {
        return path.display().to_string();
    }
    format!("$'{}'", bytes.escape_ascii())
}

impl Drop for LongWork {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_servers_steer_no_terminal() {
        let mut out = Printer { to: BufWriter::new(Vec::new()), is_for_eyes: true, partial: Vec::new() };
        let said = "#host\tgröße 1\r\nkey=\u{1b}[2J\u{9b}0m\u{7f} exp=-1\n日\u{202e}本\u{e0041}\n";
        let want = "#host\tgröße 1\r\nkey=\\x1b[2J\\u{9b}0m\\x7f exp=-1\n日\\u{202e}本\\u{e0041}\n\\xff\\xe6\n";
        for piece in 1..said.len() {
            for part in said.as_bytes().chunks(piece).chain([&b"\xff\xe6\n"[..]]) {
                out.write_all(part).expect("memory");
            }
            assert_eq!(String::from_utf8_lossy(out.to.buffer()), want);
            out = Printer { to: BufWriter::new(Vec::new()), is_for_eyes: true, partial: Vec::new() };
        }
    }

    #[test]
    fn names_of_others_steer_no_terminal_and_run_nothing() {
        assert_eq!(shown("größe".as_bytes()), "größe");
        assert_eq!(shown(b"\x1b]0;x\x07"), "\\x1b]0;x\\x07");
        assert_eq!(shell_word(Path::new("/dev/shm/leveret/shop-1.arena")), "/dev/shm/leveret/shop-1.arena");
        assert_eq!(shell_word(Path::new("/x/$(touch y) 'z;.arena")), r"$'/x/$(touch y) \'z;.arena'");
        assert_eq!(shell_word(Path::new("\x1b[31mred")), r"$'\x1b[31mred'");
    }
}

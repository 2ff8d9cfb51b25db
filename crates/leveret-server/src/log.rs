//! Log of the server for operators: lines on standard error, as text or as JSON.
use leveret_engine::Arena;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something does not work.
    Error,
    /// Something works otherwise than was asked for.
    Warning,
    /// An event.
    Info,
    /// What memcached says with -vv, in its words.
    Debug,
}

/// One process, one standard error.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// From now on each line is a JSON object: `ts` (seconds since 1970), `level`, `message`.
pub fn write_json() {
    IS_JSON.store(true, Relaxed);
}

/// Whether lines are JSON.
pub fn is_json() -> bool {
    IS_JSON.load(Relaxed)
}

/// Writes one line. A closed standard error is not an error.
pub fn tell(level: Level, message: impl fmt::Display) {
    let _ = io::stderr().write_all(line(level, &message, is_json()).as_bytes());
}

/// Says that an arena that is served has an older layout, if it has.
pub fn tell_older(arena: &Arena) {
    if let Some(line) = leveret_place::older(arena) {
        tell(Level::Warning, line);
    }
}

fn line(level: Level, message: &dyn fmt::Display, as_json: bool) -> String {
    let name = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
        Level::Debug if !as_json => return format!("{message}\n"),
        Level::Debug => "debug",
    };
    if !as_json {
        return format!("leveret: {message}\n");
    }
    let ts = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let message = serde_json::Value::String(message.to_string());
    format!("{{\"ts\":{}.{:03},\"level\":\"{name}\",\"message\":{message}}}\n", ts / 1000, ts % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_is_one_object_whatever_is_said() {
        let said = line(Level::Warning, &"a \"name\"\nof two lines", true);
        assert_eq!(said.matches('\n').count(), 1);
        let object: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(object["level"], "warning");
        assert_eq!(object["message"], "a \"name\"\nof two lines");
        assert!(object["ts"].as_f64().expect("a number") > 1.7e9);
    }

    #[test]
    fn text_is_told_from_other_programs_by_our_name() {
        assert_eq!(line(Level::Error, &"it hurts", false), "leveret: it hurts\n");
        assert_eq!(line(Level::Debug, &"<7 connection closed.", false), "<7 connection closed.\n");
    }
}

//! What is measured.
use clap::ValueEnum;

/// A published comparison, drawn anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Chart {
    /// Read short values, one by one
    Read,
    /// Write short values over others
    Write,
    /// Write values of 8 KiB over others
    #[value(name = "write-8k")]
    Write8k,
}

impl Chart {
    pub fn name(self) -> &'static str {
        match self {
            Chart::Read => "read",
            Chart::Write => "write",
            Chart::Write8k => "write-8k",
        }
    }

    pub fn title(self, keys: u32) -> String {
        let keys = crate::units::thousands(u64::from(keys));
        match self {
            Chart::Read => format!("Read {keys} keys (short strings)"),
            Chart::Write => format!("Write {keys} keys (short strings)"),
            Chart::Write8k => format!("Write {keys} keys (8 KiB)"),
        }
    }

    pub fn means(self) -> &'static str {
        match self {
            Chart::Read => {
                "How long one PHP process takes to fetch each key once, in an order that it has not seen before, \
                 after another process has written all of them anew."
            }
            Chart::Write | Chart::Write8k => {
                "How long one PHP process takes to store each key once over an older value. Then another process \
                 reads all of them, which is not timed."
            }
        }
    }

    /// The first word of turn.php.
    pub fn work(self) -> &'static str {
        match self {
            Chart::Read => "read",
            Chart::Write | Chart::Write8k => "write",
        }
    }

    pub fn value_len(self) -> u32 {
        match self {
            Chart::Read | Chart::Write => 16,
            Chart::Write8k => 8192,
        }
    }
}

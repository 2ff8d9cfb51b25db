//! Text and meta commands. Left out are numbers that no two servers share (cas, idle seconds, whether an item was read
//! before), what 1.6.18 does not keep to (a delayed flush brings back what an earlier flush had hidden), and what
//! docs/reference/protocol.md lists as another answer than memcached's. `corner` is where the memcached that the server follows
//! answers otherwise than 1.6.18.
use crate::random::Random;
use crate::{Beside, Language};

pub struct Text {
    random: Random,
    has_cas: bool,
    beside: Beside,
    has_begun: bool,
}

impl Language for Text {
    type Comparable = String;

    fn new(random: Random, has_cas: bool, beside: Beside) -> Text {
        Text { random, has_cas, beside, has_begun: false }
    }

    fn say(&mut self) -> Vec<u8> {
        if !std::mem::replace(&mut self.has_begun, true) {
            // This key is named no more, so in memcached, which counts, all others have a cas above 1.
            return b"set first 0 0 1\r\nx\r\n".to_vec();
        }
        self.command().into_bytes()
    }

    /// What no watcher hears of.
    fn mark() -> (Vec<u8>, Vec<u8>) {
        (b"stats detail mark\r\n".to_vec(), b"CLIENT_ERROR usage: stats detail on|off|dump\r\n".to_vec())
    }

    /// Seconds that are left may differ by one between two servers, and those of an item that is dead at once wrap around
    /// in memcached.
    fn comparable(answer: &[u8]) -> String {
        let text = String::from_utf8_lossy(answer).into_owned();
        let words = |line: &str| {
            let word = |word: &str| {
                if word.len() > 1 && word.starts_with('t') && word[1..].parse::<u32>().is_ok() {
                    "t#".to_owned()
                } else {
                    word.to_owned()
                }
            };
            line.split(' ').map(word).collect::<Vec<_>>().join(" ")
        };
        text.split("\r\n").map(words).collect::<Vec<_>>().join("\r\n")
    }
}

impl Text {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn of(&mut self, words: &[&'static str]) -> &'static str {
        self.random.of(words)
    }

    fn key(&mut self) -> String {
        format!("k{}", self.below(6))
    }

    fn value(&mut self) -> String {
        match self.below(8) {
            0 => String::new(),
            1 | 2 => self.below(200).to_string(),
            3 => "4294967295".to_owned(),
            4 => "x".repeat(self.below(3000) as usize),
            _ => self.of(&["a", "bc", "-5", "9", "10", "99"]).to_owned(),
        }
    }

    fn exptime(&mut self) -> &'static str {
        self.of(&["0", "0", "0", "1000", "-1", "2592001", "100000"])
    }

    fn delta(&mut self) -> &'static str {
        self.of(&["1", "5", "100", "4000000000", "0", "-1", "x", "18446744073709551616"])
    }

    /// Numbers as no client writes them, and as some do. As an exptime none is so near that it passes meanwhile.
    fn number(&mut self) -> &'static str {
        #[rustfmt::skip]
        const NUMBERS: &[&str] = &[
            "1000", "0", "001000", "-1000", "-0", "+1000", "-", "", "x", "1000x", "1000\t", "0x1000", "1000.5",
            "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
            "00000001000", "000000001000", "-0000001000", "-00000001000", "0000000000000000001000",
            "00000000000000000001000", "18446744073709551615", "18446744073709551616",
        ];
        self.of(NUMBERS)
    }

    /// A meta flag of any kind, with or without an argument, sound or not.
    fn any_flag(&mut self) -> String {
        match self.below(4) {
            0 => self.of(&["v", "f", "s", "t", "k", "Oabc", "x", "I", "q", "Lx", "Px", "S5"]).to_owned(),
            1 => format!("M{}", self.of(&["", "S", "E", "EA", "A", "P", "R", "x", "I", "D", "IN", "+", "-5", "s"])),
            2 => self.of(&["!", "~", "5", "_", "[", "\u{7f}", "y", "O1234567890123456789012345678901"]).to_owned(),
            _ => format!("{}{}", self.of(&["T", "N", "R", "D", "J", "F"]), self.number()),
        }
    }

    fn corner(&mut self) -> String {
        let (key, number) = (self.key(), self.number());
        match self.below(20) {
            0 => format!("delete {key} {number}\r\n"),
            1 => self.of(&["delete noreply\r\n", "delete k1 a b c\r\n", "delete\r\n", "touch noreply\r\n"]).to_owned(),
            2 => self.of(&["\r\n", "\n", "g\r\n", "ge k1\r\n", " get k1\r\n", "  \r\n", "mx k1\r\n"]).to_owned(),
            3 => self
                .of(&["get\r\n", "mg\r\n", "ms\r\n", "ms k1\r\n", "md\r\n", "ma\r\n", "me\r\n", "gat 0\r\n"])
                .to_owned(),
            4 => format!("{} {key} {number}\r\n", self.of(&["incr", "decr", "touch"])),
            5 => format!("gat {number} {key}\r\n"),
            6 => format!("set {key} {number} 0 1\r\n5\r\n"),
            7 => format!("set {key} 0 {number} 1\r\n5\r\n"),
            8 => format!("cas {key} 0 0 1 {number}\r\n5\r\n"),
            9 => format!("verbosity {number}\r\nverbosity 0\r\n"),
            10 => format!("flush_all {}\r\n", self.of(&["x", "+5", "1x", "4294967296", "-1x"])),
            11 => {
                format!("{} {key} 0 0 {}\r\n", self.of(&["set", "add"]), self.of(&["+1", "1x", "000000000001", "-1"]))
            }
            12 => format!(
                "ms {key} 1 {}N{}\r\n7\r\n",
                self.of(&["MA ", "MP ", "MS ", "MR ", "ME "]),
                self.of(&["0", "100", "-1"])
            ),
            13 => format!("ma {key} N{} J5 q\r\n", self.of(&["0", "100"])),
            14 => format!("mn {}\r\n", self.of(&["q", "k", "O1", "b", "! ?", "v v"])),
            // A store whose flags cannot even be read is followed by no data there, and by data here.
            15 => format!(
                "ms {key} 1 {}\r\n5\r\n",
                self.of(&["M", "MEA", "Mx", "T-", "T+1", "D", "J+1", "F4294967296", "5", "_", "v v"])
            ),
            _ => {
                let verb = self.of(&["mg", "md", "ma"]);
                let mut flags: Vec<_> = (0..1 + self.below(3)).map(|_| self.any_flag()).collect();
                // What docs/reference/protocol.md names: flags for an emptied item, an item that is made dead, the deadline of a
                // number that grows.
                let is_left_out = |flag: &String| match verb {
                    "md" => flag.starts_with('F'),
                    "mg" => flag.starts_with("N-"),
                    _ => flag.starts_with('T'),
                };
                flags.retain(|flag| !is_left_out(flag));
                format!("{verb} {key} {}\r\n", flags.join(" "))
            }
        }
    }

    /// Meta flags that tell something which both servers know, in any order.
    fn returns(&mut self, command: &str) -> String {
        let mut flags: Vec<&str> = match command {
            "mg" => vec!["v", "f", "s", "k", "t", "Oabc", "q"],
            "ms" => vec!["k", "Oabc", "q"],
            "ma" => vec!["k", "Oabc", "v", "t"],
            _ => vec!["k", "Oabc", "q"],
        };
        let mut line = String::new();
        for _ in 0..self.below(4) {
            if flags.is_empty() {
                break;
            }
            let at = self.below(flags.len() as u64) as usize;
            line += &format!(" {}", flags.swap_remove(at));
        }
        line
    }

    fn command(&mut self) -> String {
        let key = self.key();
        if !self.has_cas && self.below(5) == 0 {
            return match self.below(7) {
                0 => format!("gets {key} {}\r\n", self.key()),
                1 => format!("gats 0 {key}\r\n"),
                2 => format!("cas {key} 1 0 1 {}\r\nz\r\n", self.below(3)),
                3 => format!("mg {key} c v{}\r\n", self.of(&["", " t", " N100", " R2000"])),
                4 => format!("ms {key} 1 c{}\r\nz\r\n", self.of(&["", " C0", " C5", " MA"])),
                5 => format!("md {key}{}\r\n", self.of(&["", " C0", " C5"])),
                _ => format!("ma {key} v c{}\r\n", self.of(&["", " C0", " C5", " N100"])),
            };
        }
        if self.beside == Beside::Followed && self.below(4) == 0 {
            return self.corner();
        }
        match self.below(24) {
            0..=4 => {
                let (verb, value) = (self.of(&["set", "set", "add", "replace", "append", "prepend"]), self.value());
                let (flags, exptime, noreply) =
                    (self.of(&["0", "7", "4294967295"]), self.exptime(), self.of(&["", "", "", " noreply"]));
                format!("{verb} {key} {flags} {exptime} {}{noreply}\r\n{value}\r\n", value.len())
            }
            5..=8 => format!("get {key} {} {}\r\n", self.key(), self.key()),
            9 => format!("gat {} {key} {}\r\n", self.exptime(), self.key()),
            10 => format!("delete {key}{}\r\n", self.of(&["", " noreply", " 0"])),
            11 | 12 => format!("incr {key} {}\r\n", self.delta()),
            13 => format!("touch {key} {}\r\n", self.exptime()),
            14 => format!("cas {key} 1 0 1 {}\r\nz\r\n", self.of(&["77777777777", "99999999999"])),
            15 | 16 => format!("mg {key}{}\r\n", self.returns("mg")),
            17 | 18 => {
                let value = self.value();
                let mode = self.of(&["", " MS", " ME", " MA", " MP", " MR", " MX"]);
                let flags = self.of(&["", " F5", " T0", " T-1", " F9 T1000"]);
                // None, one that is older than all that both servers have, and one that is newer.
                let cas = if self.has_cas {
                    self.of(&["", "", "", " I", " C0", " C0 I", " C1", " C1 I", " C9999999999999999999 I"])
                } else {
                    ""
                };
                format!("ms {key} {}{mode}{flags}{cas}{}\r\n{value}\r\n", value.len(), self.returns("ms"))
            }
            19 => {
                let how = self.of(&["", "", " I T1000", " I", " I T-1"]);
                format!("md {key}{}{}\r\n", how, self.returns("md"))
            }
            20 => {
                let how = self.of(&["", " D7", " q", " MD D0", " MD q", " N0 J13", " N0 J13 D7"]);
                format!("ma {key}{how}{}\r\n", self.returns("ma"))
            }
            21 => {
                format!(
                    "mg {key} {}{}\r\n",
                    self.of(&["N1000", "R2000", "T1000", "T-1", "N1000 T500"]),
                    self.of(&[" v", " v f", " s", ""])
                )
            }
            // Without cas memcached tells items from those that were flushed by their seconds only.
            22 if self.has_cas && self.below(3) == 0 => "flush_all\r\n".to_owned(),
            22 => self.of(&["nonsense\r\n", "verbosity 0\r\n"]).to_owned(),
            _ => match self.below(4) {
                // The newer one says a second, empty line to a get.
                0 => format!("{} {} 1\r\n", self.of(&["incr", "touch"]), "k".repeat(251)),
                1 => format!("incr {key} 1 noreply\r\n"),
                2 => format!("set {key} 0 0 -1\r\n"),
                _ => format!("mg {}\r\n", "k".repeat(251)),
            },
        }
    }
}

//! Text and meta commands. What is left out is where the newer memcached, our model, answers otherwise than Debian's
//! 1.6.18 (a quiet `ma` that makes what it counts, lines with too few words, the data of a refused store, an `ms` that
//! makes what it should append to), what 1.6.18 itself does not keep to (a delayed flush brings back what an earlier
//! flush had hidden), and numbers that no two servers share (cas, idle seconds, whether an item was read before).
use crate::random::Random;
use crate::Language;

pub struct Text {
    random: Random,
    has_cas: bool,
    has_begun: bool,
}

impl Language for Text {
    type Comparable = String;

    fn new(random: Random, has_cas: bool) -> Text {
        Text { random, has_cas, has_begun: false }
    }

    fn say(&mut self) -> Vec<u8> {
        if !std::mem::replace(&mut self.has_begun, true) {
            // This key is named no more, so in memcached, which counts, all others have a cas above 1.
            return b"set first 0 0 1\r\nx\r\n".to_vec();
        }
        self.command().into_bytes()
    }

    fn mark() -> (Vec<u8>, Vec<u8>) {
        (b"mn\r\n".to_vec(), b"MN\r\n".to_vec())
    }

    /// Seconds that are left may differ by one between two servers.
    fn comparable(answer: &[u8]) -> String {
        let text = String::from_utf8_lossy(answer).into_owned();
        let words = |line: &str| {
            let word = |word: &str| {
                if word.len() > 2 && word.starts_with('t') && word[1..].parse::<u32>().is_ok() {
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
                0 => format!("get {}\r\n", "k".repeat(251)),
                1 => format!("incr {key} 1 noreply\r\n"),
                2 => format!("set {key} 0 0 -1\r\n"),
                _ => format!("mg {}\r\n", "k".repeat(251)),
            },
        }
    }
}

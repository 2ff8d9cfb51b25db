//! Requests, and their right answers, byte for byte.

use std::collections::HashSet;
use std::rc::Rc;

use crate::random::Random;
use crate::script::{Pad, Script};

/// The kind of request that a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRequest {
    /// One key.
    Get,
    /// This many keys in one line.
    MultiGet(u32),
    /// One key, which is there already.
    Set,
    /// A set of a key that never came before: where memory is full, something else has to go.
    SetNew,
}

/// How a server is spoken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadDialect {
    /// memcached's text protocol.
    Memcached,
    /// The one of Redis and Valkey, RESP2.
    Redis,
}

/// Operation on the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The row's requests, over random keys.
    Measure,
    /// A set of each key in turn.
    Fill,
    /// A get of each key in turn: is that there which was stored last?
    ReadBack,
}

/// An allowed answer to a set besides `STORED` when memory is full. memcached 1.6.18 gives it when its other
/// connections hold all evictable memory.
pub const REFUSED: &[u8] = b"SERVER_ERROR out of memory storing object\r\n";
/// The answer to a set.
pub const STORED: &[u8] = b"STORED\r\n";

/// Values begin with their key and version, so no two are alike; the rest is a slice of the pad.
const STAMP_LEN: usize = 16;
const PAD_STARTS: usize = 1 << 16;

/// Keys, their values, and the position in the sequence.
pub struct Workload {
    dialect: LoadDialect,
    request: LoadRequest,
    keys: u32,
    value_len: usize,
    /// The version of each key's value that was stored last. Keys of `SetNew` have one only.
    versions: Vec<u32>,
    /// The next key of `SetNew`.
    next_new: u32,
    /// New keys that the server had no room for: they must not be there.
    refused: HashSet<u32>,
    /// The next key of `Fill` and `ReadBack`.
    turn: u32,
    random: Random,
    pad: Rc<Pad>,
    /// ` LEN\r\n`, as a value's line ends.
    length: Vec<u8>,
}

impl Workload {
    /// What values up to this length are made of.
    pub fn pad(value_len_max: usize) -> Rc<Pad> {
        Rc::new(Pad::new(PAD_STARTS + value_len_max))
    }

    /// `keys` keys with values of this length, in memcached's text protocol.
    pub fn new(request: LoadRequest, keys: u32, value_len: usize, pad: &Rc<Pad>) -> Workload {
        assert!(value_len >= STAMP_LEN);
        Workload {
            dialect: LoadDialect::Memcached,
            request,
            keys,
            value_len,
            versions: vec![0; keys as usize],
            next_new: keys,
            refused: HashSet::new(),
            turn: 0,
            random: Random::new(1),
            pad: Rc::clone(pad),
            length: format!(" {value_len}\r\n").into_bytes(),
        }
    }

    /// Says it in another protocol.
    pub fn speaking(self, dialect: LoadDialect) -> Workload {
        Workload { dialect, ..self }
    }

    /// The keys that follow are the same for each server that is compared.
    pub fn begin(&mut self, seed: u64) {
        self.random = Random::new(seed);
        self.turn = 0;
    }

    /// Whether the server may refuse the request for lack of room.
    pub fn may_be_refused(&self, task: Task) -> bool {
        (task, self.request) == (Task::Measure, LoadRequest::SetNew)
    }

    /// These were refused.
    pub fn note_refused(&mut self, keys: &[u32]) {
        self.refused.extend(keys);
        let oldest = self.next_new - self.keys;
        self.refused.retain(|key| *key >= oldest);
    }

    /// Appends one request and the only right answer to it, `REFUSED` aside; returns its last key. Each connection stores
    /// keys of its own, and answers come in order on a connection: so it is known what each key holds.
    pub fn ask(
        &mut self,
        task: Task,
        connection: usize,
        connections: usize,
        request: &mut Script,
        answer: &mut Script,
    ) -> u32 {
        match (task, self.request) {
            (Task::Measure, LoadRequest::Get) => self.ask_get(1, request, answer),
            (Task::Measure, LoadRequest::MultiGet(keys)) => self.ask_get(keys, request, answer),
            (Task::Measure, LoadRequest::Set) => {
                let own = (self.keys / connections as u32).max(1);
                let key = connection as u32 + connections as u32 * self.random.below(own);
                self.ask_set(key % self.keys, request, answer)
            }
            (Task::Measure, LoadRequest::SetNew) => {
                let key = self.next_new;
                self.next_new += 1;
                self.ask_set(key, request, answer)
            }
            (Task::Fill, _) => {
                let key = self.next_in_turn();
                self.ask_set(key, request, answer)
            }
            (Task::ReadBack, _) => {
                // Of keys that never come again the newest: the others may be gone.
                let oldest = if self.request == LoadRequest::SetNew { self.next_new - self.keys } else { 0 };
                let key = oldest + self.next_in_turn();
                self.begin_get(1, request, answer);
                self.ask_key(key, request, answer);
                self.end_get(request, answer);
                key
            }
        }
    }

    fn next_in_turn(&mut self) -> u32 {
        let key = self.turn;
        self.turn = (key + 1) % self.keys;
        key
    }

    fn ask_get(&mut self, count: u32, request: &mut Script, answer: &mut Script) -> u32 {
        let mut key = 0;
        self.begin_get(count, request, answer);
        for _ in 0..count {
            key = self.random.below(self.keys);
            self.ask_key(key, request, answer);
        }
        self.end_get(request, answer);
        key
    }

    fn begin_get(&self, count: u32, request: &mut Script, answer: &mut Script) {
        match self.dialect {
            LoadDialect::Memcached => request.push(b"get"),
            LoadDialect::Redis if count == 1 => request.push(b"*2\r\n$3\r\nGET\r\n"),
            LoadDialect::Redis => {
                request.push(format!("*{}\r\n$4\r\nMGET\r\n", count + 1).as_bytes());
                answer.push(format!("*{count}\r\n").as_bytes());
            }
        }
    }

    fn end_get(&self, request: &mut Script, answer: &mut Script) {
        if self.dialect == LoadDialect::Memcached {
            request.push(b"\r\n");
            answer.push(b"END\r\n");
        }
    }

    fn ask_key(&self, key: u32, request: &mut Script, answer: &mut Script) {
        if self.dialect == LoadDialect::Redis {
            push_argument(&key_name(key), request);
            answer.push(b"$");
            answer.push(&self.length[1..]);
            self.push_value(key, answer);
            return;
        }
        request.push(b" ");
        request.push(&key_name(key));
        if self.refused.contains(&key) {
            return;
        }
        answer.push(b"VALUE ");
        answer.push(&key_name(key));
        answer.push(&flags(key));
        answer.push(&self.length);
        self.push_value(key, answer);
    }

    fn ask_set(&mut self, key: u32, request: &mut Script, answer: &mut Script) -> u32 {
        if let Some(version) = self.versions.get_mut(key as usize) {
            *version += 1;
        }
        if self.dialect == LoadDialect::Redis {
            request.push(b"*3\r\n$3\r\nSET\r\n");
            push_argument(&key_name(key), request);
            request.push(b"$");
            request.push(&self.length[1..]);
            self.push_value(key, request);
            answer.push(b"+OK\r\n");
            return key;
        }
        request.push(b"set ");
        request.push(&key_name(key));
        request.push(&flags(key));
        request.push(b" 0");
        request.push(&self.length);
        self.push_value(key, request);
        answer.push(STORED);
        key
    }

    fn push_value(&self, key: u32, script: &mut Script) {
        let version = self.versions.get(key as usize).copied().unwrap_or(1);
        let mut stamp = [0; STAMP_LEN];
        decimal(&mut stamp[..8], key);
        decimal(&mut stamp[8..], version);
        script.push(&stamp);
        let start = (key as usize * 61 + version as usize * 7) % PAD_STARTS;
        script.push_pad(&self.pad, start, self.value_len - STAMP_LEN);
        script.push(b"\r\n");
    }
}

/// As Redis takes it.
fn push_argument(bytes: &[u8], request: &mut Script) {
    request.push(format!("${}\r\n", bytes.len()).as_bytes());
    request.push(bytes);
    request.push(b"\r\n");
}

fn key_name(key: u32) -> [u8; 16] {
    let mut name = *b"bench:0000000000";
    decimal(&mut name[6..], key);
    name
}

/// Of one width for all keys, so that all requests of a row have the same length.
fn flags(key: u32) -> [u8; 5] {
    let mut flags = *b" 0000";
    decimal(&mut flags[1..], 1000 + key % 9000);
    flags
}

fn decimal(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(workload: &mut Workload, task: Task) -> (String, String) {
        let (mut request, mut answer) = (Script::default(), Script::default());
        workload.ask(task, 0, 1, &mut request, &mut answer);
        // One char a byte, for any byte.
        let text = |script: &Script| script.to_vec(&workload.pad).into_iter().map(char::from).collect();
        (text(&request), text(&answer))
    }

    #[test]
    fn a_read_expects_what_was_stored_last() {
        let mut workload = Workload::new(LoadRequest::Set, 3, 16, &Workload::pad(16));
        for version in 1..3 {
            for key in 0..3 {
                let (request, answer) = asked(&mut workload, Task::Fill);
                let flags = 1000 + key;
                assert_eq!(
                    format!("set bench:000000000{key} {flags} 0 16\r\n0000000{key}0000000{version}\r\n"),
                    request
                );
                assert_eq!("STORED\r\n", answer);
            }
        }
        workload.begin(1);
        let (request, answer) = asked(&mut workload, Task::ReadBack);
        assert_eq!("get bench:0000000000\r\n", request);
        assert_eq!("VALUE bench:0000000000 1000 16\r\n0000000000000002\r\nEND\r\n", answer);
    }

    #[test]
    fn redis_is_asked_for_the_same() {
        let mut workload =
            Workload::new(LoadRequest::MultiGet(2), 1, 16, &Workload::pad(16)).speaking(LoadDialect::Redis);
        let (request, answer) = asked(&mut workload, Task::Fill);
        let key = "$16\r\nbench:0000000000\r\n";
        assert_eq!(format!("*3\r\n$3\r\nSET\r\n{key}$16\r\n0000000000000001\r\n"), request);
        assert_eq!("+OK\r\n", answer);
        let value = "$16\r\n0000000000000001\r\n";
        assert_eq!((format!("*2\r\n$3\r\nGET\r\n{key}"), value.to_owned()), asked(&mut workload, Task::ReadBack));
        assert_eq!(
            (format!("*3\r\n$4\r\nMGET\r\n{key}{key}"), format!("*2\r\n{value}{value}")),
            asked(&mut workload, Task::Measure)
        );
    }

    #[test]
    fn new_keys_are_new_and_the_newest_are_read_back() {
        let mut workload = Workload::new(LoadRequest::SetNew, 2, 16, &Workload::pad(16));
        for key in 2..5 {
            let (request, _) = asked(&mut workload, Task::Measure);
            assert!(request.starts_with(&format!("set bench:000000000{key} ")), "{request}");
        }
        for key in 3..5 {
            let (request, answer) = asked(&mut workload, Task::ReadBack);
            assert_eq!(format!("get bench:000000000{key}\r\n"), request);
            assert!(answer.contains(&format!("\r\n0000000{key}00000001\r\n")), "{answer}");
        }
    }

    #[test]
    fn what_was_refused_must_not_be_there() {
        let mut workload = Workload::new(LoadRequest::SetNew, 2, 16, &Workload::pad(16));
        for _ in 0..2 {
            asked(&mut workload, Task::Measure);
        }
        workload.note_refused(&[2]);
        assert_eq!(asked(&mut workload, Task::ReadBack).1, "END\r\n");
        assert!(asked(&mut workload, Task::ReadBack).1.starts_with("VALUE bench:0000000003 "));
    }

    #[test]
    fn connections_store_keys_of_their_own() {
        let mut workload = Workload::new(LoadRequest::Set, 10, 16, &Workload::pad(16));
        let mut owners = [None; 10];
        for turn in 0..1000 {
            let (connection, before) = (turn % 5, workload.versions.clone());
            workload.ask(Task::Measure, connection, 5, &mut Script::default(), &mut Script::default());
            let key = (0..10).find(|&key| workload.versions[key] != before[key]).expect("one was stored");
            assert_eq!(connection, *owners[key].get_or_insert(connection));
        }
    }

    #[test]
    fn all_requests_of_a_row_have_one_length() {
        let pad = Workload::pad(100);
        for request in [LoadRequest::Get, LoadRequest::MultiGet(100), LoadRequest::Set, LoadRequest::SetNew] {
            let mut workload = Workload::new(request, 100_000, 100, &pad);
            let (first, answer) = asked(&mut workload, Task::Measure);
            for _ in 0..100 {
                let (other, also) = asked(&mut workload, Task::Measure);
                assert_eq!(
                    (first.chars().count(), answer.chars().count()),
                    (other.chars().count(), also.chars().count())
                );
            }
        }
    }
}

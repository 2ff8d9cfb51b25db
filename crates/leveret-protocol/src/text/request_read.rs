//! From the front of the input to one request: which command its line names.
use super::line::{ParsedText, RequestLine, BAD_FORMAT};
use super::{classic, meta, RequestFault, TextCommand, TextRefusal, Words};
use crate::{Limits, Parsed, KEY_MAX};
use memchr::memchr;

/// A line that is no multi-key get has at most this many bytes. The number is memcached's; it looks only at lines that
/// come in pieces, we look at all, so that the answer does not depend on how the network cuts them.
const LINE_MAX: usize = 2048;

/// Multi-key gets are as long as the client likes in memcached, until its memory ends. This is room for 100,000 keys of
/// 40 bytes.
const GET_LINE_MAX: usize = 4 << 20;

const UNKNOWN: &str = "ERROR";
const TOO_LONG: &str = "SERVER_ERROR out of memory reading request";

/// Reads one request from the front of `input`.
pub fn parse<'a>(input: &'a [u8], limits: &Limits) -> ParsedText<'a> {
    parse_after(input, 0, limits)
}

/// As `parse`, for input whose first `scanned` bytes hold no end of a line, as the last `More` said.
pub fn parse_after<'a>(input: &'a [u8], scanned: usize, limits: &Limits) -> ParsedText<'a> {
    let scanned = scanned.min(input.len());
    let Some(newline) = memchr(b'\n', &input[scanned..]) else {
        return unfinished(input);
    };
    let newline = scanned + newline;
    let consumed = newline + 1;
    let line = match &input[..newline] {
        [line @ .., b'\r'] => line,
        line => line,
    };
    // The most frequent request: a few keys, nothing else on the line. A line no longer than the longest key cannot
    // hold a key that is too long.
    if let [b'g', b'e', b't', b' ', keys @ ..] = line {
        if keys.len() <= KEY_MAX && keys.first().is_some_and(|byte| *byte != b' ') {
            return Parsed::Request { request: TextCommand::Get { keys: Words(keys), with_cas: false }, consumed };
        }
    }
    if newline > line_max(input) {
        return too_long(input);
    }
    command(RequestLine { input, line, consumed, limits, end: None })
}

/// As `parse`, for the line of a store whose data block was received somewhere else, up to its last two bytes `end`:
/// the request has an empty value.
pub fn parse_line<'a>(line: &'a [u8], end: [u8; 2], limits: &Limits) -> ParsedText<'a> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    command(RequestLine { input: line, line: text, consumed: line.len(), limits, end: Some(end) })
}

fn command<'a>(line: RequestLine<'a, '_>) -> ParsedText<'a> {
    let mut words = Words(line.line);
    // No command is so short, and none has a space in front.
    let name = match line.line {
        [] | [_] => return line.refuse(BAD_FORMAT),
        [b' ', ..] => return line.refuse(UNKNOWN),
        _ => words.next().unwrap_or(b""),
    };
    match name {
        b"get" => classic::get(&line, words, false),
        b"gets" => classic::get(&line, words, true),
        b"mg" => meta::get(&line, words),
        b"set" | b"add" | b"replace" | b"append" | b"prepend" | b"cas" => classic::store(&line, name, words),
        b"ms" => meta::store(&line, words),
        b"mn" => line.request(TextCommand::MetaNoop),
        b"md" => meta::delete(&line, words),
        b"ma" => meta::count(&line, words),
        b"me" => meta::debug(&line, words),
        b"delete" => classic::delete(&line, words),
        b"incr" => classic::count(&line, words, false),
        b"decr" => classic::count(&line, words, true),
        b"touch" => classic::touch(&line, words),
        b"gat" => classic::get_and_touch(&line, words, false),
        b"gats" => classic::get_and_touch(&line, words, true),
        b"stats" => line.request(TextCommand::Stats { words }),
        b"flush_all" => classic::flush_all(&line, words),
        b"version" => line.request(TextCommand::Version),
        b"refresh_certs" => line.request(TextCommand::RefreshCerts),
        b"quit" => line.request(TextCommand::Quit),
        b"verbosity" => classic::verbosity(&line, words),
        b"shutdown" => classic::shutdown(&line, words),
        b"cache_memlimit" => classic::cache_memlimit(&line, words),
        b"slabs" => classic::slabs(&line, words),
        b"lru" => classic::lru(&line, words),
        b"lru_crawler" => classic::lru_crawler(&line, words),
        b"watch" => line.request(TextCommand::Watch { words }),
        name if is_http(name, words) => hang_up(line.input, ""),
        _ => line.refuse(UNKNOWN),
    }
}

/// A web browser at the wrong port, or sent by an attacker who hopes that a line of its request is a command.
fn is_http(name: &[u8], mut words: Words<'_>) -> bool {
    let (path, version) = (words.next(), words.next());
    let is_method = matches!(name, b"GET" | b"PUT" | b"POST" | b"HEAD" | b"DELETE" | b"OPTIONS" | b"PATCH");
    is_method && path.is_some() || version.is_some_and(|version| version.starts_with(b"HTTP/"))
}

fn unfinished<'a>(input: &'a [u8]) -> ParsedText<'a> {
    if input.len() > line_max(input) {
        return too_long(input);
    }
    Parsed::More { total: input.len() + 1, scanned: input.len() }
}

fn line_max(input: &[u8]) -> usize {
    match Words(&input[..input.len().min(100)]).next() {
        Some(b"get" | b"gets" | b"gat" | b"gats") => GET_LINE_MAX,
        _ => LINE_MAX,
    }
}

fn too_long(input: &[u8]) -> ParsedText<'_> {
    hang_up(input, if line_max(input) == GET_LINE_MAX { TOO_LONG } else { "" })
}

/// Closes the connection: the following bytes cannot be trusted to be a request.
fn hang_up<'a>(input: &'a [u8], answer: &'static str) -> ParsedText<'a> {
    let refusal = TextRefusal { answer, is_silent: false, fault: RequestFault::Line, forget: None, close: true };
    Parsed::Refused { refusal, consumed: input.len(), swallow: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreMode;

    const LIMITS: Limits = Limits { value_max: 8 };

    fn request(input: &str) -> TextCommand<'_> {
        match parse(input.as_bytes(), &LIMITS) {
            Parsed::Request { request, consumed } if consumed == input.len() => request,
            other => panic!("{input:?}: {other:?}"),
        }
    }

    fn refused(input: &str) -> (TextRefusal<'_>, usize, usize) {
        match parse(input.as_bytes(), &LIMITS) {
            Parsed::Refused { refusal, consumed, swallow } => (refusal, consumed, swallow),
            other => panic!("{input:?}: {other:?}"),
        }
    }

    #[test]
    fn lines_end_with_or_without_a_carriage_return() {
        assert_eq!(request("get a\n"), request("get a\r\n"));
        assert_eq!(request("version\n"), TextCommand::Version);
        assert_eq!(request("mn   anything\r\n"), TextCommand::MetaNoop);
        assert_eq!(request("refresh_certs\r\n"), TextCommand::RefreshCerts);
    }

    #[test]
    fn gets_have_keys() {
        let long = "k".repeat(KEY_MAX);
        for (input, want) in [
            ("get a\r\n", vec!["a"]),
            ("get  a  b \r\n", vec!["a", "b"]),
            ("gets a\r\n", vec!["a"]),
            ("gat 5 a b\r\n", vec!["a", "b"]),
            ("get a\tb\r\r\n", vec!["a\tb\r"]),
            (&format!("get {long} b {long}\r\n"), vec![&long, "b", &long]),
        ] {
            let (TextCommand::Get { keys, .. } | TextCommand::GetAndTouch { keys, .. }) = request(input) else {
                panic!("{input:?}")
            };
            assert_eq!(
                keys.collect::<Vec<_>>(),
                want.iter().map(|key| key.as_bytes()).collect::<Vec<_>>(),
                "{input:?}"
            );
        }
    }

    #[test]
    fn stores_take_their_block() {
        assert_eq!(
            request("set k 1 -1 3\r\na\nb\r\n"),
            TextCommand::Store {
                verb: StoreMode::Set,
                compare: None,
                key: b"k",
                flags: 1,
                exptime: -1,
                value: b"a\nb",
                noreply: false
            }
        );
        assert_eq!(
            request("cas k 4294967296 4294967296 0 7 noreply\n\r\n"),
            TextCommand::Store {
                verb: StoreMode::Set,
                compare: Some(7),
                key: b"k",
                flags: 0,
                exptime: 0,
                value: b"",
                noreply: true
            }
        );
        for (name, verb) in [
            ("add", StoreMode::Add),
            ("replace", StoreMode::Replace),
            ("append", StoreMode::Append),
            ("prepend", StoreMode::Prepend),
        ] {
            let input = format!("{name} k 0 0 1\r\nv\r\n");
            assert!(matches!(request(&input), TextCommand::Store { verb: found, .. } if found == verb), "{name}");
        }
    }

    #[test]
    fn lines_that_are_refused() {
        let long = "k".repeat(KEY_MAX + 1);
        for (input, answer) in [
            ("\r\n", BAD_FORMAT),
            ("\n", BAD_FORMAT),
            ("g\r\n", BAD_FORMAT),
            (" get a\r\n", "ERROR"),
            ("  \r\n", "ERROR"),
            ("nonsense\r\n", "ERROR"),
            ("get\ta\r\n", "ERROR"),
            ("GETX\r\n", "ERROR"),
            ("get\r\n", BAD_FORMAT),
            ("gets \r\n", BAD_FORMAT),
            ("gat 1\r\n", BAD_FORMAT),
            ("gat x a\r\n", "CLIENT_ERROR invalid exptime argument"),
            (&format!("get a {long}\r\n"), BAD_FORMAT),
            (&format!("get {long} a\r\n"), BAD_FORMAT),
            ("delete\r\n", BAD_FORMAT),
            (&format!("delete {long}\r\n"), BAD_FORMAT),
            ("touch x\r\n", BAD_FORMAT),
            ("touch a x\r\n", "CLIENT_ERROR invalid exptime argument"),
            ("incr a\r\n", BAD_FORMAT),
            ("incr a -1\r\n", "CLIENT_ERROR invalid numeric delta argument"),
            ("decr a 18446744073709551616\r\n", "CLIENT_ERROR invalid numeric delta argument"),
            ("flush_all word\r\n", "CLIENT_ERROR invalid exptime argument"),
            ("verbosity\r\n", BAD_FORMAT),
            ("verbosity -1\r\n", BAD_FORMAT),
            ("shutdown soon\r\n", "CLIENT_ERROR invalid shutdown mode"),
            ("cache_memlimit x\r\n", "ERROR"),
            ("slabs\r\n", "ERROR"),
            ("slabs reassign x 2\r\n", BAD_FORMAT),
            ("lru mode x\r\n", "ERROR"),
            ("lru tune 1 2 nan 4\r\n", "ERROR"),
            ("lru_crawler sleep 1 2\r\n", "ERROR"),
            ("set a\r\n", BAD_FORMAT),
            ("set a 0 0 -1\r\n", BAD_FORMAT),
            ("set a 0 0 4294967295\r\n", BAD_FORMAT),
            ("set a 0 0 2147483647\r\n", BAD_FORMAT),
            ("mg\r\n", BAD_FORMAT),
            ("mg a v v\r\n", "CLIENT_ERROR duplicate flag"),
            ("mg a !\r\n", BAD_FORMAT),
            ("mg a S5\r\n", "CLIENT_ERROR invalid flag"),
            ("mg a T\r\n", "CLIENT_ERROR bad token in command line format"),
            ("mg a b\r\n", "CLIENT_ERROR error decoding key"),
            ("mg a Dx\r\n", "CLIENT_ERROR invalid numeric delta value"),
            ("mg a Jx F-1\r\n", "CLIENT_ERROR invalid numeric initial value"),
            ("mg a F-1 Dx\r\n", "CLIENT_ERROR invalid numeric delta value"),
            ("mg a F-1\r\n", BAD_FORMAT),
            ("mg a Tx v v\r\n", "CLIENT_ERROR duplicate flag"),
            ("mg a Tx b\r\n", "CLIENT_ERROR error decoding key"),
            (&format!("mg a O{}\r\n", "o".repeat(32)), "CLIENT_ERROR opaque token too long"),
            ("md a Tx\r\n", "CLIENT_ERROR bad token in command line format"),
            ("ma a Tx\r\n", "CLIENT_ERROR invalid or duplicate flag"),
            ("ma a !\r\n", BAD_FORMAT),
            ("ma a MX\r\n", "CLIENT_ERROR invalid mode for ma M token"),
            ("ms a S2\r\n", BAD_FORMAT),
        ] {
            let (refusal, consumed, swallow) = refused(input);
            assert_eq!((refusal.answer, refusal.is_silent, refusal.close), (answer, false, false), "{input:?}");
            assert_eq!((consumed, swallow), (input.len(), 0), "{input:?}");
        }
    }

    #[test]
    fn a_refused_store_swallows_its_block() {
        for (input, answer, consumed, swallow) in [
            ("set a x 0 3\r\nabc\r\nget a\r\n", BAD_FORMAT, 18, 0),
            ("cas a 0 0 3 x\r\nab", BAD_FORMAT, 17, 3),
            ("ms a 3 MX\r\nabc\r\n", "CLIENT_ERROR invalid mode for ms M token", 16, 0),
            ("ms a 3 M\r\nabc\r\n", "CLIENT_ERROR invalid mode for ms M token", 15, 0),
            ("ms a 3 q q\r\n", "CLIENT_ERROR duplicate flag", 12, 5),
            ("set a 0 0 9\r\n", "SERVER_ERROR object too large for cache", 13, 11),
            ("set a 0 0 3\r\nabcde\r\n", "CLIENT_ERROR bad data chunk", 18, 0),
            ("set a 0 0 1\r\n1\n\nget a\r\n", "CLIENT_ERROR bad data chunk", 16, 0),
        ] {
            let (refusal, found, rest) = refused(input);
            assert_eq!((refusal.answer, found, rest), (answer, consumed, swallow), "{input:?}");
        }
        assert!(refused("set a 0 0 9 noreply\r\n").0.is_silent);
    }

    #[test]
    fn only_a_too_large_set_forgets_the_old_item() {
        for (input, forget) in [
            ("set a 0 0 9\r\n", Some("a")),
            ("ms YQ== 9 b\r\n", Some("a")),
            ("ms a 9 MS\r\n", Some("a")),
            ("add a 0 0 9\r\n", None),
            ("cas a 0 0 9 1\r\n", None),
            ("ms a 9 C1\r\n", None),
            ("set a 0 x 9\r\n", None),
        ] {
            let key = refused(input).0.forget.map(|key| key.decode(&mut [0; KEY_MAX]).to_vec());
            assert_eq!(key, forget.map(|key| key.as_bytes().to_vec()), "{input:?}");
        }
    }

    #[test]
    fn nobody_is_served_who_speaks_something_else() {
        let long = "x".repeat(LINE_MAX + 1);
        for input in
            ["GET / HTTP/1.0\r\n", "PUT x\r\n", "DELETE HTTP\r\n", "brew / HTTP/1.1\r\n", &long, &format!("{long}\r\n")]
        {
            let (refusal, consumed, _) = refused(input);
            assert_eq!((refusal.answer, refusal.close, consumed), ("", true, input.len()), "{input:?}");
        }
    }

    #[test]
    fn an_unfinished_request_says_how_much_it_needs() {
        let more = |input: &str| match parse(input.as_bytes(), &LIMITS) {
            Parsed::More { total, scanned } => (total, scanned),
            other => panic!("{input:?}: {other:?}"),
        };
        assert_eq!(more(""), (1, 0));
        assert_eq!(more("get a"), (6, 5));
        assert_eq!(more("set a 0 0 5\r\nab"), (20, 0));
        assert_eq!(more(&"x".repeat(LINE_MAX)), (LINE_MAX + 1, LINE_MAX));
        let long_get = format!("get{}", " key".repeat(1000));
        assert_eq!(more(&long_get), (long_get.len() + 1, long_get.len()));
    }

    #[test]
    fn noreply_is_the_last_word() {
        for (input, is_silent) in [
            ("delete a noreply\r\n", true),
            ("delete a 0 noreply \r\n", true),
            ("delete noreply\r\n", true),
            ("touch a 1 noreply\r\n", true),
            ("incr a 1 noreply\r\n", true),
            ("flush_all noreply\r\n", true),
            ("flush_all 5 noreply\r\n", true),
            ("verbosity 1 noreply\r\n", true),
            ("set a 0 0 0 noreply\r\n\r\n", true),
            ("set a 0 0 0 noreply more\r\n\r\n", false),
        ] {
            let (TextCommand::Delete { noreply, .. }
            | TextCommand::Touch { noreply, .. }
            | TextCommand::Count { noreply, .. }
            | TextCommand::FlushAll { noreply, .. }
            | TextCommand::Verbosity { noreply, .. }
            | TextCommand::Store { noreply, .. }) = request(input)
            else {
                panic!("{input:?}")
            };
            assert_eq!(noreply, is_silent, "{input:?}");
        }
    }
}

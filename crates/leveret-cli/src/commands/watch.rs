//! `leveret watch`: what the clients of a server do, as it happens.
use crate::commands::list::places;
use crate::conversation::Exchange;
use crate::json;
use crate::output::{self, shown, CommandResult, Failure, BAD, FAINT, GOOD, STRONG, WARNING};
use crate::peer::{Patience, Peer};
use crate::redis::RedisPeer;
use crate::target::{attach, TargetArgs};
use crate::units::{bytes, counted, span, thousands};
use anstyle::Style;
use clap::{Args, ValueEnum};
use leveret_engine::reason;
use leveret_protocol::percent;
use leveret_server::printable::steers;
use serde_json::{Map, Value};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::{process, thread};

/// Show the requests of a server's clients as they happen
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct WatchArgs {
    /// [user@][tls://]host[:port], [user@]/path/to/socket, redis://[user@]host[:port], or arena:NAME of an arena that is served;
    /// without it the server of --arena
    target: Option<String>,

    /// What to show [default: all but connections]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    events: Vec<Kind>,

    /// Only keys that match: * is any bytes, ? is any byte
    #[arg(long, value_name = "GLOB")]
    key: Option<String>,

    #[command(flatten)]
    patience: Patience,
}

const EXAMPLES: &str = "\
Examples:
  leveret watch                                     the server of the arena 'default', until Ctrl-C
  leveret watch localhost:11211 --events mutations --key 'user:*'
  leveret watch /run/cache.sock --events deletions,evictions
  leveret watch redis://localhost                   'leveret serve --redis'
  leveret watch --json | jq -r 'select(.status == \"not_found\") | .key'

The target is 'leveret serve' or any memcached, but no Redis. Events are the requests of that server's clients, with 'leveret serve' also those of
PHP, Ruby and tools in its arena (with program and process id). A server does not wait for watchers: a line counts missed events. Times are UTC.

Exit codes: 0 ended by Ctrl-C; 1 the server refuses; 2 wrong usage; 3 cannot reach the server, or it has gone.";

/// What is shown if nothing is chosen. Deletions are last: older memcacheds have none.
const USUAL: [Kind; 4] = [Kind::Fetchers, Kind::Mutations, Kind::Evictions, Kind::Deletions];

/// Where a server is asked.
enum WatchPlace {
    Memcached(Peer),
    Redis(RedisPeer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Look-ups, including those of stores and deletes
    Fetchers,
    /// Stores
    Mutations,
    /// Deleted items
    Deletions,
    /// Evicted items
    Evictions,
    /// Opened and closed connections
    Connevents,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Fetchers => "fetchers",
            Kind::Mutations => "mutations",
            Kind::Deletions => "deletions",
            Kind::Evictions => "evictions",
            Kind::Connevents => "connevents",
        }
    }
}

impl WatchArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let redis = self.target.as_deref().and_then(RedisPeer::of).transpose()?;
        let place = match redis {
            Some(redis) => WatchPlace::Redis(redis),
            None => served(Peer::of(self.target.as_deref(), target)?)?,
        };
        let mut conversation = match place {
            WatchPlace::Redis(redis) => {
                let kinds = if self.events.is_empty() { &USUAL[..] } else { &self.events };
                redis.watch(&kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>(), self.patience.timeout)?
            }
            WatchPlace::Memcached(peer) => {
                let mut conversation = Exchange::begin(&peer, self.patience.timeout)?;
                self.begin(&mut conversation)?;
                conversation
            }
        };
        end_at_signals()?;
        if !as_json {
            let mut out = output::text();
            writeln!(
                out,
                "{STRONG}{:<12}  {:<7} {:<10} {:>9}  {:>7}  KEY{STRONG:#}",
                "TIME", "EVENT", "RESULT", "SIZE", "TTL"
            )?;
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            while !conversation.listen(&mut line)? {}
            let event = WatcherLine::read(&line).ok_or_else(|| conversation.nonsense(&line))?;
            if !self.wants(&event) {
                continue;
            }
            if as_json {
                output::json_line(&mut output::raw(), &event.json())?;
            } else {
                event.show(&mut output::text())?;
            }
        }
    }

    /// A memcached that is older than deletions is asked for the rest, unless they were asked for by name.
    fn begin(&self, conversation: &mut Exchange) -> Result<(), Failure> {
        let ask = |conversation: &mut Exchange, kinds: &[Kind]| {
            let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
            conversation.say(format!("watch {}\r\n", words.join(" ")).as_bytes())?;
            conversation.line()
        };
        let is_usual = self.events.is_empty();
        let mut answer = ask(conversation, if is_usual { &USUAL } else { &self.events })?;
        if is_usual && answer.starts_with(b"ERROR") {
            answer = ask(conversation, &USUAL[..3])?;
        }
        if answer.starts_with(b"OK") {
            return Ok(());
        }
        if answer.starts_with(b"ERROR") {
            return Err(Failure::Refused(format!(
                "{} knows no 'watch' of these events; --events mutations is what every server knows that has it",
                conversation.who()
            )));
        }
        if answer.starts_with(b"WATCHER") {
            return Err(Failure::Refused(format!(
                "{} answers: {}",
                conversation.who(),
                shown(answer.trim_ascii_end())
            )));
        }
        conversation.check(&answer)?;
        Err(conversation.nonsense(&answer))
    }

    fn wants(&self, event: &WatcherLine) -> bool {
        match (&self.key, &event.key, event.skipped) {
            (None, ..) | (_, _, Some(_)) => true,
            (Some(glob), Some(key), None) => matches(glob.as_bytes(), key),
            (Some(_), None, None) => false,
        }
    }
}

/// An arena is watched at the server that serves it.
fn served(peer: Peer) -> Result<WatchPlace, Failure> {
    let Peer::Arena { name, path } = &peer else { return Ok(WatchPlace::Memcached(peer)) };
    let arena = attach(path, None)?;
    let place = places(&arena).into_iter().find_map(|place| {
        let (kind, place) = place.split_once(' ')?;
        let peer = match kind {
            "resp" => return RedisPeer::announced(place).map(WatchPlace::Redis),
            "unix" => Some(Peer::Unix { user: None, path: place.into() }),
            "tcp" => {
                let (host, port) = place.rsplit_once(':')?;
                let host = host.trim_start_matches('[').trim_end_matches(']');
                let host = match host {
                    "0.0.0.0" => "127.0.0.1",
                    "::" => "::1",
                    host => host,
                };
                Some(Peer::Tcp { user: None, host: host.to_owned(), port: port.parse().ok()?, has_tls: false })
            }
            _ => None,
        };
        peer.map(WatchPlace::Memcached)
    });
    place.ok_or_else(|| {
        Failure::Unreachable(format!(
            "no server serves the arena {name}, and only a server can be watched: name another target, or start 'leveret serve --arena {name}'"
        ))
    })
}

/// Ends the process, between two lines.
fn end_at_signals() -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Failure::Unreachable(format!("cannot handle signals: {}", reason(&error))))?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            let mut out = io::stdout().lock();
            let _ = out.flush();
            process::exit(0);
        }
    });
    Ok(())
}

/// A line of a watcher, taken apart.
#[derive(Debug, Default, PartialEq)]
pub struct WatcherLine {
    secs: u64,
    micros: u32,
    gid: u64,
    kind: String,
    pub key: Option<Vec<u8>>,
    /// What else it says, in its order.
    rest: Vec<(String, String)>,
    /// No event: the number of missed ones.
    skipped: Option<u64>,
}

impl WatcherLine {
    pub fn read(line: &[u8]) -> Option<WatcherLine> {
        let text = std::str::from_utf8(line.trim_ascii_end()).ok().filter(|text| !text.chars().any(steers))?;
        let mut event = WatcherLine::default();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=')?;
            match name {
                "skipped" => event.skipped = Some(value.parse().ok()?),
                "ts" => {
                    // Behind the point stands a number of microseconds: memcached leaves out its leading zeros.
                    let (secs, micros) = value.split_once('.')?;
                    (event.secs, event.micros) = (secs.parse().ok()?, micros.parse().ok()?);
                }
                "gid" => event.gid = value.parse().ok()?,
                "type" => event.kind = value.to_owned(),
                "key" => event.key = Some(percent::decode(value.as_bytes())?),
                _ => event.rest.push((name.to_owned(), value.to_owned())),
            }
        }
        (event.skipped.is_some() || (event.secs > 0 && !event.kind.is_empty())).then_some(event)
    }

    fn of(&self, name: &str) -> &str {
        self.rest.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.of(name).parse().ok()
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        if let Some(skipped) = self.skipped {
            object.insert("skipped".to_owned(), skipped.into());
            return object.into();
        }
        object.insert("time".to_owned(), (self.secs as f64 + f64::from(self.micros) / 1e6).into());
        object.insert("gid".to_owned(), self.gid.into());
        object.insert("type".to_owned(), self.kind.as_str().into());
        if let Some(Value::Object(key)) = self.key.as_deref().and_then(|key| serde_json::to_value(json::key(key)).ok())
        {
            object.extend(key);
        }
        for (name, value) in &self.rest {
            object.insert(name.clone(), value.parse::<i64>().map_or_else(|_| value.as_str().into(), Value::from));
        }
        object.into()
    }

    fn show(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(skipped) = self.skipped {
            return writeln!(out, "{WARNING}{} missed: too many to show in time{WARNING:#}", counted(skipped, "event"));
        }
        let day = self.secs % 86_400;
        write!(
            out,
            "{FAINT}{:02}:{:02}:{:02}.{:03}{FAINT:#}",
            day / 3600,
            day / 60 % 60,
            day % 60,
            self.micros / 1000
        )?;
        let size = self.number("size").map_or(String::new(), |size| bytes(size.max(0) as u64));
        let ttl = match (self.kind.as_str(), self.number("ttl")) {
            ("item_store", Some(0)) | (_, None) => String::new(),
            ("eviction", Some(-1)) => String::new(),
            // memcached writes a negative one as one of 32 bits.
            (_, Some(ttl)) if !(0..1 << 31).contains(&ttl) => "past".to_owned(),
            (_, Some(ttl)) => span(ttl as u64),
        };
        let key = self.key.as_deref().map(shown);
        let (event, result, style, size, text) = match self.kind.as_str() {
            "item_get" => {
                let style = if self.of("status") == "found" { GOOD } else { WARNING };
                let size = if self.of("status") == "found" { size } else { String::new() };
                ("get", self.of("status"), style, size, key)
            }
            "item_store" => {
                let style = if self.of("status") == "stored" { GOOD } else { WARNING };
                (self.of("cmd"), self.of("status"), style, size, key)
            }
            "deleted" => ("delete", "deleted", BAD, size, key),
            "eviction" => ("evict", if self.of("fetch") == "yes" { "read" } else { "never read" }, BAD, size, key),
            "conn_new" | "conn_close" => {
                let event = if self.kind == "conn_new" { "open" } else { "close" };
                let client = match self.number("rport") {
                    Some(port) if port > 0 => format!("{}:{port}", self.of("rip")),
                    _ => self.of("rip").to_owned(),
                };
                (event, self.of("reason"), Style::new(), String::new(), Some(client))
            }
            other => (other, self.of("status"), Style::new(), size, key),
        };
        write!(
            out,
            "  {event:<7} {style}{result:<10}{style:#} {size:>9}  {ttl:>7}  {}",
            text.unwrap_or_else(|| thousands(self.gid))
        )?;
        if let Some(database) = self.number("db") {
            write!(out, "  {FAINT}db {database}{FAINT:#}")?;
        }
        // Another process that has the arena open.
        if let (by, Some(pid)) = (self.of("by"), self.number("pid")) {
            write!(out, "  {FAINT}{by} {pid}{FAINT:#}")?;
        }
        writeln!(out)
    }
}

/// Whether a key matches. In each step a `*` that failed takes one byte more.
fn matches(glob: &[u8], key: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star = None;
    while seen < key.len() {
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == key[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match &mut star {
                Some((of_star, from)) => {
                    *from += 1;
                    (at, seen) = (*of_star + 1, *from);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, key, want) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("user:*", "user:1", true),
            ("user:*", "users:1", false),
            ("*:1", "user:2:1", true),
            ("a*b*c", "aXXbYbZc", true),
            ("a*b*c", "aXXbYbZ", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*a*a*a*b", &"a".repeat(200), false),
        ] {
            assert_eq!(matches(glob.as_bytes(), key.as_bytes()), want, "{glob} {key}");
        }
    }

    #[test]
    fn lines_are_shown_and_told() {
        let show = |line: &str| {
            let mut out = Vec::new();
            WatcherLine::read(line.as_bytes()).expect("a line").show(&mut out).expect("a Vec");
            anstream::adapter::strip_bytes(&out).into_vec()
        };
        let text = |line| String::from_utf8(show(line)).expect("UTF-8");
        assert_eq!(
            text("ts=1795418171.3745 gid=4 type=item_store key=a%25b%C3%BC status=stored cmd=set ttl=3600 clsid=1 cfd=17 size=10\n"),
            "07:16:11.003  set     stored          10 B      1 h  a%bü\n"
        );
        assert_eq!(
            text("ts=1795418171.999745 gid=4 type=item_get key=%1B%5B1m status=not_found clsid=0 cfd=17 size=0\n"),
            "07:16:11.999  get     not_found                      \\x1b[1m\n"
        );
        assert_eq!(
            text("ts=1795418171.0 gid=4 type=conn_close rip=127.0.0.1 rport=99 transport=tcp reason=normal cfd=17\n"),
            "07:16:11.000  close   normal                         127.0.0.1:99\n"
        );
        assert_eq!(
            text("ts=1795418171.0 gid=4 type=item_get key=k status=found clsid=1 cfd=17 size=5 db=3\n"),
            "07:16:11.000  get     found            5 B           k  db 3\n"
        );
        assert_eq!(text("skipped=12\n"), "12 events missed: too many to show in time\n");
        let json = |line: &str| WatcherLine::read(line.as_bytes()).expect("a line").json().to_string();
        assert_eq!(
            json("ts=1795418171.5 gid=4 type=deleted key=%FF cmd=md clsid=1 size=10\n"),
            r#"{"clsid":1,"cmd":"md","gid":4,"key_base64":"/w==","size":10,"time":1795418171.000005,"type":"deleted"}"#
        );
        assert_eq!(json("skipped=12\n"), r#"{"skipped":12}"#);
        for nonsense in ["", "VALUE a 0 1", "ts=x gid=1 type=item_get", "gid=1", "ts=1.2 gid=1 type=item_get key=%zz"] {
            assert_eq!(WatcherLine::read(nonsense.as_bytes()), None, "{nonsense}");
        }
    }
}

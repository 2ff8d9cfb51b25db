//! A watcher of a server that is killed: it reads what the server's other clients do, and each line must be one that
//! there may be. It is a process of its own, because it is killed too, in the middle of a line as often as not.
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The keys that clients use: `soak:WRITER:NUMBER` below these.
#[derive(Clone, Copy, Debug)]
pub struct KnownKeys {
    /// Number of writers.
    pub writers: u64,
    /// Keys of each writer.
    pub keys: u64,
}

/// Lines between two reports.
const REPORT: u64 = 100;

/// Watches the server at this port of 127.0.0.1, and again when it comes back, until it is killed or told a line that
/// cannot be, which it returns.
pub fn watch(port: u16, known: KnownKeys) -> io::Result<String> {
    let mut out = io::stdout();
    let mut lines = 0;
    loop {
        let Ok(stream) = connect(port) else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        let mut stream = BufReader::new(stream);
        let (mut line, mut gid) = (Vec::new(), 0);
        // The last line of a server that was killed has no end.
        while stream.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
            if let Err(why) = check(&line, known, &mut gid) {
                return Ok(format!("a watcher was told {:?}: {why}", line.escape_ascii().to_string()));
            }
            lines += 1;
            if lines % REPORT == 0 {
                out.write_all(b".")?;
                out.flush()?;
            }
            line.clear();
        }
    }
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(b"watch fetchers mutations deletions evictions connevents\r\n")?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer)?;
    if &answer == b"OK\r\n" {
        Ok(stream)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}

/// Whether it is a line that there may be, and its `gid` above the last one's.
fn check(line: &[u8], known: KnownKeys, last_gid: &mut u64) -> Result<(), String> {
    let line = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let line = line.strip_suffix('\n').ok_or("no line end")?;
    if let Some(skipped) = line.strip_prefix("skipped=") {
        return skipped.parse::<u64>().map(|_| ()).map_err(|error| error.to_string());
    }
    let mut fields = line.split(' ').map(|word| word.split_once('=').ok_or(format!("{word:?} is no field")));
    let mut field = |name: &str| match fields.next() {
        Some(Ok((found, value))) if found == name => Ok(value),
        other => Err(format!("{name} expected, not {other:?}")),
    };
    let (seconds, micros) = field("ts")?.split_once('.').ok_or("ts without a point")?;
    let gid = number(field("gid")?)?;
    if number(seconds)? == 0 || micros.len() != 6 || number(micros).is_err() || gid <= *last_gid {
        return Err(format!("ts or gid; the last gid was {last_gid}"));
    }
    *last_gid = gid;
    let (kind, rest): (_, &[&str]) = match field("type")? {
        "item_get" => ("key", &["status", "clsid", "cfd", "size"]),
        "item_store" => ("key", &["status", "cmd", "ttl", "clsid", "cfd", "size"]),
        "deleted" => ("key", &["cmd", "clsid", "size"]),
        "eviction" => ("key", &["fetch", "ttl", "la", "clsid", "size"]),
        "conn_new" => ("rip", &["rport", "transport", "cfd"]),
        "conn_close" => ("rip", &["rport", "transport", "reason", "cfd"]),
        other => return Err(format!("no event is a {other}")),
    };
    let name = field(kind)?;
    if kind == "key" && !is_known(name, known) || kind == "rip" && name != "127.0.0.1" {
        return Err(format!("nobody uses {name}"));
    }
    // An event of another process has no connection, and names that process.
    let mut is_neighbours = false;
    for name in rest {
        let value = field(name)?;
        is_neighbours |= *name == "cfd" && value == "-1";
        let is_good = match *name {
            "status" => ["found", "not_found", "stored"].contains(&value),
            "cmd" => ["set", "delete", "md"].contains(&value),
            "transport" => value == "tcp",
            "reason" => ["normal", "error"].contains(&value),
            "fetch" => ["yes", "no"].contains(&value),
            "ttl" => value == "0" || value == "-1",
            "cfd" if is_neighbours => kind == "key",
            _ => number(value).is_ok(),
        };
        if !is_good {
            return Err(format!("{name} cannot be {value:?}"));
        }
    }
    let mut field = fields.next();
    if is_neighbours || !rest.contains(&"cfd") && field.is_some() {
        let whose = [field, fields.next()].map(|field| field.transpose().ok().flatten());
        if !matches!(whose, [Some(("by", "other")), Some(("pid", pid))] if number(pid).is_ok()) {
            return Err(format!("whose is it: {whose:?}"));
        }
        field = fields.next();
    }
    match field {
        None => Ok(()),
        Some(more) => Err(format!("{more:?} is too much")),
    }
}

fn is_known(key: &str, known: KnownKeys) -> bool {
    let mut parts = key.split("%3A");
    parts.next() == Some("soak")
        && [known.writers, known.keys].into_iter().all(|end| parts.next().is_some_and(|part| number(part) < Ok(end)))
        && parts.next().is_none()
}

/// Digits and nothing else.
fn number(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or(format!("{text:?} is no number"))
}

/// A watcher's process.
pub struct Process(Child);

impl Process {
    /// Starts it: a program and its arguments, which lead to `watch`.
    pub fn start(words: &[String]) -> io::Result<Process> {
        let child = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        child.map(Process)
    }

    /// Kills it. Returns the least number of lines that it had read, and what was wrong.
    pub fn kill(mut self) -> io::Result<(u64, Option<String>)> {
        self.0.kill()?;
        let mut said = String::new();
        if let Some(stdout) = &mut self.0.stdout {
            stdout.read_to_string(&mut said)?;
        }
        self.0.wait()?;
        let wrong = said.trim_start_matches('.');
        let lines = (said.len() - wrong.len()) as u64 * REPORT;
        Ok((lines, (!wrong.is_empty()).then(|| wrong.trim().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_may_be_pass() {
        let known = KnownKeys { writers: 2, keys: 60 };
        let store = "ts=1795418171.003745 gid=5 type=item_store key=soak%3A1%3A59 status=stored cmd=set ttl=0 clsid=1 cfd=9 size=5\n";
        let close =
            "ts=1795418171.003745 gid=5 type=conn_close rip=127.0.0.1 rport=5 transport=tcp reason=error cfd=9\n";
        let passes = |line: &str| check(line.as_bytes(), known, &mut 4).is_ok();
        for good in [store, close, "skipped=17\n"] {
            assert!(passes(good), "{good:?}");
            // Missing, repeated and wrong lines are noticed.
            for at in 0..good.len() {
                assert!(
                    !passes(&[&good[..at], &good[at + 1..]].concat()) || good.as_bytes()[at].is_ascii_digit(),
                    "{good:?} {at}"
                );
                assert!(!passes(&good[..at]), "{good:?} {at}");
            }
        }
        for (from, to) in [
            ("gid=5", "gid=4"),
            ("%3A59", "%3A60"),
            ("%3A1%3A", "%3A2%3A"),
            ("stored", "found ts=1"),
            ("cmd=set", "cmd=na"),
            ("size=5", "size=5 size=5"),
            ("size=5", "size=-5"),
        ] {
            assert!(!passes(&store.replace(from, to)), "{from} {to}");
        }
        let neighbours = store.replace("cfd=9", "cfd=-1").replace("size=5", "size=5 by=other pid=7");
        assert!(passes(&neighbours), "{neighbours}");
        for (from, to) in
            [("cfd=-1", "cfd=-2"), (" pid=7", ""), (" by=other pid=7", ""), ("pid=7", "pid=7 x=1"), ("other", "none")]
        {
            assert!(!passes(&neighbours.replace(from, to)), "{from} {to}");
        }
    }
}

//! `leveret watch`, of Debian's memcached and of `leveret serve`.
use crate::common::Host;
use crate::tools::Server;
use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The command while it runs.
struct Watcher {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watcher {
    /// It watches once what it asked for is told.
    fn begin(host: &Host, server: &Server, words: &[&str]) -> Watcher {
        let mut command = host.command(["watch"]);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let before = server.talk(b"stats\r\n", "END\r\n");
        let count = |text: &str| text.split("log_watchers ").nth(1).map(|rest| rest[..1].to_owned());
        let mut child = command.spawn().expect("the command");
        let lines = BufReader::new(child.stdout.take().expect("a pipe"));
        while count(&server.talk(b"stats\r\n", "END\r\n")) == count(&before) {
            assert!(child.try_wait().expect("a child").is_none(), "it ended");
        }
        Watcher { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'), "it ends in {line:?}");
        line
    }

    fn json(&mut self) -> Value {
        let mut event: Value = serde_json::from_str(&self.line()).expect("JSON");
        let object = event.as_object_mut().expect("an object");
        for name in ["time", "gid", "cfd", "clsid"] {
            assert!(object.remove(name).is_some_and(|number| number.is_number()), "{name}");
        }
        event
    }

    /// The exit code, and what stands on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().expect("a child").code();
        let mut said = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
        (code, said)
    }
}

#[test]
fn it_shows_what_happens_until_ctrl_c() {
    let host = Host::new();
    for server in [Server::memcached(&host), Server::leveret(&host)] {
        let mut told = Watcher::begin(&host, &server, &[server.target(), "--json", "--key", "u*"]);
        let mut shown = Watcher::begin(&host, &server, &[server.target(), "--events", "mutations"]);
        assert_eq!(server.talk(b"set other 0 0 1\r\nx\r\n", "\r\n"), "STORED\r\n");
        assert_eq!(server.talk("set ü 0 100 2\r\nxx\r\n".as_bytes(), "\r\n"), "STORED\r\n");
        assert_eq!(server.talk(b"get ux\r\n", "END\r\n"), "END\r\n");
        assert_eq!(told.json(), json!({"type": "item_get", "key": "ux", "status": "not_found", "size": 0}));
        assert!(shown.line().starts_with("TIME "));
        // memcached counts a watcher a moment before it tells it something.
        let line = std::iter::repeat_with(|| shown.line()).find(|line| !line.contains("other")).expect("it goes on");
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((words[1], words[2], words[words.len() - 1]), ("set", "stored", "ü"), "{line}");
        let pid = told.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
        assert_eq!(told.end(), (Some(0), String::new()));
        // The server goes away: one line.
        drop(server);
        let (code, said) = shown.end();
        assert_eq!(code, Some(3), "{said}");
        assert!(said.starts_with("leveret: ") && said.lines().count() == 1 && said.contains("connection"), "{said}");
    }
}

#[test]
fn an_arena_is_watched_at_its_server() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    host.run(["watch"]).complains(3, "no server serves the arena default");
    host.run(["watch", "localhost:1"]).complains(3, "cannot connect");
    host.run(["watch", "--events", "everything"]).ends(2);
    let server = Server::leveret(&host);
    let mut watcher = Watcher::begin(&host, &server, &["--arena", "served", "--json"]);
    assert_eq!(server.talk(b"delete nothing\r\n", "\r\n"), "NOT_FOUND\r\n");
    assert_eq!(watcher.json(), json!({"type": "item_get", "key": "nothing", "status": "not_found", "size": 0}));
    let _ = watcher.child.kill();
}

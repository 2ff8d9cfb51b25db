//! keys and dump: the formats that memcached-tool's users parse.
use crate::common::Host;
use std::collections::BTreeSet;
use std::process::Stdio;

/// The fields of one metadump line, in their order.
fn fields(line: &str) -> Vec<(&str, &str)> {
    line.split(' ').map(|field| field.split_once('=').unwrap_or_else(|| panic!("{line:?}"))).collect()
}

#[test]
fn keys_are_lines_of_metadump() {
    let host = Host::new();
    host.run(["set", "a b", "12345", "--ttl", "100s"]).ends(0);
    let said = host.run(["keys"]).ends(0);
    assert_eq!(said.error, "Dumping memcache keys\n");
    let line = said.text().strip_suffix('\n').expect("a line");
    let found = fields(line);
    assert_eq!(
        found.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["key", "exp", "la", "cas", "fetch", "cls", "size"]
    );
    assert_eq!((found[0].1, found[3].1, found[4].1, found[5].1, found[6].1), ("a%20b", "0", "no", "1", "24"), "{line}");
    let moment = |at: usize| found[at].1.parse::<i64>().expect("a number");
    assert!((99..=101).contains(&(moment(1) - moment(2))), "{line}");

    host.run(["get", "a b"]).ends(0);
    let cas = host.run(["set", "a b", "1", "--json"]).json()["cas"].to_string();
    host.run(["get", "a b"]).ends(0);
    let line = host.run(["keys"]).ends(0).text().to_owned();
    assert!(line.contains(" exp=-1 ") && line.contains(" fetch=yes "), "{line}, cas {cas}");
    assert!(host.run(["keys", "-u"]).text().starts_with("key=a b exp="));
}

#[test]
fn every_key_appears_once_and_a_limit_holds() {
    let host = Host::new();
    let arena = host.arena("default");
    let now = leveret_engine::Time::now();
    let keys: BTreeSet<String> = (0..20_000).map(|number| format!("key:{number}")).collect();
    for key in &keys {
        arena.set(key.as_bytes(), b"v", leveret_engine::Deadline::NEVER, now).expect("stored");
    }
    assert_eq!(arena.stats().evicted, 0);
    let listed = host.run(["keys", "--json"]).ends(0).json_lines();
    let names: BTreeSet<String> = listed.iter().map(|line| line["key"].as_str().expect("a key").to_owned()).collect();
    assert_eq!((listed.len(), names), (keys.len(), keys));
    let said = host.run(["keys", "17"]).ends(0);
    assert_eq!(
        (said.text().lines().count(), said.error.as_str()),
        (17, "Dumping memcache keys (limiting to 17 keys)\n")
    );
    assert_eq!(host.run(["dump", "17"]).ends(0).text().matches("add key:").count(), 17);
    host.run(["keys", "0"]).ends(2);
    host.run(["keys", ":17"]).ends(2);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let host = Host::new();
    let arena = host.arena("default");
    let now = leveret_engine::Time::now();
    for number in 0..20_000 {
        arena
            .set(format!("a-key-of-some-length:{number}").as_bytes(), b"v", leveret_engine::Deadline::NEVER, now)
            .expect("stored");
    }
    for command in ["keys", "dump"] {
        let mut child =
            host.command([command]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{output:?}");
    }
}

#[test]
fn a_dump_is_the_add_commands_that_restore_it() {
    let host = Host::new();
    host.run(["set", "plain", "hello", "--flags", "5"]).ends(0);
    let said = host.run(["dump"]).ends(0);
    assert_eq!((said.text(), said.error.as_str()), ("add plain 5 0 5\r\nhello\r\n", "Dumping memcache contents\n"));
    host.run(["delete", "plain"]).ends(0);

    host.run(["set", "number", "42", "--integer"]).ends(0);
    assert_eq!(host.run(["dump"]).ends(0).text(), "add number 0 0 2\r\n42\r\n");
    host.run(["delete", "number"]).ends(0);

    host.run_with_input(&["set", "mortal", "-", "--ttl", "1h"], b"\r\n\xff").ends(0);
    let dies = host.run(["get", "mortal", "--json"]).json()["dies"].as_i64().expect("a deadline");
    let said = host.run(["dump"]).ends(0);
    let near = |dies: i64| [format!("add mortal 0 {dies} 3\r\n").as_bytes(), b"\r\n\xff\r\n"].concat();
    assert!((-1..=1).any(|step| said.bytes == near(dies + step)), "{said:?}");
}

#[test]
fn what_the_protocol_cannot_say_is_left_out_and_told() {
    let host = Host::new();
    let long = "k".repeat(251);
    for key in ["fine", "with space", &long] {
        host.run(["set", key, "v"]).ends(0);
    }
    let said = host.run(["dump"]).ends(1);
    assert_eq!(said.text(), "add fine 0 0 1\r\nv\r\n");
    assert!(said.error.contains("2 items left out, "), "{said:?}");
    let keys: BTreeSet<String> = host
        .run(["dump", "--json"])
        .ends(0)
        .json_lines()
        .iter()
        .map(|line| line["key"].as_str().expect("a key").to_owned())
        .collect();
    assert_eq!(keys, BTreeSet::from(["fine".to_owned(), "with space".to_owned(), long]));
}

#[test]
fn looking_does_not_count_as_reading() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    host.run(["keys"]).ends(0);
    host.run(["dump"]).ends(0);
    let stats = host.run(["stats", "--json"]).json();
    assert_eq!((stats["hits"].as_u64(), stats["misses"].as_u64()), (Some(0), Some(0)));
    assert!(host.run(["keys"]).text().contains("fetch=no"));
}

//! get, set, delete: bytes in, bytes out, and the exit codes that scripts read.
use crate::common::{self, Host};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_value_comes_back_byte_for_byte() {
    let host = Host::new();
    let all: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    assert_eq!(host.run_with_input(&["set", "bytes", "-"], &all).ends(0).bytes, b"");
    assert_eq!(host.run(["get", "bytes"]).ends(0).bytes, all);
    host.run(["set", "text", "hello"]).ends(0);
    host.run(["set", "empty", ""]).ends(0);
    assert_eq!(host.run(["get", "text"]).ends(0).bytes, b"hello");
    assert_eq!(host.run(["get", "empty"]).ends(0).bytes, b"");
    assert_eq!(host.run(["get", "text", "empty", "text"]).ends(0).bytes, b"hellohello");
}

#[test]
fn a_miss_is_exit_code_1_and_no_noise() {
    let host = Host::new();
    host.run(["set", "there", "yes"]).ends(0);
    let said = host.run(["get", "nowhere", "there"]).ends(1);
    assert_eq!((said.bytes, said.error), (b"yes".to_vec(), String::new()));
    let said = host.run(["delete", "nowhere"]).ends(1);
    assert_eq!((said.bytes, said.error), (Vec::new(), String::new()));
    host.run(["delete", "there"]).ends(0);
    host.run(["get", "there"]).ends(1);
}

#[test]
fn keys_may_be_any_bytes() {
    let host = Host::new();
    let odd = OsStr::from_bytes(b"\xff \n");
    host.run([OsStr::new("set"), odd, OsStr::new("odd")]).ends(0);
    assert_eq!(host.run(["get", "--encoded", "%FF%20%0A"]).ends(0).bytes, b"odd");
    host.run(["set", "--encoded", "%00", "nul"]).ends(0);
    assert_eq!(host.run(["get", "-e", "%00"]).ends(0).bytes, b"nul");
    host.run(["delete", "--encoded", "%00", "%FF%20%0A"]).ends(0);
    host.run(["get", "--encoded", "%0"]).complains(2, "URI-encoded");
}

#[test]
fn stores_under_conditions() {
    let host = Host::new();
    host.run(["set", "k", "1", "--replace"]).complains(1, "not stored");
    host.run(["set", "k", "b", "--append"]).complains(1, "not stored");
    host.run(["set", "k", "b", "--add"]).ends(0);
    host.run(["set", "k", "x", "--add"]).complains(1, "already there");
    host.run(["set", "k", "c", "--append"]).ends(0);
    host.run(["set", "k", "a", "--prepend"]).ends(0);
    assert_eq!(host.run(["get", "k"]).bytes, b"abc");
    host.run(["set", "k", "d", "--replace"]).ends(0);

    let cas = host.run(["get", "k", "--json"]).json()["cas"].to_string();
    host.run(["set", "k", "e", "--cas", &cas]).ends(0);
    host.run(["set", "k", "f", "--cas", &cas]).complains(1, "another cas");
    assert_eq!(host.run(["get", "k"]).bytes, b"e");
    host.run(["set", "k", "f", "--cas", &cas, "--add"]).ends(2);
}

#[test]
fn json_says_all_that_is_known_of_an_item() {
    let host = Host::new();
    let stored = host.run(["set", "k", "v", "--ttl", "1h", "--flags", "7", "--json"]).ends(0).json();
    assert_eq!((stored["stored"].as_bool(), stored["why"].is_null()), (Some(true), true));
    let item = host.run(["get", "k", "--json"]).ends(0).json();
    assert_eq!(item["cas"], stored["cas"]);
    let lifetime = item["dies"].as_i64().expect("a deadline") - item["stored"].as_i64().expect("a moment");
    assert!((3599..=3601).contains(&lifetime), "{item}");
    for (name, want) in [
        ("key", "\"k\""),
        ("found", "true"),
        ("value", "\"v\""),
        ("number", "null"),
        ("size", "1"),
        ("flags", "7"),
        ("encoding", "\"raw\""),
        ("origin", "\"wire\""),
        ("codec", "0"),
    ] {
        assert_eq!(item[name].to_string(), want, "{name}");
    }
    let order: Vec<String> = item.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(order.len(), 13, "a field more or less is a change of the schema: see docs/reference/command.md");

    host.run_with_input(&["set", "b", "-"], b"\xff").ends(0);
    assert_eq!(host.run(["get", "b", "--json"]).json()["value_base64"], "/w==");
    assert_eq!(host.run(["get", "nowhere", "--json"]).ends(1).text(), "{\"key\":\"nowhere\",\"found\":false}\n");
    assert_eq!(
        host.run(["set", "k", "w", "--add", "--json"]).ends(1).text(),
        "{\"stored\":false,\"cas\":null,\"why\":\"exists\"}\n"
    );
    assert_eq!(
        host.run(["delete", "k", "nowhere", "--json"]).ends(1).text(),
        "{\"key\":\"k\",\"deleted\":true}\n{\"key\":\"nowhere\",\"deleted\":false}\n"
    );
}

#[test]
fn integers_are_numbers_that_others_can_count() {
    let host = Host::new();
    let arena = host.arena("apcu");
    host.run(["set", "--arena", "apcu", "visits", "41", "--integer"]).ends(0);
    assert_eq!(
        arena.add_integer(b"visits", 1, None, leveret_engine::Time::now()),
        Ok(leveret_engine::Counted::Value(42))
    );
    let item = host.run(["get", "--arena", "apcu", "visits", "--json"]).ends(0).json();
    assert_eq!(
        (item["number"].as_i64(), item["value"].as_str(), item["encoding"].as_str()),
        (Some(42), Some("42"), Some("integer"))
    );
    host.run(["set", "visits", "many", "--integer"]).complains(2, "whole number");
}

#[test]
fn an_item_with_a_past_deadline_is_a_miss() {
    let host = Host::new();
    let arena = host.arena("default");
    let now = leveret_engine::Time::now();
    arena.set(b"dead", b"v", leveret_engine::Deadline::at(now), now).expect("stored");
    host.run(["get", "dead"]).ends(1);
    assert_eq!(host.run(["keys"]).ends(0).bytes, b"");
    assert_eq!(host.run(["dump"]).ends(0).bytes, b"");
}

#[test]
fn values_and_keys_that_do_not_fit_are_refused_with_their_limits() {
    let host = Host::new();
    host.run(["set", "--memory", "8M", "k", "v"]).ends(0);
    let too_large = vec![b'x'; (1 << 20) + 1];
    host.run_with_input(&["set", "k", "-"], &too_large).complains(1, "1048577 bytes is too large");
    host.run(["get", "k"]).ends(1);
    let long_key = "k".repeat(host.arena("default").key_max() + 1);
    host.run(["set", &long_key, "v"]).complains(1, "too long");
    host.run(["get", &long_key]).ends(1);
}

#[test]
fn only_set_makes_an_arena() {
    let host = Host::new();
    for command in [
        &["get", "k"][..],
        &["delete", "k"],
        &["keys"],
        &["dump"],
        &["stats"],
        &["flush", "-a", "default"],
        &["restore"],
        &["rm", "default"],
        &["verify"],
        &["tune"],
        &["ping"],
    ] {
        host.run(command).complains(3, "there is no arena");
    }
    assert_eq!(std::fs::read_dir(host.dir()).expect("the folder").count(), 0);
    host.run(["set", "k", "v", "--memory", "16M", "--arena", "small"]).ends(0);
    assert_eq!(host.run(["stats", "--arena", "arena:small", "--json"]).json()["memory"], 16 << 20);
    host.run(["set", "k", "v", "--memory", "1M", "--arena", "smaller"]).complains(2, "out of range");
}

#[test]
fn an_arena_can_be_named_in_every_way() {
    let host = Host::new();
    host.run(["set", "k", "v", "--arena", "shop"]).ends(0);
    let path = host.file("shop.arena");
    for name in ["shop", "arena:shop", "./shop.arena", path.to_str().expect("UTF-8")] {
        assert_eq!(host.run(["get", "k", "-a", name]).ends(0).bytes, b"v", "{name}");
    }
    let mut elsewhere = host.command(["get", "k", "-a", "shop", "--dir", "."]);
    elsewhere.env_remove("LEVERET_DIR");
    assert_eq!(common::run(elsewhere, b"").ends(0).bytes, b"v");
    host.run(["get", "k", "-a", "sh op"]).complains(2, "names no arena");
    host.run(["get", "k", "-a", "./shop.txt"]).complains(2, "names no arena");
}

#[test]
fn durations_that_make_no_sense_are_usage_errors() {
    let host = Host::new();
    for ttl in ["soon", "-5s", "1.5h", ""] {
        let said = host.run(["set", "k", "v", &format!("--ttl={ttl}")]).ends(2);
        assert!(said.error.contains("is no duration"), "{said:?}");
    }
    host.run(["set", "k", "v", "--ttl", "7200w"]).complains(2, "136 years");
    assert_eq!(
        std::fs::read_dir(host.dir()).expect("the folder").count(),
        0,
        "a wrong command line leaves nothing behind"
    );
}

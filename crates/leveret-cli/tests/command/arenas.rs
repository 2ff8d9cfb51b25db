//! stats, flush, list, rm, verify, ping: what is done to a whole arena.
use crate::common::Host;
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::fs;
use std::os::unix::fs::FileExt;

#[test]
fn stats_count_what_was_done() {
    let host = Host::new();
    host.run(["set", "a", "1"]).ends(0);
    host.run(["set", "b", "2"]).ends(0);
    host.run(["get", "a", "b", "a"]).ends(0);
    host.run(["get", "c"]).ends(1);
    host.run(["delete", "b"]).ends(0);
    let stats = host.run(["stats", "--json"]).ends(0).json();
    for (name, want) in [
        ("items", 1),
        ("sets", 2),
        ("deletes", 1),
        ("hits", 3),
        ("misses", 1),
        ("evicted", 0),
        ("expired", 0),
        ("flushes", 0),
        ("recoveries", 0),
        ("attached", 0),
        ("memory", 64 << 20),
    ] {
        assert_eq!(stats[name].as_u64(), Some(want), "{name} in {stats}");
    }
    assert_eq!(stats["hit_rate"].as_f64(), Some(0.75));
    assert_eq!(stats["arena"].as_str(), host.file("default.arena").to_str());

    let text = host.run(["stats"]).ends(0).text().to_owned();
    let names: Vec<&str> = text.lines().map(|line| line[..12].trim_end()).collect();
    assert_eq!(
        names,
        [
            "arena",
            "age",
            "items",
            "memory",
            "segments",
            "hit rate",
            "stores",
            "evicted",
            "expired",
            "refused",
            "attached",
            "lock waits",
            "recoveries"
        ]
    );
    assert!(text.contains("75.0 %  3 hits, 1 misses"), "{text}");
    assert!(host.arena("default").set(b"x", b"y", Deadline::NEVER, Time::now()).is_ok());
}

#[test]
fn stats_show_living_processes() {
    let host = Host::new();
    let arena = host.arena("default");
    arena.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("stored");
    assert_eq!(host.run(["stats", "--json"]).json()["attached"], 1);
}

#[test]
fn flush_empties_now_or_later() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    host.run(["flush"]).complains(2, "which cache?");
    host.run(["get", "k"]).ends(0);
    assert_eq!(host.run(["flush", "--arena", "default"]).ends(0).text(), "emptied arena:default: 1 item\n");
    host.run(["get", "k"]).ends(1);

    host.run(["set", "k", "v"]).ends(0);
    let said = host.run(["flush", "default.arena", "--delay", "1h", "--json"]).ends(0).json();
    assert_eq!(said["delay_secs"], 3600);
    assert_eq!(host.run(["get", "k"]).ends(0).bytes, b"v");
    // The same arena an hour later.
    let arena = host.arena("default");
    let later = Time(Time::now().0 + 3601);
    assert!(arena.get(b"k", later).is_none());
    host.run(["flush", "-a", "default", "--delay", "200y"]).ends(2);
}

#[test]
fn list_shows_every_arena_and_what_is_wrong_with_it() {
    let host = Host::new();
    assert!(host.run(["list"]).ends(0).text().starts_with("No arenas in "));
    assert_eq!(host.run(["list", "--json"]).ends(0).bytes, b"");

    let living = host.arena("living");
    living.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("stored");
    host.run(["set", "k", "v", "--arena", "default"]).ends(0);
    fs::write(host.file("foreign.arena"), "no arena").expect("a file");
    fs::write(host.file("other.txt"), "").expect("a file");

    let rows = host.run(["list", "--json"]).ends(0).json_lines();
    let brief: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap_or("?"),
                row["items"].as_u64(),
                row["attached"].as_u64(),
                row["error"].is_string(),
            )
        })
        .collect();
    assert_eq!(
        brief,
        [("default", Some(1), Some(0), false), ("foreign", None, None, true), ("living", Some(1), Some(1), false)]
    );

    let said = host.run(["list"]).ends(0);
    let lines: Vec<&str> = said.text().lines().collect();
    assert!(
        lines[0].starts_with("ARENA ") && lines[1].starts_with("default ") && lines[1].contains("64.0 MiB"),
        "{said:?}"
    );
    assert!(lines[2].contains("is not an arena") && lines[3].contains("8.0 MiB"), "{said:?}");
    host.run(["list", "--dir", "nowhere"]).complains(3, "nowhere (--dir, LEVERET_DIR): create it");
}

#[test]
fn renew_puts_a_new_arena_in_the_place_of_one() {
    let host = Host::new();
    let path = host.file("old.arena");
    let options = OpenOptions::new().memory(16 << 20).layout(1);
    let (old, _) = Arena::open(&path, &options).expect("an arena");
    old.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("stored");
    assert_eq!(old.layout(), 1);
    let line = host.run(["renew", "old", "--json"]).ends(0).json();
    assert_eq!((&line["layout"], &line["memory"], &line["attached"]), (&2.into(), &(16 << 20).into(), &1.into()));
    assert_eq!(old.check(), Err(leveret_engine::Error::Lost));
    host.run(["get", "k", "-a", "old"]).ends(1);
    let (new, _) = Arena::open(&path, &OpenOptions::new().create(false)).expect("an arena");
    assert_eq!((new.layout(), new.memory()), (2, 16 << 20));
    new.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("stored");
    let said = host.run(["renew", "-a", "old"]).ends(0);
    assert!(said.error.contains("A process has the old"), "{said:?}");
    host.run(["renew", "old.arena", "32M"]).ends(0);
    assert_eq!(Arena::open(&path, &OpenOptions::new().create(false)).expect("an arena").0.memory(), 32 << 20);

    host.run(["renew"]).complains(2, "which arena?");
    host.run(["renew", "missing"]).complains(3, "there is no arena");
    host.run(["renew", "old", "much"]).ends(2);
    host.run(["renew", "old", "1M"]).ends(2);
    fs::write(host.file("foreign.arena"), "no arena").expect("a file");
    host.run(["renew", "foreign"]).complains(2, "name one, as");
    host.run(["renew", "foreign", "8M"]).ends(0);
    let names: Vec<_> =
        fs::read_dir(host.dir()).expect("the folder").map(|file| file.expect("one").file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains(".tmp")), "{names:?}");
}

#[test]
fn rm_spares_a_living_arena() {
    let host = Host::new();
    let living = host.arena("living");
    living.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("stored");
    host.run(["rm", "living"]).complains(1, "--force");
    host.run(["get", "k", "-a", "living"]).ends(0);
    host.run(["rm", "living", "--force"]).ends(0);
    assert_eq!(living.check(), Err(leveret_engine::Error::Lost));

    host.run(["set", "k", "v", "-a", "idle"]).ends(0);
    assert_eq!(host.run(["rm", "-a", "idle", "--json"]).ends(0).json()["removed"], true);
    fs::write(host.file("foreign.arena"), "no arena").expect("a file");
    host.run(["rm", "foreign"]).complains(1, "--force");
    host.run(["rm", "foreign", "--force"]).ends(0);
    host.run(["rm", "foreign", "--force"]).complains(3, "there is no arena");
    host.run(["rm"]).complains(2, "which arena?");
    // Several: all of them, or none.
    for name in ["shop", "mail", "x.arena"] {
        host.run(["set", "k", "v", "-a", name]).ends(0);
    }
    assert!(host.file("x.arena").is_file() && !host.file("x.arena.arena").exists(), "a name as `ls` shows it");
    host.run(["rm", "shop", "missing", "mail"]).complains(3, "missing");
    assert_eq!(host.run(["rm", "shop", "arena:mail", "mail.arena", "x", "--json"]).ends(0).json_lines().len(), 3);
    host.run(["rm", "a", "-a", "b"]).ends(2);
    assert_eq!(fs::read_dir(host.dir()).expect("the folder").count(), 0, "lock files go with their arenas");
}

#[test]
fn verify_finds_a_damaged_item() {
    let host = Host::new();
    host.run(["set", "the-key-to-be-damaged", "v"]).ends(0);
    let sound = host.run(["verify", "--json"]).ends(0).json();
    assert_eq!(
        (sound["sound"].as_bool(), sound["items"].as_u64(), sound["problem_count"].as_u64()),
        (Some(true), Some(1), Some(0))
    );
    assert!(host.run(["verify"]).ends(0).text().starts_with("sound: 1 item in "));

    // One letter of the key: its slot's tag tells of another hash now.
    let path = host.file("default.arena");
    let bytes = fs::read(&path).expect("the arena");
    let at = bytes.windows(21).position(|window| window == b"the-key-to-be-damaged").expect("the key");
    fs::OpenOptions::new().write(true).open(&path).expect("the arena").write_all_at(b"T", at as u64).expect("written");
    let damaged = host.run(["verify", "--json"]).ends(1).json();
    assert_eq!(damaged["sound"], false);
    assert!(damaged["problems"].as_array().is_some_and(|problems| !problems.is_empty()), "{damaged}");
    assert!(host.run(["verify"]).ends(1).text().starts_with("problem "));
}

#[test]
fn ping_answers_for_health_checks() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    assert!(host.run(["ping", "--timeout", "60s"]).ends(0).text().starts_with("healthy: "));
    assert_eq!(host.run(["ping", "--timeout", "60s", "--quiet"]).ends(0).bytes, b"");
    let said = host.run(["ping", "--timeout", "60s", "--json"]).ends(0).json();
    assert_eq!((said["healthy"].as_bool(), said["why"].is_null()), (Some(true), true));
    assert_eq!(host.run(["stats", "--json"]).json()["items"], 1, "a probe leaves nothing behind");
    host.run(["ping", "--timeout", "0s"]).ends(2);
    fs::write(host.file("foreign.arena"), "no arena").expect("a file");
    host.run(["ping", "--timeout", "60s", "-a", "foreign"]).complains(3, "is not an arena");
}

#[test]
fn files_that_are_no_arena_are_one_clear_error_to_every_command() {
    let host = Host::new();
    fs::write(host.file("default.arena"), vec![0u8; 100_000]).expect("a file");
    for command in [
        &["get", "k"][..],
        &["set", "k", "v"],
        &["delete", "k"],
        &["keys"],
        &["dump"],
        &["stats"],
        &["flush", "-a", "default"],
        &["verify"],
        &["tune"],
        &["ping"],
    ] {
        host.run(command).complains(3, "is not an arena");
    }
    let said = host.run(["stats", "--json"]).ends(3);
    let error: serde_json::Value = serde_json::from_str(&said.error).expect("errors are JSON as well");
    assert_eq!((error["code"].as_u64(), error["error"].is_string()), (Some(3), true));
    std::os::unix::fs::symlink(host.file("default.arena"), host.file("link.arena")).expect("a link");
    host.run(["stats", "-a", "link"]).complains(3, "symbolic link");
}

/// Each version of PHP has an arena of its own behind apcu_*.
#[test]
fn apcu_is_the_only_arena_of_apcu_there_is() {
    let host = Host::new();
    host.arena("apcu-session");
    host.run(["stats", "--arena", "apcu"]).complains(3, "no apcu-X.Y beside it");
    host.run(["set", "--arena", "apcu", "k", "v"]).complains(3, "no apcu-X.Y beside it");
    host.arena("apcu-8.2");
    host.run(["set", "--arena", "apcu", "k", "v"]).ends(0);
    assert_eq!(host.run(["get", "--arena", "apcu-8.2", "k"]).ends(0).bytes, b"v");
    assert_eq!(host.run(["keys", "arena:apcu"]).ends(0).text().lines().count(), 1);
    host.arena("apcu-8.4");
    host.run(["get", "--arena", "apcu", "k"]).complains(2, "any of apcu-8.2, apcu-8.4");
    host.run(["rm", "apcu", "--force"]).complains(2, "any of apcu-8.2, apcu-8.4");
    host.arena("apcu");
    host.run(["get", "--arena", "apcu", "k"]).ends(1);
}

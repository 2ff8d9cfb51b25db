//! doctor: a healthy place, and one place for each illness. PHP is played by a script, so that every kind of it can be
//! met.
use crate::common::{self, Host, Said};
use leveret_engine::{Deadline, Time};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// (level, subject) of every finding but the good ones, and what was found.
fn findings(said: &Said) -> Vec<(String, String, String)> {
    let text =
        |line: &serde_json::Value, name: &str| line[name].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
    said.json_lines()
        .iter()
        .map(|line| (text(line, "level"), text(line, "subject"), text(line, "found")))
        .filter(|(level, _, _)| level != "ok")
        .collect()
}

#[track_caller]
fn assert_found(said: &Said, level: &str, subject: &str, part: &str) {
    assert!(
        findings(said).iter().any(|found| found.0 == level && found.1 == subject && found.2.contains(part)),
        "{said:?}"
    );
}

/// A program that answers as a PHP of this kind would.
fn php(host: &Host, answer: &str) -> PathBuf {
    let path = host.file("php");
    fs::write(
        &path,
        format!("#!/bin/sh\necho 'PHP Warning: something'\ncat <<'TEXT'\nleveret-doctor:{answer}\nTEXT\n"),
    )
    .expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

#[test]
fn a_healthy_place_has_no_problem() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    let said = host.run(["doctor", "--no-php"]).ends(0);
    assert!(
        said.text().starts_with("ok       folder ") && said.text().contains("\nok       arenas  default: 1 item, "),
        "{said:?}"
    );
    assert!(said.text().lines().last().is_some_and(|line| line.starts_with("0 problems, ")), "{said:?}");
    for line in host.run(["doctor", "--no-php", "--json"]).ends(0).json_lines() {
        let names: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert_eq!(names.len(), 5, "{line}");
    }
}

#[test]
fn a_missing_folder_is_a_problem_with_the_command_that_mends_it() {
    let host = Host::new();
    let said = host.run(["doctor", "--no-php", "--json", "--dir", "nowhere"]).ends(1);
    assert_found(&said, "problem", "folder", "does not exist");
    let fix = said.json_lines()[0]["fix"].as_str().expect("a command").to_owned();
    assert!(fix.starts_with("install -d ") && fix.ends_with("/nowhere"), "{fix}");
    let status = std::process::Command::new("sh").args(["-c", &fix]).status().expect("sh");
    assert!(status.success());
    host.run(["doctor", "--no-php", "--dir", "nowhere"]).ends(0);
}

#[test]
fn a_folder_open_to_all_is_a_problem() {
    let host = Host::new();
    fs::create_dir(host.file("open")).expect("a folder");
    fs::set_permissions(host.file("open"), fs::Permissions::from_mode(0o777)).expect("a mode");
    assert_found(
        &host.run(["doctor", "--no-php", "--json", "--dir", "open"]).ends(1),
        "problem",
        "folder",
        "every user may write",
    );
}

#[test]
fn files_that_are_no_arena_and_what_a_killed_process_left() {
    let host = Host::new();
    fs::write(host.file("foreign.arena"), "no arena").expect("a file");
    // Linux gives no pid above 4194304.
    fs::write(host.file("half.arena.4194305.tmp"), "").expect("a file");
    let said = host.run(["doctor", "--no-php", "--json"]).ends(1);
    assert_found(&said, "problem", "arenas", "foreign");
    assert_found(&said, "note", "arenas", "half.arena.4194305.tmp was left behind");
    host.run(["rm", "--force", "foreign"]).ends(0);
    host.run(["doctor", "--no-php"]).ends(0);
}

#[test]
fn an_arena_that_evicts_is_too_small() {
    let host = Host::new();
    let arena = host.arena("apcu");
    let value = vec![b'v'; 10_000];
    for number in 0..2_000 {
        arena.set(format!("key:{number}").as_bytes(), &value, Deadline::NEVER, Time::now()).expect("stored");
    }
    let said = host.run(["doctor", "--no-php", "--json"]).ends(0);
    assert_found(&said, "warning", "arenas", "living items were evicted");
    assert!(said.text().contains("apc.shm_size=16M"), "{said:?}");
}

#[test]
fn an_arena_of_an_older_layout_is_a_note_until_it_is_renewed() {
    let host = Host::new();
    let options = leveret_engine::OpenOptions::new().memory(8 << 20);
    for layout in [1, 2] {
        let path = host.file(&format!("layout{layout}.arena"));
        leveret_engine::Arena::open(&path, &options.layout(layout)).expect("an arena");
    }
    let said = host.run(["doctor", "--no-php", "--json"]).ends(0);
    assert_found(&said, "note", "arenas", "layout1: has layout 1");
    assert!(said.text().contains("leveret renew layout1") && !said.text().contains("renew layout2"), "{said:?}");
    host.run(["renew", "layout1"]).ends(0);
    assert!(!host.run(["doctor", "--no-php", "--json"]).ends(0).text().contains("renew"));
}

#[test]
fn a_limit_below_the_arena_is_a_problem() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    let mut limited = std::process::Command::new("sh");
    limited
        .arg("-c")
        .arg("ulimit -f 1024; exec \"$0\" doctor --no-php --json")
        .arg(env!("CARGO_BIN_EXE_leveret"))
        .env("LEVERET_DIR", host.dir());
    assert_found(&common::run(limited, b"").ends(1), "problem", "limits", "ulimit -f");
}

const SETTINGS: &str = r#""settings":{"leveret.dir":"","leveret.provide":"apcu,memcached,memcache","apc.enabled":"1","apc.enable_cli":"1","leveret.memory":"64M","apc.shm_size":"32M","leveret.arena":"default"}"#;

#[test]
fn php_without_the_extension() {
    let host = Host::new();
    let php = php(
        &host,
        r#"{"version":"8.2.1","ini_file":"/etc/php/8.2/cli/php.ini","leveret":null,"apcu":null,"objects":[],"environment":null,"settings":{}}"#,
    );
    let said = host.run(["doctor", "--json", "--php", php.to_str().expect("UTF-8")]).ends(0);
    assert_found(&said, "warning", "php", "does not load leveret");
    assert!(said.text().contains("phpenmod -v 8.2 leveret"), "{said:?}");
}

#[test]
fn php_with_the_extension_in_the_same_folder_is_well() {
    let host = Host::new();
    let dir = host.dir().display();
    let php = php(
        &host,
        &format!(
            r#"{{"version":"8.2.1","ini_file":null,"leveret":"0.1.0","apcu":"5.1.24","objects":["leveret"],"environment":"{dir}",{SETTINGS}}}"#
        ),
    );
    let said = host.run(["doctor", "--json", "--php", php.to_str().expect("UTF-8")]).ends(0);
    assert!(findings(&said).iter().all(|(_, subject, _)| subject != "php"), "{said:?}");
}

#[test]
fn php_beside_the_real_apcu_and_in_another_folder() {
    let host = Host::new();
    let php = php(
        &host,
        &format!(
            r#"{{"version":"8.2.1","ini_file":null,"leveret":"0.1.0","apcu":"5.1.22","objects":["apcu","leveret"],"environment":"/run/elsewhere",{SETTINGS}}}"#
        ),
    );
    let said = host.run(["doctor", "--json", "--php", php.to_str().expect("UTF-8")]).ends(0);
    assert_found(&said, "warning", "php", "the real apcu.so is loaded beside leveret.so, and wins");
    assert_found(&said, "warning", "php", "its arenas are in /run/elsewhere");
}

#[test]
fn php_that_is_not_there_or_does_not_answer() {
    let host = Host::new();
    assert_found(
        &host.run(["doctor", "--json", "--php", "/nowhere/php"]).ends(0),
        "note",
        "php",
        "/nowhere/php was not found",
    );
    assert_found(&host.run(["doctor", "--json", "--php", "/bin/true"]).ends(0), "warning", "php", "did not answer");
}

/// The question itself is PHP code: a real PHP must understand it. With `-n`, so without any extension of this machine.
#[test]
fn a_real_php_answers_the_question() {
    let host = Host::new();
    let path = host.file("bare-php");
    fs::write(&path, "#!/bin/sh\nexec php -n \"$@\"\n").expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    let said = host.run(["doctor", "--json", "--php", path.to_str().expect("UTF-8")]).ends(0);
    assert_found(&said, "warning", "php", "does not load leveret");
}

//! Help, colours, completions and man pages.
use crate::common::{self, Host};

const COMMANDS: [&str; 26] = [
    "serve",
    "get",
    "set",
    "delete",
    "display",
    "stats",
    "settings",
    "metrics",
    "sizes",
    "record",
    "simulate",
    "watch",
    "keys",
    "dump",
    "renew",
    "restore",
    "flush",
    "list",
    "rm",
    "verify",
    "tune",
    "ping",
    "doctor",
    "uninstall",
    "ring",
    "bench",
];

#[test]
fn every_command_explains_itself_with_examples() {
    let host = Host::new();
    let overview = host.run(["--help"]).ends(0).text().to_owned();
    for command in COMMANDS {
        assert!(overview.contains(&format!("\n  {command} ")), "{command} in {overview}");
        let help = host.run([command, "--help"]).ends(0).text().to_owned();
        assert!(help.contains("\nExamples:\n") && help.contains(&format!("leveret {command}")), "{help}");
        assert_eq!(host.run(["help", command]).ends(0).text(), help);
    }
    assert_eq!(host.run(["help"]).ends(0).text(), overview);
    assert_eq!(host.run(["version"]).ends(0).text(), host.run(["--version"]).ends(0).text());
    host.run(["help", "nonsense"]).ends(2);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let host = Host::new();
    for arguments in [
        &[][..],
        &["fetch"],
        &["get"],
        &["set", "k"],
        &["get", "k", "--nonsense"],
        &["ping", "--timeout", "soon"],
        &["stats", "--color", "blue"],
    ] {
        assert!(!host.run(arguments).ends(2).error.is_empty());
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_insist() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    let has_colours = |arguments: &[&str], variable: Option<&str>| {
        let mut command = host.command(arguments);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        common::run(command, b"").ends(0).text().contains('\x1b')
    };
    assert!(!has_colours(&["stats"], None), "a pipe is no terminal");
    assert!(has_colours(&["stats"], Some("CLICOLOR_FORCE")));
    assert!(has_colours(&["stats", "--color", "always"], None));
    assert!(!has_colours(&["stats"], Some("NO_COLOR")));
    assert!(!has_colours(&["stats", "--color", "never"], Some("CLICOLOR_FORCE")));
    assert!(!has_colours(&["get", "k", "--color", "always"], None), "values stay as they are");
}

#[test]
fn packages_get_completions_and_man_pages() {
    let host = Host::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(host.run(["completions", shell]).ends(0).text().contains("doctor"), "{shell}");
    }
    host.run(["man", "."]).ends(0);
    for command in COMMANDS {
        assert!(host.file(&format!("leveret-{command}.1")).is_file(), "{command}");
    }
    assert!(std::fs::read_to_string(host.file("leveret.1")).expect("a page").contains("Exit codes"));
    host.run(["man", "nowhere"]).complains(3, "nowhere");
}

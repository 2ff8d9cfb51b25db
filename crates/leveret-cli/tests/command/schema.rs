//! The output of `--json` has exactly the fields that docs/reference/command.md lists.
use crate::common::Host;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/reference/command.md");

/// The names in backticks, without what stands in brackets behind them.
fn names(cell: &str) -> BTreeSet<String> {
    let mut depth = 0;
    let outside: String = cell
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '(');
            let is_outside = depth == 0;
            depth -= i32::from(*c == ')');
            is_outside
        })
        .collect();
    outside.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The fields of a row of the page's last table, by its first cell.
fn promised(commands: &str) -> BTreeSet<String> {
    let begin = format!("| {commands} | ");
    let row = PAGE.split("\n## JSON\n").nth(1).expect("a chapter").lines().find_map(|line| line.strip_prefix(&begin));
    names(row.unwrap_or_else(|| panic!("no row for {commands}")).trim_end_matches('|'))
}

#[test]
fn the_fields_are_those_of_the_page() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    std::fs::write(host.file("requests.csv"), "1,a,10\n").expect("a file");
    std::fs::write(host.file("config.php"), "['arena:shop']").expect("a file");
    for (commands, words) in [
        ("`get`, `dump`", &["get", "k"][..]),
        ("`get`, `dump`", &["dump"]),
        ("`set`", &["set", "k", "w"]),
        ("`delete`", &["delete", "nowhere"]),
        ("`keys`", &["keys"]),
        ("`stats`", &["stats"]),
        ("`display`", &["display"]),
        ("`restore`", &["restore"]),
        ("`list`", &["list"]),
        ("`verify`", &["verify"]),
        ("`tune`", &["tune"]),
        ("`ping`", &["ping"]),
        ("`doctor`", &["doctor", "--no-php"]),
        ("`uninstall`", &["uninstall", "--only", "."]),
        ("`record`", &["record", "default", "recording.csv", "--seconds", "20ms"]),
        ("`simulate`", &["simulate", "requests.csv", "--memory", "8M"]),
        ("`flush`", &["flush", "-a", "default"]),
        ("`rm`", &["rm", "default", "--force"]),
    ] {
        let promised = promised(commands);
        assert!(!promised.is_empty(), "{commands}");
        let said = host.run([words, &["--json"]].concat());
        for object in said.json_lines() {
            let fields: BTreeSet<String> = object.as_object().expect("an object").keys().cloned().collect();
            assert_eq!(fields, promised, "{words:?}");
        }
        assert!(!said.bytes.is_empty(), "{said:?}");
    }
}

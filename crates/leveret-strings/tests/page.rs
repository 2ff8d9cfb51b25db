//! docs/redis.md lists the commands as the table has them. `LEVERET_WRITE_COMMANDS=1 cargo test -p leveret-strings --test
//! page` writes them there.
use leveret_strings::{rows, CommandGroup, CommandRow, Handler, Refusing};
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- commands: begin -->\n";
const END: &str = "<!-- commands: end -->\n";

const GROUPS: [CommandGroup; 7] = [
    CommandGroup::String,
    CommandGroup::Bitmap,
    CommandGroup::Generic,
    CommandGroup::Transactions,
    CommandGroup::Scripting,
    CommandGroup::Connection,
    CommandGroup::Server,
];

fn line(text: &mut String, row: &CommandRow) {
    let name = row.name.to_ascii_uppercase().replace('|', " ");
    writeln!(text, "| {name} | {} | {} |", row.since, row.summary).expect("a string takes all");
}

fn commands() -> String {
    let mut text = String::new();
    for group in GROUPS {
        writeln!(text, "\n| {} | since Redis | |\n|---|---|---|", group.name()).expect("a string takes all");
        for row in rows().filter(|row| row.group == group) {
            match row.handler {
                Handler::Container(rows) => {
                    rows.iter().filter(|row| row.is_served()).for_each(|row| line(&mut text, row));
                }
                _ => line(&mut text, row),
            }
        }
    }
    text.push_str("\n| answered with `UNSUPPORTED` | reason |\n|---|---|\n");
    let mut reasons: Vec<(Refusing, Vec<String>)> = Vec::new();
    let subcommands = rows().flat_map(|row| row.subcommands().iter());
    for row in rows().chain(subcommands) {
        let Handler::Refused(why) = row.handler else { continue };
        let name = row.name.to_ascii_uppercase().replace('|', " ");
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    for (why, names) in reasons {
        writeln!(text, "| {} | {} |", names.join(" "), why.reason()).expect("a string takes all");
    }
    text
}

#[test]
fn the_page_lists_the_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/redis.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("where the commands begin");
    let (listed, behind) = rest.split_once(END).expect("where the commands end");
    let commands = commands();
    if std::env::var_os("LEVERET_WRITE_COMMANDS").is_some() {
        return std::fs::write(&path, [before, BEGIN, &commands, END, behind].concat()).expect("written");
    }
    assert!(listed == commands, "docs/redis.md: LEVERET_WRITE_COMMANDS=1 cargo test -p leveret-strings --test page");
}

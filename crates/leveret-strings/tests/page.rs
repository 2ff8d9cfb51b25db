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

/// What a summary begins with where the answer is always the same.
const FIXED: [&str; 3] = ["Is ", "Answers ", "Reports "];

/// The commands that are served, with the subcommands of containers in their place.
fn served(group: CommandGroup) -> Vec<&'static CommandRow> {
    rows()
        .filter(|row| row.group == group)
        .flat_map(|row| match row.handler {
            Handler::Container(rows) => rows.iter().filter(|row| row.is_served()).collect(),
            _ => vec![row],
        })
        .collect()
}

fn name(row: &CommandRow) -> String {
    row.name.to_ascii_uppercase().replace('|', " ")
}

fn commands() -> String {
    let mut text = "\n| group | commands |\n|---|---|\n".to_owned();
    let mut fixed: Vec<(&str, Vec<String>)> = Vec::new();
    for group in GROUPS {
        let names: Vec<String> = served(group).into_iter().map(name).collect();
        writeln!(text, "| {} | {} |", group.name(), names.join(", ")).expect("a string takes all");
        for row in served(group).into_iter().filter(|row| FIXED.iter().any(|word| row.summary.starts_with(word))) {
            match fixed.iter_mut().find(|(answer, _)| *answer == row.summary) {
                Some((_, names)) => names.push(name(row)),
                None => fixed.push((row.summary, vec![name(row)])),
            }
        }
    }
    text.push_str("\nAlways the same:\n");
    for (answer, names) in fixed {
        writeln!(text, "- {}: {}", names.join(", "), lowercase_first(answer)).expect("a string takes all");
    }
    text.push_str(&refused());
    text
}

fn lowercase_first(text: &str) -> String {
    text[..1].to_lowercase() + text[1..].trim_end_matches('.')
}

/// More commands than these are told by their number: the page's table of what is refused has their kinds.
const NAMED_MAX: usize = 20;

fn refused() -> String {
    let mut reasons: Vec<(Refusing, Vec<String>)> = Vec::new();
    let subcommands = rows().flat_map(|row| row.subcommands().iter());
    for row in rows().chain(subcommands) {
        let Handler::Refused(why) = row.handler else { continue };
        let name = name(row);
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let mut text = "\n| answered with `UNSUPPORTED` | reason |\n|---|---|\n".to_owned();
    for (why, names) in reasons {
        let told = match names.len() {
            many if many > NAMED_MAX => format!("{many} commands of [these kinds](#what-is-refused)"),
            _ => names.join(" "),
        };
        writeln!(text, "| {told} | {} |", why.reason()).expect("a string takes all");
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

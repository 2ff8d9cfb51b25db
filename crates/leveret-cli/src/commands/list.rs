//! `leveret list`: the arenas of the folder.
use crate::commands::stats::Summary;
use crate::output::{self, shown, CommandResult, Exit, Failure, BAD, STRONG};
use crate::target::{self, TargetArgs};
use crate::units::{bytes, percent, span, thousands};
use clap::Args;
use leveret_engine::{reason, Arena, Service};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// List the arenas of the folder, and the servers that serve them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ListArgs {}

const EXAMPLES: &str = "\
Examples:
  leveret list
  sudo -u www-data leveret list             those of another user
  leveret list --dir /srv/caches --json | jq -r .name";

/// One arena, or why it cannot be opened.
struct Row {
    name: String,
    path: PathBuf,
    state: Result<Summary, String>,
    /// Where living servers say that they serve it: `tcp 127.0.0.1:11211`.
    servers: Vec<String>,
}

impl Row {
    fn of(path: PathBuf) -> Row {
        let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        match target::attach(&path, None) {
            Ok(arena) => Row { name, path, state: Ok(Summary::of(&arena)), servers: places(&arena) },
            Err(error) => Row { name, path, state: Err(error.to_string()), servers: Vec::new() },
        }
    }

    fn line(&self) -> Line<'_> {
        let stats = self.state.as_ref().ok();
        Line {
            name: &self.name,
            path: self.path.to_string_lossy(),
            memory: stats.map(|stats| stats.memory),
            free: stats.map(|stats| stats.free),
            items: stats.map(|stats| stats.items),
            attached: stats.map(|stats| stats.attached),
            age_secs: stats.map(|stats| stats.age_secs),
            servers: stats.map(|_| &self.servers[..]),
            error: self.state.as_ref().err(),
        }
    }
}

/// All but name and path is null when the arena cannot be opened; then `error` says why.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    path: Cow<'a, str>,
    memory: Option<u64>,
    free: Option<u64>,
    items: Option<u64>,
    attached: Option<u32>,
    age_secs: Option<i64>,
    servers: Option<&'a [String]>,
    error: Option<&'a String>,
}

impl ListArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let (dir, paths) = arenas(target)?;
        let rows: Vec<Row> = paths.into_iter().map(Row::of).collect();
        if json {
            let mut out = output::raw();
            for row in &rows {
                output::json_line(&mut out, &row.line())?;
            }
            out.flush()?;
        } else if rows.is_empty() {
            writeln!(
                output::text(),
                "No arenas in {}. The first 'leveret set' or PHP script makes one; 'leveret doctor' finds those of other users.",
                dir.display()
            )?;
        } else {
            print(&mut output::text(), &dir, &rows)?;
        }
        Ok(Exit::Yes)
    }
}

/// The folder, and the files of its arenas.
pub fn arenas(target: &TargetArgs) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let absolute = target
        .dir()
        .map(std::path::absolute)
        .transpose()
        .map_err(|error| Failure::Unreachable(format!("cannot read the current folder: {}", reason(&error))))?;
    let dir = leveret_place::directory(absolute.as_deref())?;
    // One that was named: the others are there, or made when they are needed.
    if !dir.exists() {
        return Err(Failure::Unreachable(format!(
            "there is no folder {} (--dir, LEVERET_DIR): create it, or name another",
            dir.display()
        )));
    }
    leveret_place::check(&dir)?;
    let paths = leveret_place::list(Some(&dir)).map_err(|error| {
        Failure::Unreachable(format!("cannot read the folder {}: {}", dir.display(), reason(&error)))
    })?;
    Ok((dir, paths))
}

/// A place where a living server says that it serves an arena.
pub struct ListedServer {
    /// `tcp 127.0.0.1:11211`, without the network's number, which only programs compare.
    pub place: String,
    /// The process, as it numbers itself.
    pub pid: u32,
    /// It is this very process, over this very arena.
    pub is_own: bool,
}

pub fn servers(arena: &Arena) -> Vec<ListedServer> {
    let listed = |Service { text, pid, is_own, .. }| {
        leveret_place::endpoint_of(&text).map(|place| ListedServer { place, pid, is_own })
    };
    arena.services().into_iter().filter_map(listed).collect()
}

/// What people are told of them.
pub fn places(arena: &Arena) -> Vec<String> {
    servers(arena).into_iter().map(|server| server.place).collect()
}

fn print(out: &mut impl Write, dir: &Path, rows: &[Row]) -> io::Result<()> {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("ARENA".len());
    writeln!(
        out,
        "{STRONG}{:width$}  {:>10}  {:>7}  {:>12}  {:>8}  {:>10}  SERVED AT{STRONG:#}  in {}",
        "ARENA",
        "MEMORY",
        "USED",
        "ITEMS",
        "ATTACHED",
        "AGE",
        dir.display()
    )?;
    for row in rows {
        match &row.state {
            Ok(stats) => writeln!(
                out,
                "{:width$}  {:>10}  {:>7}  {:>12}  {:>8}  {:>10}  {}",
                shown(row.name.as_bytes()),
                bytes(stats.memory),
                percent(stats.memory.saturating_sub(stats.free), stats.memory),
                thousands(stats.items),
                stats.attached,
                span(stats.age_secs.unsigned_abs()),
                if row.servers.is_empty() { "-".to_owned() } else { row.servers.join(", ") }
            )?,
            Err(error) => {
                writeln!(out, "{:width$}  {BAD}{}{BAD:#}", shown(row.name.as_bytes()), shown(error.as_bytes()))?
            }
        }
    }
    Ok(())
}

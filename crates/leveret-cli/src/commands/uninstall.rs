//! `leveret uninstall`: before Leveret is removed, what names arenas and would be without a cache afterwards, and what
//! stands in its place then. With `--apply` it is written there.
mod file;
mod line;
mod server;

use crate::output::{self, shell_word, shown, CommandResult, Failure, FAINT, STRONG, WARNING};
use crate::units::counted;
use clap::Args;
use line::{changes, Language, LineChange};
use serde::Serialize;
use server::ServerAddress;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Before removing Leveret: list settings that name arenas, and their replacements
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct UninstallArgs {
    /// Folders of applications; PHP's, Apache's and systemd's configuration is read besides [default: /var/www and /srv]
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// Read only these folders
    #[arg(long, requires = "folders")]
    only: bool,

    /// Make the changes, and keep each old file beside the new one
    #[arg(long)]
    apply: bool,

    /// The memcached that replaces the arenas
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:11211")]
    server: ServerAddress,
}

const EXAMPLES: &str = "\
Examples:
  leveret uninstall
  leveret uninstall /home/deploy/shop /var/www
  leveret uninstall --apply --only /home/deploy/shop
  leveret uninstall --apply --server cache.example.com:11211

Without --apply it changes nothing. With it, lines of forms that it knows are rewritten or removed, and the old file stays as FILE.leveret-backup, \
with mode 000. Files of other users keep their owner; their symbolic links are not followed.

Files of PHP, Ruby and Python and of configuration are read, up to 1 MiB each; files below node_modules, vendor and .git are not.

Exit codes: 0 no setting names an arena, or all were changed; 1 some are left.";

const CONFIGURATION: [&str; 3] = ["/etc/php", "/etc/systemd/system", "/etc/apache2"];
const APPLICATIONS: [&str; 2] = ["/var/www", "/srv"];
const ENDS: [&str; 12] = ["php", "ini", "conf", "service", "rb", "py", "yml", "yaml", "json", "toml", "env", "local"];
const CODE: [&str; 4] = ["php", "rb", "py", "json"];
const NOT_ENTERED: [&str; 3] = ["node_modules", "vendor", ".git"];
const FILES_MAX: usize = 500_000;

/// A line that needs Leveret.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    file: PathBuf,
    line: usize,
    text: String,
    /// Kind of change: replace, remove, or by hand.
    change: &'static str,
    instead: String,
    /// Whether it was written.
    applied: bool,
}

/// What became of a file's lines.
#[derive(Default)]
struct Told {
    lines: Vec<Line>,
    /// Sentences about files that were rewritten, or should have been.
    notes: Vec<String>,
}

impl UninstallArgs {
    pub fn run(self, json: bool) -> CommandResult {
        let mut folders: Vec<PathBuf> = CONFIGURATION.iter().filter(|_| !self.only).map(PathBuf::from).collect();
        match self.folders.is_empty() {
            true => folders.extend(APPLICATIONS.iter().map(PathBuf::from)),
            false => {
                for folder in &self.folders {
                    if !folder.is_dir() {
                        return Err(Failure::Unreachable(format!("there is no folder {}", folder.display())));
                    }
                }
                folders.extend(self.folders.iter().cloned());
            }
        }
        let mut told = Told::default();
        for (file, found) in files(folders) {
            self.look_at(&file, &found, &mut told);
        }
        let left = told.lines.iter().filter(|line| !line.applied).count() as u64;
        if json {
            let mut out = output::raw();
            told.lines.iter().try_for_each(|line| output::json_line(&mut out, line))?;
            out.flush()?;
        } else {
            self.print(&told, left)?;
        }
        Ok((left == 0).into())
    }

    fn look_at(&self, file: &Path, found: &Path, told: &mut Told) {
        let mut lines = lines_of(file, &self.server);
        if self.apply && lines.iter().any(|line| line.change != BY_HAND) {
            // As it was found: a link on the way counts.
            match file::rewrite(found, language_of(file), &self.server) {
                Ok(done) => {
                    lines.iter_mut().for_each(|line| line.applied = done.is_some() && line.change != BY_HAND);
                    told.notes.extend(done.map(|done| {
                        let (name, backup) = (shell_word(file), shell_word(&file.with_file_name(&done.backup)));
                        let lines = counted(done.lines as u64, "line");
                        format!(
                            "{name}: {lines} changed. To take it back: chmod {:o} {backup} && mv {backup} {name}",
                            done.mode
                        )
                    }));
                }
                Err(why) => told.notes.push(format!("{}: {why}. It is unchanged.", shell_word(file))),
            }
        }
        told.lines.append(&mut lines);
    }

    fn print(&self, told: &Told, left: u64) -> Result<(), Failure> {
        let mut out = output::text();
        for Line { file, line, text, instead, applied, .. } in &told.lines {
            writeln!(out, "{STRONG}{}:{line}{STRONG:#} {}", name_of(file), shown(text.as_bytes()))?;
            let word = if *applied { "now    " } else { "instead" };
            writeln!(out, "         {FAINT}{word}{FAINT:#} {}", shown(instead.as_bytes()))?;
        }
        for note in &told.notes {
            writeln!(out, "{WARNING}file{WARNING:#}     {}", shown(note.as_bytes()))?;
        }
        let ready = told.lines.iter().filter(|line| !line.applied && line.change != BY_HAND).count() as u64;
        let apply = match ready {
            0 => String::new(),
            _ if self.apply => String::new(),
            ready => format!(" {} of them: leveret uninstall --apply.", counted(ready, "line")),
        };
        writeln!(
            out,
            "{} to change before Leveret is removed.{apply} The commands for removing it: docs/how-to/uninstall.md.",
            counted(left, "line")
        )?;
        Ok(())
    }
}

const BY_HAND: &str = "by hand";

fn name_of(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Files that may name an arena, each once, with the name under which it was found: Debian's conf.d has links to
/// mods-available.
fn files(mut folders: Vec<PathBuf>) -> BTreeMap<PathBuf, PathBuf> {
    let mut found = BTreeMap::new();
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > FILES_MAX {
                return found;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !NOT_ENTERED.contains(&&*name) {
                folders.push(path);
            } else if !kind.is_dir()
                && is_read(&name)
                && fs::metadata(&path).is_ok_and(|stat| stat.is_file() && stat.len() <= file::LEN_MAX)
            {
                if let Ok(file) = fs::canonicalize(&path) {
                    // A link's name only where nothing else leads to it.
                    let known = found.entry(file).or_insert_with(|| path.clone());
                    if !kind.is_symlink() {
                        *known = path;
                    }
                }
            }
        }
    }
    found
}

fn is_read(name: &str) -> bool {
    // .env.production and the like.
    name.starts_with(".env") || Path::new(name).extension().is_some_and(|end| ENDS.iter().any(|known| end == *known))
}

fn language_of(file: &Path) -> Language {
    let is_code = file.extension().is_some_and(|end| CODE.iter().any(|known| end == *known));
    if is_code {
        Language::Code
    } else {
        Language::Settings
    }
}

fn lines_of(file: &Path, server: &ServerAddress) -> Vec<Line> {
    // The extension's own settings go with it.
    if file.ends_with("mods-available/leveret.ini") {
        return Vec::new();
    }
    let text = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let line = |(at, change): (usize, LineChange)| {
        let (change, instead) = match change {
            LineChange::Replace(text) => ("replace", text.trim().to_owned()),
            LineChange::Remove => ("remove", "nothing: remove the line".to_owned()),
            LineChange::ByHand(words) => (BY_HAND, words.to_owned()),
        };
        let text = text.lines().nth(at).unwrap_or_default().trim().to_owned();
        Line { file: file.to_owned(), line: at + 1, text, change, instead, applied: false }
    };
    changes(&text, language_of(file), server).into_iter().map(line).collect()
}

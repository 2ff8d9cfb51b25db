//! `leveret uninstall`: before Leveret is removed, what names arenas and would be without a cache afterwards, and what
//! stands in its place then. It changes nothing.
use crate::output::{self, shown, Failure, Outcome, FAINT, STRONG};
use crate::units::counted;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Before you remove Leveret: list the settings that name arenas, and say what to write in their place
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Uninstall {
    /// Folders of applications; PHP's and systemd's configuration is always read [default: /var/www and /srv]
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  leveret uninstall
  leveret uninstall /home/deploy/shop /var/www

It changes nothing. Files of PHP, Ruby and Python and of configuration are read, up to 1 MiB each; files below node_modules, vendor and .git are not.

Exit codes: 0 nothing names an arena; 1 something does.";

const CONFIGURATION: [&str; 3] = ["/etc/php", "/etc/systemd/system", "/etc/apache2"];
const APPLICATIONS: [&str; 2] = ["/var/www", "/srv"];
const ENDS: [&str; 12] = ["php", "ini", "conf", "service", "rb", "py", "yml", "yaml", "json", "toml", "env", "local"];
const NOT_ENTERED: [&str; 3] = ["node_modules", "vendor", ".git"];
const LEN_MAX: u64 = 1 << 20;
const FILES_MAX: usize = 500_000;

/// A line that needs Leveret.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    file: PathBuf,
    line: usize,
    text: String,
    instead: &'static str,
}

impl Uninstall {
    pub fn run(self, json: bool) -> Outcome {
        let mut folders: Vec<PathBuf> = CONFIGURATION.iter().map(PathBuf::from).collect();
        match self.folders.is_empty() {
            true => folders.extend(APPLICATIONS.iter().map(PathBuf::from)),
            false => {
                for folder in &self.folders {
                    if !folder.is_dir() {
                        return Err(Failure::Unreachable(format!("there is no folder {}", folder.display())));
                    }
                }
                folders.extend(self.folders);
            }
        }
        let lines: Vec<Line> = files(folders).iter().flat_map(|path| lines_of(path)).collect();
        if json {
            let mut out = output::raw();
            lines.iter().try_for_each(|line| output::json_line(&mut out, line))?;
            out.flush()?;
        } else {
            let mut out = output::text();
            for Line { file, line, text, instead } in &lines {
                writeln!(
                    out,
                    "{STRONG}{}:{line}{STRONG:#} {}",
                    shown(file.as_os_str().as_encoded_bytes()),
                    shown(text.as_bytes())
                )?;
                writeln!(out, "         {FAINT}instead{FAINT:#} {instead}")?;
            }
            writeln!(
                out,
                "{} to change before Leveret is removed. The commands for removing it: docs/install.md, \"Uninstall\".",
                counted(lines.len() as u64, "line")
            )?;
        }
        Ok(lines.is_empty().into())
    }
}

/// Files that may name an arena, each once: Debian's conf.d has links to mods-available.
fn files(mut folders: Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
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
                && fs::metadata(&path).is_ok_and(|stat| stat.is_file() && stat.len() <= LEN_MAX)
            {
                found.extend(fs::canonicalize(path));
            }
        }
    }
    found
}

fn is_read(name: &str) -> bool {
    // .env.production and the like.
    name.starts_with(".env") || Path::new(name).extension().is_some_and(|end| ENDS.iter().any(|known| end == *known))
}

fn lines_of(path: &Path) -> Vec<Line> {
    // The extension's own settings go with it.
    if path.ends_with("mods-available/leveret.ini") {
        return Vec::new();
    }
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let line = |(at, text): (usize, &str)| {
        Some(Line { file: path.to_owned(), line: at + 1, instead: instead_of(text)?, text: text.trim().to_owned() })
    };
    text.lines().enumerate().filter_map(line).collect()
}

/// What stands in the place of a line that needs Leveret; none where it does not.
fn instead_of(line: &str) -> Option<&'static str> {
    let line = line.trim();
    if line.starts_with(['#', ';']) || line.starts_with("//") || line.starts_with('*') {
        return None;
    }
    if line.contains("leveret_store") {
        return Some(":mem_cache_store, with the server 127.0.0.1:11211");
    }
    if line.contains("Leveret\\") || line.contains("Leveret::") || line.contains("leveret/") && line.contains("require")
    {
        return Some("nothing: this code calls Leveret itself, so change it or keep Leveret");
    }
    if names_arena(line) {
        return Some("127.0.0.1 as host and 11211 as port (127.0.0.1:11211 as one word), for a memcached");
    }
    // In a unit `Environment=` stands before the name, in a pool of php-fpm `php_admin_value[`.
    let setting = line.rsplit_once('=').map_or("", |(setting, _)| setting);
    let is_ours = ["leveret.", "LEVERET_"].iter().any(|word| setting.contains(word));
    (is_ours || line.starts_with("extension=leveret")).then_some("nothing: remove the line")
}

/// `arena:NAME`, or a path that ends in `.arena`.
fn names_arena(line: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let by_name = line.match_indices("arena:").any(|(at, word)| {
        let after = &line[at + word.len()..];
        !line[..at].ends_with(is_word) && after.starts_with(|c: char| c.is_ascii_alphanumeric())
    });
    let by_path = line.match_indices(".arena").any(|(at, word)| {
        let before = line[..at].rsplit(|c: char| !is_word(c) && c != '/').next().unwrap_or_default();
        before.contains('/') && !line[at + word.len()..].starts_with(is_word)
    });
    by_name || by_path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_leveret_is_told_from_what_does_not() {
        let host = "127.0.0.1 as host";
        for (line, want) in [
            ("MEMCACHED_HOST=arena:laravel", Some(host)),
            ("$wgMemCachedServers = ['arena:wiki'];", Some(host)),
            ("session.save_path = \"unix:///dev/shm/leveret/mail.arena\"", Some(host)),
            ("    default_memcached_provider: 'memcached:///dev/shm/leveret/shop.arena'", Some(host)),
            ("    'memcached_servers' => [['/dev/shm/leveret/cloud.arena', 0]],", Some(host)),
            ("config.cache_store = :leveret_store, \"arena:shop\"", Some(":mem_cache_store")),
            ("$cache = new Leveret\\Cache('shop');", Some("nothing: this code")),
            ("require \"leveret/dalli\"", Some("nothing: this code")),
            ("php_admin_value[leveret.dir] = /srv/caches", Some("nothing: remove")),
            ("Environment=LEVERET_DIR=/srv/caches", Some("nothing: remove")),
            ("extension=leveret.so", Some("nothing: remove")),
            ("; leveret.dir = /srv", None),
            ("# MEMCACHED_HOST=arena:laravel", None),
            ("arena: true", None),
            ("the arena:", None),
            ("sub-arena:x", None),
            ("$file = 'x.arenas';", None),
            ("memcached_host = 127.0.0.1", None),
            ("see leveret.example.org", None),
        ] {
            let instead = instead_of(line);
            assert_eq!(instead.is_some(), want.is_some(), "{line}");
            assert!(instead.is_none_or(|text| text.starts_with(want.unwrap_or_default())), "{line}: {instead:?}");
        }
    }
}

//! Which arena a command speaks to. Commands that can also ask a server take a TARGET: `peer`.
use crate::output::Failure;
use clap::Args;
use leveret_engine::{reason, Arena, OpenError, OpenOptions};
use leveret_protocol::percent;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arena that is meant when none is named.
pub const DEFAULT: &str = "default";

#[derive(Args, Clone, Debug)]
pub struct TargetArgs {
    /// The arena: a name, arena:NAME, or a path that ends in .arena; apcu: the arena of apcu_*, if there is only one [default:
    /// default]
    #[arg(long, short, global = true, value_name = "NAME|PATH", help_heading = "Which arena")]
    pub arena: Option<String>,

    /// The folder of named arenas [default: /dev/shm/leveret if usable, else /dev/shm/leveret-UID]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "LEVERET_DIR",
        hide_env_values = true,
        help_heading = "Which arena"
    )]
    pub dir: Option<PathBuf>,
}

impl TargetArgs {
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref().filter(|dir| !dir.as_os_str().is_empty())
    }

    /// The arena as it was named.
    pub fn name(&self) -> &str {
        self.arena.as_deref().unwrap_or(DEFAULT)
    }

    /// The arena's file, whether it exists or not.
    pub fn path(&self) -> Result<PathBuf, Failure> {
        resolve(self.name(), self.dir())
    }

    /// Attaches to the arena; a missing one is an error.
    pub fn open(&self) -> Result<Arena, Failure> {
        Ok(attach(&self.path()?, None)?)
    }

    /// Attaches to the arena, or makes it with `memory` bytes.
    pub fn open_or_create(&self, memory: Option<u64>) -> Result<Arena, Failure> {
        let mut options = OpenOptions::new();
        if let Some(memory) = memory {
            options = options.memory(memory);
        }
        Ok(Arena::open(&self.path()?, &options)?.0)
    }
}

/// Attaches to an existing arena. `lock_timeout`: for callers that must answer in time.
pub fn attach(path: &Path, lock_timeout: Option<Duration>) -> Result<Arena, leveret_place::PlaceError> {
    let mut options = OpenOptions::new().create(false);
    if let Some(timeout) = lock_timeout {
        options = options.lock_timeout(timeout);
    }
    Ok(Arena::open(path, &options)?.0)
}

/// The file of an arena's name. The engine requires absolute paths, since a PHP process has no useful working folder;
/// people at a terminal have one.
pub fn resolve(name: &str, dir: Option<&Path>) -> Result<PathBuf, Failure> {
    let absolute = |path: &Path| {
        std::path::absolute(path)
            .map_err(|error| Failure::Unreachable(format!("cannot read the current folder: {}", reason(&error))))
    };
    if name.contains('/') {
        let path = absolute(Path::new(name))?;
        let name = path.to_str().ok_or_else(|| Failure::Usage(format!("the path {} is not UTF-8", path.display())))?;
        return Ok(leveret_place::resolve(name, None)?);
    }
    let dir = dir.map(absolute).transpose()?;
    let path = leveret_place::resolve(name, dir.as_deref())?;
    // The name of the file, as `ls` shows it; unless an arena is really called so.
    let path = match name.strip_suffix(".arena").filter(|bare| !bare.is_empty() && !path.exists()) {
        Some(bare) => leveret_place::resolve(bare, dir.as_deref())?,
        None => path,
    };
    if path.file_stem() == Some(OsStr::new(APCU)) && !path.exists() {
        return only_apcu(path, dir.as_deref());
    }
    Ok(path)
}

/// Behind `apcu_*` each version of PHP has an arena of its own, `apcu-8.2`: where there is one only, this is its name
/// too.
const APCU: &str = "apcu";

fn only_apcu(path: PathBuf, dir: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_apcu = |path: &PathBuf| {
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let version = stem.strip_prefix("apcu-").and_then(|version| version.split_once('.'));
        version.is_some_and(|(major, minor)| major.parse::<u8>().is_ok() && minor.parse::<u8>().is_ok())
    };
    let mut found: Vec<PathBuf> = leveret_place::list(dir).unwrap_or_default().into_iter().filter(is_apcu).collect();
    match found.len() {
        0 => Err(Failure::Unreachable(format!(
            "{}, and no apcu-X.Y beside it: the first PHP script that uses apcu_* makes it (on the command line only with leveret.apcu_cli=shared)",
            OpenError::Missing(path)
        ))),
        1 => Ok(found.remove(0)),
        _ => {
            let names: Vec<_> = found.iter().filter_map(|path| path.file_stem()).map(OsStr::to_string_lossy).collect();
            Err(Failure::Usage(format!("'{APCU}' may be any of {}: each version of PHP has one of its own; name the one that is meant", names.join(", "))))
        }
    }
}

/// A key from the command line: any bytes, or with `encoded` in the form in which `leveret keys` prints it.
pub fn key(argument: OsString, encoded: bool) -> Result<Vec<u8>, Failure> {
    let bytes = argument.into_vec();
    if !encoded {
        return Ok(bytes);
    }
    percent::decode(&bytes).ok_or_else(|| {
        Failure::Usage(format!(
            "'{}' is no URI-encoded key: after each % come two hexadecimal digits",
            String::from_utf8_lossy(&bytes)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_and_folders_are_taken_from_the_working_folder() {
        let here = std::env::current_dir().expect("a working folder");
        assert_eq!(resolve("./shop.arena", None).expect("a path"), here.join("shop.arena"));
        assert_eq!(resolve("shop", Some(Path::new("caches"))).expect("a name"), here.join("caches/shop.arena"));
        assert!(matches!(resolve("./shop.txt", None), Err(Failure::Usage(_))));
        assert!(matches!(resolve("no such name", Some(Path::new("/tmp"))), Err(Failure::Usage(_))));
    }

    #[test]
    fn keys_may_be_encoded() {
        assert_eq!(key("a%20b".into(), false).expect("as it is"), b"a%20b");
        assert_eq!(key("a%20b%00".into(), true).expect("decoded"), b"a b\0");
        assert!(matches!(key("%".into(), true), Err(Failure::Usage(_))));
    }
}

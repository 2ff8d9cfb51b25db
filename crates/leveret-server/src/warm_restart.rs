//! `-e FILE`. memcached keeps its items in FILE and their description in FILE.meta, written at SIGUSR1. Here the items
//! are in the arena, however the server ends; FILE.meta records which arena it was, so that a restart with another one
//! is noticed.
use crate::serve_error::ServeError;
use crate::small_file;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

// A path, and a line before it.
const LEN_MAX: u64 = 8192;
const FIRST_LINE: &[u8] = b"leveret 1\n";
const ARENA: &[u8] = b"arena ";

/// State that a server leaves for its successor.
#[derive(Debug, PartialEq, Eq)]
pub struct RestartRecord {
    file: PathBuf,
    arena: PathBuf,
}

impl RestartRecord {
    /// Reads the record. A file that no server has written prevents the start, as in memcached: the operator expects a
    /// cache that would not be found.
    pub fn read(memory_file: &Path) -> Result<Option<RestartRecord>, ServeError> {
        let file = beside(memory_file);
        let text = match small_file::read(&file, LEN_MAX) {
            Ok(text) => text,
            // Better now than when the file is to be written.
            Err(source) if source.kind() == ErrorKind::NotFound && !folder_of(&file).is_dir() => {
                return Err(ServeError::File { doing: "write", path: file, source });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ServeError::File { doing: "read", path: file, source }),
        };
        match parse(&text) {
            Some(arena) => Ok(Some(RestartRecord { file, arena })),
            None => Err(ServeError::BadMeta { path: file, why: "not written by leveret".to_owned() }),
        }
    }

    /// Takes over: the arena must be the one that was left. The file has then done its duty.
    pub fn redeem(self, arena: &Path) -> Result<(), ServeError> {
        if self.arena != arena {
            let why = format!("belongs to the arena {}, not to {}", self.arena.display(), arena.display());
            return Err(ServeError::BadMeta { path: self.file, why });
        }
        std::fs::remove_file(&self.file).map_err(|source| ServeError::File { doing: "remove", path: self.file, source })
    }
}

/// Leaves the file for the next server.
pub fn write(memory_file: &Path, arena: &Path) -> Result<(), ServeError> {
    let file = beside(memory_file);
    let text = [FIRST_LINE, ARENA, arena.as_os_str().as_bytes(), b"\n"].concat();
    small_file::write(&file, &text).map(drop).map_err(|source| ServeError::File { doing: "write", path: file, source })
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn beside(memory_file: &Path) -> PathBuf {
    let mut name = memory_file.as_os_str().to_owned();
    name.push(".meta");
    name.into()
}

fn parse(text: &[u8]) -> Option<PathBuf> {
    let arena = text.strip_prefix(FIRST_LINE)?.strip_prefix(ARENA)?.strip_suffix(b"\n")?;
    (!arena.is_empty()).then(|| OsString::from_vec(arena.to_vec()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_successor_takes_over_the_same_arena_only() {
        let folder = tempfile::tempdir().unwrap();
        let memory_file = folder.path().join("memory");
        assert_eq!(RestartRecord::read(&memory_file).unwrap(), None);
        write(&memory_file, Path::new("/arenas/a")).unwrap();
        let refused = RestartRecord::read(&memory_file).unwrap().unwrap().redeem(Path::new("/arenas/b")).unwrap_err();
        assert!(refused.to_string().contains("belongs to the arena /arenas/a"), "{refused}");
        RestartRecord::read(&memory_file).unwrap().unwrap().redeem(Path::new("/arenas/a")).unwrap();
        assert_eq!(RestartRecord::read(&memory_file).unwrap(), None);
    }

    #[test]
    fn a_damaged_file_refuses_the_start() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "leveret 1\n", "leveret 1\narena \n", "leveret 1\narena /a", "leveret 2\narena /a\n"] {
            std::fs::write(folder.path().join("memory.meta"), text).unwrap();
            assert!(
                matches!(RestartRecord::read(&folder.path().join("memory")), Err(ServeError::BadMeta { .. })),
                "{text:?}"
            );
        }
    }
}

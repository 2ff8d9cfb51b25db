//! The arenas of the folder, each opened once for all checks.
use crate::commands::list::places;
use crate::commands::stats::Summary;
use crate::target;
use std::fs;
use std::path::{Path, PathBuf};

/// An arena's file, and the result of opening it.
pub struct KnownArena {
    pub name: String,
    pub path: PathBuf,
    /// Length of the file, which a process maps. Far more than the arena's memory: most of it is never allocated.
    pub file_len: u64,
    pub state: Result<Summary, leveret_place::PlaceError>,
    /// Where living servers say that they serve it.
    pub servers: Vec<String>,
}

impl KnownArena {
    pub fn summary(&self) -> Option<&Summary> {
        self.state.as_ref().ok()
    }
}

/// Every arena of the folder. A folder that cannot be read has none: the folder's own findings say so.
pub fn find(dir: &Path) -> Vec<KnownArena> {
    let paths = leveret_place::list(Some(dir)).unwrap_or_default();
    paths
        .into_iter()
        .map(|path| {
            let arena = target::attach(&path, None);
            KnownArena {
                name: path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned()),
                file_len: fs::symlink_metadata(&path).map_or(0, |stat| stat.len()),
                servers: arena.as_ref().map(places).unwrap_or_default(),
                state: arena.map(|arena| Summary::of(&arena)),
                path,
            }
        })
        .collect()
}

//! The bytes of an arena: its file, the mapping of it, the regions and the superblock that describes them. This module
//! does not know items or segments.
#[cfg_attr(model, path = "../models/copy.rs")]
pub(crate) mod copy;
pub(crate) mod file;
pub(crate) mod file_lock;
pub(crate) mod folder;
pub(crate) mod geometry;
mod guard;
#[cfg_attr(model, path = "../models/host.rs")]
pub(crate) mod host;
pub(crate) mod layout;
pub(crate) mod mapping;
mod name;

use file::OpenedFile;
use geometry::{Geometry, RegionId};
use host::Host;
use mapping::{Data, Mapping, Table};
use rustix::fd::AsFd;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An arena's bytes, as this process has mapped them, and the private copy of the numbers that shape them.
pub(crate) struct Map {
    pub geometry: Geometry,
    pub host: Arc<Host>,
    mapping: Mapping,
}

impl Map {
    /// Maps a file that was checked.
    pub fn new(path: PathBuf, opened: OpenedFile) -> io::Result<Map> {
        let geometry = opened.geometry.clone();
        let mapping = Mapping::new(opened.file.as_fd(), geometry.file_len)?;
        Ok(Map::over(mapping, geometry, Host::new(path, opened)))
    }

    /// An arena of this shape in any memory.
    pub fn over(mapping: Mapping, geometry: Geometry, host: Host) -> Map {
        Map { geometry, host: Arc::new(host), mapping }
    }

    /// The first `count` structs of a region. They lie there as long as this map does.
    ///
    /// # Safety
    /// `T` consists of atomics only, so that any bytes are a valid `T` and others may write it.
    pub unsafe fn table<T>(&self, id: RegionId, count: usize) -> Table<T> {
        // SAFETY: by contract.
        unsafe { self.mapping.table(self.geometry.region(id).off, count) }
    }

    /// The data region. It lies there as long as this map does.
    pub fn data(&self) -> Data {
        let region = self.geometry.region(RegionId::Data);
        self.mapping.data(region.off, region.len)
    }

    /// See `Mapping::collapse`.
    pub fn collapse(&self, off: u64) -> io::Result<()> {
        self.mapping.collapse(off)
    }

    /// Whether the file was truncated under us: since then this process sees private zeros.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.mapping.is_lost()
    }
}

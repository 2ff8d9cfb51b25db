//! Copies of an arena file: the state left by a process that dies now. Only the extents that hold data are read and
//! written; the arena is a sparse file, and reading a hole of a memory file would fill it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nix::errno::Errno;
use nix::unistd::{lseek, Whence};

/// The bytes of an arena file at one moment. Two images are equal when the files are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaImage {
    len: u64,
    extents: Vec<Extent>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Extent {
    offset: u64,
    bytes: Vec<u8>,
}

impl Extent {
    fn holds(&self, at: u64) -> bool {
        (self.offset..self.offset + self.bytes.len() as u64).contains(&at)
    }
}

impl ArenaImage {
    /// Reads the file. The caller ensures that no process writes meanwhile.
    pub fn read(file: &File) -> io::Result<ArenaImage> {
        let mut image = ArenaImage::default();
        image.refresh(file)?;
        Ok(image)
    }

    /// Reads the file of this path.
    pub fn read_path(path: &Path) -> io::Result<ArenaImage> {
        ArenaImage::read(&File::open(path)?)
    }

    /// The first bytes of the file; the rest is left out.
    pub fn read_start(file: &File, len: usize) -> io::Result<ArenaImage> {
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(ArenaImage { len: len as u64, extents: vec![Extent { offset: 0, bytes }] })
    }

    /// Reads the file again, into the buffers of the last time.
    pub fn refresh(&mut self, file: &File) -> io::Result<()> {
        self.len = file.metadata()?.len();
        let mut count = 0;
        let mut at = 0;
        while let Some(start) = seek(file, at, Whence::SeekData)? {
            let end = seek(file, start, Whence::SeekHole)?.unwrap_or(self.len);
            if count == self.extents.len() {
                self.extents.push(Extent { offset: 0, bytes: Vec::new() });
            }
            let extent = &mut self.extents[count];
            extent.offset = start;
            extent.bytes.resize((end - start) as usize, 0);
            file.read_exact_at(&mut extent.bytes, start)?;
            count += 1;
            at = end;
        }
        self.extents.truncate(count);
        Ok(())
    }

    /// Writes the image as a new file, holes kept. An existing file is replaced by a new inode, never written into.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = File::options().write(true).create_new(true).open(path)?;
        file.set_len(self.len)?;
        for extent in &self.extents {
            file.write_all_at(&extent.bytes, extent.offset)?;
        }
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
    }

    /// Changes bytes. Those in holes stay as they are.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            let extent = self.extents.iter_mut().find(|extent| extent.holds(at));
            if let Some(extent) = extent {
                extent.bytes[(at - extent.offset) as usize] = *byte;
            }
        }
    }

    /// Length of the file, holes included.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file has no length at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Some bytes of the file; a hole reads as zeros.
    pub fn bytes<const N: usize>(&self, offset: u64) -> [u8; N] {
        let mut bytes = [0; N];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let at = offset + index as u64;
            let extent = self.extents.iter().find(|extent| extent.holds(at));
            *byte = extent.map_or(0, |extent| extent.bytes[(at - extent.offset) as usize]);
        }
        bytes
    }

    /// The extents that hold data: offset and length.
    pub fn extents(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.extents.iter().map(|extent| (extent.offset, extent.bytes.len() as u64))
    }
}

fn seek(file: &File, at: u64, whence: Whence) -> io::Result<Option<u64>> {
    match lseek(file, at as i64, whence) {
        Ok(found) => Ok(Some(found as u64)),
        // No data behind this point.
        Err(Errno::ENXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_copy_has_the_bytes_and_the_holes() {
        let folder = scratch::folder().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let file = File::options().read(true).write(true).create_new(true).open(&from).unwrap();
        file.set_len(8 << 20).unwrap();
        file.write_all_at(b"superblock", 0).unwrap();
        file.write_all_at(b"item", 5 << 20).unwrap();
        let image = ArenaImage::read(&file).unwrap();
        let data_len: u64 = image.extents().map(|(_, len)| len).sum();
        assert!(data_len < 64 << 10, "{data_len}");
        image.write(&to).unwrap();
        assert_eq!(std::fs::read(&from).unwrap(), std::fs::read(&to).unwrap());
        // Reading the holes above may have filled them in `to`; the copy itself wrote only data.
        image.write(&to).unwrap();
        assert!(std::fs::metadata(&to).unwrap().blocks() * 512 < 64 << 10);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = scratch::folder().unwrap();
        let file = File::options().read(true).write(true).create_new(true).open(folder.path().join("arena")).unwrap();
        file.set_len(1 << 20).unwrap();
        file.write_all_at(&[1; 5000], 100).unwrap();
        let before = ArenaImage::read(&file).unwrap();
        let mut now = ArenaImage::default();
        now.refresh(&file).unwrap();
        assert_eq!(now, before);
        file.write_all_at(&[2], 5099).unwrap();
        now.refresh(&file).unwrap();
        assert_ne!(now, before);
        file.write_all_at(&[1], 5099).unwrap();
        file.write_all_at(&[9], 900_000).unwrap();
        now.refresh(&file).unwrap();
        assert_ne!(now, before, "a page that was a hole");
    }
}

//! Small files for other processes: the pid, the ports, the state of `-e`. Each is written beside its place and then
//! renamed: no reader sees half of one, and a symbolic link planted by another user does not redirect the writer, which
//! may be root.
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes the whole file, and replaces an existing one.
pub fn write(path: &Path, text: &[u8]) -> io::Result<File> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    // The rest of a killed writer. If it belongs to another user and stays, the next line reports that.
    let _ = fs::remove_file(&beside);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file.write_all(text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map(|()| file)
}

/// Reads a file of at most `len_max` bytes: no link, and nothing that has no end or no beginning, such as a FIFO.
pub fn read(path: &Path, len_max: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = Vec::new();
    file.take(len_max + 1).read_to_end(&mut text)?;
    if text.len() as u64 > len_max {
        return Err(io::Error::other(format!("it has more than {len_max} bytes")));
    }
    Ok(text)
}

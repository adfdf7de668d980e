//! Opens any file for reading without being tricked: no symlink, no FIFO, no device.
//! Border: for scanning what people name; team memory is read through `files`.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file. Opening a FIFO would wait for a writer, opening a device may do anything.
///
/// # Errors
/// What the system says, or that it is no regular file.
#[cfg(unix)]
pub fn open_regular(path: &Path) -> io::Result<File> {
    use rustix::fs::{FileType, Mode, OFlags};
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
    }
    Ok(File::from(file))
}

/// Opens a regular file that belongs to this user and that nobody else may write.
///
/// # Errors
/// What the system says, or that the file is not ours alone.
#[cfg(unix)]
pub fn open_own(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::MetadataExt;
    let file = open_regular(path)?;
    let metadata = file.metadata()?;
    if metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
        let reason = "belongs to somebody else, or others may write it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok(file)
}

/// Opens a regular file; whom it belongs to is not known here, so none is ours alone.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn open_own(_: &Path) -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "nobody knows whom the file belongs to"))
}

/// Opens a regular file; the type is checked before, because there is no portable way to do both.
///
/// # Errors
/// What the system says, or that it is no regular file.
#[cfg(not(unix))]
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
    }
    File::open(path)
}

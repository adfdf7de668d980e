//! Opens any file for reading without being tricked: no symlink, no FIFO, no device.
//! Border: for scanning what people name and for small files of other programs; team memory is read
//! through `files`.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes; `None` when nothing is there. A symlink is followed:
/// where the file is, is the person's or another program's choice.
///
/// # Errors
/// What the system says, or that it is no regular file, or larger.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let unfit = || io::Error::new(io::ErrorKind::InvalidInput, "is no regular file, or too large");
    let file = match open_anything(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    if !file.metadata()?.is_file() {
        return Err(unfit());
    }
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit { Err(unfit()) } else { Ok(Some(content)) }
}

/// Opens without waiting on a pipe; what it is must be looked at before it is read.
#[cfg(unix)]
fn open_anything(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens it; the type is checked before, because there is no portable way to do both.
#[cfg(not(unix))]
fn open_anything(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
    }
    File::open(path)
}

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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares files")]
    fn a_read_ends_at_its_limit_and_never_begins_at_what_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "12345").unwrap();
        std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert_eq!(read_bounded(&at("a"), 5).unwrap().unwrap(), b"12345");
        assert_eq!(read_bounded(&at("link"), 5).unwrap().unwrap(), b"12345");
        assert!(read_bounded(&at("none"), 5).unwrap().is_none());
        assert!(read_bounded(&at("a"), 4).is_err());
        for name in ["zero", "pipe", "."] {
            assert!(read_bounded(&at(name), 5).is_err(), "{name}");
        }
    }
}

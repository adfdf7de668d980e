//! Directory handles on Unix: every step is relative to an open folder and follows no symlink.
//! Border: one system call per function, no policy. Linux resolves whole paths with `openat2`;
//! elsewhere, and where a sandbox forbids it, each component is opened with `O_NOFOLLOW`.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rayon::prelude::*;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::stat::{Entry, FileKind, FileStat};

/// How often a lookup is repeated that the kernel could not prove safe because of a rename elsewhere.
#[cfg(target_os = "linux")]
const AGAIN_MAX: usize = 64;

/// From so many entries on, a folder is looked at by several threads: starting them takes as long as
/// a few hundred looks.
const PARALLEL_ENTRIES_MIN: usize = 2_048;

/// An open folder.
#[derive(Debug)]
pub(super) struct Dir {
    fd: OwnedFd,
    whole_paths: bool,
}

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Dir {
    /// Opens a root; its own last component may not be a symlink, folders above it may.
    pub(super) fn open_root(path: &Path, per_component: bool) -> io::Result<Self> {
        // A trailing slash would make the kernel follow a link in the last component.
        let path: std::path::PathBuf = path.components().collect();
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path.as_path() };
        let fd = rustix::fs::open(path, FOLDER, Mode::empty()).map_err(|error| {
            let link = rustix::fs::lstat(path)
                .is_ok_and(|s| rustix::fs::FileType::from_raw_mode(s.st_mode).is_symlink());
            if link { Errno::LOOP } else { error }
        })?;
        let whole_paths = !per_component && has_openat2(&fd);
        Ok(Self { fd, whole_paths })
    }

    /// Opens a folder below this one; `path` has plain components only.
    pub(super) fn folder(&self, path: &str) -> io::Result<Self> {
        let fd = self.open(path, FOLDER, Mode::empty())?;
        Ok(Self { fd, whole_paths: self.whole_paths })
    }

    /// A second handle on the same folder.
    pub(super) fn again(&self) -> io::Result<Self> {
        let fd = rustix::io::fcntl_dupfd_cloexec(&self.fd, 3)?;
        Ok(Self { fd, whole_paths: self.whole_paths })
    }

    /// Opens an existing file for reading, without waiting on a pipe.
    pub(super) fn file(&self, path: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(self.open(path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Opens a file of this folder for reading and writing, creating it when it is not there.
    pub(super) fn file_to_lock(&self, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(self.open(name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode_of(mode))?.into())
    }

    /// Creates a file of this folder that must not exist yet.
    pub(super) fn create_new(&self, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let fd = rustix::fs::openat(&self.fd, name, flags | OFlags::CLOEXEC, mode_of(mode))?;
        Ok(fd.into())
    }

    /// Creates a folder in this one.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.fd, name, mode_of(0o755))?)
    }

    /// Renames within this folder, replacing what is there.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Removes a file of this folder, or a symlink itself.
    pub(super) fn unlink(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes an empty folder of this one.
    pub(super) fn remove_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// What an entry of this folder is, links not followed.
    pub(super) fn stat(&self, name: impl rustix::path::Arg) -> io::Result<FileStat> {
        Ok(stat_of(&rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// What this folder itself is.
    pub(super) fn own_stat(&self) -> io::Result<FileStat> {
        Ok(stat_of(&rustix::fs::fstat(&self.fd)?))
    }

    /// Every entry with what it is, in no order. Entries that vanish meanwhile are left out.
    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut listing = rustix::fs::Dir::read_from(&self.fd)?;
        let mut names: Vec<CString> = Vec::new();
        while let Some(entry) = listing.read() {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name().to_owned());
            }
        }
        let look = |name: CString| match self.stat(&*name) {
            Ok(stat) => Some(Ok(Entry { name: name.into_bytes(), stat })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(error)),
        };
        if names.len() < PARALLEL_ENTRIES_MIN {
            return names.into_iter().filter_map(look).collect();
        }
        names.into_par_iter().with_min_len(PARALLEL_ENTRIES_MIN / 4).filter_map(look).collect()
    }

    /// Opens a folder of this one by raw name.
    pub(super) fn folder_raw(&self, name: &[u8]) -> io::Result<Self> {
        let fd = open_step(&self.fd, name, FOLDER, Mode::empty())?;
        Ok(Self { fd, whole_paths: self.whole_paths })
    }

    /// Removes a file of this folder by raw name.
    pub(super) fn unlink_raw(&self, name: &[u8]) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Makes renames and removals in this folder survive a power cut.
    pub(super) fn sync(&self) -> io::Result<()> {
        match rustix::fs::fsync(&self.fd) {
            // Some network and FUSE file systems cannot sync a folder; they order renames themselves.
            Err(Errno::INVAL | Errno::NOTSUP | Errno::BADF) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Syncs the whole file system at once; `false` where the system cannot.
    pub(super) fn sync_all(&self) -> io::Result<bool> {
        #[cfg(target_os = "linux")]
        {
            rustix::fs::syncfs(&self.fd)?;
            Ok(true)
        }
        #[cfg(not(target_os = "linux"))]
        Ok(false)
    }

    fn open(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        #[cfg(target_os = "linux")]
        if self.whole_paths {
            return open_whole(self.fd.as_fd(), path, flags, mode);
        }
        self.open_by_component(path, flags, mode)
    }

    fn open_by_component(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let (mut folder, mut rest) = (None::<OwnedFd>, path);
        while let Some((head, tail)) = rest.split_once('/') {
            let at = folder.as_ref().unwrap_or(&self.fd);
            folder = Some(open_step(at, head, FOLDER, Mode::empty())?);
            rest = tail;
        }
        open_step(folder.as_ref().unwrap_or(&self.fd), rest, flags, mode)
    }
}

/// Opens one component and tells a symlink from other non-folders.
fn open_step(
    at: &OwnedFd,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    rustix::fs::openat(at, name, flags, mode).map_err(|error| {
        let link = matches!(error, Errno::NOTDIR | Errno::LOOP | Errno::MLINK)
            && rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|s| rustix::fs::FileType::from_raw_mode(s.st_mode).is_symlink());
        if link { Errno::LOOP.into() } else { error.into() }
    })
}

#[cfg(target_os = "linux")]
fn open_whole(
    at: std::os::fd::BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // NO_SYMLINKS refuses a link in the last component too, and says so; O_NOFOLLOW with
    // O_DIRECTORY would call it "not a directory".
    let flags = flags.difference(OFlags::NOFOLLOW);
    let mut tries = 0;
    loop {
        match rustix::fs::openat2(at, path, flags, mode, resolve) {
            Err(Errno::AGAIN) if tries < AGAIN_MAX => tries += 1,
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

#[cfg(target_os = "linux")]
fn has_openat2(fd: &OwnedFd) -> bool {
    open_whole(fd.as_fd(), ".", FOLDER, Mode::empty()).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_openat2(_: &OwnedFd) -> bool {
    false
}

fn mode_of(mode: u32) -> Mode {
    Mode::from_bits_truncate(mode as rustix::fs::RawMode)
}

/// What the system says when it met a symlink it was told not to follow.
pub(super) fn is_symlink_refusal(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// What an open file is.
pub(super) fn stat_of_file(file: &File) -> io::Result<FileStat> {
    Ok(stat_of(&rustix::fs::fstat(file)?))
}

#[expect(clippy::unnecessary_cast, reason = "the widths differ between systems")]
fn stat_of(stat: &rustix::fs::Stat) -> FileStat {
    let kind = match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
        rustix::fs::FileType::RegularFile => FileKind::File,
        rustix::fs::FileType::Directory => FileKind::Directory,
        rustix::fs::FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Other,
    };
    let nanoseconds = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000) + nanos;
    FileStat {
        kind,
        size: stat.st_size as u64,
        modified_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        user: stat.st_uid,
        group: stat.st_gid,
        is_executable: kind == FileKind::File && stat.st_mode & 0o111 != 0,
        is_private: stat.st_mode & 0o077 == 0,
    }
}

/// A raw name as a part of a path for messages.
pub(super) fn os_name(name: &[u8]) -> OsString {
    OsString::from_vec(name.to_owned())
}

/// Whether a path holds a separator that only some systems know; none on Unix.
pub(super) fn has_foreign_separator(_: &str) -> bool {
    false
}

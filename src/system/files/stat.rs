//! What the system knows about a path, and how a new file is written.
//! Border: values; who asks and who writes is `root` and the platform below it.

/// Whether a write must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// File and folder are synced to disk before the call returns.
    Durable,
    /// The system writes when it likes; after a crash the old or the new file may be there.
    Relaxed,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Mode 0644, less what the umask takes away.
    Shared,
    /// Mode 0600.
    Private,
    /// Mode 0755, less what the umask takes away.
    Program,
}

impl Access {
    pub(super) fn mode(self) -> u32 {
        match self {
            Self::Shared => 0o644,
            Self::Private => 0o600,
            Self::Program => 0o755,
        }
    }
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link; it was not followed.
    Symlink,
    /// A pipe, socket or device.
    Other,
}

/// What the system knows about a path. Zero where a system does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since the epoch.
    pub modified_ns: i64,
    /// Last change of content or metadata, nanoseconds since the epoch.
    pub changed_ns: i64,
    /// The file system it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// The user it belongs to.
    pub user: u32,
    /// The group it belongs to.
    pub group: u32,
    /// Whether it is a file with an executable bit.
    pub is_executable: bool,
    /// Whether only its owner may read it, as far as the system tells.
    pub is_private: bool,
}

impl FileStat {
    pub(super) fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

/// One entry of a folder.
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) stat: FileStat,
}

//! Git repositories: gix for everything local, the git program for the network.
//! Border: knows objects, refs and bytes, not memories; decides nothing about what is allowed.

pub mod setup;
mod level;
pub mod command;
pub mod commit;
pub mod index;
pub mod outgoing;
pub mod quarantine;
pub mod objects;
pub mod read;
pub mod redact;
pub mod repo;
pub mod tree;
pub mod url;
mod walk;
pub mod write;

use std::path::PathBuf;

use crate::base::id::ObjectId;

/// Why a local git operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The folder holds no repository that can be opened.
    #[error("cannot open the git repository at `{}`", path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: gix::Error,
    },
    /// A repository could not be created.
    #[error("cannot create a git repository at `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: gix::Error,
    },
    /// An object or ref could not be read.
    #[error("cannot read {what} in the git repository")]
    Read {
        /// What was read, for example `commit 0a1b…`.
        what: String,
        /// The cause.
        #[source]
        source: gix::Error,
    },
    /// An object, ref or the index could not be written.
    #[error("cannot write {what} in the git repository")]
    Write {
        /// What was written.
        what: String,
        /// The cause.
        #[source]
        source: gix::Error,
    },
    /// A file of the repository could not be written or made durable.
    #[error("cannot write {what} in the git repository")]
    Disk {
        /// What was written.
        what: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A throw-away view of a hook's objects could not be made.
    #[error("cannot make a view of the incoming objects in `{}`", path.display())]
    View {
        /// The folder for temporary files.
        path: PathBuf,
        /// The cause.
        #[source]
        source: crate::system::files::FileError,
    },
    /// A file of the repository's own could not be read or written.
    #[error(transparent)]
    File(#[from] crate::system::files::FileError),
    /// An object is not of the expected kind or shape.
    #[error("{what} in the git repository is not well-formed")]
    Malformed {
        /// Which object.
        what: String,
    },
    /// An object is larger than memsync reads.
    #[error("object {id} has {bytes} bytes, over the limit of {limit}")]
    TooLarge {
        /// Which object.
        id: ObjectId,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// An object's bytes are not those its id stands for.
    #[error("{what} in the git repository holds other bytes than its name stands for")]
    Altered {
        /// Which object.
        what: String,
    },
    /// A pipe, a device, or something too large stands where a file of git's should.
    #[error("`{}` is no regular file of at most {limit} bytes", path.display())]
    NotAFile {
        /// What is there.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// More loose files than any repository has.
    #[error("there are more than {limit} files below `{}`", path.display())]
    ManyFiles {
        /// The folder.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// A file of git's cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The repository belongs to another user of this machine.
    #[error("the repository `{}` belongs to another user", path.display())]
    ForeignOwner {
        /// The repository.
        path: PathBuf,
    },
    /// Objects come from another repository, which may change behind our back.
    #[error("`{}` leads to the objects of another repository", path.display())]
    Borrowed {
        /// The file that says so.
        path: PathBuf,
    },
    /// A setting of the repository's own that changes what is seen of it.
    #[error("`{}` has settings `{name}` that are not allowed there", path.display())]
    Setting {
        /// The configuration file.
        path: PathBuf,
        /// The section or key.
        name: String,
    },
    /// A ref changed while memsync was working.
    #[error("ref `{name}` changed while memsync was working")]
    RefMoved {
        /// The ref.
        name: String,
    },
    /// A branch or ref name is not valid.
    #[error("`{name}` is not a valid branch name")]
    BadRefName {
        /// The name, escaped.
        name: String,
    },
    /// Another git process holds a lock, or left one behind.
    #[error("another git process holds the lock `{}`", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
}

/// Converts to gix's own id type.
pub(crate) fn to_gix(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}

/// Converts from gix's own id type.
pub(crate) fn from_gix(id: impl AsRef<gix::oid>) -> ObjectId {
    ObjectId::from_bytes(id.as_ref().as_bytes()).expect("because gix ids have 20 or 32 bytes")
}

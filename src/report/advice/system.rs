//! The rows for errors of the operating system: files, locks, clock.
//! Border: as `report::advice`; the errors are in `system` and `store::locate`.

use super::row::{Advice, Advised, Exit, advice};
use crate::store::locate::LocateError;
use crate::system::clock::{ClockError, TEST_CLOCK_VARIABLE};
use crate::system::editor::EditorError;
use crate::system::files::FileError;
use crate::system::lock::LockError;

impl Advised for FileError {
    fn advice(&self) -> Advice {
        match self {
            Self::NotFound { .. } => advice(Exit::Usage, "Check the path, or create it first."),
            Self::Symlink { .. } => advice(
                Exit::No,
                "memsync follows no symbolic link. Replace it by the file or folder it points to.",
            ),
            Self::NotAFile { .. } | Self::NotADirectory { .. } => {
                advice(Exit::No, "Move what is there out of the way.")
            }
            Self::NotBeneath { .. } | Self::GitDirectory { .. } => {
                advice(Exit::No, "Use a plain relative path inside the memory directory.")
            }
            Self::TooLarge { .. } => advice(Exit::No, "Make the file smaller, or split it."),
            Self::TooMany { .. } | Self::TooDeep { .. } => {
                advice(Exit::No, "Remove files and folders that are not memories.")
            }
            Self::Permission { .. } => {
                advice(Exit::World, "Give your user permission for it, then run the command again.")
            }
            Self::ReadOnly { .. } => {
                advice(Exit::World, "Mount the file system writable, then run the command again.")
            }
            Self::NoSpace { .. } => advice(
                Exit::World,
                "Free some disk space and run the command again. Nothing was lost.",
            ),
            Self::Io { .. } => advice(Exit::World, "Check the disk, then run the command again."),
        }
    }
}

impl Advised for LockError {
    fn advice(&self) -> Advice {
        match self {
            Self::Held { .. } => advice(
                Exit::World,
                "Wait for the other memsync to end, or allow more time with `--wait`.",
            ),
            Self::File(error) => error.advice(),
            Self::Unsupported { .. } => advice(
                Exit::World,
                "Put the memory directory on a file system that supports locks.",
            ),
        }
    }
}

impl Advised for ClockError {
    fn advice(&self) -> Advice {
        advice(Exit::Usage, format!("Unset `{TEST_CLOCK_VARIABLE}`; it is for tests only."))
    }
}

impl Advised for EditorError {
    fn advice(&self) -> Advice {
        match self {
            Self::File(_) => {
                advice(Exit::World, "Check the folder for temporary files (`TMPDIR`).")
            }
            Self::Start { .. } => advice(Exit::Usage, "Set `EDITOR` to your editor."),
            Self::Failed { .. } => advice(Exit::No, "Run the command again, or use `--file FILE`."),
            Self::FailedInPlace { .. } => {
                advice(Exit::No, "`memsync status` says what is changed; the next sync takes it.")
            }
        }
    }
}

impl Advised for LocateError {
    fn advice(&self) -> Advice {
        advice(Exit::Usage, "Name the memory directory with `--memdir DIR`.")
    }
}

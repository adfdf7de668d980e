//! The rows for memories that go from one layer to the other, and for working on an index.
//! Border: as `report::advice`; the errors are in `memories`, `folder::index` and `sync::write::index`.

use super::row::{Advice, Advised, Exit, advice};
use crate::folder::index::IndexError;
use crate::memories::error::MoveError;
use crate::sync::reverse_error::ReverseError;
use crate::sync::write::index::TeamIndexError;

impl Advised for MoveError {
    fn advice(&self) -> Advice {
        match self {
            Self::NoMemory { .. } => advice(Exit::Usage, "`memsync list` shows what there is."),
            Self::Ambiguous { .. } => advice(Exit::Usage, "Name one of them by its path."),
            Self::AboutAPerson(_) => advice(
                Exit::No,
                "Leave it where it is. If it helps everybody, give it another `type` first.",
            ),
            Self::Taken { .. } => advice(
                Exit::No,
                "`memsync list` shows both. Rename one of the files, or make both say the same. Nothing was moved.",
            ),
            Self::Sealed(_) => {
                advice(Exit::No, "`memsync unseal MEMORY` makes it plain, for everybody.")
            }
            Self::Path(_) => {
                advice(Exit::No, "Rename the file: letters, digits, `-` and `_`, ending in `.md`.")
            }
            Self::NotUtf8(_) => advice(Exit::No, "Save it as UTF-8 text. Nothing was moved."),
            Self::Changed(_) => {
                advice(Exit::World, "Run the command again: it takes the newer text.")
            }
            Self::Refused { .. } => {
                advice(Exit::No, "Correct these places; nothing was moved until then.")
            }
            Self::Editor(error) => error.advice(),
            Self::SealedEdit(path) => {
                advice(Exit::No, format!("`memsync open {path} --edit` opens it to its readers."))
            }
            Self::Unconfirmed => advice(Exit::No, "Run the command again with `--yes`."),
            Self::Team(error) => error.advice(),
            Self::Index(error) => error.advice(),
            Self::File(error) => error.advice(),
        }
    }
}

impl Advised for IndexError {
    fn advice(&self) -> Advice {
        match self {
            Self::NoMemories { .. } => advice(
                Exit::Usage,
                "Name a folder that holds a `MEMORY.md` or memories, for example the `team` folder.",
            ),
            Self::NotUtf8 { .. } => {
                advice(Exit::No, "Save the index as UTF-8 text. Nothing was changed.")
            }
            Self::Changed { .. } => {
                advice(Exit::World, "Run the command again. Nothing was changed.")
            }
            Self::Locked(_) => advice(Exit::World, "Run the command again when it is done."),
            Self::File(error) => error.advice(),
        }
    }
}

impl Advised for TeamIndexError {
    fn advice(&self) -> Advice {
        match self {
            Self::Team(error) => error.advice(),
            Self::Index(error) => error.advice(),
        }
    }
}

impl Advised for ReverseError {
    fn advice(&self) -> Advice {
        match self {
            Self::NothingUnshared => advice(
                Exit::No,
                "What others have is taken back with `memsync revert COMMIT`; `memsync log` names the commits.",
            ),
            Self::NoSuchCommit(_) => advice(Exit::Usage, "`memsync log` names the commits."),
            Self::NotOneParent(_) => {
                advice(Exit::No, "Take back the commits it merged: `memsync log` names them.")
            }
            Self::ChangedSince(_) => advice(
                Exit::No,
                "`memsync show COMMIT` shows what it changed: edit the file by hand. Nothing was changed.",
            ),
            Self::NothingToRestore(_) => advice(
                Exit::No,
                "`memsync log MEMORY` names its commits; `memsync restore MEMORY@COMMIT` brings an earlier text back.",
            ),
        }
    }
}

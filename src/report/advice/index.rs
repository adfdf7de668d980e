//! The rows for errors of working on an index.
//! Border: as `report::advice`; the errors are in `folder::index` and `sync::write::index`.

use super::row::{Advice, Advised, Exit, advice};
use crate::folder::index::IndexError;
use crate::sync::write::index::TeamIndexError;

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

//! The rows for errors of working on an index.
//! Border: as `report::advice`; the errors are in `sync::index`.

use super::row::{Advice, Advised, Exit, advice};
use crate::sync::write::index::IndexError;

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
            Self::Team(error) => error.advice(),
            Self::File(error) => error.advice(),
        }
    }
}

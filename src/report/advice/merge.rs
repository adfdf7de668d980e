//! The rows for errors of merging and of conflict records.
//! Border: as `report::advice`; the errors are in `merge` and `sync::merge_driver`.

use super::row::{Advice, Advised, Exit, advice};
use crate::merge::conflict::ConflictError;
use crate::sync::githooks::merge_driver::DriverError;

impl Advised for DriverError {
    fn advice(&self) -> Advice {
        match self {
            Self::NotOurs(_) => advice(
                Exit::No,
                "In `.gitattributes`, give `merge=memsync` only to memories; merge this file by hand.",
            ),
            Self::File(error) => error.advice(),
        }
    }
}

impl Advised for ConflictError {
    fn advice(&self) -> Advice {
        match self {
            Self::Unreadable { .. } => advice(
                Exit::No,
                "Restore the record from history, or delete it once the memory says what it should.",
            ),
            Self::NotItsName { .. } => advice(
                Exit::No,
                "Records are written by memsync alone: restore it from history, or delete it.",
            ),
        }
    }
}

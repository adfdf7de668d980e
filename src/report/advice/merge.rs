//! The rows for errors of merging, of conflict records, and for conflicts that cannot be closed as asked.
//! Border: as `report::advice`; the errors are in `merge`, `sync` and `sync::githooks`.

use super::row::{Advice, Advised, Exit, advice};
use crate::merge::conflict::ConflictError;
use crate::merge::conflict::resolve::ResolveProblem;
use crate::sync::error::SyncError;
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

impl SyncError {
    /// What stands between a person and the end of a conflict.
    pub(super) fn resolve_advice(&self) -> Option<Advice> {
        Some(match self {
            Self::NoConflict(_) => advice(Exit::Usage, "`memsync resolve` lists what is open."),
            Self::Ambiguous { .. } => advice(Exit::Usage, "Name one of them in full."),
            Self::UnconfirmedEffect { .. } => advice(
                Exit::No,
                "If that is what you want, run the command again with `--yes`. `memsync resolve ID --ours` closes it and changes nothing.",
            ),
            Self::BadRecord(_) => advice(
                Exit::No,
                "No side is taken from it. Close it with `memsync resolve ID --ours`, where the file stays as it is, or write the file with `--edit` or `--file FILE`.",
            ),
            Self::Unresolvable { problem: ResolveProblem::Sealed, .. } => advice(
                Exit::No,
                "`memsync open --conflict ID` shows both texts. Write yours with `memsync open MEMORY --edit`, then close it with `memsync resolve ID --ours`.",
            ),
            Self::Unresolvable { .. } => advice(
                Exit::No,
                "Write the text yourself: `memsync resolve ID --edit` or `--file FILE`.",
            ),
            _ => return None,
        })
    }
}

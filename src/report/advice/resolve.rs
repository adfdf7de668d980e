//! The rows for conflicts that cannot be closed as asked.
//! Border: as `report::advice`; the errors are in `sync`.

use super::row::{Advice, Exit, advice};
use crate::merge::conflict::resolve::ResolveProblem;
use crate::sync::error::SyncError;

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

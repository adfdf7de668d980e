//! By whom the readers of sealed memories are judged.
//! Border: values; judging is `gate::sealed`.

use std::sync::Arc;

use crate::trust::roster::Roster;

/// The members by whom the readers of sealed memories are judged.
#[derive(Clone, Debug)]
pub enum Members {
    /// Those of the team.
    Roster(Arc<Roster>),
    /// The team has no roster: nobody can be named.
    Nobody,
    /// Not known here; readers are judged where it is.
    Unknown,
}

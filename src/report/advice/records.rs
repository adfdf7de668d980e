//! The rows for records of this machine and the policy.
//! Border: as `report::advice`; the errors are in `store` and `config`.

use super::row::{Advice, Advised, Exit, advice};
use crate::config::policy::PolicyError;
use crate::store::state::StateError;

impl Advised for StateError {
    fn advice(&self) -> Advice {
        match self {
            Self::File { source, .. } => source.advice(),
            Self::Damaged { name, .. } => advice(
                Exit::World,
                format!("Move `.git/{name}` in `team/` aside and run the command again."),
            ),
        }
    }
}

impl Advised for PolicyError {
    fn advice(&self) -> Advice {
        match self {
            Self::Rule(error) => error.advice(),
            Self::Format(_) => advice(Exit::Usage, "Update memsync; the team uses a newer one."),
            Self::Shape(_) | Self::Forbidden(_) | Self::UnknownRule(..) => advice(
                Exit::Usage,
                "An admin corrects the file. Nothing is shared while the policy cannot be read.",
            ),
        }
    }
}

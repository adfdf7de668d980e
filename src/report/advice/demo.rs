//! The rows for what can stop the demo.
//! Border: as `report::advice`; the errors are in `sync::demo`.

use super::row::{Advice, Advised, Exit, advice};
use crate::sync::demo::DemoError;

impl Advised for DemoError {
    fn advice(&self) -> Advice {
        match self {
            Self::NotEmpty(_) => {
                advice(Exit::Usage, "Name a folder after `--keep` that is new or empty.")
            }
            Self::Temporary { .. } => {
                advice(Exit::World, "Name a folder you may write to: `memsync demo --keep DIR`.")
            }
            Self::File(error) => error.advice(),
            Self::Git(error) => error.advice(),
            Self::State(error) => error.advice(),
            Self::Untrue(_) => advice(
                Exit::Bug,
                "This is a bug in memsync. Please report it with the output of `memsync demo`.",
            ),
        }
    }
}

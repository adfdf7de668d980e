//! What each error means to a person: the exit code and the next step, in one table.
//! Border: decides nothing else; the text of the error itself is in its own module.

mod row;
mod absence;
mod demo;
mod doors;
mod memories;
mod merge;
mod records;
mod remote;
mod scan;
mod seal;
mod state;
mod sync;
mod system;
mod trust;

use self::row::advice;
pub use self::row::{Advice, Advised, Exit};
pub use self::trust::after_refusal;

use crate::base::path::PathProblem;

impl Advised for PathProblem {
    fn advice(&self) -> Advice {
        advice(Exit::No, "Rename the file: letters, digits, `-` and `_`, ending in `.md`.")
    }
}

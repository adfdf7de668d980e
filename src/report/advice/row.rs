//! What one row of the table is made of: an exit code and a next step.
//! Border: the form; the rows stand beside it, by topic.

/// The exit code of the program. Scripts rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done as asked.
    Done = 0,
    /// The answer is no: the gate refused, a secret was found, a check failed.
    No = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The outside world: remote unreachable or refusing, time-out, disk.
    World = 3,
    /// Trust: unsigned, unknown key, rewritten history.
    Trust = 4,
    /// A bug in memsync.
    Bug = 70,
}

/// What to tell a person beside an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// How the program exits.
    pub exit: Exit,
    /// What the person can do next, one or more full sentences.
    pub next_step: String,
}

/// An error that this table knows.
pub trait Advised: std::error::Error {
    /// The exit code and next step for this error.
    fn advice(&self) -> Advice;
}

/// Builds one row of the table.
pub(crate) fn advice(exit: Exit, next_step: impl Into<String>) -> Advice {
    Advice { exit, next_step: next_step.into() }
}

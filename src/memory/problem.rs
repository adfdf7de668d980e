//! Something a person should know about a memory or an index, with its place and the next step.
//! Border: a statement; whether it refuses a change is the gate's decision.

use serde::Serialize;

use crate::base::text::Position;

/// How much a problem weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth a look; nothing is held back.
    Warning,
    /// The change must not go on like this.
    Error,
}

/// One fault found in one file. Texts are ready to show: foreign parts are escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where in the file; `None` when it is about the file as a whole.
    pub position: Option<Position>,
    /// A stable name, for example `frontmatter-yaml`.
    pub rule: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What is wrong, one sentence without full stop.
    pub message: String,
    /// What the person can do about it.
    pub next_step: String,
}

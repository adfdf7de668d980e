//! One thing that is wrong with an instruction file, with its place and what to do.
//! Border: a statement; foreign parts come escaped.

use std::path::PathBuf;

use crate::base::text::Position;
use crate::memory::problem::Severity;

/// A fault. Texts are ready to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file it is in.
    pub path: PathBuf,
    /// Where in it; `None` when it is about the file as a whole.
    pub position: Option<Position>,
    /// A stable name, for example `import-missing`.
    pub rule: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What is wrong, one sentence without full stop.
    pub message: String,
    /// What a person can do about it.
    pub next_step: String,
}

impl Fault {
    /// Something an agent does not get, or gets and should not.
    pub fn error(path: PathBuf, at: Option<Position>, rule: &str, says: [String; 2]) -> Self {
        let [message, next_step] = says;
        let (position, rule, severity) = (at, rule.to_owned(), Severity::Error);
        Self { path, position, rule, severity, message, next_step }
    }

    /// Something that is read in another way than it seems.
    pub fn warning(path: PathBuf, at: Option<Position>, rule: &str, says: [String; 2]) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, at, rule, says) }
    }
}

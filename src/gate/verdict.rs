//! What the gate says: reasons with their weight, each ready to show.
//! Border: holds no foreign text that is not escaped, and never the value of a secret.

use serde::Serialize;

use super::entry::EntryProblem;
use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::base::text::Position;
use crate::memory::problem::Problem;
use crate::secrets::finding::Finding;
use crate::secrets::masking::without_values;

/// How much a reason weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Worth a look; nothing is held back.
    Advice,
    /// What the file says must not be shared: kept out of our commits, reported in those of others.
    Refused,
    /// A path or object that could harm a machine: refused from whoever it comes.
    Forbidden,
}

/// What a reason is about, for those who do more than show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReasonKind {
    /// A rule about one file, or about the whole.
    #[default]
    Rule,
    /// A credential, which may have to be rotated.
    Secret,
    /// Two paths that cannot be side by side, unescaped and not to be shown.
    Pair(Box<[String; 2]>),
}

/// One reason, about one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The file, escaped for display.
    pub path: String,
    /// Where in the file; `None` when it is about the file as a whole.
    pub position: Option<Position>,
    /// The rule.
    pub rule: String,
    /// How much it weighs.
    pub weight: Weight,
    /// What is wrong.
    pub message: String,
    /// What a person can do about it.
    pub next_step: String,
    /// What it is about.
    #[serde(skip)]
    pub kind: ReasonKind,
}

/// How the message of every finding begins.
const SECRET: &str = "looks like a secret";

impl Reason {
    /// Says what is wrong with a tree entry, or a set of them.
    pub fn of_entry(problem: EntryProblem) -> Self {
        Self {
            path: without_values(&problem.path, b"", &[]),
            position: None,
            rule: problem.rule.to_owned(),
            weight: Weight::Forbidden,
            message: problem.message,
            next_step: problem.next_step.to_owned(),
            kind: problem.pair.map_or(ReasonKind::Rule, ReasonKind::Pair),
        }
    }

    /// Says a document's problem.
    pub fn of_problem(path: &MemoryPath, problem: &Problem) -> Self {
        Self {
            path: path.to_string(),
            position: problem.position,
            rule: problem.rule.to_owned(),
            weight: problem.severity.into(),
            message: problem.message.clone(),
            next_step: problem.next_step.clone(),
            kind: ReasonKind::Rule,
        }
    }

    /// Says a credential in the name of a file; `shown` is the path without it.
    pub fn of_name(shown: &str, finding: &Finding) -> Self {
        Self {
            position: None,
            message: format!("{SECRET}: its name, {}", finding.message),
            next_step: "rename the file, and rotate what its name gave away".to_owned(),
            ..Self::of_finding(shown, finding)
        }
    }

    /// Says a credential in what travels beside the files: `field` names it and holds no value.
    pub fn of_envelope(field: &str, finding: &Finding) -> Self {
        Self {
            position: None,
            next_step: format!(
                "make it again without the value, and rotate it; or accept it in `team/` with \
                 `memsync scan allow {} --reason …`",
                finding.fingerprint
            ),
            ..Self::of_finding(field, finding)
        }
    }

    /// Says a scanner's finding; `shown` is the path without any value.
    pub fn of_finding(shown: &str, finding: &Finding) -> Self {
        Self {
            path: Escaped(shown).to_string(),
            position: Some(finding.start),
            rule: finding.rule.clone(),
            weight: Weight::Refused,
            message: format!("{SECRET}: {}", Escaped(&finding.excerpt)),
            next_step: format!(
                "take it out and rotate it, or accept it in `team/` with `memsync scan allow {} --reason …`",
                finding.fingerprint
            ),
            kind: ReasonKind::Secret,
        }
    }

    /// Whether it is about a secret, which may have to be rotated.
    pub fn is_secret(&self) -> bool {
        self.kind == ReasonKind::Secret
    }

    /// Whether it is about this path and another one, which cannot be side by side.
    pub fn pairs(&self, path: &str) -> bool {
        matches!(&self.kind, ReasonKind::Pair(pair) if pair.iter().any(|one| one == path))
    }

    /// Whether it keeps a local change out of a commit.
    pub fn holds_back(&self) -> bool {
        self.weight > Weight::Advice
    }

    /// Whether another reason says the same, wherever in the file.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.rule, &self.message, &self.next_step)
            == (&other.rule, &other.message, &other.next_step)
    }

    /// `path:line:column`, or the path alone.
    pub fn place(&self) -> String {
        match self.position {
            Some(at) => format!("{}:{}:{}", self.path, at.line, at.column),
            None => self.path.clone(),
        }
    }
}

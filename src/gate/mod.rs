//! The one check that everything kept or sent must pass.
//! Border: values in, one verdict out; who asks and what happens next is the flows' business.

pub mod entry;
pub mod envelope;
pub mod reference;
pub mod verdict;
mod links;
pub mod members;
mod sealed;
mod introduced;
mod recall;
mod steering;

use crate::base::hidden::{hidden_characters, name_of_hidden};
use crate::base::path::{EntryMode, MemoryPath};
use crate::base::text::Position;
use crate::base::time::Timestamp;
use crate::config::policy::Policy;
use crate::memory::document::Document;
use crate::memory::markers::first_conflict;
use crate::memory::problem::Severity;
use crate::seal::envelope::is_sealed_text;
use crate::secrets::finding::Finding;
use crate::secrets::masking::without_values;
use crate::secrets::{Confidence, Scanner};
use entry::{EntryLimits, TreeEntry, check_content, check_count, check_entry, check_set};
use members::Members;
use verdict::{Reason, ReasonKind, Weight};

/// Git's attributes of a team repository: no byte is converted, and `memsync merge-driver` merges.
pub const GITATTRIBUTES: &str = "* -text\n*.md merge=memsync\n.memsync/** merge=memsync\n";

/// The rule that a memory of its type is none for the team.
pub const KIND_NOT_SHARED: &str = "kind-not-shared";

/// What the gate judges by.
pub struct Gate<'a> {
    /// The team's policy.
    pub policy: &'a Policy,
    /// Accepted findings by fingerprint.
    pub is_allowed: &'a dyn Fn(&Finding) -> bool,
    /// Gives the members who may be readers; asked only when a sealed memory is judged.
    pub members: &'a dyn Fn() -> Members,
    /// The moment by which accepted findings expire.
    pub now: Timestamp,
}

/// Points 1 and 2 for one file by the limits that hold for every team, whatever its policy lowers.
pub fn entry_of_any_team(
    path: &[u8],
    mode: EntryMode,
    size: u64,
) -> Result<MemoryPath, Box<Reason>> {
    entry_within(path, mode, size, &EntryLimits::default())
}

/// Points 1 and 2 for all files of a tree together, in tree order.
pub fn set_of_any_team(paths: &[&[u8]]) -> Vec<Reason> {
    let mut problems = check_set(paths);
    problems.extend(check_count(paths.len()));
    problems.into_iter().map(Reason::of_entry).collect()
}

fn entry_within(
    path: &[u8],
    mode: EntryMode,
    size: u64,
    limits: &EntryLimits,
) -> Result<MemoryPath, Box<Reason>> {
    match check_entry(&TreeEntry { path, mode, size }, limits) {
        Some(problem) => Err(Reason::of_entry(problem).into()),
        None => MemoryPath::parse_tracked(path, mode)
            .map_err(|problem| Reason::of_entry(problem.into()).into()),
    }
}

impl<'a> Gate<'a> {
    /// A gate that accepts no finding and knows no members.
    pub fn of(policy: &'a Policy, now: Timestamp) -> Self {
        Self { policy, is_allowed: &|_| false, members: &|| Members::Unknown, now }
    }
}

impl Gate<'_> {
    /// Points 1 and 2 for one file: its path, kind and size. Violations are [`Weight::Forbidden`].
    pub fn entry(
        &self,
        path: &[u8],
        mode: EntryMode,
        size: u64,
    ) -> Result<MemoryPath, Box<Reason>> {
        let limits = EntryLimits {
            memory_bytes_max: self.policy.limits.memory_bytes,
            ..EntryLimits::default()
        };
        entry_within(path, mode, size, &limits)
    }

    /// Points 1 and 2 for all files of a tree together, in tree order.
    pub fn set(&self, paths: &[&[u8]]) -> Vec<Reason> {
        set_of_any_team(paths)
    }

    /// Points 3, 5 and 6: what a file says. `path` and size passed [`Gate::entry`].
    pub fn content(&self, path: &MemoryPath, content: &[u8]) -> Vec<Reason> {
        if let Some(problem) = check_content(path, content) {
            return vec![Reason { weight: Weight::Refused, ..Reason::of_entry(problem) }];
        }
        let text = std::str::from_utf8(content).expect("because the content was just checked");
        if path.is_memory() && is_sealed_text(text) {
            let document = Document::parse(text);
            let (clear, sealed) = self.sealed(path, &document);
            let mut reasons = self.secrets(path, &content[..clear.min(content.len())]);
            reasons.extend(hidden_text(path, text));
            reasons.extend(self.document(path, &document));
            reasons.extend(sealed);
            return under_one_name(reasons);
        }
        let mut reasons = self.secrets(path, content);
        reasons.extend(self.form(path, text));
        under_one_name(reasons)
    }

    /// Points 3 and 6: what a file says, but for secrets.
    pub fn form(&self, path: &MemoryPath, text: &str) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = hidden_text(path, text).into_iter().collect();
        if path.as_str().ends_with(".md") {
            reasons.extend(saved_conflict(path, text));
        }
        if path.is_index() {
            reasons.extend(links::outside(path, text));
        } else if path.is_memory() {
            reasons.extend(self.document(path, &Document::parse(text)));
            reasons.extend(recall::unseen(path, text));
        } else {
            reasons.extend(self.steering(path, text));
        }
        reasons
    }

    /// Point 5: the secrets in a file that are not accepted.
    pub fn secrets(&self, path: &MemoryPath, content: &[u8]) -> Vec<Reason> {
        let findings = self.counting(path.as_str(), content);
        // What a name holds travels with the tree. Only what proves itself counts: names are words.
        let mut named = self.counting("", path.as_str().as_bytes());
        named.retain(|finding| finding.confidence > Confidence::Medium);
        if findings.is_empty() && named.is_empty() {
            return Vec::new();
        }
        let shown = without_values(path.as_str(), content, &findings);
        let named = named.iter().map(|finding| Reason::of_name(&shown, finding));
        let found = findings.iter().map(|finding| Reason::of_finding(&shown, finding));
        named.chain(found).collect()
    }

    /// The findings in a text that nobody accepted.
    fn counting(&self, path: &str, content: &[u8]) -> Vec<Finding> {
        let scanner = self.policy.scanner().unwrap_or_else(|| Scanner::builtin());
        let mut findings = scanner.scan(path, content);
        findings.retain(|finding| {
            !self.policy.secrets.off.contains(&finding.rule) && !(self.is_allowed)(finding)
        });
        findings
    }

    fn document(&self, path: &MemoryPath, document: &Document) -> Vec<Reason> {
        let mut reasons: Vec<Reason> =
            document.problems().iter().map(|problem| Reason::of_problem(path, problem)).collect();
        if let Some(Ok(kind)) = document.kind()
            && !self.policy.kinds.contains(&kind)
        {
            reasons.push(Reason {
                kind: ReasonKind::Rule,
                path: path.to_string(),
                position: None,
                rule: KIND_NOT_SHARED.to_owned(),
                weight: Weight::Refused,
                message: format!("memories of type `{kind}` are not kept in this team memory"),
                next_step: "move it to the private layer, the folder above `team/`".to_owned(),
            });
        }
        reasons
    }
}

/// Conflict markers of git that somebody saved: agents would read both sides as facts.
fn saved_conflict(path: &MemoryPath, text: &str) -> Option<Reason> {
    let position = first_conflict(text)?;
    Some(Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: Some(position),
        rule: "conflict-markers".to_owned(),
        weight: Weight::Refused,
        message: "the text holds the markers of a conflict that git left open".to_owned(),
        next_step: "keep the right lines between `<<<<<<<` and `>>>>>>>` and delete the markers"
            .to_owned(),
    })
}

/// Shows the file everywhere as the finding does: its name may hold the value.
fn under_one_name(mut reasons: Vec<Reason>) -> Vec<Reason> {
    let shown = reasons.iter().find(|reason| reason.is_secret()).map(|reason| reason.path.clone());
    if let Some(shown) = shown {
        reasons.iter_mut().for_each(|reason| reason.path.clone_from(&shown));
    }
    reasons
}

/// What a person does not see but a model reads.
fn hidden_text(path: &MemoryPath, text: &str) -> Option<Reason> {
    let mut hidden = hidden_characters(text);
    let (at, c) = hidden.next()?;
    let others = match hidden.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: Some(Position::of(text, at)),
        rule: "hidden-text".to_owned(),
        weight: Weight::Refused,
        message: format!(
            "the text holds {}, which nobody sees but an agent reads (U+{:04X}){others}",
            name_of_hidden(c),
            c as u32
        ),
        next_step: "remove the character; `cat -A` shows where it is".to_owned(),
    })
}

impl From<Severity> for Weight {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Warning => Self::Advice,
            Severity::Error => Self::Refused,
        }
    }
}

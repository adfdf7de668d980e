//! What the gate says to a sealed memory: its text is an age file, and its readers are members.
//! Border: judged without a key; what was sealed is looked at before it is sealed, see `sync::seal`.

use super::Gate;
use super::members::Members;
use super::verdict::{Reason, ReasonKind, Weight};
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::seal::envelope::Envelope;
use crate::seal::readers::check;
use crate::seal::{SealProblem, shown_ids};

impl Gate<'_> {
    /// Judges a memory that is sealed or claims to be; gives where its clear part ends as well.
    pub(super) fn sealed(&self, path: &MemoryPath, document: &Document) -> (usize, Vec<Reason>) {
        let clear = document.frontmatter().map_or(0, |head| head.render().len());
        let envelope = match Envelope::read(document) {
            Ok(envelope) => envelope,
            // What is no sealed text may be a plain one: then all of it is looked at.
            Err(problem) => return (usize::MAX, vec![of_problem(path, &problem)]),
        };
        let found = match (self.members)() {
            Members::Unknown => return (clear, Vec::new()),
            Members::Nobody => Err(SealProblem::UnknownReaders(envelope.audience.readers.clone())),
            Members::Roster(roster) => check(&envelope, &roster),
        };
        let reasons = match found {
            Err(problem) => vec![of_problem(path, &problem)],
            Ok(standing) if standing.outdated.is_empty() => Vec::new(),
            Ok(standing) => {
                let readers = shown_ids(&standing.outdated);
                let message = format!("it is sealed for earlier keys of {readers}");
                let next = "a reader seals it again with `memsync reseal`";
                vec![reason(path, "sealed-outdated", Weight::Advice, message, next)]
            }
        };
        (clear, reasons)
    }
}

fn of_problem(path: &MemoryPath, problem: &SealProblem) -> Reason {
    let (rule, next) = match problem {
        SealProblem::Plain => {
            ("sealed-plain", "seal it with `memsync seal`, or take the field `sealed` out")
        }
        SealProblem::Unnamed | SealProblem::List(_) | SealProblem::Frontmatter => {
            ("sealed-list", "take the file back, or seal it again with `memsync seal`")
        }
        SealProblem::UnknownReaders(_) => (
            "sealed-unknown-reader",
            "a reader seals it again with `memsync reseal`, for those who are members",
        ),
        SealProblem::OtherReaders { .. }
        | SealProblem::HiddenReaders(_)
        | SealProblem::Anonymous => (
            "sealed-readers",
            "change who can read it with `memsync reseal MEMORY --for …`, never in the file",
        ),
        SealProblem::Version(_) => ("sealed-version", "update memsync"),
        SealProblem::Kind(_) => {
            ("sealed-kind", "seal it with `memsync seal`, or `age -R` with the members' keys")
        }
        _ => ("sealed-damaged", "take the file back from an earlier commit"),
    };
    reason(path, rule, Weight::Refused, problem.to_string(), next)
}

fn reason(path: &MemoryPath, rule: &str, weight: Weight, message: String, next: &str) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: None,
        rule: rule.to_owned(),
        weight,
        message,
        next_step: next.to_owned(),
    }
}

//! What a memory is to a tool in use: its plain reference, which who uses the tool does not need,
//! or a warning about it, which they do. Border: words of the memory; the tool is never run.

use super::candidate::{Candidate, Indexed};
use super::keys::{Key, key};
use super::language::Language;
use crate::memory::kind::Kind;

/// What a memory is to the tools in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It says how a tool is used.
    Documents,
    /// It says what goes wrong with a tool.
    Warns,
}

/// An agent's own tools, which say nothing about the work.
const OWN_TOOLS: [&str; 26] = [
    "agent",
    "bash",
    "bashoutput",
    "edit",
    "exec",
    "glob",
    "grep",
    "killshell",
    "ls",
    "mcp",
    "multiedit",
    "notebookedit",
    "notebookread",
    "patch",
    "query",
    "read",
    "shell",
    "skill",
    "task",
    "todowrite",
    "tool",
    "update",
    "view",
    "webfetch",
    "websearch",
    "write",
];

/// Words of a warning, in several languages.
const WARNINGS: [&str; 37] = [
    "warning",
    "caution",
    "gotcha",
    "danger",
    "pitfall",
    "careful",
    "never",
    "do not",
    "don't",
    "beware",
    "trap",
    "must not",
    "avoid",
    "only with",
    "without",
    "silently",
    "destroys",
    "loses",
    "breaks",
    "corrupts",
    "blocks",
    "vorsicht",
    "achtung",
    "niemals",
    "attention",
    "jamais",
    "cuidado",
    "nunca",
    "attenzione",
    "осторожно",
    "никогда",
    "警告",
    "注意",
    "不要",
    "禁止",
    "위험",
    "주의",
];

/// Words of a reference.
const REFERENCES: [&str; 5] = ["reference", "cheat sheet", "cheatsheet", "commands", "usage"];

/// The tools as terms: `mcp__grafana__query` speaks of `grafana`.
pub fn keys(tools: &[String]) -> Vec<Key> {
    let mut keys = Vec::new();
    for tool in tools {
        let tool = tool.to_lowercase();
        let parts = tool.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 1);
        for part in parts.filter(|part| !OWN_TOOLS.contains(part)) {
            keys.push(key(&Language::English.stem(part)));
        }
    }
    keys
}

/// What a memory is to any of the tools; `None` where it is not about one of them.
pub fn stance(candidate: &Candidate, indexed: &Indexed, tools: &[Key]) -> Option<Stance> {
    let about = |key: &Key| indexed.terms.get(key).is_some_and(|count| count.is_in_head());
    if !tools.iter().any(about) {
        return None;
    }
    let head = [candidate.name.as_str(), &candidate.description, candidate.stem()]
        .join(" ")
        .to_lowercase();
    let body = candidate.body.to_lowercase();
    let warned = |text: &str| WARNINGS.iter().filter(|word| text.contains(**word)).count();
    let is_reference = candidate.kind == Some(Kind::Reference)
        || REFERENCES.iter().any(|word| head.contains(word));
    // In quarters: a warning in the head is one, in the body a quarter of one.
    let for_warning = 4 * warned(&head)
        + warned(&body)
        + if candidate.kind == Some(Kind::Feedback) { 3 } else { 0 };
    let against = if is_reference { 4 } else { 0 };
    if for_warning >= against + 4 {
        Some(Stance::Warns)
    } else {
        is_reference.then_some(Stance::Documents)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::recall::candidate::index;
    use crate::recall::terms::Reader;

    fn check(kind: Kind, description: &str, body: &str, tool: &str) -> Option<Stance> {
        let candidate = Candidate {
            path: "x.md".to_owned(),
            description: description.to_owned(),
            kind: Some(kind),
            body: body.to_owned(),
            ..Candidate::default()
        };
        let indexed = index(&mut Reader::default(), &candidate, &HashSet::new());
        stance(&candidate, &indexed, &keys(&[tool.to_owned()]))
    }

    #[test]
    fn a_reference_is_told_from_a_warning() {
        use Kind::{Feedback, Project, Reference};
        let reference = "restic commands for the archive host";
        assert_eq!(
            check(Reference, reference, "`restic snapshots` lists them", "restic"),
            Some(Stance::Documents)
        );
        assert_eq!(check(Reference, reference, "", "mcp__restic__list"), Some(Stance::Documents));
        assert_eq!(check(Reference, reference, "", "rclone"), None);
        assert_eq!(check(Reference, reference, "", "Bash"), None);
        assert_eq!(
            check(Feedback, "Careful with restic prune", "It locks.", "restic"),
            Some(Stance::Warns)
        );
        assert_eq!(
            check(Project, "restic: never prune by hand", "", "restic"),
            Some(Stance::Warns)
        );
        assert_eq!(check(Project, "restic holds the archive", "", "restic"), None);
    }
}

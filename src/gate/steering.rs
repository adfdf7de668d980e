//! What the gate says to the files that steer a team: policy, roster, accepted findings, conflict
//! records, git's attributes. Border: whether a file can be read by those who go by it; who may change
//! it is `trust`'s rule.
//!
//! A typing error in one of them is caught before a commit, so it never has to be taken out of history.

use super::verdict::{Reason, ReasonKind, Weight};
use super::{GITATTRIBUTES, Gate};
use crate::base::path::MemoryPath;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict};
use crate::secrets::allow::{ALLOW_PATH, check_list};
use crate::trust::roster::{ROSTER_PATH, Roster};

impl Gate<'_> {
    /// Why a file that steers must not be shared like this; `None` for all others.
    pub(super) fn steering(&self, path: &MemoryPath, text: &str) -> Option<Reason> {
        let (rule, message) = match path.as_str() {
            POLICY_PATH => ("policy", Policy::parse(text).err()?.to_string()),
            ROSTER_PATH => match Roster::parse(text) {
                Err(problem) => ("roster", problem.to_string()),
                Ok(roster) if self.policy.trust == Trust::Roster && !roster.has_admin() => {
                    ("no-admin", "nobody in it could change the roster any more".to_owned())
                }
                Ok(_) => return None,
            },
            ALLOW_PATH => ("allow-list", check_list(ALLOW_PATH, text).err()?.to_string()),
            record if record.starts_with(CONFLICTS_FOLDER) => {
                let problem = Conflict::parse(record, text.as_bytes()).err()?;
                let next_step = "delete the file, or take it back with `git checkout` in `team/`; one that is shared is closed by `memsync resolve ID --ours`";
                return Some(refused(path, "conflict-record", problem.to_string(), next_step));
            }
            _ if path.is_git_attributes() && text != GITATTRIBUTES => (
                "git-attributes",
                "attributes decide how git changes and merges files; only the ones memsync writes are allowed".to_owned(),
            ),
            _ => return None,
        };
        let next_step = format!("correct the file, or take it back, {}", back(path.as_str()));
        Some(refused(path, rule, message, &next_step))
    }

    /// Why a file must not be removed; `None` for all others.
    pub fn removal(&self, path: &str) -> Option<Reason> {
        let is_needed = match path {
            POLICY_PATH => true,
            ROSTER_PATH => self.policy.trust == Trust::Roster,
            _ => false,
        };
        let path = MemoryPath::parse(path).ok().filter(|_| is_needed)?;
        let message = "a team memory cannot be used without it".to_owned();
        let next_step = format!("take it back, {}", back(path.as_str()));
        Some(refused(&path, "needed", message, &next_step))
    }
}

fn back(path: &str) -> String {
    format!("in `team/`, with `git checkout -- {path}`")
}

fn refused(path: &MemoryPath, rule: &str, message: String, next_step: &str) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: None,
        rule: rule.to_owned(),
        weight: Weight::Refused,
        message,
        next_step: next_step.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Timestamp;
    use crate::gate::members::Members;

    const NOW: Timestamp = Timestamp { seconds: 0, offset: 0 };

    fn rules(trust: Trust, path: &str, text: &str) -> Vec<String> {
        let policy = Policy::new(trust, None);
        let (is_allowed, members) = (|_: &_| false, || Members::Unknown);
        let gate = Gate { policy: &policy, is_allowed: &is_allowed, members: &members, now: NOW };
        let path = MemoryPath::parse(path).unwrap();
        gate.content(&path, text.as_bytes()).into_iter().map(|reason| reason.rule).collect()
    }

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9lROuGpkkncZS9olE1YMHxKX+SBZyTFN4UGmoaEmsv";

    #[test]
    fn a_typing_error_in_a_file_that_steers_is_named() {
        let roster = |role: &str| {
            format!(
                "format: memsync.roster/1\nmembers:\n- id: ada\n  name: Ada\n  role: {role}\n  keys:\n  - key: {KEY}\n"
            )
        };
        for (trust, path, text, expected) in [
            (Trust::Roster, ROSTER_PATH, roster("admin"), None),
            (Trust::Roster, ROSTER_PATH, roster("adnim"), Some("roster")),
            (
                Trust::Roster,
                ROSTER_PATH,
                roster("admin").replace("members", "member"),
                Some("roster"),
            ),
            (Trust::Roster, ROSTER_PATH, roster("writer"), Some("no-admin")),
            (Trust::Open, ROSTER_PATH, roster("writer"), None),
            (Trust::Open, ROSTER_PATH, String::new(), Some("roster")),
            (Trust::Open, ALLOW_PATH, "- fingerprint: [".to_owned(), Some("allow-list")),
            (Trust::Open, ALLOW_PATH, String::new(), None),
            (Trust::Open, ALLOW_PATH, "- {fingerprint: ab, reason: a sample}\n".to_owned(), None),
            (
                Trust::Open,
                ALLOW_PATH,
                "- {fingerprint: ab, reason: \" \\u200B\"}\n".to_owned(),
                Some("allow-list"),
            ),
            (Trust::Open, POLICY_PATH, "format: x".to_owned(), Some("policy")),
            (
                Trust::Open,
                ".memsync/conflicts/00112233445566778899.yaml",
                "a: b\n".to_owned(),
                Some("conflict-record"),
            ),
        ] {
            let found = rules(trust, path, &text);
            assert_eq!(found.first().map(String::as_str), expected, "{path}: {text}");
        }
    }

    #[test]
    fn what_a_team_needs_is_not_removed() {
        let removed = |trust, path: &str| {
            let policy = Policy::new(trust, None);
            let (is_allowed, members) = (|_: &_| false, || Members::Unknown);
            let gate =
                Gate { policy: &policy, is_allowed: &is_allowed, members: &members, now: NOW };
            gate.removal(path).is_some()
        };
        assert!(removed(Trust::Open, POLICY_PATH) && removed(Trust::Roster, POLICY_PATH));
        assert!(removed(Trust::Roster, ROSTER_PATH) && !removed(Trust::Open, ROSTER_PATH));
        assert!(!removed(Trust::Roster, ALLOW_PATH) && !removed(Trust::Roster, "a.md"));
    }
}

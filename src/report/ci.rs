//! What `memsync ci` found, as CI systems show it beside the change: GitHub annotations, GitLab code quality.
//! Border: shapes only; every field of foreign text is escaped for its format.

use serde_json::{Value, json};

use super::findings::{data, property};
use crate::gate::envelope::is_piece;
use crate::gate::verdict::Weight;
use crate::sync::inspect::ci::{CiProblem, CiReport};

/// Workflow commands that GitHub shows as annotations.
pub fn github(report: &CiReport) -> String {
    let one = |problem: &CiProblem| {
        let reason = &problem.reason;
        let command = if reason.weight == Weight::Advice { "warning" } else { "error" };
        let file = if reason.path.is_empty() || is_piece(&reason.path) {
            String::new()
        } else {
            format!("file={},", property(&reason.path))
        };
        let line = reason
            .position
            .map_or_else(String::new, |at| format!("line={},col={},", at.line, at.column));
        let message = data(&format!("{} (next: {})", sentence(problem), reason.next_step));
        format!("::{command} {file}{line}title={}::{message}\n", property(&reason.rule))
    };
    report.problems.iter().map(one).collect()
}

/// A GitLab code quality report.
pub fn gitlab(report: &CiReport) -> Value {
    let one = |problem: &CiProblem| {
        let reason = &problem.reason;
        let commit = problem.commit.map(|id| id.to_string()).unwrap_or_default();
        let place = format!("{commit}:{}:{}:{}", reason.path, reason.place(), reason.rule);
        // GitLab shows nothing without a file, so what is about a commit is shown at the policy.
        let path = match reason.path.as_str() {
            path if path.is_empty() || is_piece(path) => ".memsync/policy.yaml",
            path => path,
        };
        let line = reason.position.map_or(1, |at| at.line);
        json!({
            "description": sentence(problem),
            "check_name": reason.rule,
            "fingerprint": crate::secrets::finding::fingerprint(b"gitlab", place.as_bytes()),
            "severity": match reason.weight {
                Weight::Advice => "minor",
                Weight::Refused => "critical",
                Weight::Forbidden => "blocker",
            },
            "location": { "path": path, "lines": { "begin": line, "end": line } },
        })
    };
    report.problems.iter().map(one).collect()
}

fn sentence(problem: &CiProblem) -> String {
    let commit = problem.commit.map(|id| format!("commit {}: ", id.short())).unwrap_or_default();
    format!("{commit}{}", problem.reason.message)
}

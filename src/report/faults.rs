//! Faults of instruction files for other programs: SARIF 2.1.0 and GitHub annotations.
//! Border: shapes only; every field of foreign text is escaped for its format.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::findings::{data, property};
use super::sarif::uri;
use crate::instructions::lint::fault::Fault;
use crate::memory::problem::Severity;

/// The SARIF log; paths start at a folder where they are below it.
pub fn sarif(faults: &[Fault], folder: &Path) -> Value {
    let rules: BTreeSet<&str> = faults.iter().map(|fault| fault.rule.as_str()).collect();
    let rule = |id: &&str| json!({ "id": id });
    let result = |fault: &Fault| {
        let level = match fault.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let at = fault.position.map_or((1, 1), |at| (at.line, at.column));
        json!({
            "ruleId": fault.rule,
            "level": level,
            "message": { "text": format!("{}. {}", fault.message, fault.next_step) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": uri(&shown(&fault.path, folder)) },
                "region": { "startLine": at.0, "startColumn": at.1 },
            } }],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "memsync",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": faults.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// Workflow commands that GitHub shows as annotations.
pub fn github(faults: &[Fault], folder: &Path) -> String {
    let mut text = String::new();
    for fault in faults {
        let command = match fault.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let file = property(&shown(&fault.path, folder));
        let title = property(&fault.rule);
        let at = fault.position.map_or((1, 1), |at| (at.line, at.column));
        let message = data(&format!("{}. {}", fault.message, fault.next_step));
        let place = format!("line={},col={}", at.0, at.1);
        text.push_str(&format!("::{command} file={file},{place},title={title}::{message}\n"));
    }
    text
}

fn shown(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

//! Findings as SARIF 2.1.0, for code scanning of hosts and editors.
//! Border: shapes only; <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::scan::outcome::{Located, ScanOutcome};
use crate::secrets::Severity;

/// The SARIF log of a scan.
pub fn sarif(outcome: &ScanOutcome) -> Value {
    let mut rules: BTreeMap<&str, &Located> = BTreeMap::new();
    for located in &outcome.findings {
        rules.entry(&located.finding.rule).or_insert(located);
    }
    let places: BTreeMap<&str, usize> =
        rules.keys().enumerate().map(|(at, id)| (*id, at)).collect();
    let rule = |(id, located): (&&str, &&Located)| {
        json!({
            "id": id,
            "shortDescription": { "text": located.finding.message },
            "defaultConfiguration": { "level": level(located.finding.severity) },
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
            "results": outcome.findings.iter().map(|f| result(f, places[f.finding.rule.as_str()])).collect::<Vec<_>>(),
        }],
    })
}

fn result(located: &Located, rule_index: usize) -> Value {
    let finding = &located.finding;
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": level(finding.severity),
        "message": { "text": format!("{} found", finding.message) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&located.path) },
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column,
                "snippet": { "text": finding.excerpt },
            },
        } }],
        "partialFingerprints": { "memsyncFinding/v1": finding.fingerprint },
    });
    if let Some(commit) = located.commit {
        result["properties"] = json!({ "commit": commit.to_string() });
    }
    result
}

pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "note",
        Severity::Medium => "warning",
        Severity::High | Severity::Critical => "error",
    }
}

/// A path as a relative URI reference.
pub(super) fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&b) => {
                uri.push(char::from(b));
            }
            b => uri.push_str(&format!("%{b:02X}")),
        }
    }
    uri
}

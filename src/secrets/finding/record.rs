//! A finding at a place in a file, the one shape in which documents and audits list it.
//! Border: fields only; the value is in none of them.

use serde::Serialize;

use crate::secrets::finding::level::{Confidence, Severity};
use crate::secrets::finding::report::Finding;

/// A credential and where it was seen. `excerpt` has `[…]` in place of the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingRecord {
    /// The rule that found it.
    pub rule: String,
    /// How bad a leak is.
    pub severity: Severity,
    /// How sure the scanner is.
    pub confidence: Confidence,
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub line: usize,
    /// First character, from 1.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// The character after the last one.
    pub end_column: usize,
    /// Stands for the value, wherever it is; for `memsync scan allow`.
    pub fingerprint: String,
    /// The line, the value masked.
    pub excerpt: String,
    /// What was found, in words.
    pub message: String,
}

impl FindingRecord {
    /// A finding in a file.
    pub fn of(finding: &Finding, path: &str) -> Self {
        Self {
            rule: finding.rule.clone(),
            severity: finding.severity,
            confidence: finding.confidence,
            path: path.to_owned(),
            line: finding.start.line,
            column: finding.start.column,
            end_line: finding.end.line,
            end_column: finding.end.column,
            fingerprint: finding.fingerprint.clone(),
            excerpt: finding.excerpt.clone(),
            message: finding.message.clone(),
        }
    }
}

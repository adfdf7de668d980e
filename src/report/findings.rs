//! Findings for other programs: CSV, JUnit, GitHub annotations, GitLab code quality.
//! Border: shapes only; every field of foreign text is escaped for its format.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::base::display::{Escaped, escape_block};
use crate::scan::outcome::{Located, ScanOutcome};
use crate::secrets::Severity;

/// Comma-separated values (RFC 4180) with a header line.
pub fn csv(outcome: &ScanOutcome) -> String {
    let mut text =
        "rule,severity,path,line,column,end_line,end_column,fingerprint,commit,excerpt\n"
            .to_owned();
    for located in &outcome.findings {
        let finding = &located.finding;
        let commit = located.commit.map(|id| id.to_string()).unwrap_or_default();
        let severity = name(finding.severity);
        let (start, end) = (finding.start, finding.end);
        let numbers = format!("{},{},{},{}", start.line, start.column, end.line, end.column);
        let (rule, path, excerpt) =
            (cell(&finding.rule), cell(&located.path), cell(&finding.excerpt));
        text.push_str(&format!(
            "{rule},{severity},{path},{numbers},{},{commit},{excerpt}\n",
            finding.fingerprint
        ));
    }
    text
}

/// A quoted cell; a leading sign would be a formula to a spreadsheet.
pub(super) fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", escape_block(text).replace('"', "\"\""))
}

/// JUnit XML: each finding is a failed test case; no finding is one that passed.
pub fn junit(outcome: &ScanOutcome) -> String {
    let count = outcome.findings.len();
    let tests = count.max(1);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"memsync scan\" tests=\"{tests}\" failures=\"{count}\">\n"
    );
    if count == 0 {
        text.push_str("    <testcase classname=\"memsync\" name=\"no credential found\"/>\n");
    }
    for located in &outcome.findings {
        let finding = &located.finding;
        let place = format!("{}:{}", finding.start.line, finding.start.column);
        let (path, rule) = (xml(&located.path), xml(&finding.rule));
        let (message, excerpt) = (xml(&finding.message), xml(&finding.excerpt));
        let severity = name(finding.severity);
        let written = write!(
            text,
            "    <testcase classname=\"{path}\" name=\"{rule} at {place}\">\n      <failure type=\"{severity}\" message=\"{message}\">{path}:{place}: {excerpt}</failure>\n    </testcase>\n"
        );
        written.expect("because writing to a string cannot fail");
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in Escaped(text).to_string().chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => safe.push('\u{FFFD}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Workflow commands that GitHub shows as annotations.
pub fn github(outcome: &ScanOutcome) -> String {
    let mut text = String::new();
    for located in &outcome.findings {
        let finding = &located.finding;
        let command = if finding.severity == Severity::Low { "warning" } else { "error" };
        let (file, title) = (property(&located.path), property(&finding.rule));
        let (start, end) = (finding.start, finding.end);
        let place = format!(
            "line={},endLine={},col={},endColumn={}",
            start.line, end.line, start.column, end.column
        );
        let message = data(&format!("{} found: {}", finding.message, finding.excerpt));
        text.push_str(&format!("::{command} file={file},{place},title={title}::{message}\n"));
    }
    text
}

pub(super) fn data(text: &str) -> String {
    escape_block(text).replace('%', "%25").replace('\n', "%0A")
}

pub(super) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A GitLab code quality report.
pub fn gitlab(outcome: &ScanOutcome) -> Value {
    let issue = |located: &Located| {
        let finding = &located.finding;
        let severity = match finding.severity {
            Severity::Low => "minor",
            Severity::Medium => "major",
            Severity::High => "critical",
            Severity::Critical => "blocker",
        };
        let place = format!("{}:{}:{}", finding.fingerprint, located.path, finding.start.line);
        json!({
            "description": format!("{} found", finding.message),
            "check_name": finding.rule,
            "fingerprint": crate::secrets::finding::fingerprint(b"gitlab", place.as_bytes()),
            "severity": severity,
            "location": {
                "path": located.path,
                "lines": { "begin": finding.start.line, "end": finding.end.line },
            },
        })
    };
    outcome.findings.iter().map(issue).collect()
}

/// The name of a severity, as it is written everywhere.
pub fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

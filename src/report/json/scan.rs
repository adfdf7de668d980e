//! `memsync scan --format json|jsonl`, also what `--write-baseline` writes.
//! Border: shapes only.

use serde::Serialize;

use crate::scan::outcome::{Located, ScanOutcome};
use crate::secrets::finding::record::FindingRecord;

/// Format of [`ScanDocument`].
pub const SCAN_FORMAT: &str = "memsync.scan/1";

/// What a scan found. Exit code 1 when `findings` is not empty, 3 when `unreadable` is not.
#[derive(Clone, Debug, Serialize)]
pub struct ScanDocument {
    /// Always [`SCAN_FORMAT`].
    pub format: &'static str,
    /// By path and place.
    pub findings: Vec<FindingDocument>,
    /// What could not be read.
    pub unreadable: Vec<UnreadableDocument>,
    /// Totals.
    pub summary: SummaryDocument,
}

/// One finding. No field holds the value; `excerpt` has `[…]` in its place.
#[derive(Clone, Debug, Serialize)]
pub struct FindingDocument {
    /// What was found and where.
    #[serde(flatten)]
    pub finding: FindingRecord,
    /// The commit that holds it first, in a history or range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Something that could not be scanned.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadableDocument {
    /// The file or object.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Totals of a scan.
#[derive(Clone, Debug, Serialize)]
pub struct SummaryDocument {
    /// Texts scanned.
    pub files: usize,
    /// Bytes scanned.
    pub bytes: u64,
    /// Findings that count.
    pub findings: usize,
    /// How many of them are not listed, because there are too many.
    pub unlisted: usize,
    /// Findings that are accepted.
    pub allowed: usize,
    /// Files that hold no text.
    pub binary: usize,
    /// Texts of `files` that an earlier scan of this history with the same rules found clean.
    pub known: usize,
    /// Time taken.
    pub seconds: f64,
}

impl FindingDocument {
    /// The document of one finding.
    pub fn of(located: &Located) -> Self {
        Self {
            finding: FindingRecord::of(&located.finding, &located.path),
            commit: located.commit.map(|id| id.to_string()),
        }
    }
}

impl ScanDocument {
    /// The document of a scan that took some time.
    pub fn of(outcome: &ScanOutcome, seconds: f64) -> Self {
        let unreadable = |u: &crate::scan::outcome::Unreadable| UnreadableDocument {
            path: u.path.clone(),
            reason: u.reason.clone(),
        };
        Self {
            format: SCAN_FORMAT,
            findings: outcome.findings.iter().map(FindingDocument::of).collect(),
            unreadable: outcome.unreadable.iter().map(unreadable).collect(),
            summary: SummaryDocument {
                files: outcome.files,
                bytes: outcome.bytes,
                findings: outcome.findings.len() + outcome.unlisted,
                unlisted: outcome.unlisted,
                allowed: outcome.allowed,
                binary: outcome.binary,
                known: outcome.known,
                seconds: (seconds * 1000.0).round() / 1000.0,
            },
        }
    }
}

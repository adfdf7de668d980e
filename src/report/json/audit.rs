//! `memsync audit --format json|jsonl`.
//! Border: names the formats; the fields are those of [`Audit`] and [`Event`].
//!
//! `json` is one document: `format`, then the fields of [`Audit`]: `origin`, `filter`, `totals`,
//! `events` (newest first), `members`, `memories` and `unread`. `jsonl` is one [`Event`] a line,
//! oldest first, so that a log can be appended to.
//!
//! Exit code 4 when an event is refused, else 1 when a credential came in, else 3 when something
//! could not be read; `--exit-zero` makes each 0.
//!
//! [`Audit`]: crate::audit::report::Audit
//! [`Event`]: crate::audit::event::Event

use serde::Serialize;

use crate::audit::report::Audit;

/// Format of [`AuditDocument`].
pub const AUDIT_FORMAT: &str = "memsync.audit/1";

/// A whole audit.
#[derive(Clone, Debug, Serialize)]
pub struct AuditDocument<'a> {
    /// The fields of the audit, on the same level as `format`.
    #[serde(flatten)]
    pub audit: &'a Audit,
}

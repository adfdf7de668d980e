//! `memsync check --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::gate::verdict::Reason;
use crate::sync::exchange::check::CheckReport;

/// Format of [`CheckDocument`].
pub const CHECK_FORMAT: &str = "memsync.check/1";

/// What a check found: `passes`, `files`, `commits`, `reasons` (each with `commit` or null, `path`,
/// `position`, `rule`, `weight`, `message`, `next_step`), `conflicts` (`id`, `path`) and `advice` on what
/// is better not saved (as `reasons`, without `commit`).
#[derive(Clone, Debug, Serialize)]
pub struct CheckDocument<'a> {
    /// Whether every rule holds; the exit code says the same.
    pub passes: bool,
    /// What was found.
    #[serde(flatten)]
    pub report: &'a CheckReport,
    /// What is better not saved; it never fails a check.
    pub advice: &'a [Reason],
}

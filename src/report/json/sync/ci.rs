//! `memsync ci --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::sync::inspect::ci::CiReport;

/// Format of [`CiDocument`].
pub const CI_FORMAT: &str = "memsync.ci/1";

/// What a check of a pull request found: `passes`; `base` (null for the whole history), `head`, `branch`,
/// `introduction`, `is_pinned`, `trust`, `judged` and `unproven` (commits); `effect` with `memories` (each with
/// `path`, `from`, `deed`, `name`, `kind`, `description`, `fields` and `by`, each with `who` and `class`),
/// `members` (`id`, `before` and `after` as roles or null, `has_other_keys`) and `settings`; `changes` (as in
/// `memsync.log/1`, oldest first); `problems`, each with `commit` or null, `check` (`trust`, `gate` or
/// `merge`), `path`, `position`, `rule`, `weight`, `message`, `next_step`; and `conflicts` (`id`, `path`).
#[derive(Clone, Debug, Serialize)]
pub struct CiDocument<'a> {
    /// Whether every rule holds; the exit code says the same.
    pub passes: bool,
    /// What was found.
    #[serde(flatten)]
    pub report: &'a CiReport,
}

//! `memsync purge|restart --format json`.
//! Border: shapes only. The document is [`crate::sync::renewal::renew::RenewOutcome`]: `introduction`, `replaced`,
//! `commits`, `texts`, `branches` (others at the remote, which may hold the old history) and `exchange`.

/// Format of the document.
pub const RENEW_FORMAT: &str = "memsync.renew/1";

//! `memsync where|doctor|remote --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::sync::inspect::health::Finding;

/// Format of [`Located`](crate::store::locate::Located) as a document: `memdir`, `project_root`, `rules` (each with
/// `source`, `value`, `fate` = `won|later|unset|ignored`, `reason`) and `strays`.
pub const WHERE_FORMAT: &str = "memsync.where/1";
/// Format of [`DoctorDocument`].
pub const DOCTOR_FORMAT: &str = "memsync.doctor/1";

/// What `doctor` looked at. Each finding has `topic`, `state` (`good`, `note`, `bad`), `message`
/// and `next_step`.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorDocument<'a> {
    /// Everything that was looked at, in order.
    pub findings: &'a [Finding],
}

/// Format of [`RemoteDocument`].
pub const REMOTE_FORMAT: &str = "memsync.remote/1";

/// Where the team memory is shared: `remote`, and after `remote set` the address `before`.
#[derive(Clone, Debug, Serialize)]
pub struct RemoteDocument {
    /// The address, safe to show.
    pub remote: Option<String>,
    /// The address before it was set.
    pub before: Option<String>,
}

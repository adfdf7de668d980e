//! `memsync agent … --format json`.
//! Border: shapes only.

use std::path::Path;

use serde::Serialize;

use crate::agents::settings::install::Changed;
use crate::sync::inspect::health::Finding;

/// Format of [`ChangedDocument`].
pub const AGENT_INSTALL_FORMAT: &str = "memsync.agent-install/1";
/// Format of [`AgentStatusDocument`].
pub const AGENT_STATUS_FORMAT: &str = "memsync.agent-status/1";

/// Files that installing or uninstalling changed, or would change.
///
/// ```json
/// {
///   "format": "memsync.agent-install/1",
///   "client": "claude-code",
///   "dry_run": false,
///   "files": [{ "path": "/home/ada/.claude/settings.json", "change": "edited" }]
/// }
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct ChangedDocument<'a> {
    /// The client.
    pub client: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files; empty when all was as it should be.
    pub files: Vec<ChangedFile<'a>>,
}

/// One file.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// `made`, `edited` or `removed`.
    pub change: &'static str,
}

impl<'a> ChangedFile<'a> {
    /// Describes a change.
    pub fn of(changed: &'a Changed) -> Self {
        let change = match (&changed.before, &changed.after) {
            (None, _) => "made",
            (_, None) => "removed",
            _ => "edited",
        };
        Self { path: &changed.path, change }
    }
}

/// How the doors of agents stand.
///
/// ```json
/// {
///   "format": "memsync.agent-status/1",
///   "clients": [{ "client": "claude-code", "findings": [
///     { "topic": "hooks", "state": "note", "message": "Claude Code is not connected",
///       "next_step": "`memsync agent install claude-code`" } ] }],
///   "log": []
/// }
/// ```
#[derive(Debug, Serialize)]
pub struct AgentStatusDocument<'a> {
    /// Each client that was asked about, or is used here.
    pub clients: Vec<ClientFindings<'a>>,
    /// The last lines of the log, the newest last.
    pub log: &'a [crate::store::agent_state::LogLine],
}

/// What was found of one client.
#[derive(Debug, Serialize)]
pub struct ClientFindings<'a> {
    /// The client.
    pub client: &'static str,
    /// What was looked at.
    pub findings: &'a [Finding],
}

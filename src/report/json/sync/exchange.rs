//! `memsync pull|push|sync|init|join|status|log --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::sync::exchange::propose::Proposal;
use crate::sync::inspect::log::LogEntry;
use crate::sync::inspect::status::StatusReport;
use crate::sync::outcome::{ExchangeOutcome, SetupOutcome};

/// Format of [`ExchangeDocument`] for `pull`.
pub const PULL_FORMAT: &str = "memsync.pull/1";
/// Format of [`ExchangeDocument`] for `push`.
pub const PUSH_FORMAT: &str = "memsync.push/1";
/// Format of [`ExchangeDocument`] for `sync`.
pub const SYNC_FORMAT: &str = "memsync.sync/1";
/// Format of [`SetupDocument`] for `init`.
pub const INIT_FORMAT: &str = "memsync.init/1";
/// Format of [`SetupDocument`] for `join`.
pub const JOIN_FORMAT: &str = "memsync.join/1";
/// Format of [`StatusDocument`].
pub const STATUS_FORMAT: &str = "memsync.status/1";
/// Format of [`LogDocument`].
pub const LOG_FORMAT: &str = "memsync.log/1";

/// What a pull, push or sync did.
///
/// `complete` is false when something was held back or refused (exit code 1 or 4). The other
/// fields are those of [`ExchangeOutcome`]: `recovered`, `staged` (`commit`, `changes`,
/// `held_back`, `notes`, `ignored`), `received`, `unproven`, `replayed`, `files`, `left_alone`, `conflicts`,
/// `refused`, `reported`, `pushed`, `ahead`, `tip`, `lost_races`.
#[derive(Clone, Debug, Serialize)]
pub struct ExchangeDocument<'a> {
    /// Whether everything went through.
    pub complete: bool,
    /// What was done.
    #[serde(flatten)]
    pub outcome: &'a ExchangeOutcome,
}

/// What `push --branch` did: as [`ExchangeDocument`] in the format of `push`, with `proposal`: the
/// `branch` it is on, the shared branch `onto` which it is to be merged, and how many `changes`.
#[derive(Clone, Debug, Serialize)]
pub struct ProposeDocument<'a> {
    /// What was pulled before, and whether everything went through.
    #[serde(flatten)]
    pub exchange: ExchangeDocument<'a>,
    /// What was sent.
    pub proposal: &'a Proposal,
}

/// What `init` or `join` made: `team`, `root_commit`, `root_signer`, `remote`, `memories` (how many), `exchange`, and
/// `introduction`, the text others pass to `memsync join --introduction`.
#[derive(Clone, Debug, Serialize)]
pub struct SetupDocument<'a> {
    /// `COMMIT` or `COMMIT:FINGERPRINT`.
    pub introduction: String,
    /// What was made.
    #[serde(flatten)]
    pub outcome: &'a SetupOutcome,
}

/// The state of a team memory; `settled` is false when something waits for a person.
///
/// The other fields are those of [`StatusReport`], among them `ahead`, `behind`, `conflicts`
/// (each with `id` and `path`), `refused` (each with `path` and `reasons`), `changes`, `tip`,
/// `verified` (the remote's last tip that passed every rule), `introduction` and `last` (`fetched`,
/// `pushed` and `changed` in seconds since the epoch, `failure`, `refused`).
#[derive(Clone, Debug, Serialize)]
pub struct StatusDocument<'a> {
    /// Whether nothing waits for a person.
    pub settled: bool,
    /// The state.
    #[serde(flatten)]
    pub report: &'a StatusReport,
}

/// The changes of a team memory, newest first. Each entry has `commit`, `time` (RFC 3339),
/// `author`, `email`, `member`, `agent`, `session`, `signer`, `verdict` (`class`, `rule`, `why`,
/// `by`, as in `memsync.audit/1`), `subject`, `changes` and `renamed` (each with `from` and `to`).
#[derive(Clone, Debug, Serialize)]
pub struct LogDocument<'a> {
    /// The changes.
    pub entries: &'a [LogEntry],
}

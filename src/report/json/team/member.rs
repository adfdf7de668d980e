//! `memsync member list --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::sync::membership::members::MemberEntry;
use crate::sync::membership::requests::PendingRequest;

/// Format of [`MemberDocument`].
pub const MEMBER_FORMAT: &str = "memsync.member/1";

/// The members of a team, ordered by id. Each has `id`, `name`, `role`, `keys` (fingerprints of
/// keys that are not revoked), `devices` (the same with `key`, `device` and `added`), `age` (the age recipient, or `null`) and `is_you`.
#[derive(Clone, Debug, Serialize)]
pub struct MemberDocument<'a> {
    /// The members.
    pub members: &'a [MemberEntry],
    /// Requests on the remote, with `--requests` only: `id`, `name`, `fingerprint`, `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<&'a [PendingRequest]>,
    /// With `--requests` only: refs among the requests that hold none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub junk: Option<usize>,
    /// With `--requests` only: refs that were not looked into, because there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<usize>,
}

//! `memsync member list --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::sync::members::MemberEntry;

/// Format of [`MemberDocument`].
pub const MEMBER_FORMAT: &str = "memsync.member/1";

/// The members of a team, ordered by id. Each has `id`, `name`, `role`, `keys` (fingerprints of
/// keys that are not revoked) and `is_you`.
#[derive(Clone, Debug, Serialize)]
pub struct MemberDocument<'a> {
    /// The members.
    pub members: &'a [MemberEntry],
}

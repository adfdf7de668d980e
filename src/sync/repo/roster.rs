//! Who is in a team by a tree, and who of them asks.
//! Border: reads one file of a tree; whether that tree is trusted is `verify`'s.

use super::team::{Actor, Team};
use crate::base::id::ObjectId;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::sync::error::SyncError;
use crate::trust::roster::{MemberId, ROSTER_PATH, Roster};

/// The roster in a tree; `None` where there is none that can be read.
pub(crate) fn roster_at(team: &Team, tree: ObjectId) -> Result<Option<Roster>, SyncError> {
    let Some(file) = team.repo.tree_file(tree, ROSTER_PATH)? else { return Ok(None) };
    let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
    Roster::parse(&String::from_utf8_lossy(&content)).map(Some).map_err(SyncError::Roster)
}

/// The member who signs: the holder of the caller's key in the roster of a tree, else who was named.
pub(crate) fn member_at(team: &Team, actor: &Actor, tree: Option<ObjectId>) -> Option<MemberId> {
    let roster = tree.and_then(|tree| roster_at(team, tree).ok().flatten());
    let key = actor.signer.as_ref().map(|signer| signer.public_key());
    let holder = roster.zip(key).and_then(|(roster, key)| Some(roster.holder(&key)?.0.id.clone()));
    holder.or_else(|| MemberId::parse(actor.member.as_deref()?).ok())
}

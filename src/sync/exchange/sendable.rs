//! Our unshared commits in a form that others take, where one of them would be refused: what was never
//! shared need not travel, so correcting a file is enough to go on.
//! Border: works in the object database only. What is still wrong in the end is not helped here, and the
//! push says so.

use super::stage::change_kind;
use super::unshared::{condensed, with_last_versions};
use crate::base::id::ObjectId;
use crate::gate::Gate;
use crate::gate::envelope::of_commit;
use crate::sync::error::SyncError;
use crate::sync::outcome::FileChange;
use crate::sync::repo::message;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::outgoing::{authorised_tip, check_outgoing};
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::trust::trailers::Trailers;

/// Where refs that plain git fetched are.
const FETCHED: &str = "refs/remotes/";

/// The tip to send: `tip`, or one with the same files that others take.
pub(crate) fn sendable(
    team: &Team,
    actor: &Actor,
    gate: &Gate<'_>,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    let few = condensed(team, actor, known, tip)?;
    let Some(base) = known.filter(|known| *known != few) else { return Ok(few) };
    // The newest commit by itself holds what is there in the end.
    if team.repo.count(Some(base), few)? < 2 || may_be_sent(team, actor, gate, base, few) {
        return Ok(few);
    }
    if let Some(last) = with_last_versions(team, actor, base, few)?
        && may_be_sent(team, actor, gate, base, last)
    {
        return Ok(last);
    }
    match in_one(team, actor, gate, base, few)? {
        Some(one) if may_be_sent(team, actor, gate, base, one) => Ok(one),
        _ => Ok(few),
    }
}

fn may_be_sent(team: &Team, actor: &Actor, gate: &Gate<'_>, base: ObjectId, tip: ObjectId) -> bool {
    let taken = authorised_tip(team, actor, gate.policy, Some(base), tip);
    taken.is_ok_and(|tip| check_outgoing(team, gate, Some(base), tip).is_ok())
}

/// One commit with all that ours change, as after a merge by plain git; `None` where one of them is not
/// ours alone, or says something beside its files that must not be said.
fn in_one(
    team: &Team,
    actor: &Actor,
    gate: &Gate<'_>,
    base: ObjectId,
    tip: ObjectId,
) -> Result<Option<ObjectId>, SyncError> {
    let fetched = team.repo.refs_below(FETCHED)?;
    for id in team.repo.range(Some(base), tip)? {
        let commit = team.repo.commit(id)?;
        let vouches = Trailers::parse(&commit.message).is_ok_and(|t| !t.vouches.is_empty());
        if vouches || !gate.envelope(&of_commit(&commit.raw)).is_empty() {
            return Ok(None);
        }
        for (_, there) in &fetched {
            if team.repo.is_ancestor(id, *there)? {
                return Ok(None);
            }
        }
    }
    if !team.repo.is_ancestor(base, tip)? {
        return Ok(None);
    }
    let (old, tree) = (team.repo.commit(base)?.tree, team.repo.commit(tip)?.tree);
    let mut changes = Vec::new();
    for change in team.repo.tree_changes(Some(old), Some(tree))? {
        let Ok(path) = parse_tree_path(&change.path) else { return Ok(None) };
        let kind = change_kind(change.old, change.new);
        changes.push(FileChange { path: path.to_string(), kind });
    }
    if changes.is_empty() {
        return Ok(Some(base));
    }
    let draft = actor.draft(tree, vec![base], message::of_changes(team, actor, tree, &changes));
    team.commit(&draft, actor).map(Some)
}

//! Who replaced a sealed text: only a reader knows what it says, so only a reader may write another.
//! Border: teams with a roster, where a signature says who. An edit that keeps the sealed text, or takes
//! one that a reader wrote, is anyone's.
//!
//! Without this, a member who cannot open a memory could put a text of their own there, sealed for
//! themselves as well, and wait for a reader's next words to be merged into it.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::Trust;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::commit::Commit;
use crate::git::tree::TreeChange;
use crate::memory::document::Document;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict, Content};
use crate::seal::SealProblem;
use crate::seal::envelope::{Envelope, is_sealed_text};
use crate::sync::error::SyncError;
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::Team;
use crate::sync::seal_error::SealError;
use crate::trust::roster::MemberId;
use crate::trust::signature::verify_commit;

/// A sealed text by its hash.
pub(crate) type ArmorHash = [u8; 32];

/// The hash of a sealed text.
pub(crate) fn hash(armor: &str) -> ArmorHash {
    Sha256::digest(armor.trim().as_bytes()).into()
}

/// Why a change of a sealed memory is not taken at face value; `None` for all others.
pub(crate) fn non_reader_author(
    team: &Team,
    commit: &Commit,
    change: &TreeChange,
    new: &[u8],
) -> Result<Option<Reason>, SyncError> {
    let Some(old) = change.old else { return Ok(None) };
    let Some(old) = sealed_blob(team, old.id)? else { return Ok(None) };
    let path = String::from_utf8_lossy(&change.path);
    let Some(new) = sealed(new) else {
        return Ok(opened_by_stranger(team, commit, &path, &old, new)?.map(|who| {
            let message = format!(
                "its sealed text was replaced by a plain one by {who}, who could not open it"
            );
            opened(&path, message)
        }));
    };
    let Some(who) = written_by_stranger(team, commit, &path, &old, &new)? else { return Ok(None) };
    Ok(Some(Reason {
        kind: ReasonKind::Rule,
        path: crate::base::display::Escaped(&path).to_string(),
        position: None,
        rule: "sealed-stranger".to_owned(),
        weight: Weight::Refused,
        message: format!("its sealed text was replaced by {who}, who could not open the one before"),
        next_step: "a reader looks at it with `memsync open`, and takes the text before it back if it is not theirs".to_owned(),
    }))
}

/// Why a plain text is not put in the place of a sealed one on the way: only `unseal` says that it is meant.
pub(crate) fn opened_unasked(
    team: &Team,
    path: &MemoryPath,
    old: Option<ObjectId>,
    new: &[u8],
) -> Result<Option<Reason>, SyncError> {
    let Some(old) = old.filter(|_| path.is_memory() && team.opens.as_ref() != Some(path)) else {
        return Ok(None);
    };
    let is_opened = sealed(new).is_none() && sealed_blob(team, old)?.is_some();
    let message = "it is sealed, and this text is not: everyone could read it".to_owned();
    Ok(is_opened.then(|| opened(path.as_str(), message)))
}

/// The sealed text in a blob; none in one that is larger than any.
fn sealed_blob(team: &Team, id: ObjectId) -> Result<Option<Envelope>, SyncError> {
    if team.repo.blob_size(id)? > POLICY_BYTES_MAX as u64 {
        return Ok(None);
    }
    Ok(sealed(&team.repo.blob(id, POLICY_BYTES_MAX as u64)?))
}

fn opened(path: &str, message: String) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: crate::base::display::Escaped(path).to_string(),
        position: None,
        rule: "sealed-opened".to_owned(),
        weight: Weight::Refused,
        message,
        next_step: "seal it with `memsync seal MEMORY`; or take the sealed file back with `git checkout` in `team/`, and if everyone may read it, run `memsync unseal MEMORY`".to_owned(),
    }
}

/// Who put a plain text in the place of a sealed one without being able to open it, ready to show.
fn opened_by_stranger(
    team: &Team,
    commit: &Commit,
    path: &str,
    old: &Envelope,
    new: &[u8],
) -> Result<Option<String>, SyncError> {
    let Some((parent, merged)) = commit.parents.split_first() else { return Ok(None) };
    // A merge that takes a parent's file wrote nothing; the parent's own commits are looked at.
    let id = team.repo.blob_id(new);
    for parent in merged {
        let tree = team.repo.commit(*parent)?.tree;
        if team.repo.tree_file(tree, path)?.is_some_and(|file| file.id == id) {
            return Ok(None);
        }
    }
    signed_by_stranger(team, commit, team.repo.commit(*parent)?.tree, old)
}

/// Refuses to write on in a text that a stranger put there.
pub(crate) fn refuse_stranger(
    team: &Team,
    path: &MemoryPath,
    armor: &str,
) -> Result<(), SyncError> {
    if strangers(team, None, team.tip()?)?.contains(&hash(armor)) {
        let problem = SealProblem::Stranger;
        return Err(SealError::Problem { path: path.to_string(), problem }.into());
    }
    Ok(())
}

/// The sealed texts between two commits that somebody wrote who could not open what was there before.
pub(crate) fn strangers(
    team: &Team,
    base: Option<ObjectId>,
    tip: ObjectId,
) -> Result<BTreeSet<ArmorHash>, SyncError> {
    let mut found = BTreeSet::new();
    // What was removed and comes back under its name is the same memory.
    let mut removed: BTreeMap<Vec<u8>, Envelope> = BTreeMap::new();
    for id in team.repo.range(base, tip)? {
        let commit = team.repo.commit(id)?;
        let parent = commit.parents.first().map(|id| team.repo.commit(*id)).transpose()?;
        for change in team.repo.tree_changes(parent.map(|p| p.tree), Some(commit.tree))? {
            if !MemoryPath::parse_bytes(&change.path).is_ok_and(|path| path.is_memory()) {
                continue;
            }
            let read = |id: ObjectId| team.repo.blob(id, POLICY_BYTES_MAX as u64);
            let old = change.old.map(|file| read(file.id)).transpose()?;
            let old = old.and_then(|old| sealed(&old));
            let Some(new) = change.new else {
                removed.extend(old.map(|old| (change.path.clone(), old)));
                continue;
            };
            let new = sealed(&read(new.id)?);
            let before = old.or_else(|| removed.get(&change.path).cloned());
            let (Some(before), Some(new)) = (before, new) else { continue };
            let path = String::from_utf8_lossy(&change.path);
            if written_by_stranger(team, &commit, &path, &before, &new)?.is_some() {
                found.insert(hash(&new.armor));
            }
        }
    }
    Ok(found)
}

/// Who wrote a sealed text without being able to open the one before, ready to show.
fn written_by_stranger(
    team: &Team,
    commit: &Commit,
    path: &str,
    old: &Envelope,
    new: &Envelope,
) -> Result<Option<String>, SyncError> {
    if hash(&old.armor) == hash(&new.armor) {
        return Ok(None);
    }
    let Some((parent, merged)) = commit.parents.split_first() else { return Ok(None) };
    // A merge that takes a parent's text wrote nothing; the parent's own commits are looked at.
    for parent in merged {
        let file = team.repo.tree_file(team.repo.commit(*parent)?.tree, path)?;
        let there =
            file.map(|file| team.repo.blob(file.id, POLICY_BYTES_MAX as u64)).transpose()?;
        let there = there.and_then(|content| sealed(&content));
        if there.is_some_and(|there| hash(&there.armor) == hash(&new.armor)) {
            return Ok(None);
        }
    }
    let tree = team.repo.commit(*parent)?.tree;
    let stranger = signed_by_stranger(team, commit, tree, old)?;
    Ok(if stranger.is_some() && is_in_a_record(team, tree, new)? { None } else { stranger })
}

/// Who signed a commit and was no reader of a sealed text, by the roster of a tree; ready to show.
fn signed_by_stranger(
    team: &Team,
    commit: &Commit,
    tree: ObjectId,
    old: &Envelope,
) -> Result<Option<String>, SyncError> {
    // In an open team nobody is known by a signature.
    if team.policy_at(tree)?.trust == Trust::Open {
        return Ok(None);
    }
    let Some(roster) = roster_at(team, tree)? else { return Ok(None) };
    let signer = verify_commit(&commit.raw).ok().map(|signed| signed.signer);
    let author: Option<MemberId> = signer.and_then(|key| Some(roster.holder(&key)?.0.id.clone()));
    if author.as_ref().is_some_and(|id| old.audience.readers.contains(id)) {
        return Ok(None);
    }
    Ok(Some(author.map_or_else(|| "somebody unknown".to_owned(), |id| format!("`{id}`"))))
}

/// Whether an open conflict holds the text: then closing it is all that happened.
fn is_in_a_record(team: &Team, tree: ObjectId, sealed_text: &Envelope) -> Result<bool, SyncError> {
    let wanted = hash(&sealed_text.armor);
    for (raw, file) in team.repo.tree_files(tree)? {
        if !raw.starts_with(CONFLICTS_FOLDER.as_bytes()) {
            continue;
        }
        let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
        let path = String::from_utf8_lossy(&raw);
        let Ok(conflict) = Conflict::parse(&path, &content) else { continue };
        let sides = [&conflict.kept.content, &conflict.other.content];
        let armors = sides.into_iter().flatten().map(Content::as_bytes).filter_map(sealed);
        if armors.into_iter().any(|envelope| hash(&envelope.armor) == wanted) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A file read as a sealed memory, whatever its list says.
fn sealed(content: &[u8]) -> Option<Envelope> {
    let text = std::str::from_utf8(content).ok().filter(|text| is_sealed_text(text))?;
    Envelope::read_unchecked(&Document::parse(text)).ok()
}

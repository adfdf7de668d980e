//! `reseal`, and what a change of the roster means for sealed memories.
//! Border: works on what is on disk now; what history keeps readable is `seal_history`'s to say.

use std::collections::BTreeSet;

use serde::Serialize;

use super::seal::{closed, find, known, problem, read, roster};
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::seal::SealProblem;
use crate::seal::audience::{Audience, Wanted};
use crate::seal::envelope::{Envelope, is_sealed, is_sealed_text, seal_head};
use crate::seal::lock::seal;
use crate::seal::readers::check;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::commit;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::rebase::non_reader_authors::refuse_stranger;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::seal_error::SealError;
use crate::sync::worktree::writable::writable;
use crate::system::files::Durability;
use crate::trust::roster::{MemberId, Roster};

/// Which memories, and for whom.
#[derive(Clone, Debug, Default)]
pub struct ResealRequest {
    /// Names; empty means all.
    pub names: Vec<String>,
    /// For whom from now on; empty keeps what was asked before.
    pub wanted: BTreeSet<Wanted>,
}

/// A memory that was sealed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resealed {
    /// The file.
    pub path: String,
    /// Who can open it now.
    pub readers: Vec<String>,
    /// Who could not before.
    pub added: Vec<String>,
    /// Who could before. What they have seen, and earlier versions, they can still read.
    pub removed: Vec<String>,
}

/// A memory that could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftClosed {
    /// The file.
    pub path: String,
    /// Why, ready to show.
    pub why: String,
    /// Readers, one of whom can do it.
    pub readers: Vec<String>,
}

/// What sealing again did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ResealOutcome {
    /// Sealed again.
    pub resealed: Vec<Resealed>,
    /// Left as they are, because none of the caller's keys opens them.
    pub closed: Vec<LeftClosed>,
    /// How many were right already.
    pub unchanged: usize,
    /// What was committed.
    pub exchange: ExchangeOutcome,
}

/// A memory whose readers change with the roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Affected {
    /// The file.
    pub path: String,
    /// Members who become readers.
    pub gains: Vec<String>,
    /// Readers who are none any more, or whose key changed.
    pub loses: Vec<String>,
}

/// Seals memories again: for whom they were asked, or for others.
pub fn reseal(
    place: &TeamPlace,
    actor: &Actor,
    wish: &ResealRequest,
) -> Result<ResealOutcome, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let roster = roster(&team)?;
    let paths: Vec<MemoryPath> = match wish.names.as_slice() {
        [] => sealed_paths(&team)?,
        names => names.iter().map(|name| find(&team, name)).collect::<Result<_, _>>()?,
    };
    let is_named = !wish.names.is_empty();
    let mut outcome = ResealOutcome::default();
    let mut files = Vec::new();
    for path in paths {
        let text = reseal_one(&team, actor, &roster, &path, wish, &mut outcome);
        match text {
            Ok(text) => files.extend(text.map(|text| (path, text))),
            // Of all memories, the caller reads only some.
            Err(SyncError::Seal(error)) if !is_named => left(&mut outcome, &team, &path, &error),
            Err(error) => return Err(error),
        }
    }
    write(&team, &files)?;
    outcome.exchange = commit(&mut team, actor)?;
    Ok(outcome)
}

/// Seals what a new roster affects, on disk only: the commit holds the roster as well.
pub(crate) fn reseal_affected(
    team: &Team,
    actor: &Actor,
    roster: &Roster,
    affected: &[Affected],
) -> Result<ResealOutcome, SyncError> {
    let mut outcome = ResealOutcome::default();
    let mut files = Vec::new();
    for one in affected {
        let path = find(team, &one.path)?;
        let wish = ResealRequest::default();
        match reseal_one(team, actor, roster, &path, &wish, &mut outcome) {
            Ok(text) => files.extend(text.map(|text| (path, text))),
            Err(SyncError::Seal(error)) => left(&mut outcome, team, &path, &error),
            Err(error) => return Err(error),
        }
    }
    write(team, &files)?;
    Ok(outcome)
}

/// The sealed memories whose readers a roster changes.
pub(crate) fn affected_by(team: &Team, roster: &Roster) -> Result<Vec<Affected>, SyncError> {
    let mut found = Vec::new();
    for path in sealed_paths(team)? {
        let Ok(envelope) = Envelope::read(&Document::parse(&read(team, &path)?)) else { continue };
        let before = &envelope.audience.readers;
        let after = Audience::resolve(envelope.audience.wanted.clone(), roster);
        let after = after.map(|audience| audience.readers).unwrap_or_default();
        let outdated = check(&envelope, roster).map(|standing| standing.outdated);
        let shown = |ids: &mut dyn Iterator<Item = &MemberId>| -> Vec<String> {
            ids.map(MemberId::to_string).collect()
        };
        let gains = shown(&mut after.difference(before));
        let mut loses = shown(&mut before.difference(&after));
        loses.extend(shown(&mut outdated.unwrap_or_default().iter()));
        if !gains.is_empty() || !loses.is_empty() {
            found.push(Affected { path: path.to_string(), gains, loses });
        }
    }
    Ok(found)
}

/// The new file; `None` when it is right as it is.
fn reseal_one(
    team: &Team,
    actor: &Actor,
    roster: &Roster,
    path: &MemoryPath,
    wish: &ResealRequest,
    outcome: &mut ResealOutcome,
) -> Result<Option<String>, SyncError> {
    let of = |found: SealProblem| problem(path, found);
    let document = Document::parse(&read(team, path)?);
    if !is_sealed(&document) {
        return Err(SealError::Plain(path.to_string()).into());
    }
    let envelope = if wish.wanted.is_empty() {
        Envelope::read(&document).map_err(of)?
    } else {
        // Whoever says anew for whom it is may have a broken list replaced.
        Envelope::read_unchecked(&document).map_err(of)?
    };
    let standing = check(&envelope, roster);
    let wanted = if wish.wanted.is_empty() {
        if !envelope.is_named() {
            return Err(of(SealProblem::Unproven).into());
        }
        refuse_stranger(team, path, &envelope.armor)?;
        match &standing {
            Ok(_) | Err(SealProblem::UnknownReaders(_)) => envelope.audience.wanted.clone(),
            Err(found) => return Err(of(found.clone()).into()),
        }
    } else {
        known(&wish.wanted, roster).map_err(of)?
    };
    let audience = Audience::resolve(wanted, roster).map_err(of)?;
    let is_current = standing.is_ok_and(|standing| standing.outdated.is_empty());
    if is_current && envelope.is_named() && audience == envelope.audience {
        outcome.unchanged += 1;
        return Ok(None);
    }
    let plain = actor.keys.open(&envelope).map_err(|error| closed(path, error))?;
    let mut head = document.frontmatter().ok_or_else(|| of(SealProblem::Frontmatter))?.clone();
    seal_head(&mut head, &audience).map_err(of)?;
    let armor = seal(&plain, &audience, roster).map_err(of)?;
    let before = &envelope.audience.readers;
    let ids = |ids: &mut dyn Iterator<Item = &MemberId>| ids.map(MemberId::to_string).collect();
    outcome.resealed.push(Resealed {
        path: path.to_string(),
        readers: ids(&mut audience.readers.iter()),
        added: ids(&mut audience.readers.difference(before)),
        removed: ids(&mut before.difference(&audience.readers)),
    });
    Ok(Some(head.render() + &armor))
}

/// Notes a memory that stays as it is.
fn left(outcome: &mut ResealOutcome, team: &Team, path: &MemoryPath, error: &SealError) {
    let text = read(team, path).unwrap_or_default();
    let envelope = Envelope::read_unchecked(&Document::parse(&text)).ok();
    let readers = envelope.map(|envelope| envelope.audience.readers).unwrap_or_default();
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        why = format!("{why}: {inner}");
        cause = inner.source();
    }
    let readers = readers.iter().map(MemberId::to_string).collect();
    outcome.closed.push(LeftClosed { path: path.to_string(), why, readers });
}

fn write(team: &Team, files: &[(MemoryPath, String)]) -> Result<(), SyncError> {
    for (path, text) in files {
        team.root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
    }
    Ok(())
}

/// The sealed memories on disk, in path order.
pub(crate) fn sealed_paths(team: &Team) -> Result<Vec<MemoryPath>, SyncError> {
    let files = team.repo.tree_files(team.repo.commit(team.tip()?)?.tree)?;
    let memories = files.keys().filter_map(|raw| MemoryPath::parse_bytes(raw).ok());
    let mut found = Vec::new();
    for path in memories.filter(MemoryPath::is_memory) {
        if read(team, &path).is_ok_and(|text| is_sealed_text(&text)) {
            found.push(path);
        }
    }
    Ok(found)
}

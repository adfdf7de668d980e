//! `open`, `open --edit` and `unseal`: what was sealed, for a reader.
//! Border: the text lives in memory; the only file is the private one of the editor.

use serde::Serialize;

use super::reseal::sealed_paths;
use super::seal::{accepted, closed, find, problem, read, roster, sealed};
use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::merge::conflict::Content;
use crate::merge::{Input, file_unlocked};
use crate::seal::SealProblem;
use crate::seal::audience::Audience;
use crate::seal::envelope::{Envelope, is_sealed_text, unseal_head};
use crate::seal::lock::seal_document;
use crate::seal::unlock::Plain;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::change;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::rebase::commits::{coming, origin};
use crate::sync::rebase::non_reader_authors::refuse_stranger;
use crate::sync::rebase::unlock::TeamUnlock;
use crate::sync::repo::roster::member_at;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::seal_error::SealError;
use crate::sync::worktree::writable::writable;
use crate::sync::write::remember::check;
use crate::sync::write::resolve;
use crate::system::files::Durability;
use crate::trust::roster::MemberId;

/// An opened memory.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub path: MemoryPath,
    /// Who can open it.
    pub audience: Audience,
    /// What was sealed.
    pub text: Plain,
    /// The file as it was, to notice changes.
    raw: String,
    document: Document,
    armor: String,
    is_named: bool,
}

/// Opens a sealed memory as it is on disk.
pub fn open(place: &TeamPlace, actor: &Actor, name: &str) -> Result<Opened, SyncError> {
    let team = Team::open(place)?;
    let path = find(&team, name)?;
    let raw = read(&team, &path)?;
    let (document, envelope) = sealed(&team, &path)?;
    let text = actor.keys.open(&envelope).map_err(|error| closed(&path, error))?;
    let is_named = envelope.is_named();
    let (audience, armor) = (envelope.audience, envelope.armor);
    Ok(Opened { path, audience, text, raw, document, armor, is_named })
}

/// A sealed memory as it is listed.
#[derive(Clone, Debug, Serialize)]
pub struct SealedEntry {
    /// The file.
    pub path: String,
    /// Its name, escaped.
    pub name: String,
    /// Its description, escaped.
    pub description: String,
    /// Who can open it, as it says.
    pub readers: Vec<String>,
    /// Whether the caller's member is one of them.
    pub yours: bool,
    /// Why it is not in order, ready to show.
    pub problem: Option<String>,
}

/// Lists the sealed memories; nothing is opened and nobody is asked.
pub fn list(place: &TeamPlace, actor: &Actor) -> Result<Vec<SealedEntry>, SyncError> {
    let team = Team::open(place)?;
    let own = member_at(&team, actor, Some(team.repo.commit(team.tip()?)?.tree));
    let mut found = Vec::new();
    for path in sealed_paths(&team)? {
        let document = Document::parse(&read(&team, &path)?);
        let checked = sealed(&team, &path);
        let problem = match &checked {
            Err(SyncError::Seal(SealError::Problem { problem, .. })) => Some(problem.to_string()),
            Err(error) => Some(error.to_string()),
            Ok(_) => None,
        };
        let readers = match checked {
            Ok((_, envelope)) => envelope.audience.readers,
            Err(_) => Envelope::read_unchecked(&document)
                .map(|envelope| envelope.audience.readers)
                .unwrap_or_default(),
        };
        let shown = |text: Option<&str>| Escaped(text.unwrap_or_default()).to_string();
        found.push(SealedEntry {
            name: shown(document.name()),
            description: shown(document.description()),
            yours: own.as_ref().is_some_and(|own| readers.contains(own)),
            readers: readers.iter().map(MemberId::to_string).collect(),
            path: path.to_string(),
            problem,
        });
    }
    Ok(found)
}

/// What the sides of an open conflict about a sealed memory hold: name of the side, and its text.
pub fn open_conflict(
    place: &TeamPlace,
    actor: &Actor,
    id: &str,
) -> Result<Vec<(&'static str, Plain)>, SyncError> {
    let all = resolve::open(place)?;
    let conflict = resolve::find(&all, id)?.conflict.clone().map_err(SyncError::BadRecord)?;
    let mut sides = Vec::new();
    for (name, content) in [("ours", &conflict.kept.content), ("theirs", &conflict.other.content)] {
        let Some(Content::Text(text)) = content else { continue };
        if !is_sealed_text(text) {
            sides.push((name, Plain::new(text.clone())));
            continue;
        }
        let envelope =
            Envelope::read(&Document::parse(text)).map_err(|p| problem(&conflict.path, p))?;
        let plain = actor.keys.open(&envelope).map_err(|e| closed(&conflict.path, e))?;
        sides.push((name, plain));
    }
    Ok(sides)
}

/// What became of an edit.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The file.
    pub path: String,
    /// Who can open it now.
    pub readers: Vec<String>,
    /// What was committed; `None` when the text is the same as before.
    pub exchange: Option<ExchangeOutcome>,
}

/// Seals a new text of an opened memory for the same readers and commits it.
///
/// The lock is not held while a person edits, so what changed meanwhile is merged.
pub fn write_back(
    place: &TeamPlace,
    actor: &Actor,
    opened: &Opened,
    text: &[u8],
    allow_secret: Option<&str>,
) -> Result<Edited, SyncError> {
    let path = &opened.path;
    let shown = |audience: &Audience| audience.readers.iter().map(MemberId::to_string).collect();
    if text == opened.text.as_bytes() {
        let readers = shown(&opened.audience);
        return Ok(Edited { path: path.to_string(), readers, exchange: None });
    }
    let new = std::str::from_utf8(text).ok().filter(|text| !text.trim().is_empty());
    let new = new.ok_or_else(|| SealError::NoText(path.to_string()))?;
    if !opened.is_named {
        // Who may read the new text is for a person to say.
        return Err(problem(path, SealProblem::Unproven).into());
    }
    let mut team = writable(place, actor.wait)?;
    refuse_stranger(&team, path, &opened.armor)?;
    let roster = roster(&team)?;
    let audience = Audience::resolve(opened.audience.wanted.clone(), &roster)
        .map_err(|found| problem(path, found))?;
    let head =
        opened.document.frontmatter().ok_or_else(|| problem(path, SealProblem::Frontmatter))?;
    let plain = Document::from_parts(head, new);
    let exchange = change(&mut team, actor, |team, gate| {
        let plain = accepted(gate, path, &plain, allow_secret)?;
        let sealed = seal_document(&plain, &audience, &roster).map_err(|p| problem(path, p))?;
        let written = onto_disk(team, actor, opened, sealed)?;
        check(gate, path, &written.text)?;
        for (record, content) in &written.records {
            team.root.write_atomic(record.as_str(), content.as_bytes(), Durability::Durable)?;
        }
        team.root.write_atomic(path.as_str(), written.text.as_bytes(), Durability::Durable)?;
        Ok(())
    })?;
    Ok(Edited { path: path.to_string(), readers: shown(&audience), exchange: Some(exchange) })
}

/// A sealed file to write, and the records of what did not go together.
struct Written {
    text: String,
    records: Vec<(MemoryPath, String)>,
}

/// The new version on top of what is on disk now.
fn onto_disk(
    team: &Team,
    actor: &Actor,
    opened: &Opened,
    sealed: String,
) -> Result<Written, SyncError> {
    let now = read(team, &opened.path)?;
    if now == opened.raw {
        return Ok(Written { text: sealed, records: Vec::new() });
    }
    let tip = team.repo.commit(team.tip()?)?;
    let ours = coming(actor);
    let committed = team.repo.tree_file(tip.tree, opened.path.as_str())?.map(|file| file.id);
    let is_committed = committed == Some(team.repo.blob_id(now.as_bytes()));
    let theirs = if is_committed { origin(&tip) } else { ours.clone() };
    let unlock = TeamUnlock::new(team, actor, tip.tree).distrust_since(None, tip.id);
    let merged = file_unlocked(
        &opened.path,
        Some(opened.raw.as_bytes()),
        Input { content: sealed.as_bytes(), origin: &ours },
        Input { content: now.as_bytes(), origin: &theirs },
        &unlock,
    );
    let text = String::from_utf8(merged.content)
        .map_err(|_| SealError::NoText(opened.path.to_string()))?;
    let records =
        merged.conflicts.iter().map(|conflict| (conflict.record_path(), conflict.render()));
    Ok(Written { text, records: records.collect() })
}

/// Makes a sealed memory plain again, for everyone and for good.
pub fn unseal(
    place: &TeamPlace,
    actor: &Actor,
    name: &str,
) -> Result<(MemoryPath, ExchangeOutcome), SyncError> {
    let mut team = writable(place, actor.wait)?;
    let path = find(&team, name)?;
    let (document, envelope) = sealed(&team, &path)?;
    let text = actor.keys.open(&envelope).map_err(|error| closed(&path, error))?;
    let question = format!(
        "Everyone who has the repository will be able to read `{path}`, now and in its history. Go on?"
    );
    if !actor.confirms(&question) {
        return Err(SealError::Exposing(path.to_string()).into());
    }
    let no_head = || problem(&path, SealProblem::Frontmatter);
    let mut head = document.frontmatter().ok_or_else(no_head)?.clone();
    unseal_head(&mut head);
    let plain = head.render() + text.as_str();
    team.opens = Some(path.clone());
    let exchange = change(&mut team, actor, |team, gate| {
        check(gate, &path, &plain)?;
        team.root.write_atomic(path.as_str(), plain.as_bytes(), Durability::Durable)?;
        Ok(())
    })?;
    Ok((path, exchange))
}

//! `seal` and `remember --seal`: a text becomes readable for named members only.
//! Border: plain text comes in from the caller or from a file that was there; it is written nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::history::{PlainHistory, plain_history};
use crate::base::display::Escaped;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::memory::document::Document;
use crate::memory::index::Index;
use crate::memory::limits::{MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
use crate::seal::SealProblem;
use crate::seal::audience::{Audience, Wanted};
use crate::seal::envelope::{Envelope, SECRETS_FIELD, is_sealed};
use crate::seal::lock::seal_document;
use crate::seal::unlock::UnlockError;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::change;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::roster::{member_at, roster_at};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::seal_error::SealError;
use crate::sync::worktree::writable::writable;
use crate::sync::write::remember::{NewMemory, check, compose, path_of};
use crate::system::files::Durability;
use crate::trust::roster::{MemberId, Roster};

/// For whom, and what may stay readable.
#[derive(Clone, Debug, Default)]
pub struct SealRequest {
    /// Members and roles besides the caller.
    pub wanted: BTreeSet<Wanted>,
    /// A description that everyone may read; `None` keeps the one that is there, if the person agrees.
    pub description: Option<String>,
    /// Why the text may hold a credential; everyone can read the reason.
    pub allow_secret: Option<String>,
}

/// A memory that was sealed.
#[derive(Clone, Debug, Serialize)]
pub struct SealOutcome {
    /// The file.
    pub path: String,
    /// Who can open it.
    pub readers: Vec<String>,
    /// Earlier versions that everyone can read.
    pub plain_history: PlainHistory,
    /// Whether the index still says something of the old description.
    pub index_to_check: bool,
    /// What was committed.
    pub exchange: ExchangeOutcome,
}

/// Seals a memory that is there.
pub fn seal(
    place: &TeamPlace,
    actor: &Actor,
    name: &str,
    wish: &SealRequest,
) -> Result<SealOutcome, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let path = find(&team, name)?;
    let document = Document::parse(&read(&team, &path)?);
    if is_sealed(&document) {
        return Err(SealError::Sealed(path.to_string()).into());
    }
    let old = document.description().unwrap_or_default().to_owned();
    let document = described(&document, &path, actor, wish)?;
    let history = plain_history(&team, &path)?;
    let mut outcome =
        seal_into(&mut team, actor, &path, &document, wish, |team| match &wish.description {
            Some(new) if *new != old => change_hook(team, &path, &old, new),
            _ => Ok(false),
        })?;
    outcome.plain_history = history;
    Ok(outcome)
}

/// Writes a new memory, or a new text for a sealed one, that was never plain on disk.
pub fn remember_sealed(
    place: &TeamPlace,
    actor: &Actor,
    memory: &NewMemory,
    wish: &SealRequest,
) -> Result<SealOutcome, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let path = path_of(memory)?;
    let document = Document::parse(&compose(&team.root, &path, memory)?);
    if let Some(old) = team.root.read_if_there(path.as_str(), POLICY_BYTES_MAX as u64)? {
        refuse_unread(&team, actor, &path, &Document::parse(&String::from_utf8_lossy(&old)))?;
    }
    let history = plain_history(&team, &path)?;
    let mut outcome = seal_into(&mut team, actor, &path, &document, wish, |_| Ok(false))?;
    outcome.plain_history = history;
    Ok(outcome)
}

/// Only a reader may replace a sealed text.
fn refuse_unread(
    team: &Team,
    actor: &Actor,
    path: &MemoryPath,
    old: &Document,
) -> Result<(), SyncError> {
    if !is_sealed(old) {
        return Ok(());
    }
    let envelope = Envelope::read(old).map_err(|p| problem(path, p))?;
    let own = own_id(team, actor, &*roster(team)?)?;
    if envelope.audience.readers.contains(&own) {
        return Ok(());
    }
    let audience = envelope.audience.to_string();
    Err(closed(path, UnlockError::NotForYou { audience }).into())
}

/// Checks the plain text, seals it for the caller and the others, and commits the file.
fn seal_into(
    team: &mut Team,
    actor: &Actor,
    path: &MemoryPath,
    plain: &Document,
    wish: &SealRequest,
    before: impl FnOnce(&Team) -> Result<bool, SyncError>,
) -> Result<SealOutcome, SyncError> {
    let roster = roster(team)?;
    let mut wanted = known(&wish.wanted, &roster).map_err(|p| problem(path, p))?;
    wanted.insert(Wanted::Member(own_id(team, actor, &roster)?));
    let audience = Audience::resolve(wanted, &roster).map_err(|p| problem(path, p))?;
    let (readers, mut index_to_check) = (audience.readers.clone(), false);
    let exchange = change(team, actor, |team, gate| {
        let plain = accepted(gate, path, plain, wish.allow_secret.as_deref())?;
        let text = seal_document(&plain, &audience, &roster).map_err(|p| problem(path, p))?;
        check(gate, path, &text)?;
        index_to_check = before(team)?;
        team.root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
        Ok(())
    })?;
    Ok(SealOutcome {
        path: path.to_string(),
        readers: readers.iter().map(MemberId::to_string).collect(),
        plain_history: PlainHistory::default(),
        index_to_check,
        exchange,
    })
}

/// The plain memory if everything about it is in order; with the reason noted where it holds a
/// credential and one was given.
pub(crate) fn accepted(
    gate: &Gate<'_>,
    path: &MemoryPath,
    plain: &Document,
    reason: Option<&str>,
) -> Result<Document, SyncError> {
    let text = plain.render();
    let mut form = match gate.entry(path.as_str().as_bytes(), EntryMode::File, text.len() as u64) {
        Ok(path) => gate.form(&path, &text),
        Err(reason) => vec![*reason],
    };
    form.retain(Reason::holds_back);
    if !form.is_empty() {
        return Err(SyncError::Refused(form));
    }
    let secrets = gate.secrets(path, text.as_bytes());
    let known = plain.frontmatter().and_then(|head| head.scalar(&[SECRETS_FIELD]));
    let Some(reason) = reason.or(known).filter(|_| !secrets.is_empty()) else {
        return if secrets.is_empty() {
            Ok(plain.clone())
        } else {
            Err(SealError::Secrets(secrets).into())
        };
    };
    if reason.trim().is_empty() {
        return Err(SealError::NoReason.into());
    }
    let no_head = || problem(path, SealProblem::Frontmatter);
    let mut head = plain.frontmatter().ok_or_else(no_head)?.clone();
    if !head.set(&[SECRETS_FIELD], reason.trim()) {
        return Err(no_head().into());
    }
    Ok(Document::from_parts(&head, plain.body()))
}

/// The document with a description that everyone may read.
fn described(
    document: &Document,
    path: &MemoryPath,
    actor: &Actor,
    wish: &SealRequest,
) -> Result<Document, SyncError> {
    let name = Escaped(document.name().unwrap_or(path.stem())).to_string();
    let Some(description) = &wish.description else {
        let shown = Escaped(document.description().unwrap_or_default()).to_string();
        let question = format!(
            "Everyone who has the repository can read its name `{name}` and its description `{shown}`. Seal the rest?"
        );
        let agreed = actor.confirms(&question);
        return if agreed {
            Ok(document.clone())
        } else {
            Err(SealError::Unconfirmed(name).into())
        };
    };
    let problem = || problem(path, SealProblem::Frontmatter);
    let mut head = document.frontmatter().ok_or_else(problem)?.clone();
    if head.set(&["description"], description) {
        return Ok(Document::from_parts(&head, document.body()));
    }
    Err(problem().into())
}

/// Takes the old description out of the index entry; tells whether something of it may be left.
fn change_hook(team: &Team, path: &MemoryPath, old: &str, new: &str) -> Result<bool, SyncError> {
    let text = team.root.read_if_there("MEMORY.md", MEMORY_BYTES_MAX as u64)?.unwrap_or_default();
    let Ok(text) = String::from_utf8(text) else { return Ok(true) };
    let index = Index::parse(&text);
    let (mut changed, mut left) = (String::new(), false);
    for block in index.blocks() {
        let ours = block.entries.iter().any(|entry| entry.target == path.as_str());
        left |= ours && (old.is_empty() || !block.raw.contains(old));
        let raw =
            if ours && !old.is_empty() { block.raw.replace(old, new) } else { block.raw.clone() };
        changed += &raw;
    }
    if changed != text {
        team.root.write_atomic("MEMORY.md", changed.as_bytes(), Durability::Durable)?;
    }
    Ok(left)
}

/// The file of a memory, committed or only on disk.
pub(crate) fn find(team: &Team, name: &str) -> Result<MemoryPath, SyncError> {
    let found = crate::sync::repo::find_path::find_path(team, team.tip()?, name);
    let on_disk = || {
        [name.to_owned(), format!("{name}.md")].into_iter().find_map(|path| {
            let path = MemoryPath::parse(&path).ok()?;
            team.root.exists(path.as_str()).ok()?.then_some(path)
        })
    };
    let path = found.or_else(|error| on_disk().ok_or(error))?;
    if path.is_memory() { Ok(path) } else { Err(SyncError::NoMemory(path.to_string())) }
}

/// A memory as it is on disk.
pub(crate) fn read(team: &Team, path: &MemoryPath) -> Result<String, SyncError> {
    let bytes = team.root.read_if_there(path.as_str(), POLICY_BYTES_MAX as u64)?;
    let bytes = bytes.ok_or_else(|| SyncError::NoMemory(path.to_string()))?;
    String::from_utf8(bytes).map_err(|_| SealError::NoText(path.to_string()).into())
}

/// A sealed memory as it is on disk, checked against the roster.
pub(crate) fn sealed(team: &Team, path: &MemoryPath) -> Result<(Document, Envelope), SyncError> {
    let document = Document::parse(&read(team, path)?);
    if !is_sealed(&document) {
        return Err(SealError::Plain(path.to_string()).into());
    }
    let envelope = Envelope::read(&document).map_err(|p| problem(path, p))?;
    match crate::seal::readers::check(&envelope, &*roster(team)?) {
        // A reader who left is no reason to keep the others out.
        Ok(_) | Err(SealProblem::UnknownReaders(_)) => Ok((document, envelope)),
        Err(found) => Err(problem(path, found).into()),
    }
}

/// The committed roster.
pub(crate) fn roster(team: &Team) -> Result<Arc<Roster>, SyncError> {
    let tree = team.repo.commit(team.tip()?)?.tree;
    let found = roster_at(team, tree)?.ok_or(SealError::NoRoster)?;
    Ok(Arc::new(found))
}

fn own_id(team: &Team, actor: &Actor, roster: &Roster) -> Result<MemberId, SyncError> {
    let tree = team.repo.commit(team.tip()?)?.tree;
    let own = member_at(team, actor, Some(tree)).filter(|id| roster.member(id).is_some());
    own.ok_or_else(|| SealError::NotAMember.into())
}

/// What was asked, if every member named is one.
pub(crate) fn known(
    wanted: &BTreeSet<Wanted>,
    roster: &Roster,
) -> Result<BTreeSet<Wanted>, SealProblem> {
    for part in wanted {
        if let Wanted::Member(id) = part
            && roster.member(id).is_none()
        {
            return Err(SealProblem::NoMember(id.clone()));
        }
    }
    Ok(wanted.clone())
}

pub(crate) fn problem(path: &MemoryPath, problem: SealProblem) -> SealError {
    SealError::Problem { path: path.to_string(), problem }
}

pub(crate) fn closed(path: &MemoryPath, source: UnlockError) -> SealError {
    SealError::Closed { path: path.to_string(), source: Box::new(source) }
}

//! Values that must go out of a history: finding them by fingerprint, and taking them out of texts.
//! Border: bytes in, bytes out; a value is never shown, and goes with this type.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use zeroize::Zeroizing;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::scan::setup::{Named, Setup};
use crate::scan::source::Source;
use crate::sync::error::SyncError;
use crate::sync::renew_error::RenewError;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::tree_overlay::parse_tree_path;

/// What stands in the place of a value.
const REMOVED: &[u8] = b"removed";

/// Shorter texts stand in places that have nothing to do with a leak.
const VALUE_BYTES_MIN: usize = 6;

/// Values, and the texts that they were taken out of.
#[derive(Default)]
pub(crate) struct Leaked {
    values: Vec<Zeroizing<Vec<u8>>>,
    /// What each text became, also where it stays.
    done: HashMap<ObjectId, ObjectId>,
}

impl fmt::Debug for Leaked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaked").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

impl Leaked {
    /// Looks the values up in every text of some commits.
    ///
    /// # Errors
    /// A fingerprint or value that is not there, one that is too short, one in the name of a file.
    pub(crate) fn find(
        team: &Team,
        actor: &Actor,
        commits: &[ObjectId],
        fingerprints: &[String],
        values: &[Vec<u8>],
    ) -> Result<Self, SyncError> {
        let setup = Setup::read(&Source::folder(&team.path), &Named::default(), actor.clock.now())
            .map_err(SyncError::Lists)?;
        let mut missing: BTreeSet<&str> = fingerprints.iter().map(String::as_str).collect();
        let mut unseen: BTreeSet<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let mut found: Vec<Zeroizing<Vec<u8>>> =
            values.iter().map(|value| Zeroizing::new(value.clone())).collect();
        if missing.is_empty() && unseen.is_empty() {
            return Err(RenewError::Nothing.into());
        }
        let (mut texts, mut names) = (HashSet::new(), BTreeSet::new());
        for id in commits {
            let commit = team.repo.commit(*id)?;
            let parent = commit.parents.first().map(|id| team.repo.commit(*id)).transpose()?;
            let parent = parent.map(|parent| parent.tree);
            let mut look = |path: &str, text: &[u8]| {
                unseen.retain(|value| !holds(text, value));
                if fingerprints.is_empty() {
                    return;
                }
                for finding in setup.findings(path, Some(*id), text) {
                    let fingerprint = finding.fingerprint.to_string();
                    if fingerprints.contains(&fingerprint) {
                        missing.remove(fingerprint.as_str());
                        found.extend(
                            text.get(finding.bytes).map(|value| Zeroizing::new(value.to_vec())),
                        );
                    }
                }
            };
            look("", commit.message.as_bytes());
            for change in team.repo.tree_changes(parent, Some(commit.tree))? {
                let path = parse_tree_path(&change.path)?;
                if let Some(file) = change.new.filter(|file| texts.insert(file.id)) {
                    look(path.as_str(), &team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?);
                }
                names.insert(path);
            }
        }
        if let Some(fingerprint) = missing.first() {
            return Err(RenewError::NotFound(Escaped(fingerprint).to_string()).into());
        }
        if !unseen.is_empty() {
            return Err(RenewError::ValueNotFound.into());
        }
        if let Some(value) = found.iter().find(|value| value.len() < VALUE_BYTES_MIN) {
            return Err(RenewError::TooShort { bytes: value.len() }.into());
        }
        if names.iter().any(|name| found.iter().any(|value| holds(name.as_str().as_bytes(), value)))
        {
            return Err(RenewError::InName.into());
        }
        // Longer ones first: one may be part of another.
        found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.as_slice().cmp(b.as_slice())));
        found.dedup();
        Ok(Self { values: found, done: HashMap::new() })
    }

    /// The text without the values; the same id where it holds none.
    pub(crate) fn scrubbed(&mut self, team: &Team, id: ObjectId) -> Result<ObjectId, SyncError> {
        if self.values.is_empty() {
            return Ok(id);
        }
        if let Some(done) = self.done.get(&id) {
            return Ok(*done);
        }
        let text = team.repo.blob(id, POLICY_BYTES_MAX as u64)?;
        let new = match self.without(&text) {
            Some(clean) => team.repo.write_blob(&clean)?,
            None => id,
        };
        self.done.insert(id, new);
        Ok(new)
    }

    /// A message or a name without the values.
    pub(crate) fn scrubbed_text(&self, text: &str) -> String {
        self.without(text.as_bytes())
            .map_or_else(|| text.to_owned(), |clean| String::from_utf8_lossy(&clean).into_owned())
    }

    /// How many texts held a value.
    pub(crate) fn texts(&self) -> usize {
        self.done.iter().filter(|(old, new)| old != new).count()
    }

    /// `None` where there is nothing to take out.
    fn without(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut clean: Option<Vec<u8>> = None;
        for value in &self.values {
            let now = clean.as_deref().unwrap_or(text);
            if holds(now, value) {
                clean = Some(replaced(now, value));
            }
        }
        clean
    }
}

fn holds(text: &[u8], value: &[u8]) -> bool {
    find(text, value).is_some()
}

fn find(text: &[u8], value: &[u8]) -> Option<usize> {
    text.windows(value.len().max(1)).position(|part| part == value)
}

fn replaced(text: &[u8], value: &[u8]) -> Vec<u8> {
    let (mut clean, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = find(rest, value) {
        clean.extend_from_slice(&rest[..at]);
        clean.extend_from_slice(REMOVED);
        rest = &rest[at + value.len()..];
    }
    clean.extend_from_slice(rest);
    clean
}

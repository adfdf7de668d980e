//! Opens and seals memories for a merge: the caller's keys, and the roster of a tree.
//! Border: nothing is asked and nothing is read until a merge meets a sealed memory on both sides.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::non_reader_authors::{ArmorHash, hash, strangers};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::snapshot::Snapshot;
use crate::seal::SealProblem;
use crate::seal::audience::Audience;
use crate::seal::envelope::{Envelope, is_sealed_text, seal_head};
use crate::seal::lock::seal;
use crate::seal::readers::check;
use crate::seal::unlock::{Plain, Unlock};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::{Actor, Team};
use crate::trust::roster::Roster;

/// The caller's keys with the members of a tree.
pub(crate) struct TeamUnlock<'a> {
    team: &'a Team,
    actor: &'a Actor,
    tree: ObjectId,
    /// The commits in which somebody else may have put a text of their own.
    theirs: Option<(Option<ObjectId>, ObjectId)>,
    strangers: OnceCell<Option<BTreeSet<ArmorHash>>>,
    roster: OnceCell<Option<Arc<Roster>>>,
}

impl<'a> TeamUnlock<'a> {
    pub(crate) fn new(team: &'a Team, actor: &'a Actor, tree: ObjectId) -> Self {
        let (strangers, roster) = (OnceCell::new(), OnceCell::new());
        Self { team, actor, tree, theirs: None, strangers, roster }
    }

    /// Keeps closed what strangers wrote between two commits: our words must not be merged into it.
    pub(crate) fn distrust_since(mut self, base: Option<ObjectId>, tip: ObjectId) -> Self {
        self.theirs = Some((base, tip));
        self
    }

    /// Whether a sealed text may be merged: none that a stranger wrote, and none if that cannot be told.
    fn may_merge(&self, envelope: &Envelope) -> bool {
        let Some((base, tip)) = self.theirs else { return true };
        let strangers = self.strangers.get_or_init(|| strangers(self.team, base, tip).ok());
        strangers.as_ref().is_some_and(|found| !found.contains(&hash(&envelope.armor)))
    }

    /// Goes by a roster that the merge changes, as a file; `None` leaves the one in the tree.
    pub(crate) fn follow(&self, changed: Option<&[u8]>) {
        let roster = changed.and_then(|text| Roster::parse(&String::from_utf8_lossy(text)).ok());
        if let Some(roster) = roster {
            // Nobody asked for the one in the tree before.
            drop(self.roster.set(Some(Arc::new(roster))));
        }
    }

    /// Seals again what we sealed for somebody who is not in the roster any more: their removal came
    /// first, and what was written without knowing of it is not for them.
    pub(crate) fn drop_former_readers(&self, merged: &mut Snapshot, tip: &Snapshot) {
        let ours: Vec<(MemoryPath, Arc<[u8]>)> = merged
            .memories()
            .filter(|(path, content)| tip.get(path) != Some(*content))
            .map(|(path, content)| (path.clone(), Arc::clone(content)))
            .collect();
        for (path, content) in ours {
            let text = std::str::from_utf8(&content).ok().filter(|text| is_sealed_text(text));
            if let Some(again) = text.and_then(|text| self.without_former_readers(text)) {
                merged.insert(path, again.into_bytes());
            }
        }
    }

    /// The file for those who are left; `None` where all are there, or it stays closed.
    fn without_former_readers(&self, text: &str) -> Option<String> {
        let document = Document::parse(text);
        let envelope = Envelope::read(&document).ok().filter(Envelope::is_named)?;
        let found = check(&envelope, self.roster()?);
        if !matches!(found, Err(SealProblem::UnknownReaders(_))) {
            return None;
        }
        let plain = self.open(&envelope)?;
        let (audience, armor) = self.seal(&plain, &envelope.audience)?;
        let mut head = document.frontmatter()?.clone();
        seal_head(&mut head, &audience).ok()?;
        Some(head.render() + &armor)
    }

    /// The members in the tree; `None` where there is no roster that can be read.
    pub(crate) fn roster(&self) -> Option<&Arc<Roster>> {
        let load = || roster_at(self.team, self.tree).ok().flatten().map(Arc::new);
        self.roster.get_or_init(load).as_ref()
    }
}

impl Unlock for TeamUnlock<'_> {
    fn open(&self, envelope: &Envelope) -> Option<Plain> {
        self.may_merge(envelope).then(|| self.actor.keys.open(envelope).ok()).flatten()
    }

    fn seal(&self, plain: &str, wanted: &Audience) -> Option<(Audience, String)> {
        let roster = self.roster()?;
        let audience = Audience::resolve(wanted.wanted.clone(), roster).ok()?;
        let armor = seal(plain, &audience, roster).ok()?;
        Some((audience, armor))
    }
}

//! What a hook finds in a repository that is no team memory: credentials, by the rules and lists there.
//! Border: judges one text at a time; which texts are new is `run`, the rules are `scan::setup`'s.
//!
//! **Whose rules count.** Before a commit those of the work tree, read by the code of
//! `memsync scan --staged`: both say the same, and what applies is what a person sees in the editor.
//! What is only staged has no say, so nobody's patch brings its own exemption past the hook; it must
//! be understood all the same, because it is in force after the commit. Before a push and on a server
//! there is no such work tree: the files of the commit a ref is to point at count for every commit
//! that comes with it, so that accepting a finding in a later commit lets the earlier one through.
//!
//! **No exemption is unseen.** Where these files differ from those of HEAD, or of what the commits
//! build on, everything is judged by the old ones too, and what only the new ones let pass is said.

use std::collections::BTreeSet;
use std::path::Path;

use super::HooksError;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::config::policy::POLICY_PATH;
use crate::gate::envelope::Piece;
use crate::gate::verdict::{Reason, Weight};
use crate::git::GitError;
use crate::git::outgoing::Introduced;
use crate::git::repo::Repo;
use crate::scan::setup::{Named, Setup};
use crate::scan::setup_error::SetupError;
use crate::scan::source::Source;
use crate::secrets::masking::without_values;
use crate::secrets::{Confidence, Finding};

/// The rules and lists that count, and those from before.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    now: Setup,
    before: Option<Before>,
}

#[derive(Debug)]
struct Before {
    setup: Setup,
    /// The files that differ, escaped.
    changed: String,
}

/// A text that is new.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) path: &'a str,
    pub(crate) commit: Option<ObjectId>,
    pub(crate) content: &'a [u8],
    /// What stood there before.
    pub(crate) old: Option<&'a [u8]>,
}

impl Rules {
    /// The rules for the next commit; `tree` is the one of HEAD.
    ///
    /// # Errors
    /// A file in the work tree or the index that is there and not understood.
    pub(crate) fn of_next_commit(
        repo: &Repo,
        top: &Path,
        (tree, staged): (Option<ObjectId>, &[Introduced]),
        (named, now): (&Named, Timestamp),
    ) -> Result<Self, SetupError> {
        let disk = Source::folder(top);
        let setup = Setup::read(&disk, named, now)?;
        if staged.iter().any(|file| disk.has_seen(&file.path)) {
            Setup::read(&Source::tree(repo, tree, staged), named, now)?;
        }
        let before = before(&disk, &Source::tree(repo, tree, &[]), (named, now));
        Ok(Self { now: setup, before })
    }

    /// What is wrong with a text that was not wrong with the one before it.
    pub(crate) fn judge(&self, text: Text<'_>) -> Vec<Reason> {
        let found = counting(&self.now, text);
        let shown = without_values(text.path, text.content, &found);
        let mut reasons: Vec<Reason> = found.iter().map(|one| refused(&shown, one)).collect();
        if text.old.is_none() {
            let mut named = self.now.findings("", text.commit, text.path.as_bytes());
            let is_sure = |one: &Finding| one.confidence > Confidence::Medium;
            named.retain(|one| is_sure(one) && !self.now.allow.allows(one, text.path, None));
            reasons.extend(named.iter().map(|one| Reason::of_name(&shown, one)));
        }
        if let Some(before) = &self.before {
            let is_known = |one: &Finding| found.iter().any(|f| f.fingerprint == one.fingerprint);
            let mut told = counting(&before.setup, text);
            told.retain(|one| !is_known(one));
            let shown = without_values(&shown, text.content, &told);
            reasons.extend(told.iter().map(|one| exempted(&shown, one, &before.changed)));
        }
        reasons
    }
}

impl Rules {
    /// Whether a file that was judged in one commit must be judged in another that brings it in.
    pub(crate) fn looks_at_commits(&self) -> bool {
        let before = self.before.as_ref().is_some_and(|before| before.setup.looks_at_commits());
        before || self.now.looks_at_commits()
    }

    /// What is wrong with the texts that travel with a commit beside its files.
    pub(crate) fn envelope(&self, id: ObjectId, pieces: &[Piece]) -> Vec<Reason> {
        let commit = id.to_string();
        let counting = |setup: &Setup, piece: &Piece| {
            let mut found = piece.findings(|text| setup.findings("", Some(id), text));
            found.retain(|one| !setup.allow.allows(one, &piece.name, Some(&commit)));
            found
        };
        let mut reasons = Vec::new();
        for piece in pieces {
            let found = counting(&self.now, piece);
            let shown = piece.shown(&found);
            reasons.extend(found.iter().map(|one| refused(&shown, one)));
            let Some(before) = &self.before else { continue };
            let mut told = counting(&before.setup, piece);
            told.retain(|one| found.iter().all(|f| f.fingerprint != one.fingerprint));
            let shown = piece.shown(&told);
            reasons.extend(told.iter().map(|one| exempted(&shown, one, &before.changed)));
        }
        reasons
    }
}

/// The rules from before, where they differ. Broken ones exempt nothing.
fn before(now: &Source<'_>, old: &Source<'_>, (named, at): (&Named, Timestamp)) -> Option<Before> {
    let changed = now.differing(old);
    if changed.is_empty() {
        return None;
    }
    let setup = Setup::read(old, named, at).unwrap_or_default();
    let changed: Vec<String> = changed.iter().map(|path| format!("`{}`", Escaped(path))).collect();
    Some(Before { setup, changed: changed.join(", ") })
}

/// The findings nobody accepted and that the version before did not hold.
fn counting(setup: &Setup, text: Text<'_>) -> Vec<Finding> {
    let commit = text.commit.map(|id| id.to_string());
    let mut found = setup.findings(text.path, text.commit, text.content);
    found.retain(|finding| !setup.allow.allows(finding, text.path, commit.as_deref()));
    if !found.is_empty()
        && let Some(old) = text.old
    {
        let old = setup.findings(text.path, None, old);
        found.retain(|new| !old.iter().any(|old| old.fingerprint == new.fingerprint));
    }
    found
}

/// Prints a finding.
fn refused(shown: &str, finding: &Finding) -> Reason {
    Reason {
        next_step: format!(
            "take it out, also out of earlier commits that are not published, and rotate it; or \
             accept it with `memsync scan allow {} --reason …`",
            finding.fingerprint
        ),
        ..Reason::of_finding(shown, finding)
    }
}

fn exempted(shown: &str, finding: &Finding, changed: &str) -> Reason {
    Reason {
        weight: Weight::Advice,
        message: format!(
            "let pass only because {changed} is new or changed: {}",
            Escaped(&finding.excerpt)
        ),
        next_step: format!("if that was not meant, take the change of {changed} back"),
        ..refused(shown, finding)
    }
}

/// Tips of one push that are judged by the same rules, and what was read for them; nothing for those
/// of a team memory.
pub(crate) struct Group<'a> {
    pub(crate) tips: Vec<ObjectId>,
    read: Option<(Source<'a>, Setup)>,
}

impl Group<'_> {
    /// Whether its tips are a team memory's.
    pub(crate) fn is_team(&self) -> bool {
        self.read.is_none()
    }

    /// The rules for the new commits of the group.
    pub(crate) fn rules(
        self,
        repo: &Repo,
        new: &[ObjectId],
        at: (&Named, Timestamp),
    ) -> Result<Rules, GitError> {
        let Some((source, now)) = self.read else { return Ok(Rules::default()) };
        let base = base(repo, self.tips[0], new)?;
        Ok(Rules { now, before: before(&source, &Source::tree(repo, base, &[]), at) })
    }
}

/// The tips by what steers the scanner there.
///
/// # Errors
/// A file of a tip that is there and not understood.
pub(crate) fn groups<'a>(
    repo: &'a Repo,
    tips: &[ObjectId],
    (named, now): (&Named, Timestamp),
) -> Result<Vec<Group<'a>>, HooksError> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for tip in tips {
        let tree = repo.commit(*tip)?.tree;
        let is_team = repo.blob_at(tree, POLICY_PATH)?.is_some();
        let source = Source::tree(repo, Some(tree), &[]);
        let is_same = |group: &&mut Group<'_>| match &group.read {
            None => is_team,
            Some((other, _)) => !is_team && other.differing(&source).is_empty(),
        };
        if let Some(group) = groups.iter_mut().find(is_same) {
            group.tips.push(*tip);
            continue;
        }
        let read = match is_team {
            true => None,
            false => Some(Setup::read(&source, named, now)?),
        };
        groups.push(Group { tips: vec![*tip], read: read.map(|setup| (source, setup)) });
    }
    Ok(groups)
}

/// The tree that the new commits of a tip build on; `None` where they begin a history.
fn base(repo: &Repo, tip: ObjectId, new: &[ObjectId]) -> Result<Option<ObjectId>, GitError> {
    let new: BTreeSet<&ObjectId> = new.iter().collect();
    let mut at = tip;
    loop {
        let commit = repo.commit(at)?;
        if !new.contains(&at) {
            return Ok(Some(commit.tree));
        }
        let Some(parent) = commit.parents.first() else { return Ok(None) };
        at = *parent;
    }
}

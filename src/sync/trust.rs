//! Asks `trust` about commits: gathers what the rule needs from the repository.
//! Border: reads commits and policy files; the judgement is `trust::history`'s.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::error::SyncError;
use super::replay::merged_tree;
use super::team::{Caller, Team};
use crate::base::id::ObjectId;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::git::GitError;
use crate::git::commit::Commit;
use crate::git::tree::TreeChange;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::trust::authorize::{CommitFacts, Introduction, MergeShape, Standing, Team as Identity};
use crate::trust::history::{Judged, Verified, judge};
use crate::trust::roster::{MemberId, ROSTER_PATH, Roster};
use crate::trust::signature::verify_commit;
use crate::trust::trailers::Trailers;
use crate::trust::verdict::ChangeKind;

/// Policy and roster blobs of a tree; equal ones are read once.
type Source = (Option<ObjectId>, Option<ObjectId>);

/// One commit as the rule sees it.
pub(super) struct Seen {
    /// What the rule asks for.
    pub(super) facts: CommitFacts,
    /// The files it changes itself: for a merge, against what its parents merge to.
    pub(super) own: Vec<TreeChange>,
}

/// Judges commits of one team repository.
pub(super) struct Judge<'a> {
    team: &'a Team,
    standings: RefCell<HashMap<Source, Standing>>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(team: &'a Team) -> Self {
        Self { team, standings: RefCell::default() }
    }

    /// Judges commits, parents first, on top of a verified tip.
    pub(super) fn judge(
        &self,
        known: Option<ObjectId>,
        commits: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Judged>, SyncError> {
        let mut facts = Vec::with_capacity(commits.len());
        for id in commits {
            facts.push(self.see(&self.team.repo.commit(*id)?)?.facts);
        }
        self.judge_facts(known, &facts)
    }

    /// Judges commits that were looked at already, parents first, on top of a verified tip.
    pub(super) fn judge_facts(
        &self,
        known: Option<ObjectId>,
        facts: &[CommitFacts],
    ) -> Result<HashMap<ObjectId, Judged>, SyncError> {
        let mut verified = Verified { tip: known, standings: HashMap::new() };
        let listed: BTreeSet<ObjectId> = facts.iter().map(|fact| fact.id).collect();
        let outside = facts.iter().flat_map(|fact| &fact.parents).filter(|id| !listed.contains(id));
        for id in outside.copied().chain(known) {
            let standing = self.standing(self.team.repo.commit(id)?.tree)?;
            verified.standings.insert(id, standing);
        }
        let judged = judge(&self.identity(), &verified, facts);
        Ok(judged.into_iter().map(|one| (one.id, one)).collect())
    }

    fn identity(&self) -> Identity {
        let nothing = ObjectId::from_bytes(&[0; 20]).expect("because an id has 20 bytes");
        let founder = self.team.state.root_signer.as_deref().and_then(|text| text.parse().ok());
        Identity {
            introduction: Introduction {
                commit: self.team.state.root_commit.unwrap_or(nothing),
                founder,
            },
            reference: self.team.branch_ref(),
        }
    }

    /// Looks at one commit.
    pub(super) fn see(&self, commit: &Commit) -> Result<Seen, SyncError> {
        let signature = verify_commit(&commit.raw).map(|signed| signed.signer);
        let trailers = Trailers::parse(&commit.message);
        let (id, parents) = (commit.id, commit.parents.clone());
        let (shape, changes, after, own) = match self.content(commit) {
            Ok((shape, own, after)) => {
                let kind = |path: &[u8]| ChangeKind::of(&String::from_utf8_lossy(path));
                let kinds = own.iter().map(|change| kind(&change.path)).collect();
                (shape, kinds, after, own)
            }
            // A tree that cannot be read says nothing that could be allowed.
            Err(SyncError::Git(GitError::Malformed { what })) => {
                let (shape, changes) = (MergeShape::Altered, BTreeSet::from([ChangeKind::Policy]));
                let after = Standing::Broken(format!("{what} is not well-formed"));
                (shape, changes, after, Vec::new())
            }
            Err(error) => return Err(error),
        };
        let facts = CommitFacts { id, parents, signature, trailers, changes, shape, after };
        Ok(Seen { facts, own })
    }

    /// The files a commit changes itself: for a merge, against what its parents merge to.
    pub(super) fn own_changes(&self, commit: &Commit) -> Result<Vec<TreeChange>, SyncError> {
        Ok(self.team.repo.tree_changes(self.shape(commit)?.1, Some(commit.tree))?)
    }

    /// What a commit does and leaves behind.
    fn content(
        &self,
        commit: &Commit,
    ) -> Result<(MergeShape, Vec<TreeChange>, Standing), SyncError> {
        let (shape, base) = self.shape(commit)?;
        let changes = self.team.repo.tree_changes(base, Some(commit.tree))?;
        Ok((shape, changes, self.standing(commit.tree)?))
    }

    /// Whether a commit is a merge of a known kind, and the tree its own change starts from.
    fn shape(&self, commit: &Commit) -> Result<(MergeShape, Option<ObjectId>), SyncError> {
        let tree = |id: ObjectId| Ok::<_, SyncError>(self.team.repo.commit(id)?.tree);
        match commit.parents.as_slice() {
            [] => Ok((MergeShape::Single, None)),
            [only] => Ok((MergeShape::Single, Some(tree(*only)?))),
            [one, two] => {
                // Unsafe paths cannot be merged; the gate names them.
                let merged = match merged_tree(self.team, *one, *two) {
                    Err(SyncError::UnsafeTree(_)) => None,
                    other => other?,
                };
                let shape = if merged == Some(commit.tree) {
                    MergeShape::Neutral
                } else {
                    MergeShape::Altered
                };
                Ok((shape, Some(merged.map_or_else(|| tree(*one), Ok)?)))
            }
            [one, ..] => Ok((MergeShape::Altered, Some(tree(*one)?))),
        }
    }

    /// What policy and roster say in a tree.
    pub(super) fn standing(&self, tree: ObjectId) -> Result<Standing, SyncError> {
        let file =
            |path| Ok::<_, SyncError>(self.team.repo.tree_file(tree, path)?.map(|file| file.id));
        let source = (file(POLICY_PATH)?, file(ROSTER_PATH)?);
        if let Some(known) = self.standings.borrow().get(&source) {
            return Ok(known.clone());
        }
        let standing = self.read_standing(source)?;
        self.standings.borrow_mut().insert(source, standing.clone());
        Ok(standing)
    }

    fn read_standing(&self, (policy, roster): Source) -> Result<Standing, SyncError> {
        let text = |id: ObjectId| -> Result<String, SyncError> {
            let content = self.team.repo.blob(id, POLICY_BYTES_MAX as u64)?;
            Ok(String::from_utf8_lossy(&content).into_owned())
        };
        let Some(policy) = policy else { return Ok(Standing::Missing) };
        let policy = match Policy::parse(&text(policy)?) {
            Ok(policy) => policy,
            Err(error) => return Ok(Standing::Broken(error.to_string())),
        };
        let roster = match roster.map(text).transpose()?.map(|text| Roster::parse(&text)) {
            None => None,
            Some(Ok(roster)) => Some(Arc::new(roster)),
            Some(Err(error)) => return Ok(Standing::Broken(error.to_string())),
        };
        Ok(match (policy.trust, roster) {
            (Trust::Open, roster) => Standing::Open(roster),
            (Trust::Roster, Some(roster)) => Standing::Roster(roster),
            (Trust::Roster, None) => Standing::Missing,
        })
    }
}

/// The roster in a tree; `None` where there is none that can be read.
pub(super) fn roster_at(team: &Team, tree: ObjectId) -> Result<Option<Roster>, SyncError> {
    let Some(file) = team.repo.tree_file(tree, ROSTER_PATH)? else { return Ok(None) };
    let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
    Roster::parse(&String::from_utf8_lossy(&content)).map(Some).map_err(SyncError::Roster)
}

/// The member who signs: the holder of the caller's key in the roster of a tree, else who was named.
pub(super) fn member_at(team: &Team, caller: &Caller, tree: Option<ObjectId>) -> Option<MemberId> {
    let roster = tree.and_then(|tree| roster_at(team, tree).ok().flatten());
    let key = caller.signer.as_ref().map(|signer| signer.public_key());
    let holder = roster.zip(key).and_then(|(roster, key)| Some(roster.holder(&key)?.0.id.clone()));
    holder.or_else(|| MemberId::parse(caller.member.as_deref()?).ok())
}

//! Asks `trust` about commits: gathers what the rule needs from the repository.
//! Border: reads commits and trees; the judgement is `trust::history`'s.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::gate;
use crate::git::GitError;
use crate::git::commit::Commit;
use crate::git::repo::Repo;
use crate::git::tree::TreeChange;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::conflict::record_area;
use crate::sync::error::SyncError;
use crate::sync::rebase::merge_tree::{Lineage, Merger};
use crate::sync::repo::team::Team;
use crate::sync::verify::tree_names::TreeNames;
use crate::trust::authorize::{
    CommitHead, Content, Introduction, MergeShape, Standing, Team as Identity,
};
use crate::trust::history::{History, Start, Trees, judge};
use crate::trust::roster::{ROSTER_PATH, Roster};
use crate::trust::signature::verify_commit;
use crate::trust::trailers::Trailers;
use crate::trust::verdict::{Area, Forbidden};

/// Policy and roster blobs of a tree, and whether the policy's rules were proven.
type Source = (Option<ObjectId>, Option<ObjectId>, bool);

/// Judges commits of one team repository.
pub(crate) struct Judge<'a> {
    team: &'a Team,
    /// Where merges are made for comparing, unless the team's repository keeps nothing anyway.
    aside: OnceCell<Repo>,
    names: TreeNames,
    standings: RefCell<HashMap<Source, Arc<Standing>>>,
}

/// What a commit changes itself: for a merge, against what its parents merge to.
pub(crate) struct OwnChange {
    /// How it relates to that.
    pub(crate) shape: MergeShape,
    /// The tree it starts from; `None` for a root, and for parents that cannot be merged.
    from: Option<ObjectId>,
    /// The files.
    pub(crate) files: Vec<TreeChange>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(team: &'a Team) -> Self {
        Self {
            team,
            aside: OnceCell::new(),
            names: TreeNames::default(),
            standings: RefCell::default(),
        }
    }

    /// The repository; what is written to it is gone with the judge.
    fn repo(&self) -> &Repo {
        let repo = &self.team.repo;
        if repo.is_aside() { repo } else { self.aside.get_or_init(|| repo.aside()) }
    }

    /// Judges commits, parents first, on top of a good tip below them all; `None` judges a history
    /// from its beginning.
    pub(crate) fn judge(
        &self,
        start: Option<ObjectId>,
        commits: &[ObjectId],
    ) -> Result<History, SyncError> {
        let mut heads = Vec::with_capacity(commits.len());
        let mut lineage = Lineage::default();
        if let Some(start) = start {
            lineage.push(start, &[]);
        }
        for id in commits {
            let commit = self.repo().commit(*id)?;
            lineage.push(*id, &commit.parents);
            heads.push(head_of(&commit));
        }
        let start = start.map(|tip| self.start(tip, &heads)).transpose()?;
        let merger = Merger::new(self.repo(), lineage);
        judge(&self.identity(), start.as_ref(), &heads, &mut Reader { judge: self, merger })
    }

    /// A good tip to judge from, and what of its past new commits name as parents.
    fn start(&self, tip: ObjectId, heads: &[CommitHead]) -> Result<Start, SyncError> {
        let new: BTreeSet<ObjectId> = heads.iter().map(|head| head.id).collect();
        let mut below = HashSet::new();
        for parent in heads.iter().flat_map(|head| &head.parents) {
            let is_outside = *parent != tip && !new.contains(parent);
            if is_outside && self.repo().is_ancestor(*parent, tip)? {
                below.insert(*parent);
            }
        }
        let standing = self.standing(self.repo().commit(tip)?.tree)?;
        Ok(Start { tip, standing, below })
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

    /// The files a commit changes itself: for a merge, against what its parents merge to.
    pub(crate) fn own_changes(&self, commit: &Commit) -> Result<Vec<TreeChange>, SyncError> {
        Ok(self.own_change(commit)?.files)
    }

    /// What a commit changes itself.
    pub(crate) fn own_change(&self, commit: &Commit) -> Result<OwnChange, SyncError> {
        let merger = Merger::new(self.repo(), Lineage::default());
        self.change(&merger, commit, &commit.parents)
    }

    /// What a commit does to the merge of those parents that count.
    fn change(
        &self,
        merger: &Merger<'_>,
        commit: &Commit,
        parents: &[ObjectId],
    ) -> Result<OwnChange, SyncError> {
        let tree = |id: ObjectId| Ok::<_, SyncError>(self.repo().commit(id)?.tree);
        let from = match parents {
            [] => None,
            [only] => Some(tree(*only)?),
            several => match merger.merged_tree(several) {
                // Unsafe paths cannot be merged; the gate names them.
                Err(SyncError::UnsafeTree(_)) | Ok(None) => {
                    let first = *several.iter().min().expect("because there are several");
                    let files = self.repo().tree_changes(Some(tree(first)?), Some(commit.tree))?;
                    return Ok(OwnChange { shape: MergeShape::Altered, from: None, files });
                }
                merged => merged?,
            },
        };
        let files = self.repo().tree_changes(from, Some(commit.tree))?;
        let shape = match (commit.parents.len(), files.is_empty()) {
            (0 | 1, _) => MergeShape::Single,
            (_, true) => MergeShape::Exact,
            (_, false) if self.is_cut(from, commit.tree, &files)? => MergeShape::Cut,
            (_, false) => MergeShape::Altered,
        };
        Ok(OwnChange { shape, from, files })
    }

    /// Whether only roster and trust differ from a merge, spelled as we spell them.
    fn is_cut(
        &self,
        merged: Option<ObjectId>,
        tree: ObjectId,
        files: &[TreeChange],
    ) -> Result<bool, SyncError> {
        let text = |tree: ObjectId, path: &str| -> Result<Option<String>, SyncError> {
            let Some(file) = self.repo().tree_file(tree, path)? else { return Ok(None) };
            let content = self.repo().blob(file.id, POLICY_BYTES_MAX as u64)?;
            Ok(String::from_utf8(content.to_vec()).ok())
        };
        for change in files {
            let is_ours = match change.path.as_slice() {
                path if path == ROSTER_PATH.as_bytes() => {
                    text(tree, ROSTER_PATH)?.is_some_and(|text| {
                        Roster::parse(&text).is_ok_and(|roster| roster.render() == text)
                    })
                }
                path if path == POLICY_PATH.as_bytes() => {
                    let open = merged.map(|merged| text(merged, POLICY_PATH)).transpose()?;
                    let closed = open.flatten().map(|text| text.replace(OPEN_LINE, CLOSED_LINE));
                    closed.is_some() && closed == text(tree, POLICY_PATH)?
                }
                _ => false,
            };
            if !is_ours {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What policy and roster say in a tree.
    pub(crate) fn standing(&self, tree: ObjectId) -> Result<Arc<Standing>, SyncError> {
        self.read_standing(tree, false)
    }

    fn read_standing(&self, tree: ObjectId, light: bool) -> Result<Arc<Standing>, SyncError> {
        let file =
            |path| Ok::<_, SyncError>(self.repo().tree_file(tree, path)?.map(|file| file.id));
        let source = (file(POLICY_PATH)?, file(ROSTER_PATH)?, light);
        if let Some(known) = self.standings.borrow().get(&source) {
            return Ok(Arc::clone(known));
        }
        let standing = Arc::new(self.parse_standing(source)?);
        self.standings.borrow_mut().insert(source, Arc::clone(&standing));
        Ok(standing)
    }

    fn parse_standing(&self, (policy, roster, light): Source) -> Result<Standing, SyncError> {
        let text = |id: ObjectId| -> Result<Result<String, Standing>, SyncError> {
            if self.repo().blob_size(id)? > POLICY_BYTES_MAX as u64 {
                return Ok(Err(Standing::Broken("it is too large".to_owned())));
            }
            let content = self.repo().blob(id, POLICY_BYTES_MAX as u64)?;
            let broken = |_| Standing::Broken("it is not UTF-8".to_owned());
            Ok(String::from_utf8(content.to_vec()).map_err(broken))
        };
        let Some(policy) = policy else { return Ok(Standing::Missing) };
        let policy = match text(policy)? {
            Ok(text) if light => Policy::read(&text),
            Ok(text) => Policy::parse(&text),
            Err(broken) => return Ok(broken),
        };
        let policy = match policy {
            Ok(policy) => policy,
            Err(error) => return Ok(Standing::Broken(error.to_string())),
        };
        let roster = match roster.map(text).transpose()? {
            None => None,
            Some(Err(broken)) => return Ok(broken),
            Some(Ok(text)) => match Roster::parse(&text) {
                Ok(roster) => Some(Arc::new(roster)),
                Err(error) => return Ok(Standing::Broken(error.to_string())),
            },
        };
        Ok(match (policy.trust, roster) {
            (Trust::Open, roster) => Standing::Open(roster),
            (Trust::Roster, Some(roster)) => Standing::Roster(roster),
            (Trust::Roster, None) => Standing::Missing,
        })
    }

    /// The first path or object a commit adds that no team memory may hold.
    fn forbidden(
        &self,
        commit: &Commit,
        files: &[TreeChange],
    ) -> Result<Option<Forbidden>, SyncError> {
        let of = |reason: gate::verdict::Reason| {
            let place =
                if reason.path.is_empty() { String::new() } else { format!("`{}`: ", reason.path) };
            Forbidden { rule: reason.rule, message: format!("{place}{}", reason.message) }
        };
        let mut adds = commit.parents.len() > 1;
        for change in files {
            let Some(new) = change.new else { continue };
            adds |= change.old.is_none();
            let mode = EntryMode::from_bits(new.mode);
            let size = if mode == EntryMode::File { self.repo().blob_size(new.id)? } else { 0 };
            if let Err(reason) = gate::entry_of_any_team(&change.path, mode, size) {
                return Ok(Some(of(*reason)));
            }
        }
        if !adds {
            return Ok(None);
        }
        Ok(self.names.problem(self.repo(), commit.tree)?.map(of))
    }
}

/// How a policy says that everybody may change everything, and that only members may.
const OPEN_LINE: &str = "trust: open\n";
const CLOSED_LINE: &str = "trust: roster\n";

/// What a commit object says by itself.
pub(crate) fn head_of(commit: &Commit) -> CommitHead {
    CommitHead {
        id: commit.id,
        parents: commit.parents.clone(),
        signature: verify_commit(&commit.raw).map(|signed| signed.signer),
        trailers: Trailers::parse(&commit.message),
    }
}

/// Reads the trees that a judgement asks for.
struct Reader<'j, 'a> {
    judge: &'j Judge<'a>,
    merger: Merger<'a>,
}

impl Trees for Reader<'_, '_> {
    type Error = SyncError;

    fn content(
        &mut self,
        head: &CommitHead,
        parents: &[ObjectId],
        light: bool,
    ) -> Result<Content, SyncError> {
        if let Some(aside) = self.judge.aside.get() {
            aside.forget_written();
        }
        let commit = self.judge.repo().commit(head.id)?;
        match self.read(&commit, parents, light) {
            // A tree that cannot be read says nothing that could be allowed.
            Err(SyncError::Git(GitError::Malformed { what })) => {
                let message = format!("{what} is not well-formed");
                Ok(Content {
                    changes: BTreeSet::from([Area::Policy]),
                    before: Arc::new(Standing::Missing),
                    after: Arc::new(Standing::Broken(message.clone())),
                    shape: MergeShape::Altered,
                    forbidden: Some(Forbidden { rule: "malformed-tree".to_owned(), message }),
                })
            }
            other => other,
        }
    }

    fn standing(&mut self, commit: ObjectId) -> Result<Arc<Standing>, SyncError> {
        self.judge.read_standing(self.judge.repo().commit(commit)?.tree, true)
    }
}

impl Reader<'_, '_> {
    /// What the files are, as far as roles care; a conflict record is what it is about.
    fn kinds(&self, files: &[TreeChange]) -> Result<BTreeSet<Area>, SyncError> {
        let mut kinds = BTreeSet::new();
        for file in files {
            let path = String::from_utf8_lossy(&file.path);
            let kind = Area::of(&path);
            if kind != Area::Conflict {
                kinds.insert(kind);
                continue;
            }
            for side in file.old.iter().chain(&file.new) {
                let content = match self.judge.repo().blob_size(side.id)? {
                    size if size > POLICY_BYTES_MAX as u64 => Arc::default(),
                    size => self.judge.repo().blob(side.id, size)?,
                };
                kinds.insert(record_area(&path, &content));
            }
        }
        Ok(kinds)
    }

    fn read(
        &self,
        commit: &Commit,
        parents: &[ObjectId],
        light: bool,
    ) -> Result<Content, SyncError> {
        let change = self.judge.change(&self.merger, commit, parents)?;
        let after = self.judge.read_standing(commit.tree, light)?;
        let is_same =
            |path: &[u8]| path != POLICY_PATH.as_bytes() && path != ROSTER_PATH.as_bytes();
        let before = match change.from {
            Some(_) if change.files.iter().all(|file| is_same(&file.path)) => Arc::clone(&after),
            Some(tree) => self.judge.read_standing(tree, light)?,
            None => Arc::new(Standing::Missing),
        };
        Ok(Content {
            changes: self.kinds(&change.files)?,
            before,
            after,
            shape: change.shape,
            forbidden: self.judge.forbidden(commit, &change.files)?,
        })
    }
}

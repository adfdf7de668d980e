//! The verdict on a history: own verdicts, judging rights, revocations, vouches, good tips.
//! Border: values; the caller hands in what each commit object says, and trees when they are asked for.
//!
//! Everything said of a commit is a function of its ancestors alone: never of the order of parents,
//! of the order in which commits are handed in, or of where judging starts.
//!
//! - A *use* is a commit that needs a right. A *revocation* is a good commit that takes one.
//! - Made beside each other they are a *conflict*, and what holds both is no good tip until an admin
//!   who has seen the revocation vouches for the use.
//! - The tree of what is refused never judges; a merge is judged by its sides that hold no conflict.

mod conflict;
mod judging;
mod node;
mod tip;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use self::node::Node;
use crate::base::ancestry::Ancestry;
use crate::base::id::ObjectId;
use crate::trust::authorize::{CommitHead, Content, Standing, Team};
use crate::trust::rights::Rights;
use crate::trust::verdict::{Authorisation, Refusal};

/// Gives what trees say; asked only for commits whose form does not decide already.
pub trait Trees {
    /// Why a tree could not be read.
    type Error;

    /// What a commit changes against its parents: those of them that are no ancestor of another.
    /// `light` spares what only matters where a policy is about to count: whether its rules load.
    ///
    /// # Errors
    /// Only for what is no property of the commit, such as a disk that fails.
    fn content(
        &mut self,
        head: &CommitHead,
        parents: &[ObjectId],
        light: bool,
    ) -> Result<Content, Self::Error>;

    /// What policy and roster say in the tree of a commit.
    ///
    /// # Errors
    /// Only for what is no property of the commit.
    fn standing(&mut self, commit: ObjectId) -> Result<Arc<Standing>, Self::Error>;
}

/// A good tip below everything that is judged; what precedes it does not count any more.
#[derive(Clone, Debug)]
pub struct Start {
    /// The commit. Every judged commit must descend from it.
    pub tip: ObjectId,
    /// Policy and roster in its tree.
    pub standing: Arc<Standing>,
    /// Ancestors of it that something judged names as a parent beside one that descends from it:
    /// such parents do not count.
    pub below: HashSet<ObjectId>,
}

/// The judgement of one commit within the history of a tip.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The commit.
    pub id: ObjectId,
    /// Its verdict, with vouches and conflicts of the whole counted in.
    pub authorisation: Authorisation,
    /// The earliest refused commit that this one is or builds on; `None` when it may be taken.
    pub blocked_by: Option<ObjectId>,
}

/// A revocation and a use of the right that it took, made beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Conflict {
    /// The commit that took the right.
    pub revocation: ObjectId,
    /// The commit that used it.
    pub used: ObjectId,
}

/// A judged history.
#[derive(Debug)]
pub struct History {
    ancestry: Ancestry,
    nodes: Vec<Node>,
    places: HashMap<ObjectId, usize>,
    /// The good commits whose vouches name a commit, which may not be here yet.
    vouches: HashMap<ObjectId, Vec<usize>>,
}

/// Judges commits in any order; `start` is below them all, or `None` where the history begins.
///
/// A parent that is neither listed nor the start makes a commit refused.
///
/// # Errors
/// What `trees` gives.
pub fn judge<T: Trees>(
    team: &Team,
    start: Option<&Start>,
    heads: &[CommitHead],
    trees: &mut T,
) -> Result<History, T::Error> {
    let mut history = History {
        ancestry: Ancestry::default(),
        nodes: Vec::with_capacity(heads.len() + 1),
        places: HashMap::with_capacity(heads.len() + 1),
        vouches: HashMap::new(),
    };
    if let Some(start) = start {
        history.push(Node::start(start), Vec::new());
    }
    let named = heads.iter().filter_map(|head| head.trailers.as_ref().ok());
    let named = named.flat_map(|trailers| &trailers.vouches).copied().collect();
    let below = start.map(|start| &start.below);
    let mut judging = judging::Judging { team, trees, named, history, known: Vec::new(), below };
    for at in parents_first(heads) {
        judging.judge(&heads[at])?;
    }
    Ok(judging.history)
}

/// The places of the commits with every parent before its children.
fn parents_first(heads: &[CommitHead]) -> Vec<usize> {
    let places: HashMap<ObjectId, usize> =
        heads.iter().enumerate().map(|(at, head)| (head.id, at)).collect();
    let mut order = Vec::with_capacity(heads.len());
    let (mut opened, mut done) = (HashSet::new(), HashSet::new());
    for first in 0..heads.len() {
        let mut stack = vec![first];
        while let Some(&at) = stack.last() {
            if opened.insert(at) {
                let parents = heads[at].parents.iter().filter_map(|id| places.get(id));
                stack.extend(parents.filter(|place| !opened.contains(*place)));
            } else {
                stack.pop();
                if done.insert(at) {
                    order.push(at);
                }
            }
        }
    }
    order
}

impl History {
    fn push(&mut self, node: Node, parents: Vec<usize>) -> usize {
        let at = self.nodes.len();
        self.places.insert(node.id, at);
        self.ancestry.push(parents);
        self.nodes.push(node);
        at
    }

    /// The verdict on a commit by itself; `None` for one that was not judged.
    pub fn own(&self, id: ObjectId) -> Option<&Authorisation> {
        self.places.get(&id).map(|at| &self.nodes[*at].own)
    }

    /// The rights that judge a commit.
    pub fn judging_rights(&self, id: ObjectId) -> Option<&Rights> {
        self.places.get(&id).map(|at| &*self.nodes[*at].judge)
    }

    /// The rights that judge what is built on a commit.
    pub fn rights_after(&self, id: ObjectId) -> Option<&Rights> {
        self.places.get(&id).map(|at| &*self.nodes[*at].effect)
    }

    /// Whether everything a commit is and builds on is good or vouched for, with no conflict left.
    pub fn is_good(&self, id: ObjectId) -> bool {
        self.places.get(&id).is_some_and(|at| self.nodes[*at].is_good_tip())
    }

    /// Every commit a tip is or builds on, oldest first, as the whole makes it.
    pub fn judged(&self, tip: ObjectId) -> Vec<Judged> {
        let Some(tip) = self.places.get(&tip).copied() else { return Vec::new() };
        let conflicts: HashMap<usize, usize> =
            self.conflicts_at(tip).map(|(revocation, used)| (used, revocation)).collect();
        let mut places: Vec<usize> = self.ancestry.ancestors(tip).collect();
        places.reverse();
        let mut blocked_by: HashMap<usize, usize> = HashMap::new();
        let mut judged = Vec::with_capacity(places.len());
        for at in places {
            let mut authorisation = self.settled(at, tip);
            if let (Some(revocation), None) = (conflicts.get(&at), authorisation.refusal()) {
                let id = self.nodes[*revocation].id;
                authorisation = Authorisation::Refuse(Refusal::Revoked(id));
            }
            let inherited =
                self.ancestry.parents(at).iter().filter_map(|p| blocked_by.get(p)).min();
            let first = inherited.copied().or_else(|| authorisation.refusal().map(|_| at));
            if let Some(first) = first {
                blocked_by.insert(at, first);
            }
            if self.nodes[at].is_judged {
                let blocked_by = first.map(|first| self.nodes[first].id);
                judged.push(Judged { id: self.nodes[at].id, authorisation, blocked_by });
            }
        }
        judged
    }

    /// The own verdict with the vouches of a tip counted in.
    fn settled(&self, at: usize, tip: usize) -> Authorisation {
        let own = self.nodes[at].own.clone();
        match own {
            Authorisation::Refuse(refusal) => match self.voucher(at, &self.nodes[tip].vouchers) {
                Some(by) => Authorisation::Vouched { by: self.nodes[by].id, refusal },
                None => Authorisation::Refuse(refusal),
            },
            other => other,
        }
    }
}

//! Judges many commits, parents first: who judges whom, merges, vouching, what is blocked.
//! Border: values; the caller walks the repository and hands in one `CommitFacts` per commit.
//!
//! - A refused commit's roster never counts: what builds on it is still judged by what was
//!   accepted before, so nobody can admit himself. It blocks everything after it.
//! - A commit that a merge brings in is judged by the first parent, too, and a commit that forked
//!   before the verified tip by that tip, so that a removed member's old branch cannot come back.
//! - An unsigned merge has no trusted direction: it is refused when its *first* parent holds
//!   commits by a key that another parent's history has dropped.
//! - An admin's commit vouches for refused commits it builds on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::trust::authorize::{CommitFacts, Standing, Team, authorize, may_vouch};
use crate::trust::key::PublicKey;
use crate::trust::verdict::{Authorisation, Refusal};

/// What was verified before, to start from; empty for a whole history.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// The last verified tip.
    pub tip: Option<ObjectId>,
    /// The standing at the tip and at every other verified commit that a new one builds on.
    pub standings: HashMap<ObjectId, Standing>,
}

/// The judgement of one commit within its history.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The commit.
    pub id: ObjectId,
    /// The judgement of the commit itself.
    pub authorisation: Authorisation,
    /// The earliest refused commit that this one is or builds on; `None` when it may be taken.
    pub blocked_by: Option<ObjectId>,
}

/// What is known of one commit while judging.
struct Node {
    /// By whom commits on top of this one are judged; all must allow.
    judges: Vec<Standing>,
    /// Whether it is refused or built on a refused commit that nobody had vouched for.
    blocked: bool,
    /// Keys that were live in this history and are not any more.
    dropped: Arc<BTreeSet<PublicKey>>,
    authorisation: Authorisation,
}

/// Judges commits that are listed parents first; the last one is the new tip.
///
/// Every parent must be listed or in `verified`; anything else is refused.
pub fn judge(team: &Team, verified: &Verified, commits: &[CommitFacts]) -> Vec<Judged> {
    let mut history = History::new(team, verified, commits);
    for at in history.order() {
        history.judge_one(at);
    }
    history.judged()
}

struct History<'a> {
    team: &'a Team,
    verified: &'a Verified,
    commits: &'a [CommitFacts],
    places: HashMap<ObjectId, usize>,
    /// For a commit that a merge on the first-parent chain brings in: that merge's first parent.
    mainline: HashMap<usize, ObjectId>,
    /// Commits that build on the verified tip.
    after_tip: HashSet<usize>,
    nodes: Vec<Option<Node>>,
}

impl<'a> History<'a> {
    fn new(team: &'a Team, verified: &'a Verified, commits: &'a [CommitFacts]) -> Self {
        let places = commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
        let nodes = commits.iter().map(|_| None).collect();
        let (mainline, after_tip) = (HashMap::new(), HashSet::new());
        let mut history = Self { team, verified, commits, places, mainline, after_tip, nodes };
        history.find_mainlines();
        for (at, commit) in commits.iter().enumerate() {
            let on_tip = |parent: &ObjectId| {
                Some(*parent) == verified.tip
                    || history.places.get(parent).is_some_and(|p| history.after_tip.contains(p))
            };
            if commit.parents.iter().any(on_tip) {
                history.after_tip.insert(at);
            }
        }
        history
    }

    /// The places of the first-parent chain from the oldest listed commit to the new tip.
    fn chain(&self) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut next = self.commits.len().checked_sub(1);
        while let Some(at) = next {
            chain.push(at);
            let first = self.commits[at].parents.first();
            next = first.and_then(|parent| self.places.get(parent).copied()).filter(|p| *p < at);
        }
        chain.reverse();
        chain
    }

    /// Gives each commit off the chain the first parent of the oldest chain merge that reaches it.
    fn find_mainlines(&mut self) {
        let chain = self.chain();
        let mut seen: HashSet<usize> = chain.iter().copied().collect();
        for at in chain {
            let parents = &self.commits[at].parents;
            let Some((first, others)) = parents.split_first() else { continue };
            let mut open: Vec<usize> =
                others.iter().filter_map(|p| self.places.get(p).copied()).collect();
            while let Some(side) = open.pop() {
                if seen.insert(side) {
                    self.mainline.insert(side, *first);
                    let more = self.commits[side].parents.iter();
                    open.extend(more.filter_map(|p| self.places.get(p).copied()));
                }
            }
        }
    }

    /// An order in which every commit comes after its parents and after its mainline.
    fn order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.commits.len());
        let mut state = vec![0_u8; self.commits.len()];
        for root in 0..self.commits.len() {
            let mut stack = vec![root];
            while let Some(&at) = stack.last() {
                if state[at] == 2 {
                    stack.pop();
                } else if state[at] == 1 {
                    state[at] = 2;
                    order.push(at);
                    stack.pop();
                } else {
                    state[at] = 1;
                    let before = self.commits[at].parents.iter().chain(self.mainline.get(&at));
                    let places = before.filter_map(|id| self.places.get(id).copied());
                    stack.extend(places.filter(|place| state[*place] == 0));
                }
            }
        }
        order
    }

    fn node(&self, id: &ObjectId) -> Option<&Node> {
        self.places.get(id).and_then(|at| self.nodes[*at].as_ref())
    }

    /// Adds the standings that hold at a commit; false when it is not known.
    fn add_judges(&self, id: &ObjectId, judges: &mut Vec<Standing>) -> bool {
        let mut add = |standing: &Standing| {
            if !judges.contains(standing) {
                judges.push(standing.clone());
            }
        };
        if let Some(node) = self.node(id) {
            node.judges.iter().for_each(&mut add);
        } else if let Some(standing) = self.verified.standings.get(id) {
            add(standing);
        } else {
            return false;
        }
        true
    }

    fn judge_one(&mut self, at: usize) {
        let commit = &self.commits[at];
        let mut judges = Vec::new();
        let mut unknown = commit.parents.iter().find(|p| !self.add_judges(p, &mut judges)).copied();
        let below = judges.clone();
        if let Some(first) = self.mainline.get(&at) {
            self.add_judges(first, &mut judges);
        }
        if let Some(tip) = &self.verified.tip
            && !self.after_tip.contains(&at)
            && !self.add_judges(tip, &mut judges)
        {
            unknown = Some(*tip);
        }
        let mut authorisation = match unknown {
            Some(parent) => Authorisation::Refuse(Refusal::UnverifiedParent(parent)),
            None => {
                let before = commit.parents.first().and_then(|parent| self.after(parent));
                authorize(self.team, commit, before, &judges)
            }
        };
        if matches!(authorisation, Authorisation::Neutral)
            && let Some(key) = self.removed_key_that_returns(commit)
        {
            authorisation = Authorisation::Refuse(Refusal::RemovedKeyReturns(key.fingerprint()));
        }
        let refused = matches!(authorisation, Authorisation::Refuse(_));
        let parents = commit.parents.iter().filter_map(|parent| self.node(parent));
        let mut blocked = refused || parents.into_iter().any(|parent| parent.blocked);
        if blocked && !refused && self.vouch(at, &judges) {
            blocked = self.ancestors(&commit.id).iter().any(|place| self.is_refused(*place));
        }
        // What is built on a blocked commit is judged by what was accepted before it as well.
        let mut counts = if blocked { below } else { Vec::new() };
        if !refused && !counts.contains(&commit.after) {
            counts.push(commit.after.clone());
        }
        let dropped = self.dropped_after(commit);
        self.nodes[at] = Some(Node { judges: counts, blocked, dropped, authorisation });
    }

    fn is_refused(&self, at: usize) -> bool {
        let node = self.nodes[at].as_ref();
        node.is_some_and(|node| matches!(node.authorisation, Authorisation::Refuse(_)))
    }

    /// Lets a commit's vouches count: each lifts a refused commit that this one builds on.
    ///
    /// Gives whether there was any.
    fn vouch(&mut self, at: usize, judges: &[Standing]) -> bool {
        let commit = &self.commits[at];
        let (Ok(key), Ok(trailers)) = (&commit.signature, &commit.trailers) else { return false };
        if trailers.vouches.is_empty() || !may_vouch(key, judges) {
            return false;
        }
        let below = self.ancestors(&commit.id);
        for id in &trailers.vouches {
            let place = self.places.get(id).filter(|place| below.contains(place));
            let node = place.and_then(|place| self.nodes[*place].as_mut());
            if let Some(node) = node
                && let Authorisation::Refuse(refusal) = &node.authorisation
            {
                let refusal = refusal.clone();
                node.authorisation = Authorisation::Vouched { by: commit.id, refusal };
            }
        }
        true
    }

    /// The result, with what blocks each commit now that all vouches are known.
    fn judged(self) -> Vec<Judged> {
        let order = self.order();
        let mut blocked_by: Vec<Option<usize>> = vec![None; self.commits.len()];
        for at in order {
            let parents = self.commits[at].parents.iter().filter_map(|id| self.places.get(id));
            let inherited = parents.filter_map(|place| blocked_by[*place]).min();
            blocked_by[at] = inherited.or_else(|| self.is_refused(at).then_some(at));
        }
        let judged = |(at, node): (usize, Option<Node>)| Judged {
            id: self.commits[at].id,
            authorisation: node.expect("because the order holds every commit").authorisation,
            blocked_by: blocked_by[at].map(|first| self.commits[first].id),
        };
        self.nodes.into_iter().enumerate().map(judged).collect()
    }

    /// Policy and roster in the tree of a listed or verified commit.
    fn after(&self, id: &ObjectId) -> Option<&Standing> {
        let listed = self.places.get(id).map(|at| &self.commits[*at].after);
        listed.or_else(|| self.verified.standings.get(id))
    }

    /// The keys that may sign by the roster in a listed or verified commit.
    fn live_keys(&self, id: &ObjectId) -> BTreeSet<PublicKey> {
        self.after(id).map(live_keys).unwrap_or_default()
    }

    fn dropped_after(&self, commit: &CommitFacts) -> Arc<BTreeSet<PublicKey>> {
        let same = |parent: &ObjectId| {
            self.places.get(parent).is_some_and(|at| self.commits[*at].after == commit.after)
        };
        if let [parent] = commit.parents.as_slice()
            && same(parent)
            && let Some(node) = self.node(parent)
        {
            return Arc::clone(&node.dropped);
        }
        let mut dropped = BTreeSet::new();
        for parent in &commit.parents {
            dropped.extend(self.live_keys(parent));
            dropped.extend(self.node(parent).into_iter().flat_map(|node| node.dropped.iter()));
        }
        let live = live_keys(&commit.after);
        dropped.retain(|key| !live.contains(key));
        Arc::new(dropped)
    }

    /// A key that another parent's history dropped and that signed something only the first has.
    fn removed_key_that_returns(&self, merge: &CommitFacts) -> Option<PublicKey> {
        let (first, others) = merge.parents.split_first()?;
        let live = self.live_keys(first);
        for other in others {
            let Some(node) = self.node(other) else { continue };
            let returning: BTreeSet<_> = node.dropped.intersection(&live).copied().collect();
            if returning.is_empty() {
                continue;
            }
            let beyond = self.ancestors(other);
            let mine = self.ancestors(first);
            let signers =
                mine.difference(&beyond).filter_map(|at| self.commits[*at].signature.as_ref().ok());
            if let Some(key) = signers.into_iter().find(|key| returning.contains(key)) {
                return Some(*key);
            }
        }
        None
    }

    /// Listed commits that a commit is or builds on.
    fn ancestors(&self, id: &ObjectId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = self.places.get(id).copied().into_iter().collect();
        while let Some(at) = open.pop() {
            if found.insert(at) {
                let parents = self.commits[at].parents.iter();
                open.extend(parents.filter_map(|parent| self.places.get(parent).copied()));
            }
        }
        found
    }
}

/// The keys that may sign by this standing.
fn live_keys(standing: &Standing) -> BTreeSet<PublicKey> {
    let members = standing.roster().into_iter().flat_map(|roster| roster.members());
    let keys = members.flat_map(|member| &member.keys);
    keys.filter(|entry| entry.revoked.is_none()).map(|entry| entry.key).collect()
}

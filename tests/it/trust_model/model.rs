//! A second model of the verdict on a history: sets and brute force, written from the rule alone.
//! It answers for what each commit is worth by its ancestors, and for what a pull takes.
//! Border: imports nothing of memsync and was written without looking at its engine; only tests use it.
//! The numbers at the functions are the points of the rule; how a point is read stands where it leaves a choice.

use std::collections::BTreeSet;

use super::roster::{Key, Side, Taken, Tree, cap, common, three_way, union};
pub(crate) use super::verdict::{Own, Verdict};

/// Commits by their place in the history.
pub(crate) type Set = BTreeSet<usize>;

/// One commit, as far as trust looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Places of the parents, each before this one.
    pub(crate) parents: Vec<usize>,
    /// The key that signed it; `None` for no or a wrong signature.
    pub(crate) signer: Option<Key>,
    /// The roster in its tree; `None` when it does not parse.
    pub(crate) tree: Option<Tree>,
    /// Memories differ from what the parents give.
    pub(crate) writes: bool,
    /// Policy, allow list or records about those differ from what the parents give.
    pub(crate) governs: bool,
    /// Commits that its trailers vouch for; they need not be in this history.
    pub(crate) vouches: Vec<usize>,
}

/// Commits in an order in which parents come first. The first one is the introduced root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct History {
    pub(crate) commits: Vec<Commit>,
    /// The key that the introduction names.
    pub(crate) introduced: Key,
}

/// The verdict on every commit.
pub(crate) fn judge(history: &History) -> Vec<Verdict> {
    Model::of(history).verdicts
}

/// Point 8: what a member at a verified tip takes when the remote is at another; the verified tip when nothing.
pub(crate) fn take(history: &History, verified: usize, remote: usize) -> usize {
    Model::of(history).take(verified, remote)
}

/// A history with the verdicts on it, which grows by one commit at a time.
pub(crate) struct Model {
    pub(crate) history: History,
    pub(crate) verdicts: Vec<Verdict>,
    ancestors: Vec<Set>,
}

impl Model {
    /// Judges a history.
    pub(crate) fn of(history: &History) -> Self {
        let mut model = Self::new(history.introduced);
        for commit in &history.commits {
            model.push(commit.clone());
        }
        model
    }

    /// No commits yet.
    pub(crate) fn new(introduced: Key) -> Self {
        let history = History { commits: Vec::new(), introduced };
        Self { history, verdicts: Vec::new(), ancestors: Vec::new() }
    }

    /// Judges one more. It looks only at verdicts on its own ancestors, so the order of feeding is of no effect.
    pub(crate) fn push(&mut self, commit: Commit) {
        let place = self.ancestors.len();
        let mut own = self.union(&commit.parents);
        own.insert(place);
        self.ancestors.push(own);
        self.history.commits.push(commit);
        self.judge(place);
    }

    /// What our merge of these commits gives as roster: the tree of a neutral merge. `None` when it does not parse.
    pub(crate) fn merged_tree(&self, parents: &[usize]) -> Option<Tree> {
        self.given(&self.sides(parents))
    }

    /// The three-way merge of these commits before it is cut to the cap; of one commit its own tree.
    pub(crate) fn uncut_tree(&self, parents: &[usize]) -> Option<Tree> {
        let sides = self.sides(parents);
        self.three_way(&sides).filter(|tree| !sides.is_empty() && tree.parses())
    }

    /// Point 8: what a member at a verified tip takes when the remote is at another; stays when there is nothing.
    pub(crate) fn take(&self, verified: usize, remote: usize) -> usize {
        let all = self.up_to(remote);
        if !all.contains(&verified) {
            return verified;
        }
        if self.verdicts[remote].good_tip {
            return remote;
        }
        let narrow = |c: usize| all.iter().all(|&other| self.related(c, other));
        let candidates = all.iter().copied().filter(|&c| {
            self.up_to(c).contains(&verified) && self.verdicts[c].good_tip && narrow(c)
        });
        // Narrow commits are ancestors of one another, so the one with most ancestors is the last.
        candidates.max_by_key(|&c| self.up_to(c).len()).unwrap_or(verified)
    }

    /// Point 1: A(c), the commit itself included.
    pub(crate) fn up_to(&self, commit: usize) -> &Set {
        &self.ancestors[commit]
    }

    /// Whether one is the other or its ancestor, either way.
    pub(crate) fn related(&self, one: usize, other: usize) -> bool {
        self.up_to(one).contains(&other) || self.up_to(other).contains(&one)
    }

    fn union(&self, sides: &[usize]) -> Set {
        sides.iter().flat_map(|&side| self.up_to(side).iter().copied()).collect()
    }

    /// Point 1: the parents that count, those that are no ancestor of another.
    fn sides(&self, parents: &[usize]) -> Vec<usize> {
        let distinct: Set = parents.iter().copied().collect();
        let below = |p: usize| distinct.iter().any(|&q| q != p && self.up_to(q).contains(&p));
        distinct.iter().copied().filter(|&p| !below(p)).collect()
    }

    /// Points 5 to 7: everything about one commit. Whatever is looked at is an ancestor of it.
    fn judge(&mut self, place: usize) {
        let commit = self.history.commits[place].clone();
        let sides = self.sides(&commit.parents);
        let given = self.given(&sides);
        let judged_by = self.judging(&sides);
        let changes_roster = self.tree(place) != given.as_ref();
        let neutral = !changes_roster && is_neutral_but_roster(&commit);
        let need = if neutral {
            neutral_need(&commit)
        } else {
            self.need(place, given.as_ref(), &judged_by)
        };
        let own = if place == 0 { self.root() } else { self.own(place, need, &judged_by) };
        self.verdicts.push(Verdict {
            own,
            neutral,
            need,
            changes_roster,
            revokes: false,
            good_tip: false,
            judged_by: judged_by.clone(),
            effect: judged_by,
            conflicts: BTreeSet::new(),
            refused: Set::new(),
        });
        let all = self.up_to(place).clone();
        let mut conflicts = self.conflicts(&all);
        let mut refused = self.refused(&all);
        // Point 6. The commit counted as good while this was asked, so that its own vouches help it.
        if own == Own::Good && changes_roster && !(conflicts.is_empty() && refused.is_empty()) {
            self.verdicts[place].own = Own::RosterOnRefused;
            conflicts = self.conflicts(&all);
            refused = self.refused(&all);
        }
        let verdict = &mut self.verdicts[place];
        verdict.good_tip = conflicts.is_empty() && refused.is_empty();
        verdict.conflicts = conflicts;
        verdict.refused = refused;
        // Point 5, E(c): the tree of a refused commit never judges.
        if let (true, Some(tree)) = (verdict.good_tip, commit.tree) {
            verdict.effect = tree;
        }
        self.verdicts[place].revokes = self.is_revocation(place);
    }

    /// The introduction: the first commit, signed by the key that was named, with a roster that works.
    fn root(&self) -> Own {
        match self.history.commits[0].signer {
            None => Own::Unsigned,
            Some(key) if key != self.history.introduced => Own::UnknownKey,
            Some(_) => roster_works(self.tree(0)),
        }
    }

    /// R(c). `None` when it does not parse; a key under two ids is one way to that.
    fn tree(&self, commit: usize) -> Option<&Tree> {
        self.history.commits[commit].tree.as_ref().filter(|tree| tree.parses())
    }

    /// Point 2: the roster that our merge of the sides gives, cut to the cap; one side gives its own.
    /// Read: what is merged from, or comes to, a roster that does not parse does not parse (`None`).
    fn given(&self, sides: &[usize]) -> Option<Tree> {
        if let [parent] = sides {
            return self.tree(*parent).cloned();
        }
        let of = |side: &usize| Some(self.capped(self.tree(*side)?, *side, sides));
        let capped = sides.iter().map(of).collect::<Option<Vec<_>>>()?;
        // Read: "cut to this cap" keeps of the three-way merge what the merged roster has as well.
        Some(common(&[self.three_way(sides)?, union(&capped)])).filter(Tree::parses)
    }

    /// The three-way merge of several sides; of one its own tree.
    fn three_way(&self, sides: &[usize]) -> Option<Tree> {
        if let [parent] = sides {
            return self.tree(*parent).cloned();
        }
        let best = self.best_bases(sides);
        let with_bases = |side: &usize| {
            let bases = best.iter().filter(|base| self.up_to(*side).contains(base));
            let bases = bases.map(|&base| self.tree(base)).collect::<Option<Vec<_>>>()?;
            Some(Side { tree: self.tree(*side)?, bases })
        };
        Some(three_way(&sides.iter().map(with_bases).collect::<Option<Vec<_>>>()?))
    }

    /// The common ancestors of two sides that are below no other common ancestor of the two.
    /// Read: of more than two sides each pair has its bases, and a base says nothing about a side that is not on it.
    fn best_bases(&self, sides: &[usize]) -> Set {
        let mut best = Set::new();
        for &one in sides {
            for &other in sides.iter().filter(|&&other| other != one) {
                let both: Set = self.up_to(one).intersection(self.up_to(other)).copied().collect();
                let below =
                    |base: usize| both.iter().any(|&c| c != base && self.up_to(c).contains(&base));
                best.extend(both.iter().copied().filter(|&base| !below(base)));
            }
        }
        best
    }

    /// Point 2: the roster of a side, capped by every revocation below the sides that it has not seen.
    fn capped(&self, tree: &Tree, side: usize, sides: &[usize]) -> Tree {
        let mut tree = tree.clone();
        for (_, taken) in self.revocations(self.union(sides).difference(self.up_to(side))) {
            cap(&mut tree, &taken);
        }
        tree
    }

    /// Point 3: whether a commit is a revocation.
    fn is_revocation(&self, commit: usize) -> bool {
        let verdict = &self.verdicts[commit];
        let signed = self.history.commits[commit].signer.is_some();
        let less = self.taken(commit).is_some_and(|taken| taken.anything());
        signed && !verdict.neutral && verdict.good_tip && less
    }

    /// What a commit gives less than the roster that judged it.
    fn taken(&self, commit: usize) -> Option<Taken<'_>> {
        Some(Taken { from: &self.verdicts[commit].judged_by, left: self.tree(commit)? })
    }

    /// The revocations of a part.
    fn revocations<'p>(
        &self,
        part: impl IntoIterator<Item = &'p usize>,
    ) -> Vec<(usize, Taken<'_>)> {
        let revoking = part.into_iter().copied().filter(|&c| self.verdicts[c].revokes);
        revoking.filter_map(|c| Some((c, self.taken(c)?))).collect()
    }

    /// Point 4: the pairs of a part in which the first takes the right that the second uses beside it.
    fn pairs(&self, part: &Set) -> BTreeSet<(usize, usize)> {
        let mut pairs = BTreeSet::new();
        for (revocation, taken) in self.revocations(part) {
            for &user in part.iter().filter(|&&user| !self.related(revocation, user)) {
                let verdict = &self.verdicts[user];
                let signer = self.history.commits[user].signer;
                let member = signer.and_then(|key| verdict.judged_by.member_of(key));
                if verdict.need > 0 && taken.takes_right(signer, member, verdict.need) {
                    pairs.insert((revocation, user));
                }
            }
        }
        pairs
    }

    /// Points 4 and 6: the conflicts of a part that nobody in it excused.
    fn conflicts(&self, part: &Set) -> BTreeSet<(usize, usize)> {
        let excused = |r: usize, u: usize| {
            part.iter().any(|&v| self.vouches(v, u) && self.up_to(v).contains(&r))
        };
        self.pairs(part).into_iter().filter(|&(r, u)| !excused(r, u)).collect()
    }

    /// Whether up to a commit there is a conflict that somebody excused.
    pub(crate) fn has_excused_conflict(&self, commit: usize) -> bool {
        self.pairs(self.up_to(commit)) != self.verdicts[commit].conflicts
    }

    /// Point 6: whether a commit vouches for another with effect.
    fn vouches(&self, voucher: usize, user: usize) -> bool {
        let target = &self.verdicts[user];
        let governs = target.changes_roster || self.history.commits[user].governs;
        self.history.commits[voucher].vouches.contains(&user)
            && self.verdicts[voucher].own == Own::Good
            && (!governs || self.up_to(voucher).contains(&user))
    }

    /// Points 6 and 7: the refused commits of a part that nobody in it vouched for.
    fn refused(&self, part: &Set) -> Set {
        let vouched = |u: usize| part.iter().any(|&v| self.vouches(v, u));
        part.iter().copied().filter(|&u| self.verdicts[u].own != Own::Good && !vouched(u)).collect()
    }

    /// Point 7, for any part that is closed under ancestors.
    pub(crate) fn is_good(&self, part: &Set) -> bool {
        self.refused(part).is_empty() && self.conflicts(part).is_empty()
    }

    /// Point 5: J of a commit with these sides. Read: nobody has a right in a history that is not the introduced one.
    fn judging(&self, sides: &[usize]) -> Tree {
        if let [parent] = sides {
            return self.verdicts[*parent].effect.clone();
        }
        let conflicts = self.conflicts(&self.union(sides));
        let contaminated = |side: usize| {
            let all = self.up_to(side);
            conflicts.iter().any(|(r, u)| all.contains(u) && !all.contains(r))
        };
        let capped = |side: usize| self.capped(&self.verdicts[side].effect, side, sides);
        let clean: Vec<Tree> =
            sides.iter().copied().filter(|&side| !contaminated(side)).map(capped).collect();
        if clean.is_empty() {
            return common(&sides.iter().copied().map(capped).collect::<Vec<_>>());
        }
        union(&clean)
    }

    /// Point 1, for a commit that is no neutral merge. Own keys are those of the member that the signer stands for.
    fn need(&self, place: usize, given: Option<&Tree>, judged_by: &Tree) -> u8 {
        let commit = &self.history.commits[place];
        if commit.governs || !commit.vouches.is_empty() {
            return 3;
        }
        let after = self.tree(place);
        if given == after {
            return if commit.writes { 2 } else { 1 };
        }
        let member = commit.signer.and_then(|key| judged_by.member_of(key));
        match (given, after, member) {
            (Some(before), Some(after), Some(id)) if after.differs_in_keys_of(before, id) => 2,
            _ => 3,
        }
    }

    /// Point 6, without the rule that looks at the history below.
    fn own(&self, place: usize, need: u8, judged_by: &Tree) -> Own {
        match self.history.commits[place].signer {
            signer if judged_by.level(signer) >= need => roster_works(self.tree(place)),
            None => Own::Unsigned,
            Some(key) if judged_by.member_of(key).is_none() => Own::UnknownKey,
            Some(_) => Own::NotAllowed,
        }
    }
}

/// Point 1: several parents, and everything outside the roster is what the merge gives.
/// Read: parents of which one is an ancestor of the other still make a merge (a button makes such commits).
fn is_neutral_but_roster(commit: &Commit) -> bool {
    let parents: Set = commit.parents.iter().copied().collect();
    parents.len() > 1 && !commit.writes && !commit.governs
}

/// Point 1, for a neutral merge.
fn neutral_need(commit: &Commit) -> u8 {
    if commit.vouches.is_empty() { 0 } else { 3 }
}

/// Point 6: R(c) parses and, in roster trust, has an admin who can act.
fn roster_works(tree: Option<&Tree>) -> Own {
    match tree {
        None => Own::BrokenRoster,
        Some(tree) if !tree.can_act() => Own::NoAdmin,
        Some(_) => Own::Good,
    }
}

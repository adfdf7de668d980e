//! Judges the next commit by what its ancestors gave.
//! Border: one commit at a time, parents first; the questions over all of them are in `conflict`.

use std::collections::HashSet;
use std::sync::Arc;

use super::node::{Node, Places, together, with};
use super::{History, Trees};
use crate::base::id::ObjectId;
use crate::trust::authorize::{
    CommitHead, Content, MergeShape, Own, Standing, Team, authorize, authorize_root,
    refused_by_form,
};
use crate::trust::rights::Rights;
use crate::trust::roster::{Role, Roster};
use crate::trust::verdict::{Area, Authorisation, Refusal};

/// A history while it is judged.
pub(super) struct Judging<'a, T> {
    pub(super) team: &'a Team,
    pub(super) trees: &'a mut T,
    /// Commits that somebody vouches for: their trees are looked at whatever their form is.
    pub(super) named: HashSet<ObjectId>,
    pub(super) history: History,
    /// The rights of the standings that were met last; most commits have one of these.
    pub(super) known: Vec<(Arc<Standing>, Arc<Rights>)>,
    /// Ancestors of the start that count for nothing beside a parent that is here.
    pub(super) below: Option<&'a HashSet<ObjectId>>,
}

/// Standings whose rights are kept: two sides of a history change in turn at most.
const KNOWN_MAX: usize = 8;

/// The parents of a commit that count, and what they have.
struct Below {
    places: Vec<usize>,
    /// Revocations among them.
    revocations: Places,
    /// Vouching commits among them.
    vouchers: Places,
}

/// What judging a commit gives.
struct Verdict {
    own: Own,
    is_neutral: bool,
    /// What was read of its tree; `None` where its form decided.
    content: Option<Content>,
}

impl<T: Trees> Judging<'_, T> {
    /// Judges the next commit; its parents were judged before.
    pub(super) fn judge(&mut self, head: &CommitHead) -> Result<(), T::Error> {
        if self.history.places.contains_key(&head.id) {
            return Ok(());
        }
        let places = head.parents.iter().filter_map(|id| self.history.places.get(id).copied());
        let places: Vec<usize> = places.collect();
        let precedes = |id: &ObjectId| {
            !places.is_empty() && self.below.is_some_and(|below| below.contains(id))
        };
        let is_missing = |id: &&ObjectId| !self.history.places.contains_key(id) && !precedes(id);
        let missing = head.parents.iter().find(is_missing);
        let below = self.below(places);
        let judge = self.judging_rights(&below);
        let verdict = match missing {
            Some(parent) => refused(Refusal::UnverifiedParent(*parent)),
            None => self.own_verdict(head, &below, &judge)?,
        };
        self.settle(head, below, judge, verdict);
        Ok(())
    }

    fn below(&self, parents: Vec<usize>) -> Below {
        let history = &self.history;
        let places = match parents.len() {
            0 | 1 => parents,
            _ => history.ancestry.heads(parents),
        };
        let nodes = || places.iter().map(|at| &history.nodes[*at]);
        Below {
            revocations: together(nodes().map(|node| &node.revocations)),
            vouchers: together(nodes().map(|node| &node.vouchers)),
            places,
        }
    }

    /// The revocations that a parent has not seen and another one has.
    fn unseen(&self, below: &Below, parent: usize) -> Vec<usize> {
        let seen = &self.history.nodes[parent].revocations;
        if Arc::ptr_eq(seen, &below.revocations) {
            return Vec::new();
        }
        let all = below.revocations.iter().copied();
        all.filter(|revocation| seen.binary_search(revocation).is_err()).collect()
    }

    /// Rights with everything taken away that the revocations beside took.
    fn capped(&self, mut rights: Rights, revocations: &[usize]) -> Rights {
        for revocation in revocations {
            if let Some(lowered) = &self.history.nodes[*revocation].lowered {
                rights = rights.capped(lowered);
            }
        }
        rights
    }

    /// The rights that judge what has these parents.
    fn judging_rights(&self, below: &Below) -> Arc<Rights> {
        let effect = |at: usize| Arc::clone(&self.history.nodes[at].effect);
        match below.places.as_slice() {
            [] => return Arc::default(),
            [only] => return effect(*only),
            _ => {}
        }
        let (mut all, mut clean) = (Vec::new(), Vec::new());
        for parent in &below.places {
            let unseen = self.unseen(below, *parent);
            let is_clean = !unseen.iter().any(|revocation| {
                let mut uses = self.history.in_conflict_with(*revocation, *parent, &below.vouchers);
                uses.next().is_some()
            });
            let side = self.capped((*effect(*parent)).clone(), &unseen);
            if is_clean {
                clean.push(side.clone());
            }
            all.push(side);
        }
        let rights =
            if clean.is_empty() { Rights::intersection(&all) } else { Rights::union(&clean) };
        let same = below.places.iter().map(|at| effect(*at)).find(|known| **known == rights);
        same.unwrap_or_else(|| Arc::new(rights))
    }

    fn own_verdict(
        &mut self,
        head: &CommitHead,
        below: &Below,
        judge: &Rights,
    ) -> Result<Verdict, T::Error> {
        if below.places.is_empty() {
            let content = self.trees.content(head, &[], false)?;
            let own = authorize_root(self.team, head, &content);
            return Ok(Verdict { own, is_neutral: false, content: Some(content) });
        }
        let by_form = match self.named.contains(&head.id) {
            true => None,
            false => refused_by_form(head, judge),
        };
        // Without a key only the right of the public was used, of which a revocation leaves nothing.
        if let Some(refusal) = by_form.as_ref().filter(|_| head.signature.is_err()) {
            return Ok(refused(refusal.clone()));
        }
        let parents: Vec<ObjectId> =
            below.places.iter().map(|at| self.history.nodes[*at].id).collect();
        // What is refused by its form, and a stranger's merge on top of what is refused, takes no
        // effect, whatever its policy says; what a key's commit needed counts beside a revocation.
        let light = by_form.is_some()
            || head.signature.is_err()
                && below.places.iter().any(|at| self.history.nodes[*at].is_refused);
        let mut content = self.trees.content(head, &parents, light)?;
        let is_neutral = self.cut_to_caps(head, below, &mut content)?;
        let own = authorize(self.team, head, &content, judge, is_neutral);
        Ok(Verdict { own, is_neutral, content: Some(content) })
    }

    /// Whether a merge is what the merge of its parents gives, cut to what revocations left; what it
    /// changes is measured against that from then on.
    fn cut_to_caps(
        &mut self,
        head: &CommitHead,
        below: &Below,
        content: &mut Content,
    ) -> Result<bool, T::Error> {
        if head.parents.iter().collect::<HashSet<_>>().len() < 2 {
            return Ok(false);
        }
        let cut = match below.places.len() {
            1 => None,
            _ => self.cut(below, &content.before)?,
        };
        let Some(given) = cut else { return Ok(content.shape == MergeShape::Exact) };
        let both_broken =
            matches!((&given, &*content.after), (Standing::Broken(_), Standing::Broken(_)));
        let is_given = both_broken || given == *content.after;
        let is_neutral = is_given && matches!(content.shape, MergeShape::Exact | MergeShape::Cut);
        if is_given {
            content.changes.remove(&Area::Roster);
        }
        content.before = if is_given { Arc::clone(&content.after) } else { Arc::new(given) };
        Ok(is_neutral)
    }

    /// What the revocations beside cut from merged policy and roster; `None` when nothing.
    fn cut(&mut self, below: &Below, merged: &Standing) -> Result<Option<Standing>, T::Error> {
        let mut sides = Vec::new();
        let mut has_caps = false;
        for parent in &below.places {
            let unseen = self.unseen(below, *parent);
            has_caps |= !unseen.is_empty();
            let standing = self.trees.standing(self.history.nodes[*parent].id)?;
            sides.push(self.capped(standing.rights(), &unseen));
        }
        let Some(roster) = merged.roster().filter(|_| has_caps) else { return Ok(None) };
        let rights = Rights::union(&sides);
        let closes = matches!(merged, Standing::Open(_)) && !rights.is_open;
        let kept = match rights.cut(roster) {
            None if !closes => return Ok(None),
            None => roster.clone(),
            Some(members) => match Roster::from_members(members) {
                Ok(roster) => roster,
                Err(problem) => return Ok(Some(Standing::Broken(problem.to_string()))),
            },
        };
        let roster = Arc::new(kept);
        Ok(Some(match merged {
            Standing::Open(_) if !closes => Standing::Open(Some(roster)),
            _ => Standing::Roster(roster),
        }))
    }

    /// Finds out what the commit makes of the history, and adds it.
    fn settle(&mut self, head: &CommitHead, below: Below, judge: Arc<Rights>, verdict: Verdict) {
        let Verdict { own, is_neutral, content } = verdict;
        let at = self.history.nodes.len();
        let key = head.signature.as_ref().ok().copied();
        let member = key.and_then(|key| judge.holder(&key).map(|(id, _)| id.clone()));
        let node = Node {
            id: head.id,
            is_judged: true,
            own: own.authorisation,
            need: own.need,
            key,
            member,
            steers: content.as_ref().is_none_or(Content::steers),
            effect: Arc::clone(&judge),
            judge,
            revocations: Arc::clone(&below.revocations),
            vouchers: Arc::clone(&below.vouchers),
            is_refused: false,
            is_in_conflict: false,
            lowered: None,
        };
        let is_good = node.own.refusal().is_none();
        self.history.push(node, below.places.clone());
        if is_good {
            self.count_vouches(head, at);
        }
        self.weigh(at, &below);
        let node = &self.history.nodes[at];
        let changes_trust = content.as_ref().is_some_and(|content| content.before != content.after);
        if is_good
            && !node.is_good_tip()
            && changes_trust
            && !is_neutral
            && !below.places.is_empty()
        {
            self.history.nodes[at].own = Authorisation::Refuse(Refusal::RosterOnRefused);
            self.history.nodes[at].vouchers = Arc::clone(&below.vouchers);
            self.weigh(at, &below);
        }
        if let Some(content) = content.filter(|_| self.history.nodes[at].is_good_tip()) {
            self.take_effect(at, &content.after, is_neutral);
        }
    }

    /// Lets the vouches of a good commit count.
    fn count_vouches(&mut self, head: &CommitHead, at: usize) {
        let Ok(trailers) = &head.trailers else { return };
        if trailers.vouches.is_empty() {
            return;
        }
        let history = &mut self.history;
        history.nodes[at].vouchers = with(&history.nodes[at].vouchers, at);
        for id in &trailers.vouches {
            history.vouches.entry(*id).or_default().push(at);
        }
    }

    /// Finds out whether something refused or a conflict is left.
    fn weigh(&mut self, at: usize, below: &Below) {
        let history = &self.history;
        let node = &history.nodes[at];
        let parents = || below.places.iter().map(|parent| &history.nodes[*parent]);
        let has_same_vouches = |parent: &Node| *parent.vouchers == *node.vouchers;
        let is_refused = node.own.refusal().is_some()
            || parents().any(|parent| parent.is_refused && has_same_vouches(parent))
            || parents().any(|parent| parent.is_refused) && history.has_refused(at, &node.vouchers);
        let remains = |revocation: usize| {
            history.in_conflict_with(revocation, at, &node.vouchers).next().is_some()
        };
        let is_in_conflict = if parents().any(|p| p.is_in_conflict && has_same_vouches(p)) {
            true
        } else if parents().any(|parent| parent.is_in_conflict) {
            below.revocations.iter().any(|revocation| remains(*revocation))
        } else {
            let mut news: Vec<usize> =
                below.places.iter().flat_map(|parent| self.unseen(below, *parent)).collect();
            news.sort_unstable();
            news.dedup();
            news.into_iter().any(remains)
        };
        let node = &mut self.history.nodes[at];
        (node.is_refused, node.is_in_conflict) = (is_refused, is_in_conflict);
    }

    /// A good tip's own tree judges what follows, and may take rights from others.
    fn take_effect(&mut self, at: usize, after: &Arc<Standing>, is_neutral: bool) {
        let rights = self.rights(after);
        let history = &mut self.history;
        let node = &mut history.nodes[at];
        let takes = node.key.is_some() && !is_neutral && !history.ancestry.parents(at).is_empty();
        if takes && !Arc::ptr_eq(&node.judge, &rights) {
            node.lowered = node.judge.lowered_to(&rights);
        }
        if node.lowered.is_some() {
            node.revocations = with(&node.revocations, at);
        }
        node.effect = rights;
    }

    /// The rights of a standing; the same value for the same standing.
    fn rights(&mut self, standing: &Arc<Standing>) -> Arc<Rights> {
        let found = self.known.iter().find(|(known, _)| Arc::ptr_eq(known, standing));
        if let Some((_, rights)) = found {
            return Arc::clone(rights);
        }
        let rights = Arc::new(standing.rights());
        if self.known.len() == KNOWN_MAX {
            self.known.remove(0);
        }
        self.known.push((Arc::clone(standing), Arc::clone(&rights)));
        rights
    }
}

/// Refused before its tree was read; it is held against every right its signer may have used.
fn refused(refusal: Refusal) -> Verdict {
    let own = Own { authorisation: Authorisation::Refuse(refusal), need: Some(Role::Reader) };
    Verdict { own, is_neutral: false, content: None }
}

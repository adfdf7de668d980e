//! Revocations against uses of the rights they took, and the vouches that excuse them.
//! Border: finds pairs made beside each other; what a pair means for a tip is `judging`.

use super::History;
use super::node::Places;
use crate::trust::verdict::{Authorisation, Refusal};

impl History {
    /// Whether a revocation left the signer of a commit less than the commit needed.
    fn hits(&self, revocation: usize, used: usize) -> bool {
        let node = &self.nodes[used];
        let (Some(lowered), Some(need)) = (&self.nodes[revocation].lowered, node.need) else {
            return false;
        };
        lowered.hits(node.key.as_ref(), node.member.as_ref(), need)
    }

    /// The commit among `vouchers` that lifts the refusal of a commit. No vouch lifts a forbidden
    /// path or object.
    pub(super) fn voucher(&self, at: usize, vouchers: &Places) -> Option<usize> {
        if matches!(&self.nodes[at].own, Authorisation::Refuse(Refusal::Forbidden(_))) {
            return None;
        }
        self.vouchers_of(at, vouchers).next()
    }

    /// The commits among `vouchers` whose vouch for a commit counts. For a change of policy or
    /// roster it counts only in a commit that builds on it and so states what the roster is.
    fn vouchers_of(&self, at: usize, vouchers: &Places) -> impl Iterator<Item = usize> {
        let naming = self.vouches.get(&self.nodes[at].id).into_iter().flatten().copied();
        naming.filter(move |by| {
            vouchers.binary_search(by).is_ok()
                && (!self.nodes[at].steers || self.ancestry.is_ancestor(at, *by))
        })
    }

    /// Whether an admin who has seen the revocation vouches for the use.
    fn is_excused(&self, revocation: usize, used: usize, vouchers: &Places) -> bool {
        let has_seen = |by: usize| self.nodes[by].revocations.binary_search(&revocation).is_ok();
        self.vouchers_of(used, vouchers).any(has_seen)
    }

    /// The uses among a commit and its ancestors that are in conflict with one revocation.
    pub(super) fn in_conflict_with<'a>(
        &'a self,
        revocation: usize,
        tip: usize,
        vouchers: &'a Places,
    ) -> impl Iterator<Item = usize> + 'a {
        let beside = self.ancestry.beside(tip, revocation).into_iter();
        beside.filter(move |used| {
            self.hits(revocation, *used) && !self.is_excused(revocation, *used, vouchers)
        })
    }

    /// The conflicts that are left among a commit and its ancestors: revocation and use.
    pub(super) fn conflicts_at(&self, tip: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let node = &self.nodes[tip];
        let all = if node.is_in_conflict { &node.revocations[..] } else { &[] };
        all.iter().flat_map(move |revocation| {
            let uses = self.in_conflict_with(*revocation, tip, &node.vouchers);
            uses.map(move |used| (*revocation, used))
        })
    }

    /// Whether a commit or one of its ancestors is refused and nobody among `vouchers` lifts it.
    pub(super) fn has_refused(&self, tip: usize, vouchers: &Places) -> bool {
        self.ancestry.ancestors(tip).any(|at| {
            self.nodes[at].own.refusal().is_some() && self.voucher(at, vouchers).is_none()
        })
    }
}

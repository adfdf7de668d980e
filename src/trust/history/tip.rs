//! Which tip may be taken, and what stands in the way of the rest.
//! Border: asks a judged history; who takes it is `sync`.

use super::{Conflict, History};
use crate::base::id::ObjectId;
use crate::trust::verdict::Refusal;

impl History {
    /// The newest commit that may be taken from an offered tip: the tip itself when it is good, else
    /// the last good one through which everything runs. `None` when nothing newer than `known` may.
    ///
    /// A side commit of a merge is never taken, so that what members take from a remote that only
    /// grows are ancestors of one another.
    pub fn newest(&self, known: Option<ObjectId>, offered: ObjectId) -> Option<ObjectId> {
        let tip = *self.places.get(&offered)?;
        let above = match known {
            Some(known) => *self.places.get(&known)?,
            None => usize::MAX,
        };
        if above != usize::MAX && !self.ancestry.is_ancestor(above, tip) {
            return None;
        }
        let is_newer = |at: usize| above == usize::MAX || at > above;
        if self.nodes[tip].is_good_tip() {
            return is_newer(tip).then_some(offered);
        }
        let narrow = self.ancestry.narrow(tip).into_iter().take_while(|at| is_newer(*at));
        narrow.into_iter().find(|at| self.nodes[*at].is_good_tip()).map(|at| self.nodes[at].id)
    }

    /// What is refused of a tip and nobody there vouches for, oldest first.
    pub fn refused(&self, tip: ObjectId) -> Vec<(ObjectId, &Refusal)> {
        let Some(tip) = self.places.get(&tip).copied() else { return Vec::new() };
        let node = &self.nodes[tip];
        if !node.is_refused {
            return Vec::new();
        }
        let mut places: Vec<usize> = self.ancestry.ancestors(tip).collect();
        places.reverse();
        let refusal = |at: usize| {
            let refusal = self.nodes[at].own.refusal()?;
            self.voucher(at, &node.vouchers).is_none().then_some((self.nodes[at].id, refusal))
        };
        places.into_iter().filter_map(refusal).collect()
    }

    /// The conflicts that are left in a tip, in no particular order.
    pub fn conflicts(&self, tip: ObjectId) -> Vec<Conflict> {
        let Some(tip) = self.places.get(&tip).copied() else { return Vec::new() };
        let id = |at: usize| self.nodes[at].id;
        let pair = |(revocation, used)| Conflict { revocation: id(revocation), used: id(used) };
        self.conflicts_at(tip).map(pair).collect()
    }
}

//! What is known of one judged commit.
//! Border: facts; what they make of a tip is `conflict` and `tip`.

use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::trust::history::Start;
use crate::trust::key::PublicKey;
use crate::trust::rights::{Lowered, Rights};
use crate::trust::roster::{MemberId, Role};
use crate::trust::verdict::Authorisation;

/// Some places in ascending order, shared by the commits that have the same.
pub(super) type Places = Arc<[usize]>;

/// One judged commit.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: ObjectId,
    /// False for the start, which was judged before.
    pub(super) is_judged: bool,
    /// The verdict by itself; never vouched.
    pub(super) own: Authorisation,
    /// The level it needs; `None` for a neutral merge and for where a history starts.
    pub(super) need: Option<Role>,
    /// Who signed it; `None` uses the right of the public.
    pub(super) key: Option<PublicKey>,
    /// The member the key stood for.
    pub(super) member: Option<MemberId>,
    /// Whether it changes policy, roster or what else an admin answers for.
    pub(super) steers: bool,
    /// The rights that judge it.
    pub(super) judge: Arc<Rights>,
    /// The rights that judge what is built on it.
    pub(super) effect: Arc<Rights>,
    /// The revocations among it and its ancestors.
    pub(super) revocations: Places,
    /// The commits with vouches that count, among it and its ancestors.
    pub(super) vouchers: Places,
    /// Whether it is or builds on something refused that nobody there vouches for.
    pub(super) is_refused: bool,
    /// Whether a conflict is left among it and its ancestors.
    pub(super) is_in_conflict: bool,
    /// What it takes, for a revocation.
    pub(super) lowered: Option<Lowered>,
}

impl Node {
    /// A commit that was judged before and precedes everything else.
    pub(super) fn start(start: &Start) -> Self {
        let rights = Arc::new(start.standing.rights());
        Self {
            id: start.tip,
            is_judged: false,
            own: Authorisation::Neutral,
            need: None,
            key: None,
            member: None,
            steers: false,
            judge: Arc::clone(&rights),
            effect: rights,
            revocations: Arc::new([]),
            vouchers: Arc::new([]),
            is_refused: false,
            is_in_conflict: false,
            lowered: None,
        }
    }

    pub(super) fn is_good_tip(&self) -> bool {
        !self.is_refused && !self.is_in_conflict
    }
}

/// The places of several lists together; one of the lists where that has them all.
pub(super) fn together<'a>(lists: impl Iterator<Item = &'a Places>) -> Places {
    let mut all: Places = Arc::new([]);
    for list in lists {
        if all.is_empty() || Arc::ptr_eq(&all, list) {
            all = Arc::clone(list);
        } else if !list.iter().all(|place| all.binary_search(place).is_ok()) {
            let mut places: Vec<usize> = all.iter().chain(list.iter()).copied().collect();
            places.sort_unstable();
            places.dedup();
            all = places.into();
        }
    }
    all
}

/// A list with one more place, the newest of all.
pub(super) fn with(list: &Places, place: usize) -> Places {
    list.iter().copied().chain([place]).collect()
}

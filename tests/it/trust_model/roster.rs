//! Rosters of the second model: who may do what, what a revocation takes, and what several sides give together.
//! Border: knows no commits; `model.rs` says which sides, bases and revocations count.

use std::collections::{BTreeMap, BTreeSet};

/// A member by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u8);

/// A signing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) u8);

/// What a member may do, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Reader = 1,
    Writer = 2,
    Admin = 3,
}

/// A line of the roster. Revoked keys are simply not among its keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub(crate) role: Role,
    pub(crate) keys: BTreeSet<Key>,
}

/// Trust mode and roster: R(c), J(c) and E(c) are all of this kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tree {
    pub(crate) open: bool,
    pub(crate) members: BTreeMap<Id, Member>,
}

/// What everybody has while trust is open.
pub(crate) const ALL: u8 = 3;

impl Tree {
    /// The role of a member; 0 for none.
    pub(crate) fn role(&self, id: Id) -> u8 {
        self.members.get(&id).map_or(0, |member| member.role as u8)
    }

    /// Point 1: the level of a member.
    pub(crate) fn member_level(&self, id: Id) -> u8 {
        if self.open { ALL } else { self.role(id) }
    }

    /// The member that a key stands for. A key under two ids stands for none.
    pub(crate) fn member_of(&self, key: Key) -> Option<Id> {
        let mut holders = self.members.iter().filter(|(_, member)| member.keys.contains(&key));
        match (holders.next(), holders.next()) {
            (Some((&id, _)), None) => Some(id),
            _ => None,
        }
    }

    /// Point 1: the level of a key; no key is the public.
    pub(crate) fn level(&self, key: Option<Key>) -> u8 {
        if self.open {
            return ALL;
        }
        key.and_then(|key| self.member_of(key)).map_or(0, |id| self.role(id))
    }

    /// Every key that is alive here.
    pub(crate) fn keys(&self) -> BTreeSet<Key> {
        self.members.values().flat_map(|member| member.keys.iter().copied()).collect()
    }

    /// Point 2: no key is under two ids.
    pub(crate) fn parses(&self) -> bool {
        self.keys().into_iter().all(|key| self.member_of(key).is_some())
    }

    /// Point 6: in roster trust there is an admin with a key that works.
    pub(crate) fn can_act(&self) -> bool {
        self.open || self.keys().into_iter().any(|key| self.level(Some(key)) == ALL)
    }

    /// Whether the only difference is in the keys of one member.
    pub(crate) fn differs_in_keys_of(&self, other: &Self, id: Id) -> bool {
        let without_keys = |tree: &Self| {
            let mut tree = tree.clone();
            if let Some(member) = tree.members.get_mut(&id) {
                member.keys.clear();
            }
            tree
        };
        self != other && without_keys(self) == without_keys(other)
    }
}

/// Point 3: what a revocation took, as the roster that judged it and the one that it left.
pub(crate) struct Taken<'t> {
    pub(crate) from: &'t Tree,
    pub(crate) left: &'t Tree,
}

impl Taken<'_> {
    /// Members that have less. Read: a lower line in the roster counts while trust is open as well.
    fn members(&self) -> impl Iterator<Item = Id> + '_ {
        let lower = |id: &Id| {
            self.left.role(*id) < self.from.role(*id)
                || self.left.member_level(*id) < self.from.member_level(*id)
        };
        self.from.members.keys().copied().filter(lower)
    }

    /// Keys that were alive under some id and are under none. Read: a key that moves to another id is not taken.
    fn keys(&self) -> BTreeSet<Key> {
        self.from.keys().difference(&self.left.keys()).copied().collect()
    }

    /// Whether the public lost its right.
    fn public(&self) -> bool {
        self.from.open && !self.left.open
    }

    /// Point 3: whether anything was taken at all. A key that moves to a lower member has less as well.
    pub(crate) fn anything(&self) -> bool {
        let lower = |key: Key| self.left.level(Some(key)) < self.from.level(Some(key));
        self.public() || self.members().next().is_some() || self.from.keys().into_iter().any(lower)
    }

    /// Point 4: whether it lowered a key's or a member's level to below what was needed.
    pub(crate) fn takes_right(&self, key: Option<Key>, member: Option<Id>, need: u8) -> bool {
        let below = |before: u8, after: u8| after < before && after < need;
        below(self.from.level(key), self.left.level(key))
            || member
                .is_some_and(|id| below(self.from.member_level(id), self.left.member_level(id)))
    }
}

/// Point 2: a side cut to what a revocation that it has not seen left.
pub(crate) fn cap(side: &mut Tree, taken: &Taken<'_>) {
    if taken.public() {
        side.open = false;
    }
    for id in taken.members() {
        match taken.left.members.get(&id) {
            None => drop(side.members.remove(&id)),
            Some(left) => {
                if let Some(member) = side.members.get_mut(&id) {
                    member.role = member.role.min(left.role);
                }
            }
        }
    }
    let keys = taken.keys();
    for member in side.members.values_mut() {
        member.keys.retain(|key| !keys.contains(key));
    }
}

/// Point 2: what any of several sides gives.
pub(crate) fn union(sides: &[Tree]) -> Tree {
    let mut all = Tree::default();
    for side in sides {
        all.open |= side.open;
        for (&id, member) in &side.members {
            let known = all.members.entry(id).or_insert_with(|| member.clone());
            known.role = known.role.max(member.role);
            known.keys.extend(&member.keys);
        }
    }
    all
}

/// Point 5: only what every side gives. No sides give nothing.
pub(crate) fn common(sides: &[Tree]) -> Tree {
    let Some((first, others)) = sides.split_first() else { return Tree::default() };
    let mut left = first.clone();
    for other in others {
        left.open &= other.open;
        left.members.retain(|id, _| other.members.contains_key(id));
        for (id, member) in &mut left.members {
            let theirs = &other.members[id];
            member.role = member.role.min(theirs.role);
            member.keys.retain(|key| theirs.keys.contains(key));
        }
    }
    left
}

/// A side of a three-way merge with the bases that it builds on.
pub(crate) struct Side<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) bases: Vec<&'t Tree>,
}

impl Side<'_> {
    /// Whether a member has more here than in every base.
    fn raises(&self, id: Id) -> bool {
        self.bases.iter().all(|base| self.tree.role(id) > base.role(id)) && self.tree.role(id) > 0
    }
}

/// Point 2: the three-way merge. What a side has less of than any of its bases is taken; else the most of all sides.
/// Read: of two different promotions, or two different first roles, the stricter.
pub(crate) fn three_way(sides: &[Side<'_>]) -> Tree {
    let trees: Vec<Tree> = sides.iter().map(|side| side.tree.clone()).collect();
    let mut result = union(&trees);
    for (id, member) in &mut result.members {
        let raised =
            sides.iter().filter(|side| side.raises(*id)).map(|side| side.tree.members[id].role);
        member.role = raised.min().unwrap_or(member.role);
    }
    for side in sides {
        for base in &side.bases {
            if base.open && !side.tree.open {
                result.open = false;
            }
            for (id, before) in &base.members {
                take_line(&mut result, *id, before, side.tree.members.get(id));
            }
        }
    }
    result
}

/// Takes from a member what one side has less of than one base.
fn take_line(result: &mut Tree, id: Id, before: &Member, after: Option<&Member>) {
    let Some(after) = after else {
        result.members.remove(&id);
        return;
    };
    let Some(member) = result.members.get_mut(&id) else { return };
    if after.role < before.role {
        member.role = member.role.min(after.role);
    }
    member.keys.retain(|key| after.keys.contains(key) || !before.keys.contains(key));
}

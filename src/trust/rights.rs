//! What a roster lets each member, each key and the public do, as one value that can be compared,
//! lowered and put together: the levels of the verdict on a history.
//! Border: values; whose roster counts where is `history`, what a file says is `roster`.
//!
//! A level is an `Option<Role>`: `None` is nobody, and roles order from reader to admin.

use std::collections::{BTreeMap, BTreeSet};

use crate::trust::key::PublicKey;
use crate::trust::roster::{Member, MemberId, MemberKey, Role, Roster};

/// Who may do what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Whether everybody, unsigned too, may do everything.
    pub is_open: bool,
    members: BTreeMap<MemberId, Grant>,
    /// Whose each key is; `None` for one that two members have: it stands for neither.
    holders: BTreeMap<PublicKey, Option<MemberId>>,
    /// Keys that are listed and no longer sign anything, for naming them.
    former: BTreeMap<PublicKey, MemberId>,
}

/// What one member has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grant {
    role: Role,
    keys: BTreeSet<PublicKey>,
}

/// What a revocation took: the levels it left, for those it left less than they had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lowered {
    members: BTreeMap<MemberId, Option<Role>>,
    keys: BTreeMap<PublicKey, Option<Role>>,
    /// What is left to everybody, where trust was open and is not any more.
    closed_to: Option<Rights>,
    /// Whether trust is open after it: then only the lists are shorter, and nobody can do less.
    is_open: bool,
}

impl Rights {
    /// The rights that a roster gives; `None` gives nobody any.
    pub fn of(roster: Option<&Roster>, is_open: bool) -> Self {
        let mut rights = Self { is_open, ..Self::default() };
        for member in roster.into_iter().flat_map(Roster::members) {
            let alive = member.keys.iter().filter(|entry| entry.revoked.is_none());
            let keys = alive.map(|entry| entry.key).collect();
            rights.members.insert(member.id.clone(), Grant { role: member.role, keys });
            let gone = member.keys.iter().filter(|entry| entry.revoked.is_some());
            rights.former.extend(gone.map(|entry| (entry.key, member.id.clone())));
        }
        rights.with_holders()
    }

    /// Notes anew whose each key is.
    fn with_holders(mut self) -> Self {
        self.holders.clear();
        for (id, grant) in &self.members {
            for key in &grant.keys {
                let holder = self.holders.entry(*key).or_insert_with(|| Some(id.clone()));
                if holder.as_ref() != Some(id) {
                    *holder = None;
                }
            }
        }
        self
    }

    /// The member a key stands for, and the role; `None` for a key that nobody or two members have.
    pub fn holder(&self, key: &PublicKey) -> Option<(&MemberId, Role)> {
        let id = self.holders.get(key)?.as_ref()?;
        self.members.get(id).map(|grant| (id, grant.role))
    }

    /// Whose key this was before it was revoked.
    pub fn former_holder(&self, key: &PublicKey) -> Option<&MemberId> {
        self.former.get(key)
    }

    /// The level of a key.
    pub fn level_of_key(&self, key: &PublicKey) -> Option<Role> {
        if self.is_open { Some(Role::Admin) } else { self.holder(key).map(|(_, role)| role) }
    }

    /// The level of a member, keys or not.
    pub fn level_of_member(&self, id: &MemberId) -> Option<Role> {
        let role = || self.members.get(id).map(|grant| grant.role);
        if self.is_open { Some(Role::Admin) } else { role() }
    }

    /// Whether somebody can act as admin: by a key that stands for one member only.
    pub fn has_admin(&self) -> bool {
        self.admins().next().is_some()
    }

    /// The members who may act as admin.
    pub fn admins(&self) -> impl Iterator<Item = &MemberId> {
        let acts = |grant: &Grant| grant.keys.iter().any(|key| self.holder(key).is_some());
        let admins =
            self.members.iter().filter(move |(_, grant)| grant.role == Role::Admin && acts(grant));
        admins.map(|(id, _)| id)
    }

    /// What is lowered on the way to other rights; `None` when nothing is.
    pub fn lowered_to(&self, after: &Self) -> Option<Lowered> {
        if std::ptr::eq(self, after) {
            return None;
        }
        let closes = self.is_open && !after.is_open;
        let closed_to = closes.then(|| after.clone());
        let nothing = Lowered { is_open: after.is_open, ..Lowered::default() };
        let mut lowered = Lowered { closed_to, ..nothing.clone() };
        for (id, grant) in &self.members {
            let left = after.level_of_member(id);
            let listed = after.members.get(id).map(|grant| grant.role);
            // In an open team the list is what counts once it closes.
            if left < self.level_of_member(id) || listed < Some(grant.role) {
                lowered.members.insert(id.clone(), left.min(listed));
            }
        }
        let mut is_less = lowered != nothing;
        for key in self.holders.keys() {
            let left = after.level_of_key(key);
            let is_lower = left < self.level_of_key(key);
            let is_gone = !after.holders.contains_key(key);
            is_less |= is_lower;
            if is_lower || is_gone {
                lowered.keys.insert(*key, if is_gone { None } else { left });
            }
        }
        is_less.then_some(lowered)
    }

    /// These rights with what a revocation took taken away: a key under whatever id.
    #[must_use]
    pub fn capped(mut self, by: &Lowered) -> Self {
        self.is_open &= by.closed_to.is_none();
        for (id, left) in &by.members {
            match left {
                Some(role) => {
                    if let Some(grant) = self.members.get_mut(id) {
                        grant.role = grant.role.min(*role);
                    }
                }
                None => drop(self.members.remove(id)),
            }
        }
        for key in by.taken_keys() {
            for grant in self.members.values_mut() {
                grant.keys.remove(key);
            }
        }
        self.with_holders()
    }

    /// What sides give together: each member the highest role, each key that is alive on a side.
    pub fn union(sides: &[Self]) -> Self {
        let mut all = Self::default();
        for side in sides {
            all.is_open |= side.is_open;
            for (id, grant) in &side.members {
                let known = all.members.entry(id.clone()).or_insert_with(|| grant.clone());
                known.role = known.role.max(grant.role);
                known.keys.extend(&grant.keys);
            }
            all.former.extend(side.former.iter().map(|(key, id)| (*key, id.clone())));
        }
        all.with_holders()
    }

    /// What every side gives.
    pub fn intersection(sides: &[Self]) -> Self {
        let mut sides = sides.iter();
        let mut all = sides.next().cloned().unwrap_or_default();
        for side in sides {
            all.is_open &= side.is_open;
            all.members.retain(|id, grant| {
                let Some(other) = side.members.get(id) else { return false };
                grant.role = grant.role.min(other.role);
                grant.keys.retain(|key| other.keys.contains(key));
                true
            });
        }
        all.with_holders()
    }

    /// A roster with what these rights do not give taken out; `None` when nothing is to take.
    pub fn cut(&self, roster: &Roster) -> Option<Vec<Member>> {
        let mut changed = false;
        let mut kept = Vec::with_capacity(roster.members().len());
        for member in roster.members() {
            let Some(grant) = self.members.get(&member.id) else {
                changed = true;
                continue;
            };
            let mut member = member.clone();
            let before = member.keys.len();
            let keeps =
                |entry: &MemberKey| entry.revoked.is_some() || grant.keys.contains(&entry.key);
            member.keys.retain(keeps);
            changed |= member.keys.len() != before || grant.role < member.role;
            member.role = member.role.min(grant.role);
            kept.push(member);
        }
        changed.then_some(kept)
    }
}

impl Lowered {
    /// Whether it left a use less than the level the use needs. `key` is `None` for the public.
    pub fn hits(&self, key: Option<&PublicKey>, member: Option<&MemberId>, need: Role) -> bool {
        if self.is_open {
            return false;
        }
        let below = |left: Option<Role>| left < Some(need);
        let listed = |left: Option<&Option<Role>>| left.is_some_and(|left| below(*left));
        if let Some(left) = &self.closed_to {
            // Everybody had everything before.
            let by_key = key.and_then(|key| left.level_of_key(key));
            return below(by_key) || member.is_some_and(|id| below(left.level_of_member(id)));
        }
        key.is_some_and(|key| listed(self.keys.get(key)))
            || member.is_some_and(|id| listed(self.members.get(id)))
    }

    fn taken_keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.keys.iter().filter(|(_, left)| left.is_none()).map(|(key, _)| key)
    }
}

//! What a commit does to the roster, seen by values: nothing, only its signer's keys, or more.
//! Border: compares two rosters; whether the change is allowed is `authorize`.

use crate::trust::roster::{Member, MemberId, Roster};

/// How one roster became another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RosterChange {
    /// The same members, roles and keys.
    Same,
    /// One member got new keys or an age recipient, or lost old ones, and nothing else: rotation by
    /// the member.
    OwnKeys(MemberId),
    /// Anything else.
    Other,
}

impl RosterChange {
    /// Compares the roster before and after a commit.
    pub fn between(before: &Roster, after: &Roster) -> Self {
        if std::ptr::eq(before, after) || before == after {
            return Self::Same;
        }
        if before.members().len() != after.members().len() {
            return Self::Other;
        }
        let pairs = before.members().iter().zip(after.members());
        let mut changed = pairs.filter(|(old, new)| old != new);
        match (changed.next(), changed.next()) {
            (Some((old, new)), None) if is_own_keys(old, new) => Self::OwnKeys(old.id.clone()),
            _ => Self::Other,
        }
    }
}

/// Whether a member may make this change alone: add keys and revoke keys, revive none. The age
/// recipient is the member's own business: it opens, and signs nothing.
fn is_own_keys(old: &Member, new: &Member) -> bool {
    let same_person = old.id == new.id && old.name == new.name && old.role == new.role;
    let kept = old.keys.iter().all(|before| {
        let after = new.keys.iter().find(|after| after.key == before.key);
        after.is_some_and(|after| {
            after.added == before.added
                && (before.revoked.is_none() || after.revoked == before.revoked)
        })
    });
    let fresh = new.keys.iter().filter(|after| old.keys.iter().all(|b| b.key != after.key));
    let fresh_live = fresh.clone().all(|entry| entry.revoked.is_none());
    same_person && kept && fresh_live && new.keys.iter().any(|entry| entry.revoked.is_none())
}

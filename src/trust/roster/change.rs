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

/// Whether a member may make this change alone: whatever it does to the member's keys, but reviving
/// one. The age recipient is the member's own business as well: it opens, and signs nothing.
fn is_own_keys(old: &Member, new: &Member) -> bool {
    let same_person = old.id == new.id && old.name == new.name && old.role == new.role;
    let was_revoked = |key| old.keys.iter().any(|e| e.key == key && e.revoked.is_some());
    let revives = new.keys.iter().any(|e| e.revoked.is_none() && was_revoked(e.key));
    same_person && !revives
}

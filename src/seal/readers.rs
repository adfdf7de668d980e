//! Whether those who can open a sealed memory are those it names, all of them in the roster.
//! Border: an SSH key shows as 4 bytes of its hash, an age identity only as one more; who else the
//! person that sealed it showed the text to, no format can tell.

use std::collections::BTreeSet;

use super::SealProblem;
use super::envelope::Envelope;
use super::header::KeyTag;
use super::shown_ids;
use crate::trust::roster::{Member, MemberId, Roster};

/// What a roster says about the readers of a sealed memory that may be shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Readers whose present key does not open it, or not all of them: it was sealed for an earlier one.
    pub outdated: BTreeSet<MemberId>,
}

/// Checks the readers against the roster.
pub fn check(envelope: &Envelope, roster: &Roster) -> Result<Standing, SealProblem> {
    let readers = &envelope.audience.readers;
    let unknown: BTreeSet<MemberId> =
        readers.iter().filter(|id| roster.member(id).is_none()).cloned().collect();
    if !unknown.is_empty() {
        return Err(SealProblem::UnknownReaders(unknown));
    }
    let members: Vec<&Member> = readers.iter().filter_map(|id| roster.member(id)).collect();
    let tags: BTreeSet<KeyTag> = envelope.header.tags.iter().copied().collect();
    if tags.len() < envelope.header.tags.len() {
        return Err(SealProblem::HiddenReaders("two keys look alike".to_owned()));
    }
    let mut foreign = tags.clone();
    let mut standing = Standing::default();
    let mut by_age = BTreeSet::new();
    for member in members {
        let mut has_ssh = false;
        let mut is_current = true;
        for entry in &member.keys {
            let tag = KeyTag::of(&entry.key);
            foreign.remove(&tag);
            has_ssh |= tags.contains(&tag);
            is_current &= tags.contains(&tag) == (entry.revoked.is_none() && member.age.is_none());
        }
        if !has_ssh {
            by_age.insert(member.id.clone());
        }
        // Sealed to an identity: whether it is the present one, nobody can see.
        if !is_current && (has_ssh || member.age.is_none()) {
            standing.outdated.insert(member.id.clone());
        }
    }
    if !foreign.is_empty() {
        let message = format!("{} of the keys that open it belong to no reader", foreign.len());
        return Err(SealProblem::HiddenReaders(message));
    }
    if by_age.len() != envelope.header.anonymous {
        let (named, sealed) = (shown_ids(&by_age), envelope.header.anonymous);
        let message = match by_age.len() {
            0 => format!("{sealed} age identities open it that belong to no reader"),
            _ => format!("{named} cannot open it, and {sealed} age identities can"),
        };
        return Err(SealProblem::HiddenReaders(message));
    }
    Ok(standing)
}

//! The own verdict on one commit: what it needs, and whether the rights that judge it give that.
//! Border: one commit and the rights it is judged by, as values. Which rights those are, and what a
//! commit is worth among others, is `history`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::trust::key::{Fingerprint, PublicKey};
use crate::trust::rights::Rights;
use crate::trust::roster::{MemberId, Role, Roster, RosterChange};
use crate::trust::signature::SignatureProblem;
use crate::trust::trailers::{TrailerProblem, Trailers};
use crate::trust::verdict::{Area, Authorisation, Forbidden, Refusal};

/// Where trust in a team repository starts; pinned at `init` or `join`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The root commit; its id names the team repository, too.
    pub commit: ObjectId,
    /// The key that signed it; `None` for a team whose trust began open.
    pub founder: Option<Fingerprint>,
}

/// The team repository and ref that commits must be signed for.
#[derive(Clone, Debug)]
pub struct Team {
    /// Where trust starts.
    pub introduction: Introduction,
    /// The full name of the one ref, for example `refs/heads/main`.
    pub reference: String,
}

/// What policy and roster say at one commit. Reading fails closed: what is missing is `Broken`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Trust is `roster`, and this is it.
    Roster(Arc<Roster>),
    /// Trust is `open`; a roster may still name people.
    Open(Option<Arc<Roster>>),
    /// Trust is `roster`, or unknown, and there is no roster file.
    Missing,
    /// Policy or roster cannot be read; the text says why.
    Broken(String),
}

/// What the commit object alone says: no tree is read for it.
#[derive(Clone, Debug)]
pub struct CommitHead {
    /// Its id.
    pub id: ObjectId,
    /// Its parents in order.
    pub parents: Vec<ObjectId>,
    /// What `verify_commit` gave.
    pub signature: Result<PublicKey, SignatureProblem>,
    /// What `Trailers::parse` gave.
    pub trailers: Result<Trailers, TrailerProblem>,
}

/// What a commit does and leaves behind; for a merge, against what the merge of its parents gives.
#[derive(Clone, Debug)]
pub struct Content {
    /// What it changes.
    pub changes: BTreeSet<Area>,
    /// Policy and roster before it: in its parent, or in what its parents merge to.
    pub before: Arc<Standing>,
    /// Policy and roster in its own tree.
    pub after: Arc<Standing>,
    /// How its tree relates to the merge of its parents.
    pub shape: MergeShape,
    /// A path or object that no vouch can lift.
    pub forbidden: Option<Forbidden>,
}

/// How a commit with several parents relates to what they merge to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeShape {
    /// Not a merge.
    Single,
    /// Its tree is what our merge of its parents gives.
    Exact,
    /// Only policy and roster differ, and they are spelled as a merge of ours spells them: neutral
    /// where the difference is what revocations cut.
    Cut,
    /// Its tree is something else.
    Altered,
}

/// A commit's own verdict, before it is known what it builds on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    /// Good, open, neutral or refused; never vouched.
    pub(crate) authorisation: Authorisation,
    /// The level it needs; `None` for a neutral merge.
    pub(crate) need: Option<Role>,
}

impl Standing {
    /// The roster, where there is a readable one.
    pub fn roster(&self) -> Option<&Roster> {
        match self {
            Self::Roster(roster) | Self::Open(Some(roster)) => Some(roster),
            Self::Open(None) | Self::Missing | Self::Broken(_) => None,
        }
    }

    /// Who may do what; what cannot be read gives nobody anything.
    pub fn rights(&self) -> Rights {
        Rights::of(self.roster(), matches!(self, Self::Open(_)))
    }

    /// Whether a team can go on from here: it parses, and somebody can act.
    fn check(&self) -> Result<(), Refusal> {
        match self {
            Self::Roster(_) if self.rights().has_admin() => Ok(()),
            Self::Roster(_) => Err(Refusal::NoAdmin),
            Self::Open(_) => Ok(()),
            Self::Missing => Err(Refusal::RosterRemoved),
            Self::Broken(why) => Err(Refusal::RosterBroken(why.clone())),
        }
    }
}

impl Content {
    /// Whether it changes policy, roster or what else an admin answers for.
    pub(crate) fn steers(&self) -> bool {
        self.before != self.after || self.changes.iter().any(|kind| !kind.is_allowed(Role::Writer))
    }
}

/// Whether nothing in the tree can make the commit good: no right that counts, and no merge.
///
/// Asked before any tree is read, so that strangers cannot make others work.
pub(crate) fn refused_by_form(head: &CommitHead, judge: &Rights) -> Option<Refusal> {
    if judge.is_open || head.parents.len() > 1 {
        return None;
    }
    match &head.signature {
        Err(problem) => Some(Refusal::Signature(problem.clone())),
        Ok(key) => signer(judge, key).err(),
    }
}

/// The own verdict on a commit that is no root. `is_neutral` says whether a merge is.
pub(crate) fn authorize(
    team: &Team,
    head: &CommitHead,
    content: &Content,
    judge: &Rights,
    is_neutral: bool,
) -> Own {
    let vouches = head.trailers.as_ref().is_ok_and(|trailers| !trailers.vouches.is_empty());
    let needs_nothing = is_neutral && !vouches;
    // The key says who used a right, also where the commit is refused for something else.
    let holder = head.signature.as_ref().ok().and_then(|key| judge.holder(key));
    let needed = need(content, holder.map(|(member, _)| member), vouches);
    let by_member = authorize_member(team, head, content, judge, needed);
    let need = (!needs_nothing).then_some(needed);
    let fits = content.after.check();
    let authorisation = match (by_member, fits) {
        _ if content.forbidden.is_some() => {
            let forbidden = content.forbidden.clone().expect("because it was just looked at");
            Authorisation::Refuse(Refusal::Forbidden(forbidden))
        }
        (Err(refusal), _) if !needs_nothing && !judge.is_open => Authorisation::Refuse(refusal),
        (_, Err(refusal)) => Authorisation::Refuse(refusal),
        // A member's signature on a merge is worth naming even where none is needed.
        (Ok(member), Ok(())) => Authorisation::Good { member },
        (Err(_), Ok(())) if needs_nothing => Authorisation::Neutral,
        (Err(_), Ok(())) => Authorisation::Open,
    };
    Own { authorisation, need }
}

/// The verdict on the root: judged by the introduction, not by a parent.
pub(crate) fn authorize_root(team: &Team, head: &CommitHead, content: &Content) -> Own {
    let authorisation = match (judge_root(team, head, content), &*content.after) {
        _ if content.forbidden.is_some() => {
            let forbidden = content.forbidden.clone().expect("because it was just looked at");
            Authorisation::Refuse(Refusal::Forbidden(forbidden))
        }
        (Ok(member), _) => Authorisation::Good { member },
        (Err(_), Standing::Open(_)) if is_founded(team, head) => Authorisation::Open,
        (Err(refusal), _) => Authorisation::Refuse(refusal),
    };
    // Another beginning states a roster of its own.
    let need = authorisation.refusal().map(|_| Role::Admin);
    Own { authorisation, need }
}

fn judge_root(team: &Team, head: &CommitHead, content: &Content) -> Result<MemberId, Refusal> {
    if head.id != team.introduction.commit || !head.parents.is_empty() {
        return Err(Refusal::OtherRoot);
    }
    content.after.check()?;
    let key = match (&head.signature, team.introduction.founder) {
        (Ok(key), Some(founder)) if key.fingerprint() != founder => {
            return Err(Refusal::OtherFounder(founder));
        }
        (Ok(key), _) => key,
        (Err(problem), Some(_)) => return Err(Refusal::Signature(problem.clone())),
        (Err(_), None) => return Err(Refusal::NoRoster),
    };
    signer(&content.after.rights(), key).map(|(member, _)| member.clone())
}

/// Whether this is the pinned root. A founder with a key signs that of an open team as well; then
/// the signature must hold.
fn is_founded(team: &Team, head: &CommitHead) -> bool {
    let is_first = head.id == team.introduction.commit && head.parents.is_empty();
    let is_signed = |founder| head.signature.as_ref().is_ok_and(|key| key.fingerprint() == founder);
    is_first && team.introduction.founder.is_none_or(is_signed)
}

/// The member who signed, unless something is missing.
fn authorize_member(
    team: &Team,
    head: &CommitHead,
    content: &Content,
    judge: &Rights,
    needed: Role,
) -> Result<MemberId, Refusal> {
    let key = head.signature.as_ref().map_err(|problem| Refusal::Signature(problem.clone()))?;
    let (member, role) = signer(judge, key)?;
    let trailers = head.trailers.as_ref().map_err(|p| Refusal::Trailers(p.clone()))?;
    if trailers.store != Some(team.introduction.commit) {
        return Err(Refusal::OtherStore);
    }
    if trailers.reference.as_deref() != Some(&team.reference) {
        return Err(Refusal::OtherRef);
    }
    if trailers.member.as_ref() != Some(member) {
        return Err(Refusal::OtherMember(member.clone()));
    }
    // In an open team a member's signature proves who it was; everybody may do everything.
    if role < needed && !judge.is_open {
        let member = member.clone();
        return Err(match hardest(content, Some(&member)) {
            Some(kind) if !kind.is_allowed(role) => Refusal::NotAllowed { member, role, kind },
            _ => Refusal::VouchNotAllowed(member),
        });
    }
    Ok(member.clone())
}

/// The member a key stands for; no right says whether it is unknown or was taken.
fn signer<'a>(judge: &'a Rights, key: &PublicKey) -> Result<(&'a MemberId, Role), Refusal> {
    let fingerprint = key.fingerprint();
    judge.holder(key).ok_or_else(|| match judge.former_holder(key) {
        Some(member) => Refusal::RevokedKey { member: member.clone(), key: fingerprint },
        None => Refusal::UnknownKey(fingerprint),
    })
}

/// The level that what a commit does needs.
fn need(content: &Content, member: Option<&MemberId>, vouches: bool) -> Role {
    match hardest(content, member) {
        _ if vouches => Role::Admin,
        None => Role::Reader,
        Some(kind) if kind.is_allowed(Role::Writer) => Role::Writer,
        Some(_) => Role::Admin,
    }
}

/// The change that needs most. Members rotate their own keys as they write memories.
fn hardest(content: &Content, member: Option<&MemberId>) -> Option<Area> {
    let mut kinds = content.changes.clone();
    match RosterEffect::between(&content.before, &content.after) {
        RosterEffect::None => {}
        RosterEffect::OwnKeys(id) if Some(&id) == member => {
            kinds.remove(&Area::Roster);
            kinds.insert(Area::OwnKeys);
        }
        RosterEffect::OwnKeys(_) | RosterEffect::Roster => drop(kinds.insert(Area::Roster)),
        RosterEffect::Trust => drop(kinds.insert(Area::Policy)),
    }
    kinds.into_iter().max()
}

/// What a commit does to policy and roster, by value: also seen when no path was reported.
enum RosterEffect {
    None,
    OwnKeys(MemberId),
    Roster,
    Trust,
}

impl RosterEffect {
    fn between(before: &Standing, after: &Standing) -> Self {
        match (before, after) {
            (Standing::Roster(old), Standing::Roster(new))
            | (Standing::Open(Some(old)), Standing::Open(Some(new))) => {
                match RosterChange::between(old, new) {
                    RosterChange::Same => Self::None,
                    RosterChange::OwnKeys(id) => Self::OwnKeys(id),
                    RosterChange::Other => Self::Roster,
                }
            }
            _ if before == after => Self::None,
            _ => Self::Trust,
        }
    }
}

//! The rule that judges one commit (after `guix git authenticate`): its key stands in the roster
//! of *every* parent, with a role that allows what it changes, for this repository and ref.
//! Border: one commit and the standings it is judged by, as values. `history` collects the
//! standings over many commits and knows vouching and merges.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::trust::key::{Fingerprint, PublicKey};
use crate::trust::roster::{Member, MemberId, Role, Roster, RosterChange};
use crate::trust::signature::SignatureProblem;
use crate::trust::trailers::{TrailerProblem, Trailers};
use crate::trust::verdict::{Authorisation, ChangeKind, Refusal};

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

/// How a commit with several parents relates to what they merge to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeShape {
    /// Not a merge.
    Single,
    /// Its tree is what our merge of its parents gives.
    Neutral,
    /// Its tree is something else.
    Altered,
}

/// Everything about one commit that the rule asks for.
#[derive(Clone, Debug)]
pub struct CommitFacts {
    /// Its id.
    pub id: ObjectId,
    /// Its parents in order.
    pub parents: Vec<ObjectId>,
    /// What `verify_commit` gave.
    pub signature: Result<PublicKey, SignatureProblem>,
    /// What `Trailers::parse` gave.
    pub trailers: Result<Trailers, TrailerProblem>,
    /// What it changes against its parent; for a merge, against what its parents merge to.
    pub changes: BTreeSet<ChangeKind>,
    /// Whether it is a merge, and which.
    pub shape: MergeShape,
    /// Policy and roster in its own tree.
    pub after: Standing,
}

/// Judges one commit by the standings at its parents and at every mainline that takes it in.
///
/// `before` is what policy and roster say in the tree of its first parent, accepted or not.
pub fn authorize(
    team: &Team,
    commit: &CommitFacts,
    before: Option<&Standing>,
    judges: &[Standing],
) -> Authorisation {
    let judged = if commit.parents.is_empty() {
        authorize_root(team, commit)
    } else if commit.shape == MergeShape::Neutral && check_after(commit).is_ok() {
        // A member's signature on a merge is worth naming even where none is needed.
        return match authorize_member(team, commit, before, judges) {
            Ok(member) => Authorisation::Good { member },
            Err(_) => Authorisation::Neutral,
        };
    } else {
        authorize_member(team, commit, before, judges)
    };
    let open = !judges.is_empty() && judges.iter().all(|s| matches!(s, Standing::Open(_)));
    match judged {
        Ok(member) => Authorisation::Good { member },
        Err(_) if open => Authorisation::Open,
        Err(_) if is_open_root(team, commit) => Authorisation::Open,
        Err(refusal) => Authorisation::Refuse(refusal),
    }
}

/// Whether a commit is an admin's by every standing: only then its vouches count.
pub fn may_vouch(key: &PublicKey, judges: &[Standing]) -> bool {
    let mut rosters = judges.iter().filter_map(Standing::roster).peekable();
    let admin = |roster: &Roster| live(roster, key).is_ok_and(|m| m.role == Role::Admin);
    rosters.peek().is_some() && rosters.all(admin)
}

impl Standing {
    /// The roster, where there is a readable one.
    pub fn roster(&self) -> Option<&Roster> {
        match self {
            Self::Roster(roster) | Self::Open(Some(roster)) => Some(roster),
            Self::Open(None) | Self::Missing | Self::Broken(_) => None,
        }
    }
}

/// The root is not judged by a parent but by the introduction.
fn authorize_root(team: &Team, commit: &CommitFacts) -> Result<MemberId, Refusal> {
    if commit.id != team.introduction.commit {
        return Err(Refusal::OtherRoot);
    }
    let Some(founder) = team.introduction.founder else {
        let key = commit.signature.as_ref().map_err(|_| Refusal::NoRoster)?;
        let roster = commit.after.roster().ok_or(Refusal::NoRoster)?;
        return live(roster, key).map(|member| member.id.clone());
    };
    let key = commit.signature.as_ref().map_err(|p| Refusal::Signature(p.clone()))?;
    if key.fingerprint() != founder {
        return Err(Refusal::OtherFounder(founder));
    }
    check_after(commit)?;
    let roster = commit.after.roster().ok_or(Refusal::NoRoster)?;
    live(roster, key).map(|member| member.id.clone())
}

fn is_open_root(team: &Team, commit: &CommitFacts) -> bool {
    let first = commit.id == team.introduction.commit && commit.parents.is_empty();
    // A founder with a key signs the root of an open team as well; then that signature must hold.
    let founded = team.introduction.founder.is_none_or(|founder| {
        commit.signature.as_ref().is_ok_and(|key| key.fingerprint() == founder)
    });
    first && founded && matches!(commit.after, Standing::Open(_))
}

/// The rule for every commit but the root. Open standings ask nothing.
fn authorize_member(
    team: &Team,
    commit: &CommitFacts,
    before: Option<&Standing>,
    judges: &[Standing],
) -> Result<MemberId, Refusal> {
    let key = commit.signature.as_ref().map_err(|p| Refusal::Signature(p.clone()))?;
    let trailers = commit.trailers.as_ref().map_err(|p| Refusal::Trailers(p.clone()))?;
    if trailers.store != Some(team.introduction.commit) {
        return Err(Refusal::OtherStore);
    }
    if trailers.reference.as_deref() != Some(&team.reference) {
        return Err(Refusal::OtherRef);
    }
    check_after(commit)?;
    // Open standings ask nothing; where all are open, their rosters still name people.
    let all_open = judges.iter().all(|judge| matches!(judge, Standing::Open(_)));
    let counts = |judge: &&Standing| all_open || !matches!(judge, Standing::Open(_));
    let steered = match (commit.shape, before) {
        (MergeShape::Single, Some(before)) => Steered::between(before, &commit.after),
        _ => Steered::No,
    };
    let mut signer = None;
    for judge in judges.iter().filter(counts) {
        let roster = match judge {
            Standing::Open(None) => continue,
            other => other.roster().ok_or(Refusal::NoRoster)?,
        };
        let member = live(roster, key)?;
        if trailers.member.as_ref() != Some(&member.id) {
            return Err(Refusal::OtherMember(member.id.clone()));
        }
        if !all_open {
            check_role(commit, &steered, member)?;
        }
        signer = Some(member);
    }
    let signer = signer.ok_or(Refusal::NoRoster)?;
    if !trailers.vouches.is_empty() && !may_vouch(key, judges) {
        return Err(Refusal::VouchNotAllowed(signer.id.clone()));
    }
    Ok(signer.id.clone())
}

/// The member whose key this is, unless it is revoked.
fn live<'a>(roster: &'a Roster, key: &PublicKey) -> Result<&'a Member, Refusal> {
    let fingerprint = key.fingerprint();
    let (member, entry) = roster.holder(key).ok_or(Refusal::UnknownKey(fingerprint))?;
    match entry.revoked {
        None => Ok(member),
        Some(_) => Err(Refusal::RevokedKey { member: member.id.clone(), key: fingerprint }),
    }
}

/// Whether the role allows every change. Writers may rotate their own keys, nothing else there.
fn check_role(commit: &CommitFacts, steered: &Steered, member: &Member) -> Result<(), Refusal> {
    let mut kinds = commit.changes.clone();
    match steered {
        Steered::No => {}
        Steered::OwnKeys(id) if *id == member.id && member.role == Role::Writer => {
            kinds.remove(&ChangeKind::Roster);
        }
        Steered::OwnKeys(_) | Steered::Roster => drop(kinds.insert(ChangeKind::Roster)),
        Steered::Trust => drop(kinds.insert(ChangeKind::Policy)),
    }
    match kinds.into_iter().rev().find(|kind| !kind.is_allowed(member.role)) {
        Some(kind) => {
            Err(Refusal::NotAllowed { member: member.id.clone(), role: member.role, kind })
        }
        None => Ok(()),
    }
}

/// What a commit does to the standing of its parent, by value: also seen when no path was reported.
enum Steered {
    No,
    OwnKeys(MemberId),
    Roster,
    Trust,
}

impl Steered {
    fn between(before: &Standing, after: &Standing) -> Self {
        match (before, after) {
            (Standing::Roster(old), Standing::Roster(new)) => {
                match RosterChange::between(old, new) {
                    RosterChange::Same => Self::No,
                    RosterChange::OwnKeys(id) => Self::OwnKeys(id),
                    RosterChange::Other => Self::Roster,
                }
            }
            _ if before == after => Self::No,
            _ => Self::Trust,
        }
    }
}

/// Whether the commit leaves a team that can go on.
fn check_after(commit: &CommitFacts) -> Result<(), Refusal> {
    match &commit.after {
        Standing::Roster(roster) if roster.has_admin() => Ok(()),
        Standing::Roster(_) => Err(Refusal::NoAdmin),
        Standing::Open(_) => Ok(()),
        Standing::Missing => Err(Refusal::RosterRemoved),
        Standing::Broken(why) => Err(Refusal::RosterBroken(why.clone())),
    }
}

//! How a commit can be judged, with one stable name per outcome.
//! Border: names and texts; the rule that gives them is `authorize`, over a history `history`.

use crate::base::id::ObjectId;
use crate::trust::key::Fingerprint;
use crate::trust::roster::{MemberId, Role};
use crate::trust::signature::SignatureProblem;
use crate::trust::trailers::TrailerProblem;

/// The judgement of one commit by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorisation {
    /// Signed by a member who may do what the commit does, for this team repository and ref.
    Good {
        /// The member.
        member: MemberId,
    },
    /// Not proven, but the team's trust is open.
    Open,
    /// A merge that holds exactly what its parents merge to; it needs no signature.
    Neutral,
    /// Refused by itself, and accepted because an admin vouches for it.
    Vouched {
        /// The admin's commit.
        by: ObjectId,
        /// Why it was refused.
        refusal: Refusal,
    },
    /// Refused.
    Refuse(Refusal),
}

/// What a commit changes, as far as roles care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    /// A memory or another text of the team.
    Memory,
    /// The index, `MEMORY.md`.
    Index,
    /// A conflict record about one of these.
    Conflict,
    /// Keys of the member who signs.
    OwnKeys,
    /// The list of members.
    Roster,
    /// Accepted findings.
    Allow,
    /// The policy, git attributes and anything else that steers programs.
    Policy,
}

/// A rule on paths and objects that a commit breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The stable name of the rule.
    pub rule: String,
    /// Which path and why, ready to show.
    pub message: String,
}

/// Why a commit is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No signature, or one that proves nothing.
    #[error(transparent)]
    Signature(SignatureProblem),
    /// The trailers are damaged.
    #[error(transparent)]
    Trailers(TrailerProblem),
    /// The key is in no roster that counts.
    #[error("the key {0} is not in the roster")]
    UnknownKey(Fingerprint),
    /// The key was revoked.
    #[error("the key {key} of `{member}` is revoked")]
    RevokedKey {
        /// Whose key.
        member: MemberId,
        /// The key.
        key: Fingerprint,
    },
    /// The role does not allow the change.
    #[error("`{member}` is {role} and may not change {}", .kind.noun())]
    NotAllowed {
        /// Who signed.
        member: MemberId,
        /// The role in a roster that counts.
        role: Role,
        /// What was changed.
        kind: Area,
    },
    /// Vouching without being admin.
    #[error("`{0}` is no admin and cannot vouch")]
    VouchNotAllowed(MemberId),
    /// Signed for another team repository, or for none.
    #[error("the commit was not signed for this team repository")]
    OtherStore,
    /// Signed for another ref, or for none.
    #[error("the commit was not signed for this ref")]
    OtherRef,
    /// The trailer names somebody else than the key's holder.
    #[error("the commit names another member than `{0}`, who signed it")]
    OtherMember(MemberId),
    /// The roster is gone.
    #[error("the commit removes the roster")]
    RosterRemoved,
    /// The roster or policy cannot be read after the commit.
    #[error("the roster or policy cannot be read after the commit: {0}")]
    RosterBroken(String),
    /// Nobody could change the roster any more.
    #[error("the commit leaves the team without an admin")]
    NoAdmin,
    /// No readable roster to judge by.
    #[error("there is no readable roster to judge the commit by")]
    NoRoster,
    /// A root commit that is not the pinned one.
    #[error("the history starts at another commit than the introduction names")]
    OtherRoot,
    /// The pinned root, signed by another key than the pinned one.
    #[error("the first commit is not signed by the key {0} that the introduction names")]
    OtherFounder(Fingerprint),
    /// Policy or roster changed on top of something refused: nobody may build on that.
    #[error("the commit changes policy or roster on top of what is refused")]
    RosterOnRefused,
    /// Made with a right that an admin took away at the same time; the commit says where.
    #[error("it was made beside {0}, which took the right to make it away")]
    Revoked(ObjectId),
    /// A path or object that breaks a rule which no vouch lifts.
    #[error("{}", .0.message)]
    Forbidden(Forbidden),
    /// A parent that was never judged.
    #[error("the commit builds on {0}, which was not verified")]
    UnverifiedParent(ObjectId),
}

impl Authorisation {
    /// The stable name of the verdict, for reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Good { .. } => "good",
            Self::Open => "open",
            Self::Neutral => "neutral-merge",
            Self::Vouched { .. } => "vouched",
            Self::Refuse(refusal) => refusal.rule(),
        }
    }

    /// Why it was refused; `None` when it was not, or somebody vouches for it.
    pub fn refusal(&self) -> Option<&Refusal> {
        if let Self::Refuse(refusal) = self { Some(refusal) } else { None }
    }
}

impl Refusal {
    /// The stable name of the rule that refused.
    pub fn rule(&self) -> &str {
        match self {
            Self::Signature(problem) => problem.rule(),
            Self::Trailers(problem) => problem.rule(),
            Self::UnknownKey(_) => "unknown-key",
            Self::RevokedKey { .. } => "revoked-key",
            Self::NotAllowed { .. } => "not-allowed",
            Self::VouchNotAllowed(_) => "vouch-not-allowed",
            Self::OtherStore => "replayed-store",
            Self::OtherRef => "replayed-ref",
            Self::OtherMember(_) => "other-member",
            Self::RosterRemoved => "roster-removed",
            Self::RosterBroken(_) => "roster-broken",
            Self::NoAdmin => "no-admin",
            Self::NoRoster => "no-roster",
            Self::OtherRoot => "other-root",
            Self::OtherFounder(_) => "other-founder",
            Self::RosterOnRefused => "roster-on-refused",
            Self::Revoked(_) => "revoked-beside",
            Self::Forbidden(forbidden) => &forbidden.rule,
            Self::UnverifiedParent(_) => "unverified-parent",
        }
    }
}

impl Area {
    /// The kind of a path of the tree, checked or not.
    pub fn of(path: &str) -> Self {
        match path {
            "MEMORY.md" => Self::Index,
            ".memsync/roster.yaml" => Self::Roster,
            ".memsync/allow.yaml" => Self::Allow,
            _ if path.starts_with(".memsync/conflicts/") => Self::Conflict,
            _ if path.starts_with('.') || path.contains("/.") => Self::Policy,
            _ => Self::Memory,
        }
    }

    /// Whether a role allows a change of this kind.
    pub fn is_allowed(self, role: Role) -> bool {
        match role {
            Role::Admin => true,
            Role::Writer => {
                matches!(self, Self::Memory | Self::Index | Self::Conflict | Self::OwnKeys)
            }
            Role::Reader => false,
        }
    }

    /// The kind in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Memory => "memories",
            Self::Index => "the index",
            Self::Conflict => "conflict records",
            Self::OwnKeys => "keys",
            Self::Roster => "the roster",
            Self::Allow => "the list of accepted findings",
            Self::Policy => "the policy",
        }
    }
}

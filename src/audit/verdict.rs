//! The verdict on one change as reports show it: a class, the exact rule, and why.
//! Border: sorts what `trust` decided into classes for people; decides nothing itself.

use serde::Serialize;

use crate::base::id::ObjectId;
use crate::trust::history::Judged;
use crate::trust::signature::SignatureProblem;
use crate::trust::verdict::{Authorisation, Refusal};

/// What became of one change, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Signed by a member who may do it.
    Good,
    /// A merge that holds exactly what its parents merge to; it needs no signature.
    NeutralMerge,
    /// Refused by the rule, accepted by an admin.
    Vouched,
    /// Not proven; the team's trust is open.
    Open,
    /// Good by itself, but built on a refused change.
    Blocked,
    /// Not signed.
    Unsigned,
    /// A signature that proves nothing: altered content, another purpose, not in canonical form.
    BadSignature,
    /// Signed by a key that is not, or no longer, in the roster.
    UnknownKey,
    /// Signed by a member whose role does not allow it.
    NotAllowed,
    /// Signed for another team repository or ref, or from another history.
    Misplaced,
    /// Refused for another reason; the rule says which.
    Refused,
}

/// The verdict on one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The class.
    pub class: Class,
    /// The exact rule, for example `signature-mismatch`; the class itself where nothing was refused.
    pub rule: String,
    /// Why, in words; `None` where nothing was refused.
    pub why: Option<String>,
    /// The commit that vouches for it, or the refused one it builds on.
    pub by: Option<ObjectId>,
}

impl Class {
    /// Every class, from good to bad.
    pub const ALL: [Self; 11] = [
        Self::Good,
        Self::NeutralMerge,
        Self::Vouched,
        Self::Open,
        Self::Blocked,
        Self::Unsigned,
        Self::BadSignature,
        Self::UnknownKey,
        Self::NotAllowed,
        Self::Misplaced,
        Self::Refused,
    ];

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::NeutralMerge => "neutral-merge",
            Self::Vouched => "vouched",
            Self::Open => "open",
            Self::Blocked => "blocked",
            Self::Unsigned => "unsigned",
            Self::BadSignature => "bad-signature",
            Self::UnknownKey => "unknown-key",
            Self::NotAllowed => "not-allowed",
            Self::Misplaced => "misplaced",
            Self::Refused => "refused",
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Good => "Signed by a member whose role allows the change.",
            Self::NeutralMerge => {
                "A merge that holds exactly what its parents merge to; it needs no signature."
            }
            Self::Vouched => "Refused by the rules, and accepted by an admin who signed for it.",
            Self::Open => "Not proven. The team's trust is open, so it was accepted.",
            Self::Blocked => "Good by itself, but built on a change that is refused.",
            Self::Unsigned => "Nobody signed it.",
            Self::BadSignature => "Its signature does not cover exactly this content.",
            Self::UnknownKey => "Signed with a key that is not, or no longer, in the roster.",
            Self::NotAllowed => "Signed by a member whose role does not allow the change.",
            Self::Misplaced => "Signed for another team repository, ref or history.",
            Self::Refused => "Refused; the rule says why.",
        }
    }

    /// Whether it is refused: such a change must not reach an agent.
    pub fn is_refused(self) -> bool {
        self >= Self::Blocked
    }

    /// Whether it is proven who stands for it.
    pub fn is_proven(self) -> bool {
        self <= Self::Vouched
    }

    /// The class of a refusal.
    pub fn of(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Signature(SignatureProblem::Unsigned) => Self::Unsigned,
            Refusal::Signature(_) => Self::BadSignature,
            Refusal::UnknownKey(_)
            | Refusal::RevokedKey { .. }
            | Refusal::OtherFounder(_)
            | Refusal::Revoked(_) => Self::UnknownKey,
            Refusal::NotAllowed { .. } | Refusal::VouchNotAllowed(_) => Self::NotAllowed,
            Refusal::OtherStore | Refusal::OtherRef | Refusal::OtherRoot => Self::Misplaced,
            _ => Self::Refused,
        }
    }
}

impl Verdict {
    /// The verdict of a judgement.
    pub fn of(judged: &Judged) -> Self {
        let plain =
            |class: Class| Self { class, rule: class.name().to_owned(), why: None, by: None };
        match (&judged.authorisation, judged.blocked_by) {
            (Authorisation::Refuse(refusal), _) => Self {
                class: Class::of(refusal),
                rule: refusal.rule().to_owned(),
                why: Some(refusal.to_string()),
                by: None,
            },
            (_, Some(by)) if by != judged.id => Self {
                why: Some(format!("it builds on {}, which is refused", by.short())),
                by: Some(by),
                ..plain(Class::Blocked)
            },
            (Authorisation::Vouched { by, refusal }, _) => Self {
                class: Class::Vouched,
                rule: refusal.rule().to_owned(),
                why: Some(refusal.to_string()),
                by: Some(*by),
            },
            (Authorisation::Good { .. }, _) => plain(Class::Good),
            (Authorisation::Neutral, _) => plain(Class::NeutralMerge),
            (Authorisation::Open, _) => plain(Class::Open),
        }
    }

    /// The verdict on a change that nobody judged.
    pub fn unjudged() -> Self {
        let class = Class::Refused;
        let why = Some("it is not part of a history that can be judged".to_owned());
        Self { class, rule: "unverified".to_owned(), why, by: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_class_is_never_a_proven_one() {
        for class in Class::ALL {
            assert!(!(class.is_refused() && class.is_proven()), "{class:?}");
            let json = serde_json::to_value(class).unwrap();
            assert_eq!(json, class.name());
        }
        assert!(!Class::Open.is_refused() && !Class::Open.is_proven());
    }

    #[test]
    fn what_builds_on_a_refused_change_is_blocked_and_says_by_which() {
        let id = |n: u8| ObjectId::from_bytes(&[n; 20]).unwrap();
        let judged = |authorisation, blocked_by| Judged { id: id(1), authorisation, blocked_by };
        let open = Verdict::of(&judged(Authorisation::Open, Some(id(2))));
        assert_eq!((open.class, open.by), (Class::Blocked, Some(id(2))));
        let unsigned = Refusal::Signature(SignatureProblem::Unsigned);
        let refused = Verdict::of(&judged(Authorisation::Refuse(unsigned.clone()), Some(id(1))));
        assert_eq!((refused.class, refused.rule.as_str()), (Class::Unsigned, "unsigned"));
        let vouched = Authorisation::Vouched { by: id(3), refusal: unsigned };
        let vouched = Verdict::of(&judged(vouched, None));
        assert_eq!((vouched.class, vouched.by), (Class::Vouched, Some(id(3))));
        assert_eq!(vouched.rule, "unsigned");
    }
}

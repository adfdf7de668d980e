//! What the second model says of a commit.
//! Border: values; `model.rs` decides them.

use std::collections::BTreeSet;

use super::model::Set;
use super::roster::Tree;

/// What a commit is by itself, looking at its ancestors only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Own {
    Good,
    Unsigned,
    UnknownKey,
    NotAllowed,
    BrokenRoster,
    NoAdmin,
    RosterOnRefused,
}

/// The verdict on a commit, and on the history that ends in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) own: Own,
    /// Its tree is what our merge of its several parents gives.
    pub(crate) neutral: bool,
    /// The level that it takes (0 to 3).
    pub(crate) need: u8,
    /// Its roster is not what the parents give.
    pub(crate) changes_roster: bool,
    /// It is signed, not neutral, a good tip, and its roster gives less than the one that judged it.
    pub(crate) revokes: bool,
    /// Everything up to it is good or vouched for, and no conflict is left.
    pub(crate) good_tip: bool,
    /// J: the roster that judges it; empty for a commit without parents.
    pub(crate) judged_by: Tree,
    /// E: the roster that it hands on to its child.
    pub(crate) effect: Tree,
    /// Pairs of revocation and use among its ancestors that nobody excused.
    pub(crate) conflicts: BTreeSet<(usize, usize)>,
    /// Refused commits among its ancestors, itself included, that nobody vouched for.
    pub(crate) refused: Set,
}

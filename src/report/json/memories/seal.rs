//! `memsync seal|open|unseal|reseal|member add|member remove --format json`.
//! Border: shapes only. `open` is the one document that holds a sealed text: it was asked for.

use serde::Serialize;

use crate::sync::membership::members::MemberOutcome;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::sealed::open::SealedEntry;
use crate::sync::sealed::reseal::ResealOutcome;
use crate::sync::sealed::seal::SealOutcome;

/// Format of [`SealOutcome`] for `seal` and `remember --seal`: `path`, `readers`, `plain_history`
/// (`commits` whose version everyone can read, `unshared`: how many of them the next push shares),
/// `index_to_check`, and what was committed in `exchange`.
pub const SEAL_FORMAT: &str = "memsync.seal/1";
/// Format of [`OpenDocument`].
pub const OPEN_FORMAT: &str = "memsync.open/1";
/// Format of [`SealedDocument`].
pub const SEALED_FORMAT: &str = "memsync.sealed/1";
/// Format of [`UnsealDocument`].
pub const UNSEAL_FORMAT: &str = "memsync.unseal/1";
/// Format of [`ResealOutcome`]: `resealed` (`path`, `readers`, `added`, `removed`), `closed` (`path`,
/// `why`, `readers`), `unchanged`, and what was committed in `exchange`.
pub const RESEAL_FORMAT: &str = "memsync.reseal/1";
/// Format of [`MemberOutcome`] for changes of the roster: the fields of `memsync.sync/1`, and
/// `affected` (`path`, `gains`, `loses`), `resealed` (as `memsync.reseal/1`) and `exposed` (`path`,
/// `versions` that a removed member could open).
pub const MEMBER_CHANGE_FORMAT: &str = "memsync.member-change/1";

/// An opened memory.
#[derive(Clone, Debug, Serialize)]
pub struct OpenDocument<'a> {
    /// The file, below `team/`.
    pub path: &'a str,
    /// Who can open it.
    pub readers: Vec<String>,
    /// What was sealed: the text after the frontmatter.
    pub content: &'a str,
}

/// The sealed memories.
#[derive(Clone, Debug, Serialize)]
pub struct SealedDocument<'a> {
    /// In path order: `path`, `name`, `description`, `readers`, `yours` (whether one of your keys is
    /// among those that open it), and `problem` where it is not in order.
    pub sealed: &'a [SealedEntry],
}

/// A memory that is plain again.
#[derive(Clone, Debug, Serialize)]
pub struct UnsealDocument<'a> {
    /// The file, below `team/`.
    pub path: &'a str,
    /// What was committed, with the fields of `memsync.sync/1`.
    pub exchange: &'a ExchangeOutcome,
}

/// Documents that flows give as they are.
pub trait AsDocument: Serialize {
    /// The format's name.
    const FORMAT: &'static str;
}

impl AsDocument for SealOutcome {
    const FORMAT: &'static str = SEAL_FORMAT;
}

impl AsDocument for ResealOutcome {
    const FORMAT: &'static str = RESEAL_FORMAT;
}

impl AsDocument for MemberOutcome {
    const FORMAT: &'static str = MEMBER_CHANGE_FORMAT;
}

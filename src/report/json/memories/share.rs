//! `memsync share|unshare|edit|rename --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::memories::rename::RenamePlan;
use crate::memories::share::{Item, Plan};
use crate::memory::personal::Personal;
use crate::sync::outcome::ExchangeOutcome;

/// Format of [`MoveDocument`] for `share`.
pub const SHARE_FORMAT: &str = "memsync.share/1";
/// Format of [`MoveDocument`] for `unshare`.
pub const UNSHARE_FORMAT: &str = "memsync.unshare/1";

/// Memories that went to the other layer, or would.
#[derive(Clone, Debug, Serialize)]
pub struct MoveDocument<'a> {
    /// In the order in which they were named.
    pub memories: Vec<MovedMemory<'a>>,
    /// What was committed, with the fields of `memsync.sync/1`; `null` where nothing was done.
    pub exchange: Option<&'a ExchangeOutcome>,
}

/// A memory.
#[derive(Clone, Debug, Serialize)]
pub struct MovedMemory<'a> {
    /// Its path below the layer.
    pub path: &'a str,
    /// What is personal in the text on disk.
    pub personal: &'a [Personal],
    /// Whether it was taken out of the text that goes.
    pub taken_out: bool,
}

impl<'a> MoveDocument<'a> {
    /// Describes a plan, carried out or not.
    pub fn of(plan: &'a Plan, exchange: Option<&'a ExchangeOutcome>) -> Self {
        let one = |item: &'a Item| MovedMemory {
            path: item.path.as_str(),
            personal: &item.personal,
            taken_out: item.text != item.before,
        };
        Self { memories: plan.items.iter().map(one).collect(), exchange }
    }
}

/// Format of [`EditDocument`].
pub const EDIT_FORMAT: &str = "memsync.edit/1";
/// Format of [`RenameDocument`].
pub const RENAME_FORMAT: &str = "memsync.rename/1";

/// What became of an edit.
#[derive(Clone, Debug, Serialize)]
pub struct EditDocument<'a> {
    /// Below the memory directory.
    pub path: &'a str,
    /// Whether its text is another one now.
    pub changed: bool,
    /// What was committed, with the fields of `memsync.sync/1`; `null` in the private layer.
    pub exchange: Option<&'a ExchangeOutcome>,
}

/// A new name.
#[derive(Clone, Debug, Serialize)]
pub struct RenameDocument<'a> {
    /// `private` or `team`.
    pub layer: &'static str,
    /// The path before, below the layer.
    pub from: &'a str,
    /// The path after.
    pub to: &'a str,
    /// Other memories whose links change.
    pub linked: Vec<&'a str>,
    /// What was committed; `null` in the private layer, and where nothing was done.
    pub exchange: Option<&'a ExchangeOutcome>,
}

impl<'a> RenameDocument<'a> {
    /// Describes a plan, carried out or not.
    pub fn of(plan: &'a RenamePlan, exchange: Option<&'a ExchangeOutcome>) -> Self {
        let linked = plan.linked().collect();
        let (layer, to) = (plan.layer.name(), plan.to.as_str());
        Self { layer, from: &plan.from, to, linked, exchange }
    }
}

//! `memsync share|unshare --format json`.
//! Border: shapes only.

use serde::Serialize;

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

//! What the history on a server must start with, below its git dir in `memsync/`.
//! Border: a plain record; `hooks install` writes it, and the server's hook reads it.

use serde::{Deserialize, Serialize};

use super::state::Record;
use crate::base::id::ObjectId;
use crate::system::files::Durability;

/// The introduction that a server was given: what a newcomer is told, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPin {
    /// The root commit.
    pub root_commit: ObjectId,
    /// The fingerprint of the key that signed it; `None` in an open team that was started without one.
    pub root_signer: Option<String>,
}

impl Record for ServerPin {
    const NAME: &'static str = "memsync/introduction.json";
    const DURABILITY: Durability = Durability::Durable;
}

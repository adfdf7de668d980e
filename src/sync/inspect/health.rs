//! What `doctor` says of one thing: how it stands and what to do.
//! Border: the form of a finding; what is looked at is `doctor`'s and `checkup`'s.

use serde::Serialize;

use crate::store::state::RefusedIncoming;
use crate::sync::error::SyncError;

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Needs someone to act.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// What was looked at, for example `remote`.
    pub topic: &'static str,
    /// How it stands.
    pub state: Health,
    /// What was seen, ready to show.
    pub message: String,
    /// What to do; empty when nothing, or when `cause` says it.
    pub next_step: String,
    /// The error or refusal behind it, which has its own next step.
    #[serde(skip)]
    pub cause: Option<Cause>,
}

/// What stands behind a finding.
#[derive(Debug)]
pub enum Cause {
    /// A flow would stop with this.
    Error(SyncError),
    /// The remote offers what is refused.
    Refused(RefusedIncoming),
}

/// A finding whose next step is that of an error.
pub(crate) fn because(topic: &'static str, state: Health, error: SyncError) -> Finding {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    Finding { cause: Some(Cause::Error(error)), ..finding(topic, state, message, "") }
}

pub(crate) fn finding(
    topic: &'static str,
    state: Health,
    message: impl Into<String>,
    next_step: impl Into<String>,
) -> Finding {
    Finding { topic, state, message: message.into(), next_step: next_step.into(), cause: None }
}

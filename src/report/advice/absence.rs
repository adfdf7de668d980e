//! What helps somebody who may not share changes with a team.
//! Border: one sentence for each cause; the causes are `sync`'s.

use crate::sync::absence::Absence;

/// What helps; without a known cause, what helps most people.
pub(super) fn next_step(cause: Option<&Absence>) -> &'static str {
    let Some(cause) = cause else {
        return "If you are not a member yet, send an admin the line that `memsync member request` prints.";
    };
    match cause {
        Absence::NoKey(_) => {
            "Name your key with `--key PATH` or `MEMSYNC_KEY`; if you have none, `memsync key generate`, then `memsync member request --push`."
        }
        Absence::NeverAsked { .. } => {
            "Ask with `memsync member request --push`, or name the key you are a member with: `--key PATH`."
        }
        Absence::Waiting { .. } => {
            "Tell an admin your fingerprint, over another channel; `memsync member add FINGERPRINT` lets you in."
        }
        Absence::Removed { .. } => {
            "Talk to whoever did it; only an admin can let you in again, by `memsync member add`."
        }
        Absence::Revoked { .. } => {
            "Sign with the key that counts now: `--key PATH` or `MEMSYNC_KEY`. If it is lost, ask an admin with `memsync member request --push`."
        }
        Absence::Reader(_) => {
            "An admin can make you a writer with `memsync member role ID writer`."
        }
        Absence::OtherBranch { .. } => "Go back to the shared branch with `git switch` in `team/`.",
        Absence::OtherTeam(_) => {
            "Take the changes back with `git reset` in `team/` and make them here, or push them from the clone they were made in."
        }
    }
}

//! The document of `memsync hooks status --format json`.
//! Border: shape only; `sync::githooks::install` finds the facts.

use std::path::PathBuf;

use serde::Serialize;

use crate::sync::githooks::install::{HookState, HookStatus};
use crate::sync::githooks::install_merge_driver::DriverState;

/// What really runs in a repository's hooks.
///
/// ```json
/// {
///   "format": "memsync.hooks/1",
///   "hooks": [
///     { "hook": "pre-commit", "path": "/repo/.git/hooks/pre-commit", "state": "runs", "also": [] }
///   ],
///   "merge_driver": "runs",
///   "introduction": null
/// }
/// ```
#[derive(Debug, Serialize)]
pub struct Hooks {
    /// Always `memsync.hooks/1`.
    pub format: &'static str,
    /// One per hook that memsync has a script for: `pre-commit`, `pre-push`, `pre-receive`.
    pub hooks: Vec<Hook>,
    /// `absent`, `runs`, `program-gone`, or `no-attributes` (git knows it and gives it no files).
    pub merge_driver: &'static str,
    /// What the team memory of a server must start with, `COMMIT:FINGERPRINT`; null when it was not told.
    pub introduction: Option<String>,
}

/// One hook.
#[derive(Debug, Serialize)]
pub struct Hook {
    /// Its name.
    pub hook: &'static str,
    /// Its file where git looks for it.
    pub path: PathBuf,
    /// `absent`; `other` (a hook without memsync); `runs`; or why memsync stands there and does not
    /// surely run: `not-executable`, `hidden` (commands stand before it), `program-gone` (the one in
    /// PATH is tried), `bypassed` (`core.hooksPath` is set), `unreadable`.
    pub state: &'static str,
    /// Other commands git runs for the same event, from its configuration.
    pub also: Vec<String>,
}

impl Hooks {
    /// The document for what was found.
    pub fn of(found: &[HookStatus], driver: &DriverState, introduction: Option<String>) -> Self {
        let hook = |status: &HookStatus| Hook {
            hook: status.hook.as_str(),
            path: status.path.clone(),
            state: word(&status.state),
            also: status.also.clone(),
        };
        let merge_driver = match driver {
            DriverState::Absent => "absent",
            DriverState::Runs => "runs",
            DriverState::ProgramGone(_) => "program-gone",
            DriverState::NoAttributes => "no-attributes",
        };
        let hooks = found.iter().map(hook).collect();
        Self { format: "memsync.hooks/1", hooks, merge_driver, introduction }
    }
}

fn word(state: &HookState) -> &'static str {
    match state {
        HookState::Absent => "absent",
        HookState::Other => "other",
        HookState::Runs => "runs",
        HookState::NotExecutable => "not-executable",
        HookState::Hidden => "hidden",
        HookState::ProgramGone(_) => "program-gone",
        HookState::Bypassed(_) => "bypassed",
        HookState::Unreadable(_) => "unreadable",
    }
}

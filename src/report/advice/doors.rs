//! The rows for git hooks and for agents' clients: what others call memsync from.
//! Border: as `report::advice`; the errors are in `sync::githooks` and `agents`.

use super::row::{Advice, Advised, Exit, advice};
use crate::agents::error::AgentError;
use crate::agents::settings::json_text::JsonError;
use crate::git::GitError;
use crate::sync::githooks::HooksError;

impl Advised for HooksError {
    fn advice(&self) -> Advice {
        match self {
            Self::Git(error) if !matches!(error, GitError::Open { .. }) => error.advice(),
            Self::Git(_) => advice(
                Exit::Usage,
                "Run it inside a git repository, or name one with `--repo DIR`.",
            ),
            Self::File(error) => error.advice(),
            Self::Policy(_) => advice(
                Exit::Usage,
                "Correct `.memsync/policy.yaml` in the team memory; nothing is let through before.",
            ),
            Self::Setup(error) => error.advice(),
            Self::State(error) => error.advice(),
            Self::Clock(error) => error.advice(),
            Self::Trust(error) => error.advice(),
            Self::Input { .. } => {
                advice(Exit::Usage, "Let git start the hook, with its own input.")
            }
            Self::ForeignFolder { is_inside: true, .. } => advice(
                Exit::Usage,
                "memsync never takes over `core.hooksPath`. Add `--hooks-path` to put memsync into \
                 the hooks of that folder, or call `memsync hooks run NAME \"$@\"` from them yourself.",
            ),
            Self::ForeignFolder { .. } => advice(
                Exit::Usage,
                "memsync never takes over `core.hooksPath`. That folder serves other repositories \
                 too: call `memsync hooks run NAME \"$@\"` from its hooks yourself.",
            ),
            Self::NotExecutable { path } => advice(
                Exit::Usage,
                format!(
                    "If it should run: `chmod +x '{0}'`, otherwise move `{0}` away. Then install again.",
                    path.display()
                ),
            ),
            Self::NotAShellScript { hook, .. } => advice(
                Exit::Usage,
                format!(
                    "Call `memsync hooks run {hook}` with the same arguments and input from it."
                ),
            ),
            Self::BrokenBlock { .. } => advice(
                Exit::Usage,
                "Remove what is left between the lines that say `>>> memsync` and `<<< memsync` by hand.",
            ),
        }
    }
}

impl Advised for AgentError {
    fn advice(&self) -> Advice {
        match self {
            Self::Settings { why: JsonError::Extended { .. }, .. } => advice(
                Exit::Usage,
                "The client reads JSON without comments. Take them out of the file, then run the command again.",
            ),
            Self::Settings { .. } | Self::NotUtf8 { .. } => {
                advice(Exit::Usage, "Correct the file by hand, then run the command again.")
            }
            Self::Changed { .. } => {
                advice(Exit::World, "Close the client, then run the command again.")
            }
            Self::NoHome => advice(Exit::Usage, "Set `HOME` to your home folder."),
            Self::NoScope { .. } => advice(Exit::Usage, "Use `--user`."),
            Self::File(error) => error.advice(),
            Self::Index(error) => error.advice(),
            Self::Lock(error) => error.advice(),
            Self::Sync(error) => error.advice(),
            Self::Process { .. } => advice(
                Exit::World,
                "`memsync sync` shares what is here without a background process.",
            ),
        }
    }
}

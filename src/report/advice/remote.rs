//! The rows for addresses of remotes and for what the git program meets there.
//! Border: as `report::advice`; the errors are in `git::url` and `git::command`.

use super::row::{Advice, Advised, Exit, advice};
use crate::git::command::{Credential, GIT_VERSION_MIN, GitCommandError};
use crate::git::url::{UrlProblem, UrlRule};

impl Advised for UrlProblem {
    fn advice(&self) -> Advice {
        let next_step = match self.rule {
            UrlRule::Credential => {
                "Leave the password or token out; store it with a git credential helper or use ssh. \
                 If it was real, replace it: the command line may be in a history file."
            }
            UrlRule::PlainHttp => "Use the https or ssh address of the same repository.",
            _ => {
                "Give an address like `https://host/team/memory.git`, `git@host:team/memory.git` or `/path/to/hub.git`."
            }
        };
        advice(Exit::Usage, next_step)
    }
}

impl Advised for GitCommandError {
    fn advice(&self) -> Advice {
        match self {
            Self::Url(problem) => problem.advice(),
            Self::RefName { .. } => {
                advice(Exit::Usage, "Name an ordinary branch, for example `main`.")
            }
            Self::BranchName { .. } => {
                advice(Exit::Usage, "Use a plain name, for example `my-proposal` or `ada/ports`.")
            }
            Self::HostileObjects { .. } => advice(
                Exit::Trust,
                "Nothing was taken. Tell the team: someone published data that no memsync writes.",
            ),
            Self::Local { source } => source.advice(),
            _ => advice(Exit::World, next_step(self)),
        }
    }
}

/// What helps against each fault of the outside world.
fn next_step(error: &GitCommandError) -> String {
    let fixed = match error {
        GitCommandError::Missing { .. } => "Install git and make sure that `git` is in PATH.",
        GitCommandError::TooOld { .. } => {
            return format!("Update git to {GIT_VERSION_MIN} or later.");
        }
        GitCommandError::Unreachable { .. } | GitCommandError::TimedOut { .. } => {
            "Check the address (`memsync remote`) and the connection, then run the same command again."
        }
        GitCommandError::Certificate { .. } => {
            "Check that this is the right server. For a private authority set `http.sslCAInfo` in \
             your git configuration."
        }
        GitCommandError::HostKey { .. } => {
            "Connect once with `ssh` by hand, compare the fingerprint with the one your team \
             published, then run the same command again."
        }
        GitCommandError::Authentication { credential: Credential::SshKey, .. } => {
            "Load a key that the server knows with `ssh-add`; memsync asks for no passphrase. \
             `ssh-add -l` shows what is loaded."
        }
        GitCommandError::Authentication { .. } => {
            "Store a user name with password or token in a git credential helper \
             (`git config --global credential.helper`; what `team/.git/config` says does not count); \
             memsync asks for none."
        }
        GitCommandError::Refused { .. } => {
            "You may read there and not write, or the server objects to it. Ask its owner for write \
             access (a deploy key needs it ticked), or name an address where you have it with `memsync \
             remote set URL`; then run `memsync push` again."
        }
        GitCommandError::Declined { .. } => {
            "If the branch takes changes only by pull request, send yours to another branch with \
             `memsync push --branch NAME` and open one there; else settle what the server objects to, \
             then run `memsync push` again."
        }
        GitCommandError::LostRace { .. } => "Run the same command again.",
        GitCommandError::MissingRef { .. } => {
            "Check the branch name. A new remote is empty until the first `memsync push`."
        }
        GitCommandError::NotARepository { .. } => {
            "Check the address, that the repository exists, and that you may read it. `memsync remote \
             set URL` names another."
        }
        GitCommandError::WebPage { .. } => {
            "Copy the address for `git clone` from the host's page, not the one in the browser, and name \
             it with `memsync remote set URL`. Behind a sign-in page use the ssh address, or store a \
             token in a git credential helper."
        }
        GitCommandError::ForeignOwner { .. } => {
            "If you trust its owner: `git config --global --add safe.directory PATH` with that path."
        }
        GitCommandError::Protocol { .. } => {
            "Remove the `url.*.insteadOf` in your git configuration that leads to it."
        }
        GitCommandError::Scratch { .. } => {
            "Make room there, or name another folder with `TMPDIR`. Nothing was lost."
        }
        GitCommandError::DiskFull { .. } => "Make room, then run the same command again.",
        GitCommandError::Cancelled { .. } => "Run the same command again; nothing is half done.",
        GitCommandError::TooMuchOutput { .. } => "Use a repository of its own for the team memory.",
        _ => "Try the same with plain `git fetch` or `git push` in the team folder to see more.",
    };
    fixed.to_owned()
}

//! The rows for errors of the sharing flows, their records and local git data.
//! Border: as `report::advice`; the errors are in `sync`, `store` and `git`.

use super::row::{Advice, Advised, Exit, advice};
use super::state::word;
use super::trust::ways_out;
use crate::gate::verdict::Reason;
use crate::git::GitError;
use crate::git::setup::config::ConfigError;
use crate::sync::error::SyncError;
use crate::trust::roster::{NAME_CHARS_MAX, RosterProblem};

/// Said wherever a run stopped half-way with local work done.
const NOTHING_LOST: &str =
    "Nothing is lost: your changes are committed here and go with the next `memsync push`.";

impl Advised for SyncError {
    fn advice(&self) -> Advice {
        match self {
            Self::File(error) => error.advice(),
            Self::State(error) => error.advice(),
            Self::Git(error) => error.advice(),
            Self::Config(ConfigError::File(error)) => error.advice(),
            Self::Config(_) => {
                advice(Exit::Usage, "Correct the file, or move it aside and run the command again.")
            }
            Self::Lock(error) => error.advice(),
            Self::Url(error) => error.advice(),
            Self::Remote(state) => state.advice(),
            Self::Renew(error) => error.advice(),
            Self::Reverse(error) => error.advice(),
            Self::Command(error) => error.advice(),
            Self::Unsent(error) => {
                let known = error.advice();
                advice(known.exit, format!("{} {NOTHING_LOST}", known.next_step))
            }
            Self::Lists(error) => error.advice(),
            Self::NoMember(_) => advice(
                Exit::Usage,
                "`memsync member list` lists the members, `memsync log` who wrote what.",
            ),
            Self::Seal(error) => error.advice(),
            Self::Sign(_) => advice(Exit::Usage, "Check your key with `memsync key show`."),
            _ => self
                .place_advice()
                .or_else(|| self.content_advice())
                .or_else(|| self.member_advice())
                .or_else(|| self.resolve_advice())
                .unwrap_or_else(|| self.remote_advice()),
        }
    }
}

impl SyncError {
    /// Where things are and in which state.
    fn place_advice(&self) -> Option<Advice> {
        Some(match self {
            Self::NoMemoryDirectory(_) => advice(
                Exit::Usage,
                "`memsync where` shows how the directory was chosen. Run the command inside the project, name it with `--memdir DIR`, or start with `memsync init`.",
            ),
            Self::NoTeam(_) => advice(
                Exit::Usage,
                "Start one with `memsync init --remote URL`, or take part in your team's with `memsync join URL`.",
            ),
            Self::NotARepository(_) => advice(
                Exit::Usage,
                "Run `memsync init` to make it one; the memories in it are kept.",
            ),
            Self::TeamIsLink(_) => advice(Exit::No, "Replace the link by the folder it points to."),
            Self::AlreadySetUp(_) => {
                advice(Exit::Usage, "Use `memsync sync` to share, `memsync status` to look.")
            }
            Self::OtherProject { .. } => advice(
                Exit::Usage,
                "Two projects share one memory directory because their paths differ only in punctuation. Give one of them its own with `MEMSYNC_MEMDIR`; if the project was moved, run `memsync doctor --fix`.",
            ),
            Self::Unfinished { team, operation } => advice(
                Exit::Usage,
                format!(
                    "Finish it, or take it back with `git -C {} {operation} --abort`.",
                    team.display()
                ),
            ),
            Self::Detached(team) => advice(
                Exit::Usage,
                format!(
                    "Go back to the shared branch with `git -C {} switch main`.",
                    team.display()
                ),
            ),
            Self::Unborn(_) => advice(
                Exit::Usage,
                "An earlier `init` or `join` did not finish. Run it again; memories stay.",
            ),
            Self::Policy(error) => error.advice(),
            Self::Roster(problem @ RosterProblem::Format(_)) => problem.advice(),
            Self::Roster(_) => advice(
                Exit::Trust,
                "An admin corrects `.memsync/roster.yaml`. Nothing is shared while it cannot be read.",
            ),
            Self::NoKey => advice(
                Exit::Usage,
                "Make one with `memsync key generate`, or name one with `MEMSYNC_KEY`. Without a roster no key is needed: `memsync init --open`.",
            ),
            Self::NoMemberId(_) => advice(
                Exit::Usage,
                "Choose an id with `--as ID`: lower-case letters, digits, `-`, `_`, `.`.",
            ),
            Self::NoRemote(_) => advice(
                Exit::Usage,
                "Set one with `memsync remote set URL`, then run `memsync push`.",
            ),
            Self::Busy { .. } => advice(
                Exit::World,
                "Wait for it to finish, or give more time with `--wait SECONDS`.",
            ),
            _ => return None,
        })
    }

    /// What memories say and what people decided.
    fn content_advice(&self) -> Option<Advice> {
        Some(match self {
            Self::MassDeletion { team, .. } => advice(
                Exit::No,
                format!(
                    "If that is what you want, run the command again with `--yes`. If not, bring the files back with `git -C {} checkout -- .`.",
                    team.display()
                ),
            ),
            Self::FirstReconciliation { .. } => advice(
                Exit::No,
                "Nothing was changed. Run the command again with `--yes` to make these changes.",
            ),
            Self::IndexNotUtf8(_) => advice(Exit::No, "Save the file as UTF-8, then run it again."),
            Self::UnsafeTree(_) => advice(
                Exit::No,
                "Rename the file with plain git, commit, and run the command again.",
            ),
            Self::OutgoingRefused { team, restart, reasons, .. } => {
                let start =
                    restart.map_or_else(|| "the first commit".to_owned(), |id| id.to_string());
                let rotate = if reasons.iter().any(Reason::is_secret) {
                    " A secret that was shown to anyone must be rotated."
                } else {
                    ""
                };
                advice(
                    Exit::No,
                    format!(
                        "Correct what is named and run `memsync push` again: what was never shared is left out then. Or take the commits back with `git -C {} reset --soft {start}`.{rotate}",
                        team.display()
                    ),
                )
            }
            Self::EnvelopeRefused(_) => advice(
                Exit::No,
                "It is sent with every change. Take it out where it comes from (`git config user.name` and `user.email`, `MEMSYNC_NAME`, `MEMSYNC_EMAIL`, `MEMSYNC_AGENT`, `MEMSYNC_SESSION`, the name of a file) and run the command again. A secret that was shown to anyone must be rotated.",
            ),
            Self::NoMemory(_) => advice(Exit::Usage, "`memsync list` shows what there is."),
            Self::NameTaken { .. } => {
                advice(Exit::Usage, "Choose another name, or write over it with `--replace`.")
            }
            Self::BadName(_) => advice(Exit::Usage, "Use letters and digits in the name."),
            Self::NoCommit(_) => advice(Exit::Usage, "`memsync log` lists the commits."),
            Self::Refused(reasons) => {
                let steps: Vec<&str> =
                    reasons.iter().map(|reason| reason.next_step.as_str()).collect();
                advice(Exit::No, format!("To go on: {}.", steps.join("; ")))
            }
            _ => return None,
        })
    }

    /// Who is let in, with which key, and what an admin accepts.
    fn member_advice(&self) -> Option<Advice> {
        Some(match self {
            Self::RosterChange(problem) => problem.advice(),
            Self::MissingHistory(_) => advice(
                Exit::Usage,
                "Fetch the whole history, also of the target branch: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` in GitLab, or `git fetch --unshallow origin`.",
            ),
            Self::NoRequest(_) => advice(
                Exit::No,
                "`memsync member list --requests` shows who asks. They run `memsync member request --push`, or send you the line.",
            ),
            Self::ManyRequests(_) => advice(
                Exit::No,
                "Name the right one by its fingerprint, as `memsync member list --requests` shows it.",
            ),
            Self::UnconfirmedRequest { fingerprint, .. } => advice(
                Exit::No,
                format!(
                    "Anyone who may push can ask under any name. Ask the person, over another channel, what `memsync key show` says there; then `memsync member add {fingerprint}`."
                ),
            ),
            Self::ForeignProject { owner, .. } => advice(
                Exit::Usage,
                format!(
                    "Check the address. If it is the same project under another name, add `--project {owner}`."
                ),
            ),
            Self::RotationWaits(_) => advice(
                Exit::Trust,
                "`memsync pull` says who must do what; then rotate the key again.",
            ),
            Self::UnnamedAdmins(ids) => advice(
                Exit::No,
                format!(
                    "`--yes` answers for no new admin. If that is meant, add {}; or leave `--yes` out and read what comes in.",
                    ids.iter()
                        .map(|id| format!("`--new-admin {id}`"))
                        .collect::<Vec<_>>()
                        .join(" ")
                ),
            ),
            Self::StillRefused(_) => advice(
                Exit::Trust,
                "Name every refused commit; only an admin's vouch counts, and a path or object that is forbidden cannot be vouched for.",
            ),
            Self::OwnRequest(..) => advice(
                Exit::Usage,
                format!(
                    "Choose a display name of at most {NAME_CHARS_MAX} characters, all of them visible or blanks, with `MEMSYNC_NAME` or `git config --global user.name NAME`, and run the command again."
                ),
            ),
            Self::Request(_) => advice(
                Exit::Usage,
                "Ask for a fresh line: the person runs `memsync member request`.",
            ),
            other => return ways_out(other),
        })
    }

    /// What the remote has and who may be trusted.
    fn remote_advice(&self) -> Advice {
        match self {
            Self::NoRemoteBranch { .. } => advice(
                Exit::World,
                "If the remote is new, start the team memory there with `memsync init --remote URL`.",
            ),
            Self::RemoteNotEmpty(url) => advice(
                Exit::Usage,
                format!(
                    "If it is your team's, take part with `memsync join {}`. Else use an empty repository: have the host add no README, license or `.gitignore`.",
                    word(url)
                ),
            ),
            Self::NotACheckout(_) => advice(
                Exit::Usage,
                "Run it at the top of a checkout of the team repository, or name one with `--repo DIR`.",
            ),
            Self::NotATeamRepository(_) => advice(
                Exit::Usage,
                "Check the address. A new team memory is started with `memsync init --remote URL` on an empty repository.",
            ),
            Self::Rewritten { .. } => advice(
                Exit::Trust,
                "Ask who rewrote it and why; both histories are kept under `refs/memsync/rescue/`. `memsync accept-rewrite` takes the new one. To put the old one back, whoever may force a push runs, in `team/`, `git push --force origin refs/memsync/verified/main:main`.",
            ),
            Self::Unrelated => advice(
                Exit::Trust,
                "Check the address: this team memory and the remote were started apart. Join the remote in a fresh memory directory.",
            ),
            Self::WrongIntroduction { .. } => advice(
                Exit::Trust,
                "This is not the team memory you were told of, or the introduction was copied wrongly. Ask a member, over another channel, for the address and the introduction (`memsync status --verbose` shows it); take nothing from here until both agree.",
            ),
            Self::UnconfirmedIntroduction(_) => advice(
                Exit::Trust,
                "Ask a member for the introduction (`memsync status --verbose` shows it) and pass it with `--introduction COMMIT:FINGERPRINT`, or take what is there with `--accept-introduction`.",
            ),
            Self::NotEntitled(_) => advice(
                Exit::Trust,
                "Ask an admin to do it, or to give you another role (`memsync member role ID ROLE`).",
            ),
            Self::NotAuthorised { cause, .. } => {
                let step = super::absence::next_step(cause.as_deref());
                advice(Exit::Trust, format!("{step} {NOTHING_LOST}"))
            }
            Self::NothingAcceptable { .. } => {
                advice(Exit::Trust, "Ask the owner of the repository to correct it.")
            }
            Self::SharedBranch(_) => advice(
                Exit::Usage,
                "Name a branch of its own, for example `memsync push --branch my-proposal`; without `--branch` a push goes to the shared branch.",
            ),
            Self::ForeignBranch { .. } => advice(
                Exit::No,
                format!(
                    "Nothing there was changed. Choose another name, or delete the branch on the host if nobody needs it, and run the command again. {NOTHING_LOST}"
                ),
            ),
            Self::NotTaken { .. } => advice(
                Exit::World,
                format!(
                    "Check the rights and hooks there, or offer the changes for review with `memsync push --branch NAME`. {NOTHING_LOST}"
                ),
            ),
            Self::LostRaces { .. } => advice(
                Exit::World,
                format!("Run it again, or give more time with `--wait SECONDS`. {NOTHING_LOST}"),
            ),
            _ => advice(Exit::Bug, "Please report this with the output of `memsync doctor`."),
        }
    }
}

/// A path as one word of a shell.
fn shell(path: &std::path::Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

impl Advised for GitError {
    fn advice(&self) -> Advice {
        match self {
            Self::Open { .. } | Self::Malformed { .. } | Self::Read { .. } => advice(
                Exit::World,
                "Run `git fsck` there. If a team memory is damaged, move `team/` aside and `memsync join` again; edits in the old folder stay.",
            ),
            Self::Create { .. } | Self::Write { .. } | Self::Disk { .. } => advice(
                Exit::World,
                "Check free space and permissions, then run the command again. Nothing was lost.",
            ),
            Self::View { source, .. } | Self::File(source) => source.advice(),
            Self::Altered { .. } => advice(
                Exit::World,
                "Nothing was shared. Run `git fsck` there. Somebody or a broken disk changed it: move `team/` aside and `memsync join` again; edits in the old folder stay.",
            ),
            Self::NotAFile { path, .. } => advice(
                Exit::World,
                format!(
                    "No program of git's makes it. Look at it, and take it away with `rm {}`.",
                    shell(path)
                ),
            ),
            Self::ManyFiles { .. } => advice(Exit::World, "Run `git pack-refs --all` there."),
            Self::Unreadable { .. } => advice(
                Exit::World,
                "Check the permissions of the file, then run the command again.",
            ),
            Self::ForeignOwner { path } => advice(
                Exit::World,
                format!(
                    "If you trust its owner: `git config --global --add safe.directory {}`.",
                    shell(path)
                ),
            ),
            Self::Borrowed { path } if path.ends_with("commondir") => advice(
                Exit::World,
                format!(
                    "A team memory is a repository of its own. Take the file away with `rm {}`.",
                    shell(path)
                ),
            ),
            Self::Borrowed { path } => advice(
                Exit::World,
                format!(
                    "Copy what is needed with `git -C {} repack -a -d`, then take the file away with `rm {}`.",
                    shell(path.ancestors().nth(4).unwrap_or(path)),
                    shell(path)
                ),
            ),
            Self::Setting { path, name } if name == "grafts" => advice(
                Exit::World,
                format!(
                    "Git would send other commits than these. Take the file away with `rm {}`.",
                    shell(path)
                ),
            ),
            Self::Setting { path, .. } => {
                advice(Exit::World, format!("Take them out of `{}`.", path.display()))
            }
            Self::TooLarge { .. } => advice(Exit::No, "Ask the author to make it smaller."),
            Self::RefMoved { .. } => advice(Exit::World, "Run the command again."),
            Self::BadRefName { .. } => {
                advice(Exit::Usage, "Use a plain branch name such as `main`.")
            }
            Self::Locked { .. } => advice(
                Exit::World,
                "Wait for the other git command to end. If there is none, `memsync doctor --fix` removes a lock that a dead process left.",
            ),
        }
    }
}

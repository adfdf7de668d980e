//! The rows for clones and remotes that stand apart.
//! Border: as `report::advice`; the states are in `sync::remote_state`.

use super::row::{Advice, Advised, Exit, advice};
use crate::sync::remote_state::RemoteState;
use crate::sync::renew_error::RenewError;

/// Said where the remote holds what is not this team memory.
const WRONG_PLACE: &str = "`memsync remote` shows the address and `memsync remote set URL` names another. Nothing was \
                           taken or sent; your changes are kept here.";

impl Advised for RemoteState {
    fn advice(&self) -> Advice {
        match self {
            Self::BranchGone { .. } | Self::Emptied { .. } => advice(
                Exit::World,
                format!(
                    "Ask who took it away. If nobody meant to, `memsync push --restore` puts back what you have. If the team moved, {WRONG_PLACE}"
                ),
            ),
            Self::WentBack { .. } => advice(
                Exit::Trust,
                "Ask the owner of the host: this is what a restored backup looks like. `memsync push --restore` puts back what is missing there, with your changes. If it was taken back on purpose, follow it with `memsync accept-rewrite`. Both states are kept under `refs/memsync/rescue/`.",
            ),
            Self::NoTeamThere { .. } => advice(
                Exit::Usage,
                format!(
                    "If the repository was made for the team memory, make it again at the host, empty (no README), and run `memsync push --restore`. Else the address is wrong: {WRONG_PLACE}"
                ),
            ),
            Self::Renewed { by: Some(_), .. } => advice(
                Exit::Trust,
                "`memsync accept-rewrite` follows, after you say yes; your unshared changes are put onto it. Both histories are kept under `refs/memsync/rescue/` until then.",
            ),
            Self::Renewed { found, .. } => advice(
                Exit::Trust,
                format!(
                    "Ask a member over another channel whether the team starts with that now. If so: `memsync accept-rewrite --introduction {found}`. Your unshared changes are put onto it."
                ),
            ),
            Self::OtherTeam { found, .. } => advice(
                Exit::Trust,
                format!(
                    "If the address is wrong: {WRONG_PLACE} If your team was started anew, ask a member over another channel whether it starts with that, and follow with `memsync accept-rewrite --introduction {found}`."
                ),
            ),
            Self::OtherBranch { team, shared, here } => advice(
                Exit::Usage,
                format!(
                    "Go back with `git -C {} switch {shared}`; what is not committed comes along. What you committed on the other branch, `git -C {0} merge {here}` brings over. To offer changes for review, stay on `{shared}` and run `memsync push --branch NAME`.",
                    word(&team.display().to_string())
                ),
            ),
            Self::PlainClone { remote, .. } => {
                let url = remote.as_deref().map_or_else(|| "URL".to_owned(), word);
                advice(
                    Exit::Usage,
                    format!(
                        "`memsync join {url}` adopts it: the history is verified and your changes stay."
                    ),
                )
            }
            Self::Unverified { .. } => advice(
                Exit::Trust,
                "Move `team/` aside and run `memsync join` again; then copy what is yours into the new one.",
            ),
            Self::NothingRewritten(_) => {
                advice(Exit::No, "`memsync pull` takes what is new there.")
            }
            Self::NothingGone(_) => advice(
                Exit::No,
                "`memsync push` shares your changes, `memsync pull` takes others'.",
            ),
            Self::RestoreUnconfirmed(_) | Self::FollowUnconfirmed(_) => {
                advice(Exit::No, "Run it on a terminal and answer, or add `--yes`.")
            }
        }
    }
}

impl Advised for RenewError {
    fn advice(&self) -> Advice {
        match self {
            Self::Refused(_) => advice(
                Exit::Trust,
                "`memsync pull` says who must do what; then run the command again.",
            ),
            Self::Unshared(_) => {
                advice(Exit::No, "Share them with `memsync push`, then run the command again.")
            }
            Self::NotAdmin(admins) if admins.is_empty() => {
                advice(Exit::Trust, "Ask an admin: `memsync member list` names them.")
            }
            Self::NotAdmin(admins) => {
                advice(Exit::Trust, format!("Ask an admin to run it: {}.", admins.join(", ")))
            }
            Self::HasAdmin(_) => advice(
                Exit::No,
                "`memsync member list` shows the team; `memsync member role ID ROLE` and `memsync member remove ID` change it. To take text out of the history: `memsync purge FINGERPRINT`.",
            ),
            Self::NotAMember => advice(
                Exit::Trust,
                "A member has to run it. If you have the key of one elsewhere, name it with `--key PATH`.",
            ),
            Self::Nothing | Self::NotFound(_) | Self::ValueNotFound => advice(
                Exit::Usage,
                "`memsync scan --history`, in `team/`, prints fingerprints. What no rule knows comes from stdin, one value a line: `memsync purge --stdin < FILE`.",
            ),
            Self::TooShort { .. } => {
                advice(Exit::Usage, "Name more of the text, with what stands around it.")
            }
            Self::InName => advice(
                Exit::No,
                "Start a team memory in a new repository with `memsync init`, and copy the memories under other names.",
            ),
            Self::Unconfirmed => {
                advice(Exit::No, "Run it on a terminal and answer, or add `--yes`.")
            }
            Self::NotTaken(_) => advice(
                Exit::World,
                "Nothing was replaced. Run it again; if it stays so, allow forced pushes to that branch at the host for a moment.",
            ),
            Self::Declined { .. } => advice(
                Exit::World,
                "Nothing was replaced. Allow forced pushes to that branch at the host for a moment, then run it again.",
            ),
            Self::HeldByHook(_) => advice(
                Exit::World,
                "Nothing was replaced. Whoever runs the server takes the hook out with `memsync hooks uninstall --repo DIR`. Then run this again, and put the hook back with the introduction that it prints: `memsync hooks install --repo DIR --introduction COMMIT:FINGERPRINT pre-receive`.",
            ),
        }
    }
}

/// A text as one word of a shell; quoted only where it must be.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+=~".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

//! The rows for trust: keys, agents, signatures, rosters, requests and refused commits.
//! Border: as `report::advice`; the errors are in `trust`, `system` and `sync::keys`.

use super::row::{Advice, Advised, Exit, advice};
use crate::base::id::ObjectId;
use crate::store::state::RefusedIncoming;
use crate::sync::error::SyncError;
use crate::sync::keys::signing_key::{KEY_VARIABLE, KeyError};
use crate::system::private::PrivateFileError;
use crate::system::ssh_agent::AgentError;
use crate::trust::commit::CommitProblem;
use crate::trust::key::{KeyProblem, SecretKeyError};
use crate::trust::request::RequestProblem;
use crate::trust::roster::RosterProblem;
use crate::trust::signature::{SignError, SignatureProblem};
use crate::trust::trailers::{TrailerProblem, VOUCHES_MAX};
use crate::trust::verdict::Refusal;

/// What to do when what the remote offers was refused from some commit on.
pub fn after_refusal(refused: &RefusedIncoming) -> String {
    let step = match refused.rule.as_str() {
        // What was taken before is below it, so it is this team's repository.
        "other-root" => SECOND_ROOT.to_owned(),
        "other-founder" => OTHER_TEAM.to_owned(),
        _ if refused.is_vouchable => {
            let named: Vec<String> = refused.commits.iter().map(ObjectId::short).collect();
            let named = match named.is_empty() || refused.count > named.len() {
                true => String::new(),
                false => format!(" {}", named.join(" ")),
            };
            let who = match refused.admins.is_empty() {
                true => "an admin".to_owned(),
                false => format!("an admin ({})", refused.admins.join(", ")),
            };
            let member = match refused.rule.as_str() {
                "unknown-key" => {
                    " A person who should be a member is added with `memsync member add` as well."
                }
                _ => "",
            };
            format!(
                "Look at it with `memsync diff --incoming`. If it is wanted, {who} accepts it with \
                 `memsync vouch{named}`, else takes its content out again with `memsync vouch \
                 --undo{named}`; or its author shares the change again with memsync.{member}"
            )
        }
        _ if refused.count > VOUCHES_MAX => format!(
            "{} commits are refused, and a vouch names at most {VOUCHES_MAX}. Have their authors share \
             the changes again with memsync, or put the remote back to what was verified, with your own \
             changes on it: `memsync push --over-refused`.",
            refused.count
        ),
        _ => "Nobody can vouch for it. `memsync push --over-refused` puts the remote back to what \
              was verified, with your own changes on it; the author shares the rest again."
            .to_owned(),
    };
    format!("{step} What came before was taken; your own changes wait.")
}

/// What to do where a way out of a refusal was not taken.
pub(super) fn ways_out(error: &SyncError) -> Option<Advice> {
    Some(match error {
        SyncError::NothingRefused => advice(Exit::No, "`memsync pull` takes what is there."),
        SyncError::NotVouchable { .. } => advice(
            Exit::Trust,
            "No vouch lifts a forbidden file. `memsync push --over-refused` puts the remote back to what was verified.",
        ),
        SyncError::VouchUnconfirmed(_) => advice(
            Exit::No,
            "Run it on a terminal and answer, or add `--yes`. `memsync vouch --undo` accepts the commits without their content.",
        ),
        SyncError::OverRefusedUnconfirmed(_) => {
            advice(Exit::No, "Run it on a terminal and answer, or add `--yes`.")
        }
        _ => return None,
    })
}

/// Said when a remote is not what was joined.
const OTHER_TEAM: &str = "The remote is not the team repository you joined. Ask an admin, over \
                          another channel, for its address and introduction.";

/// Said when a second beginning was merged into the history of the team.
const SECOND_ROOT: &str = "Another history was merged into this one, which no vouch lifts. Whoever may push \
                           puts the remote back with `memsync push --over-refused`.";

/// What an admin does about a commit that is refused.
const VOUCH: &str = "Look at the commit. If the change is wanted, an admin can accept it with \
                     `memsync vouch COMMIT`; if not, undo it on the remote.";

impl Advised for KeyError {
    fn advice(&self) -> Advice {
        match self {
            Self::NoHome => {
                advice(Exit::Usage, "Set `HOME`, or name a key file with `--key PATH`.")
            }
            Self::Missing(_) => advice(
                Exit::Usage,
                "Make one with `memsync key generate`, or name an existing one with `--key PATH`.",
            ),
            Self::Exists(_) => advice(
                Exit::No,
                "Keep using it, choose another file with `--key PATH`, or put another in its place with `memsync key rotate --to FILE`, which keeps the old one aside.",
            ),
            Self::Place(_) => advice(Exit::Usage, "Give a plain file name in a folder of yours."),
            Self::Private(error) => error.advice(),
            Self::File(error) => error.advice(),
            Self::Secret(error) => error.advice(),
            Self::Public { source, .. } => source.advice(),
            Self::NoAgent(_) => advice(
                Exit::Usage,
                "Start ssh-agent and add the key with `ssh-add`, or name the private key file.",
            ),
            Self::Agent(error) => error.advice(),
            Self::Random(_) => advice(Exit::World, "Run the command again once the system is up."),
        }
    }
}

impl Advised for PrivateFileError {
    fn advice(&self) -> Advice {
        match self {
            Self::NotFound(_) => advice(Exit::Usage, "Check the path."),
            Self::Exposed { .. } => advice(
                Exit::Trust,
                "Run `chmod 600` on it. If others could read a private key, replace the key.",
            ),
            Self::Foreign(_) => advice(Exit::Trust, "Use a key file of your own."),
            Self::Unfit { .. } => {
                advice(Exit::Usage, format!("Check `--key` and `{KEY_VARIABLE}`."))
            }
            Self::Io { .. } => advice(Exit::World, "Check the disk and the permissions."),
        }
    }
}

impl Advised for SecretKeyError {
    fn advice(&self) -> Advice {
        match self {
            Self::Malformed { .. } | Self::Unusable { .. } => advice(
                Exit::Usage,
                "Use an OpenSSH ed25519 key, as `memsync key generate` or `ssh-keygen -t ed25519` makes it.",
            ),
            Self::Public(_) => advice(Exit::Usage, "Name the file without `.pub`."),
            Self::Rounds { .. } => {
                advice(Exit::Usage, "Write the key again with `ssh-keygen -p -a 24 -f FILE`.")
            }
            Self::Locked(_) => advice(
                Exit::Usage,
                "Run the command on a terminal, or add the key to ssh-agent with `ssh-add`.",
            ),
            Self::WrongPassphrase(_) => {
                advice(Exit::Usage, "Run the command again with the right passphrase.")
            }
        }
    }
}

impl Advised for AgentError {
    fn advice(&self) -> Advice {
        match self {
            Self::Io { .. } | Self::Reply => advice(
                Exit::World,
                "Check `SSH_AUTH_SOCK` and `ssh-add -l`, or name the private key file with `--key`.",
            ),
            Self::Refused => advice(Exit::World, "Unlock the agent, or confirm its question."),
            Self::NoKey(_) => advice(Exit::Usage, "Add the key to the agent with `ssh-add`."),
        }
    }
}

impl Advised for SignError {
    fn advice(&self) -> Advice {
        match self {
            Self::Locked { .. } => advice(
                Exit::Usage,
                "Unlock it in ssh-agent, or run the command on a terminal, where the passphrase can be asked.",
            ),
            Self::Agent { .. } => advice(
                Exit::World,
                "Check `ssh-add -l`, or name the private key file with `--key`. Nothing was lost.",
            ),
            Self::Wrong(_) => {
                advice(Exit::Trust, "Do not use this agent; name a key file with `--key`.")
            }
            Self::Commit(_) => advice(Exit::Bug, "Please report this."),
        }
    }
}

impl Advised for KeyProblem {
    fn advice(&self) -> Advice {
        let next_step = match self {
            Self::Fingerprint(_) => "Copy the fingerprint as `memsync key show` prints it.",
            _ => "Give a key line as `memsync key show` prints it: `ssh-ed25519 AAAA…`.",
        };
        advice(Exit::Usage, next_step)
    }
}

impl Advised for RosterProblem {
    fn advice(&self) -> Advice {
        match self {
            Self::Format(_) => advice(
                Exit::Usage,
                "If the team uses a newer memsync, update yours; else an admin restores the file from history.",
            ),
            Self::Shape(_) | Self::TooMany(_) => advice(
                Exit::Trust,
                "An admin has to restore the file from history; change it with `memsync member` only.",
            ),
            Self::LastAdmin(_) => {
                advice(Exit::No, "Make another member admin first: `memsync member role ID admin`.")
            }
            Self::IdTwice(_) => advice(
                Exit::No,
                "If it is the same person on another machine, add `--device NAME`; with a new key in place of the others, `--new-key`. Else ask them for a line with another id: `memsync member request --as ID`.",
            ),
            Self::KeyTwice { .. } => advice(Exit::No, "Use a key of its own for each member."),
            Self::DeviceTwice { .. } => advice(
                Exit::No,
                "Choose another name, or take the old one away with `memsync member remove ID --device NAME`.",
            ),
            Self::NoDevice { .. } | Self::Unknown(_) | Self::UnknownKey(_) => {
                advice(Exit::Usage, "See `memsync member list`.")
            }
            _ => advice(Exit::Usage, "Correct the value and run the command again."),
        }
    }
}

impl Advised for RequestProblem {
    fn advice(&self) -> Advice {
        match self {
            Self::Malformed(_) | Self::Member(_) => advice(
                Exit::Usage,
                "Ask for the whole line that `memsync member request` prints, unchanged.",
            ),
            Self::Proof(_) => advice(
                Exit::Trust,
                "Do not add this key. Ask the person for a new line over a channel you trust.",
            ),
            Self::OtherStore(_) => advice(
                Exit::Trust,
                "Ask the person to join this team repository and send the line made there.",
            ),
        }
    }
}

impl Advised for CommitProblem {
    fn advice(&self) -> Advice {
        advice(Exit::Trust, VOUCH)
    }
}

impl Advised for SignatureProblem {
    fn advice(&self) -> Advice {
        advice(Exit::Trust, VOUCH)
    }
}

impl Advised for TrailerProblem {
    fn advice(&self) -> Advice {
        advice(Exit::Trust, VOUCH)
    }
}

impl Advised for Refusal {
    fn advice(&self) -> Advice {
        let next_step = match self {
            Self::OtherRoot | Self::OtherFounder(_) => OTHER_TEAM,
            Self::UnknownKey(_) => {
                "If the person should be a member, an admin adds the key with `memsync member add` \
                 and accepts the commit with `memsync vouch COMMIT`."
            }
            Self::NoRoster | Self::RosterRemoved | Self::RosterBroken(_) | Self::NoAdmin => {
                "An admin has to restore roster and policy from the last good commit."
            }
            Self::OtherStore | Self::OtherRef => {
                "Somebody put a commit here that was signed for another place. Ask who did, and \
                 undo it on the remote."
            }
            _ => VOUCH,
        };
        advice(Exit::Trust, next_step)
    }
}

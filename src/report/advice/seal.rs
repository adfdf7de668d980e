//! The rows for sealed memories and the keys that open them.
//! Border: as `report::advice`; the errors are in `seal` and `sync::seal_*`.

use super::row::{Advice, Advised, Exit, advice};
use crate::seal::SealProblem;
use crate::seal::unlock::UnlockError;
use crate::sync::keys::identities::IdentityError;
use crate::sync::keys::signing_key::KeyError;
use crate::sync::seal_error::SealError;
use crate::trust::key::SecretKeyError;

impl Advised for SealError {
    fn advice(&self) -> Advice {
        match self {
            Self::NoRoster => advice(
                Exit::Usage,
                "Sealing needs members with keys: start a team memory without `--open`.",
            ),
            Self::NotAMember => advice(
                Exit::Usage,
                "Run `memsync member request` and send the line to an admin, or name your key with `--key`.",
            ),
            Self::Sealed(_) => advice(
                Exit::Usage,
                "Change its text with `memsync open MEMORY --edit`, its readers with `memsync reseal MEMORY --for …`.",
            ),
            Self::Plain(_) => advice(
                Exit::Usage,
                "`memsync show MEMORY` prints it; `memsync seal MEMORY` seals it.",
            ),
            Self::Problem { problem, .. } => problem.advice(),
            Self::Closed { source, .. } => source.advice(),
            Self::Secrets(_) => advice(
                Exit::No,
                "Keep it in a vault and name the place. If it must be here, `--allow-secret REASON` seals it; everyone can read the reason.",
            ),
            Self::NoReason => {
                advice(Exit::Usage, "Say why in a few words; everyone can read the reason.")
            }
            Self::Unconfirmed(_) => advice(
                Exit::Usage,
                "Give a description that says nothing with `--description TEXT`, or agree with `--yes`.",
            ),
            Self::Exposing(_) => advice(Exit::Usage, "Agree with `--yes`."),
            Self::NoText(_) => {
                advice(Exit::Usage, "Write a text. `memsync forget MEMORY` removes the memory.")
            }
            Self::Editor(error) => error.advice(),
        }
    }
}

impl Advised for SealProblem {
    fn advice(&self) -> Advice {
        match self {
            Self::OtherReaders { .. }
            | Self::HiddenReaders(_)
            | Self::Unnamed
            | Self::List(_)
            | Self::Anonymous
            | Self::Unproven
            | Self::Stranger => advice(
                Exit::Trust,
                "`memsync log MEMORY` shows who changed it. A reader says anew for whom it is with `memsync reseal MEMORY --for MEMBER`.",
            ),
            Self::Plain => advice(
                Exit::No,
                "Take the field `sealed` out and run `memsync seal MEMORY`, or take the file back with git.",
            ),
            Self::Damaged(_) => {
                advice(Exit::No, "Take the file back from an earlier commit: `memsync log MEMORY`.")
            }
            Self::Version(_) => advice(Exit::Usage, "Update memsync."),
            Self::Kind(_) => advice(
                Exit::No,
                "Seal it again with `memsync seal`, or with `age -R` and the members' ssh-ed25519 keys. Plugins, passphrases and ssh-rsa are out of scope.",
            ),
            Self::UnknownReaders(_) => {
                advice(Exit::No, "A reader seals it again for the members with `memsync reseal`.")
            }
            Self::Nobody | Self::NoMember(_) | Self::NotAnAudience(_) => {
                advice(Exit::Usage, "`memsync member list` shows the ids and roles.")
            }
            Self::NoKey(_) => advice(
                Exit::Usage,
                "The member needs a key that is not revoked, or an age identity.",
            ),
            Self::Frontmatter => {
                advice(Exit::No, "Correct the frontmatter; `memsync check` says what is wrong.")
            }
            Self::Age => {
                advice(Exit::Bug, "Please report this with the output of `memsync doctor`.")
            }
        }
    }
}

impl Advised for UnlockError {
    fn advice(&self) -> Advice {
        match self {
            Self::Sealed(problem) => problem.advice(),
            Self::NotForYou { .. } => advice(
                Exit::No,
                "If you are named, it is sealed for an earlier key of yours: name that with `--identity FILE`, or ask another reader to run `memsync reseal`.",
            ),
            Self::InAgent => advice(
                Exit::Usage,
                "Name the private key file with `--identity FILE`. If there is none, make an age identity with `memsync key age --make`, tell the team with `memsync member age`, and ask a reader to run `memsync reseal`.",
            ),
            Self::NoKey => {
                advice(Exit::Usage, "Name the private key file with `--key` or `--identity FILE`.")
            }
            Self::Key(source) => match source.downcast_ref::<IdentityError>() {
                Some(error) => error.advice(),
                None => advice(Exit::Usage, "Check the key with `memsync key show`."),
            },
            Self::NotText => advice(Exit::No, "`age -d` gives the bytes."),
        }
    }
}

impl Advised for IdentityError {
    fn advice(&self) -> Advice {
        match self {
            Self::Private(error) => error.advice(),
            // An agent signs without a passphrase, but nothing else opens.
            Self::Key(KeyError::Secret(SecretKeyError::Locked(_))) => advice(
                Exit::Usage,
                "Run the command on a terminal, where it asks for the passphrase. ssh-agent cannot open sealed memories.",
            ),
            Self::Key(error) => error.advice(),
            Self::Plugin(_) => advice(
                Exit::Usage,
                "Use an ssh-ed25519 key or an age identity of your own; plugins are out of scope.",
            ),
            Self::Encrypted(_) => advice(
                Exit::Usage,
                "Write it without the passphrase (`age -d FILE`, mode 0600), or use an OpenSSH key with a passphrase.",
            ),
            Self::Unknown(_) => advice(
                Exit::Usage,
                "Name an OpenSSH ed25519 private key, or a file that `age-keygen` made.",
            ),
            Self::Exists(_) => advice(Exit::No, "Keep using it."),
        }
    }
}

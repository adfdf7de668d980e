//! Why a scan could not be set up.
//! Border: a file that is there and not understood refuses; what to do then is `report::advice`.

use crate::config::policy::PolicyError;
use crate::git::GitError;
use crate::secrets::allow::AllowError;
use crate::secrets::gitleaks::GitleaksError;
use crate::secrets::rules::spec::RuleError;
use crate::system::files::FileError;

/// Why a scan could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A list of accepted findings is not understood.
    #[error(transparent)]
    Allow(#[from] AllowError),
    /// A gitleaks configuration is not understood.
    #[error(transparent)]
    Gitleaks(#[from] GitleaksError),
    /// A rule of one's own does not load.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The policy of the team memory that is scanned cannot be read.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that git holds could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A configuration builds on a file that no commit can hold.
    #[error("`{path}` is outside the repository, and what is pushed is judged by its own files")]
    OutsideCommit {
        /// The path as it is written, escaped.
        path: String,
    },
    /// Something else than a file stands where a list or rules should.
    #[error("`{path}` is no regular file")]
    NoFile {
        /// The path, escaped.
        path: String,
    },
    /// A configuration that is named is not there.
    #[error("`{file}` builds on `{path}`, which is not there")]
    NotThere {
        /// The configuration, with its line, escaped.
        file: String,
        /// The path, escaped.
        path: String,
    },
    /// A baseline is neither a report of ours nor of gitleaks.
    #[error("`{file}` is neither a report of memsync nor one of gitleaks")]
    Baseline {
        /// The file.
        file: String,
    },
    /// A fingerprint to accept has the wrong shape.
    #[error("`{shown}` is no fingerprint: 32 characters of 0–9 and a–f")]
    Fingerprint {
        /// What was given, escaped.
        shown: String,
    },
}

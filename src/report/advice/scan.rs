//! The rows for scans, rules and lists of accepted findings.
//! Border: as `report::advice`; the errors are in `scan::setup` and `secrets`.

use super::row::{Advice, Advised, Exit, advice};
use crate::scan::setup_error::SetupError;
use crate::secrets::allow::AllowError;
use crate::secrets::rules::spec::RuleError;

impl Advised for SetupError {
    fn advice(&self) -> Advice {
        match self {
            Self::Allow(error) => error.advice(),
            Self::Gitleaks(_) => advice(
                Exit::Usage,
                "Correct the configuration; no scan runs with part of its rules.",
            ),
            Self::File(error) => error.advice(),
            Self::Git(error) => error.advice(),
            Self::OutsideCommit { .. } => {
                advice(Exit::Usage, "Copy the file into the repository and name it there.")
            }
            Self::NoFile { .. } => {
                advice(Exit::Usage, "Put a regular file there, or take it out of the commit.")
            }
            Self::NotThere { .. } => advice(
                Exit::Usage,
                "Put the file there, or correct `extend.path`; no scan runs with part of its rules.",
            ),
            Self::Rule(error) => error.advice(),
            Self::Policy(error) => error.advice(),
            Self::Baseline { .. } => advice(
                Exit::Usage,
                "Make one with `memsync scan --write-baseline FILE`, or name a JSON report of gitleaks.",
            ),
            Self::Fingerprint { .. } => advice(
                Exit::Usage,
                "Copy the fingerprint that `memsync scan` shows below the finding.",
            ),
        }
    }
}

impl Advised for AllowError {
    fn advice(&self) -> Advice {
        advice(
            Exit::Usage,
            "Correct the file. Until then nothing is accepted, because a list that is not understood may be wrong.",
        )
    }
}

impl Advised for RuleError {
    fn advice(&self) -> Advice {
        match self {
            Self::Example { .. } | Self::CounterExample { .. } => advice(
                Exit::Usage,
                "Correct the pattern or the example; a rule that is not proven does not load.",
            ),
            Self::TooMany { .. } => advice(Exit::Usage, "Bring rules together or leave some out."),
            _ => advice(Exit::Usage, "Correct the rule; no scan runs with part of its rules."),
        }
    }
}

//! The roles as one types them.
//! Border: spelling; what a role may do is `trust`.

use clap::ValueEnum;
use memsync::trust::roster::Role;

/// The roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// May change everything, also the roster and the policy
    Admin,
    /// May change memories
    Writer,
    /// May read
    Reader,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Admin => Self::Admin,
            RoleArg::Writer => Self::Writer,
            RoleArg::Reader => Self::Reader,
        }
    }
}

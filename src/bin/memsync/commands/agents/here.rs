//! Where a door is put in: the machine as it is seen from a session.
//! Border: gathers values; reads no settings.

use std::path::PathBuf;

use memsync::agents::settings::install::Machine;
use memsync::store::locate::Located;
use memsync::store::project::project_root;

use crate::failure::Failure;
use crate::session::Session;

/// What installing works on, as values that live long enough.
pub(crate) struct Here {
    pub(crate) located: Located,
    project: PathBuf,
    program: PathBuf,
}

impl Here {
    /// Finds them.
    pub(crate) fn find(session: &Session) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::usage(
                format!("cannot find the path of memsync itself: {error}"),
                "Call memsync by its full path.",
            )
        })?;
        let located = session.locate()?;
        Ok(Self { located, project: project_root(&session.folder), program })
    }

    /// The same by reference.
    pub(crate) fn machine<'a>(&'a self, session: &'a Session) -> Machine<'a> {
        Machine {
            environment: &session.environment,
            located: &self.located,
            project: &self.project,
            program: &self.program,
        }
    }
}

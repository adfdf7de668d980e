//! What a call works with: the memory directory, the person, git. Made anew for each call, so that a long
//! session sees what changes around it.
//! Border: values and who makes them; a question that needs a person is answered no.

use std::path::{Path, PathBuf};

use crate::git::command::{Git, Progress};
use crate::store::locate::Located;
use crate::sync::repo::team::Actor;
use crate::system::env::Environment;

/// Who lays things out for a call; the program does.
pub trait Desk: Send + Sync {
    /// The memory directory, seen from a folder of the client's, or from where the server was started.
    ///
    /// # Errors
    /// What a person should know, with the next step.
    fn located(&self, folder: Option<&Path>) -> Result<Located, String>;

    /// For whom things are written and shared. Nobody is asked for a passphrase.
    ///
    /// # Errors
    /// What a person should know, with the next step.
    fn actor(&self, agent: Option<&str>) -> Result<Actor, String>;

    /// The git program, telling of each step.
    fn git(&self, watch: Box<dyn Fn(Progress) + Send + Sync>) -> Git;

    /// The variables.
    fn environment(&self) -> &Environment;

    /// Starts the process that shares beside the client.
    ///
    /// # Errors
    /// The system's.
    fn start_sharing(&self, folder: Option<&Path>) -> std::io::Result<()>;
}

/// One call at the desk.
pub struct Call<'a> {
    /// The desk.
    pub desk: &'a dyn Desk,
    /// The folder of the client's, where it told one.
    pub folder: Option<PathBuf>,
    /// The client's name, for the record of a change.
    pub client: Option<String>,
    /// Takes word of how far it is.
    pub progress: &'a (dyn Fn(String) + Sync),
}

impl Call<'_> {
    pub(super) fn located(&self) -> Result<Located, String> {
        self.desk.located(self.folder.as_deref())
    }

    pub(super) fn actor(&self) -> Result<Actor, String> {
        self.desk.actor(self.client.as_deref())
    }
}

//! The person's own git configuration: who they are, which folders of others they call safe.
//! Border: reads; nothing of it is below a repository.

use gix::config::file::{Metadata, includes, init};
use gix::config::{File, Source};

use crate::git::GitError;

/// Name and e-mail from the person's own git configuration (`~/.gitconfig`, XDG, system).
///
/// What a git installation ships beside those is left out: only the git program knows where it is,
/// and asking it takes as long as a whole `status`.
pub fn person_from_global_config() -> Result<(Option<String>, Option<String>), GitError> {
    let config = persons_config()?;
    let get = |key: &str| {
        config.string(key).map(|value| value.to_string()).filter(|value| !value.trim().is_empty())
    };
    Ok((get("user.name"), get("user.email")))
}

/// The folders that the person calls safe though others own them, in order.
pub(in crate::git) fn safe_directories() -> Result<Vec<String>, GitError> {
    let values = persons_config()?.strings("safe.directory").unwrap_or_default();
    Ok(values.into_iter().map(|value| value.to_string()).collect())
}

/// The person's own configuration: nothing of it is below a repository.
fn persons_config() -> Result<File, GitError> {
    let error = |source| GitError::Read { what: "the person's configuration".to_owned(), source };
    let files = [Source::System, Source::Git, Source::User].map(|source| Metadata {
        path: source.storage_location(&mut gix::path::env::var).filter(|path| path.is_file()),
        source,
        level: 0,
        trust: gix::sec::Trust::Full,
    });
    let home = gix::path::env::home_dir();
    let includes = includes::Options::follow_without_conditional(home.as_deref());
    let options = init::Options { includes, ..init::Options::default() };
    let config =
        File::from_paths_metadata(files, options).map_err(|e| error(gix::Error::from_error(e)))?;
    Ok(config.unwrap_or_default())
}

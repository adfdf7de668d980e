//! Making the folder a root stands on, and taking away one that memsync itself made.
//! Border: the only place that works on a path from above; everything else starts at a handle.

use std::path::Path;

use super::error::FileError;
use super::root::Root;

impl Root {
    /// Makes a folder and the folders above it, as far as they are missing.
    #[expect(clippy::disallowed_methods, reason = "there is no root yet to be beneath")]
    pub fn create(path: &Path) -> Result<(), FileError> {
        std::fs::create_dir_all(path).map_err(|error| FileError::new(path, error))
    }

    /// Makes a folder that only this user may look into, where it is missing.
    pub fn create_private(path: &Path) -> Result<(), FileError> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(|error| FileError::new(path, error))
    }

    /// Takes away a folder below this root with all that is in it; links in it are not followed.
    #[expect(
        clippy::disallowed_methods,
        reason = "std walks by directory handles and follows no link"
    )]
    pub fn remove_folder(&self, path: &str) -> Result<(), FileError> {
        self.split(path)?;
        let full = self.path.join(path);
        std::fs::remove_dir_all(&full).map_err(|error| FileError::new(full, error))
    }
}

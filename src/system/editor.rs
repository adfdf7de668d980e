//! The person's text editor, on a private file that is gone afterwards.
//! Border: starts exactly the program the person set; knows nothing of what is edited.

use std::io::Write as _;
use std::process::Command;

use super::env::Environment;

/// Used where neither `VISUAL` nor `EDITOR` is set.
const EDITOR_DEFAULT: &str = "vi";

/// Why nothing was edited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditorError {
    /// The file for the editor could not be made or read back.
    #[error("the file for the editor cannot be used")]
    File(#[source] std::io::Error),
    /// The editor could not be started.
    #[error("the editor `{program}` cannot be started")]
    Start {
        /// The program.
        program: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The editor ended with an error.
    #[error("the editor `{program}` ended with an error; nothing was changed")]
    Failed {
        /// The program.
        program: String,
    },
}

/// Lets the person edit a text; the file has mode 0600 and is removed on every way out.
#[expect(clippy::disallowed_methods, reason = "the one place that starts the person's editor")]
pub fn edit(environment: &Environment, text: &[u8]) -> Result<Vec<u8>, EditorError> {
    let chosen = environment.text("VISUAL").or_else(|| environment.text("EDITOR"));
    let line = chosen.filter(|line| !line.trim().is_empty()).unwrap_or(EDITOR_DEFAULT);
    let mut words = line.split_whitespace().map(str::to_owned);
    let program = words.next().unwrap_or_else(|| EDITOR_DEFAULT.to_owned());
    let mut file = tempfile::Builder::new()
        .prefix("memsync-")
        .suffix(".md")
        .tempfile()
        .map_err(EditorError::File)?;
    file.write_all(text).and_then(|()| file.flush()).map_err(EditorError::File)?;
    let status = Command::new(&program).args(words).arg(file.path()).status();
    let status =
        status.map_err(|source| EditorError::Start { program: program.clone(), source })?;
    if !status.success() {
        return Err(EditorError::Failed { program });
    }
    // Editors replace files, so it is read by name again.
    std::fs::read(file.path()).map_err(EditorError::File)
}

//! The person's text editor, on a private file that is gone afterwards.
//! Border: starts exactly the program the person set; knows nothing of what is edited.
//!
//! The file (0600) is alone in a folder (0700) that goes with everything an editor leaves beside it,
//! also when the editor fails, and on Ctrl-C, SIGTERM and SIGHUP. Only a SIGKILL leaves it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use tempfile::TempDir;

use super::env::Environment;

/// Used where neither `VISUAL` nor `EDITOR` is set.
const EDITOR_DEFAULT: &str = "vi";

/// Names a folder of this user that is in memory and gone with the session, where there is one.
const RUNTIME_VARIABLE: &str = "XDG_RUNTIME_DIR";

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
    /// The editor ended with an error, on a file that is its own.
    #[error("the editor `{program}` ended with an error; the file is as it left it")]
    FailedInPlace {
        /// The program.
        program: String,
    },
}

/// Lets the person edit a text; the file is private and removed on every way out.
#[expect(clippy::disallowed_methods, reason = "the one place that starts the person's editor")]
pub fn edit(environment: &Environment, text: &[u8]) -> Result<Vec<u8>, EditorError> {
    let (program, words) = chosen(environment);
    let folder = private_folder(environment).map_err(EditorError::File)?;
    let mut builder = tempfile::Builder::new();
    let mut file = builder
        .prefix("memsync-")
        .suffix(".md")
        .tempfile_in(folder.path())
        .map_err(EditorError::File)?;
    file.write_all(text).and_then(|()| file.flush()).map_err(EditorError::File)?;
    let signals = Signals::hold().map_err(EditorError::File)?;
    let child = Command::new(&program).args(words).arg(file.path()).spawn();
    let status = match child {
        Ok(child) => signals.wait(child),
        Err(source) => return Err(EditorError::Start { program, source }),
    };
    // Editors replace files, so it is read by name again.
    let edited = std::fs::read(file.path());
    drop(file);
    let removed = folder.close();
    signals.release();
    removed.map_err(EditorError::File)?;
    match status {
        Ok(status) if status.success() => edited.map_err(EditorError::File),
        _ => Err(EditorError::Failed { program }),
    }
}

/// Lets the person edit a file where it lies: what is typed is never lost, whatever becomes of it then.
///
/// # Errors
/// An editor that cannot be started, or ends with an error.
#[expect(clippy::disallowed_methods, reason = "the one place that starts the person's editor")]
pub fn edit_in_place(environment: &Environment, path: &Path) -> Result<(), EditorError> {
    let (program, words) = chosen(environment);
    let status = Command::new(&program).args(words).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(EditorError::FailedInPlace { program }),
        Err(source) => Err(EditorError::Start { program, source }),
    }
}

/// The editor the person set, with its options.
fn chosen(environment: &Environment) -> (String, Vec<String>) {
    let chosen = environment.text("VISUAL").or_else(|| environment.text("EDITOR"));
    let line = chosen.filter(|line| !line.trim().is_empty()).unwrap_or(EDITOR_DEFAULT);
    let mut words = line.split_whitespace().map(str::to_owned);
    let program = words.next().unwrap_or_else(|| EDITOR_DEFAULT.to_owned());
    (program, words.collect())
}

fn private_folder(environment: &Environment) -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("memsync-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    let in_memory = environment.path(RUNTIME_VARIABLE).filter(|path| path.is_absolute());
    let own = in_memory.and_then(|path| builder.tempdir_in(path).ok());
    let elsewhere = environment.path("TMPDIR").filter(|path| path.is_absolute());
    own.map_or_else(|| builder.tempdir_in(elsewhere.unwrap_or_else(std::env::temp_dir)), Ok)
}

#[cfg(unix)]
use unix::Signals;

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    use super::{Child, ExitStatus};

    /// How often the editor is looked at; a person notices nothing of it.
    const PAUSE: Duration = Duration::from_millis(20);

    /// Keeps signals from ending memsync before the private file is gone.
    pub(super) struct Signals {
        over: Arc<AtomicBool>,
        ended_by: Arc<AtomicUsize>,
    }

    impl Signals {
        /// Holds signals back from now on. Ctrl-C is the editor's business.
        pub(super) fn hold() -> std::io::Result<Self> {
            let signals = Self { over: Arc::default(), ended_by: Arc::default() };
            for kind in [SIGTERM, SIGHUP] {
                let to = usize::try_from(kind).unwrap_or_default();
                signal_hook::flag::register_usize(kind, Arc::clone(&signals.ended_by), to)?;
            }
            for kind in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
                let over = Arc::clone(&signals.over);
                signal_hook::flag::register_conditional_default(kind, over)?;
            }
            Ok(signals)
        }

        /// Waits for the editor; a signal that ends memsync ends it as well.
        pub(super) fn wait(&self, mut editor: Child) -> std::io::Result<ExitStatus> {
            loop {
                if let Some(status) = editor.try_wait()? {
                    return Ok(status);
                }
                if self.ended_by.load(Ordering::SeqCst) != 0 {
                    editor.kill()?;
                    return editor.wait();
                }
                std::thread::sleep(PAUSE);
            }
        }

        /// Gives signals their meaning back, also one that came meanwhile.
        pub(super) fn release(self) {
            self.over.store(true, Ordering::SeqCst);
            let ended_by = i32::try_from(self.ended_by.load(Ordering::SeqCst)).unwrap_or_default();
            if ended_by != 0 {
                // Where the system does not end us, the editor's failure does.
                drop(signal_hook::low_level::emulate_default_handler(ended_by));
            }
        }
    }
}

#[cfg(not(unix))]
use other::Signals;

#[cfg(not(unix))]
mod other {
    use super::{Child, ExitStatus};

    /// Signals do not end programs here.
    pub(super) struct Signals;

    impl Signals {
        pub(super) fn hold() -> std::io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn wait(&self, mut editor: Child) -> std::io::Result<ExitStatus> {
            editor.wait()
        }

        pub(super) fn release(self) {}
    }
}
